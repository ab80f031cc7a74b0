"""Contexts with supporting paragraphs removed: transforms and probes of DiRe and of its earlier version, NMF.

Trivedi et al. 2020, "Is Multihop QA in DiRe Condition?" (sections 3 and 4, appendix A) and "Measuring and Reducing
Non-Multifact Reasoning" (sections 3 and 5). Paragraphs are positions in the original context; random choices
are fixed by the seed, so that a probe uses the same paragraphs as its transform.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb
from random import Random

SUFFICIENT, INSUFFICIENT, WITHOUT = 1, 0, -1  # WITHOUT: no supporting paragraph at all
COPIES = 3  # of each question in the trivial transform

Positions = tuple[int, ...]


class TooSmall(ValueError):
    """Too few paragraphs or supports; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One context of a question: the positions kept, in order, and the label if the kind has labels.

    `part` is the 0-based number of the bi-partition of the supports.
    """

    kept: Positions
    label: int | None = None
    part: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """The input of a transform: a context of `size` paragraphs, its supports, and the seed of all choices."""

    size: int
    supports: Positions  # ascending
    seed: str

    def check(self) -> None:
        """Raises TooSmall for fewer than two supports, or fewer than 2|Fs|-1 paragraphs."""
        count = len(self.supports)
        if count < 2:
            raise TooSmall("it has fewer than two supporting paragraphs")
        if self.size < 2 * count - 1:
            raise TooSmall(f"with {count} supporting paragraphs it needs at least {2 * count - 1} paragraphs")

    @property
    def others(self) -> Positions:
        held = set(self.supports)
        return tuple(k for k in range(self.size) if k not in held)

    def removed(self) -> Positions:
        """Fr: |Fs|-1 paragraphs that are no supports; NMF's Fd without F'd."""
        return tuple(sorted(Random(f"{self.seed}/Fr").sample(self.others, len(self.supports) - 1)))

    def some_removed(self, subset: Positions, count: int) -> Positions:
        """The first `count` of Fr in an order that belongs to this subset of the supports."""
        order = list(self.removed())
        Random(f"{self.seed}/{','.join(map(str, subset))}").shuffle(order)
        return tuple(order[:count])

    def without(self, *removed: Positions) -> Positions:
        lost = {k for some in removed for k in some}
        return tuple(k for k in range(self.size) if k not in lost)

    def complement(self, subset: Positions) -> Positions:
        return tuple(k for k in self.supports if k not in subset)


def subsets(supports: Positions) -> Iterator[Positions]:
    """The 2^n - 2 non-empty proper subsets, by size."""
    for size in range(1, len(supports)):
        yield from combinations(supports, size)


def bipartitions(supports: Positions) -> Iterator[tuple[Positions, Positions]]:
    """The 2^(n-1) - 1 proper bi-partitions; the first part of each has the first support."""
    for first in subsets(supports):
        if first[0] == supports[0]:
            yield first, tuple(k for k in supports if k not in first)


def transform(context: Context) -> list[Instance]:
    """T(D): the sufficient instance, then one insufficient for each part of the supports that is missing."""
    context.check()
    count = len(context.supports)
    instances = [Instance(context.without(context.removed()), SUFFICIENT)]
    for removed in subsets(context.supports):
        fill = context.some_removed(removed, count - len(removed) - 1)
        instances.append(Instance(context.without(removed, fill), INSUFFICIENT))
    return instances


def probe(context: Context) -> list[Instance]:
    """P(D): for each bi-partition the context without its first and without its second part."""
    return _by_part(context, context.without)


def _by_part(context: Context, kept: Callable[[Positions], Positions]) -> list[Instance]:
    """For each bi-partition what is kept for its first and for its second part."""
    context.check()
    numbered = enumerate(bipartitions(context.supports))
    return [Instance(kept(part), part=number) for number, parts in numbered for part in parts]


def probe_of_transform(context: Context) -> list[Instance]:
    """P(T(D)): for each bi-partition the context without any support, then without each of its parts."""
    context.check()
    instances = []
    for number, parts in enumerate(bipartitions(context.supports)):
        instances.append(Instance(context.without(context.supports), WITHOUT, number))
        for part in parts:
            fill = context.some_removed(part, len(context.supports) - len(part))
            instances.append(Instance(context.without(part, fill), INSUFFICIENT, number))
    return instances


def trivial(context: Context) -> list[Instance]:
    """The control (appendix G): copies of the question, each less one paragraph that is no support."""
    context.check()
    others = context.others
    if len(others) < COPIES:
        raise TooSmall(f"the trivial transform needs {COPIES} paragraphs that are no supports")
    removed = Random(f"{context.seed}/trivial").sample(others, COPIES)
    return [Instance(context.without((each,))) for each in removed]


def nmf_transform(context: Context) -> list[Instance]:
    """NMF's T(D): as DiRe's, the insufficient ones named by the part that is kept."""
    context.check()
    instances = [Instance(context.without(context.removed()), SUFFICIENT)]
    return instances + [Instance(_kept_with_fill(context, kept), INSUFFICIENT) for kept in subsets(context.supports)]


def nmf_probe(context: Context) -> list[Instance]:
    """NMF's P(D): for each bi-partition one instance per part, with as many paragraphs as the transform's."""
    return _by_part(context, partial(_kept_with_fill, context))


def nmf_probe_of_transform(context: Context) -> list[Instance]:
    """NMF's P(T(D)): for each part of a bi-partition, it alone (0), then its fill without any support (-1).

    With two supports both fills are the same paragraph, and so the last instance is left out.
    """
    context.check()
    instances = []
    for number, parts in enumerate(bipartitions(context.supports)):
        group = []
        for part in parts:
            group.append(Instance(context.without(context.removed(), context.complement(part)), INSUFFICIENT, number))
            fill = _fill(context, part)
            kept = tuple(sorted({*context.without(context.removed(), context.supports), *fill}))
            group.append(Instance(kept, WITHOUT, number))
        instances += group[:3] if len(context.supports) == 2 else group
    return instances


def _fill(context: Context, kept: Positions) -> Positions:
    """Rs1: as many of the removed paragraphs as supports are missing."""
    return context.some_removed(kept, len(context.supports) - len(kept))


def _kept_with_fill(context: Context, kept: Positions) -> Positions:
    removed = set(context.removed()) - set(_fill(context, kept))
    return context.without(tuple(removed), context.complement(kept))


def numbers(instances: Sequence[Instance], rng: Random) -> list[int]:
    """`sub_idx` of each instance: positions in a random rotation, so that a number reveals no label.

    Within a part the instances without supports get the last numbers, whatever their order (formats of DiRe).
    """
    count = len(instances)
    start = rng.randrange(count)
    order = sorted(range(count), key=lambda k: (instances[k].part, instances[k].label == WITHOUT, k))
    place = {k: (start + rank) % count for rank, k in enumerate(order)}
    return [place[k] for k in range(count)]


Transform = Callable[[Context], list[Instance]]

TRANSFORMS: dict[str, Transform] = {
    "dire-transform": transform,
    "dire-probe": probe,
    "dire-probe-of-transform": probe_of_transform,
    "dire-trivial": trivial,
    "nmf-transform": nmf_transform,
    "nmf-probe": nmf_probe,
    "nmf-probe-of-transform": nmf_probe_of_transform,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two paragraphs to judge, in order; `supports` are the 1-based numbers of the supports in them: (1, 2), (1,)."""

    kept: Positions
    supports: Positions

    @property
    def name(self) -> str:
        """The pair's name in the paper: f1_f2, f1_fr, fr_f2."""
        if len(self.supports) == 2:
            return f"f{self.supports[0]}_f{self.supports[1]}"
        one = self.supports[0]
        return f"f{one}_fr" if one == 1 else f"fr_f{one}"


def pairs(context: Context) -> list[Pair]:
    """All pairs of supports, and each support with one random non-supporting paragraph fr (DiRe, appendix D).

    Two supports give (f1, f2), (f1, fr) and (fr, f2); fr is the same for the whole question.
    Raises TooSmall.
    """
    if len(context.supports) < 2:
        raise TooSmall("it has fewer than two supporting paragraphs")
    if not context.others:
        raise TooSmall("it has no paragraph that is no support")
    other = Random(f"{context.seed}/fr").choice(context.others)
    numbered = list(enumerate(context.supports, 1))
    result = [Pair((one, two), (i, k)) for (i, one), (k, two) in combinations(numbered, 2)]
    return result + [Pair((one, other) if i == 1 else (other, one), (i,)) for i, one in numbered]


def expected_drop(p: float, others: int) -> float:
    """Expected drop of the human score with `others` non-supporting paragraphs, each a proxy with probability p.

    DiRe's formula (appendix D): with k proxies, one of k + 1 paragraphs is picked.
    """
    return sum(comb(others, k) * p**k * (1 - p) ** (others - k) / (k + 1) for k in range(1, others + 1))
