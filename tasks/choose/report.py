"""The report of `choose`: aggregated choices, agreement, and the choices of each worker."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from annotation.pure.reports.tables import counted
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import (
    about,
    as_sentence,
    counted_rows,
    most_or_tied,
    percent_with_interval,
    report,
    share,
    share_of,
    table,
    tables_of_units,
    usual_seconds,
)

KINDS = {"chosen": _("one is chosen by most"), "none": _("most say that none is good"), "tied": _("tied")}
NONE = "none"


def choose_report(hits: Iterable[HitWithResponses], *, seed: int) -> JSON:
    """Tables over the HITs with answers that scores do not leave out."""
    hits = list(hits)
    rows = counted_rows(hits)
    units = [dict(zip((given.worker for given in row.given), _labels(row), strict=True)) for row in rows]
    aggregates, tables = tables_of_units(
        units, KINDS, _kind, of=_("Graphs"), on=_("the composition"), seed=seed, guessing=_guessing(rows)
    )
    tables += [_worker_table(rows), _vote_table(rows)]
    return report(hits, tables, paragraph=[*_paragraph(aggregates), *about(rows)])


def _labels(row: HitWithResponses) -> list[str]:
    """The label of each response. Labels are positions in the HIT, so labels of two HITs cannot be compared."""
    chosen = (given.answer["chosen"] for given in row.given)
    return [NONE if k is None else str(k) for k in chosen]


def _guessing(rows: list[HitWithResponses]) -> float:
    """The agreement of two workers who choose at random between the compositions and "none"."""
    several = [row for row in rows if len(row.given) > 1]
    chances = [1 / (len(row.payload["compositions"]) + 1) for row in several]
    return sum(chances) / len(chances) if chances else 0.0


def _kind(labels: Sequence[str]) -> str:
    most = most_or_tied(labels)
    return most if most in KINDS else "chosen"


def _worker_table(rows: Iterable[HitWithResponses]) -> JSON:
    """Each worker's share of "none is good", and agreement with the other responses."""
    none: defaultdict[str, list[bool]] = defaultdict(list)
    first: defaultdict[str, list[bool]] = defaultdict(list)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        labels = _labels(row)
        for place, given in enumerate(row.given):
            none[given.worker].append(labels[place] == NONE)
            seconds[given.worker].append(given.seconds)
            others = labels[:place] + labels[place + 1 :]
            first[given.worker] += [label == labels[place] for label in others]
    columns = (
        _("Worker"), _("HITs"), _("“None is good”"), _("Agreement with another response"), _("Median seconds per HIT"),
    )  # fmt: skip
    cells = [
        [name, len(nones), share_of(nones), share_of(first[name]), usual_seconds(seconds[name])]
        for name, nones in sorted(none.items())
    ]
    note = _("“Agreement with another response” counts each other response to the same HIT once.")
    return table("by-worker", _("By worker"), columns, cells, note)


def _vote_table(rows: Iterable[HitWithResponses]) -> JSON:
    """Numbers of responses for the leading choice, out of all responses to a HIT."""
    counts = Counter((max(Counter(labels).values()), len(labels)) for labels in map(_labels, rows))
    columns = (_("Responses for the leading choice"), _("Responses"), _("Graphs"))
    cells = [[most, total, number] for (most, total), number in sorted(counts.items(), reverse=True)]
    return table("votes", _("Votes"), columns, cells)


def _paragraph(aggregates: Counter[str]) -> list[JSON]:
    if not aggregates:
        return []
    total = aggregates.total()
    graphs = counted(total, _("Of one graph"), _("Of %(n)s graphs"))
    chosen, none, tied = (percent_with_interval(share(aggregates[kind], total)) for kind in KINDS)
    message = _(
        "%(graphs)s with several compositions, most annotators chose a composition for %(chosen)s and none of them for "
        "%(none)s."
    )
    sentences = [as_sentence(message, graphs=graphs, chosen=chosen, none=none)]
    if aggregates["tied"]:
        sentences.append(as_sentence(_("The votes are tied for %(tied)s."), tied=tied))
    return sentences
