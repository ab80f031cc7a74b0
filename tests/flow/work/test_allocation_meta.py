"""The random histories report the faults that they are there to find: each is planted, each is found."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Greatest

from annotation.flow.work import leases, next_assignment, open_work, submissions
from annotation.models import Hit, WorkerResponse
from tests.flow.work import test_allocation_machine as machine


def free_without_ticket(hit_id: int, **changes: Any) -> None:
    Hit.objects.filter(pk=hit_id).update(**changes)


def keep_the_place(hit_id: int, **changes: Any) -> None:
    """A counter that drifts when a lease ends."""


def want_without_ticket(hit_id: int, least: int) -> bool:
    return bool(Hit.objects.filter(pk=hit_id, wanted__lt=least).update(wanted=least))


def want_what_was_said_last(hit_id: int, least: int) -> bool:
    """A HIT that asks for fewer answers again once somebody changed theirs."""
    taken = F("live") + F("done")
    return bool(Hit.objects.filter(pk=hit_id, wanted__gt=taken).update(wanted=Greatest(taken, least, 1)))


def overwrite(row: Any, active_seconds: float) -> None:
    WorkerResponse.objects.filter(assignment=row).delete()
    type(row).objects.filter(pk=row.pk).update(revision=F("revision") + 1)


PLANTED = {
    "a freed HIT stays behind the cursors": (leases, "reopen_hit", free_without_ticket),
    "a lease ends and its place stays taken": (leases, "reopen_hit", keep_the_place),
    "a second opinion stays behind the cursors": (next_assignment, "want", want_without_ticket),
    "a second opinion is called off": (next_assignment, "want", want_what_was_said_last),
    "a change overwrites the answer before it": (submissions, "_revise", overwrite),
    "two assignments at once by taking one up": (next_assignment, "_is_hindered", lambda row: False),
    "a met group counts as not met": (open_work, "is_still_open", lambda participation, prefetched: True),
}


@pytest.mark.soak
@pytest.mark.django_db
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, broken = PLANTED[fault]
    machine.call_for_second_opinions(monkeypatch)
    monkeypatch.setattr(module, name, broken)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        machine.run(examples=2_000, steps=40, shrink=False)
