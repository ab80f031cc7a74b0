"""Feedback: a requester's words to a worker, read and acknowledged before the next assignment."""

from __future__ import annotations

from django.db.models import Max, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.refusal import Refused
from annotation.models import Assignment, Batch, Feedback, Review, User, Worker
from annotation.pure import reading
from annotation.registry import task_type

LONGEST = 5000  # characters
REMEMBERED = 10  # of a project's own words, offered again


def feedback(
    worker: Worker, batch: Batch, *, text: str, author: User | None, assignment: Assignment | None = None
) -> Feedback:
    """Tell a worker something; `assignment` is the example that it is about. Raises Refused without words."""
    words = text.strip()[:LONGEST]
    if not words:
        raise Refused(_("Write to the worker before you send it."))
    return Feedback.objects.create(worker=worker, batch=batch, assignment=assignment, text=words, author=author)


def acknowledge(told: Feedback) -> bool:
    """Note that the worker read it; False when they had before."""
    row = Feedback.objects.waiting().filter(pk=told.pk)
    return bool(row.update(acknowledged_at=Now()))


def withdraw(told: Feedback) -> bool:
    """Take feedback back; False when the worker has read it."""
    gone, _rows = Feedback.objects.waiting().filter(pk=told.pk).delete()
    return bool(gone)


def waiting(worker: Worker) -> QuerySet[Feedback]:
    """What the worker has not acknowledged yet, oldest first."""
    return Feedback.objects.waiting().filter(worker=worker).order_by("pk")


def suggestions(batch: Batch) -> list[str]:
    """What feedback may begin from: the task type's snippets, then what the project wrote last."""
    snippets = [_(text) for text in task_type(batch.task).snippets]
    own = Feedback.objects.filter(worker__project=batch.project)
    return _distinct([*snippets, *_newest(own, "text")])


def messages_before(batch: Batch, decision: str) -> list[str]:
    """The reasons or messages that the project gave last with a decision; repairs may also begin from snippets."""
    given = Review.objects.filter(assignment__batch__project=batch.project, decision=decision)
    snippets = [_(text) for text in task_type(batch.task).snippets] if decision == reading.RETURNED else []
    return _distinct([*snippets, *_newest(given, "reason")])


def _newest(rows: QuerySet[Feedback] | QuerySet[Review], name: str) -> list[str]:
    newest = rows.order_by().values(name).annotate(last=Max("pk")).order_by("-last")
    return [str(row[name]) for row in newest[:REMEMBERED]]


def _distinct(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(texts))
