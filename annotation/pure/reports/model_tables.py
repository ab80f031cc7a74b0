"""Tables of models beside people: agreement, the alternative annotator test; and, beside, figures from both.

Every table names the model and says of how many items and annotators it is; none adds a model to the annotators.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.model_aspects import HIGH, LABEL, LOW, MODEL, Aspect, Predictions, about_intervals, named
from annotation.pure.reports.model_estimates import estimates
from annotation.pure.reports.tables import rounded, text_cell
from annotation.pure.statistics.alternative_annotator import (
    LEAST_ITEMS,
    Alternative,
    alternative_annotator,
    equal_labels,
    nearness,
)
from annotation.pure.statistics.model_beside_workers import Beside, Labelled, beside_workers, calibration_of, rates_of
from annotation.pure.text.translation_marks import gettext_noop as _

EPSILON = 0.1  # the same for all batches, so that nobody chooses it by its result
MOST_LABELS = 12  # of a confusion table
TESTED = _(
    "ε = %(epsilon)s in all batches. Winning rate ω: the share of annotators whom the model may replace; "
    "from 50 %% on it passes the test. Advantage ρ: how often the model agrees at least as well as the "
    "annotator. An annotator is tested with %(least)s items or more that another annotator and the model "
    "judged too; a dash where nobody has as many."
)


def model_tables(asked: Aspect, given: Sequence[Labelled], predicted: Predictions, seed: int) -> Iterator[JSON]:
    """All tables of one thing that is judged; none where no item has both a response and a prediction."""
    known = {model: of for model, of in predicted.items() if any(row.item in of for row in given)}
    if not known:
        return
    if asked.labels:
        rows = [row._replace(label=asked.label(row.label)) for row in given]
        labelled = {m: {item: asked.label(one.value) for item, one in of.items()} for m, of in known.items()}
        beside = {model: beside_workers(rows, of, seed) for model, of in labelled.items()}
        yield from _agreement(asked, beside)
        yield from _rates(asked, rows, labelled, seed)
        yield from _calibration(asked, rows, labelled, known if asked.whole else {}, seed)
    yield from _alternatives(asked, given, known)
    yield estimates(asked, given, known)


def _agreement(asked: Aspect, beside: Mapping[str, Beside]) -> Iterator[JSON]:
    known = {model: of for model, of in beside.items() if of.n}
    if not known:
        return
    rows = [
        [model, *(one.as_json() for one in (of.worker, of.model, of.difference, of.majority)), of.items, of.workers]
        for model, of in known.items()
    ]
    columns = (
        MODEL,
        _("Annotators with the other annotators"),
        _("Model with the same annotators"),
        _("Model minus annotators"),
        _("Model with the majority of all"),
        _("Items"),
        _("Annotators"),
    )
    note = [
        _(
            "Each annotator, and the model, against the majority of the other annotators on the annotator’s items; of "
            "equally frequent labels each counts its share. The majority of all includes each annotator, so only the "
            "model has a figure against it."
        ),
        about_intervals(max(of.workers for of in known.values())),
    ]
    yield named("model-agreement", asked, _("Models beside annotators"), columns, rows, note)
    if len(asked.labels) <= MOST_LABELS:
        pairs = list(product(asked.labels.items(), repeat=2))
        counts = [
            [model, right, said, *(rounded(of.get((a, b), 0.0), 1) for of in (by.model_confusion, by.worker_confusion))]
            for model, by in known.items()
            for (a, right), (b, said) in pairs
        ]
        heads = (MODEL, _("Majority of the others"), LABEL, _("By the model"), _("By annotators"))
        told = [_("Responses; of equally frequent labels of the others each counts its share.")]
        yield named("model-confusion", asked, _("Labels of models and annotators"), heads, counts, told)


def _rates(
    asked: Aspect, rows: Sequence[Labelled], predicted: Mapping[str, Mapping[Hashable, Any]], seed: int
) -> Iterator[JSON]:
    """Of two labels: how often each is found where most others gave it."""
    if len(asked.labels) != 2:
        return
    first, cells = next(iter(asked.labels)), list(asked.labels.values())
    made = []
    for model, labels in predicted.items():
        found = rates_of(rows, labels, first, seed)
        ends = (
            (found.worker_sensitivity, found.model_sensitivity),
            (found.worker_specificity, found.model_specificity),
        )
        made += [
            [model, cell, worker.as_json(), own.as_json()]
            for cell, (worker, own) in zip(cells, ends, strict=True)
            if worker.value is not None
        ]
    if made:
        columns = (MODEL, _("Majority of the others"), _("Annotators who say so"), _("Model says so"))
        note = [_("Sensitivity for the first label is specificity for the second, and the other way round.")]
        yield named("model-rates", asked, _("Sensitivity and specificity"), columns, made, note)


def _calibration(
    asked: Aspect,
    rows: Sequence[Labelled],
    labels: Mapping[str, Mapping[Hashable, Any]],
    predicted: Predictions,
    seed: int,
) -> Iterator[JSON]:
    made: list[list[Any]] = []
    for model, of in predicted.items():
        sure = {item: one.confidence for item, one in of.items() if one.confidence is not None}
        found = calibration_of(rows, labels[model], sure, seed)
        for part in found.bins if found.brier.n else ():
            if part.right.n:
                words = text_cell(_("%(low)s to %(high)s"), low=part.low, high=part.high)
                mean = None if part.confidence is None else rounded(100 * part.confidence, 1)
                made.append([model, words, part.right.n, mean, part.right.as_json(), None, None, None])
        if found.brier.n:
            ends = [rounded(end) for end in (found.brier.value, found.brier.low, found.brier.high)]
            made.append([model, text_cell(_("all")), found.brier.n, None, None, *ends])
    if made:
        columns = (
            MODEL,
            _("Confidence"),
            _("Items"),
            _("Mean confidence"),
            _("Agrees with the majority"),
            _("Brier score"),
            LOW,
            HIGH,
        )
        note = [
            _("Against the majority of all annotators. Brier score: the mean of (confidence − agrees)², 0 is best.")
        ]
        yield named("model-calibration", asked, _("Confidence of models"), columns, made, note)


def _alternatives(asked: Aspect, given: Sequence[Labelled], predicted: Predictions) -> Iterator[JSON]:
    people: dict[str, dict[Hashable, Any]] = {}
    for row in given:
        people.setdefault(row.worker, {})[row.item] = row.label
    if len(people) < 2:
        return
    found: dict[str, Alternative] = {}
    for model, of in predicted.items():
        values = {item: one.value for item, one in of.items()}
        found[model] = alternative_annotator(people, values, EPSILON, nearness if asked.ends else equal_labels)
    alike = (
        _("Agreement: the root of the mean squared distance to the others, the smaller the better.")
        if asked.ends
        else _("Agreement: the share of the others with the same label.")
    )
    note = [text_cell(TESTED, epsilon=EPSILON, least=LEAST_ITEMS), alike]
    rows = [
        [model, _share(of.winning_rate), _share(of.advantage), len(of.persons), of.few] for model, of in found.items()
    ]
    columns = (MODEL, _("ω (%)"), _("ρ (%)"), _("Annotators tested"), _("With too few items"))
    yield named("alternative-annotator", asked, _("Alternative annotator test"), columns, rows, note)
    persons = [
        [worker, model, one.items, _share(one.model), _share(one.person), rounded(one.p, 4), _said(one.beaten)]
        for model, of in found.items()
        for worker, one in of.persons.items()
    ]
    if persons:
        heads = (
            _("Worker"),
            MODEL,
            _("Items"),
            _("Model at least as good (%)"),
            _("Annotator at least as good (%)"),
            _("p"),
            _("Rejected"),
        )
        told = [_("One-sided t test per annotator; rejected at a false discovery rate of 5 % (Benjamini–Yekutieli).")]
        title = _("Alternative annotator test by annotator")
        yield named("alternative-annotator-by-worker", asked, title, heads, persons, told)


def _share(value: float | None) -> float | None:
    return None if value is None else rounded(100 * value, 1)


def _said(holds: bool) -> JSON:
    return text_cell(_("yes") if holds else _("no"))
