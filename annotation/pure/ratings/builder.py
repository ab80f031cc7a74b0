"""A rubric as the controls of a form, and back.

A criterion's controls follow KINDS and ALLOWED of rubric.py; a kind or key without a form of its own here is written as
JSON. A control that was not changed keeps the value of which it was made, so nothing that a rubric says gets lost.
Nothing is checked here: what comes out is for `rubric.parse`.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.pure.data.example import JSON
from annotation.pure.ratings.fields import ROLES, FieldSample
from annotation.pure.ratings.rubric import (
    ALLOWED,
    BEST,
    CHOICE,
    CHOICES,
    KINDS,
    LONGEST_NAME,
    MARK,
    NUMBER,
    ORDER,
    SCALE,
    TEXT,
)
from annotation.pure.text.translation_marks import gettext_noop as _

Option = tuple[str, str, bool, str]
Given = Callable[[str], list[str]]  # the values that a form has for a control, by its name

LINE, LINES, LABELS, PAIR, SIZE, SWITCH, FIELD, LIST, FIELDS, OBJECT, CONDITION = (
    "line", "lines", "labels", "pair", "size", "switch", "field", "list", "fields", "object", "condition",
)  # fmt: skip
KIND, VALUE = "kind", "value"  # controls that are called otherwise than their key
FIRST: Final = {"each": KINDS, "labels": (SCALE,)}  # keys that criteria of these kinds show; the others are folded
TITLES: Final = {
    SCALE: _("Scale"),
    CHOICE: _("One of several"),
    CHOICES: _("Any of several"),
    NUMBER: _("Number"),
    TEXT: _("Text"),
    MARK: _("Marked words"),
    BEST: _("The best of several"),
    ORDER: _("Order of several"),
}
_OF_KIND: Final[Mapping[str, tuple[str, str, Any]]] = {  # form, label, what a new one has
    SCALE: (PAIR, _("From, to"), [1, 5]),
    CHOICE: (LINES, _("Values, one a line"), ["yes", "no"]),
    CHOICES: (LINES, _("Values, one a line"), []),
    NUMBER: (PAIR, _("From, to"), [0, 100]),
    TEXT: (SIZE, _("Length"), "long"),
    MARK: (FIELD, _("Words are marked in"), ""),
    BEST: (FIELDS, _("Compared: several fields, or one that is a list"), []),
    ORDER: (FIELDS, _("Compared: several fields, or one that is a list"), []),
}
_OF_KEY: Final = {
    "name": (LINE, _("Name in the results")),
    "ask": (LINE, _("Question")),
    "labels": (LABELS, _("Labels, one a line")),
    "ordered": (SWITCH, _("The values have an order")),
    "right": (LINES, _("Values that are right, one a line")),
    "wrong_gold": (LINES, _("Values that say that the dataset’s answer is wrong, one a line")),
    "tie": (SWITCH, _("“Equally good” is possible")),
    "of": (LABELS, _("Labels for what is marked, one a line")),
    "unit": (LINE, _("Unit")),
    "prefill": (FIELD, _("Text to be corrected")),
    "each": (LIST, _("Asked of each of")),
    "if": (CONDITION, _("Asked only if")),
    "gold": (FIELD, _("Right value (gold), never shown")),
    "required": (SWITCH, _("An answer is required")),
    "help": (LINE, _("Remark below the question")),
}
LABEL_HELP: Final = {
    SCALE: _("Two, for the ends, or one for each point."),
    CHOICE: _("As “value: label”."),
    CHOICES: _("As “value: label”."),
    MARK: _("As “label”, or as “value: label”."),
}
SIZES: Final = {"short": _("one line"), "long": _("several lines")}
NAME_HELP: Final = _("Leave empty to have it made of the question.")
MOST_OFFERED: Final = 12  # values of a criterion from which conditions are chosen


@dataclass(frozen=True, slots=True)
class Control:
    """A control of a criterion. `values` are its texts; `options`: (value, label, whether it is chosen, heading)."""

    name: str
    form: str
    label: str
    values: list[str]
    place: str  # where `parse` says that it is wrong
    help: str = ""
    options: Sequence[Option] = ()


def is_buildable(rubric: Any) -> bool:
    """Whether an object has the shape of a rubric, so that rows can be made of it."""
    if not isinstance(rubric, Mapping):
        return False
    show, criteria = rubric.get("show", []), rubric.get("criteria", [])
    return (
        isinstance(show, list)
        and all(isinstance(_field_of(each), str) for each in show)
        and isinstance(criteria, list)
        and all(isinstance(each, Mapping) and isinstance(each.get("if", {}), Mapping) for each in criteria)
        and all(isinstance(each.get("name", ""), str) for each in criteria)
    )


def _field_of(shown: Any) -> Any:
    return shown.get("field") if isinstance(shown, Mapping) else shown


def kind_of(criterion: Mapping[str, Any]) -> str:
    """The kind of a criterion, the first if it has several; "" without one."""
    return next((kind for kind in KINDS if kind in criterion), "")


def controls(
    criteria: Sequence[JSON], k: int, samples: Sequence[FieldSample] = (), show: Sequence[str] = ()
) -> list[Control]:
    """The controls of a criterion, with the fields from which they are chosen."""
    criterion, kind, place = criteria[k], kind_of(criteria[k]), f"criteria[{k}]"
    form, label, _start = _OF_KIND.get(kind, (OBJECT, kind, None))
    found = [(VALUE, kind, form, label)] if kind else []
    found += [(key, key, *_OF_KEY[key]) for key in ("ask", "name")]
    known = [key for key, kinds in ALLOWED.items() if kind in kinds or key in criterion]
    found += [(key, key, *_OF_KEY.get(key, (OBJECT, key))) for key in known]
    return [
        Control(
            name,
            form,
            label,
            _texts(criteria, k, key, form),
            f"{place}.{key}",
            help=NAME_HELP if key == "name" else LABEL_HELP.get(kind, "") if form == LABELS else "",
            options=_options(criteria, k, key, form, samples, show),
        )
        for name, key, form, label in found
    ]


def _texts(criteria: Sequence[JSON], k: int, key: str, form: str) -> list[str]:
    """A criterion's value at a key as the texts of its control."""
    criterion = criteria[k]
    if form == CONDITION:
        return [value for value, _label, chosen, _heading in _conditions(criteria, k) if chosen]
    if key == "name" and criterion.get(key) == _proposed_name(criteria, k):
        return []
    if key == "required" and key not in criterion:
        return ["on"] if kind_of(criterion) not in (TEXT, MARK) else []
    value = criterion.get(key)
    if value in (None, "", [], {}) or (form == SWITCH and value is False):
        return []
    if form == SWITCH and value is True:
        return ["on"]
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and form in (LINES, LABELS, FIELDS) and all(isinstance(each, str) for each in value):
        return value if form == FIELDS else ["\n".join(value)]
    if isinstance(value, list) and form == PAIR:
        return [_line_of(each) for each in value]
    if isinstance(value, Mapping) and form == LABELS:
        return ["\n".join(f"{name}: {_line_of(label)}" for name, label in value.items())]
    return [json.dumps(value, ensure_ascii=False)]


