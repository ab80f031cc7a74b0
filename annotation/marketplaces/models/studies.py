"""Batches published as studies, the visits of participants who come by link, their bonuses, and differences."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.marketplaces.models.connections import Connection, token
from annotation.models import Assignment, Batch, Payment, Worker
from annotation.models.fields import JSONTextField, StateRow, TimestampField, one_of
from annotation.models.money import amount_field
from annotation.models.sealed import SealedField


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
            one_of("state", ["waiting", "sending", "settled", "failed"], name="study_state_known"),
            one_of("goal", ["draft", "active", "paused", "stopped"], name="study_goal_known"),
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
            one_of("state", ["live", "done", "ended"], name="visit_state_known"),
            one_of("decision", ["", "approved", "part", "rejected", "return"], name="visit_decision_known"),
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


class VisitBonus(StateRow):
    """One bonus for a visit, of one or more of our payments. Each step is committed before the next begins.

    `before` is the marketplace's list before this one is sent, `payment` its id for the prepared payment, which
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
            one_of(
                "state",
                ["intended", "prepared", "called", "unclear", "paid", "refused", "not_paid"],
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


LONGEST = 100  # characters of a column's name or a value


class Demographic(models.Model):
    """A participant's value in one column. It is in no export, and never shown beside a single participant."""

    study = models.ForeignKey(PanelStudy, models.CASCADE, related_name="demographics")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="demographics")
    name = models.CharField(max_length=LONGEST)
    value = models.CharField(max_length=LONGEST)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "worker", "name"], name="demographic_once")]


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
