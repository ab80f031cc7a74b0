"""Tables on labels: agreement, aggregated labels by three rules, and each worker's labels.

Tables are JSON as the report page shows them (pure/reports/tables); titles, notes and columns are gettext ids.
An item is judged by (worker, category) pairs; if a worker judged an item twice, the last judgment counts.

Dawid-Skene and one-coin estimate the workers' reliability. One-coin: each worker is right with one chance and errs
evenly. Dawid-Skene (1979): each worker has a full table of errors, which takes some 50 labels per worker and class to
estimate. Both by expectation maximisation from the vote shares; the objective that `trace` holds never falls.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.pure.data.example import JSON
from annotation.pure.numeric import Floats, Integers, np
from annotation.pure.reports.tables import rounded, table, text_cell
from annotation.pure.statistics.agreement import most_said, percent_agreement
from annotation.pure.statistics.distance_agreement import NO_INTERVAL, RESAMPLES, alpha
from annotation.pure.statistics.intervals import Figure, bootstrap_figure, wilson
from annotation.pure.statistics.worker_intervals import label_units, without_one
from annotation.pure.text.translation_marks import gettext_noop as _

SMOOTHING = 0.01  # pseudo-count for every cell of a worker's table
TOLERANCE = 1e-8  # stop when a step gains less than this per vote
MAX_STEPS = 1000


class Vote(NamedTuple):
    """A worker's label for an item; a worker may label an item more than once."""

    item: str
    worker: str
    label: str


@dataclass(frozen=True)
class LabelModel:
    """A fitted label model. Rows and columns follow `items`, `workers` and `labels`.

    `posterior`: (items × labels) chance of each true label. `shares`: of each true label. `errors`:
    (workers × true × given). `trace`: the objective after each step.
    """

    name: str
    items: list[str]
    workers: list[str]
    labels: list[str]
    posterior: Floats
    shares: Floats
    errors: Floats
    trace: list[float]

    def aggregates(self) -> dict[str, str | None]:
        """The most likely label of each item; None for a tie."""
        best = self.posterior.max(axis=1, keepdims=True)
        tied = (self.posterior > best - 1e-9).sum(axis=1)
        places = self.posterior.argmax(axis=1)
        return {
            item: self.labels[place] if one == 1 else None
            for item, place, one in zip(self.items, places, tied, strict=True)
        }

    def accuracies(self) -> dict[str, float]:
        """Each worker's chance of being right, over the estimated shares of the true labels."""
        right = np.einsum("wtt,t->w", self.errors, self.shares)
        return dict(zip(self.workers, right.tolist(), strict=True))


def dawid_skene(votes: Iterable[Vote], *, smoothing: float = SMOOTHING) -> LabelModel:
    """A table of errors for each worker. ValueError without votes."""
    return _fitted("dawid-skene/1", votes, tables=_confusions, smoothing=smoothing)


def one_coin(votes: Iterable[Vote], *, smoothing: float = SMOOTHING) -> LabelModel:
    """One accuracy for each worker. ValueError without votes."""
    return _fitted("one-coin/1", votes, tables=_coins, smoothing=smoothing)


@dataclass(frozen=True)
class _Votes:
    """Votes as positions in the lists of items, workers and labels."""

    item: Integers
    worker: Integers
    label: Integers
    sizes: tuple[int, int, int]


_Tables = Callable[[_Votes, Floats, float], tuple[Floats, float]]


def _fitted(name: str, votes: Iterable[Vote], *, tables: _Tables, smoothing: float) -> LabelModel:
    columns = list(zip(*votes, strict=True))
    if not columns:
        raise ValueError("there are no votes to bring together")
    (items, item), (workers, worker), (labels, label) = (_coded(column) for column in columns)
    seen = _Votes(item, worker, label, (len(items), len(workers), len(labels)))
    posterior = _vote_shares(seen)
    trace: list[float] = []
    while len(trace) < MAX_STEPS:
        shares = posterior.mean(axis=0)
        errors, penalty = tables(seen, posterior, smoothing)
        posterior, likelihood = _expected(seen, shares, errors)
        trace.append(likelihood + penalty)
        if len(trace) > 1 and trace[-1] - trace[-2] < TOLERANCE * len(seen.item):
            break
    return LabelModel(name, items, workers, labels, posterior, shares, errors, trace)


