"""Bonuses for visits, each paid once although the marketplace pays at every call.

The steps are committed one by one: the intent with our payments, the marketplace's list before, its id of the prepared
payment, then that the call is about to be made. After that nothing is ever sent again: the list tells whether it was
paid. Only one bonus of a visit is in flight, because the list has bare amounts. What the list does not tell in time,
and a bonus of a visit whose list has amounts that we do not know, goes to a person.
"""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotation.flow.projects import audit_log
from annotation.marketplaces.base import Denied, MarketplaceError, TryAgain
from annotation.marketplaces.flow import visit_pay
from annotation.marketplaces.flow.connections import MarketplacePaused, Patience, StudySession, awake
from annotation.marketplaces.flow.outbox import FREE
from annotation.marketplaces.models import BonusShare, Connection, PanelStudy, Visit, VisitBonus
from annotation.models import Batch, Payment
from annotation.models.sealed import Unsealable

State = VisitBonus.State
AT_ONCE = 50  # bonuses in one payment
UNCLEAR_AFTER = timedelta(hours=24)  # without being listed
LOOK_EVERY = timedelta(minutes=2)
FRESH = timedelta(seconds=10)  # what was prepared longer ago may have been called since, if a backup brought it back


def due(connection: Connection) -> QuerySet[Payment]:
    """Bonuses of ours that nothing was done about: their rewards are paid, and no other bonus of the visit is open."""
    rows = Payment.objects.filter(state=Payment.State.DUE, due_at__lte=Now(), bonus_share__isnull=True, amount__gt=0)
    rows = rows.filter(assignment__visited__visit__study__connection=connection).filter(visit_pay.is_bonus())
    owed = Payment.objects.filter(assignment=OuterRef("assignment"), kind=Payment.Kind.REWARD)
    open_ones = VisitBonus.objects.filter(visit=OuterRef("assignment__visited__visit"), state__in=VisitBonus.IN_FLIGHT)
    return rows.exclude(Exists(owed.exclude(state=Payment.State.PAID))).exclude(Exists(open_ones))


def send_due(connection: Connection, *, patience: Patience | None = None, seconds: float = 3600) -> int:
    """Take bonuses on by a step each, for at most `seconds`; returns how many were found paid. Safe to run twice."""
    patience, end, paid = patience or Patience(), time.monotonic() + seconds, 0
    with suppress(MarketplacePaused, Unsealable):
        session = StudySession(connection, patience=patience)
        if not session.marketplace.offers("pay_bonuses"):
            return 0
        intend(connection)
        for study in PanelStudy.objects.filter(connection=connection, visits__bonuses__state__in=OPEN).distinct():
            while time.monotonic() < end and _step(study, session):
                pass
            paid += read_lists(study, session)
    return paid


OPEN = (State.INTENDED, State.PREPARED, State.CALLED)


def intend(connection: Connection) -> int:
    """Write an intent for each visit that is owed a bonus, with all of its payments; returns how many."""
    visits: dict[int, list[Payment]] = {}
    for payment in due(connection).select_related("assignment__visited").order_by("pk")[:1000]:
        visits.setdefault(payment.assignment.visited.visit_id, []).append(payment)
    return sum(_intend(visit, payments) for visit, payments in visits.items())


def _intend(visit: int, payments: Sequence[Payment]) -> bool:
    try:
        with transaction.atomic():
            total = sum(payment.amount for payment in payments)
            bonus = VisitBonus.objects.create(visit_id=visit, amount=total, due_at=Now())
            BonusShare.objects.bulk_create(BonusShare(bonus=bonus, payment=payment) for payment in payments)
    except IntegrityError:  # another process intended it at the same time
        return False
    return True


def _step(study: PanelStudy, session: StudySession) -> bool:
    """Prepare and pay some bonuses of the study; False if there is nothing to do now."""
    ready = VisitBonus.objects.filter(FREE, visit__study=study, state=State.PREPARED, due_at__lte=Now())
    old = ready.filter(due_at__lt=Now() - FRESH).values("payment")
    VisitBonus.objects.filter(state=State.PREPARED, payment__in=old).update(state=State.INTENDED, payment="")
    rows = _lease(study, session)
    if rows:
        prepare(study, rows, session)
    found = ready.first()
    return bool(rows) if found is None else pay(found.payment, session) or True


def _lease(study: PanelStudy, session: StudySession) -> list[VisitBonus]:
    taken = []
    due = VisitBonus.objects.filter(FREE, visit__study=study, state=State.INTENDED, due_at__lte=Now())
    for row in due.select_related("visit").order_by("pk")[:AT_ONCE]:
        free = VisitBonus.objects.filter(FREE, pk=row.pk, state=State.INTENDED, tries=row.tries)
        row.tries += 1
        if free.update(tries=row.tries, lease_until=Now() + session.patience.lease):
            taken.append(row)
    return taken


