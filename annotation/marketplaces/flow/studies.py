"""Batches as studies: their settings, and the pursuit of what the requester wants of them on the marketplace."""

import math
import secrets
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.batches import hidden_gold
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds
from annotation.flow.projects import audit_log
from annotation.marketplaces.base import AlreadyThere, TryAgain
from annotation.marketplaces.flow import groups, hit_terms, outbox, study_arms, visit_pay
from annotation.marketplaces.flow.connections import MarketplacePaused, Patience, StudySession, awake
from annotation.marketplaces.flow.outbox import FREE
from annotation.marketplaces.kinds import names_of, study_kind
from annotation.marketplaces.models import Connection, PanelStudy
from annotation.marketplaces.study_base import Outcome, StudyMarketplace, StudySpec, StudyState, StudyStatus
from annotation.models import Batch, Entry, clock
from annotation.models.sealed import Unsealable
from annotation.pure.money import pricing
from annotation.pure.text.languages import worded
from annotation.registry import task_type
from annotation.tasktype import capabilities

State, Goal = PanelStudy.State, PanelStudy.Goal
VISIT_MINUTES = 15  # of a visit, by default
MOST_HITS = 200  # of a visit
ENOUGH = 5  # visits for a median


def is_study(batch: Batch) -> bool:
    """Whether the batch's marketplace sends participants to it by link."""
    return batch.on_marketplace and batch.marketplace.connection.kind in names_of(StudyMarketplace)


def kind_of(connection: Connection) -> type[StudyMarketplace]:
    """The class of the connection's marketplace, which must be one of studies."""
    return study_kind(connection.kind)


def prepare(batch: Batch) -> None:
    """Prepare the launch of a batch as a study. Raises Refused if it cannot be launched."""
    kind = kind_of(batch.marketplace.connection)
    if hidden_gold.may_pause(batch):
        text = _(
            "Hidden gold cannot pause the participants of a study, as marketplaces do not accept it as an attention "
            "check. Leave the threshold for a pause empty."
        )
        raise Refused(text)
    if kind.minimum_hourly and wage(batch.reward, batch.expected_seconds / 60) < kind.minimum_hourly:
        values = {"least": kind.minimum_hourly, "wage": wage(batch.reward, batch.expected_seconds / 60)}
        text = _(
            "This marketplace pays at least $%(least)s an hour, and this reward makes $%(wage)s. Raise the reward."
        )
        raise Refused(text % values)
    if batch.reward and batch.auto_approval is None:
        Batch.objects.filter(pk=batch.pk).update(auto_approval=hit_terms.WEEK)
        batch.auto_approval = hit_terms.WEEK


def wage(reward: Decimal, minutes: float) -> Decimal:
    """Dollars an hour."""
    return pricing.rounded(reward * 60 / Decimal(max(minutes, 0.01)))


def make(batch: Batch) -> PanelStudy:
    """The study of a batch that was just opened, with settings that fit it; the requester may change them."""
    minutes = max(batch.expected_seconds, 1) / 60
    hits = max(1, min(round(VISIT_MINUTES / minutes), batch.size, MOST_HITS))
    kind = kind_of(batch.marketplace.connection)
    study, _new = PanelStudy.objects.get_or_create(
        batch=batch,
        defaults={
            "connection": batch.marketplace.connection,
            "codes": {str(outcome): secrets.token_hex(4).upper() for outcome in kind.codes},
            "places": places_for(batch, hits),
            **sizes(batch, hits),
        },
    )
    return study


def places_for(batch: Batch, hits: int) -> int:
    """The number of participants who do all HITs of a batch, or of all arms, and the hidden gold among them."""
    counts = [(arm, arm.size * arm.assignments_per_hit) for arm in study_arms.together(batch)]
    return math.ceil(sum(wanted + batch_funds.checks_among(arm, wanted) for arm, wanted in counts) / hits)


def sizes(batch: Batch, hits: int) -> dict[str, Any]:
    """Columns of a study that follow from the number of HITs of a visit, of arms those that take and pay the most."""
    arms = study_arms.together(batch)
    minutes = max(1, math.ceil(hits * max(arm.expected_seconds for arm in arms) / 60))
    longest = max(math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes)), 3 * minutes)
    return {
        "hits_per_visit": hits,
        "reward": max(arm.reward for arm in arms) * hits,
        "minutes": minutes,
        "max_minutes": max(longest, math.ceil(max(arm.lease_seconds for arm in arms) / 60)),
    }


