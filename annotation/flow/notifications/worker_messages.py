"""Messages between a project and its workers. (Feedback, unlike messages, must be acknowledged.)"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.rate_limits import check_hourly
from annotation.models import Assignment, Message, Project, User, Worker

LONGEST_SUBJECT, LONGEST_TEXT = 200, 4096  # characters
MOST_AN_HOUR = 20  # from one worker
FROM_WORKERS = Q(from_worker=True, read_at__isnull=True)  # not read by a requester yet


@dataclass(frozen=True, slots=True)
class Thread:
    """The messages with one worker about one assignment, or about none; `unread` by requesters."""

    last: Message
    size: int
    unread: int


def send(
    worker: Worker,
    subject: str,
    text: str,
    *,
    author: User | None = None,
    assignment: Assignment | None = None,
    from_worker: bool = False,
) -> Message:
    """Send a message to a worker; `assignment` is the work that it is about. Raises Refused without text."""
    words = text.strip()[:LONGEST_TEXT]
    if not words:
        raise Refused(_("Write a message before you send it."))
    if assignment is not None and assignment.worker_id != worker.pk:
        raise Refused(_("A message about an assignment goes to the worker of that assignment."))
    return Message.objects.create(
        worker=worker,
        assignment=assignment,
        subject=" ".join(subject.split())[:LONGEST_SUBJECT],
        text=words,
        from_worker=from_worker,
        author=author,
    )


def ask(worker: Worker, subject: str, text: str, *, assignment: Assignment | None = None) -> Message:
    """Send a worker's message to the project, at most about their own work.

    Raises Refused without text, and for one message too many in an hour.
    """
    text_of_limit = _("You have sent %(most)s messages within an hour. Please wait a while before you send another.")
    check_hourly(messages_of(worker).filter(from_worker=True), MOST_AN_HOUR, text_of_limit)
    return send(worker, subject, text, author=worker.user, assignment=assignment, from_worker=True)


def messages_of(worker: Worker) -> QuerySet[Message]:
    """All messages with a worker, newest first."""
    return Message.objects.filter(worker=worker).select_related("author", "assignment__batch").order_by("-pk")


def unread(worker: Worker) -> QuerySet[Message]:
    """Messages to the worker that they did not open yet, oldest first."""
    return Message.objects.filter(worker=worker, from_worker=False, read_at__isnull=True).order_by("pk")


def read(worker: Worker, *, from_worker: bool = False) -> int:
    """Mark all messages of the other side as read; returns how many were new."""
    unread = Message.objects.filter(worker=worker, from_worker=from_worker, read_at__isnull=True)
    return unread.update(read_at=Now())


def about(assignment: Assignment) -> QuerySet[Message]:
    """Messages about an assignment, oldest first."""
    return Message.objects.filter(assignment=assignment).select_related("author").order_by("pk")


def read_about(assignment: Assignment, *, from_worker: bool) -> int:
    """Mark the other side's messages about an assignment as read; returns how many were new."""
    return about(assignment).filter(from_worker=from_worker, read_at__isnull=True).update(read_at=Now())


def counted(rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Annotate assignments with `messages_count` about each, and `unread_messages` of its worker."""
    messages = Message.objects.filter(assignment=OuterRef("pk")).order_by().values("assignment")
    counts = messages.annotate(n=Count("pk"), new=Count("pk", filter=Q(from_worker=False, read_at__isnull=True)))
    return rows.annotate(messages_count=Subquery(counts.values("n")), unread_messages=Subquery(counts.values("new")))


def unread_from_workers(**which: Any) -> QuerySet[Message]:
    """Workers' unread messages, oldest first; `which` narrows them."""
    return Message.objects.filter(FROM_WORKERS, **which).order_by("pk")


def unread_of(project: Project) -> QuerySet[Message]:
    """Workers' unread messages in the project, oldest first."""
    return unread_from_workers(worker__project=project)


def threads(project: Project, *, unread: bool = False) -> QuerySet[Message, Any]:
    """The project's messages by worker and assignment, latest first, as rows for `load_threads`."""
    rows = Message.objects.filter(worker__project=project).order_by().values("worker", "assignment")
    counted = rows.annotate(last=Max("pk"), size=Count("pk"), unread=Count("pk", filter=FROM_WORKERS))
    return (counted.filter(unread__gt=0) if unread else counted).order_by("-last", "worker", "assignment")


def load_threads(rows: Iterable[dict[str, Any]]) -> list[Thread]:
    """Rows of `threads` with their last messages; one query."""
    rows = list(rows)
    messages = Message.objects.select_related("author", "worker__project", "assignment__batch", "assignment__hit__item")
    found = messages.defer("assignment__hit__payload", "assignment__draft").in_bulk([row["last"] for row in rows])
    return [Thread(found[row["last"]], row["size"], row["unread"]) for row in rows]
