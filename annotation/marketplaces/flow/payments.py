"""Sending decisions to a marketplace: approvals, rejections, bonuses, messages, each once.

A Payment is an outbox row; its money moved in our ledger when it was written. An approval may be sent again, because it
is idempotent. A bonus is sent with the same token while the marketplace remembers it, and afterwards only if two
look-ups of its list did not find the payment's reference.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Now

from annotation.marketplaces.base import AlreadyThere, Bonus, Denied, HitMarketplace, MarketplaceError
from annotation.marketplaces.flow import hit_terms, outbox
from annotation.marketplaces.flow.connections import (
    HitSession,
    MarketplacePaused,
    MarketplaceSession,
    Patience,
    installation_id,
)
from annotation.marketplaces.flow.outbox import FREE
from annotation.marketplaces.kinds import names_of
from annotation.marketplaces.models import Arrival, Connection
from annotation.models import Approval, Assignment, Batch, Message, Payment
from annotation.models.sealed import Unsealable

State = Payment.State
APPROVED, REJECTED, SUBMITTED = "Approved", "Rejected", "Submitted"


def of_batch(batch: Batch) -> QuerySet[Payment]:
    """The batch's payments through its marketplace."""
    return Payment.objects.filter(batch=batch, batch__on_marketplace=True)


def counts(batch: Batch) -> dict[str, object]:
    """{"due", "sending", "paid", "failed"} and "waiting": dollars not sent to the marketplace yet."""
    states = {state: Count("pk", filter=Q(state=state)) for state in State.values}
    waiting = Sum("amount", filter=~Q(state=State.PAID), default=0)
    return of_batch(batch).aggregate(waiting=waiting, **states)


def due(connection: Connection) -> QuerySet[Payment]:
    """Due payments that are not leased; a bonus only after its assignment's reward."""
    rows = Payment.objects.unsettled().filter(FREE, batch__marketplace__connection=connection, due_at__lte=Now())
    owed = Payment.objects.filter(assignment=OuterRef("assignment"), kind=Payment.Kind.REWARD)
    return rows.exclude(~Q(kind=Payment.Kind.REWARD) & Exists(owed.exclude(state=State.PAID)))


def take(connection: Connection, *, patience: Patience) -> Payment | None:
    """Lease a due payment and commit that before any call; `now` is then the database's time."""
    related = ("assignment__arrival", "project", "batch")
    rows = due(connection).order_by("due_at")
    taken: Payment | None = outbox.take(rows, Payment.objects.unsettled(), *related, patience=patience)
    return taken


def send_due(connection: Connection, *, patience: Patience | None = None, seconds: float = 3600) -> int:
    """Send payments, then rejections and messages, for at most `seconds`; returns the number of payments sent.

    Safe to run twice. A marketplace that fails too often ends the run; the rest is sent after its pause.
    """
    patience, end, sent = patience or Patience(), time.monotonic() + seconds, 0
    with suppress(MarketplacePaused, Unsealable):
        session = HitSession(connection, patience=patience)
        while time.monotonic() < end and (found := take(connection, patience=patience)):
            sent += attempt(found, session)
        if session.marketplace.offers("reject"):
            send_rejections(session)
        if session.marketplace.offers("message"):
            send_messages(session, partial(_send, session))
    return sent


def attempt(payment: Payment, session: HitSession) -> bool:
    """One attempt to make a leased payment on the marketplace; True if it succeeded."""

    def note(_made: None) -> bool:
        return payment.move(State.PAID, since=(State.SENDING,), paid_at=Now(), error="", lease_until=None)

    return outbox.attempt(payment, session, partial(_ensure_paid, payment, session), note)


def _ensure_paid(payment: Payment, session: HitSession) -> None:
    arrival = getattr(payment.assignment, "arrival", None)
    if arrival is None:
        raise Denied("The marketplace has no assignment for this one, so it can pay nothing for it.")
    if payment.kind == Payment.Kind.REWARD:
        _ensure_approved(arrival, session)
    elif payment.amount:
        _ensure_bonus(payment, arrival, session)


def _ensure_approved(arrival: Arrival, session: HitSession) -> None:
    if arrival.remote_state == APPROVED:
        return
    text, override = _words_on(arrival), arrival.remote_state == REJECTED
    session.call(session.marketplace.approve, arrival.external_assignment, text=text, override=override)
    Arrival.objects.filter(pk=arrival.pk).update(remote_state=APPROVED)


