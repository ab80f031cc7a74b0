"""A worker's own pages: the work to do and done, qualifications, earnings, messages and details."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from annotation.flow.batches.hit_headings import heading
from annotation.flow.errors import Refused
from annotation.flow.money import wages
from annotation.flow.notifications import worker_messages
from annotation.flow.people import mturk_ids, qualification_types, round_attempts, round_results, sign_up
from annotation.flow.reports import altered_facts, worker_scores
from annotation.flow.review import review_decisions, worker_feedback
from annotation.flow.work import eligibility, open_work, worker_batches
from annotation.forms.sign_up import DetailsForm, MessageForm
from annotation.models import (
    Approval,
    Assignment,
    Batch,
    Feedback,
    Message,
    QualificationRequest,
    QualificationType,
    Review,
    User,
    Worker,
)
from annotation.models.compiled import compiled
from annotation.pure.batches import lifecycle
from annotation.pure.people.consent_text import is_unfinished
from annotation.registry import task_type
from annotation.tasktype import Rated, capabilities
from annotation.views.access import Request, open_batch, signed_in_action, signed_in_form, signed_in_page
from annotation.views.context import ViewerLinks, standing_columns
from annotation.views.people.sign_up import safe_next
from annotation.views.post_handling import refusal_as_message, see_other, whole_number
from annotation.views.response_words import words_of
from annotation.views.work.assignment_page import next_page
from annotation.views.work.task_frame import participation_of

EXPIRED_SHOWN = timedelta(days=7)  # of assignments without entries


@signed_in_page
def work(request: Request) -> HttpResponse:
    """Every batch that the viewer may see in their projects, with the number of assignments left for them."""
    workers = list(request.user.workers.select_related("project").filter(active=True, project__removed_at=None))
    batches = worker_batches.worker_batches([worker for worker in workers if not worker.has_withdrawn])
    [(unread, has_returned, has_repairs, has_feedback, *standing)] = _at_home(request.user.pk)
    vars(request)["standing"] = ViewerLinks(*standing)
    waiting = [worker.project for worker in workers if _needs_consent(worker)]
    offered = [row for row in batches if not row.missing]
    returned = list(_returned(request.user.pk).order_by("-ended_at")[:20]) if has_returned else []
    unfinished = {row.batch.pk: [each for each in returned if each.batch_id == row.batch.pk] for row in offered}
    busy = [row for row in offered if row.may_start or unfinished[row.batch.pk]] or offered
    busy.sort(key=lambda row: (not row.under_way, not unfinished[row.batch.pk], not row.done))
    to_start = [row.batch for row in offered if row.may_start]
    leads_to_consent = {batch.project_id for batch in to_start}
    context = {
        "here": "work",
        "unread_messages": unread,
        "batches": busy,
        "exhausted": [row for row in offered if row not in busy],
        "rest": [row for row in batches if row.missing],
        "consent_waiting": waiting,
        "consent_alone": [project for project in waiting if project.pk not in leads_to_consent],
        "unfinished": unfinished,
        "returned": [row for row in returned if row.batch_id not in unfinished],
        "repairs": _repairs(request.user.pk).select_related("assignment__batch__project") if has_repairs else [],
        "feedback": _feedback(request.user.pk).select_related("batch").order_by("pk") if has_feedback else [],
        "granted": QualificationType.objects.filter(rounds__batch__in=to_start),
    }
    return render(request, "work/home.html", context)


def _needs_consent(worker: Worker) -> bool:
    return not (worker.consented or worker.has_withdrawn or is_unfinished(worker.project.consent))


@compiled
def _at_home(user: int) -> QuerySet[User, tuple[Any, ...]]:
    """The number of unread messages, which lists of the page are not empty, and ViewerLinks."""
    lists = _returned(user), _repairs(user), _feedback(user)
    return User.objects.filter(pk=user).values_list(
        Coalesce(Subquery(_unread(user).values("worker__user").annotate(number=Count("pk")).values("number")), 0),
        *(Exists(rows) for rows in lists),
        *standing_columns(user),
    )


def _unread(user: int) -> QuerySet[Message]:
    return Message.objects.filter(**_own(user), from_worker=False, read_at__isnull=True)


def _returned(user: int) -> QuerySet[Assignment]:
    """Assignments that the person may take up again: with what they had entered, or whose time ran out lately."""
    lately = Q(state=lifecycle.EXPIRED, ended_at__gt=Now() - EXPIRED_SHOWN)
    rows = Assignment.objects.filter(**_own(user), state__in=[lifecycle.RETURNED, lifecycle.EXPIRED])
    return rows.filter(lately | Q(draft__isnull=False), batch__state=Batch.State.OPEN).select_related("batch")


def _repairs(user: int) -> QuerySet[Review]:
    return review_decisions.to_repair(**_own(user))


def _feedback(user: int) -> QuerySet[Feedback]:
    return Feedback.objects.waiting().filter(**_own(user))


def _own(user: int) -> dict[str, Any]:
    """Rows of the person's workers, without those of deleted projects."""
    return {"worker__user": user, "worker__project__removed_at": None}


