"""Settings as data: dataclass fields that say their words, limits and life, from which every door is made.

Options of tasks and derivations are such fields too: any metadata may be left out.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_type_hints

DRAFT: Final = "draft"  # a setting is fixed at the launch
ALWAYS: Final = "always"  # it may change at any time, from the next assignment on
KEPT: Final = object()  # a dry run has the value of its batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is known of a setting. Texts are gettext ids.

    `optional`: None is a value; `required`: it cannot be empty. `least` and `most` bound a number, `length` a text;
    `multiline`: its white space is kept. `empty`: what a page says where there is no value. `choices`: value -> label.
    `group`: the part of a form. `registered`: it bears on results, so a preregistration states it. `dry_run`: its value
    in a dry run. `option`: its name on the command line, if that is another.
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
    multiline: bool = False
    empty: str = ""
    choices: Mapping[Any, Any] | None = None
    group: str = ""
    changes: str = DRAFT
    registered: bool = False
    dry_run: Any = KEPT
    option: str = ""


def setting(default: Any, *, label: str, help: str = "", **about: Any) -> Any:
    """A field of a dataclass of settings; `about` are further attributes of `Setting`."""
    return field(default=default, metadata={"label": label, "help": help, **about})


@cache
def settings_of(kind: type) -> Mapping[str, Setting]:
    """The settings of a dataclass by name, in order."""
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
            **{name: value for name, value in each.metadata.items() if name in known},
        )
    return found
