"""Score predictions with the official definitions."""

from pathlib import Path
from typing import Any

from annotation.flow.refusal import Refused
from annotation.management.door import Door, existing
from annotation.scorers import EVALUATORS, BadRecords, evaluate


class Command(Door):
    help = "Score a prediction file against gold with the official definitions, keys and rounding."

    def add(self, parser: Any) -> None:
        parser.add_argument("--format", required=True, choices=sorted(EVALUATORS))
        parser.add_argument("--gold", required=True, type=existing)
        parser.add_argument("--predictions", required=True, type=existing)

    def act(self, **options: Any) -> dict[str, Any]:
        gold, predictions = Path(options["gold"]), Path(options["predictions"])
        try:
            return dict(evaluate(options["format"], gold, predictions))
        except BadRecords as bad:
            raise Refused(str(bad)) from None
