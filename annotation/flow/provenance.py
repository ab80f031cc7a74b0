"""Who said what of a HIT and what reviewers made of it: the answers that stand, and a step of provenance."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from annotation.flow import reviewing
from annotation.flow.exporting import time_text
from annotation.flow.reviewing import Standing
from annotation.models import Batch, Hit
from annotation.pure import reading
from annotation.pure.example import JSON
from annotation.registry import task_type

STANDS = "standing"


@dataclass(frozen=True, slots=True)
class Said:
    """One worker's latest answer, as verdicts take it, with the decision on it."""

    standing: Standing
    answer: JSON

    @property
    def stands(self) -> bool:
        return self.standing.takes_part

    @property
    def state(self) -> str:
        """STANDS, or the decision that keeps it out of the verdict."""
        return STANDS if self.stands else self.standing.state


def said_by_hit(batch: Batch, hits: list[Hit]) -> defaultdict[int, list[Said]]:
    """The latest revisions by HIT, refused ones included, in the order in which they came."""
    payloads = {hit.pk: hit.payload for hit in hits}
    rows = batch.assignments.submitted().filter(hit__in=list(payloads)).select_related("batch").defer("draft")
    said: defaultdict[int, list[Said]] = defaultdict(list)
    for standing in reviewing.standings(rows.order_by("submitted_at", "pk")):
        hit = standing.assignment.hit_id
        said[hit].append(Said(standing, reviewing.value(standing, payloads[hit])))
    return said


def step_of(batch: Batch, hit: Hit, said: list[Said]) -> JSON:
    """The step of provenance that a HIT adds: who, when, where, and every review, also of what does not stand."""
    rows = [one.standing for one in said if one.stands]
    return {
        "batch": batch.slug,
        "task": batch.task,
        "hit": hit.public_id,
        "workers": [batch.project.pseudonym(row.assignment.worker_id) for row in rows],
        "guide_versions": sorted({row.answer.guide_version for row in rows}),
        "submitted": [time_text(row.answer.created_at) for row in rows],
        "reviews": [_reviewed(batch, hit, one.standing) for one in said if one.standing.review],
    }


def _reviewed(batch: Batch, hit: Hit, standing: Standing) -> JSON:
    review = standing.review
    told = {
        "worker": batch.project.pseudonym(standing.assignment.worker_id),
        "reviewer": batch.project.reviewer_pseudonym(review.reviewer_id) if review.reviewer_id else None,
        "decision": review.decision,
        "marks": review.marks,
    }
    if review.decision == reading.EDITED:
        told["edited_from"] = task_type(batch.task).review(hit.payload, standing.answer.answer)["text"]
    return told
