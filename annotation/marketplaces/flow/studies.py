"""Batches as studies: their settings, and the pursuit of what the requester wants of them on the marketplace."""

import math
import secrets
import statistics
import time
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.marketplaces.base import AlreadyThere, TryAgain
from annotation.marketplaces.flow import groups, outbox, terms
from annotation.marketplaces.flow.connections import Patience, Resting, StudyLine
from annotation.marketplaces.flow.outbox import FREE
from annotation.marketplaces.kinds import kinds, named
from annotation.marketplaces.models import Connection, PanelStudy
from annotation.marketplaces.study_base import Outcome, StudyMarketplace, StudySpec, StudyStatus
from annotation.models import Batch
from annotation.models.sealed import Unsealable
from annotation.pure.money import pricing
from annotation.registry import task_type

State, Goal = PanelStudy.State, PanelStudy.Goal
VISIT_MINUTES = 15  # of a visit, by default
MOST_HITS = 200  # of a visit
ENOUGH = 5  # visits for a median


def is_study(batch: Batch) -> bool:
    """Whether the batch's marketplace sends participants to it by link."""
    return batch.on_marketplace and batch.marketplace.connection.kind in named(StudyMarketplace)


def kind_of(connection: Connection) -> type[StudyMarketplace]:
    """The class of the connection's marketplace, which must be one of studies."""
    found = kinds()[connection.kind]
    assert issubclass(found, StudyMarketplace)
    return found


def prepare(batch: Batch) -> None:
    """Prepare the launch of a batch as a study. Raises Refused if it cannot be launched."""
    kind = kind_of(batch.marketplace.connection)
    if batch.check_share:
        raise Refused(_("Hidden gold cannot be mixed into the HITs of a study. Remove it, or choose other workers."))
    if kind.minimum_hourly and wage(batch.reward, batch.expected_seconds / 60) < kind.minimum_hourly:
        values = {"least": kind.minimum_hourly, "wage": wage(batch.reward, batch.expected_seconds / 60)}
        text = _(
            "This marketplace pays at least $%(least)s an hour, and this reward makes $%(wage)s. Raise the reward."
        )
        raise Refused(text % values)
    if batch.reward and batch.auto_approval is None:
        Batch.objects.filter(pk=batch.pk).update(auto_approval=terms.WEEK)
        batch.auto_approval = terms.WEEK


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
    """The number of participants who do all HITs of a batch."""
    return math.ceil(batch.size * batch.assignments_per_hit / hits)


def sizes(batch: Batch, hits: int) -> dict[str, Any]:
    """Columns of a study that follow from the number of HITs of a visit."""
    minutes = max(1, math.ceil(hits * batch.expected_seconds / 60))
    longest = max(math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes)), 3 * minutes)
    return {
        "hits_per_visit": hits,
        "reward": batch.reward * hits,
        "minutes": minutes,
        "max_minutes": max(longest, math.ceil(batch.lease_seconds / 60)),
    }


def arrival_url(study: PanelStudy) -> str:
    """The participants' URL, without the marketplace's parameters."""
    return f"{settings.PUBLIC_URL}/visit/{study.token}/"


def change(study: PanelStudy, *, hits: int, **columns: Any) -> None:
    """Change a draft's settings: HITs of a visit, and `places`, `codes` or `use_timed_out`. Raises Refused later on."""
    if not PanelStudy.objects.filter(pk=study.pk, goal=Goal.DRAFT).update(**sizes(study.batch, hits), **columns):
        raise Refused(_("This study is published, so only its number of places can be raised."))
    audit_log.record("settings changed", study.batch)


def pursue(study: PanelStudy, goal: str) -> None:
    """Set the goal of a study: it is sent until the marketplace agrees. Raises Refused for an impossible one."""
    before = {
        Goal.ACTIVE: [Goal.DRAFT, Goal.PAUSED, Goal.STOPPED],
        Goal.PAUSED: [Goal.ACTIVE],
        Goal.STOPPED: [Goal.ACTIVE, Goal.PAUSED],
    }.get(Goal(goal), [])
    if not PanelStudy.objects.filter(pk=study.pk, goal__in=before).update(goal=goal, **_again(study)):
        raise Refused(_("The study has changed in the meantime. Look at it again."))
    audit_log.record(f"study {goal}", study.batch)


def raise_places(study: PanelStudy, places: int) -> None:
    """Let more participants come. Raises Refused for fewer than there are."""
    if not PanelStudy.objects.filter(pk=study.pk, places__lte=places).update(places=places, **_again(study)):
        raise Refused(_("A study cannot have fewer places than before."))
    audit_log.record("settings changed", study.batch, places=places)


def draft_there(study: PanelStudy) -> None:
    """Have the draft made on the marketplace, without publishing it."""
    PanelStudy.objects.filter(pk=study.pk).update(**_again(study))


