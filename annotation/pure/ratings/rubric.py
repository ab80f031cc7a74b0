"""Rubrics: what people are shown of a record and what they are asked about it, as data.

A rubric is an object {"title", "show": [fields], "criteria": [...]}; docs/rubrics.md describes it. `parse` is its only
check. Whatever has no value in a criterion is left out of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from annotation.pure.text.languages import Text
from annotation.pure.text.translation_marks import gettext_noop as _

SCALE, CHOICE, CHOICES, NUMBER, TEXT = "scale", "choice", "choices", "number", "text"
MARK, BEST, ORDER = "mark", "best", "order"
KINDS: Final = (SCALE, CHOICE, CHOICES, NUMBER, TEXT, MARK, BEST, ORDER)
LOOKS: Final = ("text", "list", "turns", "table", "passages", "markdown", "html")  # how a field is shown
TIE: Final = "tie"  # a response to `best`
MOST_CRITERIA: Final = 30
MOST_OPTIONS: Final = 200  # of one criterion
MOST_NUMBER: Final = 10**15  # of a scale or number, and as much below zero
LONGEST_NAME: Final = 40
EXTRA: Final = "extra."  # before a field's name: that of the record beside the roles
_NAME = re.compile(r"[a-z][a-z0-9_]*")
ALLOWED: Final = {  # beside a criterion's name, question and kind, what may stand with which kinds
    "labels": (SCALE, CHOICE, CHOICES),
    "ordered": (CHOICE,),
    "right": (CHOICE,),
    "wrong_gold": (CHOICE,),
    "tie": (BEST,),
    "of": (MARK,),
    "unit": (NUMBER, SCALE),
    "prefill": (TEXT,),
    "each": KINDS,
    "if": KINDS,
    "gold": (SCALE, CHOICE, CHOICES, NUMBER, TEXT, MARK, BEST, ORDER),
    "required": KINDS,
    "help": KINDS,
}


class InvalidRubric(ValueError):
    """A rubric is wrong: `message` is a gettext id with %(name)s placeholders for `values`, `place` where it is."""

    def __init__(self, place: str, message: str, **values: Any) -> None:
        super().__init__(f"{place}: {message % values}" if place else message % values)
        self.place, self.message, self.values = place, message, values


@dataclass(frozen=True, slots=True)
class Shown:
    """A field that is shown; `look`: one of LOOKS, "" for the one that fits its value; `title`: "" for its name."""

    field: str
    look: str = ""
    title: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One question about a record, or about each element of a list of it.

    `values`: the points of a scale, the values of a choice, (low, high) of a number, the size of a text, the field of
    a mark, the fields of `best` and `order` (one field with `listed`: the candidates are its elements). `marks`: the
    labels of a mark, value -> label. `condition`: it is asked only where these criteria have one of these values.
    """

    name: str
    ask: Text
    kind: str
    values: tuple[Any, ...]
    listed: bool = False
    labels: Mapping[Any, Text] = field(default_factory=dict)
    ordered: bool = False
    right: tuple[str, ...] = ()  # values with which a step, or an answer, is right
    wrong_gold: tuple[str, ...] = ()  # values with which the dataset's answer is wrong
    tie: bool = False
    marks: Mapping[str, Text] = field(default_factory=dict)
    unit: Text = ""
    prefill: str = ""
    each: str = ""
    condition: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    gold: str = ""
    required: bool = True
    help: Text = ""

    def label(self, value: Any) -> Text:
        """What is written for a value."""
        return self.labels.get(value, str(value))


@dataclass(frozen=True, slots=True)
class Rubric:
    """What is shown of a record and asked about it."""

    title: Text
    show: tuple[Shown, ...]
    criteria: tuple[Criterion, ...]
    practice: tuple[Mapping[str, Any], ...] = ()  # {"item", "answer", "why"}

    def named(self, name: str) -> Criterion:
        """The criterion of that name; KeyError without it."""
        return {criterion.name: criterion for criterion in self.criteria}[name]

    @property
    def fields(self) -> dict[str, str]:
        """The fields that a record must have for it, and where they are named; gold is not among them."""
        used = {shown.field: f"show[{k}]" for k, shown in enumerate(self.show)}
        for k, criterion in enumerate(self.criteria):
            named = {"each": (criterion.each,), "prefill": (criterion.prefill,)}
            if criterion.kind in (BEST, ORDER):
                named[criterion.kind] = criterion.values
            places = {name: f"criteria[{k}].{key}" for key, names in named.items() for name in names if name}
            used = {**places, **used}
        return used

    @property
    def lists(self) -> dict[str, str]:
        """Those of the fields that must be lists, and where they are named."""
        found: dict[str, str] = {}
        for k, criterion in enumerate(self.criteria):
            if criterion.each:
                found.setdefault(criterion.each, f"criteria[{k}].each")
            if criterion.listed:
                found.setdefault(criterion.values[0], f"criteria[{k}].{criterion.kind}")
        return found


