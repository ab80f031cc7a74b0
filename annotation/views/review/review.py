"""Reviews of a batch: coverage by worker, drawing more, and HITs to choose from."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Page
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation.flow.review import review_decisions, review_samples
from annotation.models import Assignment, Batch, Project, Worker
from annotation.pure.people import roles
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import capabilities
from annotation.views.access import Request, member_action, member_page
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import refusal_as_message, see_other, whole_number

STATES = {
    review_state.UNREAD: (gettext_noop("to review"), ""),
    review_state.REPAIRED: (gettext_noop("changed: review again"), "warn"),
    review_state.CHANGED: (gettext_noop("changed since: review again"), "warn"),
    review_state.ACCEPTED: (gettext_noop("accepted"), "good"),
    review_state.EDITED: (gettext_noop("accepted with an edit"), "good"),
    review_state.RETURNED: (gettext_noop("changes requested"), "warn"),
    review_state.DISCARDED: (gettext_noop("excluded"), "bad"),
}
SHOWS = {
    "waiting": gettext_noop("to review"),
    review_state.REPAIRED: gettext_noop("changed by the worker"),
    "decided": gettext_noop("decided"),
    review_state.RETURNED: gettext_noop("changes requested"),
    review_state.DISCARDED: gettext_noop("excluded"),
    "all": gettext_noop("all drawn"),
    "choose": gettext_noop("one to choose from several"),
}


def reviewed_batch(batch: Batch) -> Batch:
    """The batch, if it is launched and its responses are reviewed; 404 otherwise."""
    if batch.launched_at is None or not review_decisions.is_reviewed(batch):
        raise Http404
    return batch


def state_words(state: str) -> dict[str, str]:
    """A state as {"label", "tone"}."""
    label, tone = STATES[state]
    return {"label": _(label), "tone": tone}


@member_page(roles.REVIEW)
def review(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Coverage by worker, decisions, and the filtered responses."""
    shown = reviewed_batch(batch)
    before = review_samples.earlier(shown)
    since = next((other for other in before if other.slug == request.GET.get("since")), None)
    covered = review_samples.coverage(shown, since=since)
    show = "choose" if request.GET.get("show") == "choose" else review_samples.ReviewFilter.of(request.GET).show
    worker = chosen_worker(request)
    context: dict[str, Any] = {
        "covered": covered,
        "earlier": before,
        "since": since,
        "size": review_samples.SIZE,
        "most": review_samples.MOST,
        "show": show,
        "shows": [(name, _(label)) for name, label in SHOWS.items()],
        "worker": next((row.worker for row in covered if row.worker.pk == worker), None),
        "counts": _counts(covered),
        "undone": undoable(request, shown),
    }
    places = review_samples.queue(shown, worker=worker)
    context["first"] = review_samples.next_waiting(places, "")
    if show == "choose":
        context["several"] = _several(shown, request)
    else:
        context["page"] = _listed(shown, review_samples.shown(places, show), request)
    return render(request, "review/review.html", batch_context(shown, "review", **context))


def chosen_worker(request: Request) -> int | None:
    """The worker to filter by."""
    return whole_number(request.GET.get("worker", ""), None)


def _counts(covered: list[review_samples.Coverage]) -> list[dict[str, Any]]:
    total = {state: sum(row.states[state] for row in covered) for state in STATES}
    kept = [state for state, n in total.items() if n or state in (review_state.UNREAD, review_state.ACCEPTED)]
    return [state_words(state) | {"n": total[state]} for state in kept]


def _listed(batch: Batch, places: list[review_samples.QueuedResponse], request: Request) -> Page[Any]:
    """A page of the queue; each place becomes {"standing", "text", "label", "tone"}."""
    page = review_samples.ReviewFilter().page(places, request.GET)
    rows = Assignment.objects.filter(pk__in=[place.pk for place in page]).select_related("hit", "worker__project")
    standings = {s.assignment.pk: s for s in review_decisions.responses_with_reviews(rows.defer("draft"))}
    page.object_list = [_line(batch, standings[place.pk]) for place in page if place.pk in standings]
    return page


def _line(batch: Batch, standing: review_decisions.ResponseWithReview) -> dict[str, Any]:
    payload = standing.assignment.hit.payload
    text = capabilities.review(task_type(batch.task), payload, standing.answer.answer)["text"]
    return {"standing": standing, "text": text} | state_words(standing.state)


def _several(batch: Batch, request: Request) -> Page[Any]:
    page = review_samples.ReviewFilter().page(review_decisions.several(batch), request.GET)
    for hit, standings in page.object_list:
        for standing in standings:
            standing.assignment.hit = hit
    page.object_list = [
        {"hit": hit, "lines": [_line(batch, standing) for standing in standings]} for hit, standings in page.object_list
    ]
    return page


def undoable(request: Request, batch: Batch) -> dict[str, Any] | None:
    """The last decision, for the undo notice: {"public_id", "label", "tone"}."""
    public_id = request.GET.get("undo", "").replace("\0", "")
    row = batch.assignments.filter(public_id=public_id).first() if public_id else None
    if row is None:
        return None
    last = row.reviews.order_by("pk").last()
    if last is None or last.revision != row.revision or last.decision not in review_state.DECIDED:
        return None
    return {"public_id": row.public_id} | state_words(last.decision)


@member_action(roles.REVIEW)
def review_draw(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Draw more responses, of all workers or of one."""
    shown = reviewed_batch(batch)
    number = whole_number(request.POST.get("worker", ""), None)
    worker = None if number is None else get_object_or_404(Worker, project=project, pk=number)
    size = whole_number(request.POST.get("size", ""), 0)
    with refusal_as_message(request, messages.warning):
        n = review_samples.draw(shown, size=size, worker=worker, user=request.user).assignments.count()
        text = ngettext("%(n)s response drawn for review.", "%(n)s responses drawn for review.", n)
        messages.success(request, text % {"n": n})
    return see_other("review", project.slug, batch.slug)