def _line_of(text: Any) -> str:
    return text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)


def _options(
    criteria: Sequence[JSON], k: int, key: str, form: str, samples: Sequence[FieldSample], show: Sequence[str]
) -> list[Option]:
    if form == CONDITION:
        return _conditions(criteria, k)
    chosen = _texts(criteria, k, key, form)
    if form == SIZE:
        return [(size, label, size in chosen, "") for size, label in SIZES.items()]
    if form not in (FIELD, LIST, FIELDS):
        return []
    known = {each.name: each.text for each in samples if each.is_list or form != LIST}
    if key == MARK:
        known = {name: known.get(name, "") for name in [*show, *_texts(criteria, k, "each", LIST)]}
    known = {name: known.get(name, "") for name in [*known, *chosen]}
    return [(name, f"{name}: {text}" if text else name, name in chosen, "") for name, text in known.items()]


def _conditions(criteria: Sequence[JSON], k: int) -> list[Option]:
    """The values of earlier criteria that a condition may name, as "criterion's number=value"."""
    given = criteria[k].get("if", {})
    found = []
    for other, criterion in enumerate(criteria[:k]):
        name = str(criterion.get("name", ""))
        values = given.get(name, [])
        chosen = [str(value) for value in values] if isinstance(values, list) else []
        offered = _values(criterion)
        for value in dict.fromkeys([*(offered if len(offered) <= MOST_OFFERED else []), *chosen]):
            found.append((f"{other}={value}", value, value in chosen, "".join(texts_of(criterion.get("ask"))) or name))
    return found


