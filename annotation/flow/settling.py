"""What a marketplace has to be told of decisions made here: approvals, rejections, bonuses, letters. Each once.

A Payment is the intent; its money moved in our ledger when it was written. An approval may be sent again, since an
approved assignment stays approved. A bonus is sent with the same token while the marketplace remembers it, and after
that only when two looks at its list did not find the payment's reference.
"""

from __future__ import annotations

import time
from functools import partial

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Now

from annotation.flow import sending, terming
from annotation.flow.connecting import Line, Patience, Resting, installation_id
from annotation.flow.publishing import FREE
from annotation.flow.sending import Later
from annotation.marketplaces.base import AlreadyThere, Bonus, Denied, MarketplaceError
from annotation.models import Approval, Arrival, Assignment, Batch, Connection, Message, Payment
from annotation.models.sealed import Unsealable

State = Payment.State
APPROVED, REJECTED, SUBMITTED = "Approved", "Rejected", "Submitted"


def of(batch: Batch) -> QuerySet[Payment]:
    """The batch's payments that go through its marketplace."""
    return Payment.objects.filter(batch=batch, batch__connection__isnull=False)


def counts(batch: Batch) -> dict[str, object]:
    """{"due", "sending", "paid", "failed"} and "waiting": the dollars that the marketplace was not told of yet."""
    states = {state: Count("pk", filter=Q(state=state)) for state in State.values}
    told: dict[str, object] = of(batch).aggregate(
        waiting=Sum("amount", filter=~Q(state=State.PAID), default=0), **states
    )
    return told


def due(connection: Connection) -> QuerySet[Payment]:
    """What is to be sent now and nobody is sending; a bonus only after its assignment's reward."""
    rows = Payment.objects.unsettled().filter(FREE, batch__connection=connection, due_at__lte=Now())
    owed = Payment.objects.filter(assignment=OuterRef("assignment"), kind=Payment.Kind.REWARD)
    return rows.exclude(~Q(kind=Payment.Kind.REWARD) & Exists(owed.exclude(state=State.PAID)))


def take(connection: Connection, *, patience: Patience) -> Payment | None:
    """Lease a payment that is due and commit that it is tried now; `now` is the database's clock then."""
    for found in due(connection).order_by("due_at")[:20]:
        mine = Payment.objects.unsettled().filter(FREE, pk=found.pk, tries=found.tries)
        stamps = {"first_try_at": Coalesce("first_try_at", Now()), "lease_until": Now() + patience.lease}
        if mine.update(state=State.SENDING, tries=found.tries + 1, **stamps):
            rows = Payment.objects.select_related("assignment__arrival", "project", "batch").annotate(now=Now())
            return rows.get(pk=found.pk)
    return None


def send_due(connection: Connection, *, patience: Patience | None = None, seconds: float = 3600) -> int:
    """Send payments, then rejections and letters, for so many seconds at most; returns how many payments arrived.

    Safe to run twice. A marketplace that fails too often ends the run; the rest is tried when it has rested.
    """
    patience, end, sent = patience or Patience(), time.monotonic() + seconds, 0
    try:
        line = Line(connection, patience=patience)
        while time.monotonic() < end and (found := take(connection, patience=patience)):
            sent += attempt(found, line)
        send_rejections(line)
        send_letters(line)
    except (Resting, Unsealable):
        return sent
    return sent


def attempt(payment: Payment, line: Line) -> bool:
    """One try to have a leased payment made there; True when it is."""

    def note(_made: None) -> bool:
        return payment.move(State.PAID, since=(State.SENDING,), paid_at=Now(), error="", lease_until=None)

    return sending.attempt(payment, line, partial(_ensure_paid, payment, line), note)


def _ensure_paid(payment: Payment, line: Line) -> None:
    arrival = getattr(payment.assignment, "arrival", None)
    if arrival is None:
        raise Denied("The marketplace has no assignment for this one, so it can pay nothing for it.")
    if payment.kind == Payment.Kind.REWARD:
        _ensure_approved(arrival, line)
    elif payment.amount:
        _ensure_bonus(payment, arrival, line)


def _ensure_approved(arrival: Arrival, line: Line) -> None:
    if arrival.remote_state == APPROVED:
        return
    text, override = _words_on(arrival), arrival.remote_state == REJECTED
    line.call(line.marketplace.approve, arrival.external_assignment, text=text, override=override)
    Arrival.objects.filter(pk=arrival.pk).update(remote_state=APPROVED)


def _words_on(arrival: Arrival) -> str:
    """What the worker is told of the last decision."""
    last = Approval.objects.filter(assignment=arrival.assignment_id).order_by("-pk").first()
    return last.text if last else ""


def reference(payment: Payment) -> str:
    """What names a payment in the reason that the worker reads: ten letters or figures, the same for ever."""
    return terming.token_for("reference", installation_id(payment.project), payment.key)[:10].upper()


