"""HITs and assignments as the protocol shows them; a page of them in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Count, F, QuerySet

from annotation.flow import holding
from annotation.models import Answer, Approval, Assignment, Listing
from annotation.mturk_api import terms
from annotation.mturk_api.registry import JSON
from annotation.pure import hit_status
from annotation.pure.wire_xml import answers_xml, read_question

STATUS = {"": "Submitted", Assignment.Approved.APPROVED: "Approved", Assignment.Approved.REJECTED: "Rejected"}


def listings(found: QuerySet[Listing]) -> QuerySet[Listing]:
    """Rows for `hits`, which needs what hangs on them."""
    return holding.standing(found)


def hits(found: Sequence[Listing]) -> list[JSON]:
    """HIT structures of `listings`, in their order."""
    decided = Assignment.objects.filter(hit__in=[row.hit_id for row in found]).exclude(approval="").order_by()
    completed = dict(decided.values_list("hit").annotate(Count("pk")))
    return [_hit(row, completed.get(row.hit_id, 0)) for row in found]


def hit(row: Listing) -> JSON:
    """The HIT structure of one of `listings`."""
    return hits([row])[0]


def _hit(row: Listing, completed: int) -> JSON:
    it, batch = row.hit, row.hit.batch
    stand = holding.stand(row)
    return {
        "HITId": it.public_id,
        "HITTypeId": batch.hit_type.public_id,
        "HITGroupId": batch.hit_type.group_id,
        "CreationTime": row.created_at,
        "Title": batch.title,
        "Description": batch.description,
        "Question": it.payload["question"],
        "Keywords": batch.keywords or None,
        "HITStatus": hit_status.status(stand),
        "MaxAssignments": it.wanted,
        "Reward": it.reward,
        "AutoApprovalDelayInSeconds": batch.auto_approval,
        "Expiration": it.closes_at,
        "AssignmentDurationInSeconds": batch.lease_seconds,
        "RequesterAnnotation": row.annotation or None,
        "QualificationRequirements": terms.shown(batch.requirements),
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": it.live,
        "NumberOfAssignmentsAvailable": stand.available,
        "NumberOfAssignmentsCompleted": completed,
    }


def assignments(found: Sequence[Assignment]) -> list[JSON]:
    """Assignment structures of submitted assignments with `hit` and `worker`, in their order."""
    answers = Answer.objects.filter(assignment__in=found, revision=F("assignment__revision"))
    given = dict(answers.values_list("assignment", "answer"))
    told = _feedback(found)
    return [_assignment(row, given.get(row.pk) or {}, told.get(row.pk)) for row in found]


def _feedback(found: Iterable[Assignment]) -> dict[int, str]:
    """What each worker was told with the last decision."""
    decisions = Approval.objects.filter(assignment__in=found).order_by("pk").values_list("assignment", "text")
    return {pk: text for pk, text in decisions if text}


def _assignment(row: Assignment, answer: JSON, feedback: str | None) -> JSON:
    rejected = row.approval == Assignment.Approved.REJECTED
    question = read_question(row.hit.payload["question"])
    return {
        "AssignmentId": row.public_id,
        "WorkerId": row.worker.public_id,
        "HITId": row.hit.public_id,
        "AssignmentStatus": STATUS[row.approval],
        "AutoApprovalTime": row.auto_approve_at,
        "AcceptTime": row.accepted_at,
        "SubmitTime": row.submitted_at,
        "ApprovalTime": None if rejected else row.approved_at,
        "RejectionTime": row.rejected_at if rejected else None,
        "Deadline": row.lease_until,
        "Answer": answers_xml(answer.get("fields", []), question),
        "RequesterFeedback": feedback,
    }