def _values(criterion: JSON) -> list[str]:
    kind = kind_of(criterion)
    value = criterion.get(kind)
    if kind == SCALE and isinstance(value, list) and [type(end) for end in value] == [int, int]:
        return [str(point) for point in range(value[0], min(value[1], value[0] + MOST_OFFERED) + 1)]
    return [str(each) for each in value] if kind in (CHOICE, CHOICES) and isinstance(value, list) else []


def _proposed_name(criteria: Sequence[JSON], k: int) -> str:
    """A name made of the first words of the question, which no other criterion has."""
    ask = criteria[k].get("ask")
    plain = unicodedata.normalize("NFKD", ask if isinstance(ask, str) else "").encode("ascii", "ignore").decode()
    words = re.findall("[a-z0-9]+", re.sub(r"['’]", "", plain.lower()))
    while words and not words[0][0].isalpha():
        del words[0]
    while len("_".join(words)) > LONGEST_NAME - 3:
        words.pop()
    name = "_".join(words) or f"criterion_{k + 1}"
    others = {each.get("name") for other, each in enumerate(criteria) if other != k}
    return next(each for n in range(1, len(criteria) + 2) if (each := f"{name}_{n}" if n > 1 else name) not in others)


def built(base: JSON, given: Given) -> JSON:
    """The rubric that the controls made of `base` say; `given` has a control's texts by its name (`K-NAME`)."""
    before = base.get("criteria", [])
    found = [_criterion(before, k, given) for k in range(len(before))]
    for k, criterion in enumerate(found):
        if not _stated(given(f"{k}-name")):
            criterion["name"] = _proposed_name(found, k)
    for k, criterion in enumerate(found):
        criterion.pop("if", None)
        if condition := _condition(before, found, k, given(f"{k}-if")):
            criterion["if"] = condition
    kept = {_field_of(each): each for each in base.get("show", [])}
    rubric = base | {"criteria": found}
    if show := [kept.get(name, name) for name in given("show")] or kept:
        rubric["show"] = list(show) if given("show") else []
    title = _stated(given("title"))
    if title != _stated([_line_of(base.get("title", ""))]):
        rubric["title"] = _read(LINE, title) or ""
    order = ("title", "show", "criteria")
    return {key: rubric[key] for key in sorted(rubric, key=lambda key: order.index(key) if key in order else 9)}


def _stated(texts: Sequence[str]) -> list[str]:
    plain = (text.replace("\r\n", "\n").strip() for text in texts)
    return [text for text in plain if text]


def _criterion(before: Sequence[JSON], k: int, given: Given) -> JSON:
    base = before[k]
    was, found = kind_of(base), dict(base)
    for control in controls(before, k):
        texts, key = _stated(given(f"{k}-{control.name}")), was if control.name == VALUE else control.name
        if control.form == CONDITION or texts == _stated(control.values):
            continue
        value = _read(control.form, texts)
        if control.form == SWITCH and value is (key == "required" and was not in (TEXT, MARK)):
            value = None  # as it is by default
        elif key == was and value is None:
            value = [] if control.form in (LINES, FIELDS, PAIR) else ""
        found.pop(key, None)
        found |= {} if value is None else {key: value}
    return _with_kind(found, was, (given(f"{k}-{KIND}") or [was])[0])


def _with_kind(criterion: JSON, was: str, kind: str) -> JSON:
    """The criterion with another kind, without what does not go with that; first its name, question and kind."""
    if kind in KINDS and kind != was:
        form, _label, start = _OF_KIND.get(kind, (OBJECT, "", None))
        value = criterion[was] if was and _OF_KIND.get(was, ("", "", None))[0] == form else start
        rest = {key: each for key, each in criterion.items() if key not in KINDS and kind in ALLOWED.get(key, KINDS)}
        criterion = {**rest, kind: value}
        criterion.pop("required", None)
    first = [key for key in ("name", "ask", kind_of(criterion)) if key in criterion]
    return {key: criterion[key] for key in first} | criterion