def _again(study: PanelStudy) -> dict[str, Any]:
    """Columns that have a study sent; where there is nobody to tell, it is at once as wanted."""
    if not kind_of(study.connection).offers("create_study"):
        return {}
    return {"state": State.WAITING, "tries": 0, "due_at": Now(), "error": ""}


def follow(batch: Batch, goal: str) -> None:
    """Pause or resume the study with its batch; nothing where it was not published."""
    study = PanelStudy.objects.filter(batch=batch).select_related("batch", "connection").first()
    if study is not None and study.goal != Goal.DRAFT:
        with suppress(Refused):  # it has that goal already
            pursue(study, goal)


def spec_of(study: PanelStudy, line: StudyLine) -> StudySpec:
    """The study to create, with the groups that its requirements become."""
    batch = study.batch
    allow, block = groups.of_batch(batch, line)
    return StudySpec(
        token=study.token,
        name=batch.title,
        description=batch.description or task_type(batch.task).question,
        url=arrival_url(study),
        reward=study.reward,
        places=study.places,
        minutes=study.minutes,
        max_minutes=study.max_minutes,
        codes=dict(study.codes),
        allow=allow,
        block=block,
    )


def unsettled() -> QuerySet[PanelStudy]:
    """Studies that the marketplace has not as they are wanted."""
    return PanelStudy.objects.filter(state__in=[State.WAITING, State.SENDING])


def send_due(connection: Connection, *, patience: Patience | None = None, seconds: float = 3600) -> int:
    """Have due studies on the marketplace as they are wanted, for at most `seconds`; returns how many. Safe twice."""
    patience, end, sent = patience or Patience(), time.monotonic() + seconds, 0
    with suppress(Resting, Unsealable):
        line = StudyLine(connection, patience=patience)
        while time.monotonic() < end and (found := _take(connection, patience)):
            sent += outbox.attempt(found, line, partial(_ensure, found, line), partial(_note, found))
    return sent


def _take(connection: Connection, patience: Patience) -> Any:
    rows = unsettled().filter(FREE, connection=connection, due_at__lte=Now()).order_by("due_at", "pk")
    return outbox.take(rows, unsettled(), "batch__project", "connection", patience=patience)


def _ensure(study: PanelStudy, line: StudyLine) -> str:
    """Make the study if it is missing, and bring it nearer to its goal; returns its status there."""
    there = line.marketplace
    if study.external_id is None:
        try:
            study.external_id = line.call(there.create_study, spec_of(study, line))
        except AlreadyThere as known:
            if not known.external_id:
                raise TryAgain(str(known)) from None
            study.external_id = known.external_id
        PanelStudy.objects.filter(pk=study.pk).update(external_id=study.external_id)
    state = line.call(there.study, study.external_id)
    if study.goal in {Goal.ACTIVE, Goal.PAUSED} and study.places > state.places:
        line.call(there.set_places, study.external_id, study.places)
    act = {
        (Goal.ACTIVE, StudyStatus.DRAFT): there.publish,
        (Goal.ACTIVE, StudyStatus.PAUSED): there.start,
        (Goal.PAUSED, StudyStatus.ACTIVE): there.pause,
        (Goal.STOPPED, StudyStatus.ACTIVE): there.stop,
        (Goal.STOPPED, StudyStatus.PAUSED): there.stop,
    }.get((Goal(study.goal), state.status))
    if act is not None:
        line.call(act, study.external_id)
        state = line.call(there.study, study.external_id)
    remote = {"places": state.places, "taken": state.taken, "cost": str(state.cost or "")}
    PanelStudy.objects.filter(pk=study.pk).update(remote=remote, standing=state.status)
    return state.status


def _note(study: PanelStudy, _status: str) -> bool:
    """Settled, unless the requester wants something else by now."""
    same = PanelStudy.objects.filter(pk=study.pk, goal=study.goal, places=study.places, state=State.SENDING)
    return bool(same.update(state=State.SETTLED, error="", lease_until=None))


def sweep(*, seconds: float = 10.0) -> int:
    """Send due studies on every marketplace, for at most `seconds` each."""
    waiting = unsettled().filter(due_at__lte=Now()).values("connection")
    rows = Connection.objects.filter(pk__in=waiting).exclude(rests_until__gt=Now())
    return sum(send_due(connection, seconds=seconds) for connection in rows)


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
    lengths = [(end - start).total_seconds() / 60 for start, end in done.values_list("arrived_at", "ended_at")[:1000]]
    return round(statistics.median(lengths), 1) if len(lengths) >= ENOUGH else None


def cost(study: PanelStudy) -> Decimal:
    """Dollars that all places cost, with fees."""
    fee = pricing.reward_fee(study.reward, schedule=study.connection.fees)
    return study.places * (study.reward + fee)
