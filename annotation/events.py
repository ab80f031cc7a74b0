"""Events that the functions of `annotation/flow` announce to the apps behind the engine.

A function emits an event inside the transaction of its action. Apps register listeners in `AppConfig.ready()`. They run
at once, one after the other, by the number in `order`: what one writes is committed with the action, and an exception
rolls the action back. A listener that a batch does not need must not query.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from inspect import isfunction
from threading import RLock
from typing import Any, TypeVar, get_args, get_type_hints

from annotation.models import Assignment, Batch, Dataset, Hit, Job, Payment, Review, User


class Event:
    """Something that happened. Its rows may come without their relations; listeners read those they need."""

    __slots__ = ()


E = TypeVar("E", bound=Event)
_listeners: dict[type[Event], list[tuple[int, Callable[[Any], object]]]] = defaultdict(list)
_awaited: list[str] = []  # modules
_loading = RLock()


def listen(event: type[E], listener: Callable[[E], object], *, order: int) -> None:
    """Have `listener` called for each event of that class, after those with a lower `order`.

    Two listeners of one event must not have the same `order`, so that it never depends on INSTALLED_APPS.
    """
    rows = _listeners[event]
    if any(place == order for place, _other in rows):
        raise ValueError(f"Another listener of {event.__name__} has order {order}.")
    rows.append((order, listener))
    rows.sort(key=lambda row: row[0])


def listen_all(name: str) -> None:
    """Make each public function with an `event` a listener, in the module's ORDER, of those that this may be.

    The module is imported for the first event, so that commands that cause none start sooner.
    """
    _awaited.append(name)


def load() -> None:
    """Import the modules of listeners that no event has needed yet."""
    with _loading:  # a thread that finds a name here waits until its listeners are there
        while _awaited:
            module = import_module(_awaited[0])
            own = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
            for listener in filter(isfunction, own):
                if not listener.__name__.startswith("_") and "event" in listener.__annotations__:
                    hint = get_type_hints(listener)["event"]
                    for event in get_args(hint) or (hint,):
                        listen(event, listener, order=module.ORDER)
            del _awaited[0]


def emit(event: Event) -> None:
    """Call the listeners of this event, in order."""
    if _awaited:
        load()
    for _order, listener in _listeners.get(type(event), ()):
        listener(event)


def listeners() -> dict[type[Event], list[tuple[int, Callable[[Any], object]]]]:
    """All listeners by event, for tests."""
    load()
    return {event: list(rows) for event, rows in _listeners.items()}


@dataclass(frozen=True, slots=True)
class AssignmentAccepted(Event):
    """A HIT was assigned to a worker."""

    assignment: Assignment
    hit: Hit


@dataclass(frozen=True, slots=True)
class AssignmentReturned(Event):
    """An assignment under way ended without a response: the worker returned it, or (`expired`) its time was over."""

    assignment: Assignment
    expired: bool


@dataclass(frozen=True, slots=True)
class ResponseSubmitted(Event):
    """A worker submitted a response (`revision` 1) or changed it. `assignment` comes with its batch and project."""

    assignment: Assignment
    hit: Hit
    revision: int
    late: bool
    counts: bool


@dataclass(frozen=True, slots=True)
class ResponseReviewed(Event):
    """A requester reviewed a response, or undid a review. `assignment` comes with its batch and project."""

    review: Review
    assignment: Assignment
    reviewer: User | None


@dataclass(frozen=True, slots=True)
class PayDecisionBegun(Event):
    """The pay of an assignment is about to be decided. Listeners lock their own rows here, before the accounts."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class AssignmentApproved(Event):
    """An assignment was approved and its reward recorded. `source`: a requester, time, a policy or a program."""

    assignment: Assignment
    source: str
    reward: Payment


@dataclass(frozen=True, slots=True)
class AssignmentRejected(Event):
    """An assignment was rejected: it is not paid."""

    assignment: Assignment
    source: str


@dataclass(frozen=True, slots=True)
class PayDecided(Event):
    """The first decision on an assignment is complete with every payment; `spent` is their sum with fees."""

    assignment: Assignment
    spent: Decimal


@dataclass(frozen=True, slots=True)
class BonusPaid(Event):
    """More than the reward was paid for an assignment."""

    assignment: Assignment
    payment: Payment


@dataclass(frozen=True, slots=True)
class HitExcluded(Event):
    """A HIT was excluded."""

    hit: Hit


@dataclass(frozen=True, slots=True)
class HitRestored(Event):
    """An excluded HIT was restored."""

    hit: Hit


@dataclass(frozen=True, slots=True)
class BatchLaunching(Event):
    """A batch is about to be launched, outside any transaction. A listener may raise Refused."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class HitsCreated(Event):
    """A launch stored some HITs. `gold_among`: they are hidden gold, to be mixed among so many HITs stored before."""

    batch: Batch
    hits: Sequence[Hit]
    gold_among: int | None = None


@dataclass(frozen=True, slots=True)
class BatchLaunched(Event):
    """A batch opened for the first time."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class BatchPaused(Event):
    """A batch was paused."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class BatchResumed(Event):
    """A paused or closed batch was resumed."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class BatchClosed(Event):
    """A batch was closed: no new assignments and no more changes."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class AssignmentsAdded(Event):
    """HITs of a batch ask for more assignments than before."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class ResultsDatasetCreated(Event):
    """The aggregated responses of a batch became a dataset with so many items."""

    batch: Batch
    dataset: Dataset
    items: int


@dataclass(frozen=True, slots=True)
class JobEnded(Event):
    """A job is done, or failed for good."""

    job: Job
    state: str