def _read(form: str, texts: Sequence[str]) -> Any:
    """The value that a control's texts say; None for nothing."""
    if form == SWITCH:
        return bool(texts)
    if not texts:
        return None
    lines = [line.strip() for line in texts[0].split("\n") if line.strip()]
    if form == LINES:
        return lines
    if form == LABELS:
        if not any(": " in line for line in lines):
            return lines
        parts = (line.partition(": ") for line in lines)
        return {value.strip(): _of_line(label.strip() or value) for value, _colon, label in parts}
    if form == PAIR:
        return [_number(text) for text in texts]
    if form == FIELDS:
        return texts[0] if len(texts) == 1 else list(texts)
    return _of_json(texts[0]) if form == OBJECT else _of_line(texts[0])


def _of_line(text: str) -> Any:
    """A text, or texts by language as JSON."""
    found = _of_json(text) if text.startswith("{") else text
    return found if isinstance(found, dict) else text


def _of_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _number(text: str) -> Any:
    found = _of_json(text.replace(",", "."))
    return found if type(found) in (int, float) else text


def _condition(before: Sequence[JSON], found: Sequence[JSON], k: int, texts: Sequence[str]) -> JSON:
    """The condition that is chosen, by the criteria's present names; what could not be chosen stays."""
    offered = {criterion.get("name") for criterion in before[:k]}
    condition = {name: values for name, values in before[k].get("if", {}).items() if name not in offered}
    for text in texts:
        number, _equal, value = text.partition("=")
        if number.isdecimal() and int(number) < k:
            other = found[int(number)]
            chosen = _number(value) if kind_of(other) == SCALE else value
            condition.setdefault(other["name"], []).append(chosen)
    if texts == _texts(before, k, "if", CONDITION):  # in the order in which they were written
        names = {old.get("name"): new["name"] for old, new in zip(before[:k], found, strict=False)}
        return {names.get(name, name): values for name, values in before[k].get("if", {}).items()}
    return condition


def changed(rubric: JSON, action: str, samples: Sequence[FieldSample]) -> tuple[JSON, str]:
    """The rubric after a button was pressed, and the name of the control that gets the focus.

    `add`, `remove:LIST:K`, `up:LIST:K` and `down:LIST:K` of `criteria` and `show`; another one changes nothing.
    """
    if action == "add":
        criteria = [*rubric.get("criteria", []), {"name": "", "ask": "", CHOICE: list(_OF_KIND[CHOICE][2])}]
        criteria[-1]["name"] = _proposed_name(criteria, len(criteria) - 1)
        show = rubric.get("show") if "criteria" in rubric else proposed_show(samples)
        return {**rubric, "show": show or [], "criteria": criteria}, f"{len(criteria) - 1}-ask"
    verb, _colon, where = action.partition(":")
    name, _colon, number = where.partition(":")
    rows = list(rubric.get(name, [])) if name in ("criteria", "show") else []
    k = int(number) if number.isdecimal() and len(number) < 6 else len(rows)
    if k >= len(rows):
        return rubric, ""
    row = rows.pop(k)
    if verb == "remove":
        return {**rubric, name: rows}, "add"
    to = max(0, min(len(rows), k + {"up": -1, "down": 1}.get(verb, 0)))
    rows.insert(to, row)
    return {**rubric, name: rows}, f"{name}-{to}-{verb}"


def proposed_show(samples: Sequence[FieldSample]) -> list[str]:
    """Fields that workers need and that are not gold: question and paragraphs, else the first one."""
    names = [each.name for each in samples]
    needed = [name for name in names if name in ("question", "paragraphs")]
    return needed or [name for name in names if name not in ROLES][:1]


def shown_names(rubric: JSON) -> list[str]:
    """The names of the fields that a rubric shows."""
    return [_field_of(each) for each in rubric.get("show", [])]


def texts_of(text: Any) -> list[str]:
    """A text, or texts by language, as the texts of a control."""
    return [_line_of(text)] if text else []
