"""Batches, their instructions, their preregistration and their HITs."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Sum, TextChoices
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.models import clock
from annotation.models.compiled import compiled
from annotation.models.dataset import Dataset, Item
from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.project import Project, Worker, public_id
from annotation.pure.batches import lifecycle


class PresentBatches(models.Manager["Batch"]):
    """The manager for lists and look-ups: leaves out deleted batches. Foreign keys still find them."""

    def get_queryset(self) -> models.QuerySet[Batch]:
        return super().get_queryset().filter(removed_at__isnull=True)


class Batch(models.Model):
    """HITs launched together. A launch adds them in small transactions; its last step opens the batch."""

    class State(TextChoices):
        DRAFT = lifecycle.DRAFT, _("draft")
        LAUNCHING = lifecycle.LAUNCHING, _("launching")
        OPEN = lifecycle.OPEN, _("open")
        PAUSED = lifecycle.PAUSED, _("paused")
        CLOSED = lifecycle.CLOSED, _("closed")

    class Meeting(TextChoices):
        ONE = "one", _("each worker gets only one item of a group")
        APART = "apart", _("not in a row (another item in between)")
        FREE = "free", _("no restriction")

    class Purpose(TextChoices):
        PRODUCTION = "production", _("production")
        QUALIFICATION = "qualification", _("qualification")

    class SampleBy(TextChoices):
        UNIFORM = "uniform", _("with equal chances")
        CONFIDENCE = "confidence", _("by a model’s confidence")

    predicted_for: Batch | None = None  # of unsaved settings: the draft for which models have predictions

    project = models.ForeignKey(Project, models.CASCADE, related_name="batches")
    slug = models.SlugField(_("name"), max_length=100)
    title = models.CharField(_("title shown to workers"), max_length=200)
    task = models.CharField(_("task"), max_length=40)
    options = JSONTextField(default=dict)
    datasets = models.ManyToManyField(Dataset, related_name="batches")
    sample = models.PositiveIntegerField(_("items from each dataset"), null=True, blank=True)
    sample_by = models.CharField(max_length=10, choices=SampleBy, default=SampleBy.UNIFORM, db_default=SampleBy.UNIFORM)
    seed = models.BigIntegerField(default=0)
    assignments_per_hit = models.PositiveIntegerField(_("assignments per HIT"), default=3)
    most_per_worker = models.PositiveIntegerField(_("HITs per worker at most"), null=True, blank=True)  # null: no limit
    expected_seconds = models.PositiveIntegerField(_("expected time"), default=0)
    meeting = models.CharField(_("members of a group"), max_length=5, choices=Meeting, default=Meeting.ONE)
    purpose = models.CharField(max_length=13, choices=Purpose, default=Purpose.PRODUCTION)
    fresh_only = models.BooleanField(_("skip items that the worker has seen in another batch"), default=True)
    # Off for new batches. The database's default is for batches from before there was a choice: they keep their order.
    same_order = models.BooleanField(_("same order for all"), default=False, db_default=True)
    disjoint = models.BooleanField(_("keep the items of qualification and production batches apart"), default=True)
    unseen_only = models.BooleanField(_("use only items that no other batch of this task uses"), default=False)
    picked = JSONTextField(null=True, blank=True)  # items of a launch under way, reserved against other launches
    workers = models.ManyToManyField(Worker, blank=True, related_name="chosen_for")  # none: all workers of the project
    description = models.TextField(_("description"), max_length=2000, blank=True)
    keywords = models.CharField(_("keywords"), max_length=1000, blank=True)
    reward = models.DecimalField(_("reward"), max_digits=8, decimal_places=2, default=Decimal(0))  # per assignment
    duration = models.PositiveIntegerField(null=True, blank=True)  # seconds to work; null: from the expected time
    auto_approval = models.PositiveIntegerField(_("automatic approval"), null=True, blank=True)
    # ... in seconds after submission; null: an unpaid batch, whose responses need no approval
    requirements = JSONTextField(default=list)  # as MTurk's QualificationRequirements; flow/people/qualification_types
    on_marketplace = models.BooleanField(default=False, db_default=False)  # see recruitment.py
    by_program = models.BooleanField(default=False, db_default=False)  # created through the MTurk API
    checks = models.ManyToManyField(Dataset, blank=True, related_name="checked")  # the datasets of its hidden gold
    has_group_parts = models.BooleanField(default=False, db_default=False)  # whether its items may be in a GroupPart
    # The batches in which workers wrote its questions. Whoever answered there never gets these: they may be their own.
    source_batches = models.ManyToManyField("self", symmetrical=False, related_name="+")
    has_reserved_hits = models.BooleanField(default=False)  # whether HITs were reserved for chosen workers
    check_share = models.FloatField(_("share of hidden gold"), default=0)  # of a worker's assignments, 0..0.5
    two_adjudicators = models.BooleanField(default=False, db_default=False)  # decide independently of each other
    shows_scores = models.BooleanField(default=False, db_default=False)  # to each worker their own, once closed
    counts_pasting = models.BooleanField(default=False, db_default=False)  # and absences: WorkerResponse.page_counts
    suggest = models.CharField(max_length=200, blank=True, default="", db_default="")  # a model; "": nobody sees one
    check_rule = JSONTextField(default=dict)  # {"after", "warn_below", "pause_below"} by the mean grade of hidden gold
    experiment = models.ForeignKey("Experiment", models.SET_NULL, null=True, blank=True, related_name="arms")
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    size = models.PositiveIntegerField(default=0)  # HITs, once launched
    next_ticket = models.PositiveBigIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
    launched_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)  # when it was deleted (flow/projects/recycle_bin)

    objects = PresentBatches()
    everything = models.Manager["Batch"]()  # includes the bin: for names, money and provenance

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="batch_name_once"),
            one_of("state", list(lifecycle.BATCH_MOVES), name="batch_state_known"),
            models.CheckConstraint(condition=Q(assignments_per_hit__gte=1), name="batch_asks_somebody"),
        ]
        indexes = [models.Index(fields=["project"], name="batch_given_out", condition=Q(state=lifecycle.OPEN))]

    def __str__(self) -> str:
        return self.title

    @property
    def label(self) -> str:
        """The title for requesters: arms have one title, and are told apart by their names."""
        return self.title if self.experiment_id is None else f"{self.title} ({self.slug})"

    @property
    def is_by_confidence(self) -> bool:
        """Whether its items are drawn with unequal chances, so that figures have to weigh them."""
        return self.sample_by == Batch.SampleBy.CONFIDENCE

    def move(self, to: str, **stamps: Any) -> bool:
        """Change the state; False if `to` cannot be reached from the state in the database."""
        states = lifecycle.origins(lifecycle.BATCH_MOVES, to)
        moved = Batch.objects.filter(pk=self.pk, state__in=states).update(state=to, **stamps)
        if moved:
            self.refresh_from_db(fields=["state", *stamps])
        return bool(moved)

    @property
    def most_assignments(self) -> int:
        """Assignments of a HIT at its launch: as many that start with a suggestion, if it has one, as are blind."""
        return self.assignments_per_hit * (2 if self.suggest else 1)

    @property
    def lease_seconds(self) -> int:
        """The requester's setting; else three times the expected time, at least ten minutes.

        On a marketplace at least an hour, because there the clock also runs while a worker reads the instructions
        and does the practice items.
        """
        return self.duration or max(3600 if self.on_marketplace else 600, 3 * self.expected_seconds)

    @property
    def lease_end(self) -> datetime:
        """The end of a lease that begins now."""
        return clock.now() + timedelta(seconds=self.lease_seconds)

    @property
    def instructions(self) -> Instructions:
        found = _newest_instructions(self.pk) if self.pk else []
        instructions = found[0] if found else Instructions(version=0, text="")
        instructions.batch = self
        return instructions


class Instructions(models.Model):
    """One version of a batch's instructions. Versions are never edited; a change is a new version."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="instructions_versions")
    version = models.PositiveIntegerField()
    text = models.TextField(_("instructions"))  # Markdown
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "version"], name="guide_version_once")]


