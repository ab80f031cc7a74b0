"""Comments of requesters among themselves, on items, HITs and responses. No worker ever sees one.

Adjudication is blind: its page shows none before its adjudicators have decided (views/review/adjudication).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.notifications import announcements
from annotation.flow.projects import audit_log
from annotation.models import Assignment, Comment, Hit, Item, Member, Notice, Project, User, WorkerResponse
from annotation.pure.people import roles
from annotation.pure.people.name_mentions import mentioned

NOT_IN_BIN = Q(hit__isnull=True) | Q(hit__batch__removed_at__isnull=True)


def of_project(project: Project) -> QuerySet[Comment]:
    """All comments of the project, oldest first, without those on deleted batches."""
    return _of_project(project.pk)


def _of_project(pk: int) -> QuerySet[Comment]:
    rows = Comment.objects.filter(NOT_IN_BIN, project=pk).order_by("pk")
    rows = rows.select_related("author", "item__dataset", "hit__batch", "assignment")
    return rows.defer("item__content", "item__dataset__report", "hit__payload", "assignment__draft")


def about_item(project: Project, item: Item) -> QuerySet[Comment]:
    """The comments on any version of the item, on its HITs and on the responses to them, oldest first."""
    return _about_item(project.pk, item)


def _about_item(project: int, item: Item) -> QuerySet[Comment]:
    return _of_project(project).filter(item__dataset=item.dataset_id, item__position=item.position)


def about_hit(hit: Hit) -> QuerySet[Comment]:
    """The comments on the HIT, on the responses to it, and on any version of its item, oldest first."""
    return _about_item(hit.batch.project_id, hit.item).filter(Q(hit=hit) | Q(hit__isnull=True))


@transaction.atomic
def add(
    author: User, text: str, *, item: Item | None = None, hit: Hit | None = None, assignment: Assignment | None = None
) -> Comment:
    """Comment on an item, a HIT or a response (give one), and notify the members whom the text mentions.

    Raises Refused without a text, or with a longer one than Comment.LONGEST.
    """
    words = text.strip()
    if not words:
        raise Refused(_("Write a comment before you post it."))
    if len(words) > Comment.LONGEST:
        limits = {"most": Comment.LONGEST, "n": len(words)}
        raise Refused(_("A comment can have %(most)s characters; this one has %(n)s.") % limits)
    hit = assignment.hit if assignment else hit
    item = hit.item if hit else item
    if item is None:
        raise ValueError("a comment is about an item, a HIT or a response")
    made = Comment.objects.create(
        project=item.dataset.project, item=item, hit=hit, assignment=assignment, author=author, text=words
    )
    _notify(made, author)
    return made


def _notify(made: Comment, author: User) -> None:
    """Notify each mentioned member but the author."""
    people = others(made.project, author)
    found = mentioned(made.text, {name for user in people for name in _names(user)})
    announcements.notify(
        [user for user in people if found.intersection(_names(user))],
        Notice.Kind.COMMENT,
        project=made.project,
        key=f"comment/{made.pk}",
        batch=made.hit.batch if made.hit else None,
        comment=made,
    )


def others(project: Project, user: User) -> list[User]:
    """The members who may see comments, without the user, by name."""
    members = Member.objects.filter(project=project, role__in=roles.who_may(roles.SEE), user__is_active=True)
    people = [member.user for member in members.exclude(user=user).select_related("user")]
    return sorted(people, key=lambda one: str(one).casefold())


def mention_names(people: Iterable[User]) -> list[str]:
    """A name for each person by which a comment mentions nobody else: the one that pages show, or the username."""
    people = list(people)
    used = Counter(name for user in people for name in {name.casefold() for name in _names(user)})
    return [str(user) if used[str(user).casefold()] == 1 else user.username for user in people]


def _names(user: User) -> set[str]:
    return {user.username, str(user)}


def may_erase(comment: Comment, user: User, *, owner: bool) -> bool:
    """Whether the user may erase the comment: their own, or any as an owner of the project."""
    return owner or comment.author_id == user.pk


@transaction.atomic
def erase(comment: Comment, user: User) -> None:
    """Erase a comment for good. Raises Refused for users who neither wrote it nor own the project."""
    membership = Member.objects.filter(project=comment.project, user=user).first()
    owner = membership is not None and membership.may(roles.OWN)
    if not may_erase(comment, user, owner=owner):
        raise Refused(_("Only its author and owners of the project can erase a comment."))
    audit_log.record("erased", comment)
    comment.delete()


def response_numbers(hits: Collection[int]) -> dict[int, int]:
    """{assignment: its place among the HIT's} of the submitted responses to these HITs, from 0, by their ids.

    Erased responses have no place.
    """
    is_kept = Exists(WorkerResponse.objects.filter(assignment=OuterRef("pk")))
    done = Assignment.objects.submitted().filter(is_kept, hit__in=hits).order_by("public_id")
    by_hit: defaultdict[int, list[int]] = defaultdict(list)
    for pk, hit in done.values_list("pk", "hit"):
        by_hit[hit].append(pk)
    return {pk: number for keys in by_hit.values() for number, pk in enumerate(keys)}


def numbers_on_hits(hits: Iterable[Hit]) -> Counter[int]:
    """How many comments there are on each HIT and the responses to it, by HIT; one query."""
    rows = Comment.objects.filter(hit__in=[hit.pk for hit in hits])
    return Counter(rows.values_list("hit", flat=True))


def numbers_on_items(project: Project, items: Iterable[Item]) -> Counter[int]:
    """How many comments `about_item` finds for each of these items of one dataset, by position; one query."""
    items = list(items)
    if not items:
        return Counter()
    positions = [item.position for item in items]
    rows = Comment.objects.filter(NOT_IN_BIN, project=project, item__dataset=items[0].dataset_id)
    return Counter(rows.filter(item__position__in=positions).values_list("item__position", flat=True))
