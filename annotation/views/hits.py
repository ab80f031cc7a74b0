"""The HITs of a batch: a list by disagreement, and one HIT with everybody's answers beside the gold."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import select_template
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import cutting, flagging, giving, messaging, reviewing, watching
from annotation.flow.naming import name_uncomposed
from annotation.models import Assignment, Batch, Hit, Project
from annotation.pure import lifecycle, reading, roles
from annotation.pure.cuts import Cut
from annotation.registry import task_type
from annotation.tasktype import Given
from annotation.views.access import member_required
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.cut_page import cut_context
from annotation.views.frame import FLAG_REASONS
from annotation.views.review import state_words
from annotation.views.seeing import see, unless_overdrawn

SHOWS = {
    "all": Q(),
    "finished": Q(room__lte=0, live=0, voided_at__isnull=True),
    "unfinished": Q(voided_at__isnull=True) & (Q(room__gt=0) | Q(live__gt=0)),
    "voided": Q(voided_at__isnull=False),
}
ORDERS = {
    "disagreement": [F("disagreement").desc(nulls_last=True), "pk"],
    "ticket": ["ticket"],
    "answers": ["-done", "pk"],
}


@never_cache
@require_safe
@member_required(roles.SEE)
def hits(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Every HIT, those whose answers differ most first; how they differ is known from the last report."""
    shown = batch_of(project, batch)
    show, order, query = _asked(request)
    filters = cut_context(request, shown)
    rows = (
        listed(request, shown, filters["cut"])
        .select_related("item__dataset")
        .defer("payload", "item__content", "item__dataset__report")
    )
    page = Paginator(rows, 50).get_page(request.GET.get("page"))
    name_uncomposed(hit.item for hit in page)
    context = batch_context(shown, "hits", page=page, show=show, order=order, query=query, **filters)
    context |= {
        "gives": roles.RUN in request.may and giving.allowed(shown),
        "filters": _filters(request, filters["cut"]),
    }
    return render(request, "batches/hits.html", context)


def _filters(request: HttpRequest, cut: Cut) -> list[tuple[str, str]]:
    """What narrows the list, to be sent along."""
    show, order, query = _asked(request)
    return [("show", show), ("order", order), ("q", query), *cut.query.items()]


def _asked(request: HttpRequest) -> tuple[str, str, str]:
    query = request.GET.get("q", "").strip().replace("\0", "")[:200]
    return request.GET.get("show", "all"), request.GET.get("order", "disagreement"), query


def listed(request: HttpRequest, batch: Batch, cut: Cut) -> QuerySet[Hit]:
    """The HITs that the address asks for, in its order."""
    show, order, query = _asked(request)
    asked = batch.hits.filter(check_item=show == "checks")
    rows = asked.filter(SHOWS.get(show, Q())).order_by(*ORDERS.get(order, ORDERS["disagreement"]))
    if query:
        rows = rows.filter(Q(item__question__icontains=query) | Q(item__source_id=query))
    return cutting.hits_in(batch, cut, rows)


@never_cache
@require_safe
@member_required(roles.SEE)
def hit(request: HttpRequest, project: Project, batch: str, public_id: str) -> HttpResponse:
    """One HIT: question, context with gold, all answers side by side, with revisions and times."""
    shown = batch_of(project, batch)
    row = hit_of(shown, public_id)
    judgments = judgments_of(row)
    context = batch_context(
        shown, "hits", leaf=row.public_id, hit=row, **side_by_side(shown, row, judgments), **_around(row)
    )
    context["standings"] = _standings(shown, judgments)
    context["reasons"] = [(key, _(text)) for key, text in FLAG_REASONS.items()]
    return render(request, "batches/hit.html", context)


def judgments_of(row: Hit) -> list[dict[str, Any]]:
    """Everybody's submitted work on the HIT, in the order in which it came."""
    return [_judgment(letter, a) for letter, a in zip(_letters(), _submitted(row), strict=False)]


