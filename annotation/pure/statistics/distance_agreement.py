"""Krippendorff's alpha for labels that can match partially: free-text answers, sets of supporting paragraphs.

Disagreement is 1 minus the similarity of two labels, 0 for equal ones: F1 for answers, MASI for sets (Passonneau
2006). With no similarity between different labels this is nominal alpha (Krippendorff 2011). A unit is the labels of
one item by worker. Intervals resample units; the range is over alphas with one worker left out.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotation.pure.data.example import JSON
from annotation.pure.numeric import Floats, Integers, np
from annotation.pure.reports.tables import rounded, table, text_cell
from annotation.pure.statistics.intervals import Figure, bias_corrected, is_values_only, resampled_sums
from annotation.pure.statistics.metrics import Scorer
from annotation.pure.text.translation_marks import gettext_noop as _

RESAMPLES = 999
UNDEFINED_DRAWS = 0.05  # of the resamples; above that share of draws with a single label there is no interval
NO_INTERVAL = _("No interval where agreement varies too little between them.")
FEW = 32  # number of distinct labels up to which counts by unit are kept as a table
H = TypeVar("H", bound=Hashable)
Similarity = Callable[[H, H], float]
Kin = Callable[[H], Iterable[Hashable]]  # a label's features; labels without a common feature have similarity 0


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha with its interval over units, and its range with one worker left out (n counts the workers).

    `undefined`: resamples with only one label, which the interval leaves out.
    """

    figure: Figure
    without: Figure
    undefined: int = 0

    def as_json(self) -> dict[str, Any]:
        return {**self.figure.as_json(), "without": self.without.as_json()}


UNDEFINED = Alpha(Figure(None, None, None, 0), Figure(None, None, None, 0))


def alpha_of_answers(units: Iterable[Mapping[str, str]], scorer: Scorer, seed: int) -> Alpha:
    """Alpha of answers in free text ("" for no answer) with the distance 1 − F1 of the dataset's scorer."""
    keyed = [{worker: scorer.key(text) for worker, text in unit.items()} for unit in units]
    return alpha(keyed, seed, similarity=lambda a, b: scorer.answer(a, [b]).f1, kin=lambda key: key.split() or [""])


def alpha_of_sets(
    units: Iterable[Mapping[str, frozenset[Hashable]]], seed: int, *, clusters: Iterable[Hashable] | None = None
) -> Alpha:
    """Alpha of sets, such as ticked supporting paragraphs, with the MASI distance."""
    return alpha(list(units), seed, similarity=masi, kin=lambda one: one, clusters=clusters)


def masi(one: frozenset[Hashable], other: frozenset[Hashable]) -> float:
    """Jaccard's share, times 1 for equal sets, 2/3 if one includes the other, 1/3 if they overlap otherwise."""
    if one == other:
        return 1.0
    shared = len(one & other)
    held = 2 / 3 if shared in (len(one), len(other)) else 1 / 3
    return held * shared / len(one | other)


def alpha(
    units: Iterable[Mapping[str, H]],
    seed: int,
    *,
    similarity: Similarity[H] | None = None,
    kin: Kin[H] | None = None,
    clusters: Iterable[Hashable] | None = None,
    resamples: int = RESAMPLES,
) -> Alpha:
    """Alpha over the units with two labels or more; nominal without a similarity. Undefined if only one label occurs.

    There is no interval where resampling cannot show the uncertainty: workers agree equally in all units, such as
    wholly, or more than UNDEFINED_DRAWS of the resamples have only one label; other such resamples are left out.

    `clusters` names each unit's cluster, such as the question of a paragraph: the interval resamples whole clusters,
    by default single units.

    With `kin` only labels that have something in common are compared, so that the cost does not grow with the square
    of their number.
    """
    named = enumerate(units) if clusters is None else zip(clusters, units, strict=True)
    kept = [(cluster, dict(unit)) for cluster, unit in named if len(unit) > 1]
    paired = [unit for _cluster, unit in kept]
    if not paired:
        return UNDEFINED
    table = _Table(paired, similarity, kin, [cluster for cluster, _unit in kept])
    value = table.alpha()
    if value is None:
        return Alpha(Figure(None, None, None, len(paired)), Figure(None, None, None, len(table.workers)))
    low, high, undefined = table.interval(value, seed, resamples)
    return Alpha(Figure(value, low, high, len(paired), "bca"), table.without_one(value), undefined)


