"""Tables on labels: agreement, aggregated labels by three rules, and each worker's labels.

Tables are JSON as the report page shows them (pure/reports/tables); titles, notes and columns are gettext ids.
An item is judged by (worker, category) pairs; if a worker judged an item twice, the last judgment counts.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.numeric import np
from annotation.pure.reports.tables import rounded, table, text_cell
from annotation.pure.statistics.agreement import most_said, percent_agreement
from annotation.pure.statistics.distance_agreement import NO_INTERVAL, RESAMPLES, alpha
from annotation.pure.statistics.intervals import Figure, bootstrap_figure, wilson
from annotation.pure.statistics.label_models import Vote, dawid_skene, one_coin
from annotation.pure.statistics.worker_intervals import label_units, without_one
from annotation.pure.text.translation_marks import gettext_noop as _

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