def arrival_url(study: PanelStudy) -> str:
    """The participants' URL, without the marketplace's parameters."""
    return f"{settings.PUBLIC_URL}/visit/{study.token}/"


def change(study: PanelStudy, *, hits: int, **columns: Any) -> None:
    """Change a draft's settings: HITs of a visit, and columns such as `places` or `codes`. Raises Refused later on."""
    there = _again(study) if study.external_id else {}
    chosen = sizes(study.batch, hits) | columns | there
    if columns.get("screen_out_reward", 0) and columns["screen_out_reward"] >= chosen["reward"]:
        raise Refused(_("The pay for being screened out must be less than the reward of a visit."))
    if not PanelStudy.objects.filter(pk=study.pk, goal=Goal.DRAFT).update(**chosen):
        raise Refused(_("This study is published, so only its number of places can be raised."))
    audit_log.record("settings changed", study.batch)


def pursue(study: PanelStudy, goal: str, *, starts_at: datetime | None = None) -> None:
    """Set the goal of a study: it is sent until the marketplace agrees. Raises Refused for an impossible one.

    `starts_at`: when a draft is to be published; by default at once. Raises Overdrawn.
    """
    kind = kind_of(study.connection)
    reopens = [] if is_told(study) else [Goal.STOPPED]  # a marketplace that is told opens it with more places only
    before = {
        Goal.ACTIVE: [Goal.DRAFT, Goal.PAUSED, *reopens],
        Goal.PAUSED: [Goal.ACTIVE],
        Goal.STOPPED: [Goal.ACTIVE, Goal.PAUSED],
    }.get(Goal(goal), [])
    if study.goal == Goal.DRAFT and kind.minimum_hourly > (pays := wage(study.reward, study.minutes)):
        text = _("This marketplace pays at least $%(least)s an hour, and this reward makes $%(wage)s.")
        raise Refused(text % {"least": kind.minimum_hourly, "wage": pays})
    if starts_at is not None and not kind.offers("schedule"):
        raise Refused(_("This marketplace publishes a study at once only."))
    at = {"starts_at": starts_at} if study.goal == Goal.DRAFT else {}
    with transaction.atomic():
        if not PanelStudy.objects.filter(pk=study.pk, goal__in=before).update(goal=goal, **at, **_again(study)):
            raise Refused(_("The study has changed in the meantime. Look at it again."))
        if study.screen_out_reward:
            batch_funds.adjust_hold(study.batch)  # sets the pay of those who are screened out aside, or releases it
        audit_log.record(f"study {goal}", study.batch)


def is_told(study: PanelStudy) -> bool:
    """Whether the marketplace has the study; otherwise it is kept here alone."""
    return kind_of(study.connection).offers("create_study")


def is_scheduled(study: PanelStudy) -> bool:
    """Whether the study is to be published at a time, and was not published yet as far as we know."""
    waits = study.standing in {"", StudyStatus.DRAFT, StudyStatus.SCHEDULED}
    return study.goal == Goal.ACTIVE and study.starts_at is not None and waits


def cancel_schedule(study: PanelStudy) -> None:
    """Make a scheduled study a draft again. Raises Refused if it is published."""
    rows = PanelStudy.objects.filter(pk=study.pk, goal=Goal.ACTIVE, starts_at__isnull=False)
    rows = rows.filter(standing__in=["", StudyStatus.DRAFT, StudyStatus.SCHEDULED])
    if not rows.update(goal=Goal.DRAFT, starts_at=None, **_again(study)):
        raise Refused(_("The study is published already. Pause or stop it instead."))
    audit_log.record("study draft", study.batch)


@transaction.atomic
def raise_places(study: PanelStudy, places: int, *, screen_outs: int = 0) -> None:
    """Let more participants come, which starts a stopped study again; more of them may be screened out with pay.

    `screen_outs` is 0 for as many as before; more of these alone start nothing. Raises Refused for fewer of either, and
    Overdrawn, changing nothing.
    """
    rows = PanelStudy.objects.filter(pk=study.pk)
    if is_told(study):
        rows.filter(goal=Goal.STOPPED, places__lt=places).update(goal=Goal.ACTIVE)
    if not rows.filter(places__lte=places).update(places=places, **_again(study)):
        raise Refused(_("A study cannot have fewer places than before."))
    paying = rows.filter(screen_out_reward__gt=0)
    more: dict[str, Any] = {"screen_out_places": screen_outs} if screen_outs else {}
    if more and not paying.filter(screen_out_places__lte=screen_outs).update(**more):
        raise Refused(_("The number of participants who are paid for being screened out can only be raised."))
    if paying.exists():
        batch_funds.adjust_hold(study.batch)
    audit_log.record("settings changed", study.batch, places=places, **more)


