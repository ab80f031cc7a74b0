"""Messages between a project and its workers: letters that wait for nobody. What must be read first is feedback."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.refusal import Refused
from annotation.models import Assignment, Hit, Message, Project, User, Worker

LONGEST_SUBJECT, LONGEST_TEXT = 200, 4096  # characters
FROM_WORKERS = Q(from_worker=True, read_at__isnull=True)  # what no requester read yet


@dataclass(frozen=True, slots=True)
class Thread:
    """The letters with one worker about one assignment, or about none in particular; `unread` by the requesters."""

    last: Message
    letters: int
    unread: int


def send(
    worker: Worker, subject: str, text: str, *, author: User | None = None, assignment: Assignment | None = None
) -> Message:
    """Write to a worker; `assignment` is the work that it is about. Raises Refused without words."""
    return _write(worker, subject, text, author=author, assignment=assignment)


def ask(worker: Worker, subject: str, text: str, *, assignment: Assignment | None = None) -> Message:
    """A worker writes to the project, about their own work at most. Raises Refused without words."""
    return _write(worker, subject, text, author=worker.user, assignment=assignment, from_worker=True)


def _write(
    worker: Worker,
    subject: str,
    text: str,
    *,
    author: User | None,
    assignment: Assignment | None,
    from_worker: bool = False,
) -> Message:
    words = text.strip()[:LONGEST_TEXT]
    if not words:
        raise Refused(_("Write something before you send it."))
    if assignment is not None and assignment.worker_id != worker.pk:
        raise Refused(_("A message about an assignment goes to the worker who had it."))
    return Message.objects.create(
        worker=worker,
        assignment=assignment,
        subject=" ".join(subject.split())[:LONGEST_SUBJECT],
        text=words,
        from_worker=from_worker,
        author=author,
    )


def of(worker: Worker) -> QuerySet[Message]:
    """Both sides of the correspondence with a worker, newest first."""
    return Message.objects.filter(worker=worker).select_related("author", "assignment__batch").order_by("-pk")


def unread(worker: Worker) -> QuerySet[Message]:
    """What the project wrote and the worker did not open yet, oldest first."""
    return Message.objects.filter(worker=worker, from_worker=False, read_at__isnull=True).order_by("pk")


def read(worker: Worker, *, from_worker: bool = False) -> int:
    """Note that one side read all that the other one wrote; returns how many were new to it."""
    theirs = Message.objects.filter(worker=worker, from_worker=from_worker, read_at__isnull=True)
    return theirs.update(read_at=Now())


def about(assignment: Assignment) -> QuerySet[Message]:
    """Both sides of what was written about an assignment, oldest first."""
    return Message.objects.filter(assignment=assignment).select_related("author").order_by("pk")


def read_about(assignment: Assignment, *, from_worker: bool) -> int:
    """Note that one side read what the other one wrote about an assignment; returns how many were new to it."""
    return about(assignment).filter(from_worker=from_worker, read_at__isnull=True).update(read_at=Now())


def counted(rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Assignments with how many `letters` there are about each, and how many of them its worker has still to read."""
    mine = Message.objects.filter(assignment=OuterRef("pk")).order_by().values("assignment")
    told = mine.annotate(n=Count("pk"), new=Count("pk", filter=Q(from_worker=False, read_at__isnull=True)))
    return rows.annotate(letters=Subquery(told.values("n")), letters_new=Subquery(told.values("new")))


def unread_about(hit: Hit) -> QuerySet[Message]:
    """What workers wrote about their assignments of a HIT and no requester read yet, oldest first."""
    rows = Message.objects.filter(FROM_WORKERS, assignment__hit=hit).select_related("assignment")
    return rows.order_by("pk")


def unread_by_requesters(worker: Worker) -> QuerySet[Message]:
    """What the worker wrote and no requester read yet, oldest first."""
    return Message.objects.filter(FROM_WORKERS, worker=worker).order_by("pk")


def unread_of(project: Project) -> QuerySet[Message]:
    """What workers wrote and no requester of the project read yet, oldest first."""
    return Message.objects.filter(FROM_WORKERS, worker__project=project).order_by("pk")


def threads(project: Project, *, unread: bool = False) -> QuerySet[Message, dict[str, Any]]:
    """The project's correspondence by worker and assignment, what was written last first; rows for `told`."""
    rows = Message.objects.filter(worker__project=project).order_by().values("worker", "assignment")
    counted = rows.annotate(last=Max("pk"), letters=Count("pk"), unread=Count("pk", filter=FROM_WORKERS))
    return (counted.filter(unread__gt=0) if unread else counted).order_by("-last")


def told(rows: Iterable[dict[str, Any]]) -> list[Thread]:
    """Rows of `threads` with their last letters; one query."""
    rows = list(rows)
    letters = Message.objects.select_related("author", "worker__project", "assignment__batch", "assignment__hit__item")
    found = letters.defer("assignment__hit__payload", "assignment__draft").in_bulk([row["last"] for row in rows])
    return [Thread(found[row["last"]], row["letters"], row["unread"]) for row in rows]
