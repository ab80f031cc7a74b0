"""Settings as data: dataclass fields that say their words, limits and life, from which every door is made.

Options of tasks and derivations are such fields too: any metadata may be left out.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_type_hints

from annotation.pure.text import structured
from annotation.pure.text.translation_marks import gettext_noop as _

DRAFT: Final = "draft"  # a setting is fixed at the launch
ALWAYS: Final = "always"  # it may change at any time, from the next assignment on
KEPT: Final = object()  # a dry run has the value of its batch

# Django's own texts, which its form fields say too, so that all doors say the same.
REQUIRED = "This field is required."
TOO_SMALL = "Ensure this value is greater than or equal to %(limit_value)s."
TOO_LARGE = "Ensure this value is less than or equal to %(limit_value)s."
TOO_LONG = (
    "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
    "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
)
UNFIT = {int: "Enter a whole number.", float: "Enter a number.", bool: _("Give true or false."), str: _("Give a text.")}
NO_CHOICE = _("“%(value)s” is not available. Choose one of: %(choices)s.")
NO_SETTING = _("There is no such option. There are: %(names)s.")


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with a value: a gettext id with its values, or two by the number `limit_value`.

    `place`: where in a value that is an object, such as `criteria[2].choice`.
    """

    message: str | tuple[str, str]
    values: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""


class InvalidValues(ValueError):
    """Values that settings cannot have: `problems` by name, "" for those of several settings together."""

    def __init__(self, problems: Mapping[str, Sequence[Flaw]]) -> None:
        self.problems = problems
        super().__init__(str(problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is known of a setting. Texts are gettext ids.

    `optional`: None is a value; `required`: it cannot be empty. `least` and `most` bound a number, `length` a text, or
    an object as JSON text; `check` yields what is wrong with either. `multiline`: its white space is kept. `empty`:
    what a page says where there is no value. `choices`: value -> label; `installed`: they are kinds, which the API's
    schema does not list. `group`: the part of a form; `first`: it stands on the first layer, not behind "More
    settings". `registered`: it bears on results, so a preregistration states
    it. `dry_run`: its value in a dry run. `option`: its name on the command line, if that is another. `column`: the
    lookup of a list that it narrows (flow/lists).

    An object whose `kind` is `rubric` can be built from rows (forms/rubric_builder). Of a derivation's text, it may be
    `dataset` (a name), `datasets` (names, commas between), `upload` (the path of a file) or `mix` (shares of the
    `shapes`). `blank` is the value of an empty control, `values` are places of the
    help, and an option that `singles` have is for single-hop questions only.
    """

    name: str
    type: type
    default: Any
    optional: bool
    required: bool = False
    label: str = ""
    help: str = ""
    least: Any = None
    most: Any = None
    length: int | None = None
    check: Callable[[Any], Iterator[Flaw]] | None = None
    multiline: bool = False
    empty: str = ""
    choices: Mapping[Any, Any] | None = None
    installed: bool = False
    group: str = ""
    first: bool = False
    changes: str = DRAFT
    registered: bool = False
    dry_run: Any = KEPT
    option: str = ""
    kind: str = ""
    shapes: tuple[str, ...] = ()
    blank: Any = None
    values: Mapping[str, Any] | None = None
    singles: bool = False
    column: str = ""


def setting(default: Any, **about: Any) -> Any:
    """A field of a dataclass of settings; `about` are attributes of `Setting`, the label by default its name."""
    return field(default=default, metadata=about)


def settings_of(kind: type) -> Mapping[str, Setting]:
    """The settings of a dataclass by name, in order."""
    return _settings_of(kind)


@cache
def _settings_of(kind: type) -> Mapping[str, Setting]:
    hints = get_type_hints(kind)
    known = {each.name for each in fields(Setting)}
    found = {}
    for each in fields(kind):
        hint = hints[each.name]
        types = [one for one in (get_args(hint) if isinstance(hint, UnionType) else (hint,)) if one is not NoneType]
        found[each.name] = Setting(
            name=each.name,
            type=types[0] if isinstance(types[0], type) else object,  # such as a sequence of rows
            default=None if each.default is MISSING else each.default,
            optional=NoneType in get_args(hint),
            **{"label": each.name.replace("_", " ").capitalize()}
            | {name: value for name, value in each.metadata.items() if name in known},
        )
    return found


def read(kind: type, given: Mapping[str, Any]) -> Any:
    """A dataclass of settings with the given values; objects may be JSON or YAML as text. Raises InvalidValues.

    What several settings must not be together is for `__post_init__` of the dataclass, which raises ValueError.
    """
    known = settings_of(kind)
    values = {name: one.default for name, one in known.items() if one.required} | dict(given)
    values |= {name: _loaded(values[name]) for name, one in known.items() if one.type is object and name in values}
    found = {name: list(_flaws(known.get(name), value, known)) for name, value in values.items()}
    if problems := {name: flaws for name, flaws in found.items() if flaws}:
        raise InvalidValues(problems)
    try:
        return kind(**values)
    except InvalidValues:
        raise
    except ValueError as conflict:
        raise InvalidValues({"": [Flaw(str(conflict).replace("%", "%%"))]}) from None


def digests(kind: type, values: Mapping[str, Any]) -> dict[str, str]:
    """{`NAME_sha256`: its SHA-256} of the values that are objects."""
    objects = (name for name, one in settings_of(kind).items() if one.type is object and values.get(name))
    return {f"{name}_sha256": structured.digest(values[name]) for name in objects}


def _loaded(value: Any) -> Any:
    """An object that is given as text; other values as they are."""
    try:
        return structured.read(value) if isinstance(value, str) and value else value
    except structured.NotStructured as wrong:
        return wrong


def _flaws(one: Setting | None, value: Any, known: Mapping[str, Setting]) -> Iterator[Flaw]:
    if one is None:
        yield Flaw(NO_SETTING, {"names": ", ".join(known) or "–"})
    elif one.required and value in (None, ""):
        yield Flaw(REQUIRED)
    elif value is None and one.optional:
        return
    elif one.type is object:
        yield from _object_flaws(one, value)
    elif type(value) is not one.type and not (one.type is float and type(value) is int):
        yield Flaw(UNFIT[one.type])
    elif one.choices is not None:
        if value not in one.choices:
            yield Flaw(NO_CHOICE, {"value": value, "choices": ", ".join(map(str, one.choices))})
    elif one.type is str:
        yield from _text_flaws(one, value, value)
    elif isinstance(value, float) and not isfinite(value):
        yield Flaw(UNFIT[one.type])
    elif one.least is not None and value < one.least and value != one.blank:
        yield Flaw(TOO_SMALL, {"limit_value": one.least})
    elif one.most is not None and value > one.most:
        yield Flaw(TOO_LARGE, {"limit_value": one.most})


def _object_flaws(one: Setting, value: Any) -> Iterator[Flaw]:
    if isinstance(value, structured.NotStructured):
        yield Flaw(value.message, value.values)
        return
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False).encode().decode()
    except ValueError:  # NaN, or half a character
        text = ""
    if not text:
        yield Flaw(structured.NO_OBJECT)
    else:
        yield from _text_flaws(one, value, text)


def _text_flaws(one: Setting, value: Any, text: Any) -> Iterator[Flaw]:
    """What is wrong with a text, or an object as JSON text."""
    if one.length is not None and len(text) > one.length:
        yield Flaw(TOO_LONG, {"limit_value": one.length, "show_value": len(text)})
    if one.check:
        yield from one.check(value)