@signed_in_page
def batch_done(request: Request, pk: int) -> HttpResponse:
    """No HITs are left for the viewer in this batch now, and why."""
    batch, worker = open_batch(request, pk)
    reason = open_work.obstacle(worker, batch)
    missing = eligibility.missing(worker, batch) if reason == "unqualified" else []
    found = round_attempts.round_of(batch)
    outcome = round_results.round_status(worker, found) if found else None
    participation = participation_of(worker, batch)
    at_work = set(Assignment.objects.filter(batch=batch, state=lifecycle.ACCEPTED).values_list("worker", flat=True))
    left = worker.pk in at_work or open_work.left(participation, most=1) > 0
    context = {"batch": batch, "reason": reason, "missing": missing, "outcome": outcome}
    context |= {"done": participation.done, "left": left, "finished": not left and not at_work}
    context |= {"scores": worker_scores.own_scores(batch, worker), "altered": altered_facts.disclosed(batch, worker)}
    return render(request, "work/done.html", context)


@signed_in_page
def history(request: Request) -> HttpResponse:
    """The viewer's submitted responses with decisions, newest first; in open batches they can still be changed."""
    rows = Assignment.objects.filter(**_own(request.user.pk), state=lifecycle.SUBMITTED)
    rows = rows.select_related("batch", "hit__item")
    decided = Prefetch("approvals", Approval.objects.order_by("-pk"), to_attr="decided")
    written = worker_messages.counted(rows.order_by("-submitted_at", "-pk"))
    page: Page[Any] = Paginator(written.prefetch_related(decided, "responses"), 50).get_page(request.GET.get("page"))
    returned = review_decisions.to_repair(worker__user=request.user).filter(assignment__in=[row.pk for row in page])
    scored = {row.batch_id: row for row in reversed(page) if worker_scores.is_scored(row)}
    altered = {row.batch_id: row for row in reversed(page) if altered_facts.is_disclosed(row)}
    for row in page:
        row.heading = heading(row.batch, row.hit)
        row.words = ""
        if row.current:
            row.words = words_of(task_type(row.batch.task), row.hit.payload, row.current.answer, to_worker=True)
        row.leads_to_scores = scored.get(row.batch_id) is row
        row.leads_to_facts = altered.get(row.batch_id) is row
    context = {"page": page, "returned": {review.assignment_id: review for review in returned}}
    return render(request, "work/history.html", context | worker_tabs(request, "history"))


def workers_of(request: Request) -> list[Worker]:
    """The viewer's workers, one for each project."""
    rows = request.user.workers.filter(active=True, project__removed_at=None)
    return list(rows.select_related("project").order_by("project__title"))


def own_worker(request: Request, slug: str) -> Worker:
    """The viewer as a worker of that project; 404 if they are not."""
    rows = Worker.objects.select_related("project").filter(project__removed_at=None)
    return get_object_or_404(rows, project__slug=slug, user=request.user)


def worker_tabs(request: Request, here: str) -> dict[str, Any]:
    """Context of templates/work/_worker_tabs.html: the current page, and the number of new messages."""
    return {"here": here, "unread_messages": _unread(request.user.pk).count()}


@signed_in_page
def my_qualifications(request: Request) -> HttpResponse:
    """The viewer's qualifications, requests, and qualifications they may request, by project."""
    standing = [_standing(worker) for worker in workers_of(request)]
    context = {"projects": standing, **worker_tabs(request, "my-qualifications")}
    return render(request, "people/my_qualifications.html", context)


def _standing(worker: Worker) -> dict[str, Any]:
    types = {type.public_id: type for type in qualification_types.types_of(worker.project)}
    held = qualification_types.held(worker)
    own = [(key, type) for key, type in types.items() if key in held]
    requests = QualificationRequest.objects.filter(worker=worker).exclude(state="granted").select_related("type")
    ways = [(type, eligibility.way_to(type, worker)) for key, type in types.items() if key not in held]
    return {
        "worker": worker,
        "held": [(type, held[key].value, eligibility.way_to(type, worker)) for key, type in own],
        "reckoned": eligibility.reckoned(held),
        "requests": requests.order_by("-started_at", "-pk")[:50],
        "open": [(type, way) for type, way in ways if way in ("ask", "test")],
    }


@signed_in_action
def qualification_ask(request: Request, public_id: str) -> HttpResponse:
    """Request a qualification."""
    visible = QualificationType.objects.filter(project__workers__user=request.user, deleted_at__isnull=True)
    type = get_object_or_404(visible, public_id=public_id)
    with refusal_as_message(request, messages.warning):
        row = qualification_types.request(type, own_worker(request, type.project.slug))
        waits = _("You requested “%(name)s”. The decision will appear here.")
        text = _("You now have “%(name)s”.") if row.state == QualificationRequest.State.GRANTED else waits
        messages.success(request, text % {"name": type.name})
    return HttpResponseRedirect(safe_next(request, "my-qualifications"), status=303)


