"""Names that follow one another: study, study-2, study-3."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import count

LONGEST = 100


def next_name(name: str, taken: Container[str]) -> str:
    """The name with the next number behind it that is not taken, at most 100 characters long."""
    match = re.fullmatch(r"(.+?)-([1-9][0-9]{0,5})", name)
    stem, number = (match[1], int(match[2])) if match else (name, 1)
    tails = (f"-{following}" for following in count(number + 1))
    return next(found for tail in tails if (found := stem[: LONGEST - len(tail)] + tail) not in taken)
