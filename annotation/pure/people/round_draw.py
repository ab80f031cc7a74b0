"""Draw a worker's items in a round and their hidden checks, by a seed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that may be drawn, by its key; `group` is the group of related items that it belongs to."""

    key: int
    group: str
    dataset: str


def drawn(
    pool: Sequence[Candidate],
    shares: Mapping[str, int],
    rng: Random,
    *,
    closed: Collection[str] = (),
    alone: bool = True,
    apart: bool = False,
) -> list[int]:
    """Keys of the drawn items in the order offered: each dataset's share, with shortfalls filled from the others.

    Groups in `closed` are left out; `alone`: at most one item of a group; `apart`: never two of a group in a row.
    """
    mixed = list(pool)
    rng.shuffle(mixed)
    met, chosen, rest = set(closed), [], []
    open_shares = dict(shares)
    for one in mixed:
        if one.group in met:
            continue
        if open_shares.get(one.dataset, 0) > 0:
            open_shares[one.dataset] -= 1
            chosen.append(one)
            met |= {one.group} if alone else set()
        else:
            rest.append(one)
    for one in rest:
        if len(chosen) == sum(shares.values()):
            break
        if one.group not in met:
            chosen.append(one)
            met |= {one.group} if alone else set()
    rng.shuffle(chosen)
    return [one.key for one in (_apart(chosen) if apart else chosen)]


def _apart(order: Sequence[Candidate]) -> list[Candidate]:
    """The same items with no two of a group in a row, as far as that can be."""
    waiting, placed = list(order), list[Candidate]()
    while waiting:
        last = placed[-1].group if placed else None
        place = next((k for k, one in enumerate(waiting) if one.group != last), 0)
        placed.append(waiting.pop(place))
    return placed


def is_hidden_gold(share: float, *, seed: int, worker: int, number: int) -> bool:
    """Whether a worker's assignment with this 0-based number is hidden gold."""
    return Random(f"{seed}/{worker}/{number}/check").random() < share


def checks_to_come(share: float, *, seed: int, worker: int, number: int, left: int, checks: int) -> int:
    """The number of hidden gold items that will come with the `left` ordinary ones, from assignment `number` on.

    Added to `left`, they give a count that falls by one with every assignment and so does not reveal hidden gold.
    """
    count = 0
    while left > 0 and count < checks:
        if is_hidden_gold(share, seed=seed, worker=worker, number=number):
            count += 1
        else:
            left -= 1
        number += 1
    return count
