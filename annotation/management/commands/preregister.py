"""Preregister a batch before the first response, or show what is registered and what differs from it."""

from typing import Any

from annotation.flow.errors import Refused
from annotation.flow.reports import preregistration
from annotation.management.json_command import JSONCommand, batch_named, existing, project_of, slug
from annotation.pure.reports.preregistration import TEXTS


class Command(JSONCommand):
    help = "Preregister a batch: hypotheses, design, exclusions, analysis and its settings, with a hash and the time."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        for name in TEXTS:
            parser.add_argument(f"--{name}", type=existing, metavar="FILE", help=f"text file with the {name}")

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        files = {name: options[name] for name in TEXTS if options[name]}
        if files:
            try:
                texts = {name: file.read_text("utf-8") for name, file in files.items()}
            except UnicodeDecodeError:
                raise Refused("The texts are files in UTF-8.") from None
            return preregistration.as_json(preregistration.register(batch, texts))
        made = preregistration.registered(batch)
        if made is None:
            raise Refused("Nothing is registered for this batch. Give --hypotheses FILE and --analysis FILE.")
        return preregistration.as_json(made)

    def lines(self, result: dict[str, Any]) -> list[str]:
        found = [f"registered_at: {result['registered_at']}", f"sha256: {result['sha256']}"]
        rows = [f"{row['setting']}: {row['registered']} -> {row['now']}" for row in result["differences"]]
        return [*found, *(rows or ["No setting differs from it."])]
