"""Batches published as studies, and the visits of the participants who come by link."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.marketplaces.models.connections import Connection, token
from annotation.models import Assignment, Batch, Worker
from annotation.models.fields import JSONTextField, StateRow, TimestampField
from annotation.models.money import amount_field


class PanelStudy(StateRow):
    """A batch as a study on a marketplace. `goal` and `places` are targets, pursued until the marketplace agrees.

    `state` is that of the pursuit, `standing` the study's on the marketplace as last read.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("to be sent")
        SENDING = "sending", _("being sent")
        SETTLED = "settled", _("as wanted")
        FAILED = "failed", _("failed")

    class Goal(models.TextChoices):
        DRAFT = "draft", _("draft")
        ACTIVE = "active", _("active")
        PAUSED = "paused", _("paused")
        STOPPED = "stopped", _("stopped")

    class ContentWarning(models.TextChoices):
        SENSITIVE = "sensitive", _("sensitive content")
        EXPLICIT = "explicit", _("explicit content")

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="panel_study")
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="panel_studies")
    token = models.CharField(max_length=64, unique=True, default=token)  # in the participants' URL
    external_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  (unique if not null)
    goal = models.CharField(max_length=7, choices=Goal, default=Goal.DRAFT)
    starts_at = models.DateTimeField(null=True, blank=True)  # an active study begins then
    hits_per_visit = models.PositiveIntegerField()
    reward = amount_field()  # for a visit
    places = models.PositiveIntegerField()
    minutes = models.PositiveIntegerField()
    max_minutes = models.PositiveIntegerField()
    codes = JSONTextField(default=dict)  # {outcome: code}
    screen_out_reward = amount_field(default=0, db_default=0)  # 0: who is screened out is not paid
    screen_out_places = models.PositiveIntegerField(default=0, db_default=0)  # the most who are paid it
    use_timed_out = models.BooleanField(default=False)  # whether responses of visits that timed out count
    ids_kept_days = models.PositiveIntegerField(null=True, blank=True)  # after a participant's last visit; null: kept
    warning = models.CharField(max_length=9, choices=ContentWarning, blank=True, db_default="")
    warning_details = models.CharField(max_length=500, blank=True, db_default="")
    state = models.CharField(max_length=7, choices=State, default=State.SETTLED)
    standing = models.CharField(max_length=9, blank=True)  # a study_base.StudyStatus, as last read
    remote = JSONTextField(default=dict)  # the study as last read: places, taken, cost
    tries = models.PositiveIntegerField(default=0)
    first_try_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    synced_at = models.DateTimeField(null=True, blank=True)  # when its submissions were last read
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["connection", "external_id"], name="study_external_once"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "sending", "settled", "failed"]), name="study_state_known"
            ),
            models.CheckConstraint(
                condition=Q(goal__in=["draft", "active", "paused", "stopped"]), name="study_goal_known"
            ),
            models.CheckConstraint(condition=Q(hits_per_visit__gte=1, places__gte=1), name="study_asks_somebody"),
        ]


class Visit(StateRow):
    """A participant's stay: they come by link, do some HITs, and go back with a code.

    Our side is `state` and `outcome`, the marketplace's is `remote_state`. The decision is an outbox entry: it is sent
    until the marketplace agrees.
    """

    class State(models.TextChoices):
        LIVE = "live", _("under way")
        DONE = "done", _("finished")
        ENDED = "ended", _("ended without finishing")

    class Decision(models.TextChoices):
        APPROVED = "approved", _("approved")
        PART = "part", _("approved in part")
        REJECTED = "rejected", _("rejected")
        RETURN = "return", _("return requested")

    study = models.ForeignKey(PanelStudy, models.PROTECT, related_name="visits")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="visits")
    external_id = models.CharField(max_length=64)  # of the submission
    participant = models.CharField(max_length=64)
    state = models.CharField(max_length=5, choices=State, default=State.LIVE)
    outcome = models.CharField(max_length=20, blank=True)  # a study_base.Outcome, once the visit is over
    deadline = models.DateTimeField()
    arrived_at = TimestampField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    remote_state = models.CharField(max_length=15, blank=True)  # a study_base.Status, as last read
    remote = JSONTextField(default=dict)  # as last read: code, times, bonuses
    synced_at = models.DateTimeField(null=True, blank=True)
    decision = models.CharField(max_length=8, choices=Decision, blank=True)
    decision_text = models.TextField(blank=True)
    # of the reward, instead of all of it; with another decision than PART it is paid as a bonus
    part_percent = models.PositiveSmallIntegerField(default=0, db_default=0)
    decision_category = models.CharField(max_length=40, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)  # when the marketplace had the decision
    tries = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(null=True, blank=True)  # when the decision is sent (again)
    error = models.TextField(blank=True)
    trouble = models.CharField(max_length=200, blank=True)  # problem found by the last sync

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "external_id"], name="visit_once"),
            models.UniqueConstraint(fields=["study", "worker"], condition=Q(state="live"), name="visit_one_live"),
            models.CheckConstraint(condition=Q(state__in=["live", "done", "ended"]), name="visit_state_known"),
            models.CheckConstraint(
                condition=Q(decision__in=["", "approved", "part", "rejected", "return"]), name="visit_decision_known"
            ),
            models.CheckConstraint(condition=Q(part_percent__lt=100), name="visit_part_is_a_part"),
        ]
        indexes = [
            models.Index(fields=["deadline"], name="visit_deadlines", condition=Q(state="live")),
            models.Index(fields=["due_at"], name="visit_unsent", condition=~Q(decision="") & Q(sent_at__isnull=True)),
        ]


class VisitAssignment(models.Model):
    """An assignment that was accepted during a visit."""

    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="visited")
    visit = models.ForeignKey(Visit, models.PROTECT, related_name="assignments")
    freed_at = models.DateTimeField(null=True, blank=True)  # the visit does not count: its HIT was asked for again
