"""The HITs of a batch: a list by disagreement, one HIT with all responses and gold, and those reserved for workers."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import select_template
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.flow.batches import batch_progress, hit_filters, reserved_hits
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.batches.hit_headings import heading
from annotation.flow.errors import Refused
from annotation.flow.notifications import worker_messages
from annotation.flow.people.worker_names import name_uncomposed
from annotation.flow.review import comments, gold_looks, problem_reports, review_decisions
from annotation.models import Assignment, Batch, Hit, Project
from annotation.models.batch import by_disagreement
from annotation.pure.batches import lifecycle
from annotation.pure.data.example import Example
from annotation.pure.people import roles
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, capabilities
from annotation.views.access import Request, member_action, member_page, requester_action, requester_form
from annotation.views.batches.batch_page import batch_context, is_folded
from annotation.views.post_handling import refusal_as_message, see_other, whole_number
from annotation.views.response_words import with_words
from annotation.views.review.comments import letter_of, thread_context
from annotation.views.review.review import state_words
from annotation.views.work.task_frame import PROBLEM_REASONS

SIZE = 25  # HITs on a page
ORDERS: dict[str, list[Any]] = {
    "disagreement": [by_disagreement().desc(), "pk"],
    "ticket": ["ticket"],
    "answers": ["-done", "pk"],
}


@member_page(roles.SEE)
def hits(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """List HITs, highest disagreement first, as of the last report; in the order of assignment while that is folded."""
    filters = part_context(request, batch)
    folded = filters["folded"]
    show, order, query = _listing_parameters(request, folded=folded)
    pages = Paginator(listed(request, batch, filters["part"], folded=folded).values_list("pk", flat=True), SIZE)
    state = hit_filters.HitFilter.of({"state": show}).state or show
    if state in {"all", *hit_filters.STATES} and not query and not filters["part"].query:
        pages.count = batch_progress.hits_of(batch)[state]
    page: Page[Any] = pages.get_page(request.GET.get("page"))
    # only these are read with their items: an index has the order, and pages before this one are counted in it
    found = Hit.objects.select_related("item__dataset").defer("payload", "item__content", "item__dataset__report")
    known = found.in_bulk(list(page.object_list))
    page.object_list = [known[key] for key in page.object_list]
    name_uncomposed(hit.item for hit in page)
    numbers = comments.numbers_on_hits(page)
    for row in page:
        row.number_of_comments = numbers[row.pk]
    context = batch_context(batch, "hits", page=page, show=show, order=order, query=query, **filters)
    context["may_reserve"] = roles.RUN in request.may and reserved_hits.allowed(batch)
    context["can_reserve"] = context["may_reserve"] and "assign" in request.GET
    context["narrowed"] = show != "all" or "order" in request.GET
    context["filters"] = [("show", show), ("order", order), ("q", query), *filters["part"].query.items()]
    return render(request, "batches/hits.html", context)


def _listing_parameters(request: Request, *, folded: bool) -> tuple[str, str, str]:
    query = request.GET.get("q", "").strip().replace("\0", "")[:200]
    usual = "ticket" if folded else "disagreement"
    order = request.GET.get("order", usual)
    return request.GET.get("show", "all"), order if order in ORDERS.keys() - {"disagreement"} else usual, query


def listed(request: Request, batch: Batch, part: BatchPart, *, folded: bool = True) -> QuerySet[Hit]:
    """The HITs that match the query string, in its order; `folded`: not by disagreement."""
    show, order, query = _listing_parameters(request, folded=folded)
    wanted = hit_filters.HitFilter.of({"q": query, "state": show, "checks": "yes" if show == "checks" else ""})
    rows = hit_filters.hits_in(batch, part, wanted.hits(batch).order_by(*ORDERS[order]))
    return rows.exclude(pk__in=hits_revealed_by_filter(part, rows, request.user))


def hits_revealed_by_filter(part: BatchPart, hits: QuerySet[Hit], viewer: Any) -> list[int]:
    """Keys of the HITs to leave out: the filter tells what one worker said, and the viewer is still to adjudicate."""
    return [hit.pk for hit in gold_looks.hidden_among(hits, viewer)] if part.worker and part.label else []


@member_page(roles.SEE)
def hit(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """One HIT: question, context with gold, all responses side by side, with revisions and times.

    Blind for a viewer who is still to adjudicate it and has not opened gold and names.
    """
    row = hit_of(batch, public_id)
    hidden = gold_looks.hidden([row], request.user) if roles.REVIEW in request.may else []
    responses = blind_responses(row) if hidden else responses_of(row)
    compared = side_by_side(batch, row, responses, blind=bool(hidden))
    leaf = Truncator(heading(batch, row)).chars(60)
    context = batch_context(batch, "hits", leaf=leaf, hit=row, **compared, **_around(row))
    if hidden:
        context["gold_hidden"] = hidden
    else:
        context["standings"] = _standings(batch, row, responses)
        context |= thread_context(request, project, row)
    context["reasons"] = [(key, _(text)) for key, text in PROBLEM_REASONS.items()]
    return render(request, "batches/hit.html", context)


def responses_of(row: Hit) -> list[dict[str, Any]]:
    """All submitted assignments of the HIT under their letters; without those whose response was erased.

    In the order of their random ids, so that neither order nor letters tell who gave a response, and they are the same
    on every page.
    """
    done = batch_progress.assignments_of(row.batch).filter(hit=row, state=lifecycle.SUBMITTED)
    done = done.select_related("worker__project").prefetch_related("responses").order_by("public_id")
    kept = [assignment for assignment in done if assignment.responses.all()]
    return [_response(letter_of(number), assignment) for number, assignment in enumerate(kept)]


def blind_responses(row: Hit) -> list[dict[str, Any]]:
    """The same without workers, and without responses that started with a suggestion, which are in no result."""
    return [each | {"worker": None} for each in responses_of(row) if not each["assignment"].suggested]


def side_by_side(batch: Batch, row: Hit, responses: list[dict[str, Any]], *, blind: bool = False) -> dict[str, Any]:
    """Context of the task's compare template: responses with their `column`, `compare` and `blind`.

    `blind`: without gold, names, scores and what the responses add up to.
    """
    given = [GivenResponse(response["letter"], response["answer"].answer) for response in responses]
    gold = Example(id="", question="", paragraphs=()) if blind else row.item.example
    compare = capabilities.compare(task_type(batch.task), row.payload, given, gold)
    for response, column in zip(responses, compare["columns"], strict=True):
        response["column"] = column
    template = select_template([f"{batch.task}/_compare.html", "review/_compare.html"])
    return {"responses": responses, "compare": compare, "compare_template": template.template.name, "blind": blind}


def hit_of(batch: Batch, public_id: str) -> Hit:
    """The HIT in the batch; 404 otherwise."""
    return get_object_or_404(batch.hits.select_related("item__dataset", "batch"), public_id=public_id)


def _response(letter: str, assignment: Assignment) -> dict[str, Any]:
    revisions: list[Any] = sorted(assignment.responses.all(), key=lambda answer: answer.revision)
    for answer in revisions:
        answer.at = assignment.submitted_at if answer.revision == 1 else answer.created_at
    return {
        "letter": letter,
        "assignment": assignment,
        "worker": assignment.worker,
        "answer": revisions[-1],
        "earlier": revisions[-2::-1],
    }


def _standings(batch: Batch, hit: Hit, responses: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The review of each response; of a task without reviews only what a requester chose in adjudication."""
    is_reviewed = review_decisions.is_reviewed(batch)
    standings = review_decisions.responses_with_reviews([response["assignment"] for response in responses])
    task = task_type(batch.task)
    several = sum(standing.takes_part for standing in standings) > 1
    return [
        {
            "letter": response["letter"],
            "standing": standing,
            "words": standing.review
            and capabilities.edited_words(task, with_words(hit.payload), standing.answer.answer, standing.review.text),
            "is_reviewed": is_reviewed,
            "choose": is_reviewed and several and standing.takes_part and standing.state not in review_state.TAKEN,
            **state_words(standing.state),
        }
        for response, standing in zip(responses, standings, strict=True)
        if is_reviewed or standing.review
    ]


