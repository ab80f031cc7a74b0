"""Looks at the gold, names and scores of HITs that requesters still have to adjudicate.

Adjudication is blind, so other pages hide these until the decision or until the viewer opens them, which is logged.
Not of tasks with reviews, where requesters read each response under its worker's pseudonym anyway.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import F, Q, QuerySet

from annotation.flow.projects import audit_log
from annotation.flow.review import adjudication, conclusions, review_decisions
from annotation.models import AuditEntry, Batch, Dataset, Hit, Item, Project, User

LOOK = "gold opened"  # an action in the audit log


def hidden(hits: Iterable[Hit], viewer: User) -> list[Hit]:
    """The HITs that wait for adjudication and that the viewer has not opened."""
    blind = (hit for hit in hits if not review_decisions.is_reviewed(hit.batch))
    return [hit for hit in blind if adjudication.is_open(hit) and not _has_looked(hit, viewer)]


def hidden_positions(dataset: Dataset, positions: Collection[int], viewer: User) -> set[int]:
    """Those of the dataset's positions of whose items `hidden` has a HIT; a few queries for each batch."""
    is_due = Q(batch__state=Batch.State.CLOSED) | conclusions.NOTHING_DUE
    may_be_open = Q(open_kind__isnull=False) | Q(concluded__lt=F("changes"), done__gt=0)
    hits = Hit.objects.filter(is_due, may_be_open, excluded_at__isnull=True, check_item=False)
    hits = hits.filter(item__dataset=dataset, item__position__in=positions, batch__removed_at=None).defer("payload")
    by_batch: defaultdict[Batch, dict[int, Hit]] = defaultdict(dict)
    for hit in hits.select_related("batch__project", "item"):
        by_batch[hit.batch][hit.pk] = hit
    blind = {batch: rows for batch, rows in by_batch.items() if not review_decisions.is_reviewed(batch)}
    found = [(rows[pk], one) for batch, rows in blind.items() for pk, one in conclusions.work_out(batch, rows).items()]
    return {hit.item.position for hit, one in found if one.open_kind is not None and not _has_looked(hit, viewer)}


def hits_of(project: Project, item: Item) -> QuerySet[Hit]:
    """The HITs of any version of the item in the project's batches."""
    versions = Item.every.filter(dataset=item.dataset_id, position=item.position)
    return Hit.objects.filter(item__in=versions, batch__in=project.batches.all()).select_related("batch__project")


def look(hits: Iterable[Hit], viewer: User) -> None:
    """Log that the viewer opens those of the HITs that are hidden from them."""
    for hit in hidden(hits, viewer):
        audit_log.record(LOOK, hit)


def _has_looked(hit: Hit, viewer: User) -> bool:
    lines = AuditEntry.objects.filter(project=hit.batch.project_id, batch=hit.batch.slug, at__gte=hit.batch.created_at)
    return lines.filter(act=LOOK, kind="hit", key=hit.public_id, user=viewer).exists()
