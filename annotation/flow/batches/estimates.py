"""Estimates of a batch before its launch: its HITs, the time for one, cost, hourly wage and statistical precision."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Any

from annotation import recruitment
from annotation.flow.batches.batch_launch import CHUNK, OnProgress, hits_of
from annotation.flow.batches.hidden_gold import GoldEntry
from annotation.flow.batches.item_selection import LeftOut, Selection, rows_of, select
from annotation.flow.data.item_writer import no_progress
from annotation.flow.money import batch_funds, ledger
from annotation.flow.people import round_attempts
from annotation.models import Batch, BatchReport, Dataset, Item, Project, QualificationRound
from annotation.pure.money import pricing
from annotation.pure.statistics import power
from annotation.pure.statistics.intervals import wilson
from annotation.pure.statistics.power import Spread
from annotation.registry import task_type
from annotation.tasktype import JSON, Payable, capabilities

A_LOOK = 400  # items that a page looks at; a launch looks at all
# (most that an assignment can earn, promised reward, assignments): number of HITs
Kinds = Counter[tuple[Decimal, Decimal, int]]


@dataclass(frozen=True, slots=True)
class HitCount:
    """HITs that a launch would create; `low` and `high`: the 95 % interval if not every item was looked at.

    `kinds` are the HITs of the `looked` items, out of `of` that are drawn. `problem`: the reason why a launch stops.
    `warnings`: about the draw.
    """

    asked: int
    hits: int
    low: int
    high: int
    by_dataset: tuple[tuple[str, int], ...]
    left_out: LeftOut
    kinds: Kinds
    looked: int
    of: int
    problem: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        return self.looked == self.of


def count_hits(
    batch: Batch,
    *,
    datasets: Sequence[Dataset] | None = None,
    most: int | None = None,
    progress: OnProgress = no_progress,
) -> HitCount:
    """Count for a draft, also for an unsaved one (with `datasets`); looks at `most` items."""
    chosen = select(batch, datasets)
    # the queue is shuffled, so its beginning is a random sample
    looked = chosen.keys if most is None else chosen.keys[:most]
    kinds: Kinds = Counter()
    found: Counter[str] = Counter()
    skipped: LeftOut = Counter()
    entry = GoldEntry(batch.task)
    for start in range(0, len(looked), CHUNK):
        for hit in hits_of(batch, looked[start : start + CHUNK], ticket=0, left_out=skipped, entry=entry):
            kinds[hit.reward, batch_funds.advertised_reward(batch, hit), hit.wanted] += 1
            found[hit.item.dataset.slug] += 1
        progress(min(start + CHUNK, len(looked)), len(looked))
    counted = _counted(chosen, looked=len(looked), kinds=kinds, found=found, skipped=skipped)
    return replace(counted, problem=chosen.problem or entry.problem, warnings=chosen.warnings)


def quick_count(batch: Batch, datasets: Sequence[Dataset] | None = None) -> HitCount:
    """The quick count that a page shows."""
    return count_hits(batch, datasets=datasets, most=A_LOOK)


def _counted(chosen: Selection, *, looked: int, kinds: Kinds, found: Counter[str], skipped: LeftOut) -> HitCount:
    """The counts of a sample, extrapolated to all drawn items."""
    of, hits = len(chosen.keys), found.total()
    scale = of / looked if looked else 1.0
    estimated = round(hits * scale)
    share = wilson(hits, looked)
    inexact = looked != of
    seen = found.copy()
    for (slug, _why), n in skipped.items():
        seen[slug] += n
    shares = {slug: found[slug] / n for slug, n in seen.items() if n}
    alike = hits / max(1, looked)  # for a dataset without sampled items
    by_dataset = [(slug, round(size * shares.get(slug, alike))) for slug, size in chosen.by_dataset.items()]
    more = Counter({reason: round(n * scale) for reason, n in skipped.items()})
    return HitCount(
        asked=chosen.requested,
        hits=estimated,
        low=max(hits, math.floor(of * (share.low or 0))) if inexact else hits,
        high=min(of - looked + hits, math.ceil(of * (share.high or 0))) if inexact else hits,
        by_dataset=tuple(by_dataset),
        left_out=chosen.left_out + more,
        kinds=kinds,
        looked=looked,
        of=of,
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated cost of a launch. `count`: its HITs; if not exact, the quote is extrapolated from a sample of them.

    `available` is the budget now, without `held`, the money set aside for other batches. `least_an_hour` is the hourly
    wage of the worst paid HITs at the expected time; `half` is half the 95 % interval; `learnt_from` is the batch whose
    report shows the spread of scores, if there is one. For a round, where the number of workers is unknown, the quote
    is for one worker (`each_worker`).
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
        """The total at both ends of the interval of the number of HITs."""
        each = self.quote.total / max(1, self.count.hits)
        return pricing.rounded(each * self.count.low), pricing.rounded(each * self.count.high)

    @property
    def left(self) -> Decimal:
        """The budget after the launch; negative if it is too small."""
        return self.available - self.quote.total

    @property
    def lacking(self) -> Decimal:
        return max(Decimal(0), -self.left)

    def items_for(self, half: float, annotators: int) -> int:
        """The number of items for an interval of at most ± `half` (in 0..0.5)."""
        return power.items_for(half, annotators, spread=self.spread)

    @property
    def below_floor(self) -> bool:
        return self.floor is not None and self.least_an_hour is not None and self.least_an_hour < self.floor


def estimate(
    batch: Batch,
    *,
    datasets: Sequence[Dataset] | None = None,
    most: int | None = None,
    progress: OnProgress = no_progress,
) -> Estimate:
    """The estimate of a draft, also of an unsaved one (with `datasets`); looks at `most` items."""
    return estimate_of(batch, count_hits(batch, datasets=datasets, most=most, progress=progress))


def estimate_of(batch: Batch, count: HitCount) -> Estimate:
    """The estimate of a batch whose HITs were counted."""
    round = round_attempts.round_of(batch)
    whole = _of_one(round, count.kinds) if round else _scaled(count)
    spread, learnt_from = spread_of(batch.project, batch.task)
    return Estimate(
        quote=quote_of(batch, whole) if pays(batch) else pricing.quote({}, schedule=pricing.NO_FEES),
        count=count,
        available=ledger.balance(batch.project, ledger.AVAILABLE),
        held=ledger.held_in_all(batch.project),
        floor=batch.project.wage_floor if pays(batch) else None,
        least_an_hour=_least_an_hour(batch, whole),
        half=power.half_width(sum(whole.values()), batch.assignments_per_hit, spread=spread),
        spread=spread,
        learnt_from=learnt_from,
        each_worker=round is not None,
    )


def pays(batch: Batch) -> bool:
    """Whether responses are paid: if the requester chose so, and always on a marketplace."""
    return batch.auto_approval is not None or batch.on_marketplace


def as_json(estimate: Estimate) -> dict[str, Any]:
    """An estimate as JSON; amounts are text, to the cent."""
    lines = [
        {"hits": line.hits, "assignments": line.assignments, "reward": str(line.reward), "fee": str(line.fee)}
        for line in estimate.quote.lines
    ]
    return {
        "total": str(estimate.quote.total),
        "fees": str(estimate.quote.fees),
        "lines": lines,
        "bonuses": [{"count": b.count, "amount": str(b.amount), "fee": str(b.fee)} for b in estimate.quote.bonuses],
        "asked": estimate.count.asked,
        "hits": estimate.count.hits,
        "skipped": estimate.count.asked - estimate.count.hits,
        "left_out": rows_of(estimate.count.left_out),
        "budget": f"{estimate.available:.2f}",
        "left": str(estimate.left),
        "half_width": estimate.half,
    }


def _scaled(count: HitCount) -> Kinds:
    if count.exact:
        return count.kinds
    return Counter({kind: math.ceil(n * count.of / count.looked) for kind, n in count.kinds.items()})


def _of_one(round: QualificationRound, kinds: Kinds) -> Kinds:
    """The HITs of one worker in a round; as a safe estimate, the most expensive ones."""
    dearest = sorted(kinds.elements(), reverse=True)[: round.per_worker]
    return Counter((most, promise, 1) for most, promise, _wanted in dearest)


def quote_of(batch: Batch, kinds: Kinds) -> pricing.Quote:
    """The quote of HITs by reward: rewards, earnings beyond them as bonuses, hidden gold, fees."""
    hits: Counter[tuple[Decimal, int]] = Counter()
    bonuses: Counter[Decimal] = Counter()
    for (most, reward, wanted), count in [*kinds.items(), *_checks(batch, kinds).items()]:
        hits[reward, wanted] += count
        bonuses[most - reward] += count * wanted
    del bonuses[Decimal(0)]
    return pricing.quote(hits, schedule=recruitment.fees_of(batch), bonuses=bonuses)


def _checks(batch: Batch, kinds: Kinds) -> Kinds:
    """The most hidden gold that these HITs bring, each at the price of the most expensive one."""
    if not kinds or not batch.check_share:
        return Counter()
    most, promise, wanted = max(kinds)
    if recruitment.has_gold_among_hits(batch):
        return Counter({(most, promise, wanted): batch_funds.checks_among(batch, sum(kinds.values()))})
    places = sum(count * wanted for (_most, _promise, wanted), count in kinds.items())
    return Counter({(most, most, 1): batch_funds.checks_among(batch, places)})


def _least_an_hour(batch: Batch, kinds: Kinds) -> Decimal | None:
    if not pays(batch) or not kinds or not batch.expected_seconds:
        return None
    return pricing.rounded(min(most for most, _promise, _wanted in kinds) * 3600 / batch.expected_seconds)


def pays_itself(task: str) -> bool:
    """Whether the task sets the reward of a response, so that the batch's own reward matters little."""
    return isinstance(task_type(task), Payable)


