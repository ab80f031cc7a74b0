"""Command line options made of settings, with their words and limits."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from annotation.management.json_command import dollars, integer_between, number_between, words
from annotation.pure.setting_fields import Setting, settings_of


def add_options(parser: Any, settings: Iterable[Setting], **defaults: str) -> None:
    """An option for each setting; one that is not given is None, so that the setting keeps its default.

    `defaults`: what the help says of a default that is no single value, by name.
    """
    for one in settings:
        name = (one.option or one.name).replace("_", "-")
        given: dict[str, Any] = {"dest": one.name, "default": None, "help": help_of(one, defaults.get(one.name, ""))}
        if one.type is bool:
            parser.add_argument(f"--no-{name}" if one.default else f"--{name}", action=_action(one), **given)
        elif one.choices is not None:
            parser.add_argument(f"--{name}", choices=list(one.choices), **given)
        else:
            parser.add_argument(f"--{name}", type=_reader(one), metavar=one.name.rpartition("_")[2].upper(), **given)


def given_settings(options: Mapping[str, Any], settings: Iterable[Setting]) -> dict[str, Any]:
    """The settings that the command line gives, by name."""
    return {one.name: options[one.name] for one in settings if options[one.name] is not None}


def option_values(given: Iterable[tuple[str, Any]], kind: type) -> dict[str, Any]:
    """The options of a task by name; an object may be JSON, or `@FILE` with JSON."""
    objects = {name for name, one in settings_of(kind).items() if one.type is object}
    return {name: _content(value) if name in objects else value for name, value in given}


def _content(value: Any) -> Any:
    is_file = isinstance(value, str) and value.startswith("@")
    return Path(value[1:]).read_text(encoding="utf-8-sig", errors="surrogateescape") if is_file else value


def _action(one: Setting) -> str:
    return "store_false" if one.default else "store_true"


def help_of(one: Setting, default: str = "") -> str:
    """What the help says of a setting: its words, with its default or what stands for it."""
    if not default and type(one.default) in (int, str):
        default = str(one.default)
    text = f"{one.label}. {one.help}{f' (default: {default})' if default else ''}".replace("%", "%%").strip()
    return f"Turn off: {text}" if one.type is bool and one.default else text


def _reader(one: Setting) -> Callable[[str], Any]:
    if one.type is int:
        return integer_between(one.least, one.most)
    if one.type is Decimal:
        return dollars
    return words(one.length) if one.type is str else number_between(one.least, one.most)
