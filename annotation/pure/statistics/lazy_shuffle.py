"""Random permutation of a range that is too large for memory."""

from collections.abc import Iterator
from random import Random


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
