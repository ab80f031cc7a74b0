"""Bonuses on a marketplace that pays at every call are paid once, or shown to a person with the facts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from prolific_emulator import faults

from annotation.marketplaces.base import TryAgain
from annotation.marketplaces.flow import bonuses, differences
from annotation.marketplaces.models import Connection, Visit, VisitBonus
from annotation.models import Payment
from tests.marketplaces.prolific.panel import PATIENT, Killed, Panel, tolerant

State = VisitBonus.State
pytestmark = pytest.mark.django_db(transaction=True)


def send(panel: Panel, *, times: int = 1) -> None:
    """Send what is due, as if its time had come."""
    for _time in range(times):
        VisitBonus.objects.update(due_at=Now())
        Payment.objects.filter(state="due").update(due_at=Now())
        bonuses.send_due(panel.connection, patience=PATIENT, seconds=60)


def test_a_bonus_is_paid_once_and_seen_in_the_list(panel: Panel) -> None:
    visit = panel.visit()
    payment = panel.owe(visit, "0.35")
    send(panel, times=3)
    assert panel.paid_there(visit) == [35]
    payment.refresh_from_db()
    assert (payment.state, visit.bonuses.get().state) == ("paid", State.PAID)
    assert visit.bonuses.get().was_taken


def test_several_bonuses_of_a_visit_are_paid_together(panel: Panel) -> None:
    visit = panel.visit()
    for amount in ("0.10", "0.25", "0.05"):
        panel.owe(visit, amount)
    send(panel)
    assert panel.paid_there(visit) == [40]
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}


def test_many_visits_share_one_payment(panel: Panel) -> None:
    visits = [panel.visit() for _one in range(6)]
    for visit in visits:
        panel.owe(visit, "0.30")
    send(panel)
    assert [panel.paid_there(visit) for visit in visits] == [[30]] * 6
    assert [one.calls for one in panel.emulator.world.bonuses.values()] == [1]


def test_a_bonus_waits_until_the_one_before_it_is_settled(panel: Panel) -> None:
    visit = panel.visit()
    panel.owe(visit, "0.35")
    panel.emulator.world.bonus_delay = timedelta(minutes=5)
    send(panel)
    panel.owe(visit, "0.20")
    send(panel, times=3)
    assert [row.state for row in visit.bonuses.all()] == [State.CALLED]
    panel.emulator.world.turn(timedelta(minutes=6))
    send(panel, times=2)
    panel.emulator.world.turn(timedelta(minutes=6))
    send(panel)
    assert panel.paid_there(visit) == [20, 35]


@pytest.mark.parametrize("fault", [faults.CUT_AFTER, faults.ERROR_AFTER, faults.HALF])
def test_a_call_without_an_answer_that_paid_is_found_in_the_list(
    panel: Panel, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = panel.visit()
    panel.owe(visit, "0.35")
    spoil_payments(panel, fault, monkeypatch)
    send(panel, times=3)
    assert panel.paid_there(visit) == [35]
    assert visit.bonuses.get().state == State.PAID
    assert not visit.bonuses.get().was_taken


@pytest.mark.parametrize("fault", [faults.CUT_BEFORE, faults.ERROR_BEFORE])
def test_a_call_whose_fate_nobody_knows_waits_for_a_person_and_is_never_repeated(
    panel: Panel, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = panel.visit()
    payment = panel.owe(visit, "0.35")
    spoil_payments(panel, fault, monkeypatch)
    send(panel, times=4)
    assert visit.bonuses.get().state == State.CALLED
    VisitBonus.objects.update(called_at=timezone.now() - bonuses.UNCLEAR_AFTER - timedelta(minutes=1))
    send(panel, times=2)
    row = bonuses.unclear(panel.batch).get()
    assert (row.before, row.seen, row.amount) == ([], [], Decimal("0.35"))
    assert bonuses.decide(row, was_paid=False)
    assert not bonuses.decide(row, was_paid=True)
    send(panel, times=2)
    assert panel.paid_there(visit) == [35]
    payment.refresh_from_db()
    assert payment.state == "paid"
    assert [one.state for one in visit.bonuses.order_by("pk")] == [State.NOT_PAID, State.PAID]


def test_a_person_who_finds_that_it_was_paid_ends_it(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    visit = panel.visit()
    payment = panel.owe(visit, "0.35")
    spoil_payments(panel, faults.CUT_BEFORE, monkeypatch)
    send(panel)
    VisitBonus.objects.update(called_at=timezone.now() - bonuses.UNCLEAR_AFTER - timedelta(minutes=1))
    send(panel)
    assert bonuses.decide(bonuses.unclear(panel.batch).get(), was_paid=True)
    send(panel, times=2)
    payment.refresh_from_db()
    assert (payment.state, panel.paid_there(visit)) == ("paid", [])


def test_a_refusal_for_the_rate_alone_is_tried_again(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    visit = panel.visit()
    panel.owe(visit, "0.35")
    calls = spoil_payments(panel, faults.TOO_MANY, monkeypatch)
    send(panel, times=2)
    assert panel.paid_there(visit) == [35]
    assert len(calls) == 2


def test_a_refusal_fails_our_payments_with_its_reason_and_a_retry_is_a_new_bonus(panel: Panel) -> None:
    visit = panel.visit()
    payment = panel.owe(visit, "0.35")
    panel.emulator.world.funds = 0
    send(panel, times=2)
    payment.refresh_from_db()
    assert payment.state == "failed"
    assert "enough funds" in payment.error
    panel.emulator.world.funds = 10**7
    Payment.objects.update(state="due", error="")
    send(panel, times=2)
    assert panel.paid_there(visit) == [35]


def test_one_bonus_that_cannot_be_prepared_holds_up_no_other(panel: Panel) -> None:
    good, bad = panel.visit(), panel.visit()
    panel.owe(good, "0.35")
    payment = panel.owe(bad, "0.35")
    Visit.objects.filter(pk=bad.pk).update(external_id="unknown")
    send(panel, times=2)
    payment.refresh_from_db()
    assert panel.paid_there(good) == [35]
    assert (payment.state, "No submission" in payment.error) == ("failed", True)


def test_a_bonus_that_somebody_paid_meanwhile_on_the_site_is_not_taken_for_ours(panel: Panel) -> None:
    visit = panel.visit()
    panel.owe(visit, "0.35")
    panel.emulator.world.bonus_delay = timedelta(minutes=5)
    send(panel)
    panel.emulator.world.submissions[visit.external_id].bonuses.append(500)
    send(panel)
    assert bonuses.unclear(panel.batch).get().seen == ["5.00"]


def test_a_bonus_that_was_paid_after_the_backup_which_is_restored_is_not_paid_again(panel: Panel) -> None:
    visit, other = panel.visit(), panel.visit()
    payment = panel.owe(visit, "0.35")
    send(panel, times=2)
    VisitBonus.objects.all().delete()
    Payment.objects.filter(pk=payment.pk).update(state="due", paid_at=None)
    panel.owe(visit, "0.20")
    panel.owe(other, "0.10")
    send(panel, times=3)
    assert (panel.paid_there(visit), panel.paid_there(other)) == ([35], [10])
    row = bonuses.unclear(panel.batch).get()
    assert (row.before, row.seen, row.amount, row.called_at) == (["0.35"], ["0.35"], Decimal("0.55"), None)
    [found] = differences.unclear_bonuses(row.visit.study)
    assert not found.more["called_at"]
    assert bonuses.decide(row, was_paid=False)
    send(panel, times=3)
    assert panel.paid_there(visit) == [35, 55]  # what a person saw is known from then on
    panel.owe(visit, "0.05")
    send(panel, times=3)
    assert panel.paid_there(visit) == [5, 35, 55]


def test_a_payment_that_was_called_after_the_backup_which_is_restored_is_not_called_again(panel: Panel) -> None:
    visit = panel.visit()
    panel.owe(visit, "0.35")
    send(panel)
    VisitBonus.objects.update(state=State.PREPARED, called_at=None, settled_at=None, was_taken=False, seen=[])
    Payment.objects.update(state="due", paid_at=None)
    VisitBonus.objects.update(due_at=Now() - timedelta(minutes=1))
    for _time in range(3):
        bonuses.send_due(panel.connection, patience=PATIENT, seconds=60)
    assert panel.paid_there(visit) == [35]
    assert [one.calls for one in panel.emulator.world.bonuses.values()] == [1, 0]
    assert bonuses.unclear(panel.batch).get().before == ["0.35"]


def test_of_two_bonuses_that_a_restore_forgot_the_answer_on_one_says_nothing_of_the_other(panel: Panel) -> None:
    visit = panel.visit()
    first = panel.owe(visit, "0.35")
    send(panel, times=2)
    panel.owe(visit, "0.20")
    send(panel, times=2)
    visit.bonuses.exclude(shares__payment=first).delete()
    visit.bonuses.update(state=State.CALLED, settled_at=None, seen=[])
    Payment.objects.update(state="due", paid_at=None)
    send(panel, times=2)
    row = bonuses.unclear(panel.batch).get()
    assert (row.amount, row.seen) == (Decimal("0.35"), ["0.20", "0.35"])
    assert bonuses.decide(row, was_paid=True)
    send(panel, times=3)
    assert panel.paid_there(visit) == [20, 35]
    assert bonuses.unclear(panel.batch).get().amount == Decimal("0.20")


def test_what_took_long_to_prepare_is_paid_all_the_same(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bonuses, "FRESH", timedelta(seconds=-5))
    visit = panel.visit()
    panel.owe(visit, "0.35")
    send(panel, times=2)
    assert panel.paid_there(visit) == [35]


def test_a_bonus_waits_for_its_reward(panel: Panel) -> None:
    visit = panel.visit()
    bonus = panel.owe(visit, "0.35")
    fields = {"project": bonus.project, "batch": bonus.batch, "assignment": bonus.assignment, "worker": bonus.worker}
    reward = Payment.objects.create(**fields, kind="reward", amount=Decimal("1.50"), key="r")
    send(panel)
    assert panel.paid_there(visit) == []
    reward.move("paid", since=("due",), paid_at=Now())
    send(panel)
    assert panel.paid_there(visit) == [35]


def test_a_process_that_dies_at_any_step_loses_and_doubles_nothing(
    panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in ("submission", "prepare_bonuses", "pay_bonuses"):
        for after in (False, True):
            visit = panel.visit()
            panel.owe(visit, "0.35")
            with monkeypatch.context() as patched:
                kill(patched, step, after=after)
                tolerant(send, panel)
            send(panel, times=2)
            paid = panel.paid_there(visit)
            state = visit.bonuses.get().state
            died_unpaid = step == "pay_bonuses" and not after
            assert (paid, state) == (([], State.CALLED) if died_unpaid else ([35], State.PAID)), (step, after)


def kill(patched: pytest.MonkeyPatch, step: str, *, after: bool, when: Callable[[], bool] = lambda: True) -> None:
    """Let the process die before or after it calls an operation of the client."""
    from annotation.marketplaces.prolific.marketplace import Prolific

    act = getattr(Prolific, step)

    def dying(self: Any, *arguments: Any, **named: Any) -> Any:
        dies = when()
        if dies and not after:
            raise Killed
        result = act(self, *arguments, **named)
        if dies:
            raise Killed
        return result

    patched.setattr(Prolific, step, dying)


def spoil_payments(panel: Panel, fault: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let one fault meet the first call that pays, and nothing else; returns the calls, as they come."""
    from annotation.marketplaces.prolific.marketplace import Prolific

    act, met = Prolific.pay_bonuses, list[str]()

    def spoiled(self: Any, payment: str) -> None:
        panel.emulator.faults.kinds, panel.emulator.faults.share = (fault,), 0.0 if met else 1.0
        met.append(payment)
        try:
            act(self, payment)
        finally:
            panel.emulator.faults.share = 0.0

    monkeypatch.setattr(Prolific, "pay_bonuses", spoiled)
    return met


