"""What a check of bridges found: verdicts, agreement, and what each worker said, edge by edge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.pure.intervals import Figure
from annotation.pure.people_tables import for_workers, people_table
from annotation.pure.significance import Q, at_most, benjamini_hochberg, chance_text
from annotation.pure.tables import counted
from annotation.pure.words import gettext_noop as _
from annotation.pure.worker_intervals import without_one
from annotation.tasktype import JSON, Judged
from tasks._hops import known_bridges
from tasks._people import about, label_units, responses_of
from tasks._tables import INTERVALS, agreement_table, excluded_table, in_words, said, share, table, usual_seconds

KINDS = {
    "same": _("the same entity"),
    "different": _("not the same"),
    "unsure": _("cannot be told"),
    "tied": _("as many one as the other"),
}
KNOWN_RIGHT = 0.8  # the share of known edges on which a careful worker is right at least
TESTED = _(
    "p: exact binomial tests (one-sided) of %(n)s workers against %(expected)s %% of known edges right, with Benjamini "
    "and Hochberg's adjustment at q = .05: of the workers flagged, at most one in twenty is expected to be by chance."
)


@dataclass
class _Worker:
    said: Counter[str] = field(default_factory=Counter)
    right: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def coreference_report(judged: Iterable[Judged], *, seed: int) -> JSON:
    """Tables over the edges of all HITs with answers that scores do not leave out."""
    judged = list(judged)
    rows = [row for row in judged if row.given and not row.excluded]
    units = [labels for row in rows for labels in _edges(row)]
    verdicts = Counter(_most_said(list(labels.values())) for labels in units)
    workers = _workers(rows)
    chances = _chances(workers)
    people = [(said(KINDS[kind]), None, _without_one(units, kind)) for kind in ("same", "different")]
    tables = [
        _verdict_table(verdicts, len(units)),
        *people_table(people, len(workers)),
        agreement_table(units, seed=seed),
        _worker_table(workers, chances),
        *excluded_table(judged),
    ]
    return {
        "task": "coreference",
        "n": len(rows),
        "tables": for_workers(tables, len(workers), responses_of(rows)),
        "paragraph": [
            *_paragraph(verdicts, edges=len(units), pairs=len(rows), workers=len(workers)),
            *about(rows),
        ],
        "intervals": INTERVALS,
        "flags": list(_flags(workers, chances)),
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
    found: defaultdict[str, _Worker] = defaultdict(_Worker)
    for row in rows:
        known = known_bridges(row.example, len(row.payload["edges"])) or []
        for given in row.given:
            worker, told = found[given.worker], given.answer["bridges"]
            worker.said.update(told)
            worker.right += [kind == right for kind, right in zip(told, known, strict=False) if right]
            worker.seconds.append(given.seconds)
    return dict(sorted(found.items()))


def _verdict_table(verdicts: Counter[str], total: int) -> JSON:
    columns = (_("Verdict"), _("Edges"), _("Share"))
    rows = [[said(words), verdicts[kind], share(verdicts[kind], total)] for kind, words in KINDS.items()]
    return table("verdicts", _("Verdicts"), columns, rows, _("What most annotators said of an edge."))


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
        _("Right on known edges"),
        _("Below the expected, points"),
        _("p, adjusted"),
        _("Median seconds per HIT"),
    )
    rows = []
    for name, worker in workers.items():
        total = worker.said.total()
        rates = [share(worker.said[kind], total) for kind in ("different", "unsure")]
        right = share(sum(worker.right), len(worker.right))
        below = None if right["value"] is None else round(100 * (KNOWN_RIGHT - right["value"]), 1)
        chance = chance_text(chances[name]) if name in chances else None
        rows.append([name, total, *rates, right, below, chance, usual_seconds(worker.seconds)])
    tested = {"text": TESTED, "values": {"expected": round(100 * KNOWN_RIGHT), "n": len(chances)}}
    note = [_("Known edges are those whose items say what is right."), tested]
    return table("by-worker", _("By worker"), columns, rows) | {"note": note}


def _paragraph(verdicts: Counter[str], *, edges: int, pairs: int, workers: int) -> list[JSON]:
    if not edges:
        return []
    about = {
        "workers": counted(workers, _("One annotator judged"), _("%(n)s annotators judged")),
        "bridges": counted(edges, _("one bridge"), _("%(n)s bridges")),
        "graphs": counted(pairs, _("of one graph"), _("of %(n)s graphs")),
    }
    shares = {kind: in_words(share(verdicts[kind], edges)) for kind in KINDS}
    message = _("By majority %(same)s mention the same entity, %(different)s do not.")
    told = [
        {"message": _("%(workers)s %(bridges)s %(graphs)s."), "values": about},
        {"message": message, "values": {"same": shares["same"], "different": shares["different"]}},
    ]
    if verdicts["unsure"]:
        told.append({"message": _("%(unsure)s cannot be told."), "values": {"unsure": shares["unsure"]}})
    if verdicts["tied"]:
        told.append({"message": _("The votes are tied for %(tied)s."), "values": {"tied": shares["tied"]}})
    return told


def _flags(workers: dict[str, _Worker], chances: Mapping[str, float]) -> Iterator[JSON]:
    for name, worker in workers.items():
        if chances.get(name, 1.0) <= Q:
            expected = round(100 * KNOWN_RIGHT)
            values = {"worker": name, "right": sum(worker.right), "n": len(worker.right), "expected": expected}
            message = _(
                "%(worker)s judged %(right)s of %(n)s known edges right: significantly fewer than %(expected)s %% "
                "(Benjamini and Hochberg, q = .05)."
            )
            yield {"message": message, "values": values}
