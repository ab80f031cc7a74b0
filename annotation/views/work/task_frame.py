"""The frame of a task's page, for working, changing and previewing."""

import secrets
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from csp.constants import SELF
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from annotation.flow.batches import practice_progress
from annotation.flow.review import review_decisions
from annotation.flow.work import open_work, prefetch, submissions
from annotation.models import Assignment, Batch, Hit, Instructions, Participation, Worker, clock
from annotation.models.compiled import compiled
from annotation.pure.batches import lifecycle
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON, Problem, Revealing, TaskType, capabilities
from annotation.templatetags.item_tags import place_of, render_item
from annotation.views.context import display_preferences
from annotation.views.markdown_html import parts_for_reader

PROBLEM_REASONS = {
    "unclear": gettext_noop("The question is unclear"),
    "wrong_context": gettext_noop("The paragraphs do not fit the question"),
    "several_answers": gettext_noop("Several answers are right"),
    "no_answer": gettext_noop("The answer is not in the paragraphs"),
    "broken": gettext_noop("The text is broken"),
    "harmful": gettext_noop("The text is harmful or upsetting"),
    "other": gettext_noop("Something else"),
}


def shown_payload(task: TaskType, assignment: Assignment) -> JSON:
    """The payload in the order of this assignment."""
    return capabilities.arrange(task, assignment.hit.payload, Random(assignment.seed))


def translated(problems: Sequence[Problem]) -> list[dict[str, str]]:
    """Problems as the page lists them."""
    return [{"field": p.field, "message": _(p.message) % p.values} for p in problems]


def page_of(
    request: HttpRequest,
    assignment: Assignment,
    participation: Participation,
    *,
    posted: JSON | None = None,
    problems: Sequence[Problem] = (),
    urls: dict[str, str] | None = None,
    instructions: Instructions | None = None,
) -> dict[str, Any]:
    """The context of an assignment's page.

    `posted`: the response of a form with errors, `urls`: of its forms, `instructions`: by default the newest.
    """
    payload = shown_payload(task_type(assignment.batch.task), assignment)
    current = assignment.current if assignment.revision else None
    answer = posted or assignment.draft or (current.answer if current else assignment.suggestion)
    form = form_class(assignment.batch.task)(payload)
    instructions = instructions or assignment.batch.instructions
    return {
        "assignment": assignment,
        "payload": payload,
        "draft": form.shown(answer) | {"active_seconds": assignment.active_seconds},
        "problems": translated(problems),
        "frame": batch_frame(assignment.batch, instructions, payload)
        | _assignment_frame(assignment, participation, instructions)
        | (_urls(assignment, public_id=assignment.public_id) if urls is None else urls),
        **shortcut_context(request),
    }


def preview_of(request: HttpRequest, hit: Hit, *, seed: int, live: str) -> dict[str, Any]:
    """The context of the page as a preview for requesters, without submission.

    `hit` may be unsaved, and then has no URL for fragments: `live` is one of them.
    """
    batch = hit.batch
    payload = capabilities.arrange(task_type(batch.task), hit.payload, Random(seed))
    preview = {
        "preview": True,
        "preview_bar": "batches/_preview_bar.html",
        "readonly": False,
        "state": lifecycle.ACCEPTED,
        "number": 1,
        "key": "",
        "version": 0,
    }
    return {
        "assignment": {"public_id": "preview", "hit": hit},
        "payload": payload,
        "draft": form_class(batch.task)(payload).shown(None) | {"active_seconds": 0},
        "problems": [],
        "frame": batch_frame(batch, batch.instructions, payload) | preview | live_urls(live),
        **shortcut_context(request),
    }


def with_frames(response: HttpResponse, task: str, payload: JSON) -> HttpResponse:
    """The response with permission to show in frames what its task needs."""
    if sources := capabilities.origins(task_type(task), payload):
        response._csp_update = {"frame-src": [SELF, *sources]}  # type: ignore[attr-defined]  # of django-csp
    return response


