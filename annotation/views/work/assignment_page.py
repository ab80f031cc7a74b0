"""A worker's assignment: working on it, submitting, returning, and going on to the next."""

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.flow.batches import practice_progress
from annotation.flow.errors import Conflict
from annotation.flow.people import qualification_types
from annotation.flow.review import review_decisions, worker_feedback
from annotation.flow.work import arm_draws, leases, next_assignment, open_work, prefetch, submissions
from annotation.flow.work.submissions import Receipt
from annotation.models import Assignment, Batch, Experiment, Participation, PrefetchedHit, Worker
from annotation.pure.batches import lifecycle
from annotation.registry import task_type
from annotation.tasktype import JSON, Stepwise, TaskType, capabilities
from annotation.views.access import (
    Request,
    open_batch,
    own_assignment,
    signed_in_action,
    signed_in_form,
    signed_in_or_401,
    signed_in_page,
    with_next,
)
from annotation.views.post_handling import refusal_as_message
from annotation.views.work.response_post import (
    conflicting,
    form_of,
    incomplete,
    keep_draft,
    opened,
    posted,
    prolong,
    rendered,
    report,
    version_of,
)
from annotation.views.work.task_frame import (
    afterwards,
    instructions_context,
    item_of,
    page_of,
    participation_of,
    release,
    shown_payload,
)


@signed_in_form
def start(request: Request, pk: int) -> HttpResponse:
    """Accept the next assignment of a batch, once consent is given and the instructions are read; GET shows these."""
    batch, worker = open_batch(request, pk)
    return next_page(worker, batch) if request.method == "POST" else redirect("batch-instructions", batch.pk)


def next_page(worker: Worker, batch: Batch) -> HttpResponse:
    """Redirect to the worker's next assignment, or to a page that must come first, such as consent."""
    return _see(_url(_next_step(worker, batch)))


def begin_experiment(request: Request, worker: Worker, drawn_for: Experiment) -> HttpResponse:
    """As `next_page`, in the arm of the worker, which is drawn if they begin; home if they cannot begin now."""
    arm = arm_draws.begin(worker, drawn_for)
    if arm is not None:
        return next_page(worker, arm)
    messages.info(request, _("There is no work for you here at the moment."))
    return _see(reverse("work"))


def _next_step(worker: Worker, batch: Batch, standing: Participation | str = "") -> Assignment | str:
    """The worker's next assignment, or the URL of a page that must come first.

    `standing`: their participation, or what keeps them from the batch's HITs, if it was read already.
    """
    standing = standing or open_work.obstacle(worker, batch) or next_assignment.join_batch(worker, batch)
    if standing == "consent":
        after = reverse("batch-instructions", args=[batch.pk])  # where Start leads to
        return f"{reverse('consent', args=[batch.project.slug])}?next={after}"
    if not isinstance(standing, str):
        if step := _comes_first(standing) or standing.claimed or next_assignment.claim(standing):
            return step
        standing = "closed"
    if standing == "closed" and batch.experiment_id and (arm := arm_draws.next_arm(worker, batch)):
        return _url(_next_step(worker, arm))  # as a page of its own, because it may be of another task
    return reverse("batch-done", args=[batch.pk])


def _comes_first(participation: Participation) -> str:
    """The URL of a page that must come before the next assignment, or ""."""
    batch = participation.batch
    if participation.instructions_version < participation.newest_instructions:
        return reverse("batch-instructions", args=[batch.pk])
    if not participation.done and (exercise := practice_progress.next_exercise(participation)):
        return reverse("practice", args=[batch.pk, exercise])
    if participation.waiting_feedback is not None:
        return f"{reverse('feedback', args=[participation.waiting_feedback])}?batch={batch.pk}"
    return ""


def _url(step: Assignment | str) -> str:
    return step if isinstance(step, str) else reverse("assignment", args=[step.public_id])


def _see(url: str) -> HttpResponse:
    return HttpResponseRedirect(url, status=303)


