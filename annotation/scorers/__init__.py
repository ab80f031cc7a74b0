"""Official evaluations by the names that `evaluate --format` takes."""

from __future__ import annotations

from collections.abc import Iterator
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

_PLAIN: dict[str, Evaluator] = {kind.name: kind for kind in (HotpotQA(), MuSiQue(), Squad())}
_GROUPED: dict[str, DiRe] = {kind.name: DiRe(kind) for kind in KINDS}

_SUBQA = SubQA()

EVALUATORS: tuple[str, ...] = (*_PLAIN, *_GROUPED, _SUBQA.name)

# 2WikiMultihopQA's predictions are HotpotQA's with evidence besides, which has no place here.
READERS: dict[str, Evaluator] = {**_PLAIN, "2wikimultihopqa": _PLAIN["hotpotqa"]}


def evaluate(
    format_name: str,
    gold: Path,
    predictions: Path,
    *,
    original_gold: Path | None = None,
    original_predictions: Path | None = None,
) -> dict[str, Any]:
    """The official figures of a prediction file: official keys, order and rounding.

    The originals are for the probes of DiRe and NMF (scorers.dire). Raises BadGold or BadPredictions (both
    BadRecords), and ValueError for an unknown format or for originals where they mean nothing.
    """
    if format_name in _GROUPED:
        kind = _GROUPED[format_name]
        return kind.evaluate(gold, predictions, original_gold=original_gold, original=original_predictions)
    if original_gold or original_predictions:
        raise ValueError(f"{format_name} knows no original predictions; only dire-probe and nmf-probe do")
    if format_name == _SUBQA.name:
        return _SUBQA.evaluate(gold, predictions)
    return dict(_named(_PLAIN, format_name).evaluate(gold, predictions))


def read_predictions(format_name: str, path: Path) -> Iterator[Prediction]:
    """The predictions of an official file, one for each item and occurrence. Raises like `evaluate`."""
    return _named(READERS, format_name).read_predictions(Path(path))


def _named(known: dict[str, Evaluator], name: str) -> Evaluator:
    if name not in known:
        raise ValueError(f"no official predictions of format {name!r}; known: {', '.join(known)}")
    return known[name]
