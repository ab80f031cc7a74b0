"""Find questions that a model's predictions solve fully."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.derivations.base import CannotDerive, Source
from annotation.pure.data.example import Example, option_of
from annotation.pure.statistics.metrics import ACCURACY, scored_as, scorer_for

_FORM = '{"id", "predicted_answer"} on each line, or one object {id: answer}'


def fully_solved(source: Source, path: str) -> set[int]:
    """The positions of the questions whose prediction has F1 1. Raises CannotDerive for an unreadable file.

    The scorer is that of the question's format; options are compared as they are, or named by their letters.
    """
    predicted = _predictions(path)
    positions, met = set(), 0
    for position, example in enumerate(source.examples()):
        met += example.id in predicted
        if example.id in predicted and example.answers:
            answer = _answer(predicted[example.id], example)
            scorer = ACCURACY if example.options else scorer_for(scored_as(example, source.format))
            if scorer.answer(answer, example.answers).f1 == 1:
                positions.add(position)
    if not met:
        raise CannotDerive(f"none of the predictions has the id of a question of {source.name}")
    return positions


def _answer(text: str, example: Example) -> str:
    try:
        return option_of(text, example.options) if example.options else text
    except ValueError as beyond:
        raise CannotDerive(f"the prediction for {example.id} cannot be read: {beyond}") from None


def _predictions(path: str) -> dict[str, str]:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return dict(_pairs(text))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, CannotDerive):
            raise
        raise CannotDerive(f"the predictions cannot be read: {error}; give {_FORM}") from error


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    whole = _whole(text)
    if isinstance(whole, dict) and "predicted_answer" not in whole:
        rows: Any = [(1, item) for item in whole.items()]
    else:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        rows = [(number, _row(json.loads(line))) for number, line in lines]
    for number, (item_id, answer) in rows:
        if not isinstance(item_id, str) or not isinstance(answer, str):
            raise CannotDerive(f"line {number} of the predictions does not have the form {_FORM}")
        yield item_id, answer


def _row(value: Any) -> tuple[Any, Any]:
    return (value.get("id"), value.get("predicted_answer")) if isinstance(value, dict) else (None, None)


def _whole(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
