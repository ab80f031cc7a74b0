"""The order in which a worker gets the HITs of a queue: block by block, each block in an order of their own.

Anybody can compute it again from a batch's seed, the worker's pseudonym and the tickets, all of which are exported.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Protocol, TypeVar

BLOCK = 50  # tickets


class Ticketed(Protocol):
    @property
    def ticket(self) -> int: ...


T = TypeVar("T", bound=Ticketed)


def block_of(ticket: int) -> int:
    """The number of a ticket's block, from 0."""
    return ticket // BLOCK


def own_order(tickets: Iterable[int], *, seed: int, worker: str) -> list[int]:
    """Tickets of one block in the worker's order: by SHA-256 of "seed/worker/ticket".

    The order of some of a block is that of the whole block, without the others.
    """
    return sorted(tickets, key=lambda ticket: sha256(f"{seed}/{worker}/{ticket}".encode()).digest())


def in_blocks(rows: Sequence[T], *, seed: int, worker: str) -> Iterator[tuple[int, list[T]]]:
    """The first ticket of each block, and what of `rows` is in it: in the worker's order, unchanged if `worker` is "".

    `rows` are in order of their tickets.
    """
    for number, block in groupby(rows, lambda row: row.ticket // BLOCK):
        by_ticket = {row.ticket: row for row in block}
        order = own_order(by_ticket, seed=seed, worker=worker) if worker else by_ticket
        yield number * BLOCK, [by_ticket[ticket] for ticket in order]
