"""The annotator's work on one assignment, and the way from one to the next."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import assigning, flagging, joining, practising, reviewing, submitting, telling
from annotation.flow.refusal import Conflict
from annotation.models import Assignment, Batch, Seat, Worker
from annotation.pure import lifecycle
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON
from annotation.views.access import open_batch, own_assignment, require_get_or_post, signed_in_or_401, with_next
from annotation.views.frame import FLAG_REASONS, afterwards, page_of, shown_payload
from annotation.views.prose import html_of


@require_POST
@login_required
def start(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the next assignment of a batch, once consent is given and the guide is read."""
    batch, worker = open_batch(request, pk)
    return next_page(request, worker, batch)


def next_page(request: HttpRequest, worker: Worker, batch: Batch) -> HttpResponse:
    """Redirect to the worker's next assignment, or to what must come before it."""
    hindered = assigning.obstacle(worker, batch)
    if hindered == "consent":
        return with_next_of(reverse("consent", args=[batch.project.slug]), reverse("work"))
    if hindered:
        return _see(reverse("batch-done", args=[batch.pk]))
    seat = assigning.sit_down(worker, batch)
    if seat.guide_version < seat.newest_guide:
        return _see(reverse("batch-guide", args=[batch.pk]))
    if exercise := practising.next_exercise(seat):
        return _see(reverse("practice", args=[batch.pk, exercise]))
    told = telling.waiting(worker).first()
    if told is not None:
        return _see(f"{reverse('feedback', args=[told.pk])}?batch={batch.pk}")
    assignment = assigning.claim(seat)
    if assignment is None:
        return _see(reverse("batch-done", args=[batch.pk]))
    return _see(reverse("assignment", args=[assignment.public_id]))


def _see(url: str) -> HttpResponse:
    return HttpResponseRedirect(url, status=303)


def with_next_of(url: str, after: str) -> HttpResponse:
    return _see(f"{url}?next={after}")


@never_cache
@require_get_or_post
@login_required
def batch_guide(request: HttpRequest, pk: int) -> HttpResponse:
    """The guide of a batch to read; POST says that it was read and goes on to the work."""
    batch, worker = open_batch(request, pk)
    seat = assigning.sit_down(worker, batch) if request.method == "POST" else None
    guide = batch.guide
    if seat is not None:
        joining.read_guide(seat, version=min(guide.version, _version(request)))
        return next_page(request, worker, batch)
    seat = Seat.objects.filter(batch=batch, worker=worker).first() or Seat(batch=batch, worker=worker)
    context = {
        "batch": batch,
        "guide": guide,
        "guide_html": html_of(guide.text),
        "changed": 0 < seat.guide_version < guide.version,
        "tutorial": task_type(batch.task).tutorial(None),
        "tutorial_template": f"{batch.task}/_tutorial.html",
        "practised": seat.practised,
        "exercises": len(practising.exercises(batch)),
    }
    return render(request, "work/guide.html", context)


def _version(request: HttpRequest) -> int:
    text = request.POST.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


@never_cache
@require_safe
@login_required
def assignment(request: HttpRequest, public_id: str) -> HttpResponse:
    """An assignment's page: to work on, to change while the batch is open, or to look at."""
    row = own_assignment(request, public_id)
    seat = Seat.objects.get(batch=row.batch, worker=row.worker)
    context = page_of(request, row, seat)
    if context["frame"]["guide_must_read"] and not context["frame"]["readonly"]:
        return with_next(reverse("batch-guide", args=[row.batch_id]), request)
    return render(request, f"{row.batch.task}/page.html", context)


@require_POST
@login_required
def submit(request: HttpRequest, public_id: str) -> HttpResponse:
    """Store the answer and go on to the next assignment; 422 names what is missing, 409 who was first."""
    row = own_assignment(request, public_id)
    if afterwards(row) is not None:
        return _see(reverse("assignment", args=[row.public_id]))
    answer = _posted(request, row)
    problems = task_type(row.batch.task).check(row.hit.payload, answer)
    if problems:
        seat = Seat.objects.get(batch=row.batch, worker=row.worker)
        context = page_of(request, row, seat, posted=answer, problems=problems)
        return render(request, f"{row.batch.task}/page.html", context, status=422)
    key = request.POST.get("key", "")[:64]
    base, _dot, _rest = key.partition(".")
    form = {"key": key, "base": int(base) if base.isdigit() else 0, "active_seconds": _active(request, row)}
    repairing = reviewing.returned(row) is not None
    try:
        with submitting.one_commit():
            receipt = submitting.submit(row, answer, **form)
            if afterwards(row, just_submitted=True) is not None:
                going_on = _see(reverse("assignment", args=[row.public_id]))
            else:
                going_on = _see(reverse("work")) if repairing else next_page(request, row.worker, row.batch)
    except Conflict as conflict:
        context = {"assignment": row, "message": str(conflict), "answer": answer, "home_url": reverse("work")}
        return render(request, "work/conflict.html", context, status=409)
    if repairing:
        messages.success(request, _("Thank you for the repair. The requester reads it again."))
    if receipt.late and receipt.revision == 1:
        messages.info(request, _("Your answer came after its time was over. It is stored, and the requester sees it."))
    return going_on