def prepare(study: PanelStudy, rows: Sequence[VisitBonus], session: StudySession) -> bool:
    """Store each visit's list of bonuses, then have the payment prepared, and store its id; nothing is paid by this."""
    try:
        for row in rows:
            row.before = _listed(row.visit, session)
        unknown = any(map(_lists_unknown, rows))
        if unknown and len(rows) > 1:
            return sum(prepare(study, [row], session) for row in rows) > 0
        amounts = [(row.visit.external_id, row.amount) for row in rows]
        payment = session.call(session.marketplace.prepare_bonuses, study.external_id, amounts)
    except TryAgain as failed:
        _put_back(rows, session.patience.delay(rows[0].tries, session.rng), str(failed))
        return False
    except MarketplacePaused:
        _put_back(rows, session.patience.rest, "")
        raise
    except Denied as refused:
        if len(rows) > 1:  # one of them spoils the others: each by itself next
            return sum(prepare(study, [row], session) for row in rows) > 0
        _refuse(VisitBonus.objects.filter(pk=rows[0].pk, state=State.INTENDED, tries=rows[0].tries), str(refused))
        return False
    with transaction.atomic():
        for row in rows:
            mine = VisitBonus.objects.filter(pk=row.pk, state=State.INTENDED, tries=row.tries)
            stamps = {"before": row.before, "seen": row.before, "lease_until": None, "due_at": Now(), "error": ""}
            mine.update(state=State.UNCLEAR if unknown else State.PREPARED, payment=payment, **stamps)
        if VisitBonus.objects.filter(payment=payment).count() < len(rows):  # another process took some of them over
            VisitBonus.objects.filter(payment=payment).update(state=State.INTENDED, payment="")
            return False
    return True


def _lists_unknown(row: VisitBonus) -> bool:
    """Whether bonuses are listed of which nobody here knows, as after a restore: a person says whether this is one."""
    rows = row.visit.bonuses.all()
    judged: list[str] = max((one.seen for one in rows if one.state == State.NOT_PAID), key=len, default=[])
    known: Counter[str] = Counter(str(one.amount) for one in rows if one.state == State.PAID) | Counter(judged)
    return bool(Counter(row.before) - known)


def pay(payment: str, session: StudySession) -> bool:
    """Make the one call that pays a prepared payment; False if another process makes it, or it was refused."""
    if not begin_call(payment):
        return False
    rows = VisitBonus.objects.filter(payment=payment, state=State.CALLED)
    try:
        session.call(session.marketplace.pay_bonuses, payment)
    except (MarketplaceError, MarketplacePaused) as failed:
        why = failed.__cause__ if isinstance(failed, MarketplacePaused) else failed
        if may_call_again(why):
            rows.update(state=State.PREPARED, due_at=Now() + session.patience.delay(4, session.rng), error=str(why))
        elif isinstance(why, Denied):
            _refuse(rows, str(why))
        else:
            rows.update(error=str(why)[:1000])
        if isinstance(failed, MarketplacePaused):
            raise
        return False
    rows.update(was_taken=True, error="")
    return True


def begin_call(payment: str) -> bool:
    """Commit that the call is about to be made: only the process that changed all of its rows makes it."""
    rows = VisitBonus.objects.filter(payment=payment, state=State.PREPARED)
    return bool(rows.update(state=State.CALLED, called_at=Now(), due_at=Now()))


def may_call_again(failed: BaseException | None) -> bool:
    """Whether a failed call certainly paid nothing and may be made again: it was refused for its rate alone."""
    return isinstance(failed, TryAgain) and failed.throttled


def read_lists(study: PanelStudy, session: StudySession) -> int:
    """Read the lists of bonuses that were asked for; returns how many were found paid."""
    due = VisitBonus.objects.filter(FREE, visit__study=study, state=State.CALLED, due_at__lte=Now())
    found = 0
    for row in due.select_related("visit").annotate(now=Now()).order_by("due_at")[:500]:
        try:
            listed = _listed(row.visit, session)
        except MarketplaceError as failed:
            VisitBonus.objects.filter(pk=row.pk, state=State.CALLED).update(
                due_at=Now() + session.patience.delay(4, session.rng), error=str(failed)[:1000]
            )
            continue
        found += _judge(row, listed, session.patience)
    return found


