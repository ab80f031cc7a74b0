"""Practice: a task's page with a practice item. Only the worker's progress is stored."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.flow.batches import practice_progress
from annotation.flow.batches.practice_progress import Exercise
from annotation.flow.work import next_assignment, open_work
from annotation.models import Batch, Worker
from annotation.pure.batches import lifecycle
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON, Problem, Remark, capabilities
from annotation.views.access import Request, open_batch, signed_in_action, signed_in_form, signed_in_or_401
from annotation.views.work.assignment_page import live_fragment, next_page
from annotation.views.work.task_frame import batch_frame, live_urls, participation_of, shortcut_context, translated


@signed_in_form
def practice(request: Request, pk: int, number: int) -> HttpResponse:
    """A practice item; POST answers it: 422 lists what is missing, else the page gives feedback."""
    batch, worker = open_batch(request, pk)
    exercise_of(batch, number)
    if first := _comes_first(worker, batch, number):
        return HttpResponseRedirect(first, status=303)
    own = [pk, number]
    urls = {"done_url": reverse("practice-done", args=own), "submit_url": reverse("practice", args=own)}
    urls |= live_urls(reverse("practice-live", args=[*own, "search"]))
    return exercise_page(request, batch, worker, number, urls=urls)


def exercise_page(
    request: HttpRequest, batch: Batch, worker: Worker, number: int, *, urls: dict[str, str], **extra: Any
) -> HttpResponse:
    """A practice item, and on POST its feedback; `urls` are its forms' URLs."""
    exercise, held = exercise_of(batch, number)
    payload = exercise_shown(batch, worker, exercise)
    if request.method != "POST":
        return _page(request, batch, exercise, held, payload, urls=urls, extra=extra)
    answer = form_class(batch.task)(payload, request.POST).answer()
    task = task_type(batch.task)
    if following := capabilities.with_next_step(task, exercise.payload, None, answer):
        return _page(request, batch, exercise, held, payload, urls=urls, extra=extra, answer=following)
    problems = task.check(exercise.payload, answer)
    remarks = None if problems else practice_progress.remarks(batch, exercise, answer)
    result: dict[str, Any] = {"answer": answer, "problems": problems, "remarks": remarks}
    return _page(request, batch, exercise, held, payload, urls=urls, extra=extra, **result)


def _comes_first(worker: Worker, batch: Batch, number: int) -> str:
    """The URL of a page that must come before this practice item; "" if there is none."""
    hindered = open_work.obstacle(worker, batch)
    if hindered == "consent":
        return reverse("consent", args=[batch.project.slug])
    if hindered:
        return reverse("batch-done", args=[batch.pk])
    participation = participation_of(worker, batch)
    if participation.instructions_version < batch.instructions.version:
        return reverse("batch-instructions", args=[batch.pk])
    due = participation.practised + 1
    return reverse("practice", args=[batch.pk, due]) if number > due else ""


def exercise_of(batch: Batch, number: int) -> tuple[Exercise, int]:
    """The practice item of that number, and how many there are; 404 beyond."""
    held = practice_progress.exercises(batch)
    if not 1 <= number <= len(held):
        raise Http404
    return held[number - 1], len(held)


def exercise_shown(batch: Batch, worker: Worker, exercise: Exercise) -> JSON:
    """The payload in this worker's order, the same each time."""
    seed = f"{batch.pk}/{worker.pk}/{exercise.number}"
    return capabilities.arrange(task_type(batch.task), exercise.payload, Random(seed))


def right_fields(batch: Batch, worker: Worker, number: int) -> dict[str, str | list[str]]:
    """What a browser would post as the right answer to a practice item; for simulated workers."""
    exercise, _held = exercise_of(batch, number)
    task = task_type(batch.task)
    answer = capabilities.imitate(task, exercise.payload, exercise.example, Random(number), right=True)
    return {**form_class(batch.task)(exercise_shown(batch, worker, exercise)).posted(answer or {})}


def _page(
    request: HttpRequest,
    batch: Batch,
    exercise: Exercise,
    held: int,
    payload: JSON,
    *,
    urls: dict[str, str],
    extra: dict[str, Any],
    answer: JSON | None = None,
    problems: Sequence[Problem] = (),
    remarks: Sequence[Remark] | None = None,
) -> HttpResponse:
    frame = {
        "practice": {"number": exercise.number, "of": held, "done_url": urls["done_url"]},
        "remarks": remarks
        if remarks is None
        else [{"good": r.good, "message": _(r.message) % _translated(r.values)} for r in remarks],
        "number": exercise.number,
        "total": held,
        "state": lifecycle.ACCEPTED,
        "preview": False,
        "readonly": False,
        "key": "",
        "version": 0,
        **urls,
    }
    context = {
        "assignment": {"public_id": f"practice-{batch.pk}-{exercise.number}"},
        "payload": payload,
        "draft": form_class(batch.task)(payload).shown(answer) | {"active_seconds": 0},
        "problems": translated(problems),
        "frame": batch_frame(batch, batch.instructions, payload) | frame,
        **shortcut_context(request),
        **extra,
    }
    return render(request, f"{batch.task}/page.html", context, status=422 if problems else 200)


def _translated(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a remark, with the reasons that practice items of ours give."""
    return {name: _(value) if value and isinstance(value, str) else value for name, value in values.items()}


@signed_in_action
def practice_done(request: Request, pk: int, number: int) -> HttpResponse:
    """Finish a practice item and go on to the next one, or to the work; finished ones can be repeated."""
    batch, worker = open_batch(request, pk)
    _exercise, held = exercise_of(batch, number)
    participation = next_assignment.join_batch(worker, batch)
    finished_now = practice_progress.finish(participation, number)
    if finished_now or number == held or number > participation.practised:
        return next_page(worker, batch)
    return HttpResponseRedirect(reverse("practice", args=[batch.pk, number + 1]), status=303)


@require_safe
@signed_in_or_401
def practice_live(request: Request, pk: int, number: int, name: str) -> HttpResponse:
    """A fragment of an exercise's page."""
    batch, worker = open_batch(request, pk)
    exercise, _held = exercise_of(batch, number)
    return live_fragment(request, batch, exercise_shown(batch, worker, exercise), name)
