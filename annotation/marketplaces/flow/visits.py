"""Visits: participants who come by link, do their HITs on the ordinary pages, and go back with a code.

A participant is a worker with a user who has no password: a guest, signed in by an ordinary session. Lock order:
assignment, participation, worker, batch, HIT, visit, accounts.
"""

import re
import secrets
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds
from annotation.flow.work import arm_draws, next_assignment, open_work
from annotation.flow.work.met_groups import ALIVE_OR_DONE
from annotation.marketplaces.base import Denied, MarketplaceError
from annotation.marketplaces.flow import studies, study_arms, visit_pay, visit_states
from annotation.marketplaces.flow.connections import open_marketplace
from annotation.marketplaces.models import PanelStudy, Visit, VisitAssignment
from annotation.marketplaces.study_base import Outcome, Status, StudyMarketplace, Submission, Ticket
from annotation.models import Assignment, Batch, User, Worker, clock
from annotation.models.sealed import Unsealable
from annotation.pure.batches import lifecycle
from annotation.pure.net.placeholders import is_placeholder

ID = re.compile(r"[A-Za-z0-9_.@+-]{1,64}")
FULL = gettext_noop("This study takes no more participants at the moment.")
GRACE = timedelta(minutes=2)  # after a deadline before the visit ends
State = Visit.State


class TurnedAway(Refused):
    """The participant cannot take part, and should go back without a code."""


class Unreachable(Refused):
    """The marketplace could not be asked; the participant should try again."""


def study_of(token: str) -> PanelStudy | None:
    """The study of a participants' URL."""
    rows = PanelStudy.objects.select_related("batch__project", "connection")
    return rows.filter(token=token, batch__project__removed_at=None, batch__removed_at=None).first()


def marketplace_of(study: PanelStudy) -> StudyMarketplace:
    """The client of the study's marketplace. Raises Unreachable if its keys cannot be read."""
    try:
        found = open_marketplace(study.connection, timeout=8.0)
    except Unsealable as lost:
        raise Unreachable(str(lost)) from None
    assert isinstance(found, StudyMarketplace)
    return found


def arrive(study: PanelStudy, query: dict[str, str], guest: User | AnonymousUser | None = None) -> Visit:
    """The visit of a participant with these URL parameters; the same one whenever and wherever they come again.

    `guest`: who the browser belongs to so far; a signature in the link may be old where it is the visit's own.
    Raises TurnedAway and Unreachable.
    """
    marketplace = marketplace_of(study)
    ticket = _filled_in(marketplace.ticket(query))
    if not (ID.fullmatch(ticket.participant) and ID.fullmatch(ticket.submission)):
        raise TurnedAway(_("The link did not say who you are. Open the study again from where you found it."))
    known = study.visits.filter(external_id=ticket.submission).select_related("worker").first()
    if known is not None and known.participant != ticket.participant:
        raise TurnedAway(_("This link belongs to somebody else. Open the study from your own account."))
    if known is None or known.worker.user != guest:
        _check_link(study, query, ticket, marketplace)
    return known or _begin(study, ticket, _verified(study, ticket, marketplace))


def _filled_in(ticket: Ticket) -> Ticket:
    """The ticket, with a plus of an address that was not encoded. Raises TurnedAway for places left to fill in."""
    given = ticket.participant, ticket.submission
    if unfilled := [each for each in given if each and is_placeholder(each)]:
        text = _(
            "The link says “%(unfilled)s” where your own id belongs, so we cannot tell you from others. The "
            "researchers must correct it: please write to them where you found the study, and tell them what this page "
            "says."
        )
        raise TurnedAway(text % {"unfilled": unfilled[0][:64]})
    participant, submission = (each.replace(" ", "+") for each in given)
    return replace(ticket, participant=participant, submission=submission)


def _check_link(study: PanelStudy, query: dict[str, str], ticket: Ticket, marketplace: StudyMarketplace) -> None:
    if not marketplace.offers("check_link"):
        return
    try:
        marketplace.check_link(query, ticket, url=studies.arrival_url(study), now=clock.now())
    except Denied:
        text = _("This link is too old, or not the marketplace's own. Open the study again from there.")
        raise TurnedAway(text) from None
    except MarketplaceError:
        raise Unreachable(_("We could not ask the marketplace about your visit.")) from None


def _verified(study: PanelStudy, ticket: Ticket, marketplace: StudyMarketplace) -> Submission | None:
    """The submission as the marketplace knows it, where it can be asked: parameters can be forged."""
    if not marketplace.offers("submission"):
        if study.goal != PanelStudy.Goal.ACTIVE or not studies.places_left(study):
            raise TurnedAway(_(FULL))
        return None
    try:
        found = marketplace.submission(ticket.submission)
    except Denied:
        raise TurnedAway(_("The marketplace does not know this visit. Open the study again from there.")) from None
    except MarketplaceError:
        raise Unreachable(_("We could not ask the marketplace about your visit.")) from None
    if (found.participant, found.study) != (ticket.participant, study.external_id):
        raise TurnedAway(_("This link belongs to somebody else. Open the study from your own account."))
    if found.status not in {Status.RESERVED, Status.ACTIVE}:
        raise TurnedAway(_("This visit is over on the marketplace."))
    return found


