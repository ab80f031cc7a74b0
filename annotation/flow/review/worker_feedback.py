"""Feedback to workers, acknowledged before their next assignment."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Max, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.models import Assignment, Batch, Feedback, Review, User, Worker
from annotation.models.compiled import compiled
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import capabilities

LONGEST = 5000  # characters
REMEMBERED = 10  # of the project's last texts, offered again


def feedback(
    worker: Worker, batch: Batch, *, text: str, author: User | None, assignment: Assignment | None = None
) -> Feedback:
    """Give a worker feedback; `assignment` is the example that it is about. Raises Refused without text."""
    words = text.strip()[:LONGEST]
    if not words:
        raise Refused(_("Write a message to the worker first."))
    return Feedback.objects.create(worker=worker, batch=batch, assignment=assignment, text=words, author=author)


def acknowledge(feedback: Feedback) -> bool:
    """Record that the worker read it; False if they had before."""
    row = Feedback.objects.waiting().filter(pk=feedback.pk)
    return bool(row.update(acknowledged_at=Now()))


def withdraw(feedback: Feedback) -> bool:
    """Withdraw feedback; False if the worker has read it."""
    gone, _rows = Feedback.objects.waiting().filter(pk=feedback.pk).delete()
    return bool(gone)


def first_waiting(worker: Worker) -> Feedback | None:
    """The oldest feedback that the worker has not acknowledged."""
    return next(iter(_first_waiting(worker.pk)), None)


@compiled
def _first_waiting(worker: int) -> QuerySet[Feedback]:
    return Feedback.objects.waiting().filter(worker=worker).order_by("pk")[:1]


def suggestions(batch: Batch) -> list[str]:
    """Suggested texts: the task's snippets, then the project's last feedback."""
    own = Feedback.objects.filter(worker__project=batch.project)
    return _offered(capabilities.snippets(task_type(batch.task)), own, "text")


def messages_before(batch: Batch, decision: str) -> list[str]:
    """The project's last reasons or messages with a decision; requests for changes also offer the task's snippets."""
    given = Review.objects.filter(assignment__batch__project=batch.project, decision=decision)
    snippets = capabilities.snippets(task_type(batch.task)) if decision == review_state.RETURNED else ()
    return _offered(snippets, given, "reason")


def _offered(snippets: Iterable[str], rows: QuerySet[Any], name: str) -> list[str]:
    """The snippets, then the last texts, each once."""
    newest = rows.order_by().values(name).annotate(last=Max("pk")).order_by("-last")[:REMEMBERED]
    return list(dict.fromkeys([*(_(text) for text in snippets), *(str(row[name]) for row in newest)]))