def spread_of(project: Project, task: str) -> tuple[Spread, str]:
    """The spread of scores in the last report of the project's batches of this task, and that batch's title."""
    reports = BatchReport.objects.filter(batch__project=project, batch__task=task).select_related("batch")
    for report in reports.order_by("-created_at")[:5]:
        for found in report.content.get("datasets", {}).values():
            spread = _spread(found, annotators=report.batch.assignments_per_hit)
            if spread is not None:
                return spread, report.batch.title
    return power.UNKNOWN, ""


def _spread(figures: dict[str, Any], *, annotators: int) -> Spread | None:
    figure = figures.get("answer", {}).get("human_score", {}).get("f1", {})
    low, high, n = figure.get("low"), figure.get("high"), figure.get("n", 0)
    if low is None or high is None or n < 20 or low >= high:
        return None
    return power.observed(low, high, n, annotators=annotators)


WORDS_PER_MINUTE = 238  # silent reading of English non-fiction by adults (Brysbaert 2019)
LOOKED_AT = 40  # sampled items over all datasets


def expected_seconds(datasets: Iterable[Dataset], task: str, options: Mapping[str, Any]) -> int:
    """The task's estimate, averaged over items; else the time to read a context. At least one second."""
    datasets = list(datasets)
    return task_seconds(datasets, task, options) or reading_seconds(datasets)