def _words_on(arrival: Arrival) -> str:
    """The text of the last decision for the worker."""
    last = Approval.objects.filter(assignment=arrival.assignment_id).order_by("-pk").first()
    return last.text if last else ""


def reference(payment: Payment) -> str:
    """Ten letters or digits that identify a payment in the reason for the worker; permanent."""
    return hit_terms.token_for("reference", installation_id(payment.project), payment.key)[:10].upper()


def _ensure_bonus(payment: Payment, arrival: Arrival, session: HitSession) -> None:
    name = reference(payment)

    def is_listed(_since: datetime) -> bool:
        return session.call(session.marketplace.has_bonus, arrival.external_assignment, name)

    if outbox.look_where_forgotten(payment, session, is_listed):
        return
    Payment.objects.filter(pk=payment.pk).update(last_try_at=Now())
    bonus = Bonus(
        worker=arrival.external_worker,
        assignment=arrival.external_assignment,
        amount=payment.amount,
        reason=payment.reason[:1000],
        reference=name,
        token=hit_terms.token_for("bonus", installation_id(payment.project), payment.key),
    )
    with suppress(AlreadyThere):
        session.call(session.marketplace.pay_bonus, bonus)


def rejections() -> QuerySet[Arrival]:
    """Arrivals whose rejection was not sent to the marketplace yet."""
    return Arrival.objects.filter(remote_state=SUBMITTED, assignment__approval=Assignment.Approved.REJECTED)


def send_rejections(session: HitSession) -> None:
    """Send rejections of assignments that are submitted there; idempotent."""
    for arrival in rejections().filter(connection=session.connection).order_by("pk")[:500]:
        try:
            session.call(session.marketplace.reject, arrival.external_assignment, text=_words_on(arrival))
        except MarketplaceError as failed:
            Arrival.objects.filter(pk=arrival.pk).update(trouble=f"rejecting: {failed}"[:200])
            continue
        Arrival.objects.filter(pk=arrival.pk).update(remote_state=REJECTED, trouble="")


def due_messages(connection: Connection) -> QuerySet[Message]:
    """Messages to workers from the marketplace that were not sent yet, oldest first."""
    unread = Message.objects.filter(worker__project=connection.project_id, from_worker=False, read_at__isnull=True)
    return unread.filter(worker__external_id__startswith=f"{connection.pk}:").select_related("worker").order_by("pk")


def send_messages(session: MarketplaceSession[Any], send: Callable[[Message, str], str | None]) -> int:
    """Send messages; returns how many. `send` gets the worker's id there too, and returns why it was refused, or None.

    A sent message counts as read; one that the marketplace refuses is not retried. Marketplaces have no token for
    messages, so one can arrive twice if the process dies or a response is lost.
    """
    sent = 0
    for message in due_messages(session.connection).filter(FREE)[:100]:
        unread = Message.objects.filter(pk=message.pk, read_at__isnull=True)
        if not unread.filter(FREE).update(lease_until=Now() + session.patience.lease):
            continue
        worker = (message.worker.external_id or "").partition(":")[2]
        try:
            refused = send(message, worker)
        except Denied as denied:
            refused = str(denied)
        except MarketplaceError:
            continue  # the error is in the connection's row; it is sent again after the lease
        if refused is not None:
            why = f"a message to {worker} was refused: {refused}"
            Connection.objects.filter(pk=session.connection.pk).update(trouble=why[:1000])
        sent += unread.update(read_at=Now(), lease_until=None)
    return sent


def _send(session: HitSession, message: Message, worker: str) -> str | None:
    subject = message.subject or message.text[:60]
    return session.call(session.marketplace.message, [worker], subject, message.text).get(worker)


def try_again(batch: Batch) -> int:
    """Retry payments that failed for good, once the cause is fixed; returns how many."""
    return of_batch(batch).filter(state=State.FAILED).update(state=State.DUE, tries=0, due_at=Now(), error="")


def sweep(*, seconds: float = 10.0) -> int:
    """Send due payments and messages on every marketplace, for at most `seconds` each."""
    waiting = Payment.objects.unsettled().filter(due_at__lte=Now(), batch__on_marketplace=True)
    concerned = Q(pk__in=waiting.values("batch__marketplace__connection")) | Q(pk__in=rejections().values("connection"))
    rows = Connection.objects.filter(kind__in=names_of(HitMarketplace)).exclude(rests_until__gt=Now())
    called = set(rows.filter(concerned).values_list("pk", flat=True))
    some = [row for row in rows if row.pk in called or due_messages(row).exists()]
    return sum(send_due(connection, seconds=seconds) for connection in some)
