"""How many HITs a launch would make: exactly where it asks for few items, else from a seeded sample of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.flow import reserving, terming
from annotation.flow.batching import CHUNK, Told, hits_of
from annotation.flow.choosing import LeftOut, Selection, select
from annotation.flow.filling import silent
from annotation.models import Batch, Dataset, Hit
from annotation.pure.intervals import wilson

A_LOOK = 400  # items that a page looks at while one waits; a launch looks at them all
Kinds = Counter[tuple[Decimal, Decimal, int]]  # (what an assignment earns at most, its promise, how many): HITs


@dataclass(frozen=True, slots=True)
class HitCount:
    """HITs that would come of a launch; `low` and `high` are their 95 % interval where not every item was looked at.

    `kinds` are the HITs of the items that were `looked` at, `of` the items that are drawn.
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

    @property
    def exact(self) -> bool:
        return self.looked == self.of


def count_hits(
    batch: Batch, *, datasets: Sequence[Dataset] | None = None, most: int | None = None, tell: Told = silent
) -> HitCount:
    """Count for a draft, also for one that is not stored (its `datasets` besides); `most` items are looked at."""
    chosen = select(batch, datasets)
    looked = chosen.keys if most is None else chosen.keys[:most]  # the queue is shuffled: any part is a sample
    kinds: Kinds = Counter()
    found: Counter[str] = Counter()
    skipped: LeftOut = Counter()
    for start in range(0, len(looked), CHUNK):
        for hit in hits_of(batch, looked[start : start + CHUNK], ticket=0, left_out=skipped):
            kinds[hit.reward, _promise(batch, hit), hit.wanted] += 1
            found[hit.item.dataset.slug] += 1
        tell(min(start + CHUNK, len(looked)), len(looked))
    return _counted(chosen, looked=len(looked), kinds=kinds, found=found, skipped=skipped)


def look(batch: Batch, datasets: Sequence[Dataset] | None = None) -> HitCount:
    """The count that a page shows while one waits."""
    return count_hits(batch, datasets=datasets, most=A_LOOK)


def _counted(chosen: Selection, *, looked: int, kinds: Kinds, found: Counter[str], skipped: LeftOut) -> HitCount:
    """The counts of a sample, scaled up to all that is drawn."""
    of, hits = len(chosen.keys), found.total()
    scale = of / looked if looked else 1.0
    estimated = round(hits * scale)
    share = wilson(hits, looked)
    inexact = looked != of
    seen = found.copy()
    for (slug, _why), n in skipped.items():
        seen[slug] += n
    shares = {slug: found[slug] / n for slug, n in seen.items() if n}
    alike = hits / max(1, looked)  # of a dataset that the sample holds nothing of
    by_dataset = [(slug, round(size * shares.get(slug, alike))) for slug, size in chosen.by_dataset.items()]
    more = Counter({reason: round(n * scale) for reason, n in skipped.items()})
    return HitCount(
        asked=chosen.asked,
        hits=estimated,
        low=max(hits, math.floor(of * (share.low or 0))) if inexact else hits,
        high=min(of - looked + hits, math.ceil(of * (share.high or 0))) if inexact else hits,
        by_dataset=tuple(by_dataset),
        left_out=chosen.left_out + more,
        kinds=kinds,
        looked=looked,
        of=of,
    )


def _promise(batch: Batch, hit: Hit) -> Decimal:
    """What a marketplace will be told as the HIT's reward; in the house all that it earns."""
    if batch.connection is None:
        return hit.reward
    return min(reserving.promised(batch, hit.reward), terming.least_earned(batch, hit.payload))