def _begin(study: PanelStudy, ticket: Ticket, submission: Submission | None) -> Visit:
    if not study_arms.is_open(study.batch):
        raise TurnedAway(_(FULL))
    worker = _guest(study, ticket.participant)
    for former in study.visits.filter(worker=worker, state=State.LIVE).exclude(external_id=ticket.submission):
        end(former, Status.RETURNED)  # the marketplace sent them anew
    deadline = clock.now() + timedelta(minutes=study.max_minutes)
    remote = {"remote_state": submission.status} if submission else {}
    columns = {"worker": worker, "participant": ticket.participant, "deadline": deadline, **remote}
    try:
        with transaction.atomic():
            # lock: of two who arrive at once for the last place only one gets it
            PanelStudy.objects.select_for_update(no_key=True).get(pk=study.pk)
            is_here = study.visits.filter(external_id=ticket.submission).exists()
            if submission is None and not is_here and not studies.places_left(study):
                raise TurnedAway(_(FULL))
            visit, _new = Visit.objects.get_or_create(study=study, external_id=ticket.submission, defaults=columns)
    except IntegrityError:  # another visit of theirs began at the same moment
        raise TurnedAway(_("You have another visit in progress. Continue there.")) from None
    return visit


@transaction.atomic
def _guest(study: PanelStudy, participant: str) -> Worker:
    """The worker of a participant, with a user who can sign in by link only."""
    name = f"{study.connection_id}:{participant}"
    worker, _new = Worker.objects.get_or_create(project=study.batch.project, external_id=name)
    # lock: two devices that arrive at once make one user
    row = Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
    if row.user_id is None:
        user = User(username=f"guest-{secrets.token_hex(8)}")
        user.set_unusable_password()
        user.save()
        row.user = user
        row.save(update_fields=["user"])
    return row


def live_visit(worker: Worker, batch: Batch) -> Visit | None:
    """The worker's visit under way in the batch."""
    return _visits(worker.pk, batch).filter(state=State.LIVE, deadline__gt=Now()).first()


def _visits(worker_id: int, batch: Batch) -> QuerySet[Visit]:
    """The worker's visits of the batch's study, the newest first."""
    rows = Visit.objects.filter(study__batch=study_arms.lead_of(batch), worker=worker_id)
    return rows.select_related("study").order_by("-pk")


def taken(visit: Visit) -> QuerySet[Assignment]:
    """The assignments of a visit that are under way or submitted."""
    return Assignment.objects.filter(visited__visit=visit, state__in=ALIVE_OR_DONE)


def submitted(visit: Visit) -> QuerySet[Assignment]:
    """The responses of a visit."""
    return Assignment.objects.filter(visited__visit=visit, state=lifecycle.SUBMITTED)


def may_take(worker: Worker, batch: Batch) -> bool:
    """Whether the visit has room for another HIT."""
    visit = live_visit(worker, batch)
    return visit is not None and taken(visit).count() < visit.study.hits_per_visit


def most_offered(worker_id: int, batch: Batch) -> int | None:
    """The worker's responses in earlier visits, and those that the one under way asks for."""
    visit = _visits(worker_id, batch).first()
    if visit is None:
        return None
    earlier = VisitAssignment.objects.filter(visit__study=visit.study_id, visit__worker=worker_id)
    done = earlier.filter(assignment__state=lifecycle.SUBMITTED).exclude(visit=visit).count()
    return done + visit.study.hits_per_visit


def note_accepted(assignment: Assignment) -> None:
    """Count an accepted assignment for the visit, even if that has ended since `may_take`."""
    columns = {"visit": _visits(assignment.worker_id, assignment.batch).first()}
    VisitAssignment.objects.update_or_create(assignment=assignment, defaults=columns)


def note_submitted(assignment: Assignment) -> None:
    """Finish the visit with its last response, even if the participant never opens another page.

    One that comes later earns nothing more: the visit's whole reward is booked for those before.
    """
    # Locked: an approval of the visit at the same time either pays for this response or is seen below.
    Visit.objects.select_for_update(of=("self",), no_key=True).filter(assignments__assignment=assignment).first()
    filled = Visit.objects.filter(visit_pay.FILLED)
    if Assignment.objects.filter(pk=assignment.pk, visited__visit__in=filled).update(auto_approve_at=None):
        assignment.refresh_from_db(fields=["counts"])
        batch_funds.settle(assignment, Decimal(0))
    visit = live_visit(assignment.worker, assignment.batch)
    if visit is not None and submitted(visit).count() >= visit.study.hits_per_visit:
        _finish(visit, Outcome.DONE)


@dataclass(frozen=True, slots=True)
class VisitProgress:
    """Where a participant stands: `done` of `wanted` responses; `may_continue`: there is a HIT for them."""

    visit: Visit
    done: int
    wanted: int
    may_continue: bool