def _judge(row: VisitBonus, listed: list[str], patience: Patience) -> bool:
    if _shows(row, listed):
        return settle(row, State.PAID, since=(State.CALLED,), seen=listed)
    late = row.called_at is not None and row.now > row.called_at + UNCLEAR_AFTER  # type: ignore[attr-defined]  # `now` is annotated
    if Counter(listed) != Counter(row.before) or late:
        row.move(State.UNCLEAR, since=(State.CALLED,), seen=listed)
    else:
        wait = min(LOOK_EVERY, patience.rest)
        VisitBonus.objects.filter(pk=row.pk, state=State.CALLED).update(due_at=Now() + wait, seen=listed)
    return False


def _shows(row: VisitBonus, listed: Sequence[str]) -> bool:
    """Whether the list has exactly one more bonus than before, of this amount."""
    return Counter(listed) == Counter([*row.before, str(row.amount)])


def look_again(row: VisitBonus, session: StudySession) -> bool:
    """Read the list of an unclear bonus once more; it is paid if the list shows it now. Returns whether it changed."""
    listed = _listed(row.visit, session)
    if listed == row.seen:
        return False
    if _shows(row, listed):
        return settle(row, State.PAID, since=(State.UNCLEAR,), seen=listed)
    return bool(VisitBonus.objects.filter(pk=row.pk, state=State.UNCLEAR).update(seen=listed))


def _listed(visit: Visit, session: StudySession) -> list[str]:
    """The marketplace's list of the visit's bonuses, as sorted amounts."""
    return sorted(str(amount) for amount in session.call(session.marketplace.submission, visit.external_id).bonuses)


@transaction.atomic
def settle(row: VisitBonus, to: str, *, since: Sequence[str], **stamps: object) -> bool:
    """Record whether a bonus was paid: our payments are then paid, or due again for another bonus."""
    if not row.move(to, since=tuple(since), settled_at=Now(), lease_until=None, **stamps):
        return False
    for share in row.shares.all():
        if to == State.PAID:
            visit_pay.mark_paid(Payment.objects.filter(pk=share.payment_id))
        else:
            share.delete()
    return True


@transaction.atomic
def _refuse(rows: QuerySet[VisitBonus], why: str) -> None:
    for row in rows.select_for_update(no_key=True):
        # before `settle`, which deletes the shares of what is refused
        payments = list(row.shares.values_list("payment", flat=True))
        if settle(row, State.REFUSED, since=(State.INTENDED, State.CALLED), error=why[:1000]):
            Payment.objects.filter(pk__in=payments, state="due").update(state="failed", error=why[:1000])


def _put_back(rows: Sequence[VisitBonus], wait: timedelta, error: str) -> None:
    for row in rows:
        mine = VisitBonus.objects.filter(pk=row.pk, state=State.INTENDED, tries=row.tries)
        mine.update(due_at=Now() + wait, lease_until=None, error=error[:1000])


def unclear(batch: Batch) -> QuerySet[VisitBonus]:
    """The batch's bonuses that a person must decide, oldest first."""
    rows = VisitBonus.objects.filter(visit__study__batch=batch, state=State.UNCLEAR)
    return rows.select_related("visit__study__batch__project", "visit__study__connection").order_by("pk")


def decide(row: VisitBonus, *, was_paid: bool) -> bool:
    """Record what a person found about an unclear bonus; False if somebody did before.

    One that was not paid is asked for again, as a new bonus.
    """
    to = State.PAID if was_paid else State.NOT_PAID
    with transaction.atomic():
        if not settle(row, to, since=(State.UNCLEAR,)):
            return False
        submission = row.visit.external_id
        audit_log.record("decided", row.visit.study.batch, bonus=str(row.amount), submission=submission, paid=was_paid)
    return True


def counts(batch: Batch) -> dict[str, int]:
    """The batch's bonuses by state."""
    by_state = {state: Count("pk", filter=Q(state=state)) for state in State.values}
    return VisitBonus.objects.filter(visit__study__batch=batch).aggregate(**by_state)


def sweep(*, seconds: float = 10.0) -> int:
    """Take bonuses on, on every marketplace of studies, for at most `seconds` each."""
    waiting = Payment.objects.filter(state=Payment.State.DUE, due_at__lte=Now(), bonus_share__isnull=True)
    waiting = waiting.filter(visit_pay.is_bonus())
    named = Q(panel_studies__visits__assignments__assignment__payments__in=waiting)
    named |= Q(panel_studies__visits__bonuses__in=VisitBonus.objects.filter(state__in=OPEN, due_at__lte=Now()))
    return sum(send_due(connection, seconds=seconds) for connection in awake(Connection.objects.filter(named)))
