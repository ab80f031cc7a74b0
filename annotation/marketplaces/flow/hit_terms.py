"""The form of our HITs on a marketplace: terms, rewards, requirements."""

import hashlib
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.flow.batches import hidden_gold
from annotation.flow.errors import Refused
from annotation.marketplaces.base import Offer, Requirement, Terms
from annotation.marketplaces.flow import arrivals, connections
from annotation.marketplaces.flow.connections import HitSession
from annotation.marketplaces.models import Publication
from annotation.models import Batch, Project, Qualification, QualificationType, Worker
from annotation.pure.people import requirements
from annotation.pure.text.languages import worded
from annotation.registry import task_type
from annotation.tasktype import capabilities

LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_KEYWORDS = 128, 2000, 1000  # as MTurk has them
SHORTEST, LONGEST, LONGEST_APPROVAL = 30, 31_536_000, 2_592_000  # seconds, as the MTurk API limits them
WEEK = 7 * 24 * 3600
GRANTED = Qualification.State.GRANTED


def terms_of(publication: Publication, session: HitSession) -> Terms:
    """The HIT's terms there, with the marketplace's ids of qualifications, which are created if missing."""
    hit = publication.hit
    batch = hit.batch
    title = worded(batch.title)
    description = batch.description or capabilities.asked(task_type(batch.task), batch.options)
    if hit.reward > publication.reward:
        most = _("up to $%(most)s") % {"most": hit.reward}
        title = f"{title[: LONGEST_TITLE - len(most) - 3]} ({most})"
        more = _("A good response earns up to $%(most)s in all: the rest of the reward comes as a bonus.")
        description = f"{description[: LONGEST_DESCRIPTION - 200]} {more % {'most': hit.reward}}"
    approval = WEEK if batch.auto_approval is None else batch.auto_approval
    return Terms(
        title=title[:LONGEST_TITLE],
        description=description[:LONGEST_DESCRIPTION],
        keywords=batch.keywords[:LONGEST_KEYWORDS],
        reward=publication.reward,
        duration=min(max(batch.lease_seconds, SHORTEST), LONGEST),
        auto_approval=min(approval, LONGEST_APPROVAL),
        requirements=requirements_of(batch, session),
    )


def offer_of(publication: Publication, type_id: str, *, seconds: float) -> Offer:
    """The HIT to publish, with a lifetime of `seconds`."""
    return Offer(
        type_id=type_id,
        annotation=publication.annotation,
        token=publication.token,
        url=settings.PUBLIC_URL + arrivals.frame_path(publication.hit),
        places=max(publication.wanted, publication.hit.wanted),
        lifetime=int(min(max(seconds, SHORTEST), LONGEST)),
    )


def requirements_of(batch: Batch, session: HitSession) -> tuple[Requirement, ...]:
    """The batch's requirements there, including that blocked and paused workers are excluded."""
    conditions = [_requirement(one, batch.project, session) for one in batch.requirements]
    if not session.marketplace.offers("ensure_qualification"):
        return tuple(conditions)
    out = [exclusion(batch.project, session), *([pause(batch, session)] if hidden_gold.may_pause(batch) else [])]
    guard = "DiscoverPreviewAndAccept"
    return (*conditions, *(Requirement(type_id, "DoesNotExist", guard=guard) for type_id in out))


def refuse_crowded(batch: Batch) -> None:
    """Raise Refused if a batch has too many requirements to leave room for those that exclude workers."""
    most = requirements.MOST_REQUIREMENTS - (2 if hidden_gold.may_pause(batch) else 1)
    if len(batch.requirements) > most:
        text = _(
            "On a marketplace this batch can have at most %(most)s requirements: the others exclude blocked workers."
        )
        raise Refused(text % {"most": most})


def _requirement(stored: dict[str, Any], project: Project, session: HitSession) -> Requirement:
    type_id = stored["type"]
    if type_id not in requirements.SYSTEM:
        type_id = type_there(QualificationType.objects.get(project=project, public_id=type_id), session)
    return Requirement(
        type_id=type_id,
        comparator=stored["comparator"],
        values=tuple(stored.get("values") or ()),
        locales=tuple((one["country"], one.get("subdivision", "")) for one in stored.get("locales") or ()),
        guard=stored.get("guard", "Accept"),
    )


