"""Requests of a worker's page, on this site or inside a marketplace's frame."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotation.flow.errors import Conflict
from annotation.flow.review import problem_reports
from annotation.flow.work import leases, submissions
from annotation.models import Assignment, clock
from annotation.pure.batches import lifecycle
from annotation.pure.batches.page_counts import read_counts
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON, Stepwise, TaskType, capabilities
from annotation.views.post_handling import whole_number
from annotation.views.work.task_frame import PROBLEM_REASONS, afterwards, shown_payload, with_frames


def posted(request: HttpRequest, row: Assignment, task: TaskType) -> JSON:
    """The answer in the form, with steps that were closed before as they are stored."""
    answer = form_class(row.batch.task)(shown_payload(task, row), request.POST).answer()
    return capabilities.kept(task, row.hit.payload, _stored(row), answer) if isinstance(task, Stepwise) else answer


def _stored(row: Assignment) -> JSON | None:
    return row.draft or (row.current.answer if row.revision and row.current else None)


def opened(request: HttpRequest, row: Assignment, task: TaskType, answer: JSON) -> bool:
    """Keep the answer as a draft with its next step open, if it is not; False if no step follows.

    Raises Conflict if a draft was saved since the assignment was read, because that may have closed the step.
    """
    stored = _stored(row)
    following = capabilities.with_next_step(task, row.hit.payload, stored, answer)
    if following is not None and following != stored:
        seconds = active(request, row)
        submissions.save_draft(row, following, version=row.draft_version, active_seconds=seconds)
    return following is not None


def version_of(request: HttpRequest) -> int:
    """The posted version, of a draft or of instructions; 0 if unreadable."""
    return whole_number(request.POST.get("version", ""), 0, digits=8)


def active(request: HttpRequest, row: Assignment) -> float:
    """The posted active time, at most the time passed since the last save or acceptance."""
    try:
        seconds = float(request.POST.get("active_seconds") or 0)
    except ValueError:
        seconds = 0.0
    now = clock.now()
    last = max(at for at in (row.accepted_at, row.draft_saved_at, row.submitted_at) if at is not None)
    passed, since = ((now - at).total_seconds() for at in (row.accepted_at, last))
    most = max(0.0, passed, row.active_seconds + since)  # accepted again, it has time from before
    return min(seconds, most) if seconds >= 0 else 0.0


def form_of(request: HttpRequest, row: Assignment, task: TaskType, answer: JSON) -> submissions.Form:
    """The posted form with its key and revision."""
    key = request.POST.get("key", "")[:64]
    base, _dot, _rest = key.partition(".")
    revision = int(base) if base.isdigit() else 0
    counts = read_counts(request.POST.get("page_counts", "")) if row.batch.counts_pasting else None
    seconds = active(request, row)
    return submissions.Form(capabilities.stored(task, row.hit.payload, answer), key, revision, seconds, counts)


def rendered(request: HttpRequest, row: Assignment, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    """The page of an assignment."""
    page = render(request, f"{row.batch.task}/page.html", context, status=status)
    return with_frames(page, row.batch.task, row.hit.payload)


def incomplete(request: HttpRequest, row: Assignment, context: dict[str, Any]) -> HttpResponse:
    """The page again with the missing parts, as 422."""
    return rendered(request, row, context, status=422)


def conflicting(request: HttpRequest, conflict: Conflict, answer: JSON, **context: Any) -> HttpResponse:
    """The conflict page after another response was stored; it shows the sent response, so that it is not lost.

    `standing_url` leads to the stored one, `home_url` away if nothing is left to do.
    """
    return render(request, "work/conflict.html", {"message": str(conflict), "answer": answer, **context}, status=409)


def keep_draft(request: HttpRequest, row: Assignment) -> JsonResponse:
    """Save a draft: 200 {"version", "saved_at"}; 409 with the newer draft; 410 if the assignment ended."""
    task = task_type(row.batch.task)
    if row.state == lifecycle.SUBMITTED and (afterwards(task, row) is not None or not submissions.may_change(row)):
        return JsonResponse({"state": "closed"}, status=410)
    key = request.POST.get("key", "")
    if row.state == lifecycle.SUBMITTED and key.split(".")[0] != str(row.revision):
        return JsonResponse({"state": row.state}, status=410)
    answer, draft_version, revision = posted(request, row, task), version_of(request), row.revision
    try:
        version = submissions.save_draft(row, answer, version=draft_version, active_seconds=active(request, row))
    except submissions.StaleDraft as stale:
        if row.revision != revision:  # a response was submitted meanwhile
            return JsonResponse({"state": row.state}, status=410)
        form = form_class(row.batch.task)(shown_payload(task, row))
        return JsonResponse({"version": stale.version, "draft": form.shown(stale.draft)}, status=409)
    return JsonResponse({"version": version, "saved_at": clock.now().isoformat()})


def prolong(row: Assignment) -> JsonResponse:
    """Extend the lease, once; the response has its new end."""
    extended = leases.extend(row)
    row.refresh_from_db(fields=["lease_until"])
    return JsonResponse({"extended": extended, "lease_until": row.lease_until.isoformat()})


def report(request: HttpRequest, row: Assignment) -> bool:
    """Report a problem with the item, which returns it; False if no reason was chosen. Raises Refused."""
    reason = request.POST.get("reason", "")
    if reason not in PROBLEM_REASONS:
        return False
    problem_reports.report_problem(row, reason=reason, text=request.POST.get("text", "")[:2000].replace("\0", ""))
    return True