def draft_there(study: PanelStudy) -> None:
    """Have the draft made on the marketplace, without publishing it."""
    PanelStudy.objects.filter(pk=study.pk).update(**_again(study))


def _again(study: PanelStudy) -> dict[str, Any]:
    """Columns that have a study sent; where there is nobody to tell, it is at once as wanted."""
    if not is_told(study):
        return {}
    return {"state": State.WAITING, "tries": 0, "due_at": Now(), "error": ""}


def follow(batch: Batch, goal: str) -> None:
    """Pause or resume the study with its batch; nothing where it was not published, or is stopped.

    That of several arms is paused with the last of them that is open.
    """
    if batch.experiment_id is not None:
        batch = study_arms.lead_of(batch)
        if goal == Goal.PAUSED and study_arms.is_open(batch):
            return
    study = PanelStudy.objects.filter(batch=batch).select_related("batch", "connection").first()
    if study is not None and study.goal not in {Goal.DRAFT, Goal.STOPPED}:
        with suppress(Refused):  # it has that goal already
            pursue(study, goal)


def spec_of(study: PanelStudy, session: StudySession) -> StudySpec:
    """The study to create, with the groups that its requirements become."""
    batch = study.batch
    allow, block = groups.of_batch(batch, session)
    return StudySpec(
        token=study.token,
        name=worded(batch.title),
        description=batch.description or capabilities.asked(task_type(batch.task), batch.options),
        url=arrival_url(study),
        reward=study.reward,
        places=study.places,
        minutes=study.minutes,
        max_minutes=study.max_minutes,
        codes=dict(study.codes),
        screen_out_reward=study.screen_out_reward,
        screen_out_places=study.screen_out_places,
        allow=allow,
        block=block,
        warning=study.warning,
        warning_details=study.warning_details,
    )


def unsettled() -> QuerySet[PanelStudy]:
    """Studies whose state on the marketplace differs from their goal."""
    return PanelStudy.objects.filter(state__in=[State.WAITING, State.SENDING])


def send_due(connection: Connection, *, patience: Patience | None = None, seconds: float = 3600) -> int:
    """Bring due studies to their goal on the marketplace, for at most `seconds`; returns how many. Idempotent."""
    patience, end, sent = patience or Patience(), time.monotonic() + seconds, 0
    with suppress(MarketplacePaused, Unsealable):
        session = StudySession(connection, patience=patience)
        while time.monotonic() < end and (found := _take(connection, patience)):
            sent += outbox.attempt(found, session, partial(_ensure, found, session), partial(_note, found))
    return sent


def _take(connection: Connection, patience: Patience) -> Any:
    rows = unsettled().filter(FREE, connection=connection, due_at__lte=Now()).order_by("due_at", "pk")
    return outbox.take(rows, unsettled(), "batch__project", "connection", patience=patience)


def _ensure(study: PanelStudy, session: StudySession) -> str:
    """Make the study if it is missing, and bring it nearer to its goal; returns its status there."""
    there = session.marketplace
    is_new = study.external_id is None and _create(study, session)
    state = session.call(there.study, study.external_id)
    if state.status == StudyStatus.DRAFT and not is_new:  # its settings may have changed since
        session.call(there.update_study, study.external_id, spec_of(study, session))
    if study.goal == Goal.DRAFT and state.status not in {StudyStatus.DRAFT, StudyStatus.SCHEDULED}:
        study.goal = Goal.ACTIVE  # the schedule was cancelled too late
        PanelStudy.objects.filter(pk=study.pk, goal=Goal.DRAFT).update(goal=study.goal)
    for act in _acts(study, state, there):
        session.call(act, study.external_id)
        state = session.call(there.study, study.external_id)
    remote = {"places": state.places, "taken": state.taken, "cost": str(state.cost or "")}
    PanelStudy.objects.filter(pk=study.pk).update(remote=remote, standing=state.status)
    return state.status


