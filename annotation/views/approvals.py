"""What waits to be paid for: a queue with its clock, one answer at a time or many at once."""

from __future__ import annotations

import secrets
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.downloads import CSV, sent
from annotation.flow import approving, awaiting
from annotation.flow.refusal import Conflict, Refused
from annotation.models import Assignment, Project, clock
from annotation.pure import roles
from annotation.registry import task_type
from annotation.views.access import member_required, require_get_or_post
from annotation.views.frame import shortcuts_of
from annotation.views.hits import hit_of, judgments_of, side_by_side

SHOWS = {"waiting": gettext_noop("waiting"), "approved": gettext_noop("approved"), "rejected": gettext_noop("rejected")}
NOT_PAID = gettext_noop(
    "They are not paid. Each worker reads the reason; a rejection counts against them, and you can take it back within "
    "30 days."
)
PAID = gettext_noop("They are paid at once, with the fees. What is approved cannot be taken back.")
MANY = {  # what may be done to many: the question, what it means, what is to be written, the button
    awaiting.APPROVE: (
        gettext_noop("Approve these?"), PAID, gettext_noop("A word to the workers, if you like"),
        gettext_noop("Approve"),
    ),
    awaiting.OVERRIDE: (
        gettext_noop("Take these rejections back?"), PAID, gettext_noop("A word to the workers, if you like"),
        gettext_noop("Approve"),
    ),
    awaiting.REJECT: (
        gettext_noop("Reject these?"), NOT_PAID, gettext_noop("Why? Each of the workers reads this."),
        gettext_noop("Reject"),
    ),
    awaiting.RETURN: (
        gettext_noop("Return these for repair?"),
        gettext_noop("The time until they are approved by themselves begins anew, and again when they are repaired."),
        gettext_noop("What is to be repaired? Each of the workers reads this."), gettext_noop("Return"),
    ),
    awaiting.BONUS: (
        gettext_noop("Pay a bonus for each of these?"),
        gettext_noop("Each answer earns the bonus, besides its reward. It is paid at once."),
        gettext_noop("What for? Each of the workers reads this."), gettext_noop("Pay the bonus"),
    ),
    awaiting.MESSAGE: (
        gettext_noop("Write about these?"), gettext_noop("One letter for each answer."),
        gettext_noop("To the workers"), gettext_noop("Send"),
    ),
}  # fmt: skip
WORDS = ("act", "text", "amount", "form")  # of what was posted, those that a refused form shows again
PAGE, MOST = 50, 500  # answers shown, and decided on, at once


def _rows(request: HttpRequest, project: Project, show: str) -> QuerySet[Assignment]:
    """The answers under the filters of the address: a batch's, a worker's."""
    rows = awaiting.waiting(project) if show == "waiting" else awaiting.decided(project, show)
    narrowed = {"batch__slug": request.GET.get("batch"), "worker__public_id": request.GET.get("worker")}
    return rows.filter(**{name: value.replace("\0", "") for name, value in narrowed.items() if value})


def _filters(request: HttpRequest) -> str:
    return urlencode({name: request.GET[name] for name in ("show", "batch", "worker") if request.GET.get(name)})


@never_cache
@require_safe
@member_required(roles.PAY)
def approvals(request: HttpRequest, project: Project) -> HttpResponse:
    """The queue: what is approved by itself first stands first, and can be decided on together."""
    show = request.GET.get("show") if request.GET.get("show") in SHOWS else "waiting"
    page = Paginator(_rows(request, project, str(show)), PAGE).get_page(request.GET.get("page"))
    page.object_list = [_line(row) for row in page.object_list]
    context = {
        "project": project,
        "section": "approvals",
        "show": show,
        "shows": [(name, _(label)) for name, label in SHOWS.items()],
        "page": page,
        "batches": awaiting.by_batch(project),
        "pressing": awaiting.pressing(project),
        "batch": request.GET.get("batch", ""),
        "worker": request.GET.get("worker", ""),
        "query": _filters(request),
        "first": page.object_list[0] if page.object_list and show == "waiting" else None,
    }
    return render(request, "approvals/approvals.html", context)


