"""Money: accounts, a ledger whose every row is a double entry, payments as an outbox, and payouts.

A project's `available` account is its budget: nothing is published, leased or paid that it does not cover.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignment import Assignment
from annotation.models.batch import Batch
from annotation.models.fields import TimestampField
from annotation.models.project import Project, Worker

OUTSIDE = "outside"


def amount_field(**more: Any) -> models.DecimalField:
    """US dollars to the cent."""
    return models.DecimalField(max_digits=14, decimal_places=2, **more)


class Account(models.Model):
    """What lies where. `name`: outside, available, held/<batch>, worker/<worker>, fees, payout/<payout> or
    marketplace/<connection>. Only what is outside the project may be negative.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="accounts")
    name = models.CharField(max_length=60)
    balance = amount_field(default=Decimal(0))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="account_once"),
            models.CheckConstraint(condition=Q(balance__gte=0) | Q(name=OUTSIDE), name="account_not_overdrawn"),
        ]


class Entry(models.Model):
    """So much went from one account to another. Rows are only ever added; `key` makes each happen once.

    Triggers refuse to change what moved, or to remove a row (migrations). The notes go with a project that is erased.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="entries")
    source = models.ForeignKey(Account, models.PROTECT, related_name="outgoing")
    target = models.ForeignKey(Account, models.PROTECT, related_name="incoming")
    amount = amount_field()
    kind = models.CharField(max_length=20)  # deposit, withdrawal, hold, release, reward, bonus, top_up, fee, payout
    key = models.CharField(max_length=120)
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, blank=True)
    assignment = models.ForeignKey(Assignment, models.SET_NULL, null=True, blank=True)
    worker = models.ForeignKey(Worker, models.SET_NULL, null=True, blank=True)
    note = models.CharField(max_length=300, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="entry_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="entry_moves_something"),
            models.CheckConstraint(condition=~Q(source=F("target")), name="entry_between_two"),
        ]
        indexes = [
            models.Index(fields=["project", "-created_at"], name="entry_by_time"),
            models.Index(fields=["project"], name="entry_in_and_out", condition=Q(kind__in=["deposit", "withdrawal"])),
        ]


class PaymentQuerySet(models.QuerySet["Payment"]):
    def unsettled(self) -> PaymentQuerySet:
        """Those that a marketplace has still to be told of."""
        return self.filter(state__in=[Payment.State.DUE, Payment.State.SENDING])


class Payment(models.Model):
    """What an assignment earns: its reward once, and any number of bonuses.

    In the house it is paid in the transaction that decides it. A marketplace is told by `flow/settling`: the row is
    the intent, `key` the idempotency token, `first_try_at` decides whether the marketplace still knows the token.
    """

    class Kind(models.TextChoices):
        REWARD = "reward", _("reward")
        BONUS = "bonus", _("bonus")
        TOP_UP = "top_up", _("top-up to the wage floor")

    class State(models.TextChoices):
        DUE = "due", _("to be sent")
        SENDING = "sending", _("being sent")
        PAID = "paid", _("paid")
        FAILED = "failed", _("failed")

    project = models.ForeignKey(Project, models.CASCADE, related_name="payments")
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="payments")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="payments")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=6, choices=Kind)
    amount = amount_field()
    fee = amount_field(default=Decimal(0))
    reason = models.CharField(max_length=2000, blank=True)
    key = models.CharField(max_length=64)
    state = models.CharField(max_length=7, choices=State, default=State.DUE)
    tries = models.PositiveIntegerField(default=0)
    first_try_at = models.DateTimeField(null=True, blank=True)
    last_try_at = models.DateTimeField(null=True, blank=True)
    missed_at = models.DateTimeField(null=True, blank=True)  # a look at the marketplace did not find it
    due_at = models.DateTimeField(null=True, blank=True)  # not before, after a failed try
    lease_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    paid_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    objects: ClassVar = PaymentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="payment_once"),
            models.UniqueConstraint(fields=["assignment"], condition=Q(kind="reward"), name="payment_one_reward"),
            models.CheckConstraint(condition=Q(amount__gte=0, fee__gte=0), name="payment_not_negative"),
            models.CheckConstraint(
                condition=Q(state__in=["due", "sending", "paid", "failed"]), name="payment_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state="paid", paid_at__isnull=False) | (~Q(state="paid") & Q(paid_at__isnull=True)),
                name="payment_paid_at_a_time",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="payment_unsettled", condition=Q(state__in=["due", "sending"])),
            models.Index(fields=["project", "-created_at"], name="payment_by_time"),
        ]

    def move(self, to: str, *, since: tuple[str, ...], **stamps: Any) -> bool:
        """Guarded move from one of the states `since`; True when it was us who moved it."""
        moved = Payment.objects.filter(pk=self.pk, state__in=since).update(state=to, **stamps)
        if moved:
            self.state = to
        return bool(moved)


class Payout(models.Model):
    """What the house owes its workers, taken together to be paid by the lab's own way, as a file."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="payouts")
    number = models.PositiveIntegerField()  # 1 for the project's first
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "number"], name="payout_number_once")]


class PayoutLine(models.Model):
    """One worker's part of a payout."""

    class State(models.TextChoices):
        OPEN = "open", _("to be paid")
        PAID = "paid", _("paid")
        FAILED = "failed", _("failed, owed again")

    payout = models.ForeignKey(Payout, models.CASCADE, related_name="lines")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="payout_lines")
    amount = amount_field()
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    reference = models.CharField(max_length=200, blank=True)  # of the lab's own transfer
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["payout", "worker"], name="payout_line_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="payout_line_pays"),
            models.CheckConstraint(condition=Q(state__in=["open", "paid", "failed"]), name="payout_line_state_known"),
        ]

    def move(self, to: str, *, since: str, **stamps: Any) -> bool:
        """Guarded move; True when it was us who moved it."""
        moved = PayoutLine.objects.filter(pk=self.pk, state=since).update(state=to, **stamps)
        if moved:
            self.state = to
        return bool(moved)
