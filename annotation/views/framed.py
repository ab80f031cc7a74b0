"""Our tasks inside a marketplace's iframe. One address shows whatever comes next; every act is a POST with a token."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.flow import arriving, assigning, joining, practising, telling
from annotation.flow.arriving import Entry, TurnedAway
from annotation.flow.submitting import Receipt
from annotation.models import Arrival, Feedback, Hit, Seat
from annotation.pure import lifecycle
from annotation.registry import task_type
from annotation.tasktype import JSON, Problem
from annotation.views.answering import Door, keep_draft, prolong, receive, report, version_of
from annotation.views.feedback import wording
from annotation.views.frame import live_urls, page_of, preview_of, shown_payload
from annotation.views.framing import context_of, for_scripts, held, in_frame, require_fetch, require_post
from annotation.views.practice import exercise_of, exercise_page, exercise_shown
from annotation.views.prose import html_of
from annotation.views.worker import guide_context, live_fragment


@require_GET
@in_frame
def frame(request: HttpRequest, hit: Hit) -> HttpResponse:
    """The preview, or for whoever accepted the HIT what is next: consent, guide, practice, feedback, task, leaving."""
    if not arriving.is_ours(hit.public_id, request.GET.get("k", "")):
        raise Http404
    names = {"assignment": "assignmentId", "hit": "hitId", "worker": "workerId", "submit_to": "turkSubmitTo"}
    entry = Entry(**{name: request.GET.get(sent, "") for name, sent in names.items()})
    if entry.is_preview:
        return _preview(request, hit)
    try:
        arrival = arriving.arrive(hit, entry)
    except TurnedAway as refused:
        context = {"framed": True, "message": str(refused)}
        return render(request, "framed/turned_away.html", context, status=403)
    return _next(request, arrival)


def _preview(request: HttpRequest, hit: Hit) -> HttpResponse:
    own = [hit.public_id, arriving.signature(hit), "search"]
    context = preview_of(request, hit, seed=0, live=reverse("frame-preview-live", args=own))
    context["frame"] |= {"total": 1, "home_url": ""}
    nobody = {"framed": True, "csrf_token": "", "preferences_url": ""}
    return render(request, f"{hit.batch.task}/page.html", context | nobody)


@require_fetch
@in_frame
def preview_live(request: HttpRequest, hit: Hit, k: str, name: str) -> HttpResponse:
    """A fragment of the previewed page."""
    if not arriving.is_ours(hit.public_id, k):
        raise Http404
    payload = task_type(hit.batch.task).arrange(hit.payload, Random(0))
    return for_scripts(live_fragment(request, hit.batch, payload, name))


def _next(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    row, context = arrival.assignment, context_of(arrival)
    if row.state == lifecycle.SUBMITTED:
        return render(request, "framed/leave.html", {"leaving": arriving.leave(arrival), **context})
    if not row.worker.consented:
        text = {"project": row.batch.project, "consent_html": html_of(row.batch.project.consent)}
        return render(request, "framed/consent.html", {"consent_url": _to("consent", arrival), **text, **context})
    seat = assigning.sit_down(row.worker, row.batch)
    if seat.guide_version < seat.newest_guide:
        shown = guide_context(row.batch, row.batch.guide, seat) | {"guide_url": _to("guide", arrival)}
        return render(request, "work/guide.html", {**shown, **context})
    if exercise := practising.next_exercise(seat):
        return _practice(request, arrival, exercise)
    if told := telling.waiting(row.worker).first():
        shown = {"told": told, "text": wording(told), "batch": told.batch, "after": row.batch_id}
        return render(
            request, "work/feedback.html", {**shown, "told_url": _to("feedback", arrival, told.pk), **context}
        )
    return render(request, f"{row.batch.task}/page.html", _page(request, arrival, seat))


def _to(act: str, arrival: Arrival, *more: Any) -> str:
    return reverse(f"frame-{act}", args=[arrival.assignment.hit.public_id, *more])


def _back(arrival: Arrival) -> HttpResponse:
    return HttpResponseRedirect(arriving.address(arrival), status=303)


def _page(request: HttpRequest, arrival: Arrival, seat: Seat, **refused: Any) -> dict[str, Any]:
    acts = {f"{act}_url": _to(act, arrival) for act in ("submit", "draft", "return", "extend", "flag")}
    urls = acts | live_urls(_to("live", arrival, "search")) | {"home_url": ""}
    context = page_of(request, arrival.assignment, seat, urls=urls, **refused)
    return context | context_of(arrival) | {"preferences_url": ""}


@require_post
@held
def consent(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """The worker agrees to what happens to their answers."""
    worker = arrival.assignment.worker
    joining.consent(worker, version=min(worker.project.consent_version, version_of(request)))
    return _back(arrival)


@require_post
@held
def guide(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """The worker has read the guide."""
    newest = arrival.assignment.batch.guide.version
    arriving.read_guide(arrival, version=min(newest, version_of(request)))
    return _back(arrival)


@require_post
@held
def feedback(request: HttpRequest, arrival: Arrival, pk: int) -> HttpResponse:
    """The worker has read what they were told."""
    telling.acknowledge(get_object_or_404(Feedback, pk=pk, worker=arrival.assignment.worker_id))
    return _back(arrival)


@require_post
@held
def practice(request: HttpRequest, arrival: Arrival, number: int) -> HttpResponse:
    """Answer an exercise: 422 names what is missing, else the page says what was good and what was not."""
    exercise_of(arrival.assignment.batch, number)
    seat = assigning.sit_down(arrival.assignment.worker, arrival.assignment.batch)
    return _practice(request, arrival, number) if number <= seat.practised + 1 else _back(arrival)


def _practice(request: HttpRequest, arrival: Arrival, number: int) -> HttpResponse:
    row = arrival.assignment
    urls = {"submit_url": _to("practice", arrival, number), "done_url": _to("practice-done", arrival, number)}
    urls |= live_urls(_to("practice-live", arrival, number, "search")) | {"home_url": ""}
    extra = context_of(arrival) | {"preferences_url": ""}
    return exercise_page(request, row.batch, row.worker, number, urls=urls, **extra)


@require_post
@held
def practice_done(request: HttpRequest, arrival: Arrival, number: int) -> HttpResponse:
    """Leave an exercise behind."""
    practising.finish(assigning.sit_down(arrival.assignment.worker, arrival.assignment.batch), number)
    return _back(arrival)


@require_fetch
@held
def practice_live(request: HttpRequest, arrival: Arrival, number: int, name: str) -> HttpResponse:
    """A fragment of an exercise's page."""
    batch, worker = arrival.assignment.batch, arrival.assignment.worker
    exercise, _count = exercise_of(batch, number)
    return live_fragment(request, batch, exercise_shown(batch, worker, exercise), name)