def _may_claim(worker: Worker) -> bool:
    return mturk_ids.are_awaited(worker.project) and mturk_ids.may_claim(worker)


@signed_in_action
def claim_mturk_id(request: Request, slug: str) -> HttpResponse:
    """State the worker ID that the viewer had on Mechanical Turk."""
    worker, name = own_worker(request, slug), request.POST.get("mturk_id", "").strip()
    try:
        mturk_ids.claim(worker, name)
    except Refused as refused:
        context = {"form": DetailsForm.of(worker), "project": worker.project, "mturk": _may_claim(worker)}
        posted = {"mturk_id": name, "mturk_problem": str(refused)}
        return render(request, "people/worker_details.html", context | posted, status=422)
    messages.success(request, _("Your worker ID is now linked to this account."))
    return see_other("my-qualifications")


@signed_in_page
def my_earnings(request: Request) -> HttpResponse:
    """The viewer's earnings by state, by project and by batch."""
    rows: list[dict[str, Any]] = [
        {"worker": worker, "sums": wages.earnings(worker), "batches": eligibility.earned_by_batch(worker)}
        for worker in request.user.workers.select_related("project").filter(project__removed_at=None)
    ]
    rows.sort(key=lambda row: row["worker"].project.title)
    shown = [row for row in rows if row["batches"] or row["sums"].approved]
    return render(request, "money/earnings.html", {"projects": shown, **worker_tabs(request, "my-earnings")})


@signed_in_page
def my_messages(request: Request) -> HttpResponse:
    """The viewer's messages, newest first; viewing does not mark them as read."""
    workers = workers_of(request)
    rows = Message.objects.filter(worker__in=workers).select_related("worker__project", "assignment__batch")
    page = Paginator(rows.order_by("-created_at", "-pk"), 50).get_page(request.GET.get("page"))
    thread = [
        {
            "project": worker.project,
            "form": MessageForm(auto_id=f"{worker.public_id}-%s"),
            "unread": worker_messages.unread(worker).exists(),
        }
        for worker in workers
    ]
    context = {"page": page, "thread": thread, **worker_tabs(request, "my-messages")}
    return render(request, "notifications/my_messages.html", context)


@signed_in_action
def message_write(request: Request, slug: str) -> HttpResponse:
    """Send a message to a project's requesters, or only mark theirs as read."""
    worker = own_worker(request, slug)
    form = MessageForm(request.POST)
    worker_messages.read(worker)
    if "read" in request.POST:
        return see_other("my-messages")
    if form.is_valid():
        with refusal_as_message(request, messages.warning):
            worker_messages.ask(worker, form.cleaned_data["subject"], form.cleaned_data["text"])
            messages.success(request, _("Sent."))
    else:
        messages.warning(request, _("Write a message before you send it."))
    return see_other("my-messages")


@signed_in_form
def my_details(request: Request, slug: str) -> HttpResponse:
    """The viewer's details for one project: country, subdivision, adult content."""
    worker = own_worker(request, slug)
    form = DetailsForm(request.POST) if request.method == "POST" else DetailsForm.of(worker)
    if form.is_bound and form.is_valid():
        sign_up.state_details(worker, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return see_other("work")
    context = {"form": form, "project": worker.project, "mturk": _may_claim(worker)}
    return render(request, "people/worker_details.html", context, status=422 if form.is_bound else 200)


@signed_in_form
def feedback(request: Request, pk: int) -> HttpResponse:
    """The viewer's feedback; POST acknowledges it and shows the next, then goes back to the work."""
    rows = Feedback.objects.select_related("batch__project", "assignment__hit", "worker__project", "author")
    row = get_object_or_404(rows, pk=pk, worker__user=request.user, worker__project__removed_at=None)
    after = whole_number(request.POST.get("batch") or request.GET.get("batch") or "", 0)
    if request.method != "POST":
        context = {"feedback": row, "text": wording(row), "batch": row.batch, "after": after}
        return render(request, "work/feedback.html", context)
    worker_feedback.acknowledge(row)
    if after:
        batch, worker = open_batch(request, after)
        return next_page(worker, batch)
    following = worker_feedback.first_waiting(row.worker)
    return see_other("feedback", following.pk) if following else see_other("work")


def wording(feedback: Feedback) -> str:
    """The worker's own words that the feedback is about; "" if there are none."""
    assignment = feedback.assignment
    if assignment is None or assignment.current is None:
        return ""
    task, payload, answer = task_type(feedback.batch.task), assignment.hit.payload, assignment.current.answer
    if isinstance(task, Rated):  # whose wording is what a requester would edit, as JSON
        return words_of(task, payload, answer, to_worker=True)
    return str(capabilities.review(task, payload, answer)["text"])
