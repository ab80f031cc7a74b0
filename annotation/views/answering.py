"""What an annotator's page sends, wherever it stands: on this site, or inside a marketplace's frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotation.flow import assigning, flagging, submitting
from annotation.flow.refusal import Conflict
from annotation.flow.submitting import Receipt
from annotation.models import Assignment, clock
from annotation.pure import lifecycle
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON, Problem
from annotation.views.frame import FLAG_REASONS, afterwards, shown_payload, with_frames


@dataclass(frozen=True, slots=True)
class Door:
    """Where the annotator works: `page` makes the context of a refused form, `onward` says where a stored one leads.

    `standing` is the address of the answer that stands, `home` where nothing is left to do; `extra` goes to templates.
    """

    page: Callable[[JSON, Sequence[Problem]], dict[str, Any]]
    onward: Callable[[Receipt], HttpResponse]
    standing: str
    home: str
    extra: dict[str, Any]


def posted(request: HttpRequest, row: Assignment) -> JSON:
    """The answer in the form."""
    return form_class(row.batch.task)(shown_payload(row), request.POST).answer()


def version_of(request: HttpRequest) -> int:
    """The posted version, of a draft or of a guide; 0 where none can be read."""
    text = request.POST.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def active(request: HttpRequest, row: Assignment) -> float:
    """The posted active time: no longer than what was known at the last save, or acceptance, and has passed since."""
    try:
        told = float(request.POST.get("active_seconds") or 0)
    except ValueError:
        told = 0.0
    now = clock.now()
    last = max(at for at in (row.accepted_at, row.draft_saved_at, row.submitted_at) if at is not None)
    passed, since = ((now - at).total_seconds() for at in (row.accepted_at, last))
    most = max(0.0, passed, row.active_seconds + since)  # accepted again, it has time from before
    return min(told, most) if told >= 0 else 0.0


def receive(request: HttpRequest, row: Assignment, door: Door) -> HttpResponse:
    """Store the answer and go on; 422 names what is missing, 409 who was first."""
    answer = posted(request, row)
    problems = task_type(row.batch.task).check(row.hit.payload, answer)
    if problems:
        page = render(request, f"{row.batch.task}/page.html", door.page(answer, problems), status=422)
        return with_frames(page, row.batch.task, row.hit.payload)
    key = request.POST.get("key", "")[:64]
    base, _dot, _rest = key.partition(".")
    form = {"key": key, "base": int(base) if base.isdigit() else 0, "active_seconds": active(request, row)}
    try:
        with submitting.one_commit():
            return door.onward(submitting.submit(row, answer, **form))
    except Conflict as conflict:
        places = {"standing_url": door.standing, "home_url": door.home}
        context = {"message": str(conflict), "answer": answer, **places, **door.extra}
        return render(request, "work/conflict.html", context, status=409)


def keep_draft(request: HttpRequest, row: Assignment) -> JsonResponse:
    """Keep unfinished work: 200 {"version", "saved_at"}; 409 with the newer draft; 410 when all is over."""
    if row.state == lifecycle.SUBMITTED and (afterwards(row) is not None or not submitting.may_change(row)):
        return JsonResponse({"state": "closed"}, status=410)
    key = request.POST.get("key", "")
    if row.state == lifecycle.SUBMITTED and key.split(".")[0] != str(row.revision):
        return JsonResponse({"state": row.state}, status=410)
    answer, told, revision = posted(request, row), version_of(request), row.revision
    try:
        version = submitting.save_draft(row, answer, version=told, active_seconds=active(request, row))
    except submitting.StaleDraft as stale:
        if row.revision != revision:  # the answer came in meanwhile
            return JsonResponse({"state": row.state}, status=410)
        form = form_class(row.batch.task)(shown_payload(row))
        return JsonResponse({"version": stale.version, "draft": form.shown(stale.draft)}, status=409)
    return JsonResponse({"version": version, "saved_at": clock.now().isoformat()})


def prolong(row: Assignment) -> JsonResponse:
    """Prolong the lease, once; the reply says until when it runs."""
    extended = assigning.extend(row)
    row.refresh_from_db(fields=["lease_until"])
    return JsonResponse({"extended": extended, "lease_until": row.lease_until.isoformat()})


def report(request: HttpRequest, row: Assignment) -> bool:
    """Report a problem with the item, which gives it back; False where none was chosen."""
    reason = request.POST.get("reason", "")
    if reason not in FLAG_REASONS:
        return False
    flagging.flag(row, reason=reason, text=request.POST.get("text", "")[:2000].replace("\0", ""))
    return True
