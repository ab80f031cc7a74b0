"""Review policies, first half: writing the findings on submitted work, and the intended actions.

The rows are written in the same transaction as the submission; `flow/policy_actions` carries the actions out
afterwards.
"""

from functools import partial

from annotation.models import Assignment, WorkerResponse
from annotation.mturk_api.flow.notifications import EXTERNAL
from annotation.mturk_api.models import Listing, PolicyOutcome
from annotation.pure.batches import lifecycle
from annotation.pure.mturk import review_policies
from annotation.pure.mturk.review_policies import Answers, Outcome, Work

INTENDED, SUCCEEDED, FAILED = "INTENDED", "SUCCEEDED", "FAILED"


def judge(assignment: Assignment) -> bool:
    """Compare a submitted assignment with known answers, once; False without such a policy, or if done before."""
    if assignment.batch.task != EXTERNAL:
        return False
    listing = Listing.objects.select_related("hit").filter(hit=assignment.hit_id).first()
    if listing is None or not listing.assignment_policy:
        return False
    before = PolicyOutcome.objects.filter(
        listing=listing, level=review_policies.ASSIGNMENT, subject_id=assignment.public_id
    )
    if before.exists():
        return False
    outcome = _score_known_answers(listing, Work(assignment.public_id, answers_of([assignment])[assignment.pk]))
    _write(listing, review_policies.ASSIGNMENT, outcome)
    return True


def judge_hit(listing: Listing) -> bool:
    """Compare the responses to a finished HIT; False without such a policy."""
    if not listing.hit_policy:
        return False
    policy = review_policies.read_plurality(listing.hit_policy)
    rows = list(Assignment.objects.filter(hit=listing.hit_id, state=lifecycle.SUBMITTED).order_by("submitted_at", "pk"))
    answers = answers_of(rows)
    works = [_work(listing, row, answers[row.pk]) for row in rows]
    _write(listing, review_policies.HIT, review_policies.compare_answers(policy, works, hit=listing.hit.public_id))
    return True


def answers_of(assignments: list[Assignment]) -> dict[int, Answers]:
    """The answers of each assignment, by its key."""
    newest = {
        answer.assignment_id: answer.answer
        for answer in WorkerResponse.objects.filter(assignment__in=assignments).order_by("revision")
    }
    return {row.pk: review_policies.field_values(newest.get(row.pk, {}).get("fields", [])) for row in assignments}


def _score_known_answers(listing: Listing, work: Work) -> Outcome:
    policy = review_policies.read_known_answers(listing.assignment_policy or {})
    return review_policies.score_known_answers(policy, work, hit=listing.hit.public_id)


def _work(listing: Listing, row: Assignment, answers: Answers) -> Work:
    known = None
    if listing.assignment_policy:
        known = review_policies.known_score(_score_known_answers(listing, Work(row.public_id, answers)))
    rejected = row.approval == Assignment.Approved.REJECTED
    return Work(row.public_id, answers, rejected=rejected, known=known)


def _write(listing: Listing, level: str, outcome: Outcome) -> None:
    made = partial(PolicyOutcome, listing=listing, level=level)
    rows = [
        made(
            subject_type=result.subject,
            subject_id=result.subject_id,
            question_id=result.question,
            key=result.key,
            value=result.value,
        )
        for result in outcome.results
    ]
    for action in outcome.actions:
        done = action.name == review_policies.REVIEW
        rows.append(
            made(
                action=True,
                subject_type=action.target,
                subject_id=action.target_id,
                key=action.name,
                status=SUCCEEDED if done else INTENDED,
                value=action.text if done else "",
                text="" if done else action.text,
            )
        )
    for row in rows:  # one by one, because their keys record their order
        row.save(force_insert=True)
