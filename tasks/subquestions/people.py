"""How far what checking found depends on who took part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotation.pure.reports.people_tables import people_table
from annotation.pure.statistics.cluster_intervals import clustered_share
from annotation.pure.statistics.distance_agreement import alpha_of_answers
from annotation.pure.statistics.metrics import MUSIQUE
from annotation.pure.statistics.text_agreement import text_agreement_table
from annotation.pure.statistics.worker_intervals import Response, over_workers, without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Judged
from annotation.tasktype.helpers.report_tables import alone, text_cell, units, workers_of

from .aggregation import KEPT, aggregate
from .judging import KEEP, MEANING, VALID, WELL_FORMED

NEGATIVE = {
    WELL_FORMED: _("Judgments: not well-formed"),
    MEANING: _("Judgments: asks for something else"),
    VALID: _("Judgments: answer not valid"),
}
TEXTS = {"question": _("sub-questions (distance 1 − F1)"), "answer": _("their answers (distance 1 − F1)")}


def checking_people_table(rows: Sequence[Judged]) -> list[JSON]:
    """The share of kept questions by majority, and how often single judgments were negative, over all hops."""
    kept = without_one(units(([row] for row in rows), alone(_kept)))
    negative = [(text_cell(words), over_workers(_responses(rows, name)), None) for name, words in NEGATIVE.items()]
    return people_table([(text_cell(_("Kept")), None, kept), *negative], workers_of(rows))


def _kept(row: Judged) -> float:
    return float(aggregate(row.payload, [given.answer for given in row.given])["kind"] == KEPT)


def _responses(rows: Iterable[Judged], name: str) -> list[Response]:
    return [
        Response(row.hit, given.worker, float(hop[name] is False))
        for row in rows
        for given in row.given
        if given.answer["discard"] == KEEP
        for hop in given.answer["hops"]
    ]


def negative_share(judged: Iterable[tuple[str, JSON]], name: str, seed: int) -> JSON:
    """How often (HIT, hop as judged) is negative; the judgments of an item are resampled together."""
    return clustered_share(((hit, hop[name] is False) for hit, hop in judged), seed, resamples=1_999).as_json()


def wording_table(rows: Iterable[Judged], seed: int) -> list[JSON]:
    """Agreement beyond chance on the texts of the hops, corrected or not, of those who keep the question."""
    units: dict[str, list[dict[str, str]]] = {"question": [], "answer": []}
    for row in rows:
        kept = {given.worker: given.answer["hops"] for given in row.given if given.answer["discard"] == KEEP}
        for hop in range(len(row.payload["hops"])):
            for part, texts in units.items():
                texts.append({worker: str(hops[hop][part]) for worker, hops in kept.items()})
    return text_agreement_table(
        [(words, alpha_of_answers(units[part], MUSIQUE, seed)) for part, words in TEXTS.items()]
    )
