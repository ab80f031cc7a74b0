"""Responses to a rubric: what was asked, whether a response is complete, and its stored form.

A response is {criterion: value}; with `each` the value is a list by the payload's positions. What was not asked is
None. Values: a point of a scale, a value of a choice, the values of `choices`, a number, a text, of a mark spans
{"part", "start", "end", "label"?} of the field's parts in code points, of `best` a candidate's field (its position in a
list) or "tie", of `order` all of them, best first.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.pure.data.example import JSON
from annotation.pure.ratings.rubric import BEST, CHOICE, CHOICES, MARK, NUMBER, ORDER, SCALE, TEXT, TIE
from annotation.pure.text.translation_marks import gettext_noop as _

LONGEST_TEXT: Final = 20_000
MOST_MARKS: Final = 100
_NUMBER = re.compile(r"[+-]?([0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18})(e[+-]?[0-9]{1,2})?", re.IGNORECASE)
_UNCLEAR = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}(?![0-9])")
MISSING: Final = {
    SCALE: _("Choose a point of the scale."),
    CHOICE: _("Choose one of the answers."),
    CHOICES: _("Choose at least one of the answers."),
    NUMBER: _("Give a number from %(low)s to %(high)s, without a comma for thousands."),
    TEXT: _("Write at least a word."),
    MARK: _("Mark some words."),
    BEST: _("Choose the best one."),
    ORDER: _("Put all of them in order."),
}
NO_LIST: Final = _("Give a list, even of a single value.")


def rows_of(payload: JSON, criterion: JSON) -> int | None:
    """How many elements a criterion is asked of; None: of the record as a whole."""
    return len(payload["lists"][criterion["each"]]["elements"]) if criterion["each"] else None


def places(payload: JSON) -> Iterator[tuple[JSON, int | None]]:
    """(criterion, element or None) of all that the payload can ask."""
    for criterion in payload["criteria"]:
        rows = rows_of(payload, criterion)
        for k in [None] if rows is None else range(rows):
            yield criterion, k


def candidates_of(payload: JSON, criterion: JSON) -> list[Any]:
    """The candidates of `best` or `order` as they are stored: fields, or positions in the list."""
    return criterion.get("systems") or list(range(len(payload["candidates"][criterion["name"]])))


def blank(criterion: JSON) -> Any:
    """The value of a criterion that was asked and not answered."""
    return {CHOICES: [], MARK: [], TEXT: ""}.get(criterion["kind"])


def prefilled(criterion: JSON, k: int | None) -> str:
    """The text that stands there to be corrected, of element k of its list; "" without one."""
    given: Any = criterion.get("prefill", "")
    if k is None or not isinstance(given, list):
        return str(given)
    return str(given[k]) if k < len(given) else ""


def value_at(answer: Mapping[str, Any], criterion: JSON, k: int | None) -> Any:
    """A response's value, of element k of its list; None where there is none."""
    value = answer.get(criterion["name"])
    if k is None:
        return value
    return value[k] if isinstance(value, list) and k < len(value) else None


def cells(payload: JSON, answer: Mapping[str, Any]) -> Iterator[tuple[JSON, int | None, Any]]:
    """(criterion, element or None, value) of all that the response's other values call for."""
    given: dict[tuple[str, int | None], list[Any]] = {}  # criteria stand behind those on which they depend
    for criterion, k in places(payload):
        if "if" in criterion:  # most have none, and a report asks often
            others = ((given.get((name, k), given.get((name, None), [])), of) for name, of in criterion["if"].items())
            if not all(any(each in values for each in other) for other, values in others):
                continue
        value = value_at(answer, criterion, k)
        given[criterion["name"], k] = value if isinstance(value, list) else [value]
        yield criterion, k, value


def asked_of(payload: JSON, answer: Mapping[str, Any]) -> dict[tuple[str, int | None], Any]:
    """The values of all that the response was asked, by criterion and element."""
    return {(criterion["name"], k): value for criterion, k, value in cells(payload, answer)}


def is_empty(value: Any) -> bool:
    """Whether it says nothing."""
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def settled(payload: JSON, answer: Mapping[str, Any]) -> JSON:
    """The response with None for all that was not asked, and nothing else in it."""
    stored: JSON = {}
    for criterion in payload["criteria"]:
        rows = rows_of(payload, criterion)
        stored[criterion["name"]] = None if rows is None else [None] * rows
    for criterion, k, value in cells(payload, answer):
        kept = blank(criterion) if is_empty(value) else value
        if k is None:
            stored[criterion["name"]] = kept
        else:
            stored[criterion["name"]][k] = kept
    return stored


def missing(payload: JSON, answer: Mapping[str, Any]) -> Iterator[tuple[JSON, int | None]]:
    """(criterion, element or None) of all that is asked and has no valid value."""
    for criterion, k, value in cells(payload, answer):
        if criterion["required"] if is_empty(value) else not is_valid(payload, criterion, value, k):
            yield criterion, k


def flaw_of(criterion: JSON, value: Any) -> str:
    """What is to be done about a value that is missing or not valid."""
    needs_list = criterion["kind"] in (CHOICES, MARK, ORDER) and not isinstance(value, list)
    return NO_LIST if needs_list and not is_empty(value) else MISSING[criterion["kind"]]