def parse(given: Any) -> Rubric:
    """The rubric in an object as from JSON. Raises InvalidRubric at the first thing that is wrong."""
    if not isinstance(given, Mapping):
        raise InvalidRubric("", _("A rubric is an object with “show” and “criteria”."))
    _known(given, ("title", "show", "criteria", "practice"), "")
    criteria = given.get("criteria")
    if not isinstance(criteria, list) or not criteria:
        raise InvalidRubric("criteria", _("Give a list of criteria."))
    if len(criteria) > MOST_CRITERIA:
        message = _("%(n)s criteria, at most %(most)s are possible.")
        raise InvalidRubric("criteria", message, n=len(criteria), most=MOST_CRITERIA)
    rubric = Rubric(
        _text(given.get("title", ""), "title"),
        tuple(_shown(given.get("show", []))),
        tuple(_criterion(each, f"criteria[{k}]") for k, each in enumerate(criteria)),
        tuple(_practice(given.get("practice", []))),
    )
    _check_together(rubric)
    return rubric


def _known(given: Mapping[str, Any], names: Sequence[str], place: str) -> None:
    if unknown := [name for name in given if name not in names]:
        message = _("There is no “%(name)s”; there are %(known)s.")
        raise InvalidRubric(place, message, name=unknown[0], known=", ".join(names))


def _text(given: Any, place: str) -> Text:
    """A text, or texts by language."""
    if isinstance(given, str):
        return given.strip()
    if isinstance(given, Mapping) and given and all(isinstance(each, str) for pair in given.items() for each in pair):
        return {language: text.strip() for language, text in given.items()}
    raise InvalidRubric(place, _("Give a text, or an object with a text by language."))


def _shown(given: Any) -> Iterator[Shown]:
    if not isinstance(given, list):
        raise InvalidRubric("show", _("Give a list of fields."))
    seen = set()
    for k, each in enumerate(given):
        place = f"show[{k}]"
        entry = {"field": each} if isinstance(each, str) else each
        if not isinstance(entry, Mapping):
            raise InvalidRubric(place, _("Give the name of a field, or an object with “field”."))
        _known(entry, ("field", "as", "title"), place)
        name, look = _field(entry.get("field"), place), entry.get("as", "")
        if look and look not in LOOKS:
            message = _("“%(given)s” is none of %(known)s.")
            raise InvalidRubric(f"{place}.as", message, given=look, known=", ".join(LOOKS))
        if name in seen:
            raise InvalidRubric(place, _("“%(name)s” stands twice."), name=name)
        seen.add(name)
        yield Shown(name, look, _text(entry.get("title", ""), f"{place}.title"))


def _field(given: Any, place: str, *, optional: bool = False) -> str:
    if not isinstance(given, str) or not (optional or given.strip()):
        raise InvalidRubric(place, _("Give the name of a field."))
    return given.strip()


def _criterion(given: Any, place: str) -> Criterion:
    if not isinstance(given, Mapping):
        raise InvalidRubric(place, _("Give an object with “name”, “ask” and what is answered."))
    _known(given, ("name", "ask", *KINDS, *ALLOWED), place)
    name, kinds = given.get("name"), [kind for kind in KINDS if kind in given]
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        message = _("A name has at most %(most)s small letters, digits and _, and begins with a letter.")
        raise InvalidRubric(f"{place}.name", message, most=LONGEST_NAME)
    if not given.get("ask"):
        raise InvalidRubric(f"{place}.ask", _("Say what is asked."))
    if len(kinds) != 1:
        raise InvalidRubric(place, _("Give exactly one of %(kinds)s."), kinds=", ".join(KINDS))
    kind = kinds[0]
    for key, fitting in ALLOWED.items():
        if key in given and kind not in fitting:
            message = _("“%(key)s” does not go with “%(kind)s”, only with %(kinds)s.")
            raise InvalidRubric(f"{place}.{key}", message, key=key, kind=kind, kinds=", ".join(fitting))
    values = _VALUES[kind](given[kind], f"{place}.{kind}")
    more: dict[str, Any] = {key: _boolean(given, key, place, default=False) for key in ("ordered", "tie")}
    more |= {key: _text(given.get(key, ""), f"{place}.{key}") for key in ("unit", "help")}
    more |= {key: _field(given.get(key, ""), f"{place}.{key}", optional=True) for key in ("prefill", "each", "gold")}
    return Criterion(
        name=name,
        ask=_text(given["ask"], f"{place}.ask"),
        kind=kind,
        values=values,
        listed=kind in (BEST, ORDER) and isinstance(given[kind], str),
        labels=_labels(given.get("labels", {}), kind, values, f"{place}.labels"),
        marks=_marks(given.get("of", []), f"{place}.of"),
        condition=_condition(given.get("if", {}), f"{place}.if"),
        required=_boolean(given, "required", place, default=kind not in (TEXT, MARK)),
        **more,
        **_right(given, values, place),
    )


