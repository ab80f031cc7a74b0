"""What becomes of a visit by the marketplace's word: its places given back, its responses left out, its pay settled.

The marketplace decides about pay, we decide about data. Participants' ids are forgotten when their study says so.
"""

from contextlib import suppress
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.batches import add_assignments
from annotation.flow.errors import Conflict, Refused
from annotation.flow.people import worker_erasure
from annotation.flow.review import assignment_approval, review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.flow.work import leases
from annotation.marketplaces.flow import visit_pay
from annotation.marketplaces.models import PanelStudy, Visit, VisitAssignment
from annotation.marketplaces.study_base import Outcome, Status, Submission
from annotation.models import Assignment, Batch, Hit, Payment, Review, Worker, clock
from annotation.pure.batches import lifecycle
from annotation.pure.review import review_state

OVER = [Status.RETURNED, Status.TIMED_OUT, Status.REJECTED]  # of the marketplace: the visit does not count
WITHDRAWN, RETURNED, TIMED_OUT, REJECTED = "withdrawn", "returned", "timed_out", "rejected"  # as `Status` names them
WRONG_CODE, BACK_EARLY, UNPAID = "wrong_code", "back_early", "unpaid"  # troubles
State = Visit.State


def reasons() -> dict[str, str]:
    """Why responses of a visit are left out of results."""
    return {
        WITHDRAWN: _("The participant withdrew their consent."),
        RETURNED: _("The participant returned the visit on the marketplace."),
        TIMED_OUT: _("The visit was not finished in time."),
        REJECTED: _("The visit was rejected."),
    }


def is_left_out(visit: str = "") -> Q:
    """Visits whose responses do not count, as far as decided; `visit` is the path to them."""
    ways: list[dict[str, Any]] = [
        {"remote_state__in": [Status.RETURNED, Status.REJECTED]},
        {"outcome": Outcome.NO_CONSENT},
        {"decision": Visit.Decision.REJECTED},
        {"remote_state": Status.TIMED_OUT, "study__use_timed_out": False},
    ]
    found = [Q(**{f"{visit}{name}": value for name, value in way.items()}) for way in ways]
    return reduce(or_, found)


def is_told_no_more() -> Q:
    """Visits over there, which can no longer be rejected, returned or paid in part."""
    return ~Q(decision=Visit.Decision.APPROVED) & Q(remote_state__in=OVER)


def take_in(visit: Visit, submission: Submission) -> None:
    """Note what the marketplace reports on a visit, and act on it. Idempotent; may run twice at once."""
    times = {"started_at": submission.started_at, "completed_at": submission.completed_at}
    remote: dict[str, Any] = {"code": submission.code, "bonuses": [str(amount) for amount in submission.bonuses]}
    remote |= {name: at.timestamp() if at else None for name, at in times.items()}
    as_read = Visit.objects.filter(pk=visit.pk, remote_state=visit.remote_state)
    with transaction.atomic():
        if visit.remote_state != submission.status and {visit.remote_state, submission.status} & {*OVER}:
            note_change(visit)
        if not as_read.update(remote=remote, remote_state=submission.status, synced_at=Now()):
            return  # another process has read it since
    visit.remote, visit.remote_state = remote, submission.status
    visit.refresh_from_db(fields=["part_percent"])  # after the update: a part decided meanwhile is paid by one of us
    if submission.status in {*OVER, Status.AWAITING, Status.SCREENED_OUT} and visit.state == State.LIVE:
        visit.move(State.ENDED, since=(State.LIVE,), ended_at=Now())
        return_hits(visit)
    leave_out_if_over(visit)
    trouble = _trouble(visit, submission)
    try:
        if submission.status in {Status.APPROVED, Status.PARTLY_APPROVED}:
            visit_pay.approved_there(visit)
        elif submission.status == Status.SCREENED_OUT:
            visit_pay.screened_out_there(visit)
        elif visit.part_percent and submission.status in {Status.RETURNED, Status.TIMED_OUT}:
            visit_pay.pay_part_as_bonus(visit)
    except Refused:  # the budget does not cover it, or our rejection is too old to be reversed
        trouble = UNPAID
    Visit.objects.filter(pk=visit.pk).exclude(trouble=trouble).update(trouble=trouble)


def note_change(visit: Visit) -> None:
    """Call it in the transaction that leaves out the visit's responses or lets them count, before: HITs come first."""
    Hit.objects.filter(pk__in=list(visit.assignments.values_list("assignment__hit", flat=True))).note_change()


def _trouble(visit: Visit, submission: Submission) -> str:
    if submission.status not in {Status.AWAITING, Status.APPROVED, Status.SCREENED_OUT}:
        return ""
    if visit.state != State.DONE:
        return BACK_EARLY
    return WRONG_CODE if submission.code and submission.code != visit.study.codes.get(visit.outcome) else ""


def return_hits(visit: Visit) -> None:
    """Return the assignments under way of a visit that is over; drafts are kept."""
    rows = Assignment.objects.filter(visited__visit=visit, state=lifecycle.ACCEPTED)
    for assignment in rows.select_related("batch").order_by("pk"):
        leases.return_assignment(assignment)


