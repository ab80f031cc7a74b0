"""Random draws: items with unequal chances, and the random order of a range that is too large for memory.

| function | in | out |
| --- | --- | --- |
| `uncertainty` | a model's confidence in an item, 0..1 | how much its being right varies |
| `inclusion_chances` | sizes (any scale), how many to draw | each item's chance to be drawn; their sum is that many |
| `draw` | chances, a seed | places of the drawn items: exactly as many |
| `drawn_by_confidence` | confidences by item, how many to draw, a seed | the drawn items with their chances |

The estimate of such a draw is that of `people_and_model` with its chances. Drawn systematically in random order
(Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, section 3.6).
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

from annotation.pure.numeric import Floats, np

Item = TypeVar("Item", bound=Hashable)
LEAST = 0.1  # of the chance under a uniform draw: no item's weight is more than ten times that


def uncertainty(confidence: float) -> float:
    """The standard deviation of being right with this chance; with it as size, an estimate varies least."""
    if not 0 <= confidence <= 1:
        raise ValueError("confidence lies between 0 and 1")
    return math.sqrt(confidence * (1 - confidence))


def inclusion_chances(sizes: Sequence[float], number: int) -> list[float]:
    """Chances proportional to sizes (not negative), between a tenth of a uniform draw's and 1, with sum `number`.

    Raises ValueError if more are to be drawn than there are, or fewer than one.
    """
    if not 1 <= number <= len(sizes):
        raise ValueError(f"{number} of {len(sizes)} items cannot be drawn")
    size = np.asarray(sizes, dtype=np.float64)
    if not np.isfinite(size).all() or (size < 0).any():
        raise ValueError("sizes are numbers from 0 on")
    least = LEAST * number / len(size)
    size = size / size.max() if size.any() else np.ones(len(size))
    low, high = 0.0, 1.0
    while _clipped(size, high, least).sum() < number and high < 1e15:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _clipped(size, middle, least).sum() < number else (low, middle)
    chances = _clipped(size, high, least)
    lacking = number - chances.sum()  # where items without size have to fill what the others, all at 1, leave
    room = 1 - chances
    return [float(chance) for chance in chances + (room * lacking / room.sum() if room.any() else 0)]


def draw(chances: Sequence[float], seed: int) -> list[int]:
    """Ascending places of drawn items; each is drawn with its chance, and their number is the sum of the chances."""
    chance, rng = np.asarray(chances, dtype=np.float64), np.random.default_rng(seed)
    certain = chance >= 1
    order = rng.permutation(np.flatnonzero(~certain))
    ends = np.cumsum(chance[order])
    number = round(float(ends[-1])) if len(ends) else 0
    picked = np.searchsorted(ends, rng.random() + np.arange(number), side="right").clip(max=max(0, len(order) - 1))
    return sorted([*np.flatnonzero(certain).tolist(), *order[picked].tolist()])


def drawn_by_confidence(sure: Mapping[Item, float], number: int, seed: int) -> dict[Item, float]:
    """`number` items, or all there are, each with its inclusion probability: the less sure a model, the higher."""
    items = list(sure)
    if number >= len(items):
        return dict.fromkeys(items, 1.0)
    chances = inclusion_chances([uncertainty(sure[item]) for item in items], number)
    return {items[place]: min(1.0, chances[place]) for place in draw(chances, seed)}  # rounding may pass 1


def _clipped(size: Floats, scale: float, least: float) -> Floats:
    return np.clip(scale * size, least, 1.0)


def shuffled(size: int, rng: Random) -> Iterator[int]:
    """0..size-1 in uniformly random order; memory grows with the numbers drawn, not with the size."""
    moved: dict[int, int] = {}
    for place in range(size):
        pick = rng.randrange(place, size)
        here = moved.pop(place, place)
        if pick == place:
            yield here
        else:
            yield moved.get(pick, pick)
            moved[pick] = here
