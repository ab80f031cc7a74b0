"""Rounds: what each worker is given, when it is over, and who passes; MuSiQue's two rounds as they were."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Conflict, Refused
from annotation.flow.people import bulk_grants, round_attempts, round_results
from annotation.flow.people import qualification_rounds as setting_up
from annotation.flow.review import problem_reports
from annotation.flow.work import leases, open_work
from annotation.models import Assignment, Attempt, Hit, Participation, Qualification, QualificationRound, Worker
from tests.batches import create_batch, create_round
from tests.conftest import answer_to
from tests.flow.acting import dataset_of, newcomer, participation_of, submit, take

pytestmark = pytest.mark.django_db


def made(
    project: Any, *datasets: Any, name: str = "round", task: str = "answer", **settings: Any
) -> QualificationRound:
    """A launched round."""
    terms = {"per_worker": 3, "instructions": "Read.", "grants": setting_up.grant_type(project, "Readers")} | settings
    found = create_round(project, name, task=task, datasets=datasets, **terms)
    batch_launch.launch(found.batch)
    found.batch.refresh_from_db()
    return found


def wrong(row: Assignment) -> dict[str, Any]:
    """An answer that is not gold's, with the wrong support."""
    return answer_to(row) | {"text": "Farrow", "paragraph": 2, "start": 0, "end": 6, "support": [2]}


def work_through(worker: Worker, found: QualificationRound, *, right: float = 1.0, rng: Random | None = None) -> int:
    """Answer what the attempt holds, this share of it rightly; returns how much that was."""
    rng, count = rng or Random(1), 0
    while row := take(worker, found.batch):
        submit(row, answer_to(row) if rng.random() < right else wrong(row), key=f"0.{row.pk}")
        count += 1
    return count


@pytest.fixture
def wells(project: Any, tmp_path: Path) -> Any:
    return dataset_of(project, tmp_path, name="pool", size=12)


def test_everybody_gets_so_many_items_of_their_own_draw(project: Any, wells: Any, bob: Worker, carol: Worker) -> None:
    found = made(project, wells)
    assert [work_through(worker, found) for worker in (bob, carol)] == [3, 3]
    drawn = {attempt.worker_id: attempt.hits for attempt in Attempt.objects.all()}
    assert set(drawn[bob.pk]) != set(drawn[carol.pk])
    assert Hit.objects.filter(batch=found.batch).count() == 12


def test_the_draw_is_seeded(project: Any, wells: Any, bob: Worker) -> None:
    drawn = []
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        found = made(project, wells, name=name, seed=seed, fresh_only=False)
        take(bob, found.batch)
        hits = Hit.objects.in_bulk(Attempt.objects.get(round=found).hits)
        drawn.append([hits[pk].item_id for pk in Attempt.objects.get(round=found).hits])
    assert drawn[0] == drawn[1] != drawn[2]


def test_each_dataset_gives_its_share(project: Any, tmp_path: Path, bob: Worker) -> None:
    three = [dataset_of(project, tmp_path, name=name, size=9) for name in ("a", "b", "c")]
    found = made(project, *three, per_worker=7)
    work_through(bob, found)
    taken = Hit.objects.filter(pk__in=Attempt.objects.get().hits).values_list("item__dataset__slug", flat=True)
    assert sorted(taken) == ["a"] * 3 + ["b"] * 2 + ["c"] * 2


def test_before_the_first_item_a_worker_is_offered_one_attempt(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells, per_worker=4)
    assert open_work.offered(participation_of(bob, found.batch)) == 4
    assert take(bob, found.batch) == take(bob, found.batch), "the one under way"
    assert work_through(bob, found) == 4
    assert open_work.offered(participation_of(bob, found.batch)) == 4


def test_any_number_of_workers_may_get_the_same_hit(project: Any, tmp_path: Path, bob: Worker, carol: Worker) -> None:
    found = made(project, dataset_of(project, tmp_path, name="few", size=3))
    assert [work_through(worker, found) for worker in (bob, carol, newcomer(project, "dan"))] == [3, 3, 3]
    assert list(found.batch.hits.values_list("done", "live", "room")) == [(3, 0, 0)] * 3


