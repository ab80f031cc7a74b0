"""Tables of models beside people: agreement, the alternative annotator test; and, beside, figures from both.

Every table names the model and says of how many items and annotators it is; none adds a model to the annotators.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.model_aspects import (
    INTERVALS,
    LABEL,
    MODEL,
    WAYS,
    Aspect,
    Draw,
    Predictions,
    Strata,
    listed,
    table_of,
)
from annotation.pure.reports.model_estimates import (
    ESTIMATES,
    Estimated,
    differences,
    estimated,
    estimates,
    in_short,
    stated_once,
)
from annotation.pure.reports.tables import rounded, text_cell
from annotation.pure.statistics.model_beside_workers import (
    LEAST_ITEMS,
    Agreement,
    Alternative,
    Beside,
    Labelled,
    alternative_annotator,
    beside_workers,
    calibration_of,
    equal_labels,
    jaccard,
    nearness,
    rates_of,
)
from annotation.pure.text.translation_marks import gettext_noop as _

EPSILON = 0.1  # the same for all batches, so that nobody chooses it by its result
MOST_LABELS = 12  # of a confusion table
TESTED = _(
    "An annotator is tested with at least %(least)s items that another annotator and the model judged too; without "
    "such an annotator there are no rates. Winning rate ω: of the annotators tested, the share whom the model may "
    "replace; from 50 %% on it passes the test. Advantage ρ: how often the model agrees with the others at least as "
    "well as the annotator does, the mean over annotators. ε = %(epsilon)s in all batches."
)
ALIKE: dict[Agreement, str] = {
    equal_labels: _("Agreement: the share of the others with the same label."),
    nearness: _("Agreement: the root of the mean squared distance to the others, the smaller the better."),
    jaccard: _("Agreement: the share of common labels among those that either gave, the mean over the others."),
}
ELEMENTS = _(
    "Each element of a list counts the same (ratios of sums), except in rows called “mean over items”. There is no "
    "alternative annotator test, which is about items."
)
CONDITIONAL = _(
    "This is asked only in some cases. Figures are of those in which annotators and the model were all asked. There is "
    "no estimate from people and a model, since the model may have been asked in other cases than people."
)
SETS = _("A response may have several labels, so there is no majority and no agreement with one.")
NUMBERS = _("Numbers have no majority, so there is no agreement with one.")
MANY = _("There are more than %(most)s labels, so there is no table of labels.")
WITHOUT = _("Without figures of models, since they are texts, marked words, comparisons or orders: %(names)s.")
BESIDE = _(
    "On items that the model and at least two annotators judged. Each annotator, and the model, is compared with the "
    "majority of the other annotators; figures are means over annotators. The majority of all includes each annotator, "
    "so only the model is compared with it, also on items with one annotator. Where several labels are equally "
    "frequent, each counts its share."
)
BESIDE_EACH = _("The interval of the agreement with the majority of all is over items only.")
LABELS_OF = _(
    "Each label that an annotator gave counts once, in both columns; the model’s is that of the same item. Where the "
    "others gave several labels equally often, each counts its share."
)
RATES = _(
    "Where most of the other annotators gave a label: how often the annotator, or the model, gave it, too. Sensitivity "
    "for one label is specificity for the other."
)
CALIBRATION = _(
    "On items to which the model gave a confidence, against the majority of all annotators. Brier score: the mean of "
    "(confidence − agrees)²; 0 is best."
)
BY_ANNOTATOR = _(
    "p: one-sided t test of whether the annotator’s share exceeds the model’s by less than ε. The model may replace "
    "annotators for whom it does at a false discovery rate of 5 % (Benjamini–Yekutieli)."
)


def model_report(
    aspects: Sequence[Aspect],
    given: Mapping[str, Sequence[Labelled]],
    predicted: Mapping[str, Predictions],
    strata: Sequence[Strata],
    seed: int,
    draw: Draw | None = None,
) -> tuple[list[JSON], list[JSON]]:
    """All tables, of the estimates in short first, and sentences; by names of aspects. [] where no item has both.

    `draw`: of items that were drawn by confidence. They have the estimates only, which alone weigh them.
    """
    made, tables = [], list[JSON]()
    for asked in aspects:
        rows, of = given.get(asked.name, ()), predicted.get(asked.name, {})
        known = {model: own for model, own in of.items() if any(row.item in own for row in rows)}
        if known:
            found = estimated(asked, rows, known, draw)
            made.append((asked, found if draw else stated_once(asked, found)))
            own_tables = estimates(asked, made[-1][1], draw) if draw else _tables(asked, rows, known, seed, made[-1][1])
            tables += _with_notes(asked, [*own_tables])
            tables += [one for way in strata for one in _by_stratum(asked, rows, known, way, seed)]
    first, sentences = in_short(made, drawn=draw is not None)
    tables = [*first, *tables]
    if tables and (without := [asked.about for asked in aspects if not asked.labels and not asked.ends]):
        tables[0]["note"] = [*tables[0]["note"], text_cell(WITHOUT, names=listed(without))]
    return tables, sentences


def _with_notes(asked: Aspect, tables: list[JSON]) -> list[JSON]:
    """The tables, the first with notes on those that there are not."""
    notes: list[Any] = [ELEMENTS] if asked.each else []
    notes += [CONDITIONAL] if asked.conditional else []
    notes += [SETS] if asked.sets else [] if asked.labels else [NUMBERS]
    notes += [text_cell(MANY, most=MOST_LABELS)] if len(asked.labels) > MOST_LABELS and not asked.sets else []
    for first in tables[:1]:
        first["note"] = [*first["note"], *notes]
    return tables


def _tables(
    asked: Aspect, given: Sequence[Labelled], known: Predictions, seed: int, made: Sequence[Estimated]
) -> Iterator[JSON]:
    """All tables of one thing that is judged."""
    yield from estimates(asked, made)
    yield from _beside(asked, given, known, seed)
    yield from _alternatives(asked, given, known)


def _by_stratum(asked: Aspect, given: Sequence[Labelled], known: Predictions, way: Strata, seed: int) -> Iterator[JSON]:
    """The same tables but the test, with the stratum in the first cell of each row; each stratum has its own guards."""
    found: dict[str, JSON] = {}
    variant, column = WAYS[way.way]
    both: dict[Any, Sequence[Estimated]] = {}
    for stratum, rows, of in way.parts(asked, given, known):
        both[stratum] = estimated(asked, rows, of)
        for made in (*estimates(asked, both[stratum]), *_beside(asked, rows, of, seed)):
            head = {"name": f"{made['name']}-by-{way.way}", "variant": variant, "columns": [column, *made["columns"]]}
            kept = found.setdefault(made["kind"], {**made, **head, "rows": [], "note": []})
            kept["rows"] += [[stratum, *row] for row in made["rows"]]
            kept["note"] += [note for note in made["note"] if isinstance(note, str) and note not in kept["note"]]
    for row in differences(asked, both):
        found[ESTIMATES]["rows"].append(row)
    yield from found.values()


def _beside(asked: Aspect, given: Sequence[Labelled], known: Predictions, seed: int) -> Iterator[JSON]:
    """The model and annotators on the same reference."""
    if not asked.labels or asked.sets:
        return
    rows = [row._replace(label=asked.label(row.label)) for row in given]
    labelled = {m: {item: asked.label(one.value) for item, one in of.items()} for m, of in known.items()}
    yield from _agreement(asked, {model: beside_workers(rows, of, seed) for model, of in labelled.items()})
    yield from _rates(asked, rows, labelled, seed)
    yield from _calibration(asked, rows, labelled, known if asked.whole else {}, seed)


def _agreement(asked: Aspect, beside: Mapping[str, Beside]) -> Iterator[JSON]:
    known = {model: of for model, of in beside.items() if of.n}
    if not known:
        return
    rows = [
        [model, *(one.as_json() for one in (of.worker, of.model, of.difference, of.majority)), *sizes]
        for model, of in known.items()
        for sizes in [[*([of.elements] if asked.each else []), of.items, of.workers]]
    ]
    columns = (
        MODEL,
        _("Annotators with the other annotators"),
        _("Model with the same annotators"),
        _("Model minus annotators"),
        _("Model with the majority of all"),
        *([_("Elements")] if asked.each else []),
        _("Items"),
        _("Annotators"),
    )
    note = [BESIDE, INTERVALS, *([BESIDE_EACH] if asked.each else [])]
    yield table_of("model-agreement", asked, _("Models beside annotators"), columns, rows, note)
    if len(asked.labels) <= MOST_LABELS:
        pairs = list(product(asked.labels.items(), repeat=2))
        counts = [
            [model, right, said, *(rounded(of.get((a, b), 0.0), 1) for of in (by.model_confusion, by.worker_confusion))]
            for model, by in known.items()
            for (a, right), (b, said) in pairs
        ]
        heads = (MODEL, _("Majority of the others"), LABEL, _("By the model"), _("By annotators"))
        yield table_of("model-confusion", asked, _("Labels of models and annotators"), heads, counts, [LABELS_OF])


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
            [model, cell, worker.as_json(), own.as_json(), worker.n]
            for cell, (worker, own) in zip(cells, ends, strict=True)
            if worker.value is not None
        ]
    if made:
        heads = (_("Majority of the others"), _("Annotators who say so"), _("Model says so"), _("Labels compared"))
        yield table_of(
            "model-rates", asked, _("Sensitivity and specificity"), (MODEL, *heads), made, [RATES, INTERVALS]
        )


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
            _("95 % low"),
            _("95 % high"),
        )
        yield table_of("model-calibration", asked, _("Confidence of models"), columns, made, [CALIBRATION, INTERVALS])


def _alternatives(asked: Aspect, given: Sequence[Labelled], predicted: Predictions) -> Iterator[JSON]:
    people: dict[str, dict[Hashable, Any]] = {}
    for row in given if not asked.each else ():
        people.setdefault(row.worker, {})[row.item] = row.label
    if len(people) < 2:
        return
    agreement = jaccard if asked.sets else nearness if asked.ends else equal_labels
    found: dict[str, Alternative] = {}
    for model, of in predicted.items():
        values = {item: one.value for item, one in of.items()}
        found[model] = alternative_annotator(people, values, EPSILON, agreement)
    note = [text_cell(TESTED, epsilon=EPSILON, least=LEAST_ITEMS), ALIKE[agreement]]
    rows = [
        [model, _share(of.winning_rate), _share(of.advantage), len(of.persons), of.few] for model, of in found.items()
    ]
    columns = (MODEL, _("ω (%)"), _("ρ (%)"), _("Annotators tested"), _("With too few items"))
    yield table_of("alternative-annotator", asked, _("Alternative annotator test"), columns, rows, note)
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
            _("Model may replace"),
        )
        title = _("Alternative annotator test by annotator")
        yield table_of("alternative-annotator-by-worker", asked, title, heads, persons, [BY_ANNOTATOR])


def _share(value: float | None) -> float | None:
    return None if value is None else rounded(100 * value, 1)


def _said(holds: bool) -> JSON:
    return text_cell(_("yes") if holds else _("no"))
