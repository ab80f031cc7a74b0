"""Splits multihop questions into train, dev and test such that dev and test do not overlap with train.

Trivedi et al. 2022, section 5, S5: two questions overlap when they share a single-hop question, the answer
to one, or a paragraph of one. A greedy, seeded search moves the questions out of training that overlap least
with the rest; questions outside that still overlap with training are removed.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from annotation.pure.data.example import Example, Paragraph
from annotation.pure.net.progress import Tick, no_tick
from annotation.pure.text.bm25 import same_text
from annotation.pure.text.masking import resolved
from annotation.pure.text.normalization import normalise_answer

REMOVED = ""
_ROUNDS = 4  # of adjusting the mix of moved units until the rest has the target mix


@dataclass(frozen=True, slots=True)
class Unit:
    """A question, or twins, that stays in one split: the keys by which it overlaps, and its kind in the mix.

    A kind is "GROUP/KIND" or "GROUP": the mix of groups takes precedence over the mix of kinds within them.
    """

    keys: frozenset[str]
    kind: str = ""


def keys(example: Example) -> Iterator[str]:
    """The keys by which examples overlap: "id:" and "question:" of hops, "answer:" and "paragraph:".

    An example without decomposition counts as its own single hop.
    """
    for hop in example.hops:
        if hop.id is not None:
            yield f"id:{hop.id}"
        yield "question:" + " ".join(resolved(hop.question, example.hops).casefold().split())
        yield from _answer_key(hop.answer)
    if not example.hops:
        yield "question:" + " ".join(example.question.casefold().split())
        yield from _answer_key(example.answer or "")
    positions = {hop.support for hop in example.hops} | set(example.supports or ())
    for position in sorted(p for p in positions if p is not None):
        yield paragraph_key(example.paragraphs[position])


def paragraph_key(paragraph: Paragraph) -> str:
    """The key by which questions share a supporting paragraph."""
    text = f"{paragraph.title}\n{same_text(paragraph)}".encode("utf-8", "replace")
    return f"paragraph:{hashlib.blake2b(text, digest_size=12).hexdigest()}"


def _answer_key(answer: str) -> Iterator[str]:
    if normal := normalise_answer(answer):
        yield f"answer:{normal}"


def split(units: Sequence[Unit], *, dev: int, test: int, rng: Random, tick: Tick = no_tick) -> list[str]:
    """ "train", "dev", "test" or REMOVED for each unit.

    `dev` + `test` units leave training. Units among them that overlap with training are removed; the rest is
    divided in the ratio dev : test with as little overlap as possible. Raises ValueError for too few units.
    """
    size = dev + test
    if min(dev, test) < 0 or size > len(units):
        raise ValueError(f"{size} of {len(units)} cannot leave training")
    outside = _outside(units, size, rng=rng, tick=tick)
    kept = _free(units, outside)
    names = ["train" if at not in outside else REMOVED for at in range(len(units))]
    inner = [units[at] for at in kept]
    quotas = _by_group(_mix(inner), round(len(kept) * test / (size or 1)))
    tested = least_overlapping(inner, quotas, rng=rng, tick=tick)
    for place, at in enumerate(kept):
        names[at] = "test" if place in tested else "dev"
    return names


def shared(units: Iterable[Unit], others: Iterable[Unit]) -> tuple[int, Counter[str]]:
    """(how many of ours overlap with others, how many keys of each sort the two share)."""
    other_keys = {key for unit in others for key in unit.keys}
    common = [unit.keys & other_keys for unit in units]
    return sum(map(bool, common)), Counter(key.split(":", 1)[0] for key in set().union(*common))


def _outside(units: Sequence[Unit], size: int, *, rng: Random, tick: Tick) -> set[int]:
    """Positions of `size` units to leave training, such that many do not overlap with it and these keep the mix.

    Questions with more hops overlap more often, so after each round the kinds that fell short of their
    share get larger quotas.
    """
    mix, seed = _mix(units), rng.getrandbits(64)
    quotas, best, most = _by_group(mix, size), set[int](), -1.0
    for _round in range(_ROUNDS):
        outside = least_overlapping(units, quotas, rng=Random(seed), tick=tick)
        free = Counter(units[at].kind for at in _free(units, outside))
        even = sum(min(free[kind], free.total() * count / mix.total()) for kind, count in mix.items())
        if even > most:
            best, most = outside, even
        wants = {kind: quotas[kind] * (count + 1) / (free[kind] + 1) for kind, count in mix.items()}
        quotas = _by_group(wants, size, most=mix)
    return best


def _free(units: Sequence[Unit], outside: set[int]) -> list[int]:
    """The positions in `outside`, ascending, whose units share no key with the units that stay."""
    inside = {key for at, unit in enumerate(units) if at not in outside for key in unit.keys}
    return [at for at in sorted(outside) if inside.isdisjoint(units[at].keys)]


def least_overlapping(
    units: Sequence[Unit], quotas: Mapping[str, int], *, rng: Random, tick: Tick = no_tick
) -> set[int]:
    """Positions of `quotas[kind]` units of each kind that overlap little with the units left.

    The kinds take turns. Each turn takes the unit with the smallest share of links (keys shared with another
    unit) to units left, so that whole clusters are taken one after the other. Ties are broken by the fewest such
    links, then in seeded order.
    """
    search = _Search(units, rng)
    turns = sorted(((n + 0.5) / count, kind) for kind, count in quotas.items() for n in range(count))
    for _, kind in turns:
        search.take(kind)
        tick()
    return search.taken


class _Search:
    """A state of the greedy search: which units are taken, and how every other one is linked."""

    def __init__(self, units: Sequence[Unit], rng: Random) -> None:
        self.taken: set[int] = set()
        self._units = units
        self._rank = rng.sample(range(len(units)), len(units))
        self._holders: dict[str, list[int]] = {}
        for at, unit in enumerate(units):
            for key in unit.keys:
                self._holders.setdefault(key, []).append(at)
        self._links = [sum(len(self._holders[key]) - 1 for key in unit.keys) for unit in units]
        self._left = list(self._links)  # links to units that are not taken
        self._heaps: dict[str, list[tuple[float, int, int, int]]] = {}
        for at, unit in enumerate(units):
            self._heaps.setdefault(unit.kind, []).append(self._entry(at))
        for heap in self._heaps.values():
            heapq.heapify(heap)

    def take(self, kind: str) -> None:
        """Take the best unit of a kind, which must have one left."""
        heap = self._heaps[kind]
        while heap[0][3] in self.taken or heap[0] != self._entry(heap[0][3]):
            heapq.heappop(heap)  # an outdated entry
        at = heapq.heappop(heap)[3]
        self.taken.add(at)
        near = [other for key in self._units[at].keys for other in self._holders[key]]
        for other in near:
            self._left[other] -= 1
        for other in set(near) - self.taken:
            heapq.heappush(self._heaps[self._units[other].kind], self._entry(other))

    def _entry(self, at: int) -> tuple[float, int, int, int]:
        left = self._left[at]
        return (left / self._links[at] if left else 0.0, left, self._rank[at], at)


def _mix(units: Iterable[Unit]) -> Counter[str]:
    return Counter(unit.kind for unit in units)


def _by_group(weights: Mapping[str, float], size: int, *, most: Mapping[str, int] | None = None) -> dict[str, int]:
    """`_quotas` over the groups of kinds (the part before the first "/"), then over the kinds of each group.

    This way many small kinds do not shift the mix of the groups.
    """
    most = most or {kind: int(weight) for kind, weight in weights.items()}
    groups: dict[str, list[str]] = {}
    for kind in weights:
        groups.setdefault(kind.partition("/")[0], []).append(kind)
    sizes = _quotas(
        {group: sum(weights[kind] for kind in kinds) for group, kinds in groups.items()},
        size,
        most={group: sum(most[kind] for kind in kinds) for group, kinds in groups.items()},
    )
    counts: dict[str, int] = {}
    for group, kinds in groups.items():
        counts |= _quotas({k: weights[k] for k in kinds}, sizes[group], most={k: most[k] for k in kinds})
    return counts


def _quotas(weights: Mapping[str, float], size: int, *, most: Mapping[str, int] | None = None) -> dict[str, int]:
    """`size` places shared out by weight (largest remainders), to each kind at most `most` (or its weight)."""
    most = most or {kind: int(weight) for kind, weight in weights.items()}
    quotas = dict.fromkeys(sorted(weights), 0)
    while (left := size - sum(quotas.values())) > 0:
        hungry = {kind: weights[kind] for kind in quotas if quotas[kind] < most[kind]}
        total = sum(hungry.values())
        exact = {kind: left * (weight / total if total else 1 / len(hungry)) for kind, weight in hungry.items()}
        whole = {kind: min(int(share), most[kind] - quotas[kind]) for kind, share in exact.items()}
        if not any(whole.values()):
            for kind in sorted(exact, key=lambda each: -exact[each])[:left]:
                quotas[kind] += 1
            continue
        for kind, places in whole.items():
            quotas[kind] += places
    return quotas
