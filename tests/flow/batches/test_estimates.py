"""What a batch will cost and tell, before anybody sees it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.flow.batches import batch_launch, estimates
from annotation.flow.money import batch_funds, ledger
from annotation.marketplaces.models import Connection
from annotation.models import Batch, BatchReport
from annotation.pure.statistics import power
from annotation.recruitment import marketplaces
from annotation.registry import task_type
from annotation.tasktype import Payable
from tests.capable import grant
from tests.flow.acting import draft

D = Decimal
WEEK = 7 * 24 * 3600


@pytest.fixture
def made(project: Any, dataset: Any) -> Batch:
    """A draft of four HITs, three assignments each, 25 cents, on MTurk's terms."""
    project.fees = "mturk"
    project.save()
    return draft(project, "made", dataset, reward=D("0.25"), auto_approval=WEEK, expected_seconds=90)


def test_a_draft_is_quoted_to_the_cent_that_its_launch_sets_aside(made: Batch, project: Any) -> None:
    ledger.deposit(project, D(10), key="budget")
    found = estimates.estimate(made)
    assert (found.quote.total, found.quote.fees, found.exact) == (D("3.60"), D("0.60"), True)
    assert (found.available, found.left, found.lacking) == (D(10), D("6.40"), 0)
    batch_launch.launch(made)
    assert batch_funds.held(made) == found.quote.total


def test_what_the_task_pays_stands_line_by_line(made: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    pays = iter([25, 60, 25, 40])
    grant(monkeypatch, "answer", Payable, pay=lambda self, payload, answer: next(pays))
    lines = estimates.estimate(made).quote.lines
    assert [(line.reward, line.hits, line.total) for line in lines] == [
        (D("0.60"), 1, D("2.16")),
        (D("0.40"), 1, D("1.44")),
        (D("0.25"), 2, D("1.80")),
    ]


def test_items_that_the_task_cannot_ask_about_cost_nothing(made: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare = type(task_type("answer")).prepare
    skipped = iter([True, False, False, True])
    monkeypatch.setattr(
        type(task_type("answer")), "prepare", lambda self, *a: None if next(skipped) else prepare(self, *a)
    )
    found = estimates.estimate(made)
    assert (found.quote.hits, found.count.hits, found.count.asked) == (2, 2, 4)


def test_a_look_at_some_items_is_scaled_up_and_says_so(made: Batch) -> None:
    found = estimates.estimate(made, most=2)
    assert (found.quote.total, found.exact) == (D("3.60"), False)


def test_a_batch_that_is_not_stored_is_quoted_like_one_that_is(made: Batch, dataset: Any) -> None:
    same = ["project", "task", "options", "seed", "assignments_per_hit", "reward", "auto_approval", "expected_seconds"]
    imagined = Batch(**{name: getattr(made, name) for name in same})
    assert estimates.estimate(imagined, datasets=[dataset]) == estimates.estimate(made)


def test_progress_is_told(made: Batch) -> None:
    result: list[tuple[int, int]] = []
    estimates.estimate(made, progress=lambda done, of: result.append((done, of)))
    assert result == [(4, 4)]


def test_unpaid_work_costs_nothing_and_still_tells_something(made: Batch) -> None:
    made.auto_approval = None
    found = estimates.estimate(made)
    assert (found.quote.total, found.least_an_hour, found.below_floor) == (0, None, False)
    assert found.half == power.half_width(4, 3)


@pytest.mark.parametrize(("floor", "below"), [("10.00", False), ("10.01", True), (None, False)])
def test_pay_below_the_floor_is_seen(made: Batch, floor: str | None, below: bool) -> None:
    made.project.wage_floor = D(floor) if floor else None
    found = estimates.estimate(made)
    assert (found.least_an_hour, found.below_floor) == (D("10.00"), below)


def test_a_marketplace_is_quoted_its_reward_and_the_rest_as_bonuses(
    made: Batch, project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant(monkeypatch, "answer", Payable, pay=lambda self, payload, answer: 40)
    there = Connection.objects.create(
        project=project, name="there", endpoint_url="http://x", key_id="k", secret="s", fees="mturk"
    )
    made.on_marketplace = True
    made.save()
    marketplaces().choose(made, there)
    found = estimates.estimate(made).quote
    assert [(line.reward, line.hits) for line in found.lines] == [(D("0.25"), 4)]
    assert [(some.amount, some.count) for some in found.bonuses] == [(D("0.15"), 12)]
    ledger.deposit(project, D(10), key="budget")
    batch_launch.launch(made)
    assert batch_funds.held(made) == found.total


def test_hidden_gold_is_paid_as_well(made: Batch) -> None:
    made.check_share = 0.2
    assert estimates.estimate(made).quote.assignments == 12 + 3


def test_scores_of_an_earlier_batch_tell_how_the_next_will_scatter(made: Batch, batch: Batch) -> None:
    figure = {"value": 0.78, "low": 0.72, "high": 0.84, "n": 125}
    content = {"datasets": {"wells": {"answer": {"human_score": {"f1": figure}}}}}
    BatchReport.objects.create(batch=batch, stand="", content=content)
    found = estimates.estimate(made)
    assert found.learnt_from == batch.title
    assert power.half_width(125, batch.assignments_per_hit, spread=found.spread) == pytest.approx(0.06)
    assert found.items_for(0.06, batch.assignments_per_hit) == 125


@pytest.mark.parametrize("figure", [{"low": None, "high": None, "n": 125}, {"low": 0.1, "high": 0.9, "n": 5}, {}])
def test_a_report_that_tells_nothing_is_passed_over(made: Batch, batch: Batch, figure: dict[str, Any]) -> None:
    content = {"datasets": {"wells": {"answer": {"human_score": {"f1": figure}}}}}
    BatchReport.objects.create(batch=batch, stand="", content=content)
    assert estimates.estimate(made).spread == power.UNKNOWN


def test_a_round_is_quoted_for_one_worker(project: Any, dataset: Any) -> None:
    from annotation.models import QualificationRound, QualificationType

    made = draft(
        project, "round", dataset, purpose="qualification", reward=D("0.25"), auto_approval=WEEK, expected_seconds=90
    )
    grants = QualificationType.objects.create(project=project, name="Good")
    QualificationRound.objects.create(batch=made, per_worker=3, grants=grants)
    found = estimates.estimate(made)
    assert (found.quote.total, found.each_worker) == (D("0.75"), True)