def visit_progress(visit: Visit) -> VisitProgress:
    """Where the participant stands; a visit with nothing left to do is finished or ended by that."""
    if visit.state == State.LIVE:
        _settle(visit)
        visit.refresh_from_db(fields=["state", "outcome"])
    elif visit.worker.has_withdrawn:
        _withdraw(visit)
    done = submitted(visit).count()
    return VisitProgress(visit, done, visit.study.hits_per_visit, visit.state == State.LIVE)


def _settle(visit: Visit) -> None:
    worker, done = visit.worker, submitted(visit).count()
    batch = study_arms.batch_for(worker, visit.study.batch)
    if visit.deadline <= clock.now():
        end(visit, Status.TIMED_OUT)
    elif done >= visit.study.hits_per_visit:
        _finish(visit, Outcome.DONE)
    elif worker.has_withdrawn:
        refuse_consent(visit)
    elif outcome := OUTCOMES.get(open_work.obstacle(worker, batch)):
        # the pay for being screened out would be all that they get for their work
        _finish(visit, Outcome.FAILED_CHECKS if done else outcome)
    elif worker.consented and not _has_more(visit):
        if done:
            _finish(visit, Outcome.DONE)  # fewer HITs than promised are not their fault
        else:
            end(visit, Status.RETURNED)


# what hinders a worker, and how the visit then ends
OUTCOMES = {
    "paused": Outcome.FAILED_CHECKS,
    "unqualified": Outcome.SCREENED_OUT,
    "blocked": Outcome.SCREENED_OUT,
    "inactive": Outcome.SCREENED_OUT,
}


def _has_more(visit: Visit) -> bool:
    if taken(visit).filter(state=lifecycle.ACCEPTED).exists():
        return True
    batch: Batch | None = visit.study.batch
    if (experiment := visit.study.batch.experiment) is not None:
        batch = arm_draws.current_arm(visit.worker, experiment)
        if batch is None:
            return arm_draws.may_begin(visit.worker, experiment)
    while batch is not None:
        if open_work.left(next_assignment.join_batch(visit.worker, batch), most=1) > 0:
            return True
        batch = arm_draws.next_arm(visit.worker, batch) if batch.experiment_id is not None else None
    return False


def refuse_consent(visit: Visit) -> None:
    """End a visit whose participant does not agree to the consent text; what they did before does not count."""
    if _finish(visit, Outcome.NO_CONSENT):
        visit_states.leave_out(visit, why=visit_states.WITHDRAWN)


def _withdraw(visit: Visit) -> None:
    """The participant withdrew their consent after the visit: unless it is decided, its responses do not count."""
    rows = Visit.objects.filter(pk=visit.pk, state=State.DONE, decision="").exclude(outcome=Outcome.NO_CONSENT)
    with transaction.atomic():
        visit_states.note_change(visit)
        if rows.update(outcome=Outcome.NO_CONSENT):
            visit.outcome = str(Outcome.NO_CONSENT)
    visit_states.leave_out_if_over(visit)


def leave(visit: Visit) -> None:
    """The participant stops early: HITs under way go back, and they return the visit on the marketplace."""
    if visit.worker.consented:
        end(visit, Status.RETURNED)
    else:
        refuse_consent(visit)


def leave_for_device(visit: Visit) -> None:
    """The participant's device does not show the work: they go back with a code for that; not once they did a HIT."""
    if not submitted(visit).exists():
        _finish(visit, Outcome.INCOMPATIBLE)


def _finish(visit: Visit, outcome: str) -> bool:
    with transaction.atomic():
        if outcome == Outcome.NO_CONSENT:
            visit_states.note_change(visit)
        moved = visit.move(State.DONE, since=(State.LIVE,), outcome=str(outcome), ended_at=Now())
    if moved:
        visit.outcome = str(outcome)
        visit_states.return_hits(visit)
    return moved


def end(visit: Visit, status: Status) -> bool:
    """End a visit without a code. Where the marketplace can be asked, it says later what became of it."""
    if not visit.move(State.ENDED, since=(State.LIVE,), ended_at=Now()):
        return False
    visit_states.return_hits(visit)
    if not studies.kind_of(visit.study.connection).offers("submission"):
        with transaction.atomic():
            visit_states.note_change(visit)
            Visit.objects.filter(pk=visit.pk).update(remote_state=status)
        visit.remote_state = status
        visit_states.leave_out_if_over(visit)
    return True


def sweep(*, limit: int = 500) -> int:
    """End visits whose time is over, and let go of what visits left behind. Safe to run anywhere and twice."""
    rows = Visit.objects.select_related("study__batch__project", "study__connection", "worker")
    over = rows.filter(state=State.LIVE, deadline__lt=Now() - GRACE)
    ended = sum(end(visit, Status.TIMED_OUT) for visit in over.order_by("deadline")[:limit])
    unfinished = VisitAssignment.objects.filter(freed_at=None, assignment__state=lifecycle.SUBMITTED)
    for visit in rows.filter(visit_states.is_left_out(), pk__in=unfinished.values("visit")).order_by("pk")[:limit]:
        visit_states.leave_out_if_over(visit)
    return ended
