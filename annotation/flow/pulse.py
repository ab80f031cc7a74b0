"""Signs of life of long work: how far it has come, and that what it fills is not dead."""

from __future__ import annotations

import time

from django.db.models.functions import Now

from annotation.derivations.base import Tally
from annotation.flow.filling import Filler, Told
from annotation.models import Dataset

BEAT = 1.0  # seconds between two signs


class Pulse:
    """Called at every step of a derivation; tells once a second.

    It tells how many examples of how many are dealt with, or, while no such share is known, how many steps (records
    read, candidates looked at) were taken, of 0.
    """

    def __init__(self, tally: Tally, size: int, fillers: list[Filler], tell: Told) -> None:
        self._tally, self._size, self._tell = tally, size, tell
        self._datasets = [filler.dataset.pk for filler in fillers]
        self._steps, self._last = 0, time.monotonic()

    def __call__(self) -> None:
        self._steps += 1
        if time.monotonic() - self._last < BEAT:
            return
        Dataset.objects.filter(pk__in=self._datasets, state=Dataset.State.IMPORTING).update(beat_at=Now())
        if 0 < self._tally.read < self._size:
            self._tell(self._tally.read, self._size)
        else:
            self._tell(self._steps, 0)
        self._last = time.monotonic()
