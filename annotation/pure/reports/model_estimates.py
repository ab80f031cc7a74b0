"""Figures from people and a model (PPI++), beside people alone and the model alone: a table, and in short."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from annotation.pure.data.example import JSON
from annotation.pure.reports.model_aspects import INTERVALS, LABEL, MODEL, Aspect, Draw, Predictions, listed, table_of
from annotation.pure.reports.tables import (
    as_sentence,
    cell_text,
    percent_with_interval,
    rounded,
    table,
    text_cell,
    with_minus,
)
from annotation.pure.statistics import people_and_model as ppi
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.model_beside_workers import Labelled
from annotation.pure.statistics.ratings import rescaled
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Response
from annotation.pure.text.translation_marks import gettext_noop as _

ESTIMATES = "people-and-model"
BY_PEOPLE, BY_MODEL = _("Items used, judged by people"), _("Items used, judged by the model")

REFUSED = {
    ppi.ALL_JUDGED: _("People alone: they judged every item that the model judged."),
    ppi.FEW_LABELS: _(
        "People alone: fewer than ten judged items with this label, or without it. The model differed from people on "
        "%(different)s of %(n)s judged items: its error rate is at most %(most)s %% (upper 95 %% limit)."
    ),
    ppi.FEW_DIFFERENT: _(
        "People alone: the model differed from people on %(different)s of %(n)s judged items: its error rate is at "
        "most %(most)s %% (upper 95 %% limit)."
    ),
    ppi.FEW_ELEMENTS: _(
        "People alone: the number of judged items times the share of this label, or of all others, is below ten."
    ),
    ppi.FEW_ITEMS: _("People alone: fewer than 30 judged items."),
    ppi.NO_GAIN: _("People alone: with the model the interval would be no narrower."),
    "": _("People and the model: as precise as %(worth)s items judged by people alone."),
}


EFFECTIVE, AS_GOOD = _("Effective n"), _("Uniform n (gain)")
DRAWN = _(
    "Items for people were drawn by the confidence of %(model)s; each weighs 1/π, where π is its inclusion "
    "probability. Effective n, (Σ 1/π)² / Σ 1/π², is the number of judged items in the column “Rests on”. Uniform n: "
    "how many items drawn with equal chances would be as precise; in parentheses, how many percent more or fewer than "
    "people judged."
)
AT_RANDOM = _(
    "Estimates are right for items like these only if those that people judged are a random sample of those that the "
    "model judged."
)
TOO_WIDE = _(
    "Intervals are about items like these. Where people judged more than 5 % of a model’s items, they are too wide for "
    "a statement about exactly these items."
)
UNIFORM_ONLY = _(
    "Items were drawn by a model’s confidence, so those of which it is less sure are overrepresented. Figures of "
    "responses alone need a uniform sample and are left out: human score, upper bound, shares, alpha and other "
    "agreement, and figures of a part of the batch. Estimates from people and a model weigh each item."
)
USED = _("Numbers of items are those that a figure uses.")
STATED = _(
    "People alone have an interval here only beside an estimate from both, computed in the same way; as a figure of "
    "its own, print that of the task’s table."
)


def models_only(task: str) -> JSON:
    """The report of a batch whose items were drawn by confidence, to which its tables of models are added."""
    return {"task": task, "warnings": [as_sentence(UNIFORM_ONLY)], "paragraph": [as_sentence(UNIFORM_ONLY)]}


Key = TypeVar("Key", bound=Hashable)


class Estimated(NamedTuple):
    """An estimate of the share of a label, or of a mean (`label` is None); of elements also of the mean over items."""

    model: str
    label: Any
    sample: ppi.Sample
    found: ppi.Estimate
    of_items: ppi.Estimate | None = None


def estimated(
    asked: Aspect, given: Sequence[Labelled], predicted: Predictions, draw: Draw | None = None
) -> list[Estimated]:
    """Of each model, where people judged some of its items: each label's share, or the mean."""
    made, chances = [], draw.chances if draw else None
    for model, of in predicted.items() if not asked.conditional else ():
        for label in [None] if asked.ends else asked.labels:
            score = asked.scorer(label)
            over: ppi.Estimate | None = None
            if asked.each:
                sums = _sums(((row.drawn, row.worker), score(row.label)) for row in given)
                lists = _sums((what[0], score(one.value)) for what, one in of.items())  # type: ignore[index]  # of elements: pairs
                sample = ppi.sample_of_elements([ppi.Summed(*at, *both) for at, both in sums.items()], lists, chances)
                means = [Response(*at, total / size) for at, (total, size) in sums.items()]
                items = ppi.sample_of(means, {item: total / size for item, (total, size) in lists.items()}, chances)
                over = ppi.estimate(items, mean=True, step=_step(asked)) if items else None
            else:
                responses = [Response(row.item, row.worker, score(row.label)) for row in given]
                sample = ppi.sample_of(responses, {item: score(one.value) for item, one in of.items()}, chances)
            if sample is not None:
                found = ppi.estimate(sample, mean=bool(asked.ends), step=_step(asked))
                made.append(Estimated(model, label, sample, found, over))
    return made