def _posted(request: HttpRequest, row: Assignment) -> JSON:
    return form_class(row.batch.task)(shown_payload(row), request.POST).answer()


def _active(request: HttpRequest, row: Assignment) -> float:
    """The posted active time, never longer than the time that has passed."""
    try:
        told = float(request.POST.get("active_seconds") or 0)
    except ValueError:
        told = 0.0
    passed = max(0.0, (timezone.now() - row.accepted_at).total_seconds())
    return min(told, passed) if told >= 0 else 0.0


@require_POST
@signed_in_or_401
def draft(request: HttpRequest, public_id: str) -> HttpResponse:
    """Keep unfinished work: 200 {"version", "saved_at"}; 409 with the newer draft; 410 when all is over."""
    row = own_assignment(request, public_id)
    if row.state == lifecycle.SUBMITTED and (afterwards(row) is not None or not submitting.may_change(row)):
        return JsonResponse({"state": "closed"}, status=410)
    key = request.POST.get("key", "")
    if row.state == lifecycle.SUBMITTED and key.split(".")[0] != str(row.revision):
        return JsonResponse({"state": row.state}, status=410)
    answer = _posted(request, row)
    try:
        version = submitting.save_draft(row, answer, version=_version(request), active_seconds=_active(request, row))
    except submitting.StaleDraft as stale:
        form = form_class(row.batch.task)(shown_payload(row))
        return JsonResponse({"version": stale.version, "draft": form.shown(stale.draft)}, status=409)
    return JsonResponse({"version": version, "saved_at": timezone.now().isoformat()})


@require_safe
@signed_in_or_401
def live(request: HttpRequest, public_id: str, name: str) -> HttpResponse:
    """A fragment of the task's page, made from the payload as shown."""
    row = own_assignment(request, public_id)
    return live_fragment(request, row.batch, shown_payload(row), name)


def live_fragment(request: HttpRequest, batch: Batch, payload: JSON, name: str) -> HttpResponse:
    """The fragment `name` of a task; 404 when the task has none of that name."""
    function = task_type(batch.task).live.get(name)
    if function is None:
        raise Http404
    context: dict[str, Any] = function(payload, request.GET.dict())
    return render(request, f"{batch.task}/_{name}.html", context)


@require_POST
@login_required
def give_back(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return an assignment: its place is free for others, its draft stays; then home."""
    row = own_assignment(request, public_id)
    if assigning.give_back(row):
        messages.info(request, _("Returned. What you had is kept, should you take it up again."))
    return _see(reverse("work"))


@require_POST
@login_required
def skip(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return an assignment and go on with the next."""
    row = own_assignment(request, public_id)
    assigning.give_back(row)
    return next_page(request, row.worker, row.batch)


@require_POST
@login_required
def take_up(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a returned or expired assignment again, unless its place is taken."""
    row = own_assignment(request, public_id)
    told = telling.waiting(row.worker).first()
    if told is not None:
        return _see(f"{reverse('feedback', args=[told.pk])}?batch={row.batch_id}")
    if not assigning.take_up(row):
        text = _(
            "It cannot be taken up now: finish the one you have first, or its place is taken, or the batch is closed."
        )
        messages.warning(request, text)
        return _see(reverse("work"))
    return _see(reverse("assignment", args=[row.public_id]))


@require_POST
@signed_in_or_401
def extend(request: HttpRequest, public_id: str) -> HttpResponse:
    """Prolong the lease, once; the reply says until when it runs."""
    row = own_assignment(request, public_id)
    extended = assigning.extend(row)
    row.refresh_from_db(fields=["lease_until"])
    return JsonResponse({"extended": extended, "lease_until": row.lease_until.isoformat()})


@require_POST
@login_required
def flag(request: HttpRequest, public_id: str) -> HttpResponse:
    """Report a problem with an item and go on."""
    row = own_assignment(request, public_id)
    reason = request.POST.get("reason", "")
    if reason not in FLAG_REASONS:
        messages.error(request, _("Choose what is wrong, then send your report again."))
        return _see(reverse("assignment", args=[row.public_id]))
    flagging.flag(row, reason=reason, text=request.POST.get("text", "")[:2000].replace("\0", ""))
    messages.success(request, _("Thank you. The requester will look at it."))
    return next_page(request, row.worker, row.batch)


@require_safe
@login_required
def back(request: HttpRequest, public_id: str) -> HttpResponse:
    """To the assignment that the worker submitted before this one."""
    row = own_assignment(request, public_id)
    mine = Assignment.objects.filter(worker=row.worker, batch=row.batch, state=lifecycle.SUBMITTED)
    if row.submitted_at is not None:
        mine = mine.filter(submitted_at__lt=row.submitted_at)
    before = mine.order_by("-submitted_at").first()
    if before is None:
        messages.info(request, _("There is nothing before this one."))
        before = row
    return redirect("assignment", before.public_id)
