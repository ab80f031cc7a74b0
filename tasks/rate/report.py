"""The report of ratings: distributions, means, agreement, systems, gold, strata and workers, by criterion."""

from collections.abc import Iterable, Iterator, Sequence

from annotation.pure.ratings.comparing import kind_of
from annotation.pure.reports.tables import counted, own_words, percent_with_interval
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import about, as_sentence, counted_rows, report, text_cell

from . import tables
from .chains import chain_tables, chains_of
from .collected import Collected, collected
from .edits import edit_table
from .figures import Figures, figures_of, mean_in_points
from .opening import criteria_table, headline
from .options import RateOptions

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
