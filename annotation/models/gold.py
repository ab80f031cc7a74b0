"""Requesters' decisions on gold in doubt."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.batch import Hit
from annotation.models.fields import TimestampField


class GoldDecision(models.Model):
    """A decision on the gold of a HIT's item. Rows are only ever added; the last one counts."""

    class Decision(models.TextChoices):
        ALIAS = "alias", _("added as an alias")
        CORRECTION = "correction", _("gold corrected")
        STANDS = "stands", _("gold kept")
        REOPENED = "reopened", _("undone")

    hit = models.ForeignKey(Hit, models.CASCADE, related_name="gold_decisions")
    decision = models.CharField(max_length=10, choices=Decision)
    text = models.TextField(blank=True)  # the workers' answer; empty: not answerable
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(decision__in=["alias", "correction", "stands", "reopened"]), name="gold_decision_known"
            ),
            models.CheckConstraint(condition=~Q(decision="alias", text=""), name="gold_alias_has_text"),
        ]