class _Table:
    """The labels of all units in one array, as indices of the distinct labels, and the similar pairs of these."""

    def __init__(
        self,
        units: Sequence[Mapping[str, H]],
        similarity: Similarity[H] | None,
        kin: Kin[H] | None,
        clusters: Sequence[Hashable],
    ) -> None:
        places: dict[H, int] = {}
        self.codes = np.array([places.setdefault(x, len(places)) for unit in units for x in unit.values()])
        known: dict[Hashable, int] = {}
        self.cluster = np.array([known.setdefault(cluster, len(known)) for cluster in clusters])  # of each unit
        self.owner = np.repeat(np.arange(len(units)), [len(unit) for unit in units])
        self.workers = sorted({worker for unit in units for worker in unit})
        self.number = len(places)
        self.left, self.right, self.alike = _pairs(list(places), similarity, kin)
        self._near = dict(
            zip(zip(self.left.tolist(), self.right.tolist(), strict=True), self.alike.tolist(), strict=True)
        )
        self._units = [{worker: places[x] for worker, x in unit.items()} for unit in units]
        self.observed = np.array([self._observed(list(unit.values())) for unit in self._units])

    def alpha(self) -> float | None:
        return self._of(float(self.observed.sum()), self._counts(None))

    def interval(self, value: float, seed: int, resamples: int) -> tuple[float | None, float | None, int]:
        """The ends of the bias-corrected interval, None if there is none, and the resamples with only one label."""
        labels = np.bincount(self.cluster[self.owner])
        if is_values_only() or np.ptp(np.bincount(self.cluster, self.observed) / labels) < 1e-9:
            return None, None, 0
        drawn = [each for each in self.resampled(seed, resamples) if each is not None]
        undefined = resamples - len(drawn)
        if undefined > UNDEFINED_DRAWS * resamples:
            return None, None, undefined
        low, high = bias_corrected(np.array(drawn), value, self._influence())
        return (low, high, undefined) if low <= value <= high else (None, None, undefined)

    def _influence(self) -> Floats:
        """The first-order change of alpha by each cluster, as in an infinitesimal jackknife."""
        counts, number = self._counts(None), int(self.cluster.max()) + 1
        near = counts.copy()  # of each label, the labels in the table by their similarity to it
        near += np.bincount(self.left, self.alike * counts[self.right], self.number)
        near += np.bincount(self.right, self.alike * counts[self.left], self.number)
        n, spread, observed = counts.sum(), float((counts * (counts.sum() - near)).sum()), self.observed.sum()
        owned = self.cluster[self.owner]
        labels, shared = np.bincount(owned, None, number), np.bincount(owned, near[self.codes], number)
        expected = spread / (n - 1)
        change = (2 * (n * labels - shared) - expected * labels) / (n - 1)
        influence = (observed / expected * change - np.bincount(self.cluster, self.observed, number)) / expected
        centred: Floats = influence - influence.mean()
        return centred

    def resampled(self, seed: int, resamples: int) -> Iterator[float | None]:
        n = int(self.cluster.max()) + 1
        copies = 2 - 1 / n  # of a label that is drawn: two of its copies are no two labels that happen to be alike
        if self.number <= FEW:
            parts = np.zeros((n, 1 + self.number))
            parts[:, 0] = np.bincount(self.cluster, self.observed, n)
            np.add.at(parts, (self.cluster[self.owner], 1 + self.codes), 1.0)
            for row in resampled_sums(parts, seed, resamples=resamples):
                yield self._of(float(row[0]), row[1:], copies)
            return
        rng = np.random.default_rng(seed)
        for _draw in range(resamples):
            times = np.bincount(rng.integers(0, n, size=n), minlength=n).astype(np.float64)[self.cluster]
            yield self._of(float(times @ self.observed), self._counts(times[self.owner]), copies)

    def without_one(self, value: float) -> Figure:
        ends = [each for each in self.without_each() if each is not None]
        low, high = (min(*ends, value), max(*ends, value)) if ends else (None, None)
        return Figure(value, low, high, len(self.workers), "without one worker")

    def without_each(self) -> Iterator[float | None]:
        """Alpha without each worker in turn; units left with a single label are dropped."""
        total, observed = self._counts(None), float(self.observed.sum())
        held: defaultdict[str, list[int]] = defaultdict(list)
        for k, unit in enumerate(self._units):
            for worker in unit:
                held[worker].append(k)
        for worker in self.workers:
            counts, left = total.copy(), observed
            for k in held[worker]:
                others = [code for name, code in self._units[k].items() if name != worker]
                removed = [self._units[k][worker]] if len(others) > 1 else list(self._units[k].values())
                np.subtract.at(counts, removed, 1.0)
                left += self._observed(others) - float(self.observed[k])
            yield self._of(left, counts)

    def _counts(self, weights: Floats | None) -> Floats:
        return np.bincount(self.codes, weights, self.number).astype(np.float64)

    def _observed(self, codes: Sequence[int]) -> float:
        """Disagreement over ordered pairs of one unit, by its labels less one; 0 for a label alone."""
        pairs = [(min(a, b), max(a, b)) for k, a in enumerate(codes) for b in codes[:k] if a != b]
        return sum(2 * (1 - self._near.get(pair, 0.0)) for pair in pairs) / (len(codes) - 1) if pairs else 0.0

    def _of(self, observed: float, counts: Floats, copies: float = 1.0) -> float | None:
        n = float(counts.sum())
        if n < 2:
            return None
        alike = float(counts @ counts) + 2 * float((counts[self.left] * counts[self.right]) @ self.alike)
        expected = (n * n - alike) / (n - copies)
        return None if expected < 1e-9 else 1.0 - observed / expected


