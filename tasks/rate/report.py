"""The report of ratings: distributions, means, agreement, systems, gold, strata and workers, by criterion."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.pure.ratings.comparing import kind_of
from annotation.pure.ratings.responses import cells, prefilled
from annotation.pure.ratings.rubric import TEXT, Criterion
from annotation.pure.reports.tables import counted, own_words, percent_with_interval, rounded, table, text_cell
from annotation.pure.statistics.metrics import word_edits
from annotation.pure.statistics.ratings import shares
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import about, as_sentence, counted_rows, report

from . import tables
from .chains import chain_tables, chains_of
from .collected import Collected, collected
from .figures import Figures, figures_of, mean_in_points
from .options import RateOptions
from .tables import marked_words

NOTES = [
    _("Means are in points, shares in percent of the answers given; each element of a list counts."),
    _("Alpha is Krippendorff's, for the kind of the values; “Agreement” below says which."),
]
ByName = Mapping[str, Figures]  # by criterion


def criteria_table(found: Sequence[Collected], figures: ByName, unchanged: Mapping[str, JSON], seed: int) -> JSON:
    """A line for each criterion: how often and by whom it was answered, mean or share, and alpha.

    `unchanged`: the share left as it was, of texts that were there to be corrected.
    """
    rows = []
    for one in found:
        own = one.criterion
        words, figure = _main(one, figures[own.name], seed)
        if own.name in unchanged:
            words, figure = text_cell(_("left unchanged")), unchanged[own.name]
        mean, share = (figure, None) if figure and "points" in figure else (None, figure)
        counts = [len(one.items), len(one.workers), one.asked, one.given]
        alpha = figures[own.name].alpha
        in_points = alpha and {**alpha.as_json(), "points": True}
        rows.append([own.name, own_words(own.ask), *counts, words, mean, share, in_points])
    columns = [_("Criterion"), _("Question"), _("Items"), _("Workers"), _("Times asked"), _("Times answered")]
    columns += [_("Figure"), _("Mean"), _("Share"), _("Alpha")]
    numbers = [False, False, True, True, True, True, False, True, True, True]
    more: JSON = {"numbers": numbers, "leads": False, "bars": False}
    return table("criteria", _("Criteria"), columns, rows, NOTES, **more)


def headline(criteria: JSON) -> Iterator[JSON]:
    """The main figure of each criterion that has one, with its question."""
    for _name, ask, *_counts, words, mean, share, _alpha in criteria["rows"]:
        if figure := mean or share:
            yield {"words": text_cell("%(ask)s %(figure)s", ask=ask, figure=words), "figure": figure, "key": "criteria"}


def _main(one: Collected, own: Figures, seed: int) -> tuple[Any, JSON | None]:
    """The mean of a scale or number, the first system's win rate, or the first value's share; with its name."""
    values = one.criterion.values
    if own.mean:
        words = text_cell(_("mean (%(low)s–%(high)s)"), low=values[0], high=values[-1])
        return words, mean_in_points(one.criterion, own.mean)
    for system, of in own.systems.items():
        return text_cell(_("win rate of %(system)s"), system=system), of.win_rate.of_elements.figure.as_json()
    for label, share in own.values:
        return text_cell("“%(value)s”", value=label), share.of_elements.figure.as_json()
    for label, _n, share in marked_words(one, one.ratings, seed):
        marked = text_cell(_("words marked “%(label)s”"), label=own_words(label))
        words = marked if label else text_cell(_("marked words"))
        return words, share.of_elements.figure.as_json()
    return text_cell(_("a text")) if one.criterion.kind == TEXT else None, None


LOW, HIGH = _("95 % low"), _("95 % high")
NOTE = _(
    "Edits: words put in, taken out or replaced, divided by the words of the corrected text, all texts together "
    "(HTER, Snover et al. 2006, without moves of words). 0: nothing was changed. Intervals over items."
)


def edit_table(rows: Iterable[HitWithResponses], criteria: Sequence[Criterion], seed: int) -> Iterator[JSON]:
    """The share of texts that were left as they were, and the edits per word."""
    corrected: dict[str, list[tuple[str, str, list[float], list[float]]]] = {}
    for row in rows:
        for given in row.given:
            for asked, k, value in cells(row.payload, given.answer):
                if "prefill" in asked and value:
                    edits, words = word_edits(prefilled(asked, k), value)
                    own = [float(edits == 0), float(edits)], [1.0, float(words)]
                    corrected.setdefault(asked["name"], []).append((row.hit, given.worker, *own))
    cells_of = []
    for name in (each.name for each in criteria if each.name in corrected):
        unchanged, edited = shares(corrected[name], seed)
        figure = edited.of_elements.figure
        ends = [rounded(figure.value), rounded(figure.low), rounded(figure.high)]
        cells_of.append([name, unchanged.items, unchanged.responses, unchanged.of_elements.figure.as_json(), *ends])
    columns = (_("Criterion"), _("Items"), _("Responses"), _("Left unchanged"), _("Edits per word"), LOW, HIGH)
    if cells_of:
        yield table("edits", _("Corrections"), columns, cells_of, NOTE, leads=False)


INTERVALS = _("95 % BCa bootstrap over items, Wilson where all are 0 or all 1; from seven annotators over both")


def rate_report(hits: Iterable[HitWithResponses], options: RateOptions, *, seed: int) -> JSON:
    """Tables over the HITs with responses that are not excluded."""
    hits = list(hits)
    rows = counted_rows(hits)
    found = collected(rows, options.parsed.criteria)
    figures = {one.criterion.name: figures_of(one, seed) for one in found}
    chains, edited = chains_of(rows, options.parsed.criteria), list(edit_table(rows, options.parsed.criteria, seed))
    criteria = criteria_table(found, figures, {row[0]: row[3] for each in edited for row in each["rows"]}, seed)
    made = [
        criteria,
        *tables.value_tables(found, figures),
        *tables.mean_table(found, figures),
        *tables.agreement_tables(found, figures),
        *tables.system_tables(found, figures, seed),
        *tables.mark_table(found, seed),
        *tables.gold_table(found, seed),
        *tables.strata_tables(rows, found, options.by, seed),
        *chain_tables(chains, options.parsed.criteria),
        *edited,
        *tables.worker_table(found),
    ]
    asked, counts = (list(_asked(found)), list(_counts(found))) if rows else ([], [])
    said = [sentence for one in found for sentence in _given(one, figures[one.criterion.name])]
    whole = report(hits, made, paragraph=[*counts, *said, *about(rows)], intervals=INTERVALS)
    states = {name: [[one.key, one.state] for one in own] for name, own in chains.items()}
    return {"asked": asked + counts, "headline": list(headline(criteria)), "chains": states, **whole}


def _asked(found: Sequence[Collected]) -> Iterator[JSON]:
    """What was asked, and how it was answered."""
    message = _("“%(ask)s” (%(name)s) asked for %(kind)s.")
    for own in (one.criterion for one in found):
        yield as_sentence(message, ask=own_words(own.ask), name=own.name, kind=kind_of(own))


def _counts(found: Sequence[Collected]) -> Iterator[JSON]:
    """Of whom and how often it was asked, once for criteria with the same counts."""
    names: dict[tuple[int, ...], list[str]] = {}
    for one in found:
        names.setdefault((len(one.items), len(one.workers), one.asked, one.given), []).append(one.criterion.name)
    message = _("For %(names)s, %(who)s %(items)s and answered %(given)s of %(asked)s times.")
    for (items, workers, asked, given), same in names.items():
        who = counted(workers, _("%(n)s annotator was asked about"), _("%(n)s annotators were asked about"))
        what = counted(items, _("%(n)s item"), _("%(n)s items"))
        yield as_sentence(message, names=", ".join(same), who=who, items=what, asked=asked, given=given)


def _given(one: Collected, figures: Figures) -> Iterator[JSON]:
    """A sentence on the mean, the shares of options, or win rates."""
    own = one.criterion
    about_what = {"ask": own_words(own.ask), "name": own.name}
    if figures.mean:
        message = _("“%(ask)s” (%(name)s) was rated %(mean)s on average, on a scale from %(low)s to %(high)s.")
        mean = mean_in_points(own, figures.mean)
        yield as_sentence(message, **about_what, mean=mean, low=own.values[0], high=own.values[-1])
        return
    message = _("“%(ask)s” (%(name)s) was answered with %(listing)s.")
    if figures.systems:
        message = _("In “%(ask)s” (%(name)s), the win rates, with a tie as half a win, were %(listing)s.")
    listing = [(label, share.of_elements.figure) for label, share in figures.values]
    if figures.systems:
        listing = [(system, of.win_rate.of_elements.figure) for system, of in figures.systems.items()]
    if listing:
        parts = {
            f"part{k}": text_cell("%(label)s (%(share)s)", label=label, share=percent_with_interval(figure.as_json()))
            for k, (label, figure) in enumerate(listing)
        }
        yield as_sentence(message, **about_what, listing=text_cell(", ".join(f"%({k})s" for k in parts), **parts))