@require_fetch
@held
def live(request: HttpRequest, arrival: Arrival, name: str) -> HttpResponse:
    """A fragment of the task's page."""
    row = arrival.assignment
    return live_fragment(request, row.batch, shown_payload(row), name)


@require_post
@held
def submit(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Store the answer with us; then the frame's page sends the browser on to the marketplace."""
    row = arrival.assignment
    here = arriving.address(arrival)
    if row.state == lifecycle.SUBMITTED and not request.POST.get("key", "").startswith("0."):
        return _back(arrival)  # the marketplace was told of the first answer: a revision is not taken here

    def page(answer: JSON, problems: Sequence[Problem]) -> dict[str, Any]:
        seat = assigning.sit_down(row.worker, row.batch)
        return _page(request, arrival, seat, posted=answer, problems=problems)

    def onward(_receipt: Receipt) -> HttpResponse:
        by_script = "application/json" in request.headers.get("Accept", "")
        return JsonResponse({"next": here}) if by_script else _back(arrival)

    return receive(request, row, Door(page, onward, standing=here, home="", extra=context_of(arrival)))


@require_post
@held
def draft(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Keep unfinished work, also of somebody whose place went to another."""
    return keep_draft(request, arrival.assignment)


@require_post
@held
def extend(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Prolong the lease, once."""
    return prolong(arrival.assignment)


@require_post
@held
def flag(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Report a problem with the item, which ends the work on it."""
    if not report(request, arrival.assignment):
        return _back(arrival)
    return _ended(request, _("Thank you. The requester will look at it."))


@require_post
@held
def give_back(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Return the assignment; the marketplace is to be told by its own button."""
    assigning.give_back(arrival.assignment)
    return _ended(request, _("What you had is kept, should you accept this HIT again."))


def _ended(request: HttpRequest, message: str) -> HttpResponse:
    return render(request, "framed/turned_away.html", {"framed": True, "message": message, "ended": True})
