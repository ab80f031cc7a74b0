"""The report of `coreference`: aggregated labels, agreement, and each worker's labels, edge by edge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.pure.reports.people_tables import for_workers, people_table
from annotation.pure.reports.tables import counted
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.significance import Q, at_most, benjamini_hochberg, chance_text
from annotation.pure.statistics.worker_intervals import without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Judged
from annotation.tasktype.helpers.hops import known_bridges
from annotation.tasktype.helpers.report_tables import (
    INTERVALS,
    about,
    agreement_table,
    excluded_table,
    in_words,
    label_units,
    responses_of,
    share,
    table,
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


def coreference_report(judged: Iterable[Judged], *, seed: int) -> JSON:
    """Tables over the edges of all HITs with answers that scores do not leave out."""
    judged = list(judged)
    rows = [row for row in judged if row.given and not row.excluded]
    units = [labels for row in rows for labels in _edges(row)]
    aggregates = Counter(_most_said(list(labels.values())) for labels in units)
    workers = _workers(rows)
    chances = _chances(workers)
    people = [(text_cell(KINDS[kind]), None, _without_one(units, kind)) for kind in ("same", "different")]
    tables = [
        _aggregate_table(aggregates, len(units)),
        *people_table(people, len(workers)),
        agreement_table(units, seed=seed),
        _worker_table(workers, chances),
        *excluded_table(judged),
    ]
    return {
        "n": len(rows),
        "tables": for_workers(tables, len(workers), responses_of(rows)),
        "paragraph": [
            *_paragraph(aggregates, edges=len(units), pairs=len(rows), workers=len(workers)),
            *about(rows),
        ],
        "intervals": INTERVALS,
        "warnings": list(_warnings(workers, chances)),
    }


def _edges(row: Judged) -> Iterator[dict[str, str]]:
    """What was said of each edge, by worker."""
    for k in range(len(row.payload["edges"])):
        yield {given.worker: given.answer["bridges"][k] for given in row.given}


def _without_one(units: Iterable[Mapping[str, str]], kind: str) -> Figure:
    return without_one(label_units(units, lambda labels: float(_most_said(labels) == kind)))


def _most_said(labels: Sequence[str]) -> str:
    (first, most), *others = Counter(labels).most_common()
    return "tied" if others and others[0][1] == most else first


def _workers(rows: Iterable[Judged]) -> dict[str, _Worker]:
    workers: defaultdict[str, _Worker] = defaultdict(_Worker)
    for row in rows:
        known = known_bridges(row.example, len(row.payload["edges"])) or []
        for given in row.given:
            worker, labels = workers[given.worker], given.answer["bridges"]
            worker.labels.update(labels)
            worker.right += [kind == right for kind, right in zip(labels, known, strict=False) if right]
            worker.seconds.append(given.seconds)
    return dict(sorted(workers.items()))


def _aggregate_table(aggregates: Counter[str], total: int) -> JSON:
    columns = (_("Label"), _("Edges"), _("Share"))
    rows = [[text_cell(words), aggregates[kind], share(aggregates[kind], total)] for kind, words in KINDS.items()]
    return table("verdicts", _("Aggregated labels"), columns, rows, _("The majority judgment of each edge."))


def _chances(workers: Mapping[str, _Worker]) -> dict[str, float]:
    """How likely so few right judgments of known edges are for somebody who is right on KNOWN_RIGHT, adjusted."""
    judging = {name: worker.right for name, worker in workers.items() if worker.right}
    each = [at_most(sum(right), len(right), KNOWN_RIGHT) for right in judging.values()]
    return dict(zip(judging, benjamini_hochberg(each), strict=True))


def _worker_table(workers: dict[str, _Worker], chances: Mapping[str, float]) -> JSON:
    columns = (
        _("Worker"),
        _("Edges"),
        _("“Not the same”"),
        _("“Cannot tell”"),
        _("Correct on known edges"),
        _("Below the expected rate, in points"),
        _("p, adjusted"),
        _("Median seconds per HIT"),
    )
    rows = []
    for name, worker in workers.items():
        total = worker.labels.total()
        rates = [share(worker.labels[kind], total) for kind in ("different", "unsure")]
        right = share(sum(worker.right), len(worker.right))
        below = None if right["value"] is None else round(100 * (KNOWN_RIGHT - right["value"]), 1)
        chance = chance_text(chances[name]) if name in chances else None
        rows.append([name, total, *rates, right, below, chance, usual_seconds(worker.seconds)])
    tested = {"text": TESTED, "values": {"expected": round(100 * KNOWN_RIGHT), "n": len(chances)}}
    note = [_("Known edges are edges whose correct judgment is part of the item."), tested]
    return table("by-worker", _("By worker"), columns, rows) | {"note": note}


def _paragraph(aggregates: Counter[str], *, edges: int, pairs: int, workers: int) -> list[JSON]:
    if not edges:
        return []
    about = {
        "workers": counted(workers, _("One annotator judged"), _("%(n)s annotators judged")),
        "bridges": counted(edges, _("one bridge"), _("%(n)s bridges")),
        "graphs": counted(pairs, _("of one graph"), _("of %(n)s graphs")),
    }
    shares = {kind: in_words(share(aggregates[kind], edges)) for kind in KINDS}
    message = _("By majority, %(same)s mention the same entity and %(different)s do not.")
    sentences = [
        {"message": _("%(workers)s %(bridges)s %(graphs)s."), "values": about},
        {"message": message, "values": {"same": shares["same"], "different": shares["different"]}},
    ]
    if aggregates["unsure"]:
        sentences.append(
            {"message": _("For %(unsure)s the majority cannot tell."), "values": {"unsure": shares["unsure"]}}
        )
    if aggregates["tied"]:
        sentences.append({"message": _("The votes are tied for %(tied)s."), "values": {"tied": shares["tied"]}})
    return sentences


def _warnings(workers: dict[str, _Worker], chances: Mapping[str, float]) -> Iterator[JSON]:
    for name, worker in workers.items():
        if chances.get(name, 1.0) <= Q:
            expected = round(100 * KNOWN_RIGHT)
            values = {"worker": name, "right": sum(worker.right), "n": len(worker.right), "expected": expected}
            message = _(
                "%(worker)s judged %(right)s of %(n)s known edges correctly: significantly fewer than "
                "%(expected)s %% (Benjamini and Hochberg, q = .05)."
            )
            yield {"message": message, "values": values}
