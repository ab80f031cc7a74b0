"""Derive a dataset from another one."""

import argparse
from collections.abc import Iterator
from dataclasses import fields
from textwrap import fill
from typing import Any

from django.core.management.base import DjangoHelpFormatter
from django.utils.translation import gettext as _

from annotation.derivations import DERIVATIONS
from annotation.flow.data.derivation import derive_dataset
from annotation.management.json_command import JSONCommand, dataset_named, pair, project_of, slug


class HelpFormatter(DjangoHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Keep the line breaks of the list of options below the help."""


class Help(argparse.Action):
    """`--help`, which after `--how X` also lists the options of X."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if how := getattr(namespace, "how", None):
            parser.epilog = "\n".join(options_of(how))
        parser.print_help()
        parser.exit()


def options_of(how: str) -> Iterator[str]:
    """A derivation and its options with their defaults, as text."""
    way = DERIVATIONS[how]
    yield fill(f"{how}: {_(way.does)}", 100)
    every = fields(way.Options)
    yield f"\noptions of {how}, each as --option NAME=VALUE:" if every else f"\n{how} has no options."
    for each in every:
        about = each.metadata
        default = "empty" if each.default == "" else str(each.default).lower()
        default += ", which is empty" if "empty" in about and default != "empty" else ""
        more = _(about["help"]) % about.get("values", {}) if about["help"] else ""
        label = _(about["label"]).rstrip(".:") + "."
        yield f"  {each.name} (default: {default})"
        if choices := about.get("choices"):
            more += " " + "; ".join(f"{value}: {_(text)}" for value, text in choices.items()) + "."
        yield fill(" ".join(f"{label} {more}".split()), 100, initial_indent=" " * 6, subsequent_indent=" " * 6)


class Command(JSONCommand):
    help = "Derive a dataset from another one; prints how many items were kept and dropped, and why."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(prog_name, subcommand, add_help=False, formatter_class=HelpFormatter, **kwargs)

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("-h", "--help", action=Help, nargs=0, help="show this help; after --how X also the options of X")
        add("source", type=slug)
        add("--how", required=True, choices=sorted(DERIVATIONS))
        add("--name", required=True, type=slug)
        add("--seed", type=int, default=0)
        add("--option", action="append", type=pair, default=[], metavar="K=V", help="an option of the derivation")

    def act(self, **options: Any) -> dict[str, Any]:
        source = dataset_named(project_of(options), options["source"])
        terms = {name: options[name] for name in ("how", "name", "seed")} | {"options": dict(options["option"])}
        return derive_dataset(source, progress=self.progress_printer("Derived"), **terms)