def stated_once(asked: Aspect, made: Sequence[Estimated]) -> list[Estimated]:
    """The same; where people alone are printed, without their interval, which the task's own tables have."""
    return [
        one._replace(found=replace(one.found, printed=bare, alone=bare))
        if one.found.refused and asked.is_stated
        else one
        for one in made
        for bare in [replace(one.found.alone, low=None, high=None)]
    ]


def _step(asked: Aspect) -> float:
    """The smallest difference of printed figures, on 0..1: a tenth of a percent, or .01 of a scale's points."""
    return ppi.STEP if asked.ends is None else 0.01 / (asked.ends[1] - asked.ends[0])


def _sums(values: Iterable[tuple[Key, float]]) -> dict[Key, tuple[float, float]]:
    """By key the sum of its values and their number."""
    found: dict[Key, tuple[float, float]] = {}
    for key, value in values:
        total, size = found.get(key, (0.0, 0))
        found[key] = (total + value, size + 1)
    return found


def estimates(asked: Aspect, made: Sequence[Estimated], draw: Draw | None = None) -> Iterator[JSON]:
    """The table of all estimates beside people alone and the model alone."""
    if not made:
        return
    notes: list[Any] = []
    for one in {one.model: one for one in made}.values():
        counts = {"items": one.found.items, "n": one.found.judged}
        counts_of = {name: f"{number:,}" for name, number in counts.items()}
        notes.append(text_cell(ITEMS_OF, model=one.model, workers=one.found.workers, **counts_of))
    columns = (
        MODEL,
        *(() if asked.ends else (LABEL,)),
        _("Figure"),
        _("Mean") if asked.ends else _("Share"),
        BY_PEOPLE,
        BY_MODEL,
        _("Rests on"),
        *((EFFECTIVE, AS_GOOD) if draw else ()),
    )
    sampled = [one for one in made if one.found.judged < one.found.items]
    notes += [USED, INTERVALS, *([STATED] if asked.is_stated and not draw else [])]
    notes += [text_cell(DRAWN, model=draw.model)] if draw else [AT_RANDOM] if sampled else []
    notes += [TOO_WIDE] if any(one.found.many for one in sampled) else []
    notes.append(
        _(
            "The interval of the model alone is over items and leaves out its bias: the model minus people, on the "
            "items that both judged."
        )
    )
    rows = [row for one in made for row in _of_estimate(asked, one, drawn=draw is not None)]
    yield table_of(ESTIMATES, asked, _("Judged by people and a model"), columns, rows, notes)


def _of_estimate(asked: Aspect, one: Estimated, *, drawn: bool) -> Iterator[list[Any]]:
    found = one.found
    n, every = found.judged, found.items
    lines = [
        (_("Estimate"), found.printed, n, 0 if found.refused else every, _why(found)),
        (_("People alone"), found.alone, n, 0, None),
        (_("Model alone (biased)"), found.model, 0, every, None),
        (_("Bias of the model"), found.bias, n, n, None),
    ]
    if over := one.of_items:
        of_model = 0 if over.refused else every
        lines.insert(1, (_("Estimate, mean over items"), over.printed, n, of_model, _why(over)))
    for title, figure, people, by_model, why in lines:
        label = [] if asked.ends else [asked.labels[one.label]]
        cell = _cell(asked, figure, is_bias=figure is found.bias)
        of = found if figure is found.printed else over if over and figure is over.printed else None
        worth = [] if not drawn else [round(of.effective), _gain(of)] if of else [None, None]
        yield [one.model, *label, text_cell(title), cell, people, by_model, why, *worth]


