"""Reads the answers of models to the inputs of the disconnection filter."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from annotation.derivations.base import CannotDerive
from annotation.pure.data.example import Example
from annotation.pure.derivations.disconnection import Prediction
from annotation.pure.text.whole_numbers import whole

_FORM = '{"id", "seed", "predicted_answer", "predicted_support_idxs"}'


class PredictionsOfItems:
    """Predictions by item and seed. Every item must have one with every seed of the file."""

    def __init__(self, found: Mapping[str, Mapping[str, Prediction]]) -> None:
        self._found = found
        self.seeds = tuple(sorted({seed for by_seed in found.values() for seed in by_seed}))

    def lacks(self, item_id: str) -> bool:
        return len(self._found.get(item_id, {})) < max(1, len(self.seeds))

    def of(self, item: Example) -> list[Prediction]:
        """An item's predictions by seed. Raises CannotDerive for a support outside the item's context."""
        them = [self._found[item.id][seed] for seed in self.seeds]
        for place in set().union(*(each.support for each in them)):
            if not 0 <= place < len(item.paragraphs):
                there = f"0 to {len(item.paragraphs) - 1}" if item.paragraphs else "none, as it has no context"
                raise CannotDerive(f"a prediction for {item.id} names the paragraph {place}; there are {there}")
        return them

    def unused(self, asked: Collection[str]) -> int:
        """How many ids of the file were not asked for."""
        return sum(item_id not in asked for item_id in self._found)


def predictions_at(path: str) -> PredictionsOfItems:
    """The predictions of a JSONL file. Raises CannotDerive with the line of what is wrong."""
    found: dict[str, dict[str, Prediction]] = {}
    try:
        with Path(path).open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    _add(_record(line, number), number, found)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, CannotDerive):
            raise
        raise CannotDerive(f"the predictions cannot be read: {error}; give a UTF-8 file with lines {_FORM}") from error
    return PredictionsOfItems(found)


def _record(line: str, number: int) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CannotDerive(f"line {number} of the predictions is not JSON; give {_FORM}") from error
    if not isinstance(record, dict):
        raise CannotDerive(f"line {number} of the predictions is no object; give {_FORM}")
    return record


def _add(record: Mapping[str, Any], number: int, found: dict[str, dict[str, Prediction]]) -> None:
    item_id, seed, answer = (record.get(key) for key in ("id", "seed", "predicted_answer"))
    support = record.get("predicted_support_idxs") or []
    seed = seed if isinstance(seed, str) else whole(seed)
    right = isinstance(item_id, str) and isinstance(answer, str) and seed is not None
    places = [whole(place) for place in support] if isinstance(support, list) else [None]
    if not right or None in places:
        raise CannotDerive(f"line {number} of the predictions does not have the form {_FORM}")
    by_seed = found.setdefault(str(item_id), {})
    if str(seed) in by_seed:
        raise CannotDerive(f"line {number} of the predictions answers {item_id} with the seed {seed} once more")
    by_seed[str(seed)] = Prediction(str(answer), frozenset(place for place in places if place is not None))
