"""Score predictions as the official evaluation scripts do."""

from pathlib import Path
from typing import Any

from annotation.flow.errors import Refused
from annotation.management.json_command import JSONCommand, existing, integer_between
from annotation.pure.reports import tables
from annotation.pure.reports.paper_tables import FORMS, dire_tables, subqa_tables, written
from annotation.scorers import EVALUATORS, OPTIONS, evaluate
from annotation.scorers.base import BadRecords

ORIGINALS = ("original_gold", "original_predictions")
Named = tuple[str, Path]


def named(text: str) -> Named:
    """Parse an argument FILE or NAME=FILE."""
    name, equals, path = text.partition("=")
    return (name, existing(path)) if equals and not Path(text).exists() else ("", existing(text))


class Command(JSONCommand):
    help = "Score predictions against gold as the official evaluation does, with its keys and rounding."

    def add(self, parser: Any) -> None:
        parser.add_argument("--format", required=True, choices=sorted(EVALUATORS))
        parser.add_argument(
            "--gold", required=True, action="append", type=named, metavar="[NAME=]FILE",
            help="DiRe and NMF: repeat it for several datasets, with predictions for each in the same order",
        )  # fmt: skip
        parser.add_argument(
            "--predictions", required=True, action="append", type=named, metavar="[NAME=]FILE",
            help="SubQA, DiRe and NMF: repeat it for several models",
        )  # fmt: skip
        parser.add_argument("--table", choices=FORMS, help="SubQA, DiRe and NMF: print tables in the papers' layout")
        parser.add_argument(
            "--decimals",
            type=integer_between(0, 6),
            metavar="N",
            help="SubQA, DiRe and NMF: round to N places (default: as in the papers)",
        )
        parser.add_argument("--aliases", type=existing, help="2wikimultihopqa: aliases of answers (id_aliases.json)")
        parser.add_argument(
            "--missing", choices=["empty"], help='SQuAD 2.0: count missing predictions as "" (no answer)'
        )
        originals = "the probes of DiRe and NMF: the untouched questions"
        parser.add_argument("--original-gold", type=existing, help=f"{originals}, as they were")
        parser.add_argument("--original-predictions", type=existing, help=f"{originals}, what the model says there")

    def act(self, **options: Any) -> dict[str, Any]:
        settings = {name: options[name] for name in OPTIONS if options[name] is not None}
        golds, predictions = options["gold"], options["predictions"]
        self._form = options["table"]
        try:
            if len(golds) == len(predictions) == 1 and not self._form and not predictions[0][0]:
                return evaluate(options["format"], golds[0][1], predictions[0][1], **settings)
            return _side_by_side(options["format"], golds, predictions, settings)
        except (BadRecords, ValueError) as invalid:
            raise Refused(str(invalid)) from None

    def lines(self, result: dict[str, Any]) -> list[str]:
        """One line per figure, nested ones below their block's name; tables for several models."""
        if "tables" not in result:
            return [line for key, value in result.items() for line in _lines(key, value)]
        if not self._form:
            return [line for table in result["tables"] for line in tables.lines(table)]
        before = {"latex": "% ", "markdown": "", "csv": ""}[self._form]
        parts = [f"{before}{table['title']}\n{written(table, self._form)}" for table in result["tables"]]
        return ["\n\n".join(parts)]


def _side_by_side(
    format: str, golds: list[Named], predictions_by_model: list[Named], settings: dict[str, Any]
) -> dict[str, Any]:
    """Figures by dataset and model, and their tables. Raises ValueError if they cannot be compared."""
    if format not in OPTIONS["decimals"]:
        raise ValueError(f"several models and tables are for subqa and the kinds of DiRe and NMF, not for {format}")
    if any(settings.get(name) for name in ORIGINALS):
        raise ValueError("original predictions go with one file of predictions; run evaluate for each model")
    if len(golds) > 1 and (len(golds) != len(predictions_by_model) or format == "subqa"):
        one_each = ", or one for each --predictions in the same order" if format != "subqa" else ""
        counts = f"{len(golds)} files of gold for {len(predictions_by_model)} of predictions"
        raise ValueError(f"{counts}; give one --gold{one_each}")
    figures: dict[str, dict[str, Any]] = {}
    is_score = "probe" in format and len(predictions_by_model) == len(golds)
    gold_of_each = golds * (len(predictions_by_model) // len(golds))
    for (dataset, gold), (model, predictions) in zip(gold_of_each, predictions_by_model, strict=True):
        models = figures.setdefault(dataset or gold.stem, {})
        name = model or ("DiRe Score" if is_score else predictions.stem)
        if name in models:
            raise ValueError(f"two files of predictions are called {name}; tell them apart with NAME=FILE")
        models[name] = evaluate(format, gold, predictions, **settings)
    decimals = settings.get("decimals")
    if format == "subqa":
        [models] = figures.values()
        return {"datasets": figures, "tables": subqa_tables(models, decimals)}
    return {"datasets": figures, "tables": dire_tables(figures, decimals)}


def _lines(name: str, value: Any) -> list[str]:
    if not isinstance(value, dict):
        return [f"{name}: {value}"]
    return [line for key, part in value.items() for line in _lines(f"{name}.{key}", part)]
