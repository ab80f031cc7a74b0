"""The rate of right responses and the spread of items and workers in a pilot, for `power`.

Two responses to an item (or by a worker) are both right more often than by chance. The tetrachoric correlation behind
that is the share of the variance that items (or workers) account for in the model of `power`.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from annotation.pure.numeric import np
from annotation.pure.statistics.power import Impossible
from annotation.pure.statistics.worker_intervals import Response
from annotation.pure.text.translation_marks import gettext_noop as _

LEAST: Final = 20  # responses of a pilot
MOST_SHARE: Final = 0.95  # of items and workers together
TOO_SMALL = _("A pilot needs at least %(least)s responses with gold, or ratings and what counts; this one has %(n)s.")
EVEN = _("All responses of the pilot are right, or all are wrong, so they show no spread.")
_POINTS: Final = 201
_STEPS: Final = 40

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a pilot shows. A share is None if no two responses tell it."""

    rate: float
    by_item: float | None
    by_worker: float | None
    items: int
    workers: int
    responses: int


def pilot_of(responses: Iterable[Response]) -> Pilot:
    """Rate and shares of a pilot; a response is right if its value is 1, and each counts alike.

    Raises Impossible for fewer than LEAST responses, or if all are right or all are wrong.
    """
    rows = [(row.item, row.worker, row.value >= 1) for row in responses]
    right = sum(row[2] for row in rows)
    if len(rows) < LEAST:
        raise Impossible(TOO_SMALL, least=LEAST, n=len(rows))
    if right in (0, len(rows)):
        raise Impossible(EVEN)
    rate = right / len(rows)
    by_item, by_worker = (_share([(row[k], row[2]) for row in rows], rate) for k in (0, 1))
    both = (by_item or 0.0) + (by_worker or 0.0)
    if both > MOST_SHARE:
        by_item, by_worker = (share and share * MOST_SHARE / both for share in (by_item, by_worker))
    items, workers = (len({row[k] for row in rows}) for k in (0, 1))
    return Pilot(rate, by_item, by_worker, items, workers, len(rows))


def both_right(rate: float, correlation: float) -> float:
    """The probability that two responses with latent `correlation` (0 <= r < 1) are both right."""
    limit = _NORMAL.inv_cdf(rate)
    angles = np.linspace(0.0, math.asin(correlation), _POINTS)
    heights = np.exp(-(limit**2) / (1 + np.sin(angles))) / (2 * math.pi)
    return rate**2 + float(np.trapezoid(heights, angles))


def _share(rows: list[tuple[Hashable, bool]], rate: float) -> float | None:
    """The correlation of two responses with the same key; None without two such."""
    numbers = Counter(key for key, _right in rows)
    right = Counter(key for key, is_right in rows if is_right)
    pairs = sum(n * (n - 1) for n in numbers.values())
    if not pairs:
        return None
    together = sum(n * (n - 1) for n in right.values()) / pairs
    low, high = 0.0, MOST_SHARE
    if together <= both_right(rate, low):
        return 0.0
    for _step in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if both_right(rate, middle) < together else (low, middle)
    return (low + high) / 2
