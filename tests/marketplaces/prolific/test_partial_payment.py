"""A part of a visit's reward: paid once in place where the workspace can, as a bonus after a return otherwise."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import Sum
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone
from prolific_emulator import faults, submissions
from prolific_emulator.server import Emulator

from annotation.flow.errors import Refused
from annotation.flow.money import ledger, ledger_audit
from annotation.marketplaces.base import Denied
from annotation.marketplaces.flow import bonuses, visit_decisions
from annotation.marketplaces.models import Difference, Visit
from annotation.marketplaces.prolific.marketplace import Prolific
from annotation.models import Assignment, Entry, Payment
from tests.long_forms import first
from tests.marketplaces.prolific.panel import PATIENT, Killed, Panel, came_back, send, sync, tolerant
from tests.prolific_emulator.conftest import SPEC, client_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def in_place(emulator: Emulator, make_paying: Callable[..., Panel]) -> Panel:
    """In a workspace that has partial payment."""
    emulator.world.pays_parts = True
    return make_paying(partial_payment="yes")


def pay(visit: Visit, percent: int = 30) -> bool:
    return visit_decisions.pay_part(visit, percent=percent, text="You did one of five tasks.", user=None)


def there(panel: Panel, visit: Visit) -> submissions.Submission:
    return panel.emulator.world.submissions[visit.external_id]


def paid() -> list[tuple[str, str, Decimal]]:
    rows = Payment.objects.filter(amount__gt=0).order_by("pk")
    return list(rows.values_list("kind", "state", "amount"))


def test_a_part_is_paid_in_place_and_the_responses_count(in_place: Panel) -> None:
    visit = came_back(in_place)
    free = ledger.balance(in_place.batch.project, ledger.AVAILABLE)
    assert pay(visit)
    assert not pay(visit)
    send(in_place)
    assert (there(in_place, visit).status, there(in_place, visit).part) == ("PARTIALLY APPROVED", 45)
    for _time in range(2):
        assert sync(in_place) == 0
    assert paid() == [("bonus", "paid", Decimal("0.45"))]
    assert Payment.objects.aggregate(sum=Sum("amount"))["sum"] == Decimal("0.45")
    assert Assignment.objects.get().approval == "approved"
    assert ledger.balance(in_place.batch.project, ledger.AVAILABLE) < free
    assert ledger_audit.audit(in_place.batch.project) == []
    bonuses.send_due(in_place.connection, patience=PATIENT)
    assert in_place.paid_there(visit) == []


def test_a_process_that_dies_between_the_call_and_its_result_asks_only_once(
    in_place: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit, call = came_back(in_place), Prolific.approve_in_part
    pay(visit)

    def die(*arguments: Any, **named: Any) -> None:
        call(*arguments, **named)
        raise Killed

    monkeypatch.setattr(Prolific, "approve_in_part", die)
    tolerant(send, in_place)
    assert paid() == [("bonus", "due", Decimal("0.45"))]
    monkeypatch.undo()
    visit_decisions.send_due(in_place.connection, patience=PATIENT)  # nobody asks again at once
    assert visit_decisions.unsent().count() == 0
    send(in_place)
    assert paid() == [("bonus", "paid", Decimal("0.45"))]
    assert there(in_place, visit).part_calls == 1


@pytest.mark.parametrize("fault", first(3, faults.KINDS))
def test_whatever_becomes_of_the_call_the_part_is_paid_once(
    in_place: Panel, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = came_back(in_place)
    pay(visit)
    in_place.emulator.faults = faults.Faults(1.0, kinds=(fault,))
    for _time in range(3):
        send(in_place)
    in_place.emulator.faults = faults.Faults()
    for _time in range(2):
        send(in_place)
    sync(in_place)
    assert paid() == [("bonus", "paid", Decimal("0.45"))]
    assert there(in_place, visit).part == 45


def test_two_processes_at_once_make_one_call(in_place: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    visit, call = came_back(in_place), Prolific.approve_in_part
    pay(visit)
    calls = []

    def slow(*arguments: Any, **named: Any) -> None:
        calls.append(1)
        if len(calls) == 1:  # while this one is under way
            visit_decisions.send_due(in_place.connection, patience=PATIENT)
        call(*arguments, **named)

    monkeypatch.setattr(Prolific, "approve_in_part", slow)
    send(in_place)
    assert (len(calls), there(in_place, visit).part_calls) == (1, 1)


def test_without_partial_payment_it_is_a_bonus_once_the_visit_is_returned(paying: Panel) -> None:
    visit = came_back(paying)
    assert pay(visit)
    send(paying)
    assert there(paying, visit).return_requested is not None
    sync(paying)
    assert paid() == []
    submissions.move(paying.emulator.world, there(paying, visit), "RETURNED")
    for _time in range(3):
        sync(paying)
        Payment.objects.filter(state="due").update(due_at=Now())
        bonuses.send_due(paying.connection, patience=PATIENT, seconds=60)
    assert paying.paid_there(visit) == [45]
    assert paid() == [("bonus", "paid", Decimal("0.45"))]
    assert Assignment.objects.get().approval == "rejected"  # asked for again
    assert not Difference.objects.filter(gone_at=None).exists()
    assert ledger_audit.audit(paying.batch.project) == []


@pytest.mark.parametrize("status", ["RETURNED", "TIMED-OUT"])
def test_a_visit_that_is_over_is_paid_a_part_as_a_bonus_in_every_workspace(in_place: Panel, status: str) -> None:
    visit = came_back(in_place)
    submissions.move(in_place.emulator.world, there(in_place, visit), status)
    sync(in_place)
    assert pay(visit)
    assert not pay(visit)
    bonuses.send_due(in_place.connection, patience=PATIENT, seconds=60)
    assert in_place.paid_there(visit) == [45]


def test_what_cannot_be_paid_in_part_is_refused_and_nothing_changes(in_place: Panel) -> None:
    visit, empty = came_back(in_place), in_place.visit(answered=False)
    Visit.objects.filter(pk=empty.pk).update(decision="", remote_state="timed_out")
    for percent in (0, 7, 100):
        with pytest.raises(Refused, match="8 to 99"):
            pay(visit, percent)
    with pytest.raises(Refused, match="why"):
        visit_decisions.pay_part(visit, percent=30, text=" ", user=None)
    with pytest.raises(Refused, match="nothing to pay"):
        pay(Visit.objects.get(pk=empty.pk))
    Visit.objects.filter(pk=visit.pk).update(remote_state="rejected")
    with pytest.raises(Refused, match="rejected or screened out"):
        pay(visit)
    Visit.objects.filter(pk=visit.pk).update(remote_state="awaiting")
    Assignment.objects.update(approval="approved", approved_at=timezone.now())
    with pytest.raises(Refused, match="as a whole"):
        pay(visit)
    assert set(Visit.objects.values_list("decision", "part_percent")) == {("", 0)}
    assert not Payment.objects.exists()


def test_a_visit_without_responses_is_paid_in_place_and_booked_once(in_place: Panel) -> None:
    visit = came_back(in_place)
    Assignment.objects.get().visited.delete()
    assert pay(visit)
    send(in_place)
    for _time in range(2):
        sync(in_place)
    assert there(in_place, visit).part == 45
    booked = Entry.objects.filter(worker=visit.worker).values_list("kind", "amount")
    assert list(booked) == [("reward", Decimal("0.45"))]


def test_somebody_who_approves_it_in_full_there_is_shown(in_place: Panel) -> None:
    visit = came_back(in_place)
    pay(visit)
    submissions.move(in_place.emulator.world, there(in_place, visit), "APPROVED")
    sync(in_place)
    assert Difference.objects.get(gone_at=None).kind == Difference.Kind.DECIDED_THERE


def test_a_workspace_without_it_refuses_the_study(emulator: Emulator) -> None:
    client = client_for(emulator, options=(("partial_payment", "yes"),))
    with pytest.raises(Denied, match="DYNAMIC_PAYMENT"):
        client.create_study(SPEC)


def test_parts_are_paid_in_bulk_on_the_page(in_place: Panel, signed_in: Client) -> None:
    visits = [came_back(in_place), came_back(in_place)]
    path = f"/projects/{in_place.batch.project.slug}/batches/{in_place.batch.slug}/marketplace/"
    assert "Responses of partly paid visits count" in signed_in.get(path).content.decode()
    fields = {"visit": [str(visit.pk) for visit in visits], "reason": "You did one of five.", "percent": "20"}
    page = signed_in.post(f"{path}study/part/", fields, follow=True).content.decode()
    assert "A part is paid for 2 visits" in page
    assert set(Visit.objects.values_list("decision", "part_percent")) == {("part", 20)}
    send(in_place)
    sync(in_place)
    assert [there(in_place, visit).part for visit in visits] == [30, 30]
    shown = signed_in.get(path, {"show": "approved"}).content.decode()
    assert "approved in part" in shown
    assert "20 %" in shown