def leave_out_if_over(visit: Visit) -> None:
    """Leave out the responses of a visit that does not count, as it ended; erase them where consent was withdrawn."""
    if visit.outcome == Outcome.NO_CONSENT or (visit.remote_state == Status.RETURNED and visit.worker.has_withdrawn):
        leave_out(visit, why=WITHDRAWN)
    elif visit.decision == Visit.Decision.REJECTED:
        leave_out(visit, why=REJECTED)
    elif visit.remote_state in OVER:
        leave_out(visit, why=visit.remote_state)


def leave_out(visit: Visit, *, why: str) -> None:
    """The visit's responses are not paid, are left out of results, and their HITs are asked for again; each once.

    Those of participants who withdrew their consent are erased.
    Responses of a visit that timed out may count all the same, if the study says so.
    """
    keeps = why == TIMED_OUT and visit.study.use_timed_out
    unfreed = visit.assignments.filter(freed_at=None, assignment__state=lifecycle.SUBMITTED).order_by("pk")
    rows = list(unfreed.select_related("assignment__hit", "assignment__batch__project"))
    for row in rows:
        assignment = row.assignment
        if not assignment.approval:
            with suppress(assignment_approval.WrongState):  # approved just now
                assignment_approval.reject(assignment, text=reasons()[why], source="policy")
        if not keeps:
            _discard(assignment, reasons()[why])
    if why == WITHDRAWN:
        worker_erasure.erase(Assignment.objects.filter(visited__visit=visit))
    for row in rows if not keeps else ():
        _ask_again(row)


def _discard(assignment: Assignment, reason: str) -> None:
    last = Review.objects.filter(assignment=assignment).order_by("-pk").first()
    if last and last.decision == review_state.DISCARDED and last.revision == assignment.revision:
        return
    try:
        review_decisions.decide(
            assignment, assignment.revision, Decision(review_state.DISCARDED, {}, reason=reason), reviewer=None
        )
    except Conflict:  # changed just now; the next sweep sees the new revision
        return


def _ask_again(row: VisitAssignment) -> None:
    """Have the HIT ask for another response, within the budget; the sweep tries again where it is short."""
    assignment = row.assignment
    try:
        with transaction.atomic():
            if not VisitAssignment.objects.filter(pk=row.pk, freed_at=None).update(freed_at=Now()):
                return
            if assignment.counts and assignment.batch.state != Batch.State.CLOSED:
                hit = Hit.objects.filter(pk=assignment.hit_id, excluded_at__isnull=True, check_item=False)
                add_assignments.ask_again(assignment.batch, hit)
            Hit.objects.filter(pk=assignment.hit_id).note_change()
    except Refused:
        return


def settled(study: PanelStudy) -> dict[str, str]:
    """{submission: status} of visits with nothing left to do unless the marketplace reports another status."""
    own = Assignment.objects.filter(visited__visit=OuterRef("pk"), state=lifecycle.SUBMITTED)
    open_ones = Payment.objects.filter(assignment__visited__visit=OuterRef("pk")).exclude(visit_pay.is_bonus())
    is_paid = Q(remote_state=Status.APPROVED, decision=Visit.Decision.APPROVED)
    is_paid |= Q(remote_state=Status.PARTLY_APPROVED, decision=Visit.Decision.PART)
    is_paid &= Q(~Exists(own.filter(visit_pay.PAYABLE).exclude(approval=Assignment.Approved.APPROVED)))
    is_paid &= Q(~Exists(open_ones.exclude(state=Payment.State.PAID)))
    is_over = Q(remote_state__in=OVER) & ~Exists(own.filter(visited__freed_at=None))
    rows = Visit.objects.filter(is_paid | is_over | Q(remote_state=Status.SCREENED_OUT), study=study, trouble="")
    rows = rows.filter(synced_at__isnull=False).exclude(state=State.LIVE)
    rows = rows.exclude(worker__in=Worker.objects.filter(consented_version=0, consented_at__isnull=False))
    return dict(rows.values_list("external_id", "remote_state"))


def is_over(visit: Visit) -> bool:
    """Whether the visit's study is over, and its participants' ids have been kept long enough."""
    study = visit.study
    if study.ids_kept_days is None or visit.ended_at is None:
        return False
    is_closed = study.goal == PanelStudy.Goal.STOPPED or study.batch.state == Batch.State.CLOSED
    return is_closed and visit.ended_at + timedelta(days=study.ids_kept_days) < clock.now()


def sweep(*, limit: int = 50) -> int:
    """Erase ids whose time is over in all studies of the participant, once nothing is owed; returns how many."""
    over = Q(study__goal=PanelStudy.Goal.STOPPED) | Q(study__batch__state=Batch.State.CLOSED)
    rows = Visit.objects.filter(over, worker__erased_at=None, ended_at__lt=Now())
    erased = 0
    for days in {n for n in PanelStudy.objects.values_list("ids_kept_days", flat=True) if n is not None}:
        old = rows.filter(study__ids_kept_days=days, ended_at__lt=Now() - timedelta(days=days))
        # in random order, so that participants who are still owed something do not delay others
        for worker in Worker.objects.filter(pk__in=old.values("worker")).order_by("?")[:limit]:
            visits = Visit.objects.filter(worker=worker).select_related("study__batch")
            if all(is_over(visit) for visit in visits):
                with suppress(Refused):  # a payment or a decision is not through yet; the next sweep tries again
                    erased += worker_erasure.erase_worker(worker)
    return erased