def _create(study: PanelStudy, session: StudySession) -> bool:
    """Have the draft, and store its id; False if there was one already."""
    try:
        study.external_id, is_new = session.call(session.marketplace.create_study, spec_of(study, session)), True
    except AlreadyThere as known:
        if not known.external_id:
            raise TryAgain(str(known)) from None
        study.external_id, is_new = known.external_id, False
    PanelStudy.objects.filter(pk=study.pk).update(external_id=study.external_id)
    return is_new


def _acts(study: PanelStudy, state: StudyState, there: StudyMarketplace) -> Iterator[Callable[[str], None]]:
    """The operations that bring the study from this state nearer to its goal."""
    goal, is_draft = Goal(study.goal), state.status == StudyStatus.DRAFT
    if goal in {Goal.ACTIVE, Goal.PAUSED} and study.places > state.places and not is_draft:
        yield partial(there.set_places, places=study.places)
    if study.screen_out_places > state.screen_out_places and not is_draft and there.offers("set_screen_out_places"):
        yield partial(there.set_screen_out_places, places=study.screen_out_places)
    if state.status == StudyStatus.SCHEDULED and goal != Goal.ACTIVE:
        yield there.unschedule
    if is_draft and goal == Goal.ACTIVE and study.starts_at is not None and study.starts_at > clock.now():
        yield partial(there.schedule, when=study.starts_at)
        return
    act = {
        (Goal.ACTIVE, StudyStatus.DRAFT): there.publish,
        (Goal.ACTIVE, StudyStatus.PAUSED): there.start,
        (Goal.PAUSED, StudyStatus.ACTIVE): there.pause,
        (Goal.STOPPED, StudyStatus.ACTIVE): there.stop,
        (Goal.STOPPED, StudyStatus.PAUSED): there.stop,
    }.get((goal, state.status))
    if act is not None:
        yield act


def _note(study: PanelStudy, _status: str) -> bool:
    """Settled, unless the requester wants something else by now."""
    same = PanelStudy.objects.filter(pk=study.pk, goal=study.goal, places=study.places, state=State.SENDING)
    same = same.filter(screen_out_places=study.screen_out_places)
    return bool(same.update(state=State.SETTLED, error="", lease_until=None))


def sweep(*, seconds: float = 10.0) -> int:
    """Send due studies on every marketplace, for at most `seconds` each."""
    waiting = unsettled().filter(due_at__lte=Now()).values("connection")
    return sum(send_due(connection, seconds=seconds) for connection in awake(waiting))


def try_again(study: PanelStudy) -> None:
    """Retry what failed for good, once the cause is fixed."""
    PanelStudy.objects.filter(pk=study.pk, state=State.FAILED).update(**_again(study))


def places_left(study: PanelStudy) -> bool:
    """Whether a participant may come where only we count: those whose work is missing or rejected make room."""
    worked = Q(state="live") | Q(outcome__in=[Outcome.DONE, Outcome.FAILED_CHECKS])
    return study.visits.filter(worked).exclude(decision="rejected").count() < study.places


def median_minutes(study: PanelStudy) -> float | None:
    """The median length of the last finished visits, in minutes; None before there are ENOUGH."""
    done = study.visits.filter(outcome="done", ended_at__isnull=False).order_by("-pk")
    times = done.values_list("arrived_at", "ended_at")[:1000]
    lengths = [(end - start).total_seconds() / 60 for start, end in times if end]
    return round(statistics.median(lengths), 1) if len(lengths) >= ENOUGH else None


def screen_out_cost(study: PanelStudy, places: int) -> Decimal:
    """Dollars that so many participants who are screened out cost, with fees."""
    fee = pricing.reward_fee(study.screen_out_reward, schedule=study.connection.fees)
    return cast(Decimal, places * (study.screen_out_reward + fee))


def screen_outs_left(batch: Batch) -> Decimal:
    """Dollars that participants of the batch's published study may still be paid for being screened out, with fees."""
    under_way = PanelStudy.objects.filter(batch=batch, goal__in=[Goal.ACTIVE, Goal.PAUSED], screen_out_reward__gt=0)
    study = under_way.select_related("connection").first() if batch.state != Batch.State.CLOSED else None
    if study is None:
        return Decimal(0)
    paid = Entry.objects.filter(batch=batch, kind=visit_pay.SCREEN_OUT).count()
    return screen_out_cost(study, max(0, study.screen_out_places - paid))


def cost(study: PanelStudy) -> Decimal:
    """Dollars that all places cost, with fees."""
    fee = pricing.reward_fee(study.reward, schedule=study.connection.fees)
    return cast(Decimal, study.places * (study.reward + fee))
