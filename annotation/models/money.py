"""Money: accounts, a double-entry ledger, payments as an outbox, and payouts.

A project's `available` account is its budget: nothing that it does not cover is published, leased or paid.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignment import Assignment
from annotation.models.batch import Batch
from annotation.models.fields import StateRow, TimestampField, one_of
from annotation.models.project import Project, Worker

OUTSIDE = "outside"


def amount_field(**more: Any) -> models.DecimalField:
    """US dollars to the cent."""
    return models.DecimalField(max_digits=14, decimal_places=2, **more)


class Account(models.Model):
    """An account of a project with its balance. Only `outside` may be negative.

    `name`: outside, available, held/<batch>, worker/<worker>, fees, payout/<payout> or marketplace/<connection>.
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
    """A transfer from one account to another. Rows are only ever added; the unique `key` makes each happen once.

    Triggers (migrations) refuse to change or remove rows; only the notes are cleared when a project is erased.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="entries")
    source = models.ForeignKey(Account, models.PROTECT, related_name="outgoing")
    target = models.ForeignKey(Account, models.PROTECT, related_name="incoming")
    amount = amount_field()
    kind = models.CharField(max_length=20)  # one of flow.money.ledger_table.KINDS
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
        """Payments that were not yet sent to the marketplace."""
        return self.filter(state__in=[Payment.State.DUE, Payment.State.SENDING])


class Payment(StateRow):
    """A payment for an assignment: one reward, and any number of bonuses.

    On the built-in marketplace it is paid in the transaction of the approval. On others the row is an outbox entry:
    `key` is the idempotency token, and `first_try_at` tells whether the marketplace still remembers that token.
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
    missed_at = models.DateTimeField(null=True, blank=True)  # a look-up on the marketplace did not find it
    due_at = models.DateTimeField(null=True, blank=True)  # not before, after a failed try
    lease_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    paid_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    objects = PaymentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="payment_once"),
            models.UniqueConstraint(fields=["assignment"], condition=Q(kind="reward"), name="payment_one_reward"),
            models.CheckConstraint(condition=Q(amount__gte=0, fee__gte=0), name="payment_not_negative"),
            one_of("state", ["due", "sending", "paid", "failed"], name="payment_state_known"),
            models.CheckConstraint(
                condition=Q(state="paid", paid_at__isnull=False) | (~Q(state="paid") & Q(paid_at__isnull=True)),
                name="payment_paid_at_a_time",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="payment_unsettled", condition=Q(state__in=["due", "sending"])),
            models.Index(fields=["project", "-created_at"], name="payment_by_time"),
        ]


class Payout(models.Model):
    """Money that the built-in marketplace owes its workers, exported as a file for the lab to pay."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="payouts")
    number = models.PositiveIntegerField()  # 1 for the project's first
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "number"], name="payout_number_once")]


class PayoutLine(StateRow):
    """One worker's part of a payout."""

    class State(models.TextChoices):
        OPEN = "open", _("to be paid")
        PAID = "paid", _("paid")
        FAILED = "failed", _("failed (still owed)")

    payout = models.ForeignKey(Payout, models.CASCADE, related_name="lines")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="payout_lines")
    amount = amount_field()
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    reference = models.CharField(max_length=200, blank=True)  # of the lab's transfer
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["payout", "worker"], name="payout_line_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="payout_line_pays"),
            one_of("state", ["open", "paid", "failed"], name="payout_line_state_known"),
        ]
