"""The annotator's work on one assignment, and the way from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import assigning, joining, practising, qualifying, reviewing, telling
from annotation.flow.submitting import Receipt
from annotation.models import Assignment, Batch, Guide, Seat, Worker
from annotation.pure import lifecycle
from annotation.registry import task_type
from annotation.tasktype import JSON, Problem
from annotation.views.access import open_batch, own_assignment, require_get_or_post, signed_in_or_401, with_next
from annotation.views.answering import Door, keep_draft, prolong, receive, report, version_of
from annotation.views.frame import afterwards, page_of, shown_payload, with_frames
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
    seat = Seat.objects.filter(batch=batch, worker=worker).first() or Seat(batch=batch, worker=worker)
    if not seat.guide_version and qualifying.lacks(worker, batch, act="preview"):
        return _see(reverse("batch-done", args=[batch.pk]))
    guide = batch.guide
    if request.method == "POST":
        joining.read_guide(assigning.sit_down(worker, batch), version=min(guide.version, version_of(request)))
        return next_page(request, worker, batch)
    return render(request, "work/guide.html", guide_context(batch, guide, seat))


def guide_context(batch: Batch, guide: Guide, seat: Seat) -> dict[str, Any]:
    """What the page of a guide shows to whoever has that seat."""
    return {
        "batch": batch,
        "guide": guide,
        "guide_html": html_of(guide.text),
        "guide_url": reverse("batch-guide", args=[batch.pk]),
        "changed": 0 < seat.guide_version < guide.version,
        "tutorial": task_type(batch.task).tutorial(None),
        "tutorial_template": f"{batch.task}/_tutorial.html",
        "practised": seat.practised,
        "exercises": len(practising.exercises(batch)),
    }


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
    page = render(request, f"{row.batch.task}/page.html", context)
    return with_frames(page, row.batch.task, row.hit.payload)


@require_POST
@login_required
def submit(request: HttpRequest, public_id: str) -> HttpResponse:
    """Store the answer and go on to the next assignment; 422 names what is missing, 409 who was first."""
    row = own_assignment(request, public_id)
    here = reverse("assignment", args=[row.public_id])
    if afterwards(row) is not None:
        return _see(here)
    repairing = reviewing.returned(row) is not None

    def page(answer: JSON, problems: Sequence[Problem]) -> dict[str, Any]:
        seat = Seat.objects.get(batch=row.batch, worker=row.worker)
        return page_of(request, row, seat, posted=answer, problems=problems)

    def onward(receipt: Receipt) -> HttpResponse:
        if repairing:
            messages.success(request, _("Thank you for the repair. The requester reads it again."))
        if receipt.late and receipt.revision == 1:
            told = _("Your answer came after its time was over. It is stored, and the requester sees it.")
            messages.info(request, told)
        if afterwards(row, just_submitted=True) is not None:
            return _see(here)
        return _see(reverse("work")) if repairing else next_page(request, row.worker, row.batch)

    return receive(request, row, Door(page, onward, standing=here, home=reverse("work"), extra={}))


@require_POST
@signed_in_or_401
def draft(request: HttpRequest, public_id: str) -> HttpResponse:
    """Keep unfinished work: 200 {"version", "saved_at"}; 409 with the newer draft; 410 when all is over."""
    return keep_draft(request, own_assignment(request, public_id))


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
    return prolong(own_assignment(request, public_id))


@require_POST
@login_required
def flag(request: HttpRequest, public_id: str) -> HttpResponse:
    """Report a problem with an item and go on."""
    row = own_assignment(request, public_id)
    if not report(request, row):
        messages.error(request, _("Choose what is wrong, then send your report again."))
        return _see(reverse("assignment", args=[row.public_id]))
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
