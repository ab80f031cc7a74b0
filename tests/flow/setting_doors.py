"""What every door has to know of settings: their words and limits, on pages, in the API and on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management import get_commands, load_command_class

from annotation.pure.setting_fields import Setting


def limits(one: Setting) -> tuple[Any, Any, Any]:
    return one.least, one.most, one.length


def check_form(fields: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Each setting has a field in its words, with its limits; `settings` are by the names of fields."""
    for name, one in settings.items():
        field = fields[name]
        assert (str(field.label), str(field.help_text)) == (one.label, one.help), name
        assert tuple(getattr(field, limit, None) for limit in ("min_value", "max_value", "max_length")) == limits(one)


def check_input(fields: Mapping[str, Any], settings: Iterable[Setting]) -> None:
    """Each setting has a field of a request in its words, with its limits."""
    for one in settings:
        assert fields[one.name].help_text.startswith(f"{one.label}. {one.help}".strip()), one.name
        if one.least is not None:
            assert (fields[one.name].min_value, fields[one.name].max_value) == (one.least, one.most), one.name
        assert getattr(fields[one.name], "max_length", None) in (one.length, None, 50), one.name


def check_options(command: str, settings: Iterable[Setting]) -> None:
    """Each setting has an option or an argument of the command, in its words."""
    parser = load_command_class(get_commands()[command], command).create_parser("manage.py", command)
    options = {name.removeprefix("--no-").removeprefix("--"): action for action in parser._actions
               for name in action.option_strings or [action.dest]}  # fmt: skip
    for one in settings:
        option = (one.option or one.name).replace("_", "-")
        assert option in options, one.name
        if options[option].dest == one.name and one.help:
            assert one.label in options[option].help.replace("%%", "%"), one.name