@compiled
def _newest_instructions(batch: int) -> models.QuerySet[Instructions]:
    return Instructions.objects.filter(batch=batch).order_by("-version")[:1]


def by_disagreement(column: str = "disagreement") -> models.Func:
    """A HIT's disagreement for sorting: -1 before a report.

    Without parameters, so that both databases find the index on it.
    """
    return models.Func(column, template="COALESCE(%(expressions)s, -1)", output_field=models.FloatField())


class HitQuerySet(models.QuerySet["Hit"]):
    def open(self) -> HitQuerySet:
        """HITs that still want an assignment and have not expired."""
        lasting = Q(closes_at__isnull=True) | Q(closes_at__gt=Now())
        return self.filter(lasting, room__gt=0, excluded_at__isnull=True)

    def note_change(self) -> int:
        """Call it in the transaction that changes responses to these HITs, or decisions on them."""
        return self.update(changes=F("changes") + 1)

    def places(self) -> dict[int, dict[str, int]]:
        """Assignments `filled` and `wanted`, by batch, without excluded HITs and hidden gold."""
        counted = self.filter(excluded_at__isnull=True, check_item=False).order_by().values("batch")
        rows = counted.annotate(filled=Sum("done"), places=Sum("wanted"))
        return {row["batch"]: {"filled": row["filled"], "wanted": row["places"]} for row in rows}


