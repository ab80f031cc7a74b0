"""Submitted responses, from which every figure is computed, whatever the requesters' decisions.

Requesters' decisions (`flow/review/review_decisions`) affect results and datasets, never scores.
"""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import F

from annotation.models import Assignment, Batch, Hit, WorkerResponse
from annotation.recruitment import used

READ = ["answer", "active_seconds", "revision", "assignment"]  # a report reads every response, so no other columns
READ += [
    f"assignment__{name}"
    for name in ("hit", "worker", "submitted_at", "response_import", "seed", "revision", "suggested")
]


def submitted_answers(
    batch: Batch, hits: Collection[Hit], *, pooled: bool = False
) -> defaultdict[int, list[WorkerResponse]]:
    """The latest revision of each worker's response by HIT, in order of submission; one query for all HITs.

    `pooled`: also of those that started with a suggestion.
    """
    submitted = Assignment.objects.submitted().filter(hit__in=[hit.pk for hit in hits])
    given = submitted if pooled else used(batch, submitted)
    rows = WorkerResponse.objects.filter(assignment__in=given.values("pk"), revision=F("assignment__revision"))
    found: defaultdict[int, list[WorkerResponse]] = defaultdict(list)
    rows = rows.select_related("assignment").only(*READ)
    for answer in rows.order_by("assignment__submitted_at", "assignment"):
        found[answer.assignment.hit_id].append(answer)
    return found
