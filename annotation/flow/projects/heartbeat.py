"""Heartbeat of long work: its progress, and a sign of life of the datasets it fills."""

from __future__ import annotations

import time

from django.db.models.functions import Now

from annotation.derivations.base import Tally
from annotation.flow.data.item_writer import Filler, OnProgress
from annotation.models import Dataset

BEAT = 1.0  # seconds between two signs of life


class Pulse:
    """Called at every step of a derivation; reports progress once a second.

    Progress is the number of examples done out of all, or, while that is unknown, the number of steps (records read,
    candidates looked at) out of 0.
    """

    def __init__(self, tally: Tally, size: int, fillers: list[Filler], progress: OnProgress) -> None:
        self._tally, self._size, self._progress = tally, size, progress
        self._datasets = [filler.dataset.pk for filler in fillers]
        self._steps, self._last = 0, time.monotonic()

    def __call__(self) -> None:
        self._steps += 1
        if time.monotonic() - self._last < BEAT:
            return
        Dataset.objects.filter(pk__in=self._datasets, state=Dataset.State.IMPORTING).update(beat_at=Now())
        if 0 < self._tally.read < self._size:
            self._progress(self._tally.read, self._size)
        else:
            self._progress(self._steps, 0)
        self._last = time.monotonic()
