"""Official evaluations by the names that `evaluate --format` takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation.scorers.base import (
    BadGold,
    BadPredictions,
    BadRecords,
    Evaluator,
    Figures,
    Prediction,
)
from annotation.scorers.dire import KINDS, DiRe
from annotation.scorers.hotpotqa import HotpotQA
from annotation.scorers.musique import MuSiQue
from annotation.scorers.squad import Squad
from annotation.scorers.subqa import SubQA
from annotation.scorers.twowiki import TwoWiki

__all__ = [
    "EVALUATORS",
    "OPTIONS",
    "READERS",
    "BadGold",
    "BadPredictions",
    "BadRecords",
    "Evaluator",
    "Figures",
    "Prediction",
    "evaluate",
    "read_predictions",
]

_PLAIN: dict[str, Evaluator] = {kind.name: kind for kind in (HotpotQA(), MuSiQue(), Squad(), TwoWiki())}
_GROUPED: dict[str, DiRe] = {kind.name: DiRe(kind) for kind in KINDS}
_SUBQA = SubQA()
_ALL: dict[str, Any] = {**_PLAIN, **_GROUPED, _SUBQA.name: _SUBQA}

EVALUATORS: tuple[str, ...] = tuple(_ALL)
READERS: dict[str, Evaluator] = _PLAIN

# What some can be told besides the two files, as keyword arguments of their `evaluate`.
OPTIONS: dict[str, tuple[str, ...]] = {
    "aliases": (TwoWiki.name,),
    "decimals": (*_GROUPED, _SUBQA.name),
    "missing": (Squad.name,),
    "original_gold": tuple(name for name, each in _GROUPED.items() if each.kind.conditional),
    "original_predictions": tuple(name for name, each in _GROUPED.items() if each.kind.conditional),
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

    `options` are those of OPTIONS. Raises BadGold or BadPredictions (both BadRecords), and ValueError for an unknown
    format or an option that means nothing there.
    """
    scorer = _named(_ALL, format_name)
    options = {name: value for name, value in options.items() if value not in (None, "")}
    if options.get("original_gold") and not options.get("original_predictions"):
        raise ValueError("the original gold goes with the original predictions")
    for name in options:
        if format_name not in OPTIONS[name]:
            what = _MEANING_NOTHING[name]
            raise ValueError(f"{format_name} {what}; only {' and '.join(OPTIONS[name])} can use it")
    return dict(
        scorer.evaluate(
            gold, predictions, **{name: value for name, value in options.items() if value not in (None, "")}
        )
    )


def read_predictions(format_name: str, path: Path) -> Iterator[Prediction]:
    """The predictions of an official file, one for each item and occurrence. Raises like `evaluate`."""
    reader: Evaluator = _named(READERS, format_name)
    return reader.read_predictions(Path(path))


def _named(known: Mapping[str, Any], name: str) -> Any:
    if name not in known:
        raise ValueError(f"no official predictions of format {name!r}; known: {', '.join(known)}")
    return known[name]
