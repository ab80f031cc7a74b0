"""Bonuses on marketplaces that pay at every call: each is asked for once, and then only looked for."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.marketplaces.models.studies import Visit
from annotation.models import Payment
from annotation.models.fields import JSONTextField, StateRow, TimestampField
from annotation.models.money import amount_field


class VisitBonus(StateRow):
    """One bonus for a visit, of one or more of our payments. Each step is committed before the next begins.

    `before` is the marketplace's list of bonuses without this one, `payment` its id for the prepared payment, which
    several bonuses share. From CALLED on nothing is sent any more.
    """

    class State(models.TextChoices):
        INTENDED = "intended", _("to be prepared")
        PREPARED = "prepared", _("prepared")
        CALLED = "called", _("requested, not listed on the marketplace yet")
        UNCLEAR = "unclear", _("unclear: check it on the marketplace")
        PAID = "paid", _("paid")
        REFUSED = "refused", _("refused")
        NOT_PAID = "not_paid", _("not paid, as a requester confirmed")

    IN_FLIGHT = ("intended", "prepared", "called", "unclear")

    visit = models.ForeignKey(Visit, models.PROTECT, related_name="bonuses")
    amount = amount_field()
    state = models.CharField(max_length=8, choices=State, default=State.INTENDED)
    before = JSONTextField(default=list)  # amounts as text
    seen = JSONTextField(default=list)  # the list as last read
    payment = models.CharField(max_length=64, blank=True)
    tries = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    called_at = models.DateTimeField(null=True, blank=True)
    was_taken = models.BooleanField(default=False)  # the marketplace answered that it had received the call
    settled_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["visit"],
                condition=Q(state__in=["intended", "prepared", "called", "unclear"]),
                name="bonus_one_in_flight",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["intended", "prepared", "called", "unclear", "paid", "refused", "not_paid"]),
                name="bonus_state_known",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["prepared", "called", "unclear"]) | ~Q(payment=""), name="bonus_has_its_payment"
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="bonus_positive"),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], name="bonus_due", condition=Q(state__in=["intended", "prepared", "called"])
            ),
            models.Index(fields=["payment"], name="bonus_payment", condition=~Q(payment="")),
        ]


class BonusShare(models.Model):
    """A payment of ours that a bonus settles; a payment is in one bonus only, unless that one was not paid."""

    payment = models.OneToOneField(Payment, models.PROTECT, related_name="bonus_share")
    bonus = models.ForeignKey(VisitBonus, models.CASCADE, related_name="shares")