def run_with_faults(panel: Panel, monkeypatch: pytest.MonkeyPatch, *, visits: int, seed: int) -> dict[str, list[int]]:
    """Pay two bonuses to each of many visits while requests fail and processes die; {visit: pence paid there}."""
    rng, rows = Random(seed), [panel.visit() for _one in range(visits)]
    for row in rows:
        panel.owe(row, "0.35")
    panel.emulator.faults.share = 0.3
    with monkeypatch.context() as patched:
        patched.setattr(bonuses, "AT_ONCE", 2)
        for step in ("submission", "prepare_bonuses", "pay_bonuses"):
            for after in (False, True):
                kill(patched, step, after=after, when=lambda: rng.random() < 0.03)
        for round in range(40):
            panel.emulator.world.bonus_delay = timedelta(seconds=rng.choice([0, 0, 90]))
            tolerant(send, panel)
            panel.emulator.world.turn(timedelta(minutes=1))
            if round == 10:
                for row in rows:
                    panel.owe(row, "0.35")
            if round % 8 == 7:
                _let_a_person_decide(panel)
    panel.emulator.faults.share = 0.0
    for _round in range(10):
        send(panel)
        panel.emulator.world.turn(timedelta(minutes=5))
        _let_a_person_decide(panel)
    return {row.external_id: panel.paid_there(row) for row in rows}


