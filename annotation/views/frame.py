"""The annotator's frame: a task's page with everything around it, for working, changing and previewing."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from random import Random
from typing import Any

from csp.constants import SELF
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow import offering, reviewing, submitting
from annotation.models import Assignment, Batch, Guide, Hit, Seat
from annotation.pure import lifecycle
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON, Problem, TaskType
from annotation.views.prose import html_of

FLAG_REASONS = {
    "unclear": gettext_noop("The question is unclear"),
    "wrong_context": gettext_noop("The paragraphs do not fit the question"),
    "several_answers": gettext_noop("Several answers are right"),
    "no_answer": gettext_noop("The answer is not there"),
    "broken": gettext_noop("The text is broken"),
    "harmful": gettext_noop("The text is harmful or upsetting"),
    "other": gettext_noop("Something else"),
}


def shown_payload(assignment: Assignment) -> JSON:
    """The payload in the order of this assignment."""
    task = task_type(assignment.batch.task)
    return task.arrange(assignment.hit.payload, Random(assignment.seed))


def translated(problems: Sequence[Problem]) -> list[dict[str, str]]:
    """Problems as the page lists them."""
    return [{"field": p.field, "message": _(p.message) % p.values} for p in problems]


def page_of(
    request: HttpRequest,
    assignment: Assignment,
    seat: Seat,
    *,
    posted: JSON | None = None,
    problems: Sequence[Problem] = (),
    urls: dict[str, str] | None = None,
) -> dict[str, Any]:
    """The context of an assignment's page; `posted` is the answer of a refused form, `urls` where its acts go."""
    payload = shown_payload(assignment)
    answer = posted or assignment.draft or _standing_answer(assignment)
    form = form_class(assignment.batch.task)(payload)
    guide = assignment.batch.guide
    draft = form.shown(answer) | {"active_seconds": assignment.active_seconds}
    return {
        "assignment": assignment,
        "payload": payload,
        "draft": draft,
        "problems": translated(problems),
        "frame": batch_frame(assignment.batch, guide, payload)
        | _assignment_frame(assignment, seat, guide)
        | (_urls(assignment) if urls is None else urls),
        "shortcuts": shortcuts_of(request),
        "preferences_url": reverse("preferences"),
    }


def preview_of(request: HttpRequest, hit: Hit, *, seed: int, live: str) -> dict[str, Any]:
    """The same page for a requester who looks at a HIT as annotators will see it; nothing can be sent.

    `hit` may be imagined, and then the address of its fragments cannot be read off it: `live` is one of them.
    """
    batch = hit.batch
    payload = task_type(batch.task).arrange(hit.payload, Random(seed))
    draft = form_class(batch.task)(payload).shown(None) | {"active_seconds": 0}
    preview = {"preview": True, "readonly": False, "state": lifecycle.ACCEPTED, "number": 1, "key": "", "version": 0}
    return {
        "assignment": {"public_id": "preview", "hit": hit},
        "payload": payload,
        "draft": draft,
        "problems": [],
        "frame": batch_frame(batch, batch.guide, payload) | preview | live_urls(live),
        "shortcuts": shortcuts_of(request),
        "preferences_url": reverse("preferences"),
    }


def with_frames(response: HttpResponse, task: str, payload: JSON) -> HttpResponse:
    """The page's response, which lets it show in frames what its task needs."""
    if sources := task_type(task).origins(payload):
        response._csp_update = {"frame-src": [SELF, *sources]}
    return response


def shortcuts_of(request: HttpRequest) -> dict[str, Any]:
    """The viewer's keys; the defaults for whoever has no account here."""
    return getattr(request.user, "shortcuts", None) or {"off": False, "keys": {}}


def _standing_answer(assignment: Assignment) -> JSON | None:
    current = assignment.current if assignment.revision else None
    return current.answer if current else None


def batch_frame(batch: Batch, guide: Guide, payload: JSON) -> dict[str, Any]:
    """What the frame shows of the batch and its task; `payload` is that of the HIT in it, as shown."""
    task = task_type(batch.task)
    seconds = task.seconds(payload) or batch.expected_seconds
    return {
        "batch_title": batch.title,
        "task_question": _(task.question),
        "tutorial": task.tutorial(payload),
        "practice": None,
        "total": batch.size,
        "seconds": seconds,
        "paid": batch.auto_approval is not None,
        "expected_minutes": max(1, round(seconds / 60)),
        "guide_html": html_of(guide.text or batch.description),
        "guide_version": guide.version,
        "home_url": reverse("work"),
        "flag_reasons": [(key, _(text)) for key, text in FLAG_REASONS.items()],
    }


def afterwards(assignment: Assignment, *, just_submitted: bool = False) -> JSON | None:
    """What is shown of a submitted assignment whose answer is final, None where it may be changed."""
    task = task_type(assignment.batch.task)
    if type(task).afterwards is TaskType.afterwards:  # most have nothing to show, and need no item read for it
        return None
    if assignment.state != lifecycle.SUBMITTED and not just_submitted:
        return None
    return task.afterwards(assignment.hit.payload, assignment.hit.item.example)


def _assignment_frame(assignment: Assignment, seat: Seat, guide: Guide) -> dict[str, Any]:
    submitted = assignment.state == lifecycle.SUBMITTED
    shown_now = afterwards(assignment)
    repair = reviewing.returned(assignment) if submitted else None
    open_still = shown_now is None and submitted and submitting.may_change(assignment)
    return {
        "number": seat.done if submitted else seat.done + 1,
        "total": max(offering.offered(seat), seat.done + (not submitted)),
        "state": assignment.state,
        "late": assignment.late,
        "editing": submitted and open_still,
        "repair": repair.reason if repair else "",
        "readonly": submitted and not open_still,
        "preview": False,
        "afterwards": shown_now,
        "next_url": reverse("batch-start", args=[assignment.batch_id]),
        "guide_must_read": seat.guide_version < guide.version,
        "lease_until": assignment.lease_until,
        "lease_seconds": assignment.batch.lease_seconds,
        "extendable": assignment.state == lifecycle.ACCEPTED and not assignment.extended,
        "saved_at": assignment.draft_saved_at,
        "key": f"{assignment.revision}.{secrets.token_urlsafe(12)}",
        "version": assignment.draft_version,
    }


def _urls(assignment: Assignment) -> dict[str, Any]:
    own = [assignment.public_id]
    names = ["submit", "draft", "return", "skip", "extend", "flag", "take-up"]
    urls: dict[str, Any] = {f"{name.replace('-', '_')}_url": reverse(name, args=own) for name in names}
    urls |= live_urls(reverse("live", args=[*own, "search"]))
    urls["back_url"] = reverse("back", args=own)
    return urls


def live_urls(search: str) -> dict[str, str]:
    """The addresses of live fragments: `live_url` with a fragment's name and a slash behind it is that fragment."""
    return {"search_url": search, "live_url": search.removesuffix("search/")}
