"""Our tasks inside a marketplace's iframe. One URL shows the worker's next step; actions are POSTs with a token."""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from random import Random
from typing import Any

from csp.constants import NONE, SELF
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods

from annotation.flow.batches import practice_progress
from annotation.flow.errors import Conflict, Refused
from annotation.flow.people import consent as consents
from annotation.flow.review import worker_feedback
from annotation.flow.work import leases, next_assignment, submissions
from annotation.marketplaces.flow import arrivals
from annotation.marketplaces.flow.arrivals import Entry, TurnedAway
from annotation.marketplaces.models import Arrival, Connection
from annotation.models import Feedback, Hit, Participation
from annotation.pure.batches import lifecycle
from annotation.pure.people import consent_text
from annotation.registry import task_type
from annotation.tasktype import capabilities
from annotation.views.markdown_html import html_for_reader
from annotation.views.work import response_post
from annotation.views.work.assignment_page import live_fragment
from annotation.views.work.practice import exercise_of, exercise_page, exercise_shown
from annotation.views.work.task_frame import instructions_context, live_urls, page_of, preview_of, shown_payload
from annotation.views.work.worker_home import wording

View = Callable[..., HttpResponse]
FIELD, HEADER = "csrfmiddlewaretoken", "X-CSRFToken"  # in which our forms and scripts already send a token
ALLOWED_HEADERS = (
    "HX-Request, HX-Current-URL, HX-Target, HX-Trigger, HX-Trigger-Name, HX-Prompt, HX-Boosted, "
    f"HX-History-Restore-Request, {HEADER}"
)
require_post = require_http_methods(["POST"])
# a sandboxed frame has an opaque origin, so its scripts send preflight requests
require_fetch = require_http_methods(["GET", "OPTIONS"])