def test_a_claim_again_gives_the_same_assignment(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells)
    assert take(bob, found.batch) == take(bob, found.batch)


def test_what_was_given_back_is_offered_again_at_the_end(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells)
    first = take(bob, found.batch)
    assert first is not None
    leases.return_assignment(first)
    assert work_through(bob, found) == 3
    assert Attempt.objects.get().finished_at is not None


def test_whoever_is_above_the_mark_passes(project: Any, wells: Any, bob: Worker, carol: Worker) -> None:
    found = made(project, wells)
    work_through(bob, found)
    work_through(carol, found, right=0)
    passed = {attempt.worker: attempt.passed for attempt in Attempt.objects.all()}
    assert passed == {bob: True, carol: False}
    assert Attempt.objects.get(worker=bob).figures["answer_f1"] == 1
    assert set(Assignment.objects.filter(worker=carol).values_list("grade", flat=True)) == {0.0}


def test_answers_are_final_once_the_result_is_known(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells)
    row = take(bob, found.batch)
    assert row is not None
    submit(row, wrong(row))
    submit(row, answer_to(row), key="1.x", base=1)  # while the attempt goes on
    work_through(bob, found)
    assert Attempt.objects.get().passed
    row.refresh_from_db()
    with pytest.raises(Conflict, match="no longer be changed"):
        submit(row, wrong(row), key="2.x", base=2)


def test_a_second_attempt_draws_items_that_were_not_seen(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells, tries=2)
    work_through(bob, found, right=0)
    assert take(bob, found.batch) is None  # not without being asked
    assert round_attempts.begin_again(found, bob) is not None
    work_through(bob, found)
    first, second = Attempt.objects.order_by("number")
    assert not set(first.hits) & set(second.hits)
    assert (first.passed, second.passed) == (False, True)
    assert round_attempts.begin_again(found, bob) is None


def test_who_passed_has_no_second_attempt(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells, tries=2)
    work_through(bob, found)
    assert round_attempts.begin_again(found, bob) is None


def test_the_time_runs_from_the_first_item_on(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells, seconds=600)
    row = take(bob, found.batch)
    assert row is not None
    row.refresh_from_db()
    attempt = Attempt.objects.get()
    assert row.lease_until == attempt.started_at + timedelta(seconds=600)
    submit(row)
    take(bob, found.batch)
    Attempt.objects.update(started_at=timezone.now() - timedelta(seconds=601))
    Assignment.objects.filter(pk=row.pk).update(submitted_at=timezone.now() - timedelta(seconds=300))
    assert take(bob, found.batch) is None
    attempt.refresh_from_db()
    assert attempt.passed is False
    assert attempt.figures["answer_f1"] == pytest.approx(1 / 3)
    assert not Assignment.objects.filter(worker=bob, state="accepted").exists()


def test_a_sweep_ends_what_nobody_comes_back_to(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells, seconds=600)
    take(bob, found.batch)
    assert round_attempts.finish_due() == 0
    Attempt.objects.update(started_at=timezone.now() - timedelta(seconds=601))
    assert round_attempts.finish_due() == 1
    assert round_attempts.finish_due() == 0


def test_nobody_begins_once_the_round_has_ended(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells, closes_at=timezone.now() - timedelta(minutes=1))
    assert take(bob, found.batch) is None
    assert open_work.left(participation_of(bob, found.batch)) == 0


def test_what_is_left_counts_down_to_nothing(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells)
    counted = [open_work.left(participation_of(bob, found.batch))]
    while row := take(bob, found.batch):
        submit(row)
        counted.append(open_work.left(participation_of(bob, found.batch)))
    assert counted == [3, 2, 1, 0]