def _coded(column: Sequence[str]) -> tuple[list[str], Integers]:
    """The distinct values in an order of their own, and each value's position."""
    names = sorted(set(column), key=repr)
    place = {name: k for k, name in enumerate(names)}
    return names, np.fromiter((place[value] for value in column), dtype=np.int64, count=len(column))


def _vote_shares(votes: _Votes) -> Floats:
    """(items × labels): vote shares, from which the estimation starts."""
    n_items, _, n_labels = votes.sizes
    cells = np.bincount(votes.item * n_labels + votes.label, minlength=n_items * n_labels)
    counts: Floats = cells.reshape(n_items, n_labels).astype(np.float64)
    counts /= counts.sum(axis=1, keepdims=True)
    return counts


def _expected(votes: _Votes, shares: Floats, errors: Floats) -> tuple[Floats, float]:
    """The posterior of each item's true label and the log-likelihood of all votes."""
    n_items, _, n_labels = votes.sizes
    with np.errstate(divide="ignore"):
        evidence, prior = np.log(errors), np.log(shares)
    logs = np.empty((n_items, n_labels))
    for true in range(n_labels):
        given = evidence[votes.worker, true, votes.label]
        logs[:, true] = np.bincount(votes.item, given, minlength=n_items) + prior[true]
    peak = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - peak)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, float((np.log(total) + peak).sum())


def _confusions(votes: _Votes, posterior: Floats, smoothing: float) -> tuple[Floats, float]:
    """(tables of errors, log of their prior) that fit the posterior best."""
    _, n_workers, n_labels = votes.sizes
    cell = votes.worker * n_labels + votes.label
    counts = np.empty((n_workers, n_labels, n_labels))
    for true in range(n_labels):
        weights = posterior[votes.item, true]
        counts[:, true] = np.bincount(cell, weights, minlength=n_workers * n_labels).reshape(n_workers, -1)
    counts += smoothing
    totals = counts.sum(axis=2, keepdims=True)
    errors = np.divide(counts, totals, out=np.full_like(counts, 1 / n_labels), where=totals > 0)
    return errors, smoothing * float(np.log(errors).sum()) if smoothing else 0.0


def _coins(votes: _Votes, posterior: Floats, smoothing: float) -> tuple[Floats, float]:
    """Like `_confusions`, with one accuracy per worker and uniform errors."""
    _, n_workers, n_labels = votes.sizes
    if n_labels == 1:
        return np.ones((n_workers, 1, 1)), 0.0
    right = np.bincount(votes.worker, posterior[votes.item, votes.label], minlength=n_workers) + smoothing
    wrong = np.bincount(votes.worker, minlength=n_workers) + 2 * smoothing - right
    accuracy = right / (right + wrong)
    errors = np.repeat((1 - accuracy) / (n_labels - 1), n_labels * n_labels).reshape(n_workers, n_labels, -1)
    errors[:, np.arange(n_labels), np.arange(n_labels)] = accuracy[:, None]
    penalty = smoothing * float((np.log(accuracy) + np.log1p(-accuracy)).sum()) if smoothing else 0.0
    return errors, penalty


LabelsByItem = Iterable[tuple[str, Sequence[tuple[str, Hashable]]]]
Labels = dict[str, str | None]  # None: two labels are equally good

CHANCE, GUESSING = _("Agreement expected by chance"), _("Agreement by random guessing")
BY_CHANCE = (CHANCE, GUESSING)
SHARED_BY = 3  # models of workers need items with labels of as many annotators ...
SHARED = 20  # ... and that many such items

WITHOUT_ONE = _("Lowest and highest: of alpha itself and with any one annotator left out.")
TOO_FEW = _("Dawid–Skene and the one-coin model need at least 20 items with labels from three or more annotators.")
MODELLED = _(
    "Labels are aggregated by majority, by Dawid–Skene (each annotator has their own confusion matrix; "
    "reliable from about 50 labels per annotator and class) and by the one-coin model (each annotator is "
    "correct with one probability)."
)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The label of each judged item by each rule; the models are None if too few items are shared."""

    majority: Labels
    dawid_skene: Labels | None
    one_coin: Labels | None
    accuracies: Mapping[str, float]  # of the workers, by one-coin

    def differing(self, labels: Labels) -> list[str]:
        """The items whose label by another rule is not the majority's."""
        return [item for item, label in labels.items() if label != self.majority[item]]