def is_valid(payload: JSON, criterion: JSON, value: Any, k: int | None) -> bool:
    """Whether a value is one that the criterion can have."""
    kind, values = criterion["kind"], criterion["values"]
    if kind == SCALE:
        return type(value) is int and value in values
    if kind == CHOICE:
        return isinstance(value, str) and value in values
    if kind == CHOICES:
        return isinstance(value, list) and value == [each for each in values if each in value]
    if kind == NUMBER:
        return type(value) in (int, float) and values[0] <= value <= values[1]
    if kind == TEXT:
        return isinstance(value, str) and len(value) <= LONGEST_TEXT
    if kind == MARK:
        return _are_marks(parts_of(payload, criterion, k), [pair[0] for pair in criterion.get("of", [])], value)
    known = candidates_of(payload, criterion)
    if kind == BEST:
        return _is_one(value, known) or (value == TIE and bool(criterion.get("tie")))
    return isinstance(value, list) and len(value) == len(known) and all(_is_one(each, value) for each in known)


def _is_one(value: Any, known: list[Any]) -> bool:
    """Whether it is among them; True is not 1."""
    return not isinstance(value, bool) and any(type(each) is type(value) and each == value for each in known)


def parts_of(payload: JSON, criterion: JSON, k: int | None) -> dict[int, str]:
    """The texts in which words can be marked, by their position; of the list that it is asked of, only element k."""
    field = criterion["values"][0]
    if field in payload["lists"]:
        texts = [each["text"] for each in payload["lists"][field]["elements"]]
        return dict(enumerate(texts)) if k is None or criterion["each"] != field else {k: texts[k]}
    shown = next((each for each in payload["show"] if each["field"] == field), None)
    return {} if shown is None else dict(enumerate(texts_of(shown["value"])))


def texts_of(value: Any) -> list[str]:
    """The texts of a field as it is shown."""
    if isinstance(value, str):
        return [value]
    return [_part(each) for each in (value["rows"] if isinstance(value, Mapping) else value)]


def _part(each: Any) -> str:
    return "\n".join(each) if isinstance(each, list) else each["text"] if isinstance(each, Mapping) else each


def _are_marks(parts: Mapping[int, str], labels: list[str], value: Any) -> bool:
    if not isinstance(value, list) or len(value) > MOST_MARKS:
        return False
    keys = {"part", "start", "end", *(["label"] if labels else [])}
    if not all(isinstance(mark, Mapping) and set(mark) == keys for mark in value):
        return False
    spans = [(mark["part"], mark["start"], mark["end"]) for mark in value]
    if any(type(number) is not int for span in spans for number in span):
        return False
    if any(part not in parts or not 0 <= start < end <= len(parts[part]) for part, start, end in spans):
        return False
    if labels and not all(mark["label"] in labels for mark in value):
        return False
    return spans == sorted(spans)


def read(payload: JSON, answer: Any) -> JSON:
    """A response made elsewhere, in the stored form. Raises ValueError for unknown names and lists of wrong length."""
    if not isinstance(answer, Mapping):
        raise ValueError("must be an object from a criterion's name to its value")
    named = {each["name"]: each for each in payload["criteria"]}
    if unknown := [name for name in answer if name not in named]:
        raise ValueError(f"has no criterion {unknown[0]!r}; it has {', '.join(named)}")
    for name, value in answer.items():
        rows = rows_of(payload, named[name])
        if rows is not None and (not isinstance(value, list) or len(value) != rows):
            raise ValueError(f"{name} must list a value for each of the {rows} of {named[name]['each']}")
    whole = {name: _read(payload, named[name], value) for name, value in answer.items()}
    return settled(payload, whole)


def _read(payload: JSON, criterion: JSON, value: Any) -> Any:
    if criterion["each"]:
        return [_read_one(payload, criterion, each) for each in value]
    return _read_one(payload, criterion, value)


def _read_one(payload: JSON, criterion: JSON, value: Any) -> Any:
    """Values as programs write them: 3.0 for 3, "3" of a CSV, choices in any order, passages by title."""
    kind, values = criterion["kind"], criterion["values"]
    if kind in (SCALE, NUMBER) and isinstance(value, str):
        value = value if (number := number_of(value)) is None else number
    if kind == SCALE and type(value) is float and value.is_integer():
        return int(value)
    if kind == CHOICES and isinstance(value, list) and len(set(map(str, value))) == len(value):
        known = [each for each in values if each in value]
        return known if len(known) == len(value) else value
    if kind == MARK and isinstance(value, list):
        return [_read_mark(payload, criterion, each) for each in value]
    return value


def _read_mark(payload: JSON, criterion: JSON, mark: Any) -> Any:
    if not isinstance(mark, Mapping) or not isinstance(mark.get("part"), str):
        return mark
    field = criterion["values"][0]
    shown: list[Any] = next((each["value"] for each in payload["show"] if each["field"] == field), [])
    elements = payload["lists"][field]["elements"] if field in payload["lists"] else shown
    found = [k for k, each in enumerate(elements) if isinstance(each, Mapping) and each.get("title") == mark["part"]]
    return {**mark, "part": found[0]} if len(found) == 1 else mark


def number_of(text: str) -> float | None:
    """The number that a text is, also with a decimal comma; None for anything else. Whole numbers stay whole.

    "1,000" is none: it is a thousand to some and one to others. tasks/rate/static/page.js reads texts alike.
    """
    text = text.strip()
    is_unclear = _UNCLEAR.match(text)
    if is_unclear or not _NUMBER.fullmatch(text := text.replace(",", ".")):
        return None
    return int(text) if text.lstrip("+-").isdigit() else float(text)
