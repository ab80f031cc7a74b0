"""Hidden gold: it comes among the rest, nobody can tell, it is graded at once, and a rule warns and pauses."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.batches import batch_launch, batch_progress, hidden_gold
from annotation.flow.data import response_files
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.reports import batch_scores
from annotation.flow.review import (
    adjudication,
    gold_in_doubt,
    problem_reports,
    results_dataset,
    review_decisions,
    review_samples,
)
from annotation.flow.work import grading, leases, open_work
from annotation.models import Assignment, Batch, Feedback, Hit, Participation, Worker
from tests.conftest import answer_to
from tests.flow.acting import dataset_of, draft, newcomer, participation_of, submit, take
from tests.flow.people.test_qualification_rounds import wrong

pytestmark = pytest.mark.django_db
RULE = {"after": 2, "warn_below": 0.8, "pause_below": 0.5}


def checked(project: Any, tmp_path: Path, *, size: int = 24, share: float = 0.4, **settings: Any) -> Batch:
    """An open batch of `size` items with 10 checks."""
    asked = dataset_of(project, tmp_path, name="asked", size=size)
    known = dataset_of(project, tmp_path, name="known", size=10)
    settings = {"assignments_per_hit": 2, "check_share": share, "check_rule": RULE} | settings
    made = draft(project, "checked", asked, **settings)
    made.checks.set([known])
    batch_launch.launch(made)
    made.refresh_from_db()
    return made


def answer(worker: Worker, batch: Batch, *, right: Any = lambda row: True) -> list[Assignment]:
    """Everything there is for the worker; the assignments in the order in which they came."""
    came = []
    while row := take(worker, batch):
        if open_work.obstacle(worker, batch):
            break
        submit(row, answer_to(row) if right(row) else wrong(row), key=f"0.{row.pk}")
        came.append(row)
    return came


def test_checks_come_among_the_rest_and_are_no_part_of_the_size(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path)
    came = answer(bob, batch)
    checks = [row for row in came if row.hit.check_item]
    assert batch.size == 24
    assert len(came) - len(checks) == 24
    assert 3 <= len(checks) <= 10
    assert {row.hit.item.dataset.slug for row in checks} == {"known"}


def test_the_same_worker_meets_them_at_the_same_places(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path)
    participation = participation_of(bob, batch)
    due = [hit.pk for hit in open_work.hidden(participation)]
    assert due == [hit.pk for hit in open_work.hidden(participation)]


def test_workers_meet_them_in_different_orders(project: Any, tmp_path: Path) -> None:
    batch = checked(project, tmp_path, share=0.5)
    people = [newcomer(project, f"worker-{k}") for k in range(16)]
    met = {tuple(hit.pk for hit in open_work.hidden(participation_of(worker, batch))) for worker in people} - {()}
    assert len(met) > 1
    assert len({frozenset(order) for order in met}) == 1


def test_no_check_is_given_out_for_which_no_money_lies_ready(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.deposit(project, Decimal(50), key="budget")
    batch = checked(project, tmp_path, share=0.5, reward=Decimal("0.25"), auto_approval=3600)
    participations = [participation_of(newcomer(project, f"worker-{k}"), batch) for k in range(8)]
    assert any(open_work.hidden(participation) for participation in participations)
    monkeypatch.setattr(batch_funds, "checks_left", lambda _batch: 0)
    assert not any(open_work.hidden(participation) for participation in participations)


def test_what_others_do_moves_no_check_of_a_worker(project: Any, tmp_path: Path, carol: Worker) -> None:
    batch = checked(project, tmp_path, share=0.5, assignments_per_hit=3)
    participations = [participation_of(newcomer(project, f"worker-{k}"), batch) for k in range(8)]
    before = [bool(hidden_gold.drawn(participation)) for participation in participations]
    take(carol, batch)
    assert [bool(hidden_gold.drawn(participation)) for participation in participations] == before


def test_no_check_comes_twice_to_one_and_each_may_come_to_all(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path, share=0.5, assignments_per_hit=3)
    for worker in (bob, newcomer(project, "dan"), newcomer(project, "eve")):
        answer(worker, batch)
    rows = Assignment.objects.filter(hit__check_item=True)
    assert rows.values("worker", "hit").distinct().count() == rows.count()
    assert max(Hit.objects.filter(check_item=True).values_list("done", flat=True)) > 1
    assert set(Hit.objects.values_list("room", flat=True)) == {0}


def test_what_is_left_falls_by_one_whether_it_was_a_check_or_not(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path)
    total = open_work.left(participation_of(bob, batch))
    assert total == open_work.offered(participation_of(bob, batch))
    counted = []
    while row := take(bob, batch):
        submit(row, key=f"0.{row.pk}")
        counted.append(open_work.left(participation_of(bob, batch)))
    assert counted == list(range(total - 1, -1, -1))


def test_an_answer_to_a_check_is_graded_at_once(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path, check_rule={})
    answer(bob, batch, right=lambda row: row.hit_id % 2)
    for row in Assignment.objects.select_related("hit"):
        assert row.grade == (float(row.hit_id % 2) if row.hit.check_item else None)


def test_a_check_given_back_never_stands_in_the_queue(project: Any, tmp_path: Path, bob: Worker, carol: Worker) -> None:
    batch = checked(project, tmp_path, size=20, share=0.5)
    while (row := take(bob, batch)) and not row.hit.check_item:
        submit(row, key=f"0.{row.pk}")
    assert row is not None
    leases.return_assignment(row)
    Batch.objects.filter(pk=batch.pk).update(check_share=0)
    batch.refresh_from_db()
    assert not any(other.hit.check_item for other in answer(carol, batch))


def test_nothing_of_them_is_in_reports_aggregates_and_exports(
    project: Any, tmp_path: Path, bob: Worker, carol: Worker
) -> None:
    batch = checked(project, tmp_path, size=5, share=0.5, check_rule={})
    for worker in (bob, carol):
        answer(worker, batch, right=lambda row: not row.hit.check_item)
    rows = list(response_files.responses_of(batch))
    assert len(rows) == 10
    assert {row["dataset"] for row in rows} == {"asked"}
    assert set(batch_scores.score_batch(batch)["datasets"]) == {"asked"}
    counts = batch_progress.counts_of(batch)
    assert (counts.hits, counts.places, counts.done, counts.submitted) == (5, 10, 10, 10)
    assert [row["submitted"] for row in batch_progress.rows_of_workers(batch)] == [5, 5]
    assert gold_in_doubt.doubts(batch) == []
    assert adjudication.queue(batch) == []
    assert results_dataset.create_results_dataset(batch, name="verdicts")["datasets"] == {"verdicts": 5}
    assert all(not d.assignment.hit.check_item for d in review_samples.draw(batch, seed=1).assignments.all())


def test_who_earns_too_little_is_warned_once_and_goes_on(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path, size=24, check_rule={"after": 3, "warn_below": 0.8})
    came = answer(bob, batch, right=lambda row: not row.hit.check_item)
    result = Feedback.objects.filter(worker=bob)
    checks = sum(row.hit.check_item for row in came)
    assert len(came) - checks == 24
    assert result.count() == checks // 3
    assert "0 percent" in result.first().text


def test_who_earns_far_too_little_is_paused_and_keeps_everything(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path)
    came = answer(bob, batch, right=lambda row: False)
    assert sum(row.hit.check_item for row in came) == 2
    assert open_work.obstacle(bob, batch) == "paused"
    assert [participation.worker for participation in hidden_gold.paused(batch)] == [bob]
    assert not Assignment.objects.filter(approval="rejected").exists()
    assert Assignment.objects.filter(state="submitted").count() == len(came)


def test_who_has_met_nothing_else_is_among_the_workers(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path)
    answer(bob, batch, right=lambda row: False)
    batch.hits.filter(assignments__worker=bob).update(check_item=True)
    (row,) = batch_progress.with_workers(batch, batch_progress.rows_of_workers(batch))
    assert (row["worker"], row["submitted"], row["paused"]) == (bob, 0, True)


def test_a_requester_lets_them_go_on_and_the_rule_begins_anew(project: Any, tmp_path: Path, bob: Worker) -> None:
    batch = checked(project, tmp_path)
    answer(bob, batch, right=lambda row: False)
    assert hidden_gold.let_go_on(Participation.objects.get(worker=bob)) is True
    assert hidden_gold.let_go_on(Participation.objects.get(worker=bob)) is False
    assert open_work.obstacle(bob, batch) == ""
    answer(bob, batch)
    assert hidden_gold.paused(batch) == []
    assert Participation.objects.get(worker=bob).done > 24


def test_who_is_right_hears_nothing(project: Any, tmp_path: Path, bob: Worker) -> None:
    answer(bob, checked(project, tmp_path))
    assert not Feedback.objects.exists()


@pytest.mark.parametrize(
    ("share", "rule"),
    [
        (0.6, RULE),
        (-0.1, RULE),
        (0.2, {"after": 0}),
        (0.2, {"after": 3, "warn_below": 1.5}),
        (0.2, {"after": 3, "warn_below": 0.4, "pause_below": 0.6}),
    ],
)
def test_settings_that_cannot_work_are_refused(project: Any, tmp_path: Path, share: float, rule: Any) -> None:
    with pytest.raises(Refused):
        checked(project, tmp_path, share=share, check_rule=rule)
    assert Batch.objects.get().state == "draft"


def test_a_mark_may_ask_for_everything_right() -> None:
    assert hidden_gold.read_rule({"after": 1, "pause_below": 1}).pause_below == 1


def test_items_without_gold_are_no_checks(project: Any, tmp_path: Path) -> None:
    known = dataset_of(project, tmp_path, name="hidden", size=3)
    for item in known.items.all():
        item.content = item.content | {"answers": []}
        item.save()
    made = draft(project, "blind", dataset_of(project, tmp_path, name="asked", size=3), check_share=0.2)
    made.checks.set([known])
    with pytest.raises(Refused, match="graded"):
        batch_launch.launch(made)
    assert not Hit.objects.exists()


def test_a_batch_without_checks_asks_nothing_more(batch: Any, bob: Worker, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert hidden_gold.is_paused(bob, batch) is False
        assert open_work.hidden(Participation(batch=batch, worker=bob)) == []


def test_agreement_with_the_others_stands_in_for_checks(batch: Any, bob: Worker, carol: Worker) -> None:
    for worker, good in ((bob, 4), (carol, 2)):
        for k in range(4):
            row = take(worker, batch)
            assert row is not None
            submit(row, answer_to(row) if k < good else wrong(row), key=f"0.{row.pk}")
    assert grading.agreements(batch, carol.pk) == [1.0, 1.0, 0.0, 0.0]


def test_agreement_leaves_out_what_was_excluded_and_nothing_else(batch: Any, bob: Worker, carol: Worker) -> None:
    rows = [row for row in (take(bob, batch), take(carol, batch)) if row is not None]
    for row in rows:
        submit(row, answer_to(row), key=f"0.{row.pk}")
    assert grading.agreements(batch, carol.pk) == [1.0]
    wish = review_decisions.Decision("discarded", {}, reason="It was not read.")
    review_decisions.decide(rows[0], 1, wish, reviewer=None)
    assert (grading.agreements(batch, bob.pk), grading.agreements(batch, carol.pk)) == ([1.0], [1.0])
    problem_reports.exclude(rows[0].hit, reason="Two towers stand there.")
    assert (grading.agreements(batch, bob.pk), grading.agreements(batch, carol.pk)) == ([], [])