def _boolean(given: Mapping[str, Any], key: str, place: str, *, default: bool) -> bool:
    if type(value := given.get(key, default)) is not bool:
        raise InvalidRubric(f"{place}.{key}", _("Give true or false."))
    return value


def _points(given: Any, place: str) -> tuple[int, ...]:
    if not isinstance(given, list) or [type(end) for end in given] != [int, int] or given[0] >= given[1]:
        raise InvalidRubric(place, _("Give the lowest and the highest point as whole numbers, such as [1, 5]."))
    if given[1] - given[0] >= MOST_OPTIONS or max(map(abs, given)) > MOST_NUMBER:
        raise InvalidRubric(place, _("A scale has at most %(most)s points; take “number” for more."), most=MOST_OPTIONS)
    return tuple(range(given[0], given[1] + 1))


def _options(given: Any, place: str) -> tuple[str, ...]:
    if isinstance(given, list) and any(isinstance(each, bool) for each in given):
        raise InvalidRubric(place, _("Write values such as “yes” and “no” in quotes."))
    if not isinstance(given, list) or not all(isinstance(each, str) and each.strip() for each in given):
        raise InvalidRubric(place, _("Give a list of texts to choose from."))
    return _several(tuple(each.strip() for each in given), place)


def _several(values: tuple[str, ...], place: str) -> tuple[str, ...]:
    """The values. Raises InvalidRubric for too few or too many, and for one that stands twice."""
    if not 2 <= len(values) <= MOST_OPTIONS:
        raise InvalidRubric(place, _("Give 2 to %(most)s, not %(n)s."), most=MOST_OPTIONS, n=len(values))
    if twice := [each for k, each in enumerate(values) if each in values[:k]]:
        raise InvalidRubric(place, _("“%(name)s” stands twice."), name=twice[0])
    return values


def _bounds(given: Any, place: str) -> tuple[float, float]:
    is_pair = isinstance(given, list) and len(given) == 2 and all(type(end) in (int, float) for end in given)
    if not is_pair or not -MOST_NUMBER <= given[0] < given[1] <= MOST_NUMBER:
        raise InvalidRubric(place, _("Give the lowest and the highest number, such as [0, 100]."))
    return given[0], given[1]


def _size(given: Any, place: str) -> tuple[str]:
    if given not in ("short", "long"):
        raise InvalidRubric(place, _("Give “short” or “long”."))
    return (given,)


def _candidates(given: Any, place: str) -> tuple[str, ...]:
    if isinstance(given, str):
        return (_field(given, place),)
    if not isinstance(given, list):
        raise InvalidRubric(place, _("Give a field that is a list, or a list of fields."))
    fields = _several(tuple(_field(each, f"{place}[{k}]") for k, each in enumerate(given)), place)
    if TIE in fields:
        raise InvalidRubric(place, _("A field to choose from cannot be called “%(name)s”."), name=TIE)
    return fields


_VALUES: Final = {
    SCALE: _points,
    CHOICE: _options,
    CHOICES: _options,
    NUMBER: _bounds,
    TEXT: _size,
    MARK: lambda given, place: (_field(given, place),),
    BEST: _candidates,
    ORDER: _candidates,
}


def _labels(given: Any, kind: str, values: tuple[Any, ...], place: str) -> dict[Any, Text]:
    """Labels by value: of a scale two for its ends or one for each point, of a choice by its values."""
    if kind == SCALE and isinstance(given, list):
        labelled = (values[0], values[-1]) if len(given) == 2 else values
        if len(given) != len(labelled):
            raise InvalidRubric(place, _("Give two labels, for the ends, or one for each of the %(n)s."), n=len(values))
        return {value: _text(each, place) for value, each in zip(labelled, given, strict=True)}
    if not isinstance(given, Mapping):
        raise InvalidRubric(place, _("Give an object from a value to its label."))
    found = {str(value): value for value in values}
    if unknown := [value for value in given if str(value) not in found]:
        raise InvalidRubric(place, _("“%(value)s” is none of its values."), value=unknown[0])
    return {found[str(value)]: _text(each, f"{place}.{value}") for value, each in given.items()}


def _right(given: Mapping[str, Any], values: tuple[Any, ...], place: str) -> dict[str, Any]:
    """`right` and `wrong_gold` of a choice."""
    right, wrong = given.get("right", []), given.get("wrong_gold", [])
    if not isinstance(right, list) or ("right" in given and not right) or any(one not in values for one in right):
        raise InvalidRubric(f"{place}.right", _("Give a list of values of this choice."))
    others = [] if given.get("each") or not right else [one for one in values if one not in right]
    if not isinstance(wrong, list) or any(one not in others for one in wrong):
        message = _("Give a list of values that are not “right”. It goes only with “right”, and not with “each”.")
        raise InvalidRubric(f"{place}.wrong_gold", message)
    return {"right": tuple(right), "wrong_gold": tuple(wrong)}


