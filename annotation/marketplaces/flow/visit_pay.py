"""Pay of visits: a participant gets one reward for all of a visit, whatever its HITs add up to in our ledger."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet, Sum
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.money import batch_funds, ledger
from annotation.flow.projects import audit_log
from annotation.flow.review import assignment_approval
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.models import Assignment, Entry, Payment, User
from annotation.pure.batches import lifecycle
from annotation.pure.money import pricing
from annotation.pure.text.spreadsheet import csv_text, guarded

REST = "visit-"  # prefix of the key of the payment that fills a visit's reward, or is a part of it
PART = "part-"  # prefix of the key of the bonus that is paid instead of the reward
FILLED = Q(decision__in=["approved", "part"]) | Q(outcome="done")  # visits that pay nothing for a further response
PAYABLE = Q(auto_approve_at__isnull=False)  # responses that are paid, or may still be
OPEN = (Payment.State.DUE, Payment.State.SENDING, Payment.State.FAILED)  # payments that were not made yet
SCREEN_OUT = "screen_out"  # kind of an entry in the ledger


def covered(visit: Visit) -> QuerySet[Payment]:
    """The payments that are made by approving the visit; all others are bonuses."""
    by_reward = Q(kind=Payment.Kind.REWARD) | Q(key=f"{REST}{visit.pk}")
    return Payment.objects.filter(by_reward, assignment__visited__visit=visit)


def is_bonus() -> Q:
    """Payments beyond the visits' rewards."""
    return ~Q(kind=Payment.Kind.REWARD) & ~Q(key__startswith=REST)


def approve_responses(
    visit: Visit, *, user: User | None = None, source: str = "requester", override: bool = False
) -> None:
    """Approve every response of the visit, and fill up to the visit's whole reward. Idempotent. Raises Overdrawn.

    A visit without responses is in the ledger alone, because the marketplace pays it.
    """
    rows = _responses(visit).filter(PAYABLE)
    for row in rows:
        if row.approval != Assignment.Approved.APPROVED:
            assignment_approval.approve(row, source=source, user=user, override=override)
    if (last := rows.last()) is not None:
        _fill(visit, last, user)
    elif not _responses(visit).exists():
        _book(visit, Payment.Kind.REWARD, visit.study.reward)


def _responses(visit: Visit) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(visited__visit=visit, state=lifecycle.SUBMITTED)
    return rows.select_related("batch__project", "hit", "worker").order_by("pk")


@transaction.atomic
def _fill(visit: Visit, row: Assignment, user: User | None) -> None:
    # lock: approved by two people at once, it is filled once, by the same amount
    Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    booked = covered(visit).aggregate(sum=Sum("amount"))["sum"] or Decimal(0)
    if (rest := visit.study.reward - booked) > 0:
        reason = _("The rest of the reward of the visit.")
        key = f"{REST}{visit.pk}"
        assignment_approval.add_payment(row, Payment.Kind.BONUS, rest, key=key, reason=reason, user=user)


def part_of(visit: Visit) -> Decimal:
    """Dollars that are paid instead of the visit's reward."""
    return pricing.rounded(visit.study.reward * visit.part_percent / 100)


def approve_in_part(visit: Visit, *, user: User | None) -> None:
    """Approve every response of the visit, and pay the part of its reward for all of them. Raises Overdrawn."""
    rows = _responses(visit).exclude(auto_approve_at=None)
    for row in rows:
        assignment_approval.approve(row, user=user, pays=False)
    last = rows.last()
    if last is None:
        _book(visit, Payment.Kind.REWARD, part_of(visit))
        return
    mark_paid(covered(visit))  # of nothing each
    _add_part(visit, last, key=f"{REST}{visit.pk}", user=user)


def pay_part_as_bonus(visit: Visit, *, user: User | None = None) -> None:
    """Pay the part of a visit that is not paid otherwise, once. Raises Overdrawn."""
    if (last := _responses(visit).last()) is not None:
        _add_part(visit, last, key=f"{PART}{visit.pk}", user=user)


