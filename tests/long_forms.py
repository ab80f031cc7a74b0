"""Cases and examples of a test, of which every run takes the first ones and `make soak` all (docs/developers.md)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest


def first(count: int, cases: Iterable[Any]) -> list[Any]:
    """The cases of `parametrize`, tuples for several names; those behind the first `count` are for the soak."""
    every = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.soak] * (k >= count)) for k, case in enumerate(every)]


def examples(count: int, *, soak: int) -> int:
    """How many examples hypothesis makes: `count`, and `soak` with SOAK=1, as `make soak` has it."""
    return soak if os.environ.get("SOAK") else count