def with_next_of(url: str, after: str) -> HttpResponse:
    return _see(f"{url}?next={after}")


@signed_in_form
def batch_instructions(request: Request, pk: int) -> HttpResponse:
    """The instructions of a batch; POST confirms that they were read and goes on to the work."""
    batch, worker = open_batch(request, pk)
    participation = participation_of(worker, batch)
    if not participation.instructions_version and qualification_types.lacks(worker, batch, act="preview"):
        return _see(reverse("batch-done", args=[batch.pk]))
    instructions = batch.instructions
    if request.method == "POST":
        version = min(instructions.version, version_of(request))
        next_assignment.read_instructions(next_assignment.join_batch(worker, batch), version=version)
        return next_page(worker, batch)
    return render(request, "work/instructions.html", instructions_context(batch, instructions, participation))


@signed_in_page
def assignment(request: Request, public_id: str) -> HttpResponse:
    """An assignment's page: to work on, to change while the batch is open, or to view."""
    row = own_assignment(request, public_id)
    context = page_of(request, row, row.joined)
    if context["frame"]["instructions_must_read"] and not context["frame"]["readonly"]:
        return with_next(reverse("batch-instructions", args=[row.batch_id]), request)
    return rendered(request, row, context)


@signed_in_action
def submit(request: Request, public_id: str) -> HttpResponse:
    """Submit the response and go on to the next assignment, or to the next step of this one.

    422 for missing parts, 409 if another was first.
    """
    row = own_assignment(request, public_id)
    here = reverse("assignment", args=[row.public_id])
    task = task_type(row.batch.task)
    if afterwards(task, row) is not None:
        return _see(here)
    answer = posted(request, row, task)
    repairing = row.state == lifecycle.SUBMITTED and review_decisions.returned(row) is not None
    try:
        if opened(request, row, task, answer):
            return _response_with(request, own_assignment(request, public_id))
        if problems := task.check(row.hit.payload, answer):
            return incomplete(request, row, page_of(request, row, row.joined, posted=answer, problems=problems))
        # Read before the database is locked, unless a grade may pause the worker or bring them feedback.
        graded = row.batch.check_share or row.batch.purpose == Batch.Purpose.QUALIFICATION
        standing = "" if graded else open_work.obstacle(row.worker, row.batch, shut_out=row.shut_out) or _joined(row)
        after = partial(_after_submission, request, row, task, standing, repairing=repairing)
        form = form_of(request, row, task, answer)
        if "X-Next" in request.headers and isinstance(standing, Participation) and not _comes_first(standing):
            form = form._replace(participation=standing, ahead=_wants_prefetched(request, row.batch))
        step = submissions.submit_and_claim(row, form, after)
        return _response_with(request, step, standing)
    except Conflict as conflict:
        return conflicting(request, conflict, answer, standing_url=here, home_url=reverse("work"))


def _after_submission(
    request: Request, row: Assignment, task: TaskType, standing: Any, receipt: Receipt, *, repairing: bool
) -> Assignment | str:
    """What comes after a stored response: the next assignment, or the URL of a page that comes first."""
    if repairing:
        messages.success(request, _("Thank you for the changes. The requester will review them."))
    if receipt.late and receipt.revision == 1:
        in_time = _("You had returned this item. Your response is stored all the same, and the requester will see it.")
        over = _("Your response came after the time limit. It is stored, and the requester will see it.")
        messages.info(request, in_time if row.state == lifecycle.RETURNED else over)
    if afterwards(task, row, just_submitted=True) is not None:
        return _url(row)
    if receipt.revision == 1 and isinstance(standing, Participation):
        standing.done += 1  # counted meanwhile
    return reverse("work") if repairing else _next_step(row.worker, row.batch, standing)