def _line(row: Assignment) -> dict[str, Any]:
    said = task_type(row.batch.task).brief(row.hit.payload, row.current.answer) if row.current else ""
    return {"row": row, "said": said, "earned": approving.earned(row), **_clock(row)}


def _clock(row: Assignment) -> dict[str, Any]:
    left = row.auto_approve_at - clock.now()
    return {"pressing": not row.approval and left < awaiting.ALARM, "overdue": left.total_seconds() <= 0}


@require_POST
@member_required(roles.PAY)
def approvals_decide(request: HttpRequest, project: Project) -> HttpResponse:
    """Decide on all that were chosen: first what it means, then, once confirmed, the decision."""
    ids = [name.replace("\0", "") for name in request.POST.getlist("which")[:MOST]]
    rows = list(awaiting.project_rows(project).filter(public_id__in=ids).order_by("auto_approve_at", "pk"))
    back = f"{reverse('approvals', args=[project.slug])}?{_filters(request)}".rstrip("?")
    wish = awaiting.Wish(
        act=request.POST.get("act", ""),
        text=_words(request, "text"),
        amount=_amount(request),
        form=request.POST.get("form", "")[:32] or secrets.token_hex(8),
    )
    if not rows or wish.act not in MANY:
        messages.warning(request, _("Choose answers first, then what becomes of them."))
        return HttpResponseRedirect(back, status=303)
    context = {"project": project, "section": "approvals", "wish": wish, "rows": rows, "back": back}
    context |= {"stake": awaiting.stake(rows), "query": _filters(request), "problem": ""}
    context["bonuses"] = awaiting.bonuses(rows)
    context |= {"posted_amount": request.POST.get("amount", "")[:20]} | _asked(wish.act)
    if "confirm" not in request.POST:
        return render(request, "approvals/confirm.html", context)
    try:
        if wish.act == awaiting.BONUS:
            awaiting.check_seen(rows, _seen(request), wish.form)
        outcome = awaiting.decide_all(rows, wish, user=request.user)
    except Refused as refused:
        return render(request, "approvals/confirm.html", context | {"problem": str(refused)}, status=422)
    _tell(request, outcome)
    return HttpResponseRedirect(back, status=303)


def _asked(act: str) -> dict[str, str]:
    """What the page asks before it is done to many."""
    names = ("title", "meaning", "label", "button")
    return {name: _(text) for name, text in zip(names, MANY[act], strict=True)}


def _tell(request: HttpRequest, outcome: awaiting.Outcome) -> None:
    n = outcome.done
    messages.success(request, ngettext("Done to %(n)s answer.", "Done to %(n)s answers.", n) % {"n": n})
    for reason in dict.fromkeys(outcome.refused):
        count = outcome.refused.count(reason)
        messages.warning(request, _("Not done (%(n)s): %(reason)s") % {"n": count, "reason": reason})


