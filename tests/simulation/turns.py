"""What a seed decides at each step, as values: a history can be replayed from them, and shortened."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

DIES, REFUSED, SLEEPS = "dies", "is refused by the database", "is paused past its lease"
VANISHES, FILLS_UP = "the database vanishes", "the database's disk is full"
FAULTS = (DIES, REFUSED, SLEEPS, VANISHES, FILLS_UP)
TIMES_OUT, CUT = "waits for a lock for too long", "loses its connection"  # on PostgreSQL
FAULT_WEIGHTS = (10, 10, 6, 1, 1)
SEEKING = 20  # how much more often something breaks where it has never broken in this way
SEEKING_AT_CALLS = 40  # and somebody dies at a call at which nobody has: some calls are rare
WITH_LEASES = (5, 5, 30, 1, 1)  # of those who do something under a lease
WITH_FILES = (20, 5, 4, 2, 6)  # of those who run the installation
HOUR = 3600.0
JUMPS = (HOUR, 10 * 60.0, 90.0, 30 * HOUR, -HOUR, -90.0)  # seconds by which the clock is set: mostly on
LULL, LULLING = 300.0, 0.002  # seconds for which at most nobody does anything, and the share of steps before which
JUMPING = 0.002  # share of steps before which it is


@dataclass(frozen=True, slots=True)
class Turn:
    """One step: whose turn it is, what breaks, how much time passes, and the seed of an act that begins."""

    actor: str
    seconds: float
    seed: int
    fault: str = ""
    jump: float = 0.0


class Chance(Random):
    """Random numbers of whoever acts: an act's chance is its own, so that it stays when other acts are left out."""

    def __init__(self, own: Random) -> None:
        super().__init__(0)
        self.own = self.source = own

    def random(self) -> float:
        return self.source.random()

    def getrandbits(self, k: int, /) -> int:
        return self.source.getrandbits(k)
