"""The report of ratings: distributions, means, agreement, systems, gold, strata and workers, by criterion."""

from collections.abc import Iterable, Iterator, Sequence

from annotation.pure.ratings.comparing import kind_of
from annotation.pure.reports.tables import own_words, percent_with_interval
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
    asked = list(_asked(found)) if rows else []
    said = [sentence for one in found for sentence in _given(one, figures[one.criterion.name])]
    whole = report(hits, made, paragraph=[*asked, *said, *about(rows)], intervals=INTERVALS)
    states = {name: [[one.key, one.state] for one in own] for name, own in chains.items()}
    return {"asked": asked, "headline": list(headline(criteria)), "chains": states, **whole}


def _asked(found: Sequence[Collected]) -> Iterator[JSON]:
    """What was asked and how it was answered, then of whom and how often, once for criteria with the same counts."""
    names: dict[tuple[int, ...], list[str]] = {}
    for one in found:
        own = one.criterion
        message = _("“%(ask)s” (%(name)s) asked for %(kind)s.")
        yield as_sentence(message, ask=own_words(own.ask), name=own.name, kind=kind_of(own))
        names.setdefault((len(one.items), len(one.workers), one.asked, one.given), []).append(own.name)
    several = _("%(names)s: items: %(items)s; annotators: %(workers)s; answered: %(given)s of %(asked)s times.")
    alone = _("Items: %(items)s; annotators: %(workers)s; answered: %(given)s of %(asked)s times.")
    for counts, same in names.items():
        numbers = dict(zip(("items", "workers", "asked", "given"), counts, strict=True))
        yield as_sentence(several if len(names) > 1 else alone, names=", ".join(same), **numbers)


def _given(one: Collected, figures: Figures) -> Iterator[JSON]:
    """A sentence on the mean, the shares of options, or win rates."""
    name = one.criterion.name
    if figures.mean:
        mean = mean_in_points(one.criterion, figures.mean)
        yield as_sentence(_("The mean of %(name)s is %(mean)s."), name=name, mean=mean)
        return
    message = _("Win rates in %(name)s: %(listing)s.") if figures.systems else _("Shares of %(name)s: %(listing)s.")
    listing = [(label, share.of_elements.figure) for label, share in figures.values]
    if figures.systems:
        listing = [(system, of.win_rate.of_elements.figure) for system, of in figures.systems.items()]
    if listing:
        cells = {f"label{k}": label for k, (label, _figure) in enumerate(listing)}
        cells |= {f"share{k}": percent_with_interval(figure.as_json()) for k, (_label, figure) in enumerate(listing)}
        words = "; ".join(f"%(label{k})s %(share{k})s" for k in range(len(listing)))
        yield as_sentence(message, name=name, listing=text_cell(words, **cells))