def _add_part(visit: Visit, row: Assignment, *, key: str, user: User | None) -> None:
    reason = _("%(percent)s %% of the reward of the visit.") % {"percent": visit.part_percent}
    assignment_approval.add_payment(row, Payment.Kind.BONUS, part_of(visit), key=key, reason=reason, user=user)


def approved_there(visit: Visit) -> None:
    """The marketplace has paid the visit's reward: record that here, once. Raises Overdrawn."""
    if not visit.decision:
        decided = Visit.objects.filter(pk=visit.pk, decision="")
        decided.update(decision=Visit.Decision.APPROVED, decided_at=Now(), sent_at=Now())
        visit.decision = Visit.Decision.APPROVED
    approve_responses(visit, source="auto", override=True)
    mark_paid(covered(visit))


def screened_out_there(visit: Visit) -> None:
    """The marketplace has paid the participant for being screened out: record that here, once. Raises Overdrawn."""
    _book(visit, SCREEN_OUT, visit.study.screen_out_reward)


@transaction.atomic
def _book(visit: Visit, kind: str, amount: Decimal) -> None:
    """Record in the ledger what the marketplace pays for a visit without responses, with its fee, once."""
    # lock: two syncs at once book it once
    Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    batch, key = visit.study.batch, f"{REST}{visit.pk}"
    if amount and not Entry.objects.filter(project=batch.project, key=key).exists():
        fee = ledger.fee_on(batch, Payment.Kind.REWARD, amount, assignments=1)
        ledger.spend(batch, amount, fee, kind=kind, key=key, reserved=True, worker=visit.worker)
        batch_funds.adjust_hold(batch)  # as `reserved` may have taken it from the money of the HITs


def mark_paid(payments: QuerySet[Payment]) -> int:
    """Note payments that were made; returns how many."""
    return payments.filter(state__in=OPEN).update(state=Payment.State.PAID, paid_at=Now(), error="", lease_until=None)


def unpaid(study: PanelStudy) -> QuerySet[Payment]:
    """Payments of approved visits that were not made yet."""
    rows = Payment.objects.filter(assignment__visited__visit__study=study, state__in=OPEN, amount__gt=0)
    return rows.filter(assignment__visited__visit__decision__in=[Visit.Decision.APPROVED, Visit.Decision.PART])


def owed(study: PanelStudy) -> dict[str, Any]:
    """{"sum", "people", "up_to"}: dollars of unpaid payments, to how many participants, and the key of the newest."""
    who = Count("assignment__visited__visit__participant", distinct=True)
    return unpaid(study).aggregate(sum=Sum("amount", default=0), people=who, up_to=Max("pk"))


def pay_list(study: PanelStudy) -> Iterator[str]:
    """Whom to pay how much, as CSV with a line for each visit: participant, visit, code, amount in dollars."""
    yield csv_text([["participant", "visit", "code", "amount"]])
    amounts = unpaid(study).order_by().values("assignment__visited__visit").annotate(sum=Sum("amount"))
    sums = dict(amounts.values_list("assignment__visited__visit", "sum"))
    for visit in Visit.objects.filter(pk__in=sums).order_by("pk").iterator():
        code = study.codes.get(visit.outcome, "")
        yield csv_text(
            [[guarded(visit.participant), guarded(visit.external_id), guarded(code), f"{sums[visit.pk]:.2f}"]]
        )


def note_paid_by_list(study: PanelStudy, *, up_to: int) -> int:
    """Note that the list was paid, as it was when its newest payment was `up_to`; returns the number of payments."""
    done = mark_paid(Payment.objects.filter(pk__in=unpaid(study).filter(pk__lte=up_to).values("pk")))
    if done:
        audit_log.record("pay list paid", study.batch, payments=done)
    return done