ANY = "ANY"  # stands for an assignment's id
OF_ITEM = ("number", "total", "seconds", "expected_minutes", "lease_until", "lease_time", "now", "key")  # of the frame


def item_of(request: HttpRequest, assignment: Assignment, participation: Participation) -> SafeString:
    """An assignment's page without the parts that stay (`fragment`), for a worker who has read the instructions."""
    read = Instructions(version=participation.instructions_version)
    context = page_of(request, assignment, participation, instructions=read) | {"fragment": True}
    name, frame = f"{assignment.batch.task}/page.html", context["frame"]
    if assignment.draft is not None or assignment.revision or assignment.suggested:
        return render_to_string(name, context, request)
    values = {name: frame[name] for name in OF_ITEM} | {"public_id": assignment.public_id}
    places = {name: place_of(name) for name in values}
    shared = {
        "assignment": {"public_id": places.pop("public_id")},
        "frame": frame | _urls(assignment, public_id=place_of("public_id")) | places,
        "fragment": True,
        "preferences_url": context["preferences_url"],
    }
    key = repr((shared, shape_of(context["payload"]), get_language(), display_preferences(request)))
    shared["payload"] = context["payload"]
    return render_item(name, context, request, shared=shared, values=values, key=key)


def shortcut_context(request: HttpRequest) -> dict[str, Any]:
    """The viewer's keyboard shortcuts, or the defaults without an account here; and where to change them."""
    own = getattr(request.user, "shortcuts", None)
    return {"shortcuts": own or {"off": False, "keys": {}}, "preferences_url": reverse("preferences")}


def participation_of(worker: Worker, batch: Batch) -> Participation:
    """The worker's participation; an unsaved one if they have not begun."""
    found = _participations(batch.pk, worker.pk)
    participation = found[0] if found else Participation()
    participation.batch, participation.worker = batch, worker
    return participation


@compiled
def _participations(batch: int, worker: int) -> QuerySet[Participation]:
    return Participation.objects.filter(batch=batch, worker=worker)


def shape_of(payload: JSON) -> str:
    """Which parts a payload has and how long its lists are: all of it that a page may depend on outside `per_item`."""
    parts = sorted(payload.items()) if isinstance(payload, dict) else []
    return ",".join(f"{name}:{_shape(value)}" for name, value in parts)


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        return f"({shape_of(value)})"
    return str(len(value)) if isinstance(value, list) else str(bool(value))


def instructions_of(batch: Batch, instructions: Instructions) -> dict[str, Any]:
    """Context of templates/work/_instructions.html, in the reader's language."""
    html, folded = parts_for_reader(instructions.text or batch.description)
    return {
        "html": html,
        "more": folded,
        "notes": [f"{batch.task}/_notes.html", "work/_notes.html"],
        "options": task_type(batch.task).options(batch.options),
        "suggests": bool(batch.suggest),
    }


def instructions_context(batch: Batch, instructions: Instructions, participation: Participation) -> dict[str, Any]:
    """Context of the instructions for the worker with that participation."""
    return {
        "batch": batch,
        "instructions": instructions,
        "told": instructions_of(batch, instructions),
        "instructions_url": reverse("batch-instructions", args=[batch.pk]),
        "changed": 0 < participation.instructions_version < instructions.version,
        "tutorial": capabilities.tutorial(task_type(batch.task), None, get_language()),
        "tutorial_template": f"{batch.task}/_tutorial.html",
        "practice_due": practice_progress.next_exercise(participation) is not None,
        "practised": bool(participation.practised and practice_progress.exercises(batch)),
    }


