"""Estimates: what a batch will cost, pay an hour and tell, before anybody sees it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.flow import attempts, ledger, reserving
from annotation.flow.batching import Told
from annotation.flow.choosing import rows_of
from annotation.flow.filling import silent
from annotation.flow.hit_counts import HitCount, Kinds, count_hits
from annotation.models import Batch, BatchReport, Dataset, Project, Round
from annotation.pure import precision, pricing
from annotation.pure.precision import Spread
from annotation.registry import task_type
from annotation.tasktype import TaskType


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a launch would cost. `count`: its HITs; where it is not exact, the quote is scaled up from a sample of them.

    `available` is the budget now and `held` what other batches have set aside of it. `least_an_hour` is the wage of the
    HITs that pay least at the expected time; `half` half the 95 % interval; `learnt_from` the batch whose report
    told how scores scatter, else nothing is known of that. Of a round, where nobody knows how many come, the quote is
    that of one worker's way through it (`each_worker`).
    """

    quote: pricing.Quote
    count: HitCount
    available: Decimal
    held: Decimal
    floor: Decimal | None
    least_an_hour: Decimal | None
    half: float | None
    spread: Spread
    learnt_from: str
    each_worker: bool = False

    @property
    def exact(self) -> bool:
        return self.count.exact

    @property
    def range(self) -> tuple[Decimal, Decimal]:
        """The total at the ends of the interval of the HITs."""
        each = self.quote.total / max(1, self.count.hits)
        return pricing.rounded(each * self.count.low), pricing.rounded(each * self.count.high)

    @property
    def left(self) -> Decimal:
        """Of the budget after the launch; negative where it is too small."""
        return self.available - self.quote.total

    @property
    def lacking(self) -> Decimal:
        return max(Decimal(0), -self.left)

    def items_for(self, half: float, annotators: int) -> int:
        """How many items would give an interval of at most `half` (in 0..0.5) to either side."""
        return precision.items_for(half, annotators, spread=self.spread)

    @property
    def below_floor(self) -> bool:
        return self.floor is not None and self.least_an_hour is not None and self.least_an_hour < self.floor


def estimate(
    batch: Batch, *, datasets: Sequence[Dataset] | None = None, most: int | None = None, tell: Told = silent
) -> Estimate:
    """The estimate of a draft, also of one that is not stored (its `datasets` besides); `most` items are looked at."""
    return estimate_of(batch, count_hits(batch, datasets=datasets, most=most, tell=tell))


def estimate_of(batch: Batch, count: HitCount) -> Estimate:
    """The estimate of a batch whose HITs were counted."""
    round = attempts.round_of(batch)
    whole = _of_one(round, count.kinds) if round else _scaled(count.kinds, looked=count.looked, of=count.of)
    spread, learnt_from = spread_of(batch.project, batch.task)
    return Estimate(
        quote=quote_of(batch, whole) if pays(batch) else pricing.quote({}, schedule=pricing.HOUSE),
        count=count,
        available=ledger.balance(batch.project, ledger.AVAILABLE),
        held=ledger.held_in_all(batch.project),
        floor=batch.project.wage_floor if pays(batch) else None,
        least_an_hour=_least_an_hour(batch, whole),
        half=precision.half_width(sum(whole.values()), batch.assignments_per_hit, spread=spread),
        spread=spread,
        learnt_from=learnt_from,
        each_worker=round is not None,
    )


def pays(batch: Batch) -> bool:
    """Whether answers are paid for: where that was said, and always on a marketplace."""
    return batch.auto_approval is not None or batch.connection is not None


def told(found: Estimate) -> dict[str, Any]:
    """An estimate as JSON; amounts are text, to the cent."""
    lines = [
        {"hits": line.hits, "assignments": line.assignments, "reward": str(line.reward), "fee": str(line.fee)}
        for line in found.quote.lines
    ]
    return {
        "total": str(found.quote.total),
        "fees": str(found.quote.fees),
        "lines": lines,
        "bonuses": [{"count": b.count, "amount": str(b.amount), "fee": str(b.fee)} for b in found.quote.bonuses],
        "asked": found.count.asked,
        "hits": found.count.hits,
        "skipped": found.count.asked - found.count.hits,
        "left_out": rows_of(found.count.left_out),
        "budget": f"{found.available:.2f}",
        "left": str(found.left),
        "half_width": found.half,
    }


def _scaled(kinds: Kinds, *, looked: int, of: int) -> Kinds:
    if looked == of:
        return kinds
    return Counter({kind: math.ceil(count * of / looked) for kind, count in kinds.items()})


def _of_one(round: Round, kinds: Kinds) -> Kinds:
    """What one worker meets in a round: the dearest items, to be safe."""
    dearest = sorted(kinds.elements(), reverse=True)[: round.per_worker]
    return Counter((most, promise, 1) for most, promise, _wanted in dearest)


def quote_of(batch: Batch, kinds: Kinds) -> pricing.Quote:
    """The quote of HITs by what they earn: rewards, what is earned beyond them as bonuses, hidden gold, fees."""
    hits: Counter[tuple[Decimal, int]] = Counter()
    bonuses: Counter[Decimal] = Counter()
    for (most, reward, wanted), count in kinds.items():
        hits[reward, wanted] += count
        bonuses[most - reward] += count * wanted
    for (most, reward, wanted), count in _checks(batch, kinds).items():
        hits[reward, wanted] += count
        bonuses[most - reward] += count * wanted
    del bonuses[Decimal(0)]
    return pricing.quote(hits, schedule=ledger.schedule_of(batch), bonuses=bonuses)


def _checks(batch: Batch, kinds: Kinds) -> Kinds:
    """Hidden gold that comes with these HITs at most, each for what the dearest of them earns."""
    if not kinds or not batch.check_share:
        return Counter()
    most, promise, wanted = max(kinds)
    if batch.connection is not None:
        return Counter({(most, promise, wanted): reserving.checks_among(batch, sum(kinds.values()))})
    places = sum(count * wanted for (_most, _promise, wanted), count in kinds.items())
    return Counter({(most, most, 1): reserving.checks_among(batch, places)})


def _least_an_hour(batch: Batch, kinds: Kinds) -> Decimal | None:
    if not pays(batch) or not kinds or not batch.expected_seconds:
        return None
    return pricing.rounded(min(most for most, _promise, _wanted in kinds) * 3600 / batch.expected_seconds)


def pays_itself(task: str) -> bool:
    """Whether the task says what an answer earns, so that a reward of the batch says little."""
    return type(task_type(task)).pay is not TaskType.pay


def spread_of(project: Project, task: str) -> tuple[Spread, str]:
    """How scores scatter, as the last report of the project's batches of this task tells, and that batch's title."""
    reports = BatchReport.objects.filter(batch__project=project, batch__task=task).select_related("batch")
    for report in reports.order_by("-created_at")[:5]:
        for found in report.content.get("datasets", {}).values():
            spread = _spread(found, annotators=report.batch.assignments_per_hit)
            if spread is not None:
                return spread, report.batch.title
    return precision.UNKNOWN, ""


def _spread(found: dict[str, Any], *, annotators: int) -> Spread | None:
    figure = found.get("answer", {}).get("human_score", {}).get("f1", {})
    low, high, n = figure.get("low"), figure.get("high"), figure.get("n", 0)
    if low is None or high is None or n < 20 or low >= high:
        return None
    return precision.observed(low, high, n, annotators=annotators)
