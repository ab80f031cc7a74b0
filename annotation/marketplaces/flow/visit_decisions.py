"""Decisions on visits: approve, reject, or ask for their return. They are sent until the marketplace agrees."""

import contextlib
import time
from collections.abc import Iterable
from datetime import timedelta
from itertools import islice

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.marketplaces.base import Denied, MarketplaceError, TryAgain
from annotation.marketplaces.flow import studies, visit_pay, visit_states
from annotation.marketplaces.flow.connections import MarketplacePaused, Patience, StudySession, awake
from annotation.marketplaces.models import Connection, PanelStudy, Visit
from annotation.marketplaces.study_base import Status
from annotation.models import Assignment, User
from annotation.models.sealed import Unsealable
from annotation.pure.batches import lifecycle

Decision = Visit.Decision
MANY = 200  # visits approved with one call
CARRIED_OUT_WITHIN = timedelta(minutes=10)  # approvals that were sent together; then each is sent again by itself
UNDECIDED = ["", Decision.RETURN]
OPERATIONS = {Decision.PART: "approve_in_part", Decision.REJECTED: "reject", Decision.RETURN: "request_return"}


@transaction.atomic
def approve(visit: Visit, *, user: User | None, source: str = "requester") -> bool:
    """Approve a visit and all its responses; False if it was approved before.

    Raises Refused, changing nothing, for a visit that does not count, and Overdrawn.
    """
    unpayable = [*visit_states.OVER, Status.SCREENED_OUT]
    if Visit.objects.filter(pk=visit.pk, decision__in=UNDECIDED, remote_state__in=unpayable).exists():
        text = _(
            "The visit of %(who)s was returned, rejected, screened out, or not finished in time, so it cannot be "
            "approved."
        )
        raise Refused(text % {"who": visit.participant})
    if not studies.kind_of(visit.study.connection).offers("approve"):
        _refuse_without_responses(visit)
    _lock_responses(visit)
    if not _decide(visit, Decision.APPROVED, since=UNDECIDED):
        return False
    visit_pay.approve_responses(visit, user=user, source=source)
    return True


def _lock_responses(visit: Visit) -> None:
    # lock: the order is that of an approval of one response, which then approves the visit
    own = Assignment.objects.filter(visited__visit=visit).order_by("pk")
    list(own.select_for_update(of=("self",), no_key=True).values_list("pk"))


def _refuse_without_responses(visit: Visit) -> None:
    if not visit.assignments.filter(assignment__state=lifecycle.SUBMITTED).exists():
        raise Refused(_("%(who)s has no response here, so there is nothing to pay.") % {"who": visit.participant})


def reject(visit: Visit, *, text: str, category: str, user: User | None) -> bool:
    """Reject a visit: it is not paid, its responses are left out, and its HITs are asked for again.

    Raises Refused for a reason that the marketplace would not accept, and if one of its responses is approved.
    """
    kind = studies.kind_of(visit.study.connection)
    if len(text.strip()) < kind.shortest_rejection:
        least = kind.shortest_rejection
        raise Refused(_("Give a reason of at least %(least)s characters: the participant reads it.") % {"least": least})
    if kind.rejection_categories and category not in dict(kind.rejection_categories):
        raise Refused(_("Choose the category of the reason."))
    _refuse_if_paid(visit)
    if not _decide(visit, Decision.REJECTED, since=UNDECIDED, text=text.strip(), category=category):
        return False
    visit_states.leave_out_if_over(visit)
    return True


def _refuse_if_paid(visit: Visit) -> None:
    if visit.assignments.filter(assignment__approval=Assignment.Approved.APPROVED).exists():
        who = {"who": visit.participant}
        raise Refused(
            _("A response of %(who)s is approved already, so the visit can only be approved as a whole.") % who
        )


def pays_parts(connection: Connection) -> bool:
    """Whether a visit can be approved for a part of its reward; otherwise the part is a bonus for a return."""
    kind = studies.kind_of(connection)
    return kind.pays_parts(connection.options) or not kind.offers("approve")


@transaction.atomic
def pay_part(visit: Visit, *, percent: int, text: str, user: User | None) -> bool:
    """Pay so many percent of the reward instead of all of it; False if the visit was decided before.

    Where the marketplace has no partial payment, and for a visit that was returned or not finished in time, it is a
    bonus; the participant is asked to return the visit first. Raises Refused, changing nothing, and Overdrawn.
    """
    kind = studies.kind_of(visit.study.connection)
    if not kind.smallest_part <= percent <= 99:
        raise Refused(_("Give %(least)s to 99 percent of the reward.") % {"least": kind.smallest_part})
    if not text.strip():
        raise Refused(_("Tell the participant why."))
    _lock_responses(visit)
    visit.refresh_from_db(fields=["remote_state", "decision"])
    if visit.decision not in UNDECIDED:
        return False
    _refuse_if_paid(visit)
    if visit.remote_state in {Status.REJECTED, Status.SCREENED_OUT}:
        raise Refused(_("The visit of %(who)s was rejected or screened out.") % {"who": visit.participant})
    is_over = visit.remote_state in visit_states.OVER
    in_place = pays_parts(visit.study.connection) and not is_over
    if not (in_place and kind.offers("approve")):
        _refuse_without_responses(visit)
    return _pay_part(visit, percent, text.strip(), in_place=in_place, is_over=is_over, user=user)