def _let_a_person_decide(panel: Panel) -> None:
    """Time passes until what was not listed is unclear; a person then looks at the payments on the site."""
    Connection.objects.update(rests_until=None)
    panel.emulator.world.turn(timedelta(hours=25))
    VisitBonus.objects.filter(state="called").update(called_at=timezone.now() - timedelta(hours=25))
    tolerant(send, panel)
    for row in bonuses.unclear(panel.batch):
        ours = sum(round(one.amount * 100) for one in row.visit.bonuses.filter(state=State.PAID))
        was_paid = sum(panel.paid_there(row.visit)) > ours
        bonuses.decide(row, was_paid=was_paid)


def assert_paid_once(panel: Panel, paid: dict[str, list[int]]) -> None:
    assert set(map(sum, paid.values())) == {70}
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
    assert not VisitBonus.objects.filter(state__in=VisitBonus.IN_FLIGHT).exists()


@pytest.mark.soak
def test_under_faults_and_kills_every_bonus_is_paid_exactly_once(
    make_panel: Callable[..., Panel], monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = make_panel(size=2, per_hit=10)
    assert_paid_once(panel, run_with_faults(panel, monkeypatch, visits=20, seed=1))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 16))
def test_two_thousand_faults_double_and_lose_no_bonus(
    make_panel: Callable[..., Panel], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """At least 150 faults a seed."""
    panel = make_panel(size=6, per_hit=10)
    panel.emulator.faults = faults.Faults(seed=seed)
    assert_paid_once(panel, run_with_faults(panel, monkeypatch, visits=60, seed=seed))
    seen = panel.emulator.faults.seen
    assert seen.total() - seen["fine"] >= 150


@pytest.mark.soak
def test_without_the_guard_the_same_run_pays_some_twice(
    make_panel: Callable[..., Panel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bonuses, "may_call_again", lambda failed: isinstance(failed, TryAgain))
    panel = make_panel(size=2, per_hit=10)
    paid = run_with_faults(panel, monkeypatch, visits=20, seed=1)
    assert any(sum(amounts) > 70 for amounts in paid.values())