def in_frame(view: View) -> View:
    """Replace the view's `public_id` by the published Hit, ignore the session, and set the frame's headers."""

    @csrf_exempt
    @never_cache
    @wraps(view)
    def framed(request: HttpRequest, public_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        _forget_visitor(request)
        hits = Hit.objects.select_related("batch__project", "publication__connection")
        hit = get_object_or_404(hits, public_id=public_id, publication__isnull=False)
        if request.method == "OPTIONS":
            response = HttpResponse(status=204)
            response["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
            return _dressed(for_scripts(response), hit.publication.connection)
        return _dressed(view(request, hit, *args, **kwargs), hit.publication.connection)

    return framed


def held(view: View) -> View:
    """For actions in the frame: pass the Arrival of the token to the view; 403 without a valid one."""

    @in_frame
    @wraps(view)
    def checked(request: HttpRequest, hit: Hit, *args: Any, **kwargs: Any) -> HttpResponse:
        arrival = arrivals.holder(request.headers.get(HEADER) or request.POST.get(FIELD, ""))
        if arrival is None or arrival.work.hit_id != hit.pk:
            return for_scripts(render(request, "marketplaces/expired.html", {"framed": True}, status=403))
        return for_scripts(view(request, arrival, *args, **kwargs))

    return checked


def _forget_visitor(request: HttpRequest) -> None:
    """Ignore the session of a user signed in on this site, without changing their cookies."""
    request.COOKIES = {}
    request.user = AnonymousUser()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()


def for_scripts(response: HttpResponse) -> HttpResponse:
    """Let scripts without an origin read the response. They authenticate by token, never by cookie."""
    response["Access-Control-Allow-Origin"] = "*"
    return response


def _dressed(response: HttpResponse, connection: Connection) -> HttpResponse:
    origin = arrivals.worker_origin(connection)
    policy = {"frame-ancestors": [origin or NONE], "form-action": [SELF, *([origin] if origin else [])]}
    response["Content-Security-Policy"] = build_policy(replace=policy)
    response["Referrer-Policy"] = "no-referrer"
    if origin:
        response.xframe_options_exempt = True
    return response


def context_of(arrival: Arrival) -> dict[str, Any]:
    """The context of the frame's templates: `framed`, and the frame's token for all forms."""
    return {"framed": True, "csrf_token": arrivals.token_for(arrival)}


@require_GET
@in_frame
def frame(request: HttpRequest, hit: Hit) -> HttpResponse:
    """The preview, or after accepting: consent, instructions, practice, feedback, task, or the way back."""
    if not arrivals.is_signed(hit.public_id, request.GET.get("k", "")):
        raise Http404
    names = {"assignment": "assignmentId", "hit": "hitId", "worker": "workerId", "submit_to": "turkSubmitTo"}
    entry = Entry(**{name: request.GET.get(sent, "") for name, sent in names.items()})
    if entry.is_preview:
        return _preview(request, hit)
    try:
        arrival = arrivals.arrive(hit, entry)
    except TurnedAway as refused:
        context = {"framed": True, "message": str(refused)}
        return render(request, "marketplaces/ended.html", context, status=403)
    return _next(request, arrival)


def _preview(request: HttpRequest, hit: Hit) -> HttpResponse:
    own = [hit.public_id, arrivals.signature(hit), "search"]
    context = preview_of(request, hit, seed=0, live=reverse("frame-preview-live", args=own))
    context["frame"] |= {"total": 1, "home_url": "", "preview_bar": "marketplaces/_preview.html"}
    nobody = {"framed": True, "csrf_token": "", "preferences_url": ""}
    return render(request, f"{hit.batch.task}/page.html", context | nobody)


@require_fetch
@in_frame
def preview_live(request: HttpRequest, hit: Hit, k: str, name: str) -> HttpResponse:
    """A fragment of the previewed page."""
    if not arrivals.is_signed(hit.public_id, k):
        raise Http404
    payload = capabilities.arrange(task_type(hit.batch.task), hit.payload, Random(0))
    return for_scripts(live_fragment(request, hit.batch, payload, name))


def _next(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    row, context = arrival.work, context_of(arrival)
    if row.state == lifecycle.SUBMITTED:
        return render(request, "marketplaces/submitted.html", {"leaving": arrivals.leave(arrival), **context})
    if not row.worker.consented:
        project = row.batch.project
        text = {
            "project": project,
            "consent_html": html_for_reader(consent_text.shown(project.consent, from_panel=False)),
        }
        return render(request, "marketplaces/consent.html", {"consent_url": _to("consent", arrival), **text, **context})
    participation = next_assignment.join_batch(row.worker, row.batch)
    if participation.instructions_version < participation.newest_instructions:
        shown = instructions_context(row.batch, row.batch.instructions, participation)
        shown["instructions_url"] = _to("instructions", arrival)
        return render(request, "work/instructions.html", {**shown, **context})
    if exercise := practice_progress.next_exercise(participation):
        return _practice(request, arrival, exercise)
    if feedback := worker_feedback.first_waiting(row.worker):
        shown = {"feedback": feedback, "text": wording(feedback), "batch": feedback.batch, "after": row.batch_id}
        shown["feedback_url"] = _to("feedback", arrival, feedback.pk)
        return render(request, "work/feedback.html", {**shown, **context})
    return render(request, f"{row.batch.task}/page.html", _page(request, arrival, participation))


def _to(act: str, arrival: Arrival, *more: Any) -> str:
    return reverse(f"frame-{act}", args=[arrival.work.hit.public_id, *more])


def _back(arrival: Arrival) -> HttpResponse:
    return HttpResponseRedirect(arrivals.address(arrival), status=303)


def _page(request: HttpRequest, arrival: Arrival, participation: Participation, **refused: Any) -> dict[str, Any]:
    names = ("submit", "draft", "return", "extend", "report-problem")
    acts = {f"{name.replace('-', '_')}_url": _to(name, arrival) for name in names}
    urls = acts | live_urls(_to("live", arrival, "search")) | {"home_url": ""}
    context = page_of(request, arrival.work, participation, urls=urls, **refused)
    return context | context_of(arrival) | {"preferences_url": ""}


@require_post
@held
def consent(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Record the worker's consent."""
    worker = arrival.work.worker
    consents.give(worker, version=min(worker.project.consent_version, response_post.version_of(request)))
    return _back(arrival)


@require_post
@held
def instructions(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Record that the worker has read the instructions."""
    newest = arrival.work.batch.instructions.version
    arrivals.read_instructions(arrival, version=min(newest, response_post.version_of(request)))
    return _back(arrival)


@require_post
@held
def feedback(request: HttpRequest, arrival: Arrival, pk: int) -> HttpResponse:
    """Record that the worker has read feedback."""
    worker_feedback.acknowledge(get_object_or_404(Feedback, pk=pk, worker=arrival.work.worker_id))
    return _back(arrival)


@require_post
@held
def practice(request: HttpRequest, arrival: Arrival, number: int) -> HttpResponse:
    """Answer a practice item: 422 lists what is missing, else the page gives feedback."""
    exercise_of(arrival.work.batch, number)
    participation = next_assignment.join_batch(arrival.work.worker, arrival.work.batch)
    return _practice(request, arrival, number) if number <= participation.practised + 1 else _back(arrival)


def _practice(request: HttpRequest, arrival: Arrival, number: int) -> HttpResponse:
    row = arrival.work
    urls = {"submit_url": _to("practice", arrival, number), "done_url": _to("practice-done", arrival, number)}
    urls |= live_urls(_to("practice-live", arrival, number, "search")) | {"home_url": ""}
    extra = context_of(arrival) | {"preferences_url": ""}
    return exercise_page(request, row.batch, row.worker, number, urls=urls, **extra)


@require_post
@held
def practice_done(request: HttpRequest, arrival: Arrival, number: int) -> HttpResponse:
    """Finish a practice item."""
    practice_progress.finish(next_assignment.join_batch(arrival.work.worker, arrival.work.batch), number)
    return _back(arrival)


@require_fetch
@held
def practice_live(request: HttpRequest, arrival: Arrival, number: int, name: str) -> HttpResponse:
    """A fragment of a practice item's page."""
    batch, worker = arrival.work.batch, arrival.work.worker
    exercise, _count = exercise_of(batch, number)
    return live_fragment(request, batch, exercise_shown(batch, worker, exercise), name)


@require_fetch
@held
def live(request: HttpRequest, arrival: Arrival, name: str) -> HttpResponse:
    """A fragment of the task's page."""
    row = arrival.work
    return live_fragment(request, row.batch, shown_payload(task_type(row.batch.task), row), name)


@require_post
@held
def submit(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Store the response; the frame's page then sends the browser on to the marketplace."""
    row = arrival.work
    here = arrivals.address(arrival)
    if row.state == lifecycle.SUBMITTED and not request.POST.get("key", "").startswith("0."):
        return _back(arrival)  # the marketplace has the first response, so revisions are refused
    task = task_type(row.batch.task)
    answer = response_post.posted(request, row, task)
    try:
        if not response_post.opened(request, row, task, answer):
            if problems := task.check(row.hit.payload, answer):
                participation = next_assignment.join_batch(row.worker, row.batch)
                page = _page(request, arrival, participation, posted=answer, problems=problems)
                return response_post.incomplete(request, row, page)
            submissions.submit(row, **response_post.form_of(request, row, task, answer)._asdict())
    except Conflict as conflict:
        context = {"standing_url": here, "home_url": "", **context_of(arrival)}
        return response_post.conflicting(request, conflict, answer, **context)
    by_script = "application/json" in request.headers.get("Accept", "")
    return JsonResponse({"next": here}) if by_script else _back(arrival)


@require_post
@held
def draft(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Save a draft, even if somebody else took the assignment over."""
    return response_post.keep_draft(request, arrival.work)


@require_post
@held
def extend(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Extend the lease, once."""
    return response_post.prolong(arrival.work)


@require_post
@held
def report_problem(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Report a problem with the item, which ends the assignment."""
    try:
        if not response_post.report(request, arrival.work):
            return _back(arrival)
    except Refused as refused:
        context = {"framed": True, "message": str(refused)}
        return render(request, "marketplaces/ended.html", context, status=429)
    return _ended(request, _("Thank you. The requester will look at it."))


@require_post
@held
def return_assignment(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Return the assignment; on the marketplace the worker returns it with its own button."""
    leases.return_assignment(arrival.work)
    return _ended(request, _("Your entries are kept in case you accept this item again."))


def _ended(request: HttpRequest, message: str) -> HttpResponse:
    return render(request, "marketplaces/ended.html", {"framed": True, "message": message, "ended": True})
