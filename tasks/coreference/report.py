"""The report of `coreference`: aggregated labels, agreement, and each worker's labels, edge by edge."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotation.pure.reports.tables import counted
from annotation.pure.statistics.significance import Q, at_most, benjamini_hochberg, chance_text
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.hops import known_bridges
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
    text_cell,
    usual_seconds,
)

KINDS = {
    "same": _("the same entity"),
    "different": _("not the same"),
    "unsure": _("cannot tell"),
    "tied": _("tied"),
}
KNOWN_RIGHT = 0.8  # the share of known edges on which a careful worker is right at least
TESTED = _(
    "p: one-sided exact binomial tests of %(n)s workers against %(expected)s %% accuracy on known edges, "
    "with Benjamini and Hochberg's adjustment at q = .05: of the marked workers, at most one in twenty is "
    "expected to be marked by chance."
)


@dataclass
class _Worker:
    labels: Counter[str] = field(default_factory=Counter)
    right: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def coreference_report(hits: Iterable[HitWithResponses], *, seed: int) -> JSON:
    """Tables over the edges of all HITs with answers that scores do not leave out."""
    hits = list(hits)
    rows = counted_rows(hits)
    units = [labels for row in rows for labels in _edges(row)]
    note = _("The majority judgment of each edge.")
    aggregates, tables = tables_of_units(
        units, KINDS, most_or_tied, of=_("Edges"), on=_("the bridges"), seed=seed, note=note
    )
    workers = _workers(rows)
    chances = _chances(workers)
    tables.append(_worker_table(workers, chances))
    paragraph = [*_paragraph(aggregates, graphs=len(rows), workers=len(workers)), *about(rows)]
    return report(hits, tables, paragraph=paragraph, warnings=_warnings(workers, chances))


def _edges(row: HitWithResponses) -> Iterator[dict[str, str]]:
    """The judgments of each edge by worker."""
    for k in range(len(row.payload["edges"])):
        yield {given.worker: given.answer["bridges"][k] for given in row.given}


def _workers(rows: Iterable[HitWithResponses]) -> dict[str, _Worker]:
    workers: defaultdict[str, _Worker] = defaultdict(_Worker)
    for row in rows:
        known = known_bridges(row.example, len(row.payload["edges"])) or []
        for given in row.given:
            worker, labels = workers[given.worker], given.answer["bridges"]
            worker.labels.update(labels)
            worker.right += [kind == right for kind, right in zip(labels, known, strict=False) if right]
            worker.seconds.append(given.seconds)
    return dict(sorted(workers.items()))


def _chances(workers: Mapping[str, _Worker]) -> dict[str, float]:
    """The p value of each worker's errors on known edges against an accuracy of KNOWN_RIGHT, adjusted for all."""
    judging = {name: worker.right for name, worker in workers.items() if worker.right}
    each = [at_most(sum(right), len(right), KNOWN_RIGHT) for right in judging.values()]
    return dict(zip(judging, benjamini_hochberg(each), strict=True))


def _worker_table(workers: dict[str, _Worker], chances: Mapping[str, float]) -> JSON:
    columns = (
        _("Worker"), _("Edges"), _("“Not the same”"), _("“Cannot tell”"), _("Correct on known edges"),
        _("Below the expected rate, in points"), _("p, adjusted"), _("Median seconds per HIT"),
    )  # fmt: skip
    rows = []
    for name, worker in workers.items():
        total = worker.labels.total()
        rates = [share(worker.labels[kind], total) for kind in ("different", "unsure")]
        right = share_of(worker.right)
        below = None if right["value"] is None else round(100 * (KNOWN_RIGHT - right["value"]), 1)
        chance = chance_text(chances[name]) if name in chances else None
        rows.append([name, total, *rates, right, below, chance, usual_seconds(worker.seconds)])
    tested = text_cell(TESTED, expected=round(100 * KNOWN_RIGHT), n=len(chances))
    note = [_("Known edges are edges whose correct judgment is part of the item."), tested]
    return table("by-worker", _("By worker"), columns, rows, note)


def _paragraph(aggregates: Counter[str], *, graphs: int, workers: int) -> Iterator[JSON]:
    if not aggregates:
        return
    edges = aggregates.total()
    yield as_sentence(
        _("%(workers)s %(bridges)s %(graphs)s."),
        workers=counted(workers, _("One annotator judged"), _("%(n)s annotators judged")),
        bridges=counted(edges, _("one bridge"), _("%(n)s bridges")),
        graphs=counted(graphs, _("of one graph"), _("of %(n)s graphs")),
    )
    same, different, unsure, tied = (percent_with_interval(share(aggregates[kind], edges)) for kind in KINDS)
    message = _("By majority, %(same)s mention the same entity and %(different)s do not.")
    yield as_sentence(message, same=same, different=different)
    if aggregates["unsure"]:
        yield as_sentence(_("For %(unsure)s the majority cannot tell."), unsure=unsure)
    if aggregates["tied"]:
        yield as_sentence(_("The votes are tied for %(tied)s."), tied=tied)


def _warnings(workers: dict[str, _Worker], chances: Mapping[str, float]) -> Iterator[JSON]:
    for name, worker in workers.items():
        if chances.get(name, 1.0) <= Q:
            message = _(
                "%(worker)s judged %(right)s of %(n)s known edges correctly: significantly fewer than "
                "%(expected)s %% (Benjamini and Hochberg, q = .05)."
            )
            right, n = sum(worker.right), len(worker.right)
            yield as_sentence(message, worker=name, right=right, n=n, expected=round(100 * KNOWN_RIGHT))
