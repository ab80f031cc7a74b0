"""What workers submitted: the answers that every figure is computed from, whatever requesters decided on them.

Decisions of requesters make verdicts and datasets (`flow/reviewing`); they never make a score.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from django.db.models import F

from annotation.models import Answer, Assignment, Hit


def submitted_answers(hits: Collection[Hit]) -> defaultdict[int, list[Answer]]:
    """By HIT, the latest revision of each worker's answer, in the order in which they came; one query for all HITs."""
    rows = Answer.objects.filter(
        assignment__in=Assignment.objects.submitted().filter(hit__in=[hit.pk for hit in hits]).values("pk"),
        revision=F("assignment__revision"),
    )
    found: defaultdict[int, list[Answer]] = defaultdict(list)
    for answer in rows.select_related("assignment").order_by("assignment__submitted_at", "assignment"):
        found[answer.assignment.hit_id].append(answer)
    return found
