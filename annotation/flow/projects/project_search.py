"""Search in a project: batches, datasets, items, HITs, assignments, people, qualifications.

Every query is bounded, by an index or a limit. `%` and `_` in the text have no special meaning.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from django.db.models import Q
from django.utils.translation import ngettext

from annotation.models import Assignment, Hit, Item, Member, Project, QualificationType, User, Worker
from annotation.pure.people import roles

MOST = 6  # results of each kind
LONGEST = 200  # characters of the text that are used
LEAST = 2  # characters before names are searched
LEAST_OF_A_QUESTION = 3  # characters before the questions of all items are searched
ID = re.compile(r"[A-Za-z0-9_-]{6,64}")
HEX = re.compile(r"[0-9a-f]{4,16}")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A search result: kind, label, note, and the arguments of its page's URL."""

    kind: str  # project, batch, round, dataset, item, hit, assignment, worker, qualification
    label: str
    note: str
    place: tuple[str | int, ...]  # URL arguments after the project's slug; for a project its own slug


def search(project: Project, text: str, *, user: User, may: Collection[str]) -> dict[str, list[SearchResult]]:
    """Search the objects that a user with the permissions `may` can open, by kind; a few of each, best first."""
    words = " ".join(text.replace("\0", "").split())[:LONGEST]
    if len(words) < LEAST:
        return {}
    found = [*_by_id(project, words), *_named(project, words, user, may), *_items(project, words)]
    grouped: dict[str, list[SearchResult]] = {}
    for one in found:
        rows = grouped.setdefault(one.kind, [])
        if one not in rows and len(rows) < MOST:
            rows.append(one)
    return grouped


def _by_id(project: Project, words: str) -> Iterator[SearchResult]:
    """The HIT or assignment with exactly this id."""
    if not ID.fullmatch(words):
        return
    there = Q(batch__project=project, batch__removed_at=None)
    hits = Hit.objects.filter(there, public_id=words).select_related("batch", "item")
    for hit in hits.defer("payload", "item__content"):
        yield SearchResult("hit", hit.public_id, hit.batch.title, (hit.batch.slug, hit.public_id))
    rows = Assignment.objects.filter(there, public_id=words).select_related("batch", "hit")
    for row in rows.defer("draft", "hit__payload"):
        yield SearchResult("assignment", row.public_id, row.batch.title, (row.batch.slug, row.hit.public_id))


def _named(project: Project, words: str, user: User, may: Collection[str]) -> Iterator[SearchResult]:
    called = Q(title__icontains=words) | Q(slug__icontains=words)
    batches = project.batches.filter(called, by_program=False).select_related("round")
    for batch in batches.order_by("-created_at", "-pk")[: 2 * MOST]:
        kind = "round" if hasattr(batch, "round") else "batch"
        yield SearchResult(kind, batch.title, str(batch.get_state_display()), (batch.slug,))
    datasets = project.datasets.whole().filter(slug__icontains=words)
    for dataset in datasets.exclude(batches__by_program=True).order_by("-created_at", "-pk")[:MOST]:
        note = ngettext("%(n)s item", "%(n)s items", dataset.size) % {"n": dataset.size}
        yield SearchResult("dataset", dataset.slug, note, (dataset.slug,))
    if roles.PEOPLE in may:
        types = QualificationType.objects.filter(project=project, deleted_at__isnull=True)
        for type in types.filter(Q(name__icontains=words) | Q(public_id=words)).order_by("name")[:MOST]:
            yield SearchResult("qualification", type.name, "", (type.public_id,))
    yield from _people(project, words, named=roles.PEOPLE in may)
    called = Q(project__title__icontains=words) | Q(project__slug__icontains=words)
    memberships = Member.objects.filter(called, user=user)
    elsewhere = memberships.filter(project__removed_at=None).exclude(project=project).select_related("project")
    for row in elsewhere.order_by("project__title")[:MOST]:
        yield SearchResult("project", row.project.title, "", (row.project.slug,))


def _people(project: Project, words: str, *, named: bool) -> Iterator[SearchResult]:
    """Workers by id, by the beginning of a pseudonym and, if the reader may see names, by name."""
    rows = Worker.objects.filter(project=project)
    which = Q(public_id=words)
    if named:
        which |= Q(user__display_name__icontains=words) | Q(user__username__icontains=words)
    for worker in rows.filter(which).select_related("user").order_by("-active", "pk")[:MOST]:
        yield _person(project, worker, named=named)
    if HEX.fullmatch(words.lower()):
        alike = (pk for pk in rows.values_list("pk", flat=True) if project.pseudonym(pk).startswith(words.lower()))
        for worker in rows.filter(pk__in=list(islice(alike, MOST))).select_related("user").order_by("pk"):
            yield _person(project, worker, named=named)


def _person(project: Project, worker: Worker, *, named: bool) -> SearchResult:
    pseudonym = project.pseudonym(worker.pk)
    title, note = (str(worker.user), pseudonym) if named and worker.user else (pseudonym, worker.public_id)
    return SearchResult("worker", title, note, (worker.pk,))


def _items(project: Project, words: str) -> Iterator[SearchResult]:
    """Items with exactly this id, by index; then those with the text in their question, up to the limit."""
    listed = project.datasets.filter(batches__by_program=True).values("pk")
    own = project.datasets.whole().exclude(pk__in=listed)
    datasets = list(own.order_by("-created_at").values_list("pk", flat=True))
    exact = Item.objects.filter(dataset__in=datasets, source_id=words)[:MOST]
    keys = list(exact.values_list("pk", flat=True))
    if len(words) >= LEAST_OF_A_QUESTION:
        for dataset in datasets:
            if len(keys) < MOST:
                keys += list(islice(Item.objects.filter(dataset=dataset).asking(words), MOST - len(keys)))
    rows = Item.objects.filter(pk__in=keys).select_related("dataset")
    for item in sorted(rows.only("question", "source_id", "position", "dataset__slug"), key=lambda i: keys.index(i.pk)):
        name = item.dataset.slug
        yield SearchResult("item", str(item)[:200], f"{name} · {item.source_id[:60]}", (name, item.position))
