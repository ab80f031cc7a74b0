"""People who do the qualification rounds of a study's run, and a requester who judges what they wrote."""

from __future__ import annotations

from random import Random

from annotation.flow.review import review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.flow.work import next_assignment
from annotation.models import Assignment, User
from annotation.registry import task_type
from annotation.studies.launch import batches_of
from annotation.studies.models import StudyRun
from annotation.tasktype import capabilities
from tests.flow import acting


def work_through_rounds(run: StudyRun, reviewer: User, *, right: bool = True) -> None:
    """Let one worker do each of the run's rounds, all right or all wrong; the reviewer marks them likewise."""
    for row in run.definition.rounds:
        batch = batches_of(run)[row.name]
        worker = acting.newcomer(run.project, f"{run.slug}-{row.name}-{right}")
        participation = acting.participation_of(worker, batch)
        while (taken := next_assignment.claim(participation)) is not None:
            acting.submit(taken, imitated(taken, right=right))
        if not row.rule:
            points = dict.fromkeys(capabilities.criteria(task_type(row.task)), right)
            for taken in batch.assignments.submitted().filter(worker=worker):
                review_decisions.decide(taken, 1, Decision("accepted", points), reviewer=reviewer)


def imitated(assignment: Assignment, *, right: bool = True) -> dict[str, object]:
    hit = assignment.hit
    return task_type(assignment.batch.task).imitate(hit.payload, hit.item.example, Random(1), right=right)  # type: ignore[attr-defined, no-any-return]