def task_seconds(datasets: Iterable[Dataset], task: str, options: Mapping[str, Any]) -> int | None:
    """The mean of the task's estimates for a sample of the items; None if it makes none."""
    kind = task_type(task)
    payloads = list(_payloads(list(datasets), task, kind.options(options)))
    estimates = [seconds for payload in payloads if (seconds := capabilities.seconds(kind, payload)) is not None]
    return max(1, round(sum(estimates) / len(estimates))) if estimates else None


def reading_seconds(datasets: Iterable[Dataset]) -> int:
    """The time to read a context of the median dataset once, in seconds, at least 60."""
    words = sorted(dataset.features.get("words", 0) for dataset in datasets)
    middle = words[len(words) // 2] if words else 0
    return max(60, round(60 * middle / WORDS_PER_MINUTE))


def _payloads(datasets: list[Dataset], task: str, options: Any) -> Iterator[JSON]:
    """Payloads of items spread evenly over the datasets."""
    total = sum(dataset.size for dataset in datasets)
    step = max(1, -(-total // LOOKED_AT))
    before = 0
    for dataset in datasets:
        positions = range(-before % step, dataset.size, step)
        for item in Item.objects.filter(dataset=dataset, position__in=positions).order_by("position"):
            payload = task_type(task).prepare(item.example, options, Random(item.position))
            if payload is not None:
                yield payload
        before += dataset.size
