"""The audit log of a project: who did what, written in the transaction of the action.

The actor is not a parameter of flow functions. Middleware, jobs and commands set it once (`request_context.acting`),
and `record` reads it, so that no function can forget or falsify it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from annotation import models
from annotation.flow.projects.request_context import Actor, actor
from annotation.models import AuditEntry, Batch, Project

Via = AuditEntry.Via
ITSELF = Actor(Via.CLOCK, lambda: None)
_together: ContextVar[list[str] | None] = ContextVar("hopscribe_recorded_together", default=None)


@dataclass(frozen=True, slots=True)
class Subject:
    """The object of an action. People have no `name` here, because the log outlives their accounts."""

    project: Project
    kind: str
    key: object
    name: str = ""
    batch: str = ""


SUBJECTS: dict[type[Model], Callable[[Any], Subject]] = {
    models.Project: lambda row: Subject(row, "project", row.slug, row.title),
    models.Dataset: lambda row: Subject(row.project, "dataset", row.slug, row.slug),
    models.Batch: lambda row: Subject(row.project, "batch", row.slug, row.title, row.slug),
    models.Experiment: lambda row: Subject(row.project, "experiment", row.slug, row.title),
    models.Hit: lambda row: Subject(row.batch.project, "hit", row.public_id, "", row.batch.slug),
    models.Assignment: lambda row: Subject(row.batch.project, "answer", row.public_id, "", row.batch.slug),
    models.Worker: lambda row: Subject(row.project, "annotator", row.pk),
    models.Member: lambda row: Subject(row.project, "member", row.user_id),
    models.Invite: lambda row: Subject(row.project, "invite", row.pk, row.note),
    models.QualificationType: lambda row: Subject(row.project, "qualification", row.public_id, row.name),
    models.AccessKey: lambda row: Subject(row.project, "key", row.key_id),
    models.ApiToken: lambda row: Subject(row.project, "token", row.pk, row.note),
    models.Comment: lambda row: Subject(row.project, "comment", row.pk, "", row.hit.batch.slug if row.hit else ""),
    models.Payout: lambda row: Subject(row.project, "payout", row.number),
}


@contextmanager
def together(act: str, on: Model, **details: Any) -> Iterator[None]:
    """Fold actions recorded inside into one line with their number; no line if there were none."""
    if _together.get() is not None:
        yield
        return
    acts: list[str] = []
    token = _together.set(acts)
    try:
        yield
    finally:
        _together.reset(token)
    if acts:
        record(act, on, number=len(acts), **details)


def record(act: str, on: Model, *, batch: Batch | None = None, **details: Any) -> None:
    """Add a line on an action, in its transaction. `details` are JSON."""
    if (acts := _together.get()) is not None:
        acts.append(act)
        return
    subject, by = SUBJECTS[type(on)](on), actor.get() or ITSELF
    user = by.who()
    AuditEntry.objects.create(
        project=subject.project,
        user=user if user is not None and user.is_authenticated else None,
        via=by.via,
        act=act,
        kind=subject.kind,
        key=str(subject.key)[:100],
        name=subject.name[:200],
        batch=batch.slug if batch else subject.batch,
        details=details,
    )