def _around(row: Hit) -> dict[str, Any]:
    """Assignments of the HIT under way and returned, and its problem reports."""
    others = batch_progress.assignments_of(row.batch).filter(hit=row).exclude(state=lifecycle.SUBMITTED)
    assignments = row.assignments.prefetch_related("problem_reports")
    reports: list[Any] = [report for assignment in assignments for report in assignment.problem_reports.all()]
    for report in reports:
        report.reason_text = _(PROBLEM_REASONS.get(report.reason, report.reason))
    thread = list(worker_messages.unread_from_workers(assignment__hit=row).select_related("assignment"))
    return {"others": others.select_related("worker__project"), "problem_reports": reports, "thread": thread}


@member_action(roles.REVIEW)
def hit_open(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """Open gold, names and scores of a HIT that the viewer is still to adjudicate, which is logged."""
    gold_looks.record_looks([hit_of(batch, public_id)], request.user)
    return see_other("hit", project.slug, batch.slug, public_id)


@member_action(roles.REVIEW)
def hit_exclude(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """Exclude the HIT, with a reason for the report."""
    row = hit_of(batch, public_id)
    text = _(PROBLEM_REASONS.get(request.POST.get("reason", ""), ""))
    more = request.POST.get("text", "").strip().replace("\0", "")
    reason = ": ".join(part for part in (text, more) if part)[:500]
    done = _("The HIT is excluded. Scores leave it out from now on. You can restore it at any time.")
    if not reason:
        messages.error(request, _("Nothing was changed. Give a reason, then exclude the HIT again."))
    elif problem_reports.exclude(row, reason=reason):
        messages.success(request, done)
    return see_other("hit", project.slug, batch.slug, public_id)


@member_action(roles.REVIEW)
def hit_restore(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """Restore an excluded HIT."""
    row = hit_of(batch, public_id)
    with refusal_as_message(request):
        if problem_reports.restore(row):
            messages.success(request, _("The HIT is restored and counts again."))
    return see_other("hit", project.slug, batch.slug, public_id)


MOST_WORKERS = 300  # to choose from


def part_context(request: Request, batch: Batch) -> dict[str, Any]:
    """`part` from the query string, and the choices of `reports/_more_filters.html`: parts, labels, workers.

    `folded`: whether scores are, so that no HITs are chosen by their disagreement.
    """
    part, folded = BatchPart.of(request.GET), is_folded(request, batch)
    decisions = {name: _(label.words) for name, label in capabilities.labels(task_type(batch.task)).items()}
    return {
        "part": replace(part, differing=False) if folded else part,
        "folded": folded,
        "parts": hit_filters.parts_of(batch),
        "decisions": decisions if len(decisions) > 1 else {},
        "pseudonyms": sorted(hit_filters.pseudonyms(batch))[:MOST_WORKERS],
    }


MOST_HITS = 500  # in one request
SKIPPED = {
    reserved_hits.HAD: gettext_lazy("they had it before"),
    reserved_hits.MET: gettext_lazy("they saw another member of its group"),
    reserved_hits.EXCLUDED: gettext_lazy("the HIT is excluded"),
    reserved_hits.ALREADY: gettext_lazy("it was already assigned to them"),
}


@requester_form
def reserve_hits(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The HITs of the query string, the workers to choose from, and reservations; POST reserves."""
    hits = _chosen(request, batch)
    people = list(reserved_hits.people(batch))
    ticked = {whole_number(key, 0, digits=18) for key in request.POST.getlist("to")}
    problem = ""
    if request.method == "POST":
        chosen = [worker for worker in people if worker.pk in ticked]
        try:
            _add_messages(request, reserved_hits.reserve(batch, hits, chosen, user=request.user))
            return see_other("batch-reserve", project.slug, batch.slug)
        except Refused as refusal:
            problem = str(refusal)
    reserved = list(reserved_hits.rows(batch)[:200])
    states = reserved_hits.states(reserved)
    context = batch_context(
        batch,
        "hits",
        leaf=_("Assign HITs to workers"),
        hits=hits,
        people=[(worker, worker.pk in ticked) for worker in people],
        problem=problem,
        reserved=[(row, states[row.pk]) for row in reserved],
    )
    return render(request, "batches/assign_hits.html", context, status=422 if problem else 200)


def _chosen(request: Request, batch: Batch) -> list[Hit]:
    """The checked HITs, or with `all` the HITs of the whole filtered list, in order."""
    if "all" in request.GET:
        rows = listed(request, batch, BatchPart.of(request.GET))
    else:
        rows = batch.hits.filter(public_id__in=request.GET.getlist("hit")[:MOST_HITS]).order_by("ticket")
    return list(rows.select_related("item").defer("payload", "item__content")[:MOST_HITS])


def _add_messages(request: Request, outcome: reserved_hits.Outcome) -> None:
    if outcome.reserved:
        text = ngettext("%(n)s HIT was assigned.", "%(n)s HITs were assigned.", outcome.reserved)
        first = _("It comes first when they take their next HIT.")
        messages.success(request, f"{text % {'n': outcome.reserved}} {first}")
    for reason, count in outcome.skipped.items():
        messages.warning(request, _("Not assigned (%(n)s): %(reason)s") % {"n": count, "reason": SKIPPED[reason]})


@requester_action
def release_hits(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Cancel reservations that were not taken yet."""
    keys = [whole_number(key, 0, digits=18) for key in request.POST.getlist("reserved")]
    if gone := reserved_hits.release(batch, keys):
        text = ngettext("%(n)s HIT was unassigned.", "%(n)s HITs were unassigned.", gone)
        messages.success(request, text % {"n": gone})
    else:
        messages.warning(request, _("Nothing was changed: they have accepted it already."))
    return see_other("batch-reserve", project.slug, batch.slug)
