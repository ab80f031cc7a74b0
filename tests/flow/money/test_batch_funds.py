"""What a paid batch may cost is set aside before anybody works on it, and given back when it cannot be needed."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.flow.batches import add_assignments, batch_launch, hidden_gold
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.review import assignment_approval, problem_reports
from annotation.flow.work import leases
from annotation.marketplaces.models import Connection
from annotation.models import Assignment, Batch, Entry, Hit, Payment
from annotation.tasktype import Payable, SecondOpinion
from tests.batches import set_up_gold
from tests.capable import grant
from tests.flow.acting import answer_all, dataset_of, draft, submit, take

pytestmark = pytest.mark.postgresql(reason="accounts are locked, and amounts are summed by the database")

D = Decimal
WEEK = 7 * 24 * 3600
DOUBT = {"kind": "none", "text": "", "support": [2], "facts": []}


@pytest.fixture
def budget(project: Any) -> Any:
    """Ten dollars, and MTurk's fees."""
    project.fees = "mturk"
    project.save()
    ledger.deposit(project, D(10), key="budget")
    return project


@pytest.fixture
def paid(budget: Any, dataset: Any) -> Batch:
    """Open; four HITs, two assignments each, 25 cents and a fee of 5."""
    made = promise(budget, dataset)
    batch_launch.launch(made)
    return made


def promise(project: Any, dataset: Any, name: str = "paid", **other: Any) -> Batch:
    terms: dict[str, Any] = {"assignments_per_hit": 2, "reward": D("0.25"), "auto_approval": WEEK}
    return draft(project, name, dataset, **(terms | other))


def stand(batch: Batch) -> tuple[Decimal, Decimal]:
    """(what the budget has left, what is held for the batch), which is exactly what it still needs."""
    batch.refresh_from_db()
    held = batch_funds.held(batch)
    assert held == batch_funds.needed(batch)
    return ledger.balance(batch.project, ledger.AVAILABLE), held


def worked(worker: Any, batch: Batch, answer: Any = None) -> Assignment:
    row = take(worker, batch)
    assert row is not None
    submit(row, answer)
    row.refresh_from_db()
    return row


def test_a_launch_sets_its_quote_aside(paid: Batch) -> None:
    assert stand(paid) == (D("7.60"), D("2.40"))


def test_a_batch_that_pays_nothing_holds_nothing(budget: Any, dataset: Any) -> None:
    free = promise(budget, dataset, auto_approval=None)
    batch_launch.launch(free)
    assert batch_funds.held(free) == 0


def test_a_budget_that_is_too_small_refuses_the_launch_and_leaves_a_draft(budget: Any, dataset: Any) -> None:
    dear = promise(budget, dataset, reward=D("1.05"))
    with pytest.raises(ledger.Overdrawn, match=r"This requires \$10\.08, but the budget has only \$10\.00 left"):
        batch_launch.launch(dear)
    dear.refresh_from_db()
    assert (dear.state, dear.hits.count(), Entry.objects.count()) == ("draft", 0, 1)
    ledger.deposit(budget, D("0.08"), key="more")
    batch_launch.launch(dear)
    assert stand(dear) == (0, D("10.08"))