def side_by_side(batch: Batch, row: Hit, judgments: list[dict[str, Any]]) -> dict[str, Any]:
    """What `compare_template` takes: the judgments, each with the task's column as `told`, and `compare`."""
    given = [Given(judgment["letter"], judgment["answer"].answer) for judgment in judgments]
    compare = task_type(batch.task).compare(row.payload, given, row.item.example)
    for judgment, column in zip(judgments, compare["columns"], strict=True):
        judgment["told"] = column
    template = select_template([f"{batch.task}/_compare.html", "batches/_compare.html"])
    return {"judgments": judgments, "compare": compare, "compare_template": template.template.name}


def hit_of(batch: Batch, public_id: str) -> Hit:
    """The HIT in the batch; 404 otherwise."""
    return get_object_or_404(batch.hits.select_related("item__dataset", "batch"), public_id=public_id)


def _submitted(row: Hit) -> list[Assignment]:
    done = watching.assignments_of(row.batch).filter(hit=row, state=lifecycle.SUBMITTED)
    return list(done.select_related("worker__project").prefetch_related("answers").order_by("submitted_at", "pk"))


def _letters() -> list[str]:
    return [chr(65 + k % 26) + (str(k // 26) if k >= 26 else "") for k in range(1000)]


def _judgment(letter: str, assignment: Assignment) -> dict[str, Any]:
    revisions = sorted(assignment.answers.all(), key=lambda answer: answer.revision)
    return {
        "letter": letter,
        "assignment": assignment,
        "worker": assignment.worker,
        "answer": revisions[-1],
        "earlier": revisions[-2::-1],
    }


def _standings(batch: Batch, judgments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How each answer stands with the requesters, where the task type has answers read."""
    if not reviewing.is_reviewed(batch):
        return []
    found = reviewing.standings([judgment["assignment"] for judgment in judgments])
    several = sum(one.takes_part for one in found) > 1
    return [
        {
            "letter": judgment["letter"],
            "standing": one,
            "choose": several and one.takes_part and one.state not in reading.TAKEN,
            **state_words(one.state),
        }
        for judgment, one in zip(judgments, found, strict=True)
    ]


def _around(row: Hit) -> dict[str, Any]:
    """Work on the HIT that is under way or was given back, and what was reported about it."""
    others = watching.assignments_of(row.batch).filter(hit=row).exclude(state=lifecycle.SUBMITTED)
    flags = [flag for a in row.assignments.prefetch_related("flags") for flag in a.flags.all()]
    for flag in flags:
        flag.reason_text = _(FLAG_REASONS.get(flag.reason, flag.reason))
    letters = list(messaging.unread_about(row))
    return {"others": others.select_related("worker__project"), "flags": flags, "letters": letters}


@require_POST
@member_required(roles.REVIEW)
def hit_void(request: HttpRequest, project: Project, batch: str, public_id: str) -> HttpResponse:
    """Take the HIT out of the scores, with the reason that the report will give."""
    row = hit_of(batch_of(project, batch), public_id)
    text = _(FLAG_REASONS.get(request.POST.get("reason", ""), ""))
    more = request.POST.get("text", "").strip().replace("\0", "")
    reason = ": ".join(part for part in (text, more) if part)[:500]
    if not reason:
        messages.error(request, _("Nothing was changed: say why the HIT is to be left out, then void it again."))
    elif flagging.void(row, reason=reason):
        messages.success(request, _("Voided. Scores leave it out from now on; you can restore it at any time."))
    return see("hit", project.slug, batch, public_id)


@require_POST
@member_required(roles.REVIEW)
def hit_restore(request: HttpRequest, project: Project, batch: str, public_id: str) -> HttpResponse:
    """Let the HIT count again."""
    row = hit_of(batch_of(project, batch), public_id)
    if unless_overdrawn(request, lambda: flagging.restore(row)):
        messages.success(request, _("Restored. It counts again."))
    return see("hit", project.slug, batch, public_id)
