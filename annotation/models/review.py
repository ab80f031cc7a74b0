"""Reviews: samples, decisions on responses, pay and gold, which are only ever added; feedback; comments."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignment import Assignment
from annotation.models.batch import Batch, Hit
from annotation.models.dataset import Item
from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.project import Project, Worker


class ReviewSample(models.Model):
    """A random sample of responses to review, up to `size` of each worker; no response is drawn twice."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="review_samples")
    number = models.PositiveIntegerField()  # 1 for the batch's first
    seed = models.BigIntegerField()
    size = models.PositiveIntegerField(_("responses per worker"))
    worker = models.ForeignKey(Worker, models.CASCADE, null=True, blank=True)  # null: of all workers
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "number"], name="draw_number_once"),
            models.CheckConstraint(condition=Q(size__gte=1), name="draw_takes_some"),
        ]


class SampledAssignment(models.Model):
    """An assignment in a draw. The one-to-one key lets it be drawn only once."""

    sample = models.ForeignKey(ReviewSample, models.CASCADE, related_name="assignments")
    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="sampled")
    position = models.PositiveIntegerField()  # in the order of reviewing, 0-based

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sample", "position"], name="drawn_position_once")]


class Review(models.Model):
    """A requester's decision on one revision of a response. Rows are only ever added; the last one counts."""

    class Decision(models.TextChoices):
        ACCEPTED = "accepted", _("accepted")
        EDITED = "edited", _("accepted with an edit")
        RETURNED = "returned", _("changes requested")
        DISCARDED = "discarded", _("excluded")
        REOPENED = "reopened", _("undone")

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="reviews")
    revision = models.PositiveIntegerField()
    decision = models.CharField(max_length=9, choices=Decision)
    marks = JSONTextField(default=dict)  # {criterion: bool}, those of the task type
    text = models.TextField(blank=True)  # the requester's wording, if edited
    reason = models.TextField(blank=True)  # why it was excluded, or the message with the request for changes
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            one_of(
                "decision", ["accepted", "edited", "returned", "discarded", "reopened"], name="review_decision_known"
            ),
            models.CheckConstraint(condition=~Q(decision="edited", text=""), name="review_edit_has_text"),
            models.CheckConstraint(
                condition=~Q(decision__in=["returned", "discarded"], reason=""), name="review_refusal_has_reason"
            ),
        ]


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def current(self) -> AdjudicationQuerySet:
        """Those whose response the worker has not changed since."""
        return self.filter(Q(assignment__isnull=True) | Q(revision=F("assignment__revision")))


class Adjudication(models.Model):
    """One of two requesters' independent decisions on a HIT. It changes the result only once both have decided."""

    class Decision(models.TextChoices):
        ACCEPTED = "accepted", _("accepted")
        EDITED = "edited", _("accepted with an edit")
        EXCLUDED = "excluded", _("HIT excluded")

    hit = models.ForeignKey(Hit, models.CASCADE, related_name="adjudications")
    adjudicator = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    decision = models.CharField(max_length=8, choices=Decision)
    assignment = models.ForeignKey(Assignment, models.CASCADE, null=True, blank=True, related_name="adjudications")
    revision = models.PositiveIntegerField(default=0)  # of its response, as it was read
    text = models.TextField(blank=True)  # the requester's wording, if edited
    reason = models.TextField(blank=True)  # why the HIT is to be excluded
    cause = models.CharField(max_length=20, blank=True, default="", db_default="")  # as that of a HIT
    created_at = TimestampField(auto_now_add=True)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "adjudicator"], name="adjudicated_once_each"),
            models.CheckConstraint(
                condition=Q(decision="excluded", assignment__isnull=True, text="") & ~Q(reason="")
                | Q(decision="accepted", assignment__isnull=False, text="", reason="")
                | Q(decision="edited", assignment__isnull=False, reason="") & ~Q(text=""),
                name="adjudication_is_whole",
            ),
        ]


class FeedbackQuerySet(models.QuerySet["Feedback"]):
    def waiting(self) -> FeedbackQuerySet:
        """Feedback that its worker has not acknowledged yet."""
        return self.filter(acknowledged_at__isnull=True)


class Feedback(models.Model):
    """A requester's message that a worker must acknowledge before the next assignment."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="feedback")
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="feedback")
    assignment = models.ForeignKey(Assignment, models.CASCADE, null=True, blank=True, related_name="feedback")
    text = models.TextField(_("feedback"))
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)

    objects = FeedbackQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="feedback_says_something")]
        indexes = [
            models.Index(fields=["worker"], name="feedback_waiting", condition=Q(acknowledged_at__isnull=True)),
        ]


class Approval(models.Model):
    """An approval or rejection of an assignment. Rows are only ever added; `Assignment.approval` is the last one."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="approvals")
    decision = models.CharField(max_length=8, choices=Assignment.Approved)
    text = models.TextField(blank=True)  # message to the worker
    source = models.CharField(max_length=10)  # requester, auto, policy, wire
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [one_of("decision", ["approved", "rejected"], name="approval_decision_known")]


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
            one_of("decision", ["alias", "correction", "stands", "reopened"], name="gold_decision_known"),
            models.CheckConstraint(condition=~Q(decision="alias", text=""), name="gold_alias_has_text"),
        ]


class Comment(models.Model):
    """A comment on an item; on one of its HITs, if it has a `hit`; on a response to that, if it has an `assignment`."""

    LONGEST = 2000  # characters

    project = models.ForeignKey(Project, models.CASCADE, related_name="comments")
    item = models.ForeignKey(Item, models.CASCADE, related_name="comments")  # the version that it was made on
    hit = models.ForeignKey(Hit, models.CASCADE, null=True, blank=True, related_name="comments")
    assignment = models.ForeignKey(Assignment, models.CASCADE, null=True, blank=True, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    text = models.TextField(max_length=LONGEST)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
            models.CheckConstraint(
                condition=Q(assignment__isnull=True) | Q(hit__isnull=False), name="comment_on_response_has_hit"
            ),
        ]
        indexes = [models.Index(fields=["project", "id"], name="comment_in_order")]
