"""Tables of figures from people and a model (PPI++), beside people alone and the model alone."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.model_aspects import HIGH, LABEL, LOW, MODEL, Aspect, Predictions, about_intervals, named
from annotation.pure.reports.tables import rounded, text_cell
from annotation.pure.statistics import people_and_model as ppi
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.model_beside_workers import Labelled
from annotation.pure.statistics.ratings import rescaled
from annotation.pure.statistics.worker_intervals import Response
from annotation.pure.text.translation_marks import gettext_noop as _

REFUSED = {
    ppi.ALL_JUDGED: _("People alone: they judged every item that the model judged."),
    ppi.FEW_LABELS: _(
        "People alone: fewer than ten judged items with this label, or without it. The model differed on "
        "%(different)s of %(n)s judged items: its error is at most %(most)s %%."
    ),
    ppi.FEW_DIFFERENT: _(
        "People alone: the model differed on %(different)s of %(n)s judged items: its error is at most %(most)s %%."
    ),
    ppi.FEW_ITEMS: _("People alone: fewer than 30 judged items."),
    ppi.NO_GAIN: _("People alone: with the model the interval would be no narrower."),
    "": _("People and the model: as precise as %(worth)s items judged by people alone."),
}


def estimates(asked: Aspect, given: Sequence[Labelled], predicted: Predictions) -> JSON:
    """Of each label its share, of a scale or number the mean: from both, of people alone, of the model alone."""
    rows: list[list[Any]] = []
    notes: list[Any] = []
    values = [None] if asked.ends else list(asked.labels)
    for model, of in predicted.items():
        found = None
        for value in values:

            def score(one: Any, value: Any = value) -> float:
                return asked.scaled(one) if asked.ends else float(one == value)

            responses = [Response(row.item, row.worker, score(row.label)) for row in given]
            sample = ppi.sample_of(responses, {item: score(one.value) for item, one in of.items()})
            if sample is not None:
                found = ppi.estimate(sample, mean=bool(asked.ends))
                rows += _of_estimate(asked, model, value, found)
        if found:
            notes += _about(model, found)
    columns = (
        MODEL,
        *(() if asked.ends else (LABEL,)),
        _("Figure"),
        *((_("Mean"), LOW, HIGH) if asked.ends else (_("Share"),)),
        _("Items judged by people"),
        _("Items judged by the model"),
        _("Rests on"),
    )
    notes.append(
        _(
            "The estimate holds for items like these, if those that people judged were drawn at random from those that "
            "the model judged. The interval of the model alone is over items and says nothing of its bias, that is, "
            "the model minus people on the items that both judged."
        )
    )
    return named("people-and-model", asked, _("Judged by people and a model"), columns, rows, notes)


def _of_estimate(asked: Aspect, model: str, value: Any, found: ppi.Estimate) -> Iterator[list[Any]]:
    n, every = found.judged, found.items
    different = round((found.different.value or 0.0) * found.effective)
    most = rounded(100 * (found.different.high or 0.0), 1)
    words = {"different": different, "n": n, "most": most, "worth": round(found.worth)}
    reason = text_cell(REFUSED[found.refused], **words)
    lines = (
        (_("Estimate"), found.printed, n, 0 if found.refused else every, reason),
        (_("People alone"), found.alone, n, 0, None),
        (_("Model alone (biased)"), found.model, 0, every, None),
        (_("Bias of the model"), found.bias, n, n, None),
    )
    for title, figure, people, of_model, why in lines:
        label = [] if asked.ends else [asked.labels[value]]
        is_bias = figure is found.bias
        yield [model, *label, text_cell(title), *_cells(asked, figure, is_bias=is_bias), people, of_model, why]


def _cells(asked: Aspect, figure: Figure, *, is_bias: bool) -> list[Any]:
    """A share as a figure; a mean on its scale with its interval, a bias in its points."""
    if asked.ends is None:
        return [figure.as_json()]
    low, high = asked.ends
    own = rescaled(figure, 0 if is_bias else low, high - low if is_bias else high)
    return [rounded(own.value), rounded(own.low), rounded(own.high)]


def _about(model: str, found: ppi.Estimate) -> Iterator[Any]:
    message = _("%(model)s judged %(items)s items; %(workers)s annotators judged %(n)s of them.")
    yield text_cell(message, model=model, items=found.items, workers=found.workers, n=found.judged)
    yield about_intervals(found.workers)
    if found.many and found.judged < found.items:
        yield _("People judged more than 5 % of the items: for exactly these items the intervals are too wide.")
