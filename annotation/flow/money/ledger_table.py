"""The ledger's rows for pages and CSV, with readable names of accounts, and what was spent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import accumulate
from typing import cast

from django.core.cache import cache
from django.db.models import QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.lists import ListFilter, worker_setting
from annotation.flow.money import ledger
from annotation.models import Batch, Entry, Project, clock
from annotation.models.money import OUTSIDE
from annotation.pure.reports.time_grid import time_grid
from annotation.pure.setting_fields import setting
from annotation.pure.text.spreadsheet import csv_text, guarded

COLUMNS = ["number", "time", "kind", "from", "to", "amount", "batch", "worker", "note"]
KINDS = {
    "deposit": gettext_noop("deposited"),
    "withdrawal": gettext_noop("withdrawn"),
    "hold": gettext_noop("reserved"),
    "release": gettext_noop("released"),
    "reward": gettext_noop("reward"),
    "bonus": gettext_noop("bonus"),
    "screen_out": gettext_noop("pay for being screened out"),
    "top_up": gettext_noop("top-up to the wage floor"),
    "fee": gettext_noop("fee"),
    "payout": gettext_noop("moved to a payout"),
    "paid_out": gettext_noop("paid out"),
    "payout_failed": gettext_noop("payout failed"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with readable names of accounts; workers appear by pseudonym."""

    entry: Entry
    kind: str
    source: str
    target: str
    worker: str


@dataclass(frozen=True)
class LedgerFilter(ListFilter):
    """Filters of the ledger."""

    batch: str = setting("", length=100, column="batch__slug")
    kind: str = setting("", label=gettext_noop("Type"), choices=KINDS, column="kind")
    worker: str = worker_setting("worker__in")


ALL = LedgerFilter()


def entries(project: Project, wanted: LedgerFilter = ALL) -> QuerySet[Entry]:
    """Matching entries, newest first."""
    return wanted.narrow(project, Entry.objects.filter(project=project).select_related("source", "target", "batch"))


def display_rows(project: Project, some: Iterable[Entry]) -> Iterator[Row]:
    """Entries with readable names of accounts."""
    names = _Names(project)
    for entry in some:
        worker = project.pseudonym(entry.worker_id) if entry.worker_id else ""
        kind = _(KINDS.get(entry.kind, entry.kind))
        yield Row(entry, kind, names.of(entry.source.name), names.of(entry.target.name), worker)


class _Names:
    """Readable names of accounts, looking each batch up once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        batches = Batch.everything.filter(project=project)
        self.titles = {str(pk): title for pk, title in batches.values_list("pk", "title")}

    def of(self, name: str) -> str:
        first, _slash, rest = name.partition("/")
        plain = {OUTSIDE: _("external"), ledger.AVAILABLE: _("budget"), ledger.FEES: _("fees")}
        if first in plain:
            return plain[first]
        if first == "held":
            return _("reserved for %(batch)s") % {"batch": self.titles.get(rest, rest)}
        if first == "worker":
            return _("owed to %(worker)s") % {"worker": self.project.pseudonym(int(rest))[:8]}
        if first == "payout":
            return _("payout %(number)s") % {"number": rest}
        return _("marketplace %(number)s") % {"number": rest}


def lines(project: Project, some: QuerySet[Entry]) -> Iterator[bytes]:
    """A CSV file of entries, line by line; text is escaped against formulas in spreadsheets."""
    yield ("\ufeff" + csv_text([COLUMNS])).encode()
    for row in display_rows(project, some.iterator(chunk_size=1000)):
        entry = row.entry
        texts = [entry.kind, row.source, row.target]
        end = [entry.batch.slug if entry.batch else "", row.worker, entry.note]
        cells = [str(entry.pk), entry.created_at.isoformat(timespec="seconds"), *map(guarded, texts), str(entry.amount)]
        yield csv_text([[*cells, *map(guarded, end)]]).encode()


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
    key = f"spent/{project.pk}/{start.timestamp():.0f}/{end.timestamp():.0f}"
    return cast(Decimal, cache.get_or_set(key, count, KEPT))