class Hit(models.Model):
    """An item as shown to workers. `payload` is frozen at launch.

    `ticket` orders the queue. A HIT whose assignment becomes free again goes to the end, so that a worker's
    cursor only moves forward (docs/architecture.md, "The next assignment"). Fifty tickets are a block
    (pure/batches/queue_order).
    """

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="hits")
    item = models.ForeignKey(Item, models.PROTECT, related_name="hits")
    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    group_key = models.CharField(max_length=300)
    payload = JSONTextField()
    ticket = models.PositiveBigIntegerField()
    wanted = models.PositiveIntegerField()
    live = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    room = models.GeneratedField(
        expression=F("wanted") - F("live") - F("done"), output_field=models.IntegerField(), db_persist=True
    )
    suggestion = JSONTextField(null=True, blank=True)  # what assignments start with that are drawn to, as of the launch
    disagreement = models.FloatField(null=True, blank=True)  # 0..1, as of the last report
    score = models.FloatField(null=True, blank=True)  # mean grade of its responses, 0..1, as of the last report
    reward = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal(0))  # the most an assignment earns
    promised = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    # ... the reward published on a marketplace; earnings beyond it are a bonus. Null: not on a marketplace
    # What flow/review/conclusions worked out, as of the change numbered `concluded`. `open_kind`: why a requester must
    # decide; null: no need. `standing`: responses that are not excluded.
    changes = models.PositiveIntegerField(default=1, db_default=1)  # of its responses and of decisions on them
    concluded = models.PositiveIntegerField(default=0, db_default=0)
    open_kind = models.CharField(max_length=100, null=True, blank=True)  # noqa: DJ001
    standing = models.PositiveIntegerField(default=0, db_default=0)
    in_doubt = models.BooleanField(default=False, db_default=False)  # workers agree with each other, not with gold
    check_item = models.BooleanField(default=False)  # hidden gold: any worker may get it, and it is in no result
    inclusion_probability = models.FloatField(null=True, blank=True)  # of its draw by confidence; null: uniform
    closes_at = models.DateTimeField(null=True, blank=True)  # expires then
    excluded_at = models.DateTimeField(null=True, blank=True)
    exclusion_reason = models.CharField(max_length=500, blank=True)
    # of its workers' disagreement, as adjudicated (pure/review/disagreement_causes); "": none was named
    cause = models.CharField(max_length=20, blank=True, default="", db_default="")

    objects = HitQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "item"], name="hit_once_per_batch"),
            models.CheckConstraint(condition=Q(wanted__gte=F("live") + F("done")), name="hit_not_overallocated"),
            models.CheckConstraint(
                condition=Q(inclusion_probability__isnull=True)
                | Q(inclusion_probability__gt=0, inclusion_probability__lte=1),
                name="hit_inclusion_probability",
            ),
        ]
        indexes = [
            models.Index(
                fields=["batch", "ticket"],
                name="hit_queue",
                condition=Q(room__gt=0, excluded_at__isnull=True),
            ),
            models.Index(  # with the columns themselves, or PostgreSQL would read the rows of all pages before one
                "batch", by_disagreement().desc(), "id", "disagreement", "check_item", name="hit_by_disagreement"
            ),
            models.Index(fields=["batch", "ticket"], name="hit_by_ticket"),
            models.Index(fields=["batch", "-done", "id"], name="hit_by_done"),
            models.Index(
                fields=["batch", "done", "room", "live"],
                name="hit_to_conclude",
                condition=Q(concluded__lt=F("changes"), excluded_at__isnull=True),
            ),
            models.Index(
                fields=["batch", "item", "room", "live"],
                name="hit_to_adjudicate",
                condition=Q(open_kind__isnull=False, excluded_at__isnull=True),
            ),
            models.Index(
                fields=["batch", "item"], name="hit_in_doubt", condition=Q(in_doubt=True, excluded_at__isnull=True)
            ),
            models.Index(fields=["batch", "cause"], name="hit_by_cause", condition=~Q(cause="")),
            models.Index(  # covers every column that sums over a batch read, so that they never load the payloads
                fields=["batch", "excluded_at", "check_item", "wanted", "done", "live"], name="hit_progress"
            ),
        ]


class BatchFigureQuerySet(models.QuerySet["BatchFigure"]):
    def current(self) -> BatchFigureQuerySet:
        """Those that a sweep keeps up; without the others, pages count themselves."""
        return self.filter(due_at__gt=clock.now() - timedelta(minutes=10))


class BatchFigure(models.Model):
    """A figure of a large batch, as a sweep counted it last (flow/batches/cached_figures)."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="figures")
    name = models.CharField(max_length=40)
    value = JSONTextField()
    counted_at = models.DateTimeField()
    due_at = models.DateTimeField()  # when it is counted again

    objects = BatchFigureQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "name"], name="figure_once")]


class BatchReport(models.Model):
    """The report as last computed. `stand` is a version key of the responses it covers, to detect stale reports."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="report")
    stand = models.CharField(max_length=200)
    content = JSONTextField()
    created_at = TimestampField(auto_now=True)


class PartReport(models.Model):
    """The report of a filtered part of a batch, as last computed; `part`: key of flow/batches/hit_filters."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="part_reports")
    part = models.CharField(max_length=2000)
    stand = models.CharField(max_length=200)
    content = JSONTextField()
    created_at = TimestampField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "part"], name="part_report_once")]


class Preregistration(models.Model):
    """The registered file of a batch, as text, and the SHA-256 of its bytes. It is never changed."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="preregistration")
    document = models.TextField()  # JSON (annotation/pure/reports/preregistration.py)
    sha256 = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