def _pairs(
    values: Sequence[H], similarity: Similarity[H] | None, kin: Kin[H] | None
) -> tuple[Integers, Integers, Floats]:
    """The pairs of different labels with a similarity above 0, and these similarities."""
    near: list[tuple[int, int, float]] = []
    if similarity is not None:
        near = [(a, b, s) for a, b in sorted(_candidates(values, kin)) if (s := similarity(values[a], values[b])) > 0]
    left, right = (np.array([row[k] for row in near], dtype=np.int64) for k in (0, 1))
    return left, right, np.array([row[2] for row in near], dtype=np.float64)


def _candidates(values: Sequence[H], kin: Kin[H] | None) -> set[tuple[int, int]]:
    if kin is None:
        return {(a, b) for b in range(len(values)) for a in range(b)}
    sharing: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, value in enumerate(values):
        for each in set(kin(value)):
            sharing[each].append(place)
    return {(a, b) for places in sharing.values() for k, b in enumerate(places) for a in places[:k]}


ANSWER_TEXT, SUPPORT = _("the answer (distance 1 − F1)"), _("the support (MASI distance)")
ALPHA_COLUMNS = [
    _("Part"), _("Value"), _("95 % low"), _("95 % high"), "n",
    _("Lowest with one annotator left out"), _("Highest with one annotator left out"),
]  # fmt: skip
NOTE = _(
    "1: full agreement; 0: agreement at chance level. n counts the units with at least two annotators. "
    "Bootstrap intervals over these units; lowest and highest: of alpha itself and with any one annotator left out."
)


def text_agreement_table(alphas: Sequence[tuple[str, Alpha]]) -> list[JSON]:
    """A row for each (words, alpha); no table if no unit has two labels."""
    rows = [
        [text_cell(words), *(rounded(end) for end in (one.figure.value, one.figure.low, one.figure.high)),
         one.figure.n, *(rounded(end) for end in (one.without.low, one.without.high))]
        for words, one in alphas
        if one.figure.n
    ]  # fmt: skip
    title = _("Krippendorff's alpha for texts and marks")
    return [table("text-agreement", title, ALPHA_COLUMNS, rows, [NOTE, NO_INTERVAL])] if rows else []
