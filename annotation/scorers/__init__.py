"""Official evaluations by the names that `evaluate --format` takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation.scorers.base import (
    BadGold,
    BadPredictions,
    BadRecords,
    Evaluator,
    Figures,
    Prediction,
)
from annotation.scorers.hotpotqa import HotpotQA
from annotation.scorers.musique import MuSiQue
from annotation.scorers.squad import Squad

__all__ = [
    "EVALUATORS",
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

EVALUATORS: dict[str, Evaluator] = {kind.name: kind for kind in (HotpotQA(), MuSiQue(), Squad())}

# 2WikiMultihopQA's predictions are HotpotQA's with evidence besides, which has no place here.
READERS: dict[str, Evaluator] = {**EVALUATORS, "2wikimultihopqa": EVALUATORS["hotpotqa"]}


def evaluate(format_name: str, gold: Path, predictions: Path) -> Figures:
    """The official figures of a prediction file: official keys, order and rounding.

    Raises BadGold or BadPredictions (both BadRecords), and ValueError for an unknown format.
    """
    return _named(EVALUATORS, format_name).evaluate(Path(gold), Path(predictions))


def read_predictions(format_name: str, path: Path) -> Iterator[Prediction]:
    """The predictions of an official file, one for each item and occurrence. Raises like `evaluate`."""
    return _named(READERS, format_name).read_predictions(Path(path))


def _named(known: dict[str, Evaluator], name: str) -> Evaluator:
    if name not in known:
        raise ValueError(f"no official predictions of format {name!r}; known: {', '.join(known)}")
    return known[name]
