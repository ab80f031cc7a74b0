"""Faults of the emulated service, drawn with a seed: refusals, errors, cut connections, late and doubled webhooks."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from prolific_emulator.world import Event

TOO_MANY, ERROR_BEFORE, ERROR_AFTER = "429", "500 before", "500 after"
CUT_BEFORE, CUT_AFTER, HALF = "cut before", "cut after", "half a body after"
KINDS = (TOO_MANY, ERROR_BEFORE, ERROR_AFTER, CUT_BEFORE, CUT_AFTER, HALF)


@dataclass
class Faults:
    """`share`: of requests that are spoiled; `hooks`: of webhooks that come late, twice or never at first."""

    share: float = 0.0
    hooks: float = 0.0
    kinds: tuple[str, ...] = KINDS
    seed: int = 0
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._rng, self._lock = Random(self.seed), threading.Lock()

    def draw(self) -> str:
        """The fault that meets the next request; "" for none."""
        with self._lock:
            fault = self._rng.choice(self.kinds) if self._rng.random() < self.share else ""
            self.seen[fault or "fine"] += 1
            return fault

    def spoil(self, event: Event) -> None:
        """Make a new event late (so that later ones overtake it) or doubled, sometimes."""
        with self._lock:
            if event.is_drawn:
                return
            event.is_drawn = True
            if self._rng.random() >= self.hooks:
                return
            event.copies = self._rng.choice([1, 2, 3])
            event.due_at += timedelta(seconds=self._rng.uniform(0, 3))
            self.seen["webhook"] += 1