def side_by_side(judged: LabelsByItem) -> SideBySide:
    """Majority, Dawid–Skene and one-coin for every item with a label."""
    return _modelled(_by_item(judged))


def _modelled(votes: Mapping[str, Mapping[str, str]]) -> SideBySide:
    majority = {item: most_said(own.values()) for item, own in votes.items()}
    if sum(len(own) >= SHARED_BY for own in votes.values()) < SHARED:
        return SideBySide(majority, None, None, {})
    flat = [Vote(item, worker, label) for item, own in votes.items() for worker, label in own.items()]
    full, coin = dawid_skene(flat), one_coin(flat)
    by_full, by_coin = ({item: model.aggregates()[item] for item in majority} for model in (full, coin))
    return SideBySide(majority, by_full, by_coin, coin.accuracies())


def agreement_tables(
    judged: LabelsByItem,
    *,
    categories: Sequence[str],
    labels: Mapping[str, str],
    on: str,
    seed: int,
    gold: Mapping[str, str] | None = None,
) -> list[JSON]:
    """The tables "agreement", "verdicts", "by-worker" and "confusion"; `labels` words the categories, `on` what they
    are about.
    """
    votes = _by_item(judged)
    models = _modelled(votes)
    used = {label for own in votes.values() for label in own.values()} | set((gold or {}).values())
    named = {name: labels.get(name, name) for name in [*categories, *sorted(used - set(categories))]}
    return [
        agreement_table(list(votes.values()), on=on, seed=seed),
        _aggregate_table(models, named),
        _worker_table(votes, models, gold),
        _confusion_table(votes, named, gold),
    ]


def agreement_table(units: Sequence[Mapping[str, Hashable]], *, on: str, seed: int) -> JSON:
    """Observed agreement on `on`, agreement expected by chance, and alpha; units map workers to labels."""
    shared = [list(unit.values()) for unit in units]
    rows = [
        raw_agreement_row(text_cell(_("Agreement of pairs of annotators")), units, seed),
        [text_cell(CHANCE), *_numbers(expected_agreement(shared)), None, None],
        alpha_row(units, seed),
    ]
    note = _(
        "Over items with labels from at least two annotators; bootstrap intervals over items; a dash where undefined."
    )
    notes = [note, NO_INTERVAL, WITHOUT_ONE]
    return table("agreement", _("Agreement"), agreement_columns(_("Items")), rows, notes) | agreed(units, on)


def agreed(units: Iterable[Mapping[str, Hashable]], on: str | JSON) -> JSON:
    """What a table of agreement is about, in words, and how many pairs of labels of one unit it compares."""
    return {"on": on, "pairs": sum(math.comb(len(unit), 2) for unit in units)}


def agreement_columns(of: str) -> list[str]:
    return [
        _("Measure"), _("Value"), _("95 % low"), _("95 % high"), of,
        _("Lowest with one annotator left out"), _("Highest with one annotator left out"),
    ]  # fmt: skip


def raw_agreement_row(words: JSON, units: Sequence[Mapping[str, Hashable]], seed: int) -> list[Any]:
    """Raw agreement of two workers of a unit, and its range with any one worker left out."""
    shared = [percent_agreement([list(unit.values())]) for unit in units]
    without = without_one(label_units(units, lambda labels: percent_agreement([labels])))
    return [words, *_numbers(bootstrap_figure(shared, seed, resamples=RESAMPLES)), *_ends(without)]


def alpha_row(units: Sequence[Mapping[str, Hashable]], seed: int) -> list[Any]:
    found = alpha(units, seed)
    return [text_cell(_("Krippendorff's alpha (nominal)")), *_numbers(found.figure), *_ends(found.without)]


def _ends(figure: Figure) -> list[float | None]:
    return _numbers(figure)[1:3]


def expected_agreement(units: Sequence[Sequence[Hashable]]) -> Figure:
    """Agreement expected by chance, as in Krippendorff's alpha; without an interval."""
    shared = [unit for unit in units if len(unit) > 1]
    if not shared:
        return Figure(None, None, None, 0)
    counts = np.array(list(Counter(label for unit in shared for label in unit).values()), dtype=np.float64)
    n = counts.sum()
    return Figure(float((counts * (counts - 1)).sum() / (n * (n - 1))), None, None, len(shared))


