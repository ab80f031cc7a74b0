"""What the marketplace tells by itself, and where its books and ours differ."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.marketplaces.models.connections import Connection
from annotation.marketplaces.models.studies import PanelStudy, Visit
from annotation.models.fields import JSONTextField, TimestampField
from annotation.models.sealed import SealedField


class EventSubscription(models.Model):
    """One kind of event that a marketplace sends us; it is made again when the marketplace has disabled it."""

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="subscriptions")
    event = models.CharField(max_length=60)
    external_id = models.CharField(max_length=64)
    secret = SealedField()
    checked_at = models.DateTimeField(null=True, blank=True)
    renewed = models.PositiveIntegerField(default=0)  # how often it was made again

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "event"], name="subscription_once")]


class ReceivedEvent(models.Model):
    """An event that was received; its id is kept for 72 hours, since deliveries are repeated for 48."""

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="received_events")
    external_id = models.CharField(max_length=64)
    received_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "external_id"], name="received_event_once")]
        indexes = [models.Index(fields=["received_at"], name="received_event_by_time")]


class Difference(models.Model):
    """A difference between the marketplace's books and ours, from when it is found until it is gone."""

    class Kind(models.TextChoices):
        NEVER_HERE = "never_here", _("finished on the marketplace, never arrived here")
        NO_WORK = "no_work", _("submitted on the marketplace, not finished here")
        OTHER_CODE = "other_code", _("submitted on the marketplace with a different code")
        NOT_BACK = "not_back", _("finished here, not submitted on the marketplace")
        DECIDED_THERE = "decided_there", _("decided there, not here")
        DECIDED_HERE = "decided_here", _("decided here, not there")
        BONUS_UNCLEAR = "bonus_unclear", _("a bonus whose payment is unclear")
        BONUS_UNKNOWN = "bonus_unknown", _("a bonus that we did not pay")
        STUDY_STATE = "study_state", _("the study is in another state")
        PLACES = "places", _("the study has another number of places")

    study = models.ForeignKey(PanelStudy, models.CASCADE, related_name="differences")
    visit = models.ForeignKey(Visit, models.CASCADE, null=True, blank=True, related_name="differences")
    kind = models.CharField(max_length=13, choices=Kind)
    about = models.CharField(max_length=64)  # the submission's id, or ""
    facts = JSONTextField(default=dict)  # {"theirs", "ours"}
    action = models.TextField(blank=True)  # what we did about it
    found_at = TimestampField(auto_now_add=True)
    noted_at = models.DateTimeField(null=True, blank=True)  # a person has dealt with it: `action` says how
    gone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind", "about"], condition=Q(gone_at__isnull=True), name="difference_open_once"
            ),
        ]