def _marks(given: Any, place: str) -> dict[str, Text]:
    if isinstance(given, Mapping):
        return {str(value): _text(each, f"{place}.{value}") for value, each in given.items()}
    return {value: value for value in _options(given, place)} if given else {}


def _condition(given: Any, place: str) -> dict[str, tuple[Any, ...]]:
    if not isinstance(given, Mapping):
        raise InvalidRubric(place, _("Give an object from a criterion's name to the values for which this is asked."))
    for name, values in given.items():
        if not isinstance(values, list) or not values:
            raise InvalidRubric(f"{place}.{name}", _("Give a list of values."))
    return {name: tuple(values) for name, values in given.items()}


def _practice(given: Any) -> Iterator[Mapping[str, Any]]:
    """Items with the right response to them, as objects; whether the responses fit is checked with the payloads."""
    if not isinstance(given, list):
        raise InvalidRubric("practice", _("Give a list of items to practise with."))
    for k, each in enumerate(given):
        if not isinstance(each, Mapping) or not all(isinstance(each.get(key), Mapping) for key in ("item", "answer")):
            raise InvalidRubric(f"practice[{k}]", _("Give an object with “item”, “answer” and “why”."))
        _known(each, ("item", "answer", "why"), f"practice[{k}]")
        yield each


def _check_together(rubric: Rubric) -> None:
    before: dict[str, Criterion] = {}
    shown = {each.field for each in rubric.show} | {criterion.each for criterion in rubric.criteria}
    formatted = {each.field for each in rubric.show if each.look in ("markdown", "html")}
    for k, criterion in enumerate(rubric.criteria):
        place = f"criteria[{k}]"
        if criterion.name in before:
            raise InvalidRubric(f"{place}.name", _("“%(name)s” stands twice."), name=criterion.name)
        _check_condition(criterion, before, f"{place}.if")
        if criterion.kind == MARK and criterion.values[0] not in shown:
            message = _("“%(field)s” is not shown, so nothing can be marked there. Add it to “show”.")
            raise InvalidRubric(f"{place}.mark", message, field=criterion.values[0])
        if criterion.kind == MARK and criterion.values[0] in formatted:
            message = _("“%(field)s” is shown formatted, so nothing can be marked there. Show it as “text”.")
            raise InvalidRubric(f"{place}.mark", message, field=criterion.values[0])
        before[criterion.name] = criterion
    _check_hidden(rubric)


def _check_condition(criterion: Criterion, before: Mapping[str, Criterion], place: str) -> None:
    for name, values in criterion.condition.items():
        other = before.get(name)
        if other is None:
            raise InvalidRubric(place, _("“%(name)s” is no criterion before this one."), name=name)
        if other.kind not in (SCALE, CHOICE, CHOICES):
            raise InvalidRubric(place, _("“%(name)s” has no values to choose from."), name=name)
        if other.each and other.each != criterion.each:
            message = _("“%(name)s” is asked of each of “%(each)s”, so this must be, too.")
            raise InvalidRubric(place, message, name=name, each=other.each)
        if unknown := [value for value in values if isinstance(value, bool) or value not in other.values]:
            message = _("“%(value)s” is no value of “%(name)s”; it has %(known)s.")
            known = ", ".join(map(str, other.values))
            raise InvalidRubric(f"{place}.{name}", message, value=unknown[0], name=name, known=known)


def _check_hidden(rubric: Rubric) -> None:
    """Gold and the names of candidates must not be shown."""
    gold = [criterion.gold for criterion in rubric.criteria if criterion.gold]
    ranked = [name for each in rubric.criteria if each.kind in (BEST, ORDER) for name in each.values]
    for name, place in rubric.fields.items():
        if any(_is_within(name, other) for other in gold):
            message = _("“%(field)s” is the gold of a criterion, so it cannot be shown.")
            raise InvalidRubric(place, message, field=name)
    for k, shown in enumerate(rubric.show):
        if any(_is_within(shown.field, other) for other in ranked):
            message = _("“%(field)s” is shown without its name where it is compared; take it out of “show”.")
            raise InvalidRubric(f"show[{k}]", message, field=shown.field)


def _is_within(name: str, other: str) -> bool:
    """Whether a field is the other one, maybe by its other name, or what the other's elements have."""
    name, other = (each.removeprefix(EXTRA) for each in (name, other))
    return {name, other} == {"answer", "answers"} or f"{name}.".startswith(f"{other}.")
