"""Who said what of a HIT and what reviewers made of it: the answers that stand, and a step of provenance."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.flow.exporting import time_text
from annotation.models import Answer, Assignment, Batch, Hit, Review
from annotation.pure.example import JSON
from annotation.registry import task_type
from annotation.tasktype import TaskType

STANDS = "standing"
_REFUSED = {Review.Decision.RETURNED, Review.Decision.DISCARDED}


@dataclass(frozen=True, slots=True)
class Said:
    """One worker's latest answer, as verdicts take it, and the review that stands for it."""

    worker: str
    answer: JSON
    guide_version: int
    submitted: datetime
    standing: str  # STANDS, "returned" or "discarded"
    review: JSON | None = None  # as a step of provenance holds it

    @property
    def stands(self) -> bool:
        return self.standing == STANDS


def said_by_hit(batch: Batch, keys: list[int]) -> defaultdict[int, list[Said]]:
    """The latest revisions of the HITs with these keys, in the order in which they were first submitted."""
    rows = batch.assignments.submitted().filter(hit__in=keys).select_related("hit").order_by("submitted_at", "pk")
    assignments = list(rows)
    latest = {row.pk: row.revision for row in assignments}
    answers = {a.assignment_id: a for a in Answer.objects.filter(assignment__in=latest).order_by("revision")}
    reviews: dict[int, Review] = {}
    for review in Review.objects.filter(assignment__in=latest).order_by("pk"):
        if review.revision == latest[review.assignment_id]:
            reviews[review.assignment_id] = review
    task, said = task_type(batch.task), defaultdict[int, list[Said]](list)
    for row in assignments:
        said[row.hit_id].append(_said(batch, task, row, answers[row.pk], reviews.get(row.pk)))
    return said


def _said(batch: Batch, task: TaskType, row: Assignment, given: Answer, review: Review | None) -> Said:
    """An answer with its review applied; one that was undone leaves it as it was."""
    decision = review.decision if review else ""
    worker = batch.project.pseudonym(row.worker_id)
    answer, told = given.answer, None
    if review and decision == Review.Decision.EDITED:
        answer = task.edited(row.hit.payload, answer, review.text) | {"accepted": True}
    elif decision == Review.Decision.ACCEPTED:
        answer = answer | {"accepted": True}
    if review and decision != Review.Decision.REOPENED:
        told = _told(batch, worker, review)
        if decision == Review.Decision.EDITED:
            told["edited_from"] = task.review(row.hit.payload, given.answer)["text"]
    standing = str(decision) if decision in _REFUSED else STANDS
    return Said(worker, answer, given.guide_version, given.created_at, standing, told)


def _told(batch: Batch, worker: str, review: Review) -> dict[str, Any]:
    reviewer = batch.project.reviewer_pseudonym(review.reviewer_id) if review.reviewer_id else None
    return {"worker": worker, "reviewer": reviewer, "decision": str(review.decision), "marks": review.marks}


def step_of(batch: Batch, hit: Hit, said: list[Said]) -> JSON:
    """The step of provenance that a HIT adds: who, when, where, and every review, also of what does not stand."""
    standing = [one for one in said if one.stands]
    return {
        "batch": batch.slug,
        "task": batch.task,
        "hit": hit.public_id,
        "workers": [one.worker for one in standing],
        "guide_versions": sorted({one.guide_version for one in standing}),
        "submitted": [time_text(one.submitted) for one in standing],
        "reviews": [one.review for one in said if one.review],
    }
