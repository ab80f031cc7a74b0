"""The number of HITs that a launch would create: exact for few items, else estimated from a seeded sample."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from annotation.flow.batches.batch_launch import CHUNK, OnProgress, hits_of
from annotation.flow.batches.hidden_gold import GoldEntry
from annotation.flow.batches.item_selection import LeftOut, Selection, select
from annotation.flow.data.item_writer import no_progress
from annotation.flow.money import batch_funds
from annotation.models import Batch, Dataset
from annotation.pure.statistics.intervals import wilson

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