def test_an_excluded_item_counts_for_nobody(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells)
    row = take(bob, found.batch)
    assert row is not None
    submit(row, wrong(row))
    work_through(bob, found)
    assert Attempt.objects.get().passed is False
    problem_reports.exclude(row.hit, reason="broken")
    assert Attempt.objects.get().passed is True
    problem_reports.restore(row.hit)
    assert Attempt.objects.get().passed is False


def test_an_excluded_item_is_passed_over_and_the_attempt_goes_on(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells)
    submit(take(bob, found.batch))
    _first, excluded, last = Attempt.objects.get().hits
    problem_reports.exclude(Hit.objects.get(pk=excluded), reason="broken")
    row = take(bob, found.batch)
    assert row is not None
    assert row.hit_id == last


def test_an_item_whose_gold_is_hidden_is_in_no_round_against_gold(project: Any, wells: Any) -> None:
    item = wells.items.first()
    item.content = item.content | {"answers": []}
    item.save()
    assert Hit.objects.filter(batch=made(project, wells).batch).count() == 11


@pytest.mark.parametrize(
    "settings",
    [
        {"per_worker": 13},
        {"per_worker": 7, "tries": 2},
        {"per_worker": 0},
        {"rule": [{"figure": "beauty", "value": 0.5}]},
        {"rule": [{"figure": "answer_f1", "value": 0.5, "dataset": "elsewhere"}]},
        {"rule": []},
    ],
)
def test_a_round_that_cannot_be_is_refused(project: Any, wells: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        made(project, wells, **settings)
    assert not project.batches.exists()


def test_grants_go_in_one_step_and_are_undone_in_one(project: Any, wells: Any, alice: Any, bob: Worker) -> None:
    found = made(project, wells)
    work_through(bob, found)
    work_through(newcomer(project, "dan"), found, right=0)
    wanted = round_results.grants(found, None)
    assert wanted == {bob: 100}
    assert round_results.grant(found, wanted, reason="Round 1", user=alice) == 1
    assert Qualification.objects.get().value == 100
    bulk_grants.undo(found.grants, through=setting_up.undoable(found), user=alice)
    assert Qualification.objects.get().state == "Revoked"
    assert setting_up.undoable(found) == 0


def test_a_lower_mark_takes_more_workers(project: Any, wells: Any, bob: Worker, carol: Worker) -> None:
    found = made(project, wells, per_worker=10)
    for worker, right in ((bob, 1.0), (carol, 0.6), (newcomer(project, "dan"), 0.0)):
        work_through(worker, found, right=right)
    counted = [one.workers for one in round_results.prospects(found, round_results.results(found), [0.1, 0.9])]
    assert counted == [2, 1]
    assert len(round_results.grants(found, 0.1)) == 2


def test_production_asks_nothing_about_rounds(
    batch: Any, bob: Worker, django_assert_num_queries: Any, project: Any, wells: Any
) -> None:
    participation = participation_of(bob, batch)
    participation.batch.refresh_from_db()
    with django_assert_num_queries(0):
        assert round_attempts.round_of(participation.batch) is None
    assert Participation.objects.get(pk=participation.pk).paused_at is None


def test_a_round_draws_from_its_pool_and_holds_nothing_else(project: Any, wells: Any, bob: Worker) -> None:
    found = made(project, wells, sample=5, seed=2)
    held = set(found.batch.hits.values_list("item", flat=True))
    assert len(held) == 5
    assert held == set(made(project, wells, name="again", sample=5, seed=2).batch.hits.values_list("item", flat=True))
    assert work_through(bob, found) == 3
    after = create_batch(project, "study", task="answer", datasets=[wells], instructions="Read.")
    assert batch_launch.launch(after)["hits"] == 7
    assert not held & set(after.hits.values_list("item", flat=True))


def test_a_pool_that_is_too_small_for_the_attempts_is_refused(project: Any, wells: Any) -> None:
    with pytest.raises(Refused, match="pool has 5 items for this qualification round, which needs 6"):
        made(project, wells, sample=5, tries=2)