def type_there(type: QualificationType, session: HitSession) -> str:
    """The marketplace's qualification for one of ours: the account's own with exactly that name, or a new one.

    So the batch can require a qualification that was granted on the marketplace.
    """
    name = f"{type.name} [{connections.installation_id(type.project)}]"
    return _own_there(type, session) or _ensured(name, type.description or type.name, session)


def _own_there(type: QualificationType, session: HitSession) -> str:
    """The account's own qualification with exactly that name, which we must not revoke; "" if there is none."""
    if type.name not in session.types:
        session.types[type.name] = session.call(session.marketplace.qualification_named, type.name)
    return session.types[type.name]


def exclusion(project: Project, session: HitSession) -> str:
    """The qualification of excluded workers there. Unlike a block it does not harm their accounts."""
    name = f"{connections.installation_id(project)} not again"
    return _ensured(name, _("You have taken part in this project as often as allowed."), session)


def pause(batch: Batch, session: HitSession) -> str:
    """The id of the marketplace's qualification for workers paused by the batch's hidden gold rule."""
    name = f"{connections.installation_id(batch.project)} {batch.slug} paused"
    return _ensured(name, _("You are paused on this work."), session)


def _ensured(name: str, description: str, session: HitSession) -> str:
    if name not in session.types:
        session.types[name] = session.call(session.marketplace.ensure_qualification, name, description)
    return session.types[name]


def grant_there(batch: Batch, session: HitSession) -> int:
    """Update the qualifications of the marketplace's workers to those held here; returns the number of changes."""
    project, changed = batch.project, 0
    workers = Worker.objects.filter(project=project, external_id__startswith=f"{session.connection.pk}:")
    named = [one["type"] for one in batch.requirements if one["type"] not in requirements.SYSTEM]
    for type in QualificationType.objects.filter(project=project, public_id__in=named):
        rows = Qualification.objects.filter(type=type, worker__in=workers).select_related("worker").order_by("pk")
        if type_id := _own_there(type, session):
            changed += _add(type_id, list(rows), session)
        else:
            wanted = {_there(row.worker.external_id): row.value for row in rows if row.state == GRANTED}
            changed += _align(type_there(type, session), wanted, session)
    shut_out = workers.filter(Q(block__isnull=False) | Q(active=False)).values_list("external_id", flat=True)
    changed += _align(exclusion(project, session), {_there(name): 1 for name in shut_out}, session)
    if hidden_gold.may_pause(batch):
        paused = workers.filter(participations__batch=batch, participations__paused_at__isnull=False)
        names = paused.values_list("external_id", flat=True)
        changed += _align(pause(batch, session), {_there(name): 1 for name in names}, session)
    return changed


def _there(external_id: str | None) -> str:
    """The marketplace's own id of a worker who came from it."""
    return (external_id or "").partition(":")[2]


def _add(type_id: str, rows: list[Qualification], session: HitSession) -> int:
    """Grant the account's own qualification to workers who lack it on the marketplace, and update our grants.

    Scores that the account granted or changed itself differ from ours, and stay.
    """
    held, changed = session.call(session.marketplace.holders, type_id), 0
    for row in rows:
        worker, given = _there(row.worker.external_id), row.given_there
        there, wanted = held.get(worker), row.value if row.state == GRANTED else None
        is_own = there is None or (given is not None and there in {given, row.value})
        if not is_own:
            continue
        if wanted != there:
            changed += 1
            _hold(type_id, worker, wanted, session)
        if wanted != given:
            Qualification.objects.filter(pk=row.pk).update(given_there=wanted)
    return changed


def _hold(type_id: str, worker: str, value: int | None, session: HitSession) -> None:
    """Set a worker's value of the qualification there; None revokes it."""
    if value is None:
        session.call(session.marketplace.revoke, type_id, worker)
    else:
        session.call(session.marketplace.grant, type_id, worker, value)


def _align(type_id: str, wanted: dict[str, int], session: HitSession) -> int:
    held = session.call(session.marketplace.holders, type_id)
    different = [worker for worker in wanted | held if held.get(worker) != wanted.get(worker)]
    for worker in different:
        _hold(type_id, worker, wanted.get(worker), session)
    return len(different)


def token_for(*parts: object) -> str:
    """An idempotency token of 32 letters that is always the same for the same intent."""
    return hashlib.blake2b("/".join(map(str, parts)).encode(), digest_size=16).hexdigest()
