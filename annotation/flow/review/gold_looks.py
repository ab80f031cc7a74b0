"""Looks at the gold, names and scores of HITs that requesters still have to adjudicate.

Adjudication is blind, so other pages hide these until the decision or until the viewer opens them, which is logged.
Not of tasks with reviews, where requesters read each response under its worker's pseudonym anyway.
"""

from collections.abc import Iterable

from annotation.flow.projects import audit_log
from annotation.flow.review import adjudication, review_decisions
from annotation.models import AuditEntry, Hit, User

LOOK = "gold opened"  # an action in the audit log


def hidden(hits: Iterable[Hit], viewer: User) -> list[Hit]:
    """The HITs that wait for adjudication and that the viewer has not opened."""
    blind = (hit for hit in hits if not review_decisions.is_reviewed(hit.batch))
    return [hit for hit in blind if adjudication.is_open(hit) and not _has_looked(hit, viewer)]


def look(hits: Iterable[Hit], viewer: User) -> None:
    """Log that the viewer opens those of the HITs that are hidden from them."""
    for hit in hidden(hits, viewer):
        audit_log.record(LOOK, hit)


def _has_looked(hit: Hit, viewer: User) -> bool:
    lines = AuditEntry.objects.filter(project=hit.batch.project_id, batch=hit.batch.slug, at__gte=hit.batch.created_at)
    return lines.filter(act=LOOK, kind="hit", key=hit.public_id, user=viewer).exists()
