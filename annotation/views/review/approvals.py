"""The approval queue: responses with their deadlines, decided one by one or many at once."""

import secrets
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation.flow.errors import Conflict, Refused
from annotation.flow.review import approval_queue, assignment_approval
from annotation.models import Assignment, Project, clock
from annotation.operations.downloads import CSV, logged_download
from annotation.pure.people import roles
from annotation.registry import task_type
from annotation.views.access import Request, member_action, member_form, member_page
from annotation.views.batches.hits import hit_of, responses_of, side_by_side
from annotation.views.post_handling import posted_text, whole_number
from annotation.views.response_words import words_of
from annotation.views.work.task_frame import shortcut_context

NOT_PAID = gettext_noop(
    "These responses are not paid. Each worker sees the reason, and a rejection counts against them. You can "
    "reverse it within 30 days."
)
PAID = gettext_noop("These responses are paid immediately, with the fees. Approvals are final.")
MANY = {  # decisions on many: question, explanation, field, button
    approval_queue.APPROVE: (
        gettext_noop("Approve these responses?"), PAID, gettext_noop("Message to the workers (optional)"),
        gettext_noop("Approve"),
    ),
    approval_queue.OVERRIDE: (
        gettext_noop("Reverse these rejections?"), PAID, gettext_noop("Message to the workers (optional)"),
        gettext_noop("Approve"),
    ),
    approval_queue.REJECT: (
        gettext_noop("Reject these responses?"), NOT_PAID, gettext_noop("Reason (shown to each worker)"),
        gettext_noop("Reject"),
    ),
    approval_queue.RETURN: (
        gettext_noop("Request changes to these responses?"),
        gettext_noop("The time until automatic approval starts again now, and once more when the worker submits "
                     "the changes."),
        gettext_noop("What should be changed? (shown to each worker)"), gettext_noop("Request changes"),
    ),
    approval_queue.BONUS: (
        gettext_noop("Pay a bonus for each of these responses?"),
        gettext_noop("Each response earns the bonus in addition to its reward. It is paid immediately."),
        gettext_noop("Reason (shown to each worker)"), gettext_noop("Pay the bonus"),
    ),
    approval_queue.MESSAGE: (
        gettext_noop("Write to the workers about these responses?"),
        gettext_noop("One message is sent for each response."),
        gettext_noop("To the workers"), gettext_noop("Send"),
    ),
}  # fmt: skip
WORDS = ("act", "text", "amount", "form")  # posted fields that a form with errors shows again
MOST_DECIDED = 500  # responses decided on at once


@member_page(roles.PAY)
def approvals(request: Request, project: Project) -> HttpResponse:
    """The approval queue, ordered by time of automatic approval; responses can be decided on in bulk."""
    wanted = approval_queue.ApprovalFilter.of(request.GET)
    page = wanted.page(approval_queue.listed(project, wanted), request.GET)
    page.object_list = [_line(row) for row in page.object_list]
    context = {
        "project": project,
        "section": "approvals",
        "wanted": wanted,
        "shows": [(name, _(label)) for name, label in approval_queue.SHOWS.items()],
        "page": page,
        "batches": (batches := approval_queue.by_batch(project)),
        "of_batch": wanted.batch or (wanted.show == "waiting" and len(batches) == 1),
        "pressing": approval_queue.pressing(project),
        "query": wanted.key,
        "groups": _by_worker(page.object_list),
        "first": page.object_list[0] if page.object_list and wanted.show == "waiting" else None,
    }
    return render(request, "review/approvals.html", context)


