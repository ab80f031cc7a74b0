"""Looks at the gold, names and scores of HITs that requesters still have to adjudicate.

Adjudication is blind, so other pages and the API hide these until the decision or until the viewer opens them, which is
logged. A file of a batch hides nothing; who takes one has opened what it contains.
Not of tasks with reviews, where requesters read each response under its worker's pseudonym anyway.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from django.db.models import F, Max, Q, QuerySet

from annotation.flow.projects import audit_log
from annotation.flow.review import adjudication, conclusions, review_decisions
from annotation.models import AuditEntry, Batch, Comment, Dataset, Hit, Item, Project, User, WorkerResponse

LOOK = "gold opened"  # an action in the audit log


def hidden(hits: Iterable[Hit], viewer: User | None) -> list[Hit]:
    """The HITs that wait for adjudication and that the viewer has not opened."""
    blind = (hit for hit in hits if not review_decisions.is_reviewed(hit.batch))
    return [hit for hit in blind if adjudication.is_open(hit) and _unseen(hit.batch, [hit], viewer)]


def hidden_among(hits: QuerySet[Hit], viewer: User | None) -> list[Hit]:
    """Those of the HITs that `hidden` has, with their items; a few queries for each batch."""
    is_due = Q(batch__state=Batch.State.CLOSED) | conclusions.NOTHING_DUE
    may_be_open = Q(open_kind__isnull=False) | Q(concluded__lt=F("changes"), done__gt=0)
    hits = hits.filter(is_due, may_be_open, excluded_at__isnull=True, check_item=False, batch__removed_at=None)
    by_batch: defaultdict[Batch, list[Hit]] = defaultdict(list)
    for hit in hits.select_related("batch__project", "item").defer("payload", "item__content"):
        by_batch[hit.batch].append(hit)
    found: list[Hit] = []
    for batch, rows in by_batch.items():
        if not review_decisions.is_reviewed(batch):
            # only what changed: to work out all that is open would read every one of their texts
            now = conclusions.compute_conclusions(batch, [hit.pk for hit in rows if hit.concluded < hit.changes])
            shut = {pk for pk, one in now.items() if one.open_kind is None}
            found += _unseen(batch, [hit for hit in rows if hit.pk not in shut], viewer)
    return found


def hidden_keys(keys: Iterable[int], viewer: User | None) -> set[int]:
    """Those of the keys of HITs that `hidden` has."""
    return {hit.pk for hit in hidden_among(Hit.objects.filter(pk__in=set(keys)), viewer)}


def hidden_positions(dataset: Dataset, positions: Collection[int], viewer: User | None) -> set[int]:
    """The positions whose items have a HIT that is hidden from the viewer."""
    hits = Hit.objects.filter(item__dataset=dataset, item__position__in=positions)
    return {hit.item.position for hit in hidden_among(hits, viewer)}


def hidden_comments(comments: QuerySet[Comment], viewer: User | None) -> Q:
    """A filter of comments by others on HITs that are hidden from the viewer, or on their items."""
    positions: defaultdict[int, list[int]] = defaultdict(list)
    for dataset, position in comments.order_by().values_list("item__dataset", "item__position").distinct():
        positions[dataset].append(position)
    about = Q(pk__in=())
    for dataset, some in positions.items():
        found = hidden_among(Hit.objects.filter(item__dataset=dataset, item__position__in=some), viewer)
        of_item = Q(hit=None, item__dataset=dataset, item__position__in={hit.item.position for hit in found})
        about |= Q(hit__in=[hit.pk for hit in found]) | of_item
    return about & ~Q(author=viewer)


def hits_of(project: Project, item: Item) -> QuerySet[Hit]:
    """The HITs of any version of the item in the project's batches."""
    versions = Item.every.filter(dataset=item.dataset_id, position=item.position)
    return Hit.objects.filter(item__in=versions, batch__in=project.batches.all()).select_related("batch__project")


def record_looks(hits: Iterable[Hit], viewer: User | None) -> None:
    """Log that the viewer opens those of the HITs that are hidden from them."""
    for hit in hidden(hits, viewer):
        audit_log.record(LOOK, hit)


def look_at_all(batch: Batch, viewer: User | None) -> None:
    """Log that the viewer takes a file with all responses of the batch, if some of its HITs wait for adjudication."""
    if review_decisions.is_reviewed(batch):
        return
    fresh = conclusions.fresh(batch, most=conclusions.AT_ONCE)
    if adjudication.waiting(batch, fresh=fresh).exists():
        audit_log.record(LOOK, batch)


def _unseen(batch: Batch, hits: Sequence[Hit], viewer: User | None) -> list[Hit]:
    """Those of the batch's HITs that the viewer opened neither by themselves nor in a file."""
    lines = AuditEntry.objects.filter(project=batch.project_id, batch=batch.slug, at__gte=batch.created_at)
    lines = lines.filter(act=LOOK, user=viewer)
    opened = set(lines.filter(kind="hit", key__in=[hit.public_id for hit in hits]).values_list("key", flat=True))
    taken = lines.filter(kind="batch").aggregate(last=Max("at"))["last"]
    later = WorkerResponse.objects.filter(assignment__hit__in=hits, created_at__gt=taken) if taken else None
    fresh = None if later is None else set(later.values_list("assignment__hit", flat=True))
    return [hit for hit in hits if hit.public_id not in opened and (fresh is None or hit.pk in fresh)]
