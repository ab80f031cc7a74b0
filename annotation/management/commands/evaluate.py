"""Score predictions with the official definitions."""

from pathlib import Path
from typing import Any

from annotation.flow.refusal import Refused
from annotation.management.door import Door, existing
from annotation.scorers import EVALUATORS, OPTIONS, BadRecords, evaluate


class Command(Door):
    help = "Score a prediction file against gold with the official definitions, keys and rounding."

    def add(self, parser: Any) -> None:
        parser.add_argument("--format", required=True, choices=sorted(EVALUATORS))
        parser.add_argument("--gold", required=True, type=existing)
        parser.add_argument("--predictions", required=True, type=existing)
        parser.add_argument(
            "--aliases", type=existing, help="2wikimultihopqa: the other names of answers (id_aliases.json)"
        )
        parser.add_argument(
            "--missing", choices=["empty"], help='SQuAD 2.0: count missing predictions as "", no answer'
        )
        originals = "the probes of DiRe and NMF: the untouched questions"
        parser.add_argument("--original-gold", type=existing, help=f"{originals}, as they were")
        parser.add_argument("--original-predictions", type=existing, help=f"{originals}, what the model says there")

    def act(self, **options: Any) -> dict[str, Any]:
        gold, predictions = Path(options["gold"]), Path(options["predictions"])
        told = {name: options[name] for name in OPTIONS if options[name]}
        try:
            return evaluate(options["format"], gold, predictions, **told)
        except BadRecords as bad:
            raise Refused(str(bad)) from None
        except ValueError as unfit:
            raise Refused(str(unfit)) from None

    def lines(self, result: dict[str, Any]) -> list[str]:
        """A figure a line, nested ones under their block's name."""
        return [line for key, value in result.items() for line in _lines(key, value)]


def _lines(name: str, value: Any) -> list[str]:
    if not isinstance(value, dict):
        return [f"{name}: {value}"]
    return [line for key, part in value.items() for line in _lines(f"{name}.{key}", part)]
