"""Review of one response, with single keys, and on to the next."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.template.loader import select_template
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.errors import Conflict, Refused
from annotation.flow.review import (
    approval_queue,
    assignment_approval,
    review_decisions,
    review_samples,
    worker_feedback,
)
from annotation.models import Assignment, Batch, Feedback, Project, Review
from annotation.pure.people import roles
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import capabilities
from annotation.views.access import Request, demand, member_action, member_form
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import posted_text, refusal_as_message, see_other, whole_number
from annotation.views.review.comments import thread_context
from annotation.views.review.review import chosen_worker, reviewed_batch, state_words, undoable
from annotation.views.work.task_frame import shortcut_context

AND_APPROVED = f"{review_state.ACCEPTED}+approved"  # accepted and paid


@member_form(roles.REVIEW)
def review_answer(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """One response; POST reviews it and shows the next; 409 if somebody else was first, 422 for missing fields."""
    shown = reviewed_batch(batch)
    row = _answer_of(shown, public_id)
    if request.method != "POST":
        return _page(request, shown, row)
    pays = request.POST.get("decision") == AND_APPROVED
    if pays:
        demand(request, project, roles.PAY)
    try:
        seen, revision = _number(request, "seen"), _number(request, "revision")
        if pays:
            approval_queue.accept_and_approve(row, revision, _posted(request, shown), user=request.user, seen=seen)
        else:
            review_decisions.decide(row, revision, _posted(request, shown), reviewer=request.user, seen=seen)
    except Conflict as conflict:
        row.refresh_from_db(fields=["revision"])
        return _page(request, shown, row, problem=str(conflict), status=409)
    except Refused as refused:
        return _page(request, shown, row, problem=str(refused), status=422)
    return _next(request, shown, row)


def _answer_of(batch: Batch, public_id: str) -> Assignment:
    rows = batch.assignments.submitted().select_related("hit__item__dataset", "worker__project")
    row: Assignment = get_object_or_404(rows.defer("draft", "hit__item__content"), public_id=public_id)
    row.batch = batch
    return row


def _number(request: Request, name: str) -> int:
    return whole_number(request.POST.get(name, ""), 0, digits=11)


def _posted(request: Request, batch: Batch) -> review_decisions.Decision:
    marks = {key: request.POST.get(f"mark-{key}") for key in capabilities.criteria(task_type(batch.task))}
    decision = request.POST.get("decision", "").removesuffix("+approved")
    reason = "message" if decision == review_state.RETURNED else "reason"
    return review_decisions.Decision(
        decision=decision,
        marks={key: value == "yes" for key, value in marks.items() if value in ("yes", "no")},
        text=posted_text(request, "text"),
        reason=posted_text(request, reason),
    )


def _next(request: Request, batch: Batch, row: Assignment) -> HttpResponse:
    places = review_samples.queue(batch, worker=chosen_worker(request))
    following = review_samples.next_waiting(places, row.public_id)
    undo = {"undo": row.public_id}
    if following is None:
        messages.success(request, _("All drawn responses are reviewed."))
        return HttpResponseRedirect(f"{_address(batch, 'review')}?{urlencode(undo)}", status=303)
    query = urlencode(_filters(request) | undo)
    return HttpResponseRedirect(f"{_address(batch, 'review-answer', following.public_id)}?{query}", status=303)


def _address(batch: Batch, page: str, *args: str) -> str:
    return reverse(page, args=[batch.project.slug, batch.slug, *args])


def _filters(request: Request) -> dict[str, str]:
    worker = chosen_worker(request)
    return {"worker": str(worker)} if worker is not None else {}


def _page(request: Request, batch: Batch, row: Assignment, *, problem: str = "", status: int = 200) -> HttpResponse:
    standing = next(iter(review_decisions.responses_with_reviews([row])), None)
    if standing is None:  # erased
        raise Http404
    history = review_decisions.reviews_of([row])[row.pk]
    task = task_type(batch.task)
    reviewed = capabilities.review(task, row.hit.payload, standing.answer.answer)
    template = select_template([f"{batch.task}/_review.html", "review/_review.html"])
    may_approve = roles.PAY in request.may and row.auto_approve_at is not None and not row.approval
    more = {
        "assignment": row,
        "worker": row.worker,
        "standing": standing,
        "state": state_words(standing.state),
        "text": reviewed["text"],
        "asks": reviewed.get("asks"),
        "answer_html": template.render({"answer": standing.answer.answer, **reviewed}, request),
        "problem": problem,
        "earned": assignment_approval.earned(row) if may_approve else None,
        "filled": _filled(request, batch, row, history, reviewed["text"]),
        "seen": history[-1].pk if history else 0,
        "history": [{"review": review, **_in_words(review)} for review in history],
        "repair": _repair(batch, row, history) if standing.state == review_state.REPAIRED else None,
        "returns": worker_feedback.messages_before(batch, review_state.RETURNED),
        "discards": worker_feedback.messages_before(batch, review_state.DISCARDED),
        "undone": undoable(request, batch),
        **shortcut_context(request),
        "query": urlencode(_filters(request)),
        **_feedback(batch, row),
        **_progress(request, batch, row),
        **thread_context(request, batch.project, row),
    }
    return render(
        request, "review/review_response.html", batch_context(batch, "review", leaf="", **more), status=status
    )


def _in_words(review: Review) -> dict[str, str]:
    decided = review.decision in review_state.DECIDED
    return state_words(review.decision) if decided else {"label": _("undone"), "tone": ""}


def _filled(request: Request, batch: Batch, row: Assignment, history: list[Review], text: str) -> dict[str, Any]:
    """The values of the form: as posted, else of the last decision on this revision, undone or not."""
    here = [r for r in history if r.revision == row.revision and r.decision in review_state.DECIDED]
    held: Any = _posted(request, batch) if request.method == "POST" else here[-1] if here else None
    decision, marks = (held.decision, held.marks) if held else ("", {})
    criteria = capabilities.criteria(task_type(batch.task)).items() if text else ()  # none without a wording
    return {
        "decision": decision,
        "criteria": [
            {"key": key, "question": _(question), "value": marks.get(key), "number": k}
            for k, (key, question) in enumerate(criteria, 1)
        ],
        "text": (held.text if held else "") or text,
        "message": held.reason if held and decision == review_state.RETURNED else "",
        "reason": held.reason if held and decision == review_state.DISCARDED else "",
    }


def _repair(batch: Batch, row: Assignment, history: list[Review]) -> dict[str, Any] | None:
    """The request for changes, and the wording at that time."""
    last_request = next((r for r in reversed(history) if r.decision == review_state.RETURNED), None)
    before = row.responses.filter(revision=last_request.revision).first() if last_request else None
    if last_request is None or before is None:
        return None
    return {
        "message": last_request.reason,
        "text": capabilities.review(task_type(batch.task), row.hit.payload, before.answer)["text"],
    }


def _feedback(batch: Batch, row: Assignment) -> dict[str, Any]:
    return {
        "feedback": row.feedback.order_by("pk"),
        "suggestions": worker_feedback.suggestions(batch),
        "worker": row.worker,
    }


def _progress(request: Request, batch: Batch, row: Assignment) -> dict[str, Any]:
    """Progress of the review, and the neighbours in the queue."""
    places = review_samples.queue(batch, worker=chosen_worker(request))
    own = [place for place in places if place.worker == row.worker_id]
    here = next((k for k, place in enumerate(places) if place.pk == row.pk), -1)
    return {
        "read": len(review_samples.shown(places, "decided")),
        "queued": len(places),
        "worker_read": len(review_samples.shown(own, "decided")),
        "worker_queued": len(own),
        "previous": places[here - 1] if here > 0 else None,
        "next": places[here + 1] if 0 <= here < len(places) - 1 else None,
    }


@member_action(roles.REVIEW)
def review_undo(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """Undo the review of a response, and show it."""
    shown = reviewed_batch(batch)
    row = _answer_of(shown, public_id)
    if review_decisions.undo(row, reviewer=request.user):
        messages.success(request, _("Undone. Please decide on this response again."))
    else:
        messages.warning(request, _("Nothing to undo: the response has changed, or this was already undone."))
    query = urlencode(_filters(request))
    return HttpResponseRedirect(f"{_address(shown, 'review-answer', public_id)}?{query}".rstrip("?"), status=303)


@member_action(roles.REVIEW)
def review_choose(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """Accept this one of several responses to a HIT."""
    shown = reviewed_batch(batch)
    row = _answer_of(shown, public_id)
    with refusal_as_message(request):
        review_decisions.choose(row, _number(request, "revision"), reviewer=request.user)
        text = _("This response is accepted. The other responses are kept but not accepted.")
        messages.success(request, text)
    if request.POST.get("after") == "several":
        return HttpResponseRedirect(f"{_address(shown, 'review')}?show=choose", status=303)
    return see_other("hit", project.slug, batch.slug, row.hit.public_id)


@member_action(roles.REVIEW)
def review_feedback(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """Give feedback on this response; returns a fragment for htmx."""
    shown = reviewed_batch(batch)
    row = _answer_of(shown, public_id)
    text = posted_text(request, "feedback")
    try:
        worker_feedback.feedback(row.worker, shown, text=text, author=request.user, assignment=row)
    except Refused as refused:
        return _render_feedback(request, shown, row, problem=str(refused))
    return _render_feedback(request, shown, row)


@member_action(roles.REVIEW)
def review_withdraw(request: Request, project: Project, batch: Batch, pk: int) -> HttpResponse:
    """Withdraw feedback that the worker has not read yet."""
    shown = reviewed_batch(batch)
    feedback = get_object_or_404(Feedback.objects.filter(assignment__batch=shown), pk=pk)
    row = _answer_of(shown, feedback.assignment.public_id)  # type: ignore[union-attr]  # by the filter
    problem = "" if worker_feedback.withdraw(feedback) else _("The worker has read it already, so it cannot be undone.")
    return _render_feedback(request, shown, row, problem=problem)


def _render_feedback(request: Request, batch: Batch, row: Assignment, *, problem: str = "") -> HttpResponse:
    if request.htmx:
        context = {"project": batch.project, "batch": batch, "assignment": row, **_feedback(batch, row)}
        context |= {"feedback_problem": problem, "open": bool(problem)}
        return render(request, "review/_feedback.html", context)
    if problem:
        messages.warning(request, problem)
    return see_other("review-answer", batch.project.slug, batch.slug, row.public_id)