def _ensure_bonus(payment: Payment, arrival: Arrival, line: Line) -> None:
    if _is_listed_where_forgotten(payment, arrival, line):
        return
    Payment.objects.filter(pk=payment.pk).update(last_try_at=Now())
    bonus = Bonus(
        worker=arrival.external_worker,
        assignment=arrival.external_assignment,
        amount=payment.amount,
        reason=payment.reason[:1000],
        reference=reference(payment),
        token=terming.token_for("bonus", installation_id(payment.project), payment.key),
    )
    try:
        line.call(line.marketplace.send_bonus, bonus)
    except AlreadyThere:
        return


def _is_listed_where_forgotten(payment: Payment, arrival: Arrival, line: Line) -> bool:
    """Whether an earlier try paid it, asked only where the marketplace may have forgotten the token.

    Raises Later until two looks, both after every earlier call must be over, did not find it.
    """
    now = payment.now  # type: ignore[attr-defined]
    if payment.first_try_at is None or now - payment.first_try_at < line.patience.memory:
        return False
    last = payment.last_try_at
    if last is not None:
        quiet = last + line.patience.lease + line.patience.lag
        if now < quiet:
            raise Later(quiet - now)
        if line.call(line.marketplace.has_bonus, arrival.external_assignment, reference(payment)):
            return True
        if payment.missed_at is None:
            Payment.objects.filter(pk=payment.pk).update(missed_at=Now())
            raise Later(line.patience.lag)
        if now < payment.missed_at + line.patience.lag:
            raise Later(payment.missed_at + line.patience.lag - now)
    Payment.objects.filter(pk=payment.pk).update(first_try_at=Now(), missed_at=None)
    return False


def rejections() -> QuerySet[Arrival]:
    """Whom a marketplace has still to be told of that they were rejected here."""
    return Arrival.objects.filter(remote_state=SUBMITTED, assignment__approval=Assignment.Approved.REJECTED)


def send_rejections(line: Line, *, limit: int = 500) -> None:
    """Reject there what was rejected here and is submitted there. Sent twice it changes nothing."""
    for arrival in rejections().filter(connection=line.connection).order_by("pk")[:limit]:
        try:
            line.call(line.marketplace.reject, arrival.external_assignment, text=_words_on(arrival))
        except MarketplaceError as failed:
            Arrival.objects.filter(pk=arrival.pk).update(trouble=f"rejecting: {failed}"[:200])
            continue
        Arrival.objects.filter(pk=arrival.pk).update(remote_state=REJECTED, trouble="")


def letters(connection: Connection) -> QuerySet[Message]:
    """Those to workers who came from the marketplace that were not passed on, oldest first."""
    mine = Message.objects.filter(worker__project=connection.project_id, from_worker=False, read_at__isnull=True)
    return mine.filter(worker__external_id__startswith=f"{connection.pk}:").select_related("worker").order_by("pk")


def send_letters(line: Line, *, limit: int = 100) -> int:
    """Pass letters on; returns how many. Passed on counts as read; what the marketplace refuses is not tried again.

    The protocol knows no token for letters: one whose sender died, or whose answer was lost, may come twice.
    """
    sent = 0
    for letter in letters(line.connection).filter(FREE)[:limit]:
        mine = Message.objects.filter(FREE, pk=letter.pk, read_at__isnull=True)
        if mine.update(lease_until=Now() + line.patience.lease):
            sent += _pass_on(letter, line)
    return sent


def _pass_on(letter: Message, line: Line) -> bool:
    """Send a leased letter. After a cut nobody knows what came of it, so it is sent again when the lease is over."""
    worker = (letter.worker.external_id or "").partition(":")[2]
    try:
        failed = line.call(line.marketplace.notify, [worker], letter.subject or letter.text[:60], letter.text)
        refused = failed.get(worker)
    except Denied as denied:
        refused = str(denied)
    except MarketplaceError:
        return False  # noted on the connection
    if refused is not None:
        why = f"a letter to {worker} was refused: {refused}"
        Connection.objects.filter(pk=line.connection.pk).update(trouble=why[:1000])
    return bool(Message.objects.filter(pk=letter.pk, read_at__isnull=True).update(read_at=Now(), lease_until=None))


def try_again(batch: Batch) -> int:
    """Put payments that failed for good back to be sent, after the cause was mended; returns how many."""
    return of(batch).filter(state=State.FAILED).update(state=State.DUE, tries=0, due_at=Now(), error="")


def sweep(*, seconds: float = 10.0) -> int:
    """Send what is due to every marketplace, for so many seconds each."""
    waiting = Payment.objects.unsettled().filter(due_at__lte=Now(), batch__connection__isnull=False)
    named = Q(pk__in=waiting.values("batch__connection")) | Q(pk__in=rejections().values("connection"))
    rows = Connection.objects.exclude(rests_until__gt=Now())
    called = set(rows.filter(named).values_list("pk", flat=True))
    some = [row for row in rows if row.pk in called or letters(row).exists()]
    return sum(send_due(connection, seconds=seconds) for connection in some)