def batch_frame(batch: Batch, instructions: Instructions, payload: JSON) -> dict[str, Any]:
    """The frame's context on the batch and its task; `payload`: of the HIT, as shown."""
    task = task_type(batch.task)
    seconds = capabilities.seconds(task, payload) or batch.expected_seconds
    tutorial = capabilities.tutorial(task, payload, get_language())
    return {
        "batch_title": batch.title,
        "task": batch.task,
        "task_question": _(capabilities.asked(task, batch.options)),
        "tutorial": tutorial,
        "practice": None,
        "total": batch.size,
        "seconds": seconds,
        "paid": batch.auto_approval is not None,
        "expected_minutes": max(1, round(seconds / 60)),
        "told": instructions_of(batch, instructions),
        "instructions_version": instructions.version,
        "home_url": reverse("work"),
        "problem_reasons": [(key, _(text)) for key, text in PROBLEM_REASONS.items()],
    }


def afterwards(task: TaskType, assignment: Assignment, *, just_submitted: bool = False) -> JSON | None:
    """The content shown after a final response; None if the response may be changed."""
    if not isinstance(task, Revealing):  # saves loading the item for most tasks
        return None
    if assignment.state != lifecycle.SUBMITTED and not just_submitted:
        return None
    return capabilities.afterwards(task, assignment.hit.payload, assignment.hit.item.example)


def _assignment_frame(
    assignment: Assignment, participation: Participation, instructions: Instructions
) -> dict[str, Any]:
    submitted = assignment.state == lifecycle.SUBMITTED
    lease_until = assignment.lease_until if assignment.state == lifecycle.ACCEPTED else None
    shown_now = afterwards(task_type(assignment.batch.task), assignment)
    repair = review_decisions.returned(assignment) if submitted else None
    number = participation.done + (not submitted)
    open_still = shown_now is None and submitted and submissions.may_change(assignment)
    return {
        "number": number,
        "total": open_work.expected(participation, number=number, ahead=assignment.pk is None),
        "state": assignment.state,
        "batch_state": lease_until and assignment.batch.state,
        "suggested": bool(assignment.suggested) and not submitted,
        "editing": submitted and open_still,
        "repair": repair.reason if repair else "",
        "readonly": submitted and not open_still,
        "counts_pasting": assignment.batch.counts_pasting,
        "preview": False,
        "afterwards": shown_now,
        "next_url": reverse("batch-start", args=[assignment.batch_id]),
        "instructions_must_read": participation.instructions_version < instructions.version,
        "lease_until": lease_until.isoformat() if lease_until else "",
        "lease_time": timezone.localtime(lease_until).strftime("%H:%M") if lease_until else "",
        "now": clock.now().isoformat(),
        "lease_seconds": assignment.batch.lease_seconds,
        "extendable": assignment.state == lifecycle.ACCEPTED and not assignment.extended,
        "saved_at": assignment.draft_saved_at,
        "key": f"{assignment.revision}.{secrets.token_urlsafe(12)}",
        "version": assignment.draft_version,
    }


def release() -> str:
    """A name of the scripts and styles in use, the same until they change; "" in a checkout, which hashes nothing."""
    return getattr(staticfiles_storage, "manifest_hash", "")


def _urls(assignment: Assignment, *, public_id: str) -> dict[str, Any]:
    urls = {name: url.replace(ANY, public_id) for name, url in _url_patterns(get_script_prefix()).items()}
    if assignment.state != lifecycle.ACCEPTED or not prefetch.applies(assignment.batch):
        del urls["prefetch_url"]
    return urls | {"release": release()}


@cache
def _url_patterns(_script_prefix: str) -> dict[str, str]:
    """URLs of an assignment whose id is ANY."""
    names = ["submit", "draft", "return", "skip", "extend", "report-problem", "take-up", "back", "prefetch"]
    urls = {f"{name.replace('-', '_')}_url": reverse(name, args=[ANY]) for name in names}
    return urls | live_urls(reverse("live", args=[ANY, "search"]))


def live_urls(search: str) -> dict[str, str]:
    """The URLs of live fragments: `live_url` followed by a fragment's name and a slash."""
    return {"search_url": search, "live_url": search.removesuffix("search/")}
