"""Practice before the first HIT, with items of the task."""

from dataclasses import dataclass
from random import Random
from typing import Any

from django.utils.translation import get_language

from annotation.models import Batch, Participation
from annotation.pure.data.example import Example
from annotation.registry import practice, task_type
from annotation.tasktype import JSON, Remark, TaskType, capabilities


@dataclass(frozen=True, slots=True)
class Exercise:
    """A practice item as the batch's options make it; `number` counts from 1."""

    number: int
    example: Example
    payload: JSON


def exercises(batch: Batch) -> list[Exercise]:
    """The practice items that fit the batch's options: `prepare` shows them, and their `needs` are met.

    `needs` in an item's `extra` are the options without which it cannot be answered, such as {"no_answer": true}.
    Workers do whatever is left, be it one item; if nothing is, their work begins at once.
    """
    task = task_type(batch.task)
    found = _items(batch)
    options = task.options(batch.options) if found else None
    fitting = [example for example in found if _fits(example, options)]
    payloads = [(example, task.prepare(example, options, Random(k))) for k, example in enumerate(fitting)]
    held = [(example, payload) for example, payload in payloads if payload is not None]
    return [Exercise(number, example, payload) for number, (example, payload) in enumerate(held, start=1)]


def _items(batch: Batch) -> tuple[Example, ...]:
    return _items_of(task_type(batch.task), batch.options)


def _items_of(task: TaskType, stored: JSON) -> tuple[Example, ...]:
    own = task.practice(task.options(stored))
    language = (get_language() or "en").partition("-")[0]
    return practice(task.kind, capabilities.variant(task, stored), language) if own is None else own


def _known(task: TaskType, stored: JSON) -> Any:
    """What is practised with these options: a batch's own items, or those of a variant."""
    own = task.practice(task.options(stored))
    return capabilities.variant(task, stored) if own is None else own


def _fits(example: Example, options: Any) -> bool:
    needs = example.extra.get("needs") or {}
    return all(getattr(options, name) == value for name, value in needs.items())


def next_exercise(participation: Participation) -> int | None:
    """The number of the next practice item; None once all are done, or a HIT of the batch was submitted.

    Workers who practised the same task in another batch need not practise again. Nor do those who began to work before
    the task had as many items as it has now.
    """
    if participation.done or participation.practised >= len(_items(participation.batch)):
        return None
    count = len(exercises(participation.batch))
    if participation.practised < count:
        elsewhere = _practised_elsewhere(participation)
        if elsewhere > participation.practised:
            _note(participation, done=min(count, elsewhere))
    return participation.practised + 1 if participation.practised < count else None


def _practised_elsewhere(participation: Participation) -> int:
    """How many of the same items the worker practised in another batch of the task."""
    task = task_type(participation.batch.task)
    known = _known(task, participation.batch.options)
    same_task = Participation.objects.filter(worker=participation.worker_id, batch__task=task.kind, practised__gt=0)
    rows = same_task.exclude(pk=participation.pk).values_list("practised", "batch__options")
    return max((done for done, options in rows if _known(task, options) == known), default=0)


def finish(participation: Participation, number: int) -> bool:
    """Record that a practice item is done; False if it was done before, or another one comes first."""
    held = participation.practised + 1 == number <= len(exercises(participation.batch))
    return held and _note(participation, done=number)


def _note(participation: Participation, *, done: int) -> bool:
    noted = bool(Participation.objects.filter(pk=participation.pk, practised__lt=done).update(practised=done))
    if noted:
        participation.practised = done
    return noted


def remarks(batch: Batch, exercise: Exercise, answer: JSON) -> list[Remark]:
    """Remarks on a practice response that passed the task's check."""
    return capabilities.feedback(task_type(batch.task), exercise.payload, answer, exercise.example)