def _pay_part(visit: Visit, percent: int, text: str, *, in_place: bool, is_over: bool, user: User | None) -> bool:
    visit.part_percent = percent
    if is_over:
        rows = Visit.objects.filter(~Q(state=Visit.State.LIVE), pk=visit.pk, decision__in=UNDECIDED, part_percent=0)
        if not rows.update(part_percent=percent, decision_text=text):
            return False
        audit_log.record("visit part", visit.study.batch, visit=visit.pk, percent=percent)
        visit_pay.pay_part_as_bonus(visit, user=user)
        return True
    if not _decide(visit, Decision.PART if in_place else Decision.RETURN, since=UNDECIDED, text=text):
        return False
    visit.refresh_from_db(fields=["remote_state"])
    if in_place:
        visit_pay.approve_in_part(visit, user=user)
    elif visit.remote_state in visit_states.OVER:  # it was returned just now
        visit_pay.pay_part_as_bonus(visit, user=user)
    return True


def request_return(visit: Visit, *, text: str, user: User | None) -> bool:
    """Ask the participant to return the visit; nothing else happens until they do."""
    if not text.strip():
        raise Refused(_("Tell the participant why."))
    return _decide(visit, Decision.RETURN, since=[""], text=text.strip())


@transaction.atomic
def _decide(visit: Visit, to: str, *, since: list[str], text: str = "", category: str = "") -> bool:
    kind = studies.kind_of(visit.study.connection)
    is_told = kind.offers(OPERATIONS.get(Decision(to), "approve"))
    rows = Visit.objects.filter(~Q(state=Visit.State.LIVE), pk=visit.pk, decision__in=since)
    stamps = {"decided_at": Now(), "due_at": Now(), "sent_at": None if is_told else Now(), "error": "", "tries": 0}
    stamps["part_percent"] = visit.part_percent if to in {Decision.PART, Decision.RETURN} else 0
    if to == Decision.REJECTED:
        visit_states.note_change(visit)
    if not rows.update(decision=to, decision_text=text, decision_category=category, **stamps):
        return False
    visit.decision = to
    audit_log.record(f"visit {to}", visit.study.batch, visit=visit.pk)
    return True


def note_approved(assignment: Assignment) -> None:
    """Approve the visit once the last of its responses is approved, by a requester or in time."""
    visit = _visit_of(assignment)
    if visit is None or visit.state == Visit.State.LIVE or visit.decision or visit.remote_state in visit_states.OVER:
        return
    own = Assignment.objects.filter(visit_pay.PAYABLE, visited__visit=visit, state=lifecycle.SUBMITTED)
    if not own.exclude(approval=Assignment.Approved.APPROVED).exclude(pk=assignment.pk).exists():
        approve(visit, user=None, source="auto")


def refuse_single(assignment: Assignment, source: str) -> None:
    """Raise Refused if one response alone is rejected: a participant is paid for the whole visit or not at all."""
    if source != "policy" and _visit_of(assignment) is not None:
        raise Refused(
            _(
                "This response belongs to a participant's visit, which is paid as a whole. Reject the visit on the "
                "Marketplace page of the batch."
            )
        )


def _visit_of(assignment: Assignment) -> Visit | None:
    rows = Visit.objects.filter(assignments__assignment=assignment)
    return rows.select_related("study__batch__project", "study__connection").first()


def unsent() -> QuerySet[Visit]:
    """Visits whose decision the marketplace does not have yet, and which it may be told now."""
    rows = Visit.objects.filter(sent_at=None, due_at__lte=Now(), tries__lt=20).exclude(decision="")
    return rows.exclude(visit_states.is_told_no_more())


