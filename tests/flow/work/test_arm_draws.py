"""Experiments: each worker draws an arm, or an order of arms, once, and gets HITs of no other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import batch_launch, experiments
from annotation.flow.errors import Refused
from annotation.flow.people import consent, worker_erasure
from annotation.flow.projects import recycle_bin
from annotation.flow.projects.projects import project_named
from annotation.flow.work import arm_draws, leases, next_assignment, open_work, worker_batches
from annotation.models import ArmDraw, Assignment, AuditEntry, Batch, Experiment, Participation, Project, Worker
from tests.flow import acting
from tests.replaying import replayed

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="draws are made under a lock")]


@pytest.fixture
def project(db: None) -> Project:
    found = project_named()
    consent.fill_in(found, contact="Ada, ada@example.org", ethics="board 7, no. 12")
    return found


def arms(project: Project, folder: Path, number: int = 3, *, size: int = 4, **settings: object) -> list[Batch]:
    """Open batches with items of their own."""
    return [
        acting.launched(
            project, f"arm-{k}", acting.dataset_of(project, folder, name=f"items-{k}", size=size), **settings
        )
        for k in range(number)
    ]


@pytest.fixture
def in_order(project: Project, tmp_path: Path) -> Experiment:
    """Three arms of four HITs for twelve workers each, all for each worker."""
    return experiments.join(
        project, "study", arms(project, tmp_path, assignments_per_hit=12), each="order", title="Read and answer"
    )


@pytest.fixture
def of_one(project: Project, tmp_path: Path) -> Experiment:
    def make() -> Experiment:
        return experiments.join(
            project, "study", arms(project, tmp_path, assignments_per_hit=12), title="Read and answer"
        )

    return replayed("arms of one", make, project)


def begin(worker: Worker, experiment: Experiment) -> Batch:
    found = arm_draws.begin(worker, experiment)
    assert found is not None
    return found


def newcomers(project: Project, number: int) -> list[Worker]:
    return [acting.newcomer(project, f"w{k}") for k in range(number)]


def test_a_worker_gets_hits_of_the_arm_that_they_drew_and_of_no_other(of_one: Experiment) -> None:
    ada = acting.newcomer(of_one.project, "ada")
    assert all(acting.take(ada, arm) is None for arm in of_one.arms.all())  # not drawn yet
    own = begin(ada, of_one)
    assert len(acting.answer_all(ada, own)) == 4
    assert all(acting.take(ada, arm) is None for arm in of_one.arms.exclude(pk=own.pk))
    assert arm_draws.next_arm(ada, own) is None


def test_who_returns_keeps_what_they_drew(of_one: Experiment) -> None:
    ada = acting.newcomer(of_one.project, "ada")
    drawn = {begin(ada, of_one).pk for _time in range(5)}
    assert len(drawn) == 1
    assert ArmDraw.objects.count() == 1


def test_arms_fill_evenly(of_one: Experiment) -> None:
    drawn = Counter(begin(worker, of_one).slug for worker in newcomers(of_one.project, 9))
    assert drawn == {"arm-0": 3, "arm-1": 3, "arm-2": 3}


def test_the_arm_of_a_worker_who_left_is_drawn_by_the_next(of_one: Experiment) -> None:
    workers = newcomers(of_one.project, 3)
    left = begin(workers[0], of_one)
    for worker in workers[1:]:
        acting.answer_all(worker, begin(worker, of_one), most=1)
    ArmDraw.objects.filter(worker=workers[0]).update(created_at="2020-01-01T00:00Z")
    assert begin(acting.newcomer(of_one.project, "next"), of_one) == left


def test_each_arm_stands_at_each_position_equally_often(in_order: Experiment) -> None:
    for worker in newcomers(in_order.project, 6):
        arm: Batch | None = begin(worker, in_order)
        while arm is not None:
            assert len(acting.answer_all(worker, arm)) == 4
            arm = arm_draws.next_arm(worker, arm)
    counts = experiments.balance(in_order)
    assert len(counts) == 9
    assert {(row.drawn, row.began, row.submitted) for row in counts} == {(2, 2, 2)}


def test_the_next_arm_opens_when_nothing_is_left_in_the_one_before(in_order: Experiment) -> None:
    ada = acting.newcomer(in_order.project, "ada")
    first = begin(ada, in_order)
    order = ArmDraw.objects.get().order
    later = Batch.objects.get(pk=order[1])
    assert acting.take(ada, later) is None
    acting.answer_all(ada, first)
    assert arm_draws.next_arm(ada, first) == later
    assert acting.take(ada, later) is not None
    assert begin(ada, in_order) == later
    assert acting.take(ada, first) is None


def test_the_next_arm_opens_where_the_one_before_is_closed_but_not_where_it_is_paused(in_order: Experiment) -> None:
    ada = acting.newcomer(in_order.project, "ada")
    first = begin(ada, in_order)
    batch_launch.pause(first)
    assert arm_draws.next_arm(ada, Batch.objects.get(pk=first.pk)) is None
    batch_launch.close(first)
    assert arm_draws.next_arm(ada, Batch.objects.get(pk=first.pk)) is not None


def test_who_is_excluded_from_the_drawn_arm_gets_none(of_one: Experiment) -> None:
    ada, ben = newcomers(of_one.project, 2)
    for arm in of_one.arms.all():
        arm.workers.set([ben])
    own = begin(ada, of_one)
    assert open_work.obstacle(ada, own) == "not_chosen"
    assert arm_draws.next_arm(ada, own) is None


def test_nobody_begins_before_all_arms_are_open(project: Project, tmp_path: Path) -> None:
    there = arms(project, tmp_path, 1)
    late = acting.draft(project, "late", acting.dataset_of(project, tmp_path, name="more", size=2))
    made = experiments.join(project, "study", [*there, late])
    ada = acting.newcomer(project, "ada")
    assert arm_draws.begin(ada, made) is None
    assert not worker_batches.worker_batches([ada])
    batch_launch.launch(late)
    assert arm_draws.begin(ada, made) is not None


def test_a_blocked_or_inactive_worker_draws_nothing(of_one: Experiment) -> None:
    ada = acting.newcomer(of_one.project, "ada")
    Worker.objects.filter(pk=ada.pk).update(active=False)
    ada.refresh_from_db()
    assert arm_draws.begin(ada, of_one) is None
    assert not ArmDraw.objects.exists()


def test_an_arm_without_work_is_not_drawn(project: Project, tmp_path: Path) -> None:
    made = experiments.join(project, "study", arms(project, tmp_path, 2, size=1, assignments_per_hit=1))
    first, second, third = newcomers(project, 3)
    assert acting.take(first, begin(first, made))
    assert acting.take(second, begin(second, made))
    assert arm_draws.begin(third, made) is None


def test_a_second_draw_is_refused_by_the_database(of_one: Experiment) -> None:
    ada = acting.newcomer(of_one.project, "ada")
    own = begin(ada, of_one)
    with pytest.raises(IntegrityError), transaction.atomic():
        ArmDraw.objects.create(experiment=of_one, worker=ada, order=[own.pk], arm=own)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
@pytest.mark.django_db(transaction=True)
def test_who_begins_at_once_draws_once_and_evenly(in_order: Experiment) -> None:
    """Six people with two tabs each, all at the same moment."""
    workers, gate, defects = newcomers(in_order.project, 6), Barrier(12), []

    def tab(worker: Worker) -> None:
        try:
            gate.wait()
            arm = begin(worker, in_order)
            acting.take(worker, arm)
        except BaseException as defect:
            defects.append(defect)
        finally:
            connection.close()

    threads = [Thread(target=tab, args=[worker]) for worker in workers * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not defects
    assert Assignment.objects.count() == 6
    assert {row.drawn for row in experiments.balance(in_order)} == {2}


def test_the_list_of_work_has_one_line_that_names_no_arm(in_order: Experiment) -> None:
    ada = acting.newcomer(in_order.project, "ada")
    [line] = worker_batches.worker_batches([ada])
    assert line.batch.title == "Read and answer"
    assert line.left == 12
    first = begin(ada, in_order)
    acting.answer_all(ada, first)
    [line] = worker_batches.worker_batches([ada])
    assert line.left == 8


def test_batches_without_an_experiment_cost_no_query_more(project: Project, tmp_path: Path) -> None:
    [plain] = arms(project, tmp_path, 1)
    ada = acting.newcomer(project, "ada")
    acting.participation_of(ada, plain)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        next_assignment.claim(Participation.objects.select_related("batch__project").get(worker=ada, batch=plain))
        worker_batches.worker_batches([ada])
    assert not [query for query in asked if "armdraw" in query["sql"] or "annotation_experiment" in query["sql"]]


def test_only_fit_batches_become_arms(project: Project, tmp_path: Path) -> None:
    one, two, three = arms(project, tmp_path)
    with pytest.raises(Refused, match="at least two"):
        experiments.join(project, "study", [one])
    assert acting.take(acting.newcomer(project, "ada"), one)
    with pytest.raises(Refused, match="arm-0 already"):
        experiments.join(project, "study", [one, two])
    experiments.join(project, "study", [two, three])
    four = acting.draft(project, "four", acting.dataset_of(project, tmp_path, name="more", size=2))
    with pytest.raises(Refused, match="another experiment"):
        experiments.join(project, "more", [two, four])
    Batch.objects.filter(pk=four.pk).update(purpose=Batch.Purpose.QUALIFICATION)
    five = acting.draft(project, "five", acting.dataset_of(project, tmp_path, name="others", size=2))
    with pytest.raises(Refused, match="qualification round"):
        experiments.join(project, "more", [four, five])


def test_a_name_is_taken_once(project: Project, tmp_path: Path) -> None:
    made = arms(project, tmp_path, 4)
    experiments.join(project, "study", made[:2])
    with pytest.raises(Refused, match="study already"):
        experiments.join(project, "study", made[2:])


def test_an_experiment_is_taken_apart_until_somebody_drew(of_one: Experiment) -> None:
    begin(acting.newcomer(of_one.project, "ada"), of_one)
    with pytest.raises(Refused, match="stays"):
        experiments.take_apart(of_one)
    ArmDraw.objects.all().delete()
    experiments.take_apart(of_one)
    assert set(Batch.objects.values_list("experiment", flat=True)) == {None}
    assert list(AuditEntry.objects.filter(kind="experiment").order_by("pk").values_list("act", flat=True)) == [
        "created",
        "removed",
    ]


def test_an_arm_is_deleted_only_after_its_experiment_ended(of_one: Experiment) -> None:
    arm = of_one.arms.first()
    batch_launch.close(arm)
    with pytest.raises(Refused, match="Remove the experiment first"):
        recycle_bin.remove_batch(arm)
    ada = acting.newcomer(of_one.project, "ada")
    acting.answer_all(ada, begin(ada, of_one), most=1)
    assert recycle_bin.remove_batch(arm)
    assert len(experiments.balance(of_one)) == 3


def test_an_erased_worker_still_counts(of_one: Experiment) -> None:
    ada = acting.newcomer(of_one.project, "ada")
    acting.answer_all(ada, begin(ada, of_one), most=1)
    assert worker_erasure.erase_worker(ada)
    assert sum(row.submitted for row in experiments.balance(of_one)) == 1


def test_an_assignment_of_an_earlier_arm_cannot_be_taken_up_again(in_order: Experiment) -> None:
    ada = acting.newcomer(in_order.project, "ada")
    first = begin(ada, in_order)
    row = acting.take(ada, first)
    assert row is not None
    leases.return_assignment(row)
    acting.answer_all(ada, first)
    assert arm_draws.next_arm(ada, first)
    assert not next_assignment.take_up(Assignment.objects.get(pk=row.pk))
