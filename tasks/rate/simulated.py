"""Responses of simulated workers: like the gold where there is some, else at random."""

from math import ceil, floor
from random import Random
from typing import Any

from annotation.pure.ratings.responses import blank, candidates_of, parts_of, rows_of, settled, value_at
from annotation.pure.ratings.rubric import BEST, CHOICE, CHOICES, MARK, NUMBER, ORDER, SCALE, TIE
from annotation.tasktype import JSON

WORDS = "It reads well."


def imitated(payload: JSON, gold: JSON, rng: Random, *, right: bool) -> JSON:
    """A complete response; `right`: as the gold says where it says something."""
    answer: JSON = {}
    for criterion in payload["criteria"]:
        rows = rows_of(payload, criterion)
        values = [_value(payload, criterion, gold, k, rng, right) for k in ([None] if rows is None else range(rows))]
        answer[criterion["name"]] = values if criterion["each"] else values[0]
    return settled(payload, answer)


def _value(payload: JSON, criterion: JSON, gold: JSON, k: int | None, rng: Random, right: bool) -> Any:
    known = value_at(gold, criterion, k)
    if right and known is not None:
        return known
    made = [_drawn(payload, criterion, k, rng) for _try in range(8)]
    return next((value for value in made if value != known), made[0])


def _drawn(payload: JSON, criterion: JSON, k: int | None, rng: Random) -> Any:
    kind, values = criterion["kind"], criterion["values"]
    if kind in (SCALE, CHOICE):
        return rng.choice(values)
    if kind == CHOICES:
        some = rng.sample(values, rng.randint(1, len(values)))
        return [value for value in values if value in some]
    if kind == NUMBER:
        low, high = values
        return rng.randint(ceil(low), floor(high)) if high - low >= 10 else min(high, round(rng.uniform(low, high), 1))
    if kind == MARK:
        return _marks(payload, criterion, k, rng)
    if kind in (BEST, ORDER):
        known = candidates_of(payload, criterion)
        return (
            rng.sample(known, len(known))
            if kind == ORDER
            else rng.choice([*known, *([TIE] if criterion.get("tie") else [])])
        )
    return WORDS if criterion["required"] else blank(criterion)


def _marks(payload: JSON, criterion: JSON, k: int | None, rng: Random) -> list[JSON]:
    """The first word of one of the parts."""
    parts = {place: text for place, text in parts_of(payload, criterion, k).items() if text.strip()}
    if not parts:
        return []
    place = rng.choice(sorted(parts))
    start = len(parts[place]) - len(parts[place].lstrip())
    mark = {"part": place, "start": start, "end": start + len(parts[place].split()[0])}
    labels = [pair[0] for pair in criterion.get("of", [])]
    return [{**mark, "label": rng.choice(labels)} if labels else mark]
