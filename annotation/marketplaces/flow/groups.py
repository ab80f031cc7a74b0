"""Qualifications that a study requires, as groups of participants on the marketplace, kept in step both ways.

A group stands for one requirement: its members are the participants who meet it, or for DoesNotExist those who hold
the qualification and are kept out. What both sides had the last time tells which of them changed since.
"""

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.people import qualification_types
from annotation.marketplaces.flow.connections import StudySession, installation_id
from annotation.marketplaces.models import ParticipantGroup
from annotation.models import Batch, Qualification, QualificationType, Worker
from annotation.pure.people import requirements
from annotation.pure.people.requirements import Held, Requirement

GRANTED = Qualification.State.GRANTED
ABSENT = "DoesNotExist"


@dataclass(frozen=True)
class Gate:
    """A requirement of one of the project's own qualifications; it keeps its group's members out if `blocks`."""

    type: QualificationType
    requirement: Requirement

    @property
    def blocks(self) -> bool:
        return self.requirement.comparator == ABSENT

    @property
    def name(self) -> str:
        values = " ".join(map(str, self.requirement.values))
        asked = "" if self.blocks else f" {self.requirement.comparator} {values}".rstrip()
        return f"{self.type.name}{asked} [{installation_id(self.type.project)}]"

    def counts(self, row: Qualification | None) -> bool:
        """Whether a worker with this qualification belongs into the group."""
        held = Held(row.value) if row is not None and row.state == GRANTED else None
        return held is not None if self.blocks else requirements.meets(self.requirement, held)

    def value(self) -> int | None:
        """A score that meets the requirement, for somebody who was added to the group there."""
        values = self.requirement.values
        tried = [100, 1, 0, *values, *(value + 1 for value in values), *(value - 1 for value in values)]
        return next(
            (value for value in tried if self.blocks or requirements.meets(self.requirement, Held(value))), None
        )


def gates(batch: Batch) -> Iterator[Gate]:
    """The batch's requirements that become groups; MTurk's own qualifications have no equivalent."""
    for requirement in requirements.read_all(batch.requirements):
        if requirement.type not in requirements.SYSTEM:
            type = QualificationType.objects.select_related("project").get(
                project=batch.project_id, public_id=requirement.type
            )
            yield Gate(type, requirement)


def excluded_name(batch: Batch) -> str:
    """The name of the group of workers who are excluded from the project."""
    return f"Not again [{installation_id(batch.project)}]"


def of_batch(batch: Batch, session: StudySession) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(groups of which participants must be members, groups of which they must not); made there if missing."""
    if not session.marketplace.offers("ensure_group"):
        return (), ()
    found = [(gate.blocks, _ensured(gate.name, session).external_id) for gate in gates(batch)]
    allow = tuple(group for blocks, group in found if not blocks)
    return allow, (*(group for blocks, group in found if blocks), _ensured(excluded_name(batch), session).external_id)


def _ensured(name: str, session: StudySession) -> ParticipantGroup:
    row = ParticipantGroup.objects.filter(connection=session.connection, name=name).first()
    if row is None:
        group = session.call(session.marketplace.ensure_group, name)
        row, _new = ParticipantGroup.objects.get_or_create(
            connection=session.connection, name=name, defaults={"external_id": group}
        )
    return row


def align(batch: Batch, session: StudySession) -> int:
    """Bring the batch's groups and our qualifications into step; returns the number of changes. Safe to run twice."""
    if not session.marketplace.offers("ensure_group"):
        return 0
    return sum(_align(gate, session) for gate in gates(batch)) + _align_excluded(batch, session)


def _align(gate: Gate, session: StudySession) -> int:
    row = _ensured(gate.name, session)
    theirs, before = session.call(session.marketplace.group_members, row.external_id), set(row.members)
    workers = _workers(gate.type.project_id, session)
    held = {one.worker_id: one for one in Qualification.objects.filter(type=gate.type, worker__in=workers.values())}
    ours = {name for name, worker in workers.items() if gate.counts(held.get(worker.pk))}
    before = {name for name in theirs | ours if name in before or _mark(name, session) in before}
    added, removed = (theirs - ours) - before, (ours - theirs) & before
    new, lost = (ours - theirs) - before, (theirs - ours) & before
    _change_there(row, new, lost, session)
    granted = {name for name in added if _grant(gate, name, session)}
    for name in removed:
        reason = _("Removed from the group on %(place)s.") % {"place": session.connection.name}
        qualification_types.revoke(gate.type, workers[name], reason=reason)
    after = sorted(_mark(name, session) for name in (ours | granted) - removed)
    ParticipantGroup.objects.filter(pk=row.pk).update(members=after, synced_at=Now())
    return len(new) + len(lost) + len(granted) + len(removed)


def _mark(participant: str, session: StudySession) -> str:
    """What is kept of a member: it tells that somebody is the same, not who, so that who is erased can be removed."""
    key = session.connection.project.pseudonym_key.encode()
    return hmac.new(key, f"member/{participant}".encode(), hashlib.sha256).hexdigest()[:32]


def _change_there(row: ParticipantGroup, new: set[str], lost: set[str], session: StudySession) -> None:
    if new:
        session.call(session.marketplace.add_to_group, row.external_id, sorted(new))
    if lost:
        session.call(session.marketplace.remove_from_group, row.external_id, sorted(lost))


def _grant(gate: Gate, participant: str, session: StudySession) -> bool:
    value = gate.value()
    if value is None:
        return False
    name = f"{session.connection.pk}:{participant}"
    worker, _new = Worker.objects.get_or_create(project_id=gate.type.project_id, external_id=name)
    reason = _("Added to the group on %(place)s.") % {"place": session.connection.name}
    qualification_types.grant(gate.type, worker, value, source="hand", reason=reason)
    return True


def _workers(project: int, session: StudySession, *which: Q) -> dict[str, Worker]:
    """{participant: worker} of those who came from this marketplace."""
    mark = f"{session.connection.pk}:"
    rows = Worker.objects.filter(*which, project=project, external_id__startswith=mark)
    return {(row.external_id or "").removeprefix(mark): row for row in rows}


def _align_excluded(batch: Batch, session: StudySession) -> int:
    """Workers who are blocked or deactivated here: one way, since the marketplace does not decide about them."""
    row = _ensured(excluded_name(batch), session)
    ours = set(_workers(batch.project_id, session, Q(block__isnull=False) | Q(active=False)))
    theirs = session.call(session.marketplace.group_members, row.external_id)
    _change_there(row, ours - theirs, theirs - ours, session)
    ParticipantGroup.objects.filter(pk=row.pk).update(members=[], synced_at=Now())
    return len(ours ^ theirs)
