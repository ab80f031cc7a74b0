"""Official evaluations by the names that `evaluate --format` takes: each module here with a SCORER, or a tuple."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation.pure.discovery import offered
from annotation.scorers.base import Evaluator, Prediction, Reader

_ALL: dict[str, Evaluator] = {each.name: each for each in offered(__name__, "SCORER")}

EVALUATORS: tuple[str, ...] = tuple(_ALL)
READERS: dict[str, Reader] = {name: each for name, each in _ALL.items() if isinstance(each, Reader)}
# Optional keyword arguments of some scorers' `evaluate`, with the names of these formats.
OPTIONS: dict[str, tuple[str, ...]] = {
    option: tuple(name for name, each in _ALL.items() if option in each.options)
    for option in sorted({option for each in _ALL.values() for option in each.options})
}
_MEANING_NOTHING = {
    "aliases": "does not read aliases",
    "decimals": "is rounded as its official script does",
    "missing": "counts missing predictions as 0 already",
    "original_gold": "is not conditioned on original questions",
    "original_predictions": "is not conditioned on original predictions",
}


def evaluate(format_name: str, gold: Path, predictions: Path, **options: Any) -> dict[str, Any]:
    """The official figures of a prediction file: official keys, order and rounding.

    OPTIONS lists the `options`. Raises BadGold or BadPredictions (both BadRecords), and ValueError for an unknown
    format or an option that does not apply to it.
    """
    scorer = _named(_ALL, format_name)
    options = {name: value for name, value in options.items() if value not in (None, "")}
    if options.get("original_gold") and not options.get("original_predictions"):
        raise ValueError("the original gold goes with the original predictions")
    for name in options:
        if format_name not in OPTIONS[name]:
            what = _MEANING_NOTHING.get(name, f"has no option {name}")
            raise ValueError(f"{format_name} {what}; only {' and '.join(OPTIONS[name])} can use it")
    return dict(scorer.evaluate(gold, predictions, **options))


def read_predictions(format_name: str, path: Path) -> Iterator[Prediction]:
    """The predictions of an official file, one for each item and occurrence. Raises like `evaluate`."""
    reader: Reader = _named(READERS, format_name)
    return reader.read_predictions(Path(path))


def _named(known: Mapping[str, Any], name: str) -> Any:
    if name not in known:
        raise ValueError(f"no official predictions of format {name!r}; known: {', '.join(known)}")
    return known[name]