@never_cache
@require_get_or_post
@member_required(roles.PAY)
def approval(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """One answer with what it earns; POST decides on its pay, or pays a bonus, writes, or returns it for repair."""
    row = get_object_or_404(awaiting.project_rows(project), public_id=public_id)
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


def _see(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    given = [project.slug, public_id] if public_id else [project.slug]
    page = reverse("approval" if public_id else "approvals", args=given)
    return HttpResponseRedirect(f"{page}?{_filters(request)}".rstrip("?"), status=303)


def _words(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\0", "").replace("\r\n", "\n")


def _act(request: HttpRequest, row: Assignment) -> bool:
    """Do what was posted; whether that leaves nothing to do here, so that the next one is shown."""
    act, text, user = request.POST.get("act", ""), _words(request, "text"), request.user
    if act == "bonus":
        form, seen = request.POST.get("form", ""), _seen(request)
        awaiting.bonus(row, _amount(request), reason=text, form=form, user=user, seen=seen)
        messages.success(request, _("The bonus is paid."))
    elif act == "message":
        awaiting.message(row, _words(request, "subject"), text, user=user)
        messages.success(request, _("Sent."))
    elif act == "return":
        told = request.POST.get("revision", "")
        revision = int(told) if told.isascii() and told.isdigit() and len(told) < 9 else 0
        awaiting.send_back(row, revision, message=text, user=user)
        messages.success(request, _("Returned. Its time begins anew, and again when it is repaired."))
    else:
        said = {awaiting.REJECT: _("Rejected. You can take that back within 30 days."), awaiting.OVERRIDE: _("Paid.")}
        done = awaiting.decide(row, act, text=text, user=user)
        messages.success(request, said.get(act, _("Approved.")) if done else _("That was decided before."))
    return act in {awaiting.APPROVE, awaiting.REJECT, "return"}


def _seen(request: HttpRequest) -> Decimal:
    """The bonuses that the form was made with; a form that says nothing of them knows of none."""
    try:
        return Decimal(request.POST.get("paid", "")[:20])
    except InvalidOperation:
        return Decimal(0)


def _amount(request: HttpRequest) -> Decimal:
    try:
        amount = Decimal(request.POST.get("amount", "")[:20].strip().removeprefix("$"))
    except InvalidOperation:
        return Decimal(0)
    return amount if amount.is_finite() else Decimal(0)


def _neighbours(request: HttpRequest, project: Project, row: Assignment) -> dict[str, Assignment | None]:
    """The answers before and after this one in the queue under the filters."""
    queue = _rows(request, project, "waiting").exclude(pk=row.pk)
    after = queue.filter(auto_approve_at__gte=row.auto_approve_at)
    later = after.exclude(auto_approve_at=row.auto_approve_at, pk__lt=row.pk)
    before = queue.filter(auto_approve_at__lte=row.auto_approve_at)
    earlier = before.exclude(auto_approve_at=row.auto_approve_at, pk__gt=row.pk)
    return {"next": later.first() or earlier.first(), "previous": earlier.order_by("-auto_approve_at", "-pk").first()}


def _page(
    request: HttpRequest, project: Project, row: Assignment, *, problem: str = "", status: int = 200
) -> HttpResponse:
    hit = hit_of(row.batch, row.hit.public_id)
    mine = [one for one in judgments_of(hit) if one["assignment"].pk == row.pk]
    context = {
        "project": project,
        "section": "approvals",
        "assignment": row,
        "batch": row.batch,
        "hit": hit,
        **side_by_side(row.batch, hit, mine),
        "earned": approving.earned(row),
        "payments": row.payments.order_by("pk"),
        "history": row.approvals.select_related("author").order_by("pk"),
        "letters": row.messages.order_by("pk"),
        "can_return": not row.approval and awaiting.can_be_returned(row.batch),
        "can_override": awaiting.can_be_overridden(row),
        "form": secrets.token_hex(8),
        "bonuses": awaiting.bonuses([row]),
        "problem": problem,
        "posted": {name: request.POST.get(name, "") for name in WORDS} if problem else {},
        "left": awaiting.waiting(project).count(),
        "query": _filters(request),
        "shortcuts": shortcuts_of(request),
        "preferences_url": reverse("preferences"),
        **_clock(row),
        **_neighbours(request, project, row),
    }
    return render(request, "approvals/approval.html", context, status=status)


@never_cache
@require_safe
@member_required(roles.PAY)
def approvals_file(request: HttpRequest, project: Project) -> HttpResponse:
    """Every decision of the project as CSV."""
    return sent(request, project, awaiting.lines(project), name=f"{project.slug}-decisions.csv", kind=CSV)