def _by_worker(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of each worker, {"worker", "lines", "earned"}, in the order of their first."""
    found: dict[int, list[dict[str, Any]]] = {}
    for line in lines:
        found.setdefault(line["row"].worker_id, []).append(line)
    sums = [(own, sum(line["earned"] for line in own)) for own in found.values()]
    return [{"worker": own[0]["row"].worker, "lines": own, "earned": earned} for own, earned in sums]


def _line(row: Assignment) -> dict[str, Any]:
    text = words_of(task_type(row.batch.task), row.hit.payload, row.current.answer) if row.current else ""
    return {"row": row, "text": text, "earned": assignment_approval.earned(row), **_clock(row)}


def _clock(row: Assignment) -> dict[str, Any]:
    now = clock.now()
    left = (row.auto_approve_at or now) - now
    return {"pressing": not row.approval and left < approval_queue.ALARM, "overdue": left.total_seconds() <= 0}


@member_action(roles.PAY)
def approvals_decide(request: Request, project: Project) -> HttpResponse:
    """Decide on all chosen responses: first a confirmation, then the decision."""
    ids = [name.replace("\0", "") for name in request.POST.getlist("which")[:MOST_DECIDED]]
    rows = list(approval_queue.project_rows(project).filter(public_id__in=ids).order_by("auto_approve_at", "pk"))
    query = approval_queue.ApprovalFilter.of(request.GET).key
    back = f"{reverse('approvals', args=[project.slug])}?{query}".rstrip("?")
    decision = approval_queue.BulkDecision(
        act=request.POST.get("act", ""),
        text=posted_text(request, "text"),
        amount=_amount(request),
        form=request.POST.get("form", "")[:32] or secrets.token_hex(8),
    )
    if not rows or decision.act not in MANY:
        messages.warning(request, _("Select responses first, then an action."))
        return HttpResponseRedirect(back, status=303)
    context = {"project": project, "section": "approvals", "decision": decision, "rows": rows, "back": back}
    context |= {"stake": approval_queue.stake(rows), "bonuses": approval_queue.bonuses(rows)}
    context |= {"query": query, "problem": ""}
    context["posted_amount"] = request.POST.get("amount", "")[:20]
    texts = zip(("title", "meaning", "label", "button"), MANY[decision.act], strict=True)
    context |= {name: _(text) for name, text in texts}
    if "confirm" not in request.POST:
        return render(request, "review/confirm_approvals.html", context)
    try:
        if decision.act == approval_queue.BONUS:
            approval_queue.check_seen(rows, _seen(request), decision.form)
        outcome = approval_queue.decide_all(rows, decision, user=request.user)
    except Refused as refused:
        return render(request, "review/confirm_approvals.html", context | {"problem": str(refused)}, status=422)
    _add_messages(request, outcome)
    return HttpResponseRedirect(back, status=303)


def _add_messages(request: Request, outcome: approval_queue.Outcome) -> None:
    n = outcome.done
    messages.success(request, ngettext("Done for %(n)s response.", "Done for %(n)s responses.", n) % {"n": n})
    for reason in dict.fromkeys(outcome.refused):
        count = outcome.refused.count(reason)
        messages.warning(request, _("Not done for %(n)s: %(reason)s") % {"n": count, "reason": reason})


@member_form(roles.PAY)
def approval(request: Request, project: Project, public_id: str) -> HttpResponse:
    """One response with what it earns; POST decides, pays a bonus, sends a message, or requests changes."""
    row = get_object_or_404(approval_queue.project_rows(project), public_id=public_id)
    row.batch.project = project
    if request.method != "POST":
        return _page(request, project, row)
    following = _neighbours(request, project, row)["next"]
    try:
        onward = _act(request, row)
    except Conflict as conflict:
        return _page(request, project, row, problem=str(conflict), status=409)
    except Refused as refused:
        return _page(request, project, row, problem=str(refused), status=422)
    if not onward:
        return _see(request, project, row.public_id)
    return _see(request, project, following.public_id if following else "")


def _see(request: Request, project: Project, public_id: str) -> HttpResponse:
    given = [project.slug, public_id] if public_id else [project.slug]
    page = reverse("approval" if public_id else "approvals", args=given)
    return HttpResponseRedirect(f"{page}?{approval_queue.ApprovalFilter.of(request.GET).key}".rstrip("?"), status=303)


def _act(request: Request, row: Assignment) -> bool:
    """Carry out the posted action; returns whether to show the next response."""
    act, text, user = request.POST.get("act", ""), posted_text(request, "text"), request.user
    if act == "bonus":
        form, seen = request.POST.get("form", ""), _seen(request)
        approval_queue.bonus(row, _amount(request), reason=text, form=form, user=user, seen=seen)
        text = _("The bonus is on its way.") if row.batch.on_marketplace else _("The bonus was paid.")
        messages.success(request, text)
    elif act == "message":
        approval_queue.message(row, posted_text(request, "subject"), text, user=user)
        messages.success(request, _("Sent."))
    elif act == "return":
        revision = whole_number(request.POST.get("revision", ""), 0)
        approval_queue.send_back(row, revision, message=text, user=user)
        done = _(
            "Changes requested. The time until approval starts again now, and once more when the worker submits the "
            "changes."
        )
        messages.success(request, done)
    else:
        reject, override = approval_queue.REJECT, approval_queue.OVERRIDE
        texts = {reject: _("Rejected. You can reverse this within 30 days."), override: _("Paid.")}
        is_done = approval_queue.decide(row, act, text=text, user=user)
        messages.success(request, texts.get(act, _("Approved.")) if is_done else _("That was decided before."))
    return act in {approval_queue.APPROVE, approval_queue.REJECT, "return"}


def _seen(request: Request) -> Decimal:
    """The bonuses that the form was made with; 0 if it does not say."""
    try:
        return Decimal(request.POST.get("paid", "")[:20])
    except InvalidOperation:
        return Decimal(0)


def _amount(request: Request) -> Decimal:
    try:
        amount = Decimal(request.POST.get("amount", "")[:20].strip().removeprefix("$"))
    except InvalidOperation:
        return Decimal(0)
    return amount if amount.is_finite() else Decimal(0)


def _neighbours(request: Request, project: Project, row: Assignment) -> dict[str, Assignment | None]:
    """The previous and next response in the filtered queue."""
    wanted = replace(approval_queue.ApprovalFilter.of(request.GET), show="waiting")
    queue = approval_queue.listed(project, wanted).exclude(pk=row.pk)
    after = queue.filter(auto_approve_at__gte=row.auto_approve_at)
    later = after.exclude(auto_approve_at=row.auto_approve_at, pk__lt=row.pk)
    before = queue.filter(auto_approve_at__lte=row.auto_approve_at)
    earlier = before.exclude(auto_approve_at=row.auto_approve_at, pk__gt=row.pk)
    return {"next": later.first() or earlier.first(), "previous": earlier.order_by("-auto_approve_at", "-pk").first()}


def _page(request: Request, project: Project, row: Assignment, *, problem: str = "", status: int = 200) -> HttpResponse:
    hit = hit_of(row.batch, row.hit.public_id)
    own = [response for response in responses_of(hit) if response["assignment"].pk == row.pk]
    context = {
        "project": project,
        "section": "approvals",
        "assignment": row,
        "batch": row.batch,
        "hit": hit,
        **side_by_side(row.batch, hit, own),
        "earned": assignment_approval.earned(row),
        "payments": row.payments.order_by("pk"),
        "history": row.approvals.select_related("author").order_by("pk"),
        "thread": row.messages.order_by("pk"),
        "can_return": not row.approval and approval_queue.can_be_returned(row.batch),
        "can_override": assignment_approval.can_be_overridden(row),
        "form": secrets.token_hex(8),
        "bonuses": approval_queue.bonuses([row]),
        "problem": problem,
        "posted": {name: request.POST.get(name, "") for name in WORDS} if problem else {},
        "left": approval_queue.waiting(project).count(),
        "query": approval_queue.ApprovalFilter.of(request.GET).key,
        **shortcut_context(request),
        **_clock(row),
        **_neighbours(request, project, row),
    }
    return render(request, "review/approval.html", context, status=status)


@member_page(roles.PAY)
def approvals_file(request: Request, project: Project) -> HttpResponseBase:
    """Every decision of the project as CSV."""
    return logged_download(
        request, project, approval_queue.lines(project), name=f"{project.slug}-decisions.csv", kind=CSV
    )
