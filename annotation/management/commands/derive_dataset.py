"""Derive a dataset from another one."""

from typing import Any

from django.utils.translation import gettext as _

from annotation.derivations import DERIVATIONS
from annotation.flow.data.derivation import derive_dataset
from annotation.management.json_command import dataset_named, pair, project_of, slug
from annotation.management.setting_options import OptionsCommand


class Command(OptionsCommand):
    help = "Derive a dataset from another one; prints how many items were kept and dropped, and why."

    kind = "how"

    def options_of(self, kind: str) -> tuple[str, type]:
        return _(DERIVATIONS[kind].does), DERIVATIONS[kind].Options

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("source", type=slug)
        add("--how", required=True, choices=sorted(DERIVATIONS))
        add("--name", required=True, type=slug)
        add("--seed", type=int, default=0)
        add("--option", action="append", type=pair, default=[], metavar="K=V", help="an option of the derivation")

    def act(self, **options: Any) -> dict[str, Any]:
        source = dataset_named(project_of(options), options["source"])
        terms = {name: options[name] for name in ("how", "name", "seed")} | {"options": dict(options["option"])}
        return derive_dataset(source, progress=self.progress_printer("Derived"), **terms)