def _by_item(judged: LabelsByItem) -> dict[str, dict[str, str]]:
    """Each judged item's labels by worker, in order of first appearance."""
    labels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item, given in judged:
        if given:
            labels[item].update((worker, str(label)) for worker, label in given)
    return dict(labels)


def _aggregate_table(models: SideBySide, named: Mapping[str, str]) -> JSON:
    """Items with each label by each rule of aggregation, and items where a rule differs from the majority."""
    rules = [models.majority, models.dawid_skene, models.one_coin]
    counts = [None if labels is None else Counter(labels.values()) for labels in rules]
    total = len(models.majority)
    rows = []
    for key, words in [*named.items(), (None, _("tied"))]:
        each = [None if count is None else count[key] for count in counts]
        rows.append([text_cell(words), each[0], wilson(each[0] or 0, total).as_json(), *each[1:]])
    apart = [None if labels is None else len(models.differing(labels)) for labels in rules[1:]]
    rows.append([text_cell(_("different from the majority")), None, None, *apart])
    columns = (_("Label"), _("Majority"), _("Share"), _("Dawid–Skene"), _("One-coin model"))
    note = TOO_FEW if models.dawid_skene is None else MODELLED
    of = [*({"label": key} for key in named), {}, {}]
    return table("verdicts", _("Aggregated labels"), columns, rows, note) | {"of": of}


def _worker_table(votes: Mapping[str, Mapping[str, str]], models: SideBySide, gold: Mapping[str, str] | None) -> JSON:
    """Each worker's agreement with the majority of the others; a tie among the others counts with its share."""
    given: Counter[str] = Counter()
    met: defaultdict[str, list[float]] = defaultdict(list)
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for item, own in votes.items():
        for worker, label in own.items():
            given[worker] += 1
            if len(own) > 1:
                others = _most([other for name, other in own.items() if name != worker])
                met[worker].append((label in others) / len(others))
            if gold and item in gold:
                right[worker].append(label == gold[item])
    columns = [_("Worker"), _("Items"), _("Agreement with the majority of the others"), _("Accuracy (one-coin model)")]
    rows: list[list[Any]] = []
    for worker, n in sorted(given.items()):
        agreeing = wilson(sum(met[worker]), len(met[worker])).as_json()
        accuracy = models.accuracies.get(worker)
        rows.append([worker, n, agreeing, None if accuracy is None else round(accuracy, 3)])
        if gold:
            rows[-1].append(wilson(sum(right[worker]), len(right[worker])).as_json())
    note = _(
        "Each worker compared with the others on the same items, without the worker's own label; 95 % Wilson intervals."
    )
    return table("by-worker", _("By worker"), [*columns, *([_("Agreement with gold")] if gold else [])], rows, note)


def _confusion_table(
    votes: Mapping[str, Mapping[str, str]], named: Mapping[str, str], gold: Mapping[str, str] | None
) -> JSON:
    """Each worker's confusion matrix against gold, or against the majority of the others."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for item, own in votes.items():
        for worker, label in own.items():
            others = [other for name, other in own.items() if name != worker]
            right = gold.get(item) if gold else most_said(others)
            if right is not None:
                counts[worker, right][label] += 1
    rows = [
        [worker, text_cell(named[right]), *(counts[worker, right][label] for label in named)]
        for worker in sorted({worker for worker, _right in counts})
        for right in named
        if (worker, right) in counts
    ]
    of = {"of": [{"worker": row[0]} for row in rows], "of_columns": [{}, {}, *({"label": label} for label in named)]}
    note = (
        _("Rows: the gold label.")
        if gold
        else _("Rows: the majority label of the others; items where they tie are left out.")
    )
    columns = (_("Worker"), _("True label"), *named.values())
    return table("confusion", _("Labels given by each worker"), columns, rows, note) | of


def _most(labels: Sequence[str]) -> set[str]:
    """All labels given most often."""
    counts = Counter(labels)
    most = max(counts.values())
    return {label for label, count in counts.items() if count == most}


def _numbers(figure: Figure) -> list[float | None]:
    return [*(rounded(end) for end in (figure.value, figure.low, figure.high)), figure.n]