def test_a_launch_that_died_sets_aside_once(budget: Any, dataset: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = promise(budget, dataset)

    set_aside = batch_funds.at_launch

    def die(batch: Batch) -> None:
        set_aside(batch)
        raise SystemExit

    monkeypatch.setattr(batch_funds, "at_launch", die)
    with pytest.raises(SystemExit):
        batch_launch.launch(made)
    monkeypatch.undo()
    assert batch_funds.held(made) == 0
    Batch.objects.filter(pk=made.pk).update(state=Batch.State.LAUNCHING)
    made.refresh_from_db()
    batch_launch.launch(made)
    with pytest.raises(Refused, match="already launched"):
        batch_launch.launch(made)
    assert stand(made) == (D("7.60"), D("2.40"))
    assert Entry.objects.filter(kind="hold").count() == 1


def test_an_approval_takes_from_what_is_held_and_a_rejection_gives_it_back(paid: Batch, bob: Any) -> None:
    first, second = worked(bob, paid), worked(bob, paid)
    assert stand(paid) == (D("7.60"), D("2.40"))
    assignment_approval.approve(first)
    assert stand(paid) == (D("7.60"), D("2.10"))
    assignment_approval.reject(second, text="Not read.")
    assert stand(paid) == (D("7.90"), D("1.80"))


def test_what_an_answer_earns_less_goes_back(paid: Batch, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    grant(monkeypatch, "answer", Payable, pay=lambda self, payload, a: None if a is None else 10)
    assignment_approval.approve(worked(bob, paid))
    assert stand(paid) == (D("7.78"), D("2.10"))


def test_a_bonus_and_a_change_of_mind_come_from_the_budget(paid: Batch, bob: Any) -> None:
    row = worked(bob, paid)
    assignment_approval.reject(row, text="Not read.")
    assignment_approval.approve(row, override=True)
    assignment_approval.add_payment(row, Payment.Kind.BONUS, D(1), key="b", reason="Well put.")
    assert stand(paid) == (D("6.40"), D("2.10"))


def test_closing_keeps_what_is_undecided_or_under_way_and_gives_the_rest_back(paid: Batch, bob: Any) -> None:
    worked(bob, paid)
    taken = take(bob, paid)
    batch_launch.close(paid)
    assert stand(paid) == (D("9.40"), D("0.60"))
    leases.return_assignment(taken)
    batch_funds.adjust_closed_holds()
    assert stand(paid) == (D("9.70"), D("0.30"))
    assert batch_funds.adjust_closed_holds() == 0


def test_a_closed_batch_that_opens_again_sets_its_places_aside_again(paid: Batch, bob: Any) -> None:
    worked(bob, paid)
    batch_launch.close(paid)
    batch_launch.resume(paid)
    assert stand(paid) == (D("7.60"), D("2.40"))
    batch_launch.close(paid)
    ledger.deposit(paid.project, D(-9), key="out")
    with pytest.raises(ledger.Overdrawn):
        batch_launch.resume(paid)
    assert stand(paid) == (D("0.70"), D("0.30"))
    assert paid.state == "closed"


def test_an_excluded_hit_gives_back_its_empty_places_until_it_is_restored(paid: Batch, bob: Any) -> None:
    row = worked(bob, paid)
    problem_reports.exclude(row.hit, reason="broken")
    assert stand(paid) == (D("7.90"), D("2.10"))
    problem_reports.restore(row.hit)
    assert stand(paid) == (D("7.60"), D("2.40"))
    problem_reports.exclude(row.hit, reason="broken")
    ledger.deposit(paid.project, D("-7.90"), key="out")
    with pytest.raises(ledger.Overdrawn):
        problem_reports.restore(row.hit)
    assert Hit.objects.get(pk=row.hit_id).excluded_at


def test_a_top_up_sets_aside_what_it_adds_once(paid: Batch, bob: Any, carol: Any) -> None:
    answer_all(bob, paid)
    answer_all(carol, paid)
    base = paid.next_ticket
    add_assignments.add_assignments(paid, base=base)
    add_assignments.add_assignments(paid, base=base)
    assert stand(paid) == (D("6.40"), D("3.60"))


def test_the_tenth_assignment_makes_the_others_of_its_hit_dearer(budget: Any, dataset: Any, bob: Any) -> None:
    made = promise(budget, dataset, assignments_per_hit=1, sample=1)
    batch_launch.launch(made)
    row = worked(bob, made)
    Hit.objects.filter(pk=row.hit_id).update(wanted=9, done=9)
    made.refresh_from_db()
    add_assignments.add_assignments(made, base=made.next_ticket)
    assert stand(made)[1] == D("0.70")  # the one that is undecided and the tenth


def test_a_top_up_beyond_the_budget_asks_for_nothing(paid: Batch, bob: Any, carol: Any) -> None:
    answer_all(bob, paid)
    answer_all(carol, paid)
    ledger.deposit(paid.project, D("-6.41"), key="out")
    paid.refresh_from_db()
    with pytest.raises(ledger.Overdrawn):
        add_assignments.add_assignments(paid, base=paid.next_ticket)
    assert set(paid.hits.values_list("wanted", flat=True)) == {2}
    assert stand(paid) == (D("1.19"), D("2.40"))


@pytest.mark.parametrize(("left", "wanted"), [("0.30", 3), ("0.29", 2)])
def test_a_second_opinion_is_asked_for_only_where_the_budget_covers_it(
    paid: Batch, bob: Any, monkeypatch: pytest.MonkeyPatch, left: str, wanted: int
) -> None:
    grant(monkeypatch, "answer", SecondOpinion, least=lambda self, payload, answer: 3)
    ledger.deposit(paid.project, D(left) - D("7.60"), key="out")
    row = worked(bob, paid, DOUBT)
    assert Hit.objects.get(pk=row.hit_id).wanted == wanted
    assert row.state == "submitted"
    assert stand(paid) == (D(left) - (D("0.30") if wanted == 3 else 0), D("2.40") + (D("0.30") if wanted == 3 else 0))


def test_a_late_answer_beyond_the_places_is_covered_too(paid: Batch, bob: Any, carol: Any) -> None:
    Hit.objects.exclude(pk=paid.hits.first().pk).update(excluded_at=Now())
    batch_funds.adjust_hold(paid)
    Hit.objects.filter(excluded_at=None).update(wanted=1)
    batch_funds.adjust_hold(paid)
    late = take(bob, paid)
    Assignment.objects.filter(pk=late.pk).update(lease_until=Now() - timedelta(hours=1))
    leases.expire_due()
    assignment_approval.approve(worked(carol, paid))
    assert stand(paid)[1] == 0
    late.refresh_from_db()
    assert submit(late).counts is False
    assert stand(paid) == (D("9.40"), D("0.30"))
    assignment_approval.approve(late)
    assert stand(paid) == (D("9.40"), 0)


def test_a_late_answer_to_a_closed_batch_sets_aside_what_closing_gave_back(paid: Batch, bob: Any) -> None:
    late = take(bob, paid)
    leases.return_assignment(late, to="expired")
    batch_launch.close(paid)
    assert stand(paid) == (D("10.00"), 0)
    late.refresh_from_db()
    assert submit(late).counts is True  # its place is free: nobody else can take it any more
    assert stand(paid) == (D("9.70"), D("0.30"))
    ledger.deposit(paid.project, D("-9.70"), key="out")
    assert assignment_approval.approve(late)
    assert stand(paid) == (0, 0)


def test_with_nothing_left_in_the_budget_everything_that_was_promised_is_paid(
    paid: Batch, bob: Any, carol: Any
) -> None:
    ledger.deposit(paid.project, D("-7.60"), key="out")
    assert [len(answer_all(worker, paid)) for worker in (bob, carol)] == [4, 4]
    for row in Assignment.objects.filter(batch=paid):
        assert assignment_approval.approve(row)
    assert stand(paid) == (0, 0)
    assert ledger.balance(paid.project, ledger.owed_to(bob.pk)) == D("1.00")
    assert ledger.balance(paid.project, ledger.FEES) == D("0.40")


def test_a_payment_that_the_budget_lacks_changes_nothing(paid: Batch, bob: Any) -> None:
    row = worked(bob, paid)
    assignment_approval.reject(row, text="Not read.")
    ledger.deposit(paid.project, -ledger.balance(paid.project, ledger.AVAILABLE), key="out")
    before = (Entry.objects.count(), Payment.objects.count(), stand(paid))
    with pytest.raises(ledger.Overdrawn):
        assignment_approval.approve(row, override=True)
    row.refresh_from_db()
    assert row.approval == "rejected"
    assert (Entry.objects.count(), Payment.objects.count(), stand(paid)) == before


def test_a_batch_for_a_marketplace_reserves_by_the_marketplaces_fees(budget: Any, dataset: Any) -> None:
    free = Connection.objects.create(project=budget, name="here", endpoint_url="http://x", key_id="k", secret="s")
    made = promise(budget, dataset, marketplace=free)
    batch_launch.launch(made)
    assert stand(made) == (D("8.00"), D("2.00"))


def test_what_a_task_pays_beyond_the_marketplaces_reward_is_reserved_as_a_bonus(
    budget: Any, dataset: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant(monkeypatch, "answer", Payable, pay=lambda self, payload, a: 40)
    there = Connection.objects.create(
        project=budget, name="there", endpoint_url="http://x", key_id="k", secret="s", fees="mturk"
    )
    made = promise(budget, dataset, marketplace=there)
    batch_launch.launch(made)
    assert stand(made)[1] == 8 * (D("0.25") + D("0.05") + D("0.15") + D("0.03"))


@pytest.mark.parametrize(
    ("share", "places", "most"),
    [(0.1, 8, 1), (0.2, 9, 3), (0.2, 8, 2), (0.3, 7, 3), (0.5, 7, 7), (0.8, 7, 7), (0, 7, 0)],
)
def test_a_part_of_a_hidden_gold_assignment_is_a_whole_one(share: float, places: int, most: int) -> None:
    assert batch_funds.checks_among(Batch(check_share=share), places) == most


def test_what_is_set_aside_for_hidden_gold_is_rounded_up(budget: Any, dataset: Any, tmp_path: Any) -> None:
    """8 places and a tenth of hidden gold are 0.9 assignments of it: one may be given out, and is paid."""
    made = promise(budget, dataset)
    known = dataset_of(budget, tmp_path, name="known", size=2)
    set_up_gold(made, datasets=[known], share=0.1, rule=hidden_gold.Rule(5, None, None))
    batch_launch.launch(made)
    assert stand(made) == (D("7.30"), D("2.70"))


def test_hidden_gold_is_reserved_by_its_share_and_never_given_out_beyond_it(
    budget: Any, dataset: Any, tmp_path: Any, bob: Any, carol: Any
) -> None:
    known = dataset_of(budget, tmp_path, name="known", size=8)
    made = promise(budget, dataset)
    set_up_gold(made, datasets=[known], share=0.5, rule=hidden_gold.Rule(5, None, None))
    batch_launch.launch(made)
    assert stand(made)[1] == D("4.80")
    for worker in (bob, carol):
        while row := take(worker, made):
            submit(row)
            assert batch_funds.held(made) >= batch_funds.needed(made)
    rows = Assignment.objects.filter(batch=made)
    assert rows.filter(hit__check_item=False).count() == 8
    assert rows.filter(hit__check_item=True).count() <= 8
    ledger.deposit(budget, -ledger.balance(budget, ledger.AVAILABLE), key="out")
    for row in rows:
        assert assignment_approval.approve(row)
    batch_launch.close(made)
    assert stand(made)[1] == 0
