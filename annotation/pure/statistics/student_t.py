"""Student's t distribution: the quantile that an interval over few workers needs.

The distribution function for whole degrees of freedom is a finite sum of powers of a cosine (Abramowitz and Stegun
1964, 26.7.3 and 26.7.4); the quantile is found in it by halving.
"""

from __future__ import annotations

import math
from functools import cache


@cache
def two_sided(level: float, degrees: int) -> float:
    """The t between whose negative and itself lies `level` of the distribution, 0 <= level < 1."""
    if degrees < 1:
        raise ValueError("Student's t needs at least one degree of freedom")
    if not 0 <= level < 1:
        raise ValueError("the level lies between 0 and 1")
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _probability(middle, degrees) < level else (low, middle)
    return math.sqrt(degrees) * math.tan(low)


def _probability(angle: float, degrees: int) -> float:
    """The sum, for an angle whose tangent is t / sqrt(degrees)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = term if degrees > 1 else 0.0
    for k in range(2 + odd, degrees - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
