"""Practice before the first paid HIT: items of the task type's own, answered for nobody but the worker."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from django.db.models import Max

from annotation.models import Batch, Seat
from annotation.pure.example import Example
from annotation.registry import practice, task_type
from annotation.tasktype import JSON, Remark


@dataclass(frozen=True, slots=True)
class Exercise:
    """A practice item as the batch's options make it; `number` counts from 1."""

    number: int
    example: Example
    payload: JSON


def exercises(batch: Batch) -> list[Exercise]:
    """The batch's practice, without the items that its options leave nothing to ask about."""
    task = task_type(batch.task)
    found = practice(batch.task)
    options = task.options(batch.options) if found else None
    payloads = [(example, task.prepare(example, options, Random(k))) for k, example in enumerate(found)]
    held = [(example, payload) for example, payload in payloads if payload is not None]
    return [Exercise(number, example, payload) for number, (example, payload) in enumerate(held, start=1)]


def next_exercise(seat: Seat) -> int | None:
    """The number of the exercise that comes before any HIT; None once all are behind the worker.

    Who practised the same task type in another batch need not do so again.
    """
    if seat.practised >= len(practice(seat.batch.task)):
        return None
    count = len(exercises(seat.batch))
    if seat.practised < count:
        others = Seat.objects.filter(worker=seat.worker_id, batch__task=seat.batch.task).exclude(pk=seat.pk)
        elsewhere = others.aggregate(most=Max("practised"))["most"] or 0
        _note(seat, done=min(count, elsewhere))
    return seat.practised + 1 if seat.practised < count else None


def finish(seat: Seat, number: int) -> bool:
    """Note that an exercise is behind the worker; False when it was before, or when another one comes first."""
    held = seat.practised + 1 == number <= len(exercises(seat.batch))
    return held and _note(seat, done=number)


def _note(seat: Seat, *, done: int) -> bool:
    noted = bool(Seat.objects.filter(pk=seat.pk, practised__lt=done).update(practised=done))
    if noted:
        seat.practised = done
    return noted


def remarks(batch: Batch, exercise: Exercise, answer: JSON) -> list[Remark]:
    """What is to be said of an answer that passed the task's check."""
    return task_type(batch.task).feedback(exercise.payload, answer, exercise.example)