def _wants_prefetched(request: Request, batch: Batch) -> bool:
    """Whether the answer to a submission is to bring the item after the one that the page shows already."""
    if "X-Prefetch" not in request.headers or request.headers.get("X-Release") != release():
        return False
    if isinstance(task_type(batch.task), Stepwise):  # whose next page has another step, not another item
        return False
    return prefetch.applies(batch) and prefetch.is_quick(batch)


def _response_with(request: Request, step: Assignment | str, standing: Participation | str = "") -> HttpResponse:
    """Redirect to what comes next. A script that asks for it (`X-Release`) gets the next item itself, or a URL.

    The item takes the place of the one before on a page of the same release. After an upgrade, or where the item may
    show another site in a frame, which the policy of the page on show does not permit, the script gets its URL.
    If the page shows the next item already (`X-Next`), it gets the one after it if that is held now, or nothing.
    """
    if request.headers.get("X-Release") is None:
        return _see(_url(step))
    if isinstance(step, Assignment) and request.headers["X-Release"] == release():
        if step.public_id == request.headers.get("X-Next"):
            page = HttpResponse(status=204)
            if isinstance(standing, Participation) and standing.prefetched:
                page = _held_item(request, standing, standing.prefetched)
            page["X-Shown"] = step.public_id
            return page
        row = own_assignment(request, step.public_id)
        if not capabilities.origins(task_type(row.batch.task), row.hit.payload):
            return _item(request, row, row.joined)
    return JsonResponse({"next": _url(step)})


def _item(request: Request, row: Assignment, participation: Participation) -> HttpResponse:
    """An item without the parts of the page that stay."""
    page = HttpResponse(item_of(request, row, participation))
    page["X-Item"] = _url(row)
    return page


@require_POST
@signed_in_or_401
def prefetch_next(request: Request, public_id: str) -> HttpResponse:
    """Hold the HIT after this one for the worker, and show its item; 204 if there is none, or the page has it.

    `X-Prefetch`: the assignment that the page has. `let_go`: the page does not need it any more, with the
    `X-Held-Until` that it was told last; if another page has held the HIT since, it keeps it.
    """
    row = own_assignment(request, public_id)
    if "let_go" in request.POST:
        if until := parse_datetime(request.POST["let_go"]):
            next_assignment.let_go(worker=row.worker, batch=row.batch, expires_at=until)
    elif _may_prefetch(request, row):
        return _prefetched(request, row)
    return HttpResponse(status=204)


def _may_prefetch(request: Request, row: Assignment) -> bool:
    return row.state == lifecycle.ACCEPTED and request.headers.get("X-Release") == release()


def _prefetched(request: Request, row: Assignment) -> HttpResponse:
    """The item after an assignment under way; 204 if none can be held, or the page has it (`X-Prefetch`)."""
    have = request.headers.get("X-Prefetch", "")
    if have and (until := prefetch.renew(row.worker_id, row.batch_id, have)):
        return _until(HttpResponse(status=204), until)
    participation = _joined(row)
    held = None if _comes_first(participation) else prefetch.hold(participation)
    return _held_item(request, participation, held) if held else HttpResponse(status=204)


def _until(page: HttpResponse, until: datetime) -> HttpResponse:
    page["X-Held-Until"] = until.isoformat()
    return page


def _joined(row: Assignment) -> Participation:
    """The participation of somebody at work; a response that was imported may have none."""
    return row.joined if row.joined.pk else next_assignment.join_batch(row.worker, row.batch)


def _held_item(request: Request, participation: Participation, held: PrefetchedHit) -> HttpResponse:
    """The item of a held HIT; 204 if it shows another site, which the page on show may not permit."""
    following = prefetch.to_come(held, participation)
    if capabilities.origins(task_type(participation.batch.task), following.hit.payload):
        return _until(HttpResponse(status=204), held.expires_at)
    participation.done += 1  # the assignment under way
    return _until(_item(request, following, participation), held.expires_at)