def _gain(found: ppi.Estimate) -> JSON:
    """As how many items of a uniform draw the judged ones are, and how many percent that is more or less."""
    change = with_minus(f"{100 * (found.gain - 1):+.0f}")
    return text_cell("%(n)s (%(change)s %%)", n=round(found.judged * found.gain), change=change)


def differences(asked: Aspect, strata: Mapping[Any, Sequence[Estimated]]) -> Iterator[list[Any]]:
    """Of two strata the rows on the estimates of the first minus those of the second; people may be in both."""
    if len(strata) != 2:
        return
    known = [{(one.model, one.label): one for one in made} for made in strata.values()]
    words = text_cell("%(first)s − %(second)s", **dict(zip(("first", "second"), strata, strict=True)))
    for (model, label), one in known[0].items():
        if other := known[1].get((model, label)):
            figure = ppi.difference(one.sample, other.sample, mean=bool(asked.ends), step=_step(asked))
            used = [side.found.items for side in (one, other) if not side.found.refused]
            of_model = None if asked.own_strata and used else sum(used)  # an item may have elements in both
            cells = [] if asked.ends else [asked.labels[label]]
            cell = _cell(asked, figure, is_bias=True)
            yield [words, model, *cells, text_cell(_("Difference")), cell, figure.n, of_model, None]


def _why(found: ppi.Estimate) -> JSON:
    """What the printed figure rests on."""
    n = round(found.effective)
    words: dict[str, Any] = {"different": round((found.different.value or 0.0) * n), "n": n}
    words["worth"] = round(found.worth)
    words = {name: f"{number:,}" for name, number in words.items()}
    return text_cell(REFUSED[found.refused], most=rounded(100 * (found.different.high or 0.0), 1), **words)


def _cell(asked: Aspect, figure: Figure, *, is_bias: bool = False) -> JSON:
    """A share as it is; a mean on its scale, a bias in its points."""
    if asked.ends is None:
        return figure.as_json()
    low, high = asked.ends
    return rescaled(figure, 0 if is_bias else low, high - low if is_bias else high).as_json() | {"points": True}


ITEMS_OF = _("Items judged by %(model)s: %(items)s; of these judged by people: %(n)s; annotators: %(workers)s.")
BOTH = _(
    "“%(about)s” by people and %(model)s: %(listing)s; by people alone: %(alone)s (items judged by people: %(n)s, by "
    "the model: %(items)s; annotators: %(workers)s; 95 %% intervals over %(over)s)."
)
ALONE = _("“%(about)s” by people alone: %(listing)s.")
UNUSED = _("No prediction of %(model)s is used for %(names)s.")
SIZES = _("%(items)s items, %(n)s judged by people")
OVER_BOTH, OVER_ITEMS = _("annotators and items, or items only where all values are equal"), _("items only")
SHORT = _(
    "Where no item judged by the model is used, the figure is of people alone; the table “Judged by people and a "
    "model” says why."
)


