"""Rate limits, counted in a cache that all web processes share if Redis is configured."""

import logging
from typing import Any

from django.conf import settings
from django.core.cache import caches
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotation.models import clock

PERIODS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
log = logging.getLogger(__name__)


class ApiThrottle(BaseThrottle):
    """API_RATE requests per user, over all tokens; per address for anonymous callers.

    In Redis, where that carries the jobs, all processes count together; otherwise each counts for itself.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        most, period = rate()
        window, past = divmod(clock.now().timestamp(), period)
        self.left = period - past
        who = request.user.pk if request.user.is_authenticated else self.get_ident(request)
        return _count(f"api/{who}/{int(window)}", period) <= most

    def wait(self) -> float:
        """Seconds until the next window begins."""
        return max(1.0, self.left)


def rate() -> tuple[int, int]:
    """API_RATE as (requests, seconds); it reads `1200/min`."""
    most, _slash, period = settings.API_RATE.partition("/")
    return int(most), PERIODS[period.strip()[:1] or "m"]


def _count(key: str, period: int) -> int:
    """The count including this request; 0 if the cache is unreachable, so that its failure blocks nobody."""
    cache = caches["counts"]
    try:
        cache.add(key, 0, timeout=2 * period)
        return cache.incr(key)
    except ValueError:  # expired between the two lines
        return 1
    except Exception as away:  # each cache raises exceptions of its own
        log.warning("requests to the API are not counted just now: %s", away)
        return 0