@require_POST
@signed_in_or_401
def draft(request: Request, public_id: str) -> HttpResponse:
    """Save a draft: 200 {"version", "saved_at"}; 409 with the newer draft; 410 if the assignment ended.

    With `X-Prefetch` the next item, as `prefetch_next` shows it, if there is one; `X-Draft` then has the version.
    """
    row = own_assignment(request, public_id)
    prefetches = "X-Prefetch" in request.headers and _may_prefetch(request, row)
    saved = keep_draft(request, row)
    if not prefetches or saved.status_code != 200:
        return saved
    page = _prefetched(request, row)
    if page.status_code == 200:
        page["X-Draft"] = saved.content.decode()
        return page
    if "X-Held-Until" in page:
        saved["X-Held-Until"] = page["X-Held-Until"]
    return saved


@require_safe
@signed_in_or_401
def live(request: Request, public_id: str, name: str) -> HttpResponse:
    """A fragment of the task's page, made from the payload as shown."""
    row = own_assignment(request, public_id)
    return live_fragment(request, row.batch, shown_payload(task_type(row.batch.task), row), name)


def live_fragment(request: HttpRequest, batch: Batch, payload: JSON, name: str) -> HttpResponse:
    """The fragment `name` of a task; 404 if the task has none of that name."""
    function = capabilities.live(task_type(batch.task)).get(name)
    if function is None:
        raise Http404
    context: dict[str, Any] = function(payload, request.GET.dict())
    return render(request, f"{batch.task}/_{name}.html", context)


@signed_in_action
def return_assignment(request: Request, public_id: str) -> HttpResponse:
    """Return an assignment: others may get the HIT, the draft stays; then home."""
    row = own_assignment(request, public_id)
    if leases.return_assignment(row):
        messages.info(request, _("Returned. Your entries are kept in case you take this item again."))
    return _see(reverse("work"))


@signed_in_action
def skip(request: Request, public_id: str) -> HttpResponse:
    """Return an assignment and accept the next."""
    row = own_assignment(request, public_id)
    leases.return_assignment(row)
    return next_page(row.worker, row.batch)


@signed_in_action
def take_up(request: Request, public_id: str) -> HttpResponse:
    """Resume a returned or expired assignment, unless somebody else took its place."""
    row = own_assignment(request, public_id)
    feedback = worker_feedback.first_waiting(row.worker)
    if feedback is not None:
        return _see(f"{reverse('feedback', args=[feedback.pk])}?batch={row.batch_id}")
    if not next_assignment.take_up(row):
        text = _(
            "You cannot take this item now: you have another one to finish, another worker took it, or the "
            "batch is closed."
        )
        messages.warning(request, text)
        return _see(reverse("work"))
    return _see(reverse("assignment", args=[row.public_id]))


@require_POST
@signed_in_or_401
def extend(request: Request, public_id: str) -> HttpResponse:
    """Extend the lease, once; the response has its new end."""
    return prolong(own_assignment(request, public_id))


@signed_in_action
def report_problem(request: Request, public_id: str) -> HttpResponse:
    """Report a problem with an item and go on."""
    row = own_assignment(request, public_id)
    with refusal_as_message(request):
        if report(request, row):
            messages.success(request, _("Thank you. The requester will look at it."))
            return next_page(row.worker, row.batch)
        messages.error(request, _("Choose what is wrong, then send your report again."))
    return _see(reverse("assignment", args=[row.public_id]))


@require_safe
@login_required
def back(request: Request, public_id: str) -> HttpResponse:
    """Go to the assignment that the worker submitted before this one."""
    row = own_assignment(request, public_id)
    own = Assignment.objects.filter(worker=row.worker, batch=row.batch, state=lifecycle.SUBMITTED)
    if row.submitted_at is not None:
        own = own.filter(submitted_at__lt=row.submitted_at)
    before = own.order_by("-submitted_at").first()
    if before is None:
        messages.info(request, _("There is nothing before this item."))
        before = row
    return redirect("assignment", before.public_id)
