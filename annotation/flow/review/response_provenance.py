"""Provenance of a HIT's result: who answered what, and the reviewers' decisions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from annotation.flow.data.dataset_files import time_text
from annotation.flow.review import review_decisions
from annotation.flow.review.review_decisions import Standing
from annotation.models import Batch, Hit
from annotation.pure.data.example import JSON
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import capabilities

STANDS = "standing"


@dataclass(frozen=True, slots=True)
class Said:
    """A worker's latest response with the decision on it."""

    standing: Standing
    answer: JSON

    @property
    def stands(self) -> bool:
        return self.standing.takes_part

    @property
    def state(self) -> str:
        """STANDS, or the decision that leaves it out of the result."""
        return STANDS if self.stands else self.standing.state


def said_by_hit(batch: Batch, hits: list[Hit]) -> defaultdict[int, list[Said]]:
    """The latest revisions by HIT, including excluded ones, in order of submission."""
    payloads = {hit.pk: hit.payload for hit in hits}
    rows = batch.assignments.submitted().filter(hit__in=list(payloads)).select_related("batch").defer("draft")
    said: defaultdict[int, list[Said]] = defaultdict(list)
    for standing in review_decisions.standings(rows.order_by("submitted_at", "pk")):
        hit = standing.assignment.hit_id
        said[hit].append(Said(standing, review_decisions.value(standing, payloads[hit])))
    return said


def step_of(batch: Batch, hit: Hit, said: list[Said]) -> JSON:
    """A HIT's step of provenance: who, when, where, and every review, also of excluded responses."""
    rows = [one.standing for one in said if one.stands]
    return {
        "batch": batch.slug,
        "task": batch.task,
        "hit": hit.public_id,
        "workers": [batch.project.pseudonym(row.assignment.worker_id) for row in rows],
        "instructions_versions": sorted({row.answer.instructions_version for row in rows}),
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
    if review.decision == review_state.EDITED:
        told["edited_from"] = capabilities.review(task_type(batch.task), hit.payload, standing.answer.answer)["text"]
    return told
