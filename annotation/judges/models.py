"""Models that were asked about a batch's items, and each call, so that what a killed process sent is counted."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Batch, BatchModel, Item
from annotation.models.fields import TimestampField, one_of
from annotation.models.project import public_id
from annotation.models.sealed import SealedField

DIGITS: dict[str, Any] = {"max_digits": 15, "decimal_places": 8}  # dollars; SQLite keeps 15 digits


class ModelRun(models.Model):
    """One model asked about one batch's items, with its settings, its ceiling and what it cost."""

    class State(models.TextChoices):
        DRAFT = "draft", _("not confirmed")
        RUNNING = "running", _("running")
        PAUSED = "paused", _("paused")
        DONE = "done", _("done")

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="model_runs")
    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    endpoint = models.CharField(_("endpoint"), max_length=300)
    model = models.CharField(_("model"), max_length=200)
    name = models.CharField(max_length=200, default="")  # of its predictions
    stored = models.OneToOneField(BatchModel, models.CASCADE, null=True, related_name="model_run")  # once confirmed
    secret = SealedField(_("API key"), blank=True)  # never shown nor logged; removed when the run is done
    prompt = models.TextField(_("prompt"))
    prompt_hash = models.CharField(max_length=64)  # SHA-256
    every_item = models.BooleanField(default=False)  # of the batch's datasets, not only its HITs
    samples = models.PositiveSmallIntegerField(default=1)
    temperature = models.FloatField(null=True, blank=True)  # null: the endpoint's default is not touched
    seed = models.PositiveIntegerField(null=True, blank=True)
    concurrency = models.PositiveSmallIntegerField(default=8)
    most_tokens = models.PositiveIntegerField(default=1024)  # of one reply
    price_in = models.DecimalField(max_digits=12, decimal_places=6, default=0)  # dollars for a million tokens
    price_out = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    most_cost = models.DecimalField(null=True, blank=True, **DIGITS)
    most_calls = models.PositiveIntegerField(null=True, blank=True)
    terms = models.CharField(_("terms for the output"), max_length=500, blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.DRAFT)
    turn = models.PositiveIntegerField(default=0)  # raised by each process that takes it; calls of earlier ones end
    lease_until = models.DateTimeField(null=True, blank=True)
    calls_made = models.PositiveIntegerField(default=0)
    spent = models.DecimalField(default=0, **DIGITS)  # with what is reserved for open calls
    failures = models.PositiveIntegerField(default=0)  # in a row
    not_before = models.DateTimeField(null=True, blank=True)  # the endpoint asked to wait until then
    trouble = models.CharField(max_length=500, blank=True)  # why it paused by itself
    places = models.PositiveIntegerField(default=0)  # items times samples
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("state", ["draft", "running", "paused", "done"], name="model_run_state_known"),
            models.CheckConstraint(
                condition=Q(most_cost__isnull=False) | Q(most_calls__isnull=False), name="model_run_has_ceiling"
            ),
        ]
        indexes = [models.Index(fields=["lease_until"], name="model_run_due", condition=Q(state="running"))]

    def __str__(self) -> str:
        return self.model

    @property
    def version(self) -> str:
        """The prompt's version."""
        return self.prompt_hash[:12]


class ModelCall(models.Model):
    """One request to the endpoint. `cost` is what it counts for; while it is open, that is its reservation."""

    class State(models.TextChoices):
        OPEN = "open", _("sent")
        ANSWERED = "answered", _("answered")
        MISFIT = "misfit", _("does not fit")
        REPAIRED = "repaired", _("asked again")
        REFUSED = "refused", _("refused")
        FAILED = "failed", _("failed")
        LOST = "lost", _("lost")

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="calls")
    item = models.ForeignKey(Item, models.CASCADE, related_name="model_calls")
    sample = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    cost = models.DecimalField(**DIGITS)
    tokens_in = models.PositiveIntegerField(null=True, blank=True)  # null: the endpoint did not say
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    why = models.CharField(max_length=500, blank=True)  # it failed or does not fit
    created_at = TimestampField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "sample"],
                condition=Q(state__in=["answered", "misfit", "refused"]),
                name="model_call_settles_once",
            ),
            one_of(
                "state",
                ["open", "answered", "misfit", "repaired", "refused", "failed", "lost"],
                name="model_call_state_known",
            ),
        ]


SETTLED = (ModelCall.State.ANSWERED, ModelCall.State.MISFIT, ModelCall.State.REFUSED)
