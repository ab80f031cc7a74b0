"""Qualification types, the scores that workers hold in them, requests, blocks, and qualification rounds."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.batch import Batch
from annotation.models.fields import JSONTextField, StateRow, TimestampField, one_of
from annotation.models.project import Project, Worker, mturk_id


class QualificationType(models.Model):
    """A named integer score that workers of a project may hold. The MTurk API serves the same rows."""

    class Status(models.TextChoices):
        ACTIVE = "Active", _("active")
        INACTIVE = "Inactive", _("inactive")

    project = models.ForeignKey(Project, models.CASCADE, related_name="qualification_types")
    public_id = models.CharField(max_length=64, unique=True, default=mturk_id)
    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)  # shown to workers
    keywords = models.CharField(_("keywords"), max_length=1000, blank=True)
    status = models.CharField(max_length=8, choices=Status, default=Status.ACTIVE)
    retry_seconds = models.PositiveIntegerField(null=True, blank=True)  # null: no second request
    test = models.TextField(blank=True)  # QuestionForm XML
    answer_key = models.TextField(blank=True)  # AnswerKey XML
    test_seconds = models.PositiveIntegerField(null=True, blank=True)
    auto_granted = models.BooleanField(default=False)
    auto_value = models.IntegerField(default=1)
    deleted_at = models.DateTimeField(null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"], condition=Q(deleted_at__isnull=True), name="qualification_type_name_once"
            ),
            one_of("status", ["Active", "Inactive"], name="qualification_type_status_known"),
        ]
        indexes = [models.Index(fields=["project", "created_at", "id"], name="qualification_type_list")]

    def __str__(self) -> str:
        return self.name


class Qualification(models.Model):
    """A worker's current score in a type; its history is in QualificationChange."""

    class State(models.TextChoices):
        GRANTED = "Granted", _("granted")
        REVOKED = "Revoked", _("revoked")

    type = models.ForeignKey(QualificationType, models.CASCADE, related_name="qualifications")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="qualifications")
    value = models.IntegerField(default=1)
    state = models.CharField(max_length=7, choices=State, default=State.GRANTED)
    granted_at = models.DateTimeField()
    given_there = models.IntegerField(null=True, blank=True)  # by us on the marketplace, if the type is there

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["type", "worker"], name="qualification_once"),
            one_of("state", ["Granted", "Revoked"], name="qualification_state_known"),
        ]


class QualificationChange(models.Model):
    """One grant or revocation. Rows are only ever added."""

    qualification = models.ForeignKey(Qualification, models.CASCADE, related_name="changes")
    value = models.IntegerField()
    state = models.CharField(max_length=7, choices=Qualification.State)
    source = models.CharField(max_length=10)  # hand, file, rule, round, test, auto, wire
    reason = models.CharField(max_length=1000, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)


class QualificationRequest(StateRow):
    """A worker's request for a qualification, with the answers to its test if it has one."""

    class State(models.TextChoices):
        TESTING = "testing", _("taking the test")
        PENDING = "pending", _("waiting")
        GRANTED = "granted", _("granted")
        REJECTED = "rejected", _("rejected")

    public_id = models.CharField(max_length=64, unique=True, default=mturk_id)
    type = models.ForeignKey(QualificationType, models.CASCADE, related_name="requests")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="qualification_requests")
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    test = models.TextField(blank=True)  # as it was shown
    answer = models.TextField(blank=True)  # QuestionFormAnswers XML
    value = models.IntegerField(null=True, blank=True)  # by the answer key, or as granted
    reason = models.CharField(max_length=1000, blank=True)
    started_at = TimestampField(auto_now_add=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["type", "worker"],
                condition=Q(state__in=["testing", "pending"]),
                name="qualification_request_one_open",
            ),
            one_of("state", ["testing", "pending", "granted", "rejected"], name="qualification_request_state_known"),
        ]


class WorkerBlock(models.Model):
    """A block: the worker may take no work of the project. The reason is for requesters only."""

    worker = models.OneToOneField(Worker, models.CASCADE, related_name="block")
    reason = models.TextField()
    created_at = TimestampField(auto_now_add=True)


class QualificationRound(models.Model):
    """A qualification round: its batch, the number of items per worker, the pass rule, and the qualification granted.

    `rule` is a list of {"figure", "dataset" (a slug; "each": every dataset alone; "": all together), "comparator"
    (">" or ">="), "value" (0..1)}; all must hold. `grading`: by gold or by the requester's reviews.
    """

    class Grading(models.TextChoices):
        GOLD = "gold", _("gold")
        REQUESTER = "requester", _("the requester's reviews")

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="round")
    per_worker = models.PositiveIntegerField(_("items per worker"))
    attempts = models.PositiveIntegerField(_("attempts"), default=1)
    grading = models.CharField(max_length=9, choices=Grading, default=Grading.GOLD)
    rule = JSONTextField(default=list)
    seconds = models.PositiveIntegerField(_("time limit"), null=True, blank=True)  # from the first item on
    closes_at = models.DateTimeField(_("ends"), null=True, blank=True)
    grants = models.ForeignKey(QualificationType, models.PROTECT, related_name="rounds")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(per_worker__gte=1, attempts__gte=1), name="round_asks")]


class Attempt(models.Model):
    """One worker's attempt at a round: the HITs drawn for them, in order, and the result."""

    round = models.ForeignKey(QualificationRound, models.CASCADE, related_name="taken")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField(default=1)
    hits = JSONTextField(default=list)  # primary keys, in the order in which they are offered
    figures = JSONTextField(default=dict)  # {"figure" or "figure/dataset": 0..1}, once all are answered
    passed = models.BooleanField(null=True, blank=True)  # by the rule; null: not known yet
    started_at = TimestampField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "worker", "number"], name="attempt_once")]