def send_due(connection: Connection, *, patience: Patience | None = None, seconds: float = 3600) -> int:
    """Send due decisions, for at most `seconds`; returns how many. All calls are idempotent. Safe to run twice."""
    patience, end, sent = patience or Patience(), time.monotonic() + seconds, 0
    with contextlib.suppress(MarketplacePaused, Unsealable):
        session = StudySession(connection, patience=patience)
        rows = unsent().filter(study__connection=connection).select_related("study").order_by("due_at", "pk")
        approved = rows.filter(decision=Decision.APPROVED).iterator()
        while time.monotonic() < end and (some := list(islice(approved, MANY))):
            sent += _send_approvals(some, session)
        for visit in rows.exclude(decision=Decision.APPROVED)[:MANY]:
            if time.monotonic() < end:
                sent += _send_part(visit, session) if visit.decision == Decision.PART else _send_refusal(visit, session)
    return sent


def _send_approvals(visits: list[Visit], session: StudySession) -> int:
    """Several at once may be carried out later: they count as paid when the marketplace reports them so."""
    if len(visits) > 1 and (again := [visit for visit in visits if visit.tries]):
        first = [visit for visit in visits if not visit.tries]
        return sum(_send_approvals(some, session) for some in [first, *([visit] for visit in again)] if some)
    try:
        session.call(session.marketplace.approve, [visit.external_id for visit in visits])
    except MarketplaceError as failed:
        if len(visits) > 1:  # one that cannot be approved must not hold up the others
            return sum(_send_approvals([visit], session) for visit in visits)
        _put_off(visits, failed, session)
        return 0
    for visit in visits:
        _note(visit, Status.APPROVED if len(visits) == 1 else "")
    if len(visits) == 1:
        visit_pay.mark_paid(visit_pay.covered(visits[0]))
    else:
        PanelStudy.objects.filter(pk__in={visit.study_id for visit in visits}).update(synced_at=None)
    return len(visits)


def send_again(study: PanelStudy) -> int:
    """Have approvals sent again that the marketplace took, but did not carry out; returns how many."""
    rows = Visit.objects.filter(study=study, decision=Decision.APPROVED, remote_state=Status.AWAITING)
    return rows.filter(sent_at__lt=Now() - CARRIED_OUT_WITHIN).update(sent_at=None, due_at=Now(), tries=F("tries") + 1)


def _send_refusal(visit: Visit, session: StudySession) -> bool:
    there, text = session.marketplace, visit.decision_text
    try:
        if visit.decision == Decision.REJECTED:
            session.call(there.reject, visit.external_id, reason=text, category=visit.decision_category)
        else:
            session.call(there.request_return, visit.external_id, reason=text)
    except MarketplaceError as failed:
        _put_off([visit], failed, session)
        return False
    _note(visit, Status.REJECTED if visit.decision == Decision.REJECTED else "")
    return True


def _send_part(visit: Visit, session: StudySession) -> bool:
    """Have a part of the reward paid: asked for once, and again only if the submission still waits for it later."""
    mine = Visit.objects.filter(pk=visit.pk, decision=Decision.PART, sent_at=None, tries=visit.tries)
    if not mine.update(tries=F("tries") + 1, due_at=Now() + CARRIED_OUT_WITHIN):  # committed before the call
        return False
    there, asked = session.marketplace, {"percent": visit.part_percent, "text": visit.decision_text}
    try:
        is_done = visit.tries and session.call(there.submission, visit.external_id).status == Status.PARTLY_APPROVED
        if not is_done:
            session.call(there.approve_in_part, visit.external_id, token=visit.study.token, **asked)
    except MarketplaceError as failed:
        if isinstance(failed, TryAgain) and not failed.throttled:
            Visit.objects.filter(pk=visit.pk, sent_at=None).update(error=str(failed)[:1000])
        else:
            _put_off([visit], failed, session)
        return False
    _note(visit, Status.PARTLY_APPROVED)
    visit_pay.mark_paid(visit_pay.covered(visit))
    return True


def _note(visit: Visit, status: str) -> None:
    stamps = {"remote_state": status} if status else {}
    Visit.objects.filter(pk=visit.pk, decision=visit.decision).update(sent_at=Now(), error="", **stamps)


def _put_off(visits: Iterable[Visit], failed: MarketplaceError, session: StudySession) -> None:
    """Try again later; what the marketplace refuses for good waits for a person."""
    for visit in visits:
        wait = (
            session.patience.delay(visit.tries + 1, session.rng) if isinstance(failed, TryAgain) else timedelta(hours=6)
        )
        stamps = {"due_at": Now() + wait, "tries": visit.tries + 1, "error": str(failed)[:1000]}
        trouble = {"trouble": f"{failed}"[:200]} if isinstance(failed, Denied) else {}
        Visit.objects.filter(pk=visit.pk, sent_at=None).update(**stamps, **trouble)


def sweep(*, seconds: float = 10.0) -> int:
    """Send due decisions on every marketplace, for at most `seconds` each."""
    return sum(send_due(connection, seconds=seconds) for connection in awake(unsent().values("study__connection")))
