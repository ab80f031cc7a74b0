"""Erasure of what workers submitted, where they withdrew their consent to its use.

That there was a response stays recorded, with the decisions on it; its content is gone from every page and export.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.flow.projects import audit_log
from annotation.models import Assignment, Hit, ProblemReport, WorkerResponse


@transaction.atomic
def erase(assignments: QuerySet[Assignment]) -> int:
    """Erase responses with all revisions, drafts, and texts of problem reports; returns of how many assignments.

    Exclude the responses before. Idempotent.
    """
    reports_with_text = ProblemReport.objects.filter(assignment=OuterRef("pk")).exclude(text="")
    has_content = Q(responses__isnull=False) | Q(draft__isnull=False) | Exists(reports_with_text)
    keys = sorted(set(assignments.filter(has_content).values_list("pk", flat=True)))
    erased, changed = 0, set()
    for key in keys:
        row = Assignment.locked(key, "batch__project")  # lock: a change may be submitted at the same time
        gone, _models = WorkerResponse.objects.filter(assignment=row).delete()
        Assignment.objects.filter(pk=key).update(draft=None)
        reports = ProblemReport.objects.filter(assignment=row).exclude(text="").update(text="")
        if gone:
            changed.add(row.hit_id)
        if gone or reports or row.draft is not None:
            audit_log.record("erased", row)
            erased += 1
    Hit.objects.filter(pk__in=changed).note_change()  # after all assignments, as in the lock order
    return erased
