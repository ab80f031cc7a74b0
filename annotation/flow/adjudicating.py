"""HITs that people leave open - ties, splits, discarded ones - and what a requester makes of each.

A decision is a review: one answer is accepted and alone makes the verdict. The other way out is to void the HIT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from django.db.models import Q

from annotation.flow import flagging, reviewing
from annotation.flow.reviewing import Standing
from annotation.models import Batch, Hit, User
from annotation.pure import reading
from annotation.registry import task_type
from annotation.tasktype import JSON

CHUNK = 200
NOTHING_DUE = Q(room__lte=0, live=0)  # no further answer is to come
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Open:
    """A HIT to adjudicate: how its verdict stands, and the number of answers that it is made of."""

    pk: int
    public_id: str
    kind: str
    answers: int


def queue(batch: Batch) -> list[Open]:
    """The HITs that wait for a requester, in the order of their items; of an open batch those that wait for nobody."""
    return list(_open(batch, _keys(batch)))


def following(batch: Batch, hit: Hit) -> Open | None:
    """Where to go on from a HIT: the next one that waits, around the end; None where no other does."""
    keys = _keys(batch, besides=hit.pk)
    here = keys.index(hit.pk)
    return next(_open(batch, keys[here + 1 :] + keys[:here]), None)


def _keys(batch: Batch, *, besides: int | None = None) -> list[int]:
    """The HITs that may wait, in the order of their items, and one that need not."""
    answered = Q(voided_at__isnull=True, check_item=False, done__gt=0)
    if batch.state != Batch.State.CLOSED:
        answered &= NOTHING_DUE
    hits = batch.hits.filter(answered | Q(pk=besides))
    return list(hits.order_by("item__dataset__slug", "item__position").values_list("pk", flat=True))


def _open(batch: Batch, keys: Sequence[int]) -> Iterator[Open]:
    for start in range(0, len(keys), CHUNK):
        here = keys[start : start + CHUNK]
        rows = Hit.objects.in_bulk(here)
        said = reviewing.standing_answers(rows.values())
        for pk in here:
            answers = [answer for _standing, answer in said[pk]]
            if answers and (kind := open_kind(batch, rows[pk].payload, answers)):
                yield Open(pk, rows[pk].public_id, kind, len(answers))


def open_kind(batch: Batch, payload: JSON, answers: Sequence[JSON]) -> str:
    """How the verdict stands where it is open and no one answer was accepted; nothing where it is settled."""
    if sum(bool(answer.get("accepted")) for answer in answers) == 1:
        return ""
    task = task_type(batch.task)
    verdict = reviewing.verdict(task, payload, answers)
    return reviewing.kind_of(verdict) if task.unsettled(verdict) else ""


def shuffled(rows: Sequence[T], *, viewer: int, hit: str) -> list[T]:
    """The answers in an order that says nothing of who gave them: always the same for one viewer and HIT."""
    mixed = list(rows)
    Random(f"{viewer}/{hit}").shuffle(mixed)
    return mixed


def undo(hit: Hit, *, reviewer: User | None) -> bool:
    """Take back what was decided: let the HIT count again, or withdraw the acceptance; False where there is nothing."""
    if flagging.restore(hit):  # in a transaction of its own: it locks the batch, and assignments come before that
        return True
    taken = [reviewing.undo(one.assignment, reviewer=reviewer) for one in accepted(hit)]
    return any(taken)


def accepted(hit: Hit) -> list[Standing]:
    """The answers to a HIT that a requester accepted as they stand."""
    rows = hit.assignments.submitted().select_related("batch").defer("draft")
    return [one for one in reviewing.standings(rows.order_by("pk")) if one.state in reading.TAKEN]
