"""The seams of a simulation: the clock and chance of this process, and of its SQLite, are the seed's."""

from __future__ import annotations

import os
import random
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from unittest import mock

from django.conf import settings
from django.utils import timezone

START = datetime(2027, 3, 1, 9, tzinfo=UTC)


class Clock:
    """A clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.wall, self.monotonic = START, 1000.0

    def now(self) -> datetime:
        return self.wall

    def pass_time(self, seconds: float) -> None:
        self.wall += timedelta(seconds=seconds)
        self.monotonic += seconds

    def jump(self, seconds: float) -> None:
        """Set the clock on or back: time as it is measured goes on."""
        self.wall += timedelta(seconds=seconds)

    def strftime(self, form: str, when: str = "now", *_: str) -> str | None:
        """SQLite's function, of which Django's `Now()` is made."""
        if when.lower() != "now":
            raise ValueError(f"the simulation knows strftime of now only, not of {when}")
        text = form.replace("%f", f"{self.wall.second:02}.{self.wall.microsecond // 1000:03}")
        return self.wall.strftime(text)


@contextmanager
def seeded(chance: Random, clock: Clock) -> Iterator[None]:
    """Let this process's clock and chance be these."""
    random.seed(chance.random())
    gmtime = time.gmtime
    names = iter(lambda: f"{chance.getrandbits(40):010x}", "")
    of_secrets = mock.patch.multiple(
        secrets,
        token_bytes=lambda nbytes=None: chance.randbytes(32 if nbytes is None else nbytes),
        randbits=chance.getrandbits,
        randbelow=chance.randrange,
        choice=chance.choice,
    )

    of_time = mock.patch.multiple(
        time,
        time=lambda: clock.wall.timestamp(),
        time_ns=lambda: int(clock.wall.timestamp() * 1e9),
        monotonic=lambda: clock.monotonic,
        gmtime=lambda seconds=None: gmtime(clock.wall.timestamp() if seconds is None else seconds),
        sleep=clock.pass_time,
    )
    with (
        of_secrets,
        of_time,
        mock.patch.object(timezone, "now", clock.now),
        mock.patch.object(os, "urandom", chance.randbytes),
        mock.patch.object(tempfile, "_get_candidate_names", return_value=names),
        mock.patch.object(tempfile, "tempdir", str(settings.VAR)),  # where no other run has taken a name
    ):
        yield


def prepare(raw: Any, clock: Clock) -> None:
    """Give a connection of SQLite this clock."""
    raw.create_function("strftime", -1, clock.strftime)