def in_short(all_made: Sequence[tuple[Aspect, Sequence[Estimated]]], *, drawn: bool) -> tuple[list[JSON], list[JSON]]:
    """The estimates alone as a table, in [] without any, and in sentences; of two labels the first."""
    kept = [(asked, one) for asked, made in all_made for one in made if one.label in _main_labels(asked)]
    if not kept:
        return [], []
    rows = [
        [asked.about, asked.labels.get(one.label), *cells, one.model, one.found.judged, by_model]
        for asked, one in kept
        for by_model in [0 if one.found.refused else one.found.items]
        for figure in [_cell(asked, one.found.printed)]
        for cells in [(None, figure) if asked.ends else (figure, None)]
    ]
    sizes = {(one.found.items, one.found.judged) for _asked, one in kept}
    of_all = [
        text_cell(SIZES, items=f"{m:,}", n=f"{n:,}") if m > 1 else text_cell(_("one item, judged by people"))
        for m, n in sizes
    ]
    said = list(_sentences(all_made, drawn=drawn))
    about = {"about": of_all[0]} if len(of_all) == 1 else {}
    columns = (_("Criterion"), LABEL, _("Share"), _("Mean"), MODEL, BY_PEOPLE, BY_MODEL)
    note = [USED, SHORT] if len(kept) > 1 else [text_cell(one["message"], **one["values"]) for one in said]
    more = {"leads": False, "bars": not any(asked.ends for asked, _one in kept), **about}
    return [table("people-and-model-in-short", _("People and a model"), columns, rows, note, **more)], said


def _main_labels(asked: Aspect) -> list[Any]:
    return [None] if asked.ends else list(asked.labels)[: 1 if len(asked.labels) == 2 and not asked.sets else None]


def _sentences(all_made: Sequence[tuple[Aspect, Sequence[Estimated]]], *, drawn: bool) -> Iterator[JSON]:
    """For each model what both say; then for what it is not used, once for all with the same reason.

    What people say alone stands elsewhere in the report, except in that of a draw by confidence.
    """
    unused: dict[tuple[str, str], tuple[list[JSON], list[JSON]]] = {}  # by model and reason: it, and what is judged
    for asked, made in all_made:
        kept = [one for one in made if one.label in _main_labels(asked)]
        for model in dict.fromkeys(one.model for one in kept):
            used, alone = (
                [one for one in kept if one.model == model and bool(one.found.refused) == is_refused]
                for is_refused in (False, True)
            )
            if used:
                yield from _from_both(asked, model, used)
            if not alone:
                continue
            if drawn:
                figures = _listing(asked, [(one.label, one.found.alone) for one in alone])
                yield as_sentence(ALONE, about=asked.about, listing=figures)
            name = asked.about
            if used:
                labels = listed([asked.labels[one.label] for one in alone])
                name = text_cell("%(about)s (%(labels)s)", about=name, labels=labels)
            why = _shared_reason(alone)
            unused.setdefault((model, "".join(map(cell_text, why))), (why, []))[1].append(name)
    for (model, _reason), (why, names) in unused.items():
        yield as_sentence(UNUSED, model=model, names=listed(names))
        yield from (as_sentence(one["text"], **one["values"]) for one in why)


def _shared_reason(estimates: Sequence[Estimated]) -> list[JSON]:
    """What all of them rest on; [] if they rest on different things."""
    why = [_why(one.found) for one in estimates]
    return why[:1] if len(set(map(cell_text, why))) == 1 else []


def _from_both(asked: Aspect, model: str, used: Sequence[Estimated]) -> Iterator[JSON]:
    found = used[0].found
    yield as_sentence(
        BOTH, about=asked.about, model=model, workers=found.workers,
        listing=_listing(asked, [(one.label, one.found.printed) for one in used]),
        alone=_listing(asked, [(one.label, one.found.alone) for one in used]),
        n=f"{found.judged:,}", items=f"{found.items:,}",
        over=text_cell(OVER_BOTH if found.workers >= LEAST_WORKERS else OVER_ITEMS),
    )  # fmt: skip
    yield from (as_sentence(one["text"], **one["values"]) for one in _shared_reason(used))


def _listing(asked: Aspect, figures: Sequence[tuple[Any, Figure]]) -> JSON:
    """“yes 41.2 % [38.0, 44.4], no …”."""
    cells = {f"label{k}": asked.labels.get(label, text_cell(_("mean"))) for k, (label, _figure) in enumerate(figures)}
    for k, (_label, figure) in enumerate(figures):
        cell = _cell(asked, figure)
        cells[f"share{k}"] = cell if asked.ends else percent_with_interval(cell)
    return text_cell(", ".join(f"%(label{k})s %(share{k})s" for k in range(len(figures))), **cells)
