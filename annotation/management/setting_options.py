"""Command line options made of settings, with their words and limits."""

import argparse
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Any

from django.core.management.base import DjangoHelpFormatter
from django.utils.translation import gettext as _

from annotation.flow.setting_values import help_text, read_values
from annotation.management.json_command import JSONCommand, content, words
from annotation.pure.setting_fields import Setting, settings_of


def add_options(parser: Any, settings: Iterable[Setting], **defaults: str) -> None:
    """An option for each setting; one that is not given is None, so that the setting keeps its default.

    `defaults`: what the help says of a default that is no single value, by name.
    """
    for one in settings:
        name = (one.option or one.name).replace("_", "-")
        given: dict[str, Any] = {"dest": one.name, "default": None, "help": help_of(one, defaults.get(one.name, ""))}
        if one.type is bool:
            flag, action = (f"--no-{name}", "store_false") if one.default else (f"--{name}", "store_true")
            parser.add_argument(flag, action=action, **given)
        elif one.choices is not None:
            parser.add_argument(f"--{name}", choices=list(one.choices), **given)
        else:
            holds = "FILE" if one.multiline else one.name.rpartition("_")[2].upper()
            parser.add_argument(f"--{name}", type=parser_of(one), metavar=holds, **given)


def given_settings(options: Mapping[str, Any], settings: Iterable[Setting]) -> dict[str, Any]:
    """The settings that the command line gives, by name."""
    return {one.name: options[one.name] for one in settings if options[one.name] is not None}


def option_values(given: Iterable[tuple[str, Any]], kind: type) -> dict[str, Any]:
    """The options of a task by name; an object may be JSON or YAML, or `@FILE` with either."""
    objects = {name for name, one in settings_of(kind).items() if one.type is object}
    return {name: _content(value) if name in objects else value for name, value in given}


def _content(value: Any) -> Any:
    is_file = isinstance(value, str) and value.startswith("@")
    return Path(value[1:]).read_text(encoding="utf-8-sig", errors="surrogateescape") if is_file else value


def help_of(one: Setting, default: str = "") -> str:
    """What the help says of a setting: its words, with its default or what stands for it."""
    if not default and type(one.default) in (int, str):
        default = str(one.default)
    text = f"{one.label}. {one.help}{f' (default: {default})' if default else ''}".replace("%", "%%").strip()
    return f"Turn off: {text}" if one.type is bool and one.default else text


def parser_of(one: Setting) -> Callable[[str], Any]:
    """The parser of an argument that holds the setting."""
    if one.type is str:
        return content if one.multiline else words(one.length)

    def read(text: str) -> Any:
        values, problems = read_values([replace(one, required=True)], {one.name: text.removeprefix("$")})
        if problems:
            raise argparse.ArgumentTypeError(f"{text[:40]!r}: {' '.join(problems[one.name])}")
        return values[one.name]

    return read


class HelpFormatter(DjangoHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Keep the line breaks of the list of options below the help."""


class Help(argparse.Action):
    """`--help`, which after `--how X` or `--task X` also lists the options of X."""

    def __init__(self, *, command: "OptionsCommand", **about: Any) -> None:
        super().__init__(**about)
        self.command = command

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if chosen := getattr(namespace, self.command.kind, None):
            parser.epilog = "\n".join(explained(chosen, *self.command.options_of(chosen)))
        parser.print_help()
        parser.exit()


class OptionsCommand(JSONCommand):
    """A command with `--option k=v` of a task or derivation, which its help explains."""

    kind: str  # the command's own option that names it

    @abstractmethod
    def options_of(self, kind: str) -> tuple[str, type]:
        """What it does in a sentence, and its options."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(prog_name, subcommand, add_help=False, formatter_class=HelpFormatter, **kwargs)

    def add_arguments(self, parser: Any) -> None:
        about = f"show this help; after --{self.kind} X also the options of X"
        parser.add_argument("-h", "--help", action=partial(Help, command=self), nargs=0, help=about)
        super().add_arguments(parser)


def explained(name: str, does: str, kind: type) -> Iterator[str]:
    """A task or derivation and its options with their defaults and limits, as text."""
    yield fill(f"{name}: {does}", 100)
    every = settings_of(kind).values()
    yield f"\noptions of {name}, each as --option NAME=VALUE:" if every else f"\n{name} has no options."
    for one in every:
        default = "empty" if one.default in ("", None) else str(one.default).lower()
        default += ", which is empty" if one.blank is not None and default != "empty" else ""
        label, more = _(one.label).rstrip(".:") + ".", f"{help_text(one)} {_limits(one)}"
        yield f"  {one.name} (default: {default})"
        if one.choices:
            more += " " + "; ".join(f"{value}: {_(text)}" for value, text in one.choices.items()) + "."
        yield fill(" ".join(f"{label} {more}".split()), 100, initial_indent=" " * 6, subsequent_indent=" " * 6)


def _limits(one: Setting) -> str:
    if one.least is None:
        return ""
    return f"{one.least:,} or more." if one.most is None else f"{one.least:,} to {one.most:,}."
