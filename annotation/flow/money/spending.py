"""What a project has spent over time: sums of its ledger by period."""

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import accumulate

from django.core.cache import cache
from django.db.models import Sum
from django.utils import timezone

from annotation.models import Entry, Project, clock
from annotation.pure.reports.time_grid import time_grid

SPENT = ("reward", "bonus", "screen_out", "top_up", "fee")
PERIODS = 30
KEPT = timedelta(days=1).total_seconds()  # how long the sum of a past period is kept


def over_time(project: Project) -> list[tuple[datetime, Decimal]]:
    """(time, dollars to workers and in fees until then) at the ends of at most 30 equal periods; [] without any.

    The ledger only grows, so the sums of past periods are kept.
    """
    rows = Entry.objects.filter(project=project)
    times = rows.order_by("created_at").values_list("created_at", flat=True)
    first, last = times.first(), times.last()  # not as one aggregate, which would read the whole index
    if first is None or last is None:
        return []
    starts = time_grid(timezone.localtime(first), timezone.localtime(last), PERIODS)
    step = starts[1] - starts[0] if len(starts) > 1 else timedelta(hours=1)
    sums = accumulate(_sum(project, start, start + step) for start in starts)
    return [(starts[0], Decimal(0)), *zip([*starts[1:], timezone.localtime(last)], sums, strict=True)]


def _sum(project: Project, start: datetime, end: datetime) -> Decimal:
    def count() -> Decimal:
        rows = Entry.objects.filter(project=project, kind__in=SPENT, created_at__gte=start, created_at__lt=end)
        total: Decimal = rows.aggregate(sum=Sum("amount", default=Decimal(0)))["sum"]
        return round(total, 2)  # because SQLite computes with floating-point numbers

    if end > clock.now():
        return count()
    found: Decimal = cache.get_or_set(f"spent/{project.pk}/{start.timestamp():.0f}/{end.timestamp():.0f}", count, KEPT)
    return found
