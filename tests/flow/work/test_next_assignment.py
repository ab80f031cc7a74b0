"""Who gets which HIT next, worked case by case (test_allocation_machine.py tries every order of them)."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.people import sign_up
from annotation.flow.review import problem_reports
from annotation.flow.work import leases, next_assignment, open_work
from annotation.models import Assignment, Batch, Hit, Participation, Worker
from annotation.pure.batches import queue_order
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.acting import answer_all, newcomer, participation_of, submit, take
from tests.flow.review.test_response_import import lines
from tests.projects import change_project

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="a HIT is claimed in one statement under locks")]


def taken(worker: Worker, batch: Batch) -> Assignment:
    assignment = take(worker, batch)
    assert assignment is not None
    return assignment


def run_out(assignment: Assignment) -> None:
    """Let the lease end, by the database's clock."""
    Assignment.objects.filter(pk=assignment.pk).update(lease_until=Now() - timedelta(seconds=1))


@pytest.fixture
def grouped(project: Any, tmp_path: Path) -> Any:
    """A way to open a batch over six items in groups a a b b c c, whose members may meet as asked."""
    found = [{**record, "group": "aabbcc"[k]} for k, record in enumerate(records(6))]
    import_dataset(project, lines(tmp_path / "g.jsonl", found), format="jsonl", name="grouped")

    def opened(name: str, **settings: Any) -> Batch:
        datasets = [project.datasets.get(slug="grouped")]
        settings = {"assignments_per_hit": 1} | settings
        made = create_batch(
            project, name.replace(" ", "-"), task="answer", datasets=datasets, instructions="", **settings
        )
        batch_launch.launch(made)
        return made

    return opened


def groups(hits: list[Hit]) -> list[str]:
    return [hit.group_key.rpartition(":")[2] for hit in hits]


def test_each_hit_gets_as_many_different_people_as_it_asked_for(project: Any, batch: Batch) -> None:
    people = [newcomer(project, f"w{k}") for k in range(5)]
    came = [answer_all(person, batch) for person in people]
    assert [len(hits) for hits in came] == [4, 4, 0, 0, 0]
    for hit in batch.hits.all():
        assert hit.assignments.count() == hit.assignments.values("worker").distinct().count() == 2


def test_nobody_gets_a_hit_twice_not_even_one_that_they_returned(batch: Batch, bob: Any) -> None:
    seen = []
    while assignment := take(bob, batch):
        seen.append(assignment.hit_id)
        leases.return_assignment(assignment)
    assert sorted(seen) == sorted(batch.hits.values_list("pk", flat=True))
    assert set(batch.hits.values_list("live", "done")) == {(0, 0)}


def test_asking_again_gives_the_assignment_that_is_under_way(batch: Batch, bob: Any) -> None:
    assert taken(bob, batch) == taken(bob, batch)
    assert Assignment.objects.count() == 1


def test_a_group_that_may_meet_once_gives_a_worker_one_of_its_members(grouped: Any, bob: Any, carol: Any) -> None:
    batch = grouped("one", meeting="one")
    first = groups(answer_all(bob, batch))
    assert sorted(first) == ["a", "b", "c"]
    assert sorted(groups(answer_all(carol, batch))) == ["a", "b", "c"]
    assert not Hit.objects.open().exists()


def test_a_group_that_must_keep_apart_never_comes_in_a_row(grouped: Any, bob: Any) -> None:
    for seed in range(6):
        came = groups(answer_all(bob, grouped(f"apart-{seed}", meeting="apart", seed=seed, fresh_only=False)))
        assert all(one != other for one, other in pairwise(came))
        assert len(came) >= 5


def test_free_members_come_as_the_queue_has_them(grouped: Any, bob: Any) -> None:
    batch = grouped("free", meeting="free", same_order=True)
    queue = list(batch.hits.order_by("ticket"))
    assert answer_all(bob, batch) == queue


def test_what_was_returned_of_a_group_leaves_the_others_open(grouped: Any, bob: Any) -> None:
    batch = grouped("one", meeting="one")
    first = taken(bob, batch)
    leases.return_assignment(first)
    assert sorted(groups(answer_all(bob, batch))) == ["a", "b", "c"]


def test_nobody_meets_an_item_again_in_another_batch_unless_the_requester_says_so(
    grouped: Any, bob: Any, carol: Any
) -> None:
    answer_all(bob, grouped("first", meeting="free"), most=2)
    met = set(Assignment.objects.values_list("group_key", flat=True))
    fresh = answer_all(bob, grouped("fresh", meeting="free"))
    assert not met & {hit.group_key for hit in fresh}
    assert {hit.group_key for hit in fresh} | met == set(Hit.objects.values_list("group_key", flat=True))
    assert len(answer_all(bob, grouped("again", meeting="free", fresh_only=False))) == 6
    assert len(answer_all(carol, grouped("for carol", meeting="free"))) == 6


def test_what_is_returned_in_one_batch_is_open_again_in_another(grouped: Any, bob: Any) -> None:
    first, second = grouped("first", meeting="free"), grouped("second", meeting="free")
    held = taken(bob, first)
    assert len(answer_all(bob, second)) == 4
    leases.return_assignment(held)
    assert len(answer_all(bob, second)) == 2


def test_a_claim_that_found_nothing_is_remembered_until_a_hit_opens_again(grouped: Any, bob: Any, carol: Any) -> None:
    batch = grouped("once", meeting="one")
    held = taken(carol, batch)
    assert len(answer_all(bob, batch)) == 3
    assert participation_of(bob, batch).cursor == batch.next_ticket - 1
    taken_by_carol = {held.hit.group_key} - set(bob.assignments.values_list("group_key", flat=True))
    assert not taken_by_carol  # the twin of what Carol has was left for Bob
    batch.hits.exclude(assignments__worker=bob).exclude(pk=held.hit_id).update(group_key="of their own")
    assert take(bob, batch) is None
    leases.return_assignment(held)
    batch.hits.filter(pk=held.hit_id).update(group_key="new")
    assert taken(bob, batch).hit_id == held.hit_id


def test_whoever_met_every_group_is_told_so_by_a_few_statements(
    grouped: Any, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_work, "LOOKS", (1,))  # as if the six HITs were six hundred
    monkeypatch.setattr(queue_order, "BLOCK", 1)
    batch = grouped("once", meeting="one")
    for _group in range(3):
        submit(taken(bob, batch))
    participation = participation_of(bob, batch)
    Participation.objects.update(cursor=-1)
    participation.cursor = -1
    with CaptureQueriesContext(connection) as captured:
        assert next_assignment.claim(participation) is None
    assert len([query for query in captured if ' FROM "annotation_hit"' in query["sql"]]) == 2  # six without it
    assert Participation.objects.get(pk=participation.pk).cursor == batch.next_ticket - 1


def test_a_returned_place_is_offered_to_others_and_not_to_whoever_returned_it(
    batch: Batch, bob: Any, carol: Any
) -> None:
    returned = taken(bob, batch)
    leases.return_assignment(returned)
    assert returned.hit_id not in [hit.pk for hit in answer_all(bob, batch)]
    assert returned.hit_id in [hit.pk for hit in answer_all(carol, batch)]


def test_a_lease_is_three_times_the_expected_time_and_at_least_ten_minutes(batch: Batch, bob: Any) -> None:
    lasts = taken(bob, batch).__class__.objects.get().lease_until - timezone.now()
    assert timedelta(minutes=9) < lasts < timedelta(minutes=11)
    Batch.objects.update(expected_seconds=3600)
    slow = batch_launch.Batch.objects.get()
    assert slow.lease_seconds == 3 * 3600


def test_a_lease_ends_by_the_databases_clock_and_nobody_elses(
    batch: Batch, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = taken(bob, batch)
    future = timezone.now() + timedelta(days=400)
    monkeypatch.setattr(timezone, "now", lambda: future)
    assert leases.expire_due() == 0
    past = future - timedelta(days=4000)
    monkeypatch.setattr(timezone, "now", lambda: past)
    run_out(assignment)
    assert leases.expire_due() == 1
    assert leases.expire_due() == 0
    assignment.refresh_from_db()
    assert (assignment.state, assignment.counts) == ("expired", False)


def test_an_expired_place_is_offered_to_others_and_the_draft_stays(batch: Batch, bob: Any, carol: Any) -> None:
    from annotation.flow.work.submissions import save_draft

    assignment = taken(bob, batch)
    save_draft(assignment, {"kind": "", "text": "half"}, version=0, active_seconds=3)
    run_out(assignment)
    leases.expire_due()
    assignment.refresh_from_db()
    assert assignment.draft == {"kind": "", "text": "half"}
    assert assignment.hit_id in [hit.pk for hit in answer_all(carol, batch)]


def test_a_lease_is_prolonged_once(batch: Batch, bob: Any) -> None:
    assignment = taken(bob, batch)
    Assignment.objects.update(lease_until=Now() + timedelta(seconds=30))
    assert leases.extend(assignment)
    assignment.refresh_from_db()
    until = assignment.lease_until
    assert until - timezone.now() > timedelta(minutes=9)
    assert not leases.extend(assignment)
    assignment.refresh_from_db()
    assert assignment.lease_until == until


def test_what_is_over_is_not_prolonged(batch: Batch, bob: Any, carol: Any) -> None:
    done, back = taken(bob, batch), taken(carol, batch)
    submit(done)
    leases.return_assignment(back)
    assert not leases.extend(done)
    assert not leases.extend(back)


def test_whoever_comes_back_before_anybody_noticed_goes_on_with_a_new_lease(batch: Batch, bob: Any) -> None:
    assignment = taken(bob, batch)
    run_out(assignment)
    assert taken(bob, batch) == assignment
    assert leases.expire_due() == 0


@pytest.mark.parametrize("halt", [batch_launch.pause, batch_launch.close])
def test_a_halted_batch_gives_out_nothing_new_and_lets_what_is_under_way_be_finished(
    batch: Batch, bob: Any, carol: Any, halt: Any
) -> None:
    assignment = taken(bob, batch)
    halt(batch)
    assert taken(bob, batch) == assignment
    assert take(carol, batch) is None
    assert submit(assignment).counts
    assert take(bob, batch) is None
    batch_launch.resume(batch)
    assert take(carol, batch) is not None


def test_an_excluded_hit_is_not_offered_until_it_is_restored(batch: Batch, bob: Any) -> None:
    excluded = batch.hits.order_by("ticket").first()
    assert excluded is not None
    problem_reports.exclude(excluded, reason="broken")
    assert len(answer_all(bob, batch)) == 3
    problem_reports.restore(excluded)
    assert answer_all(bob, batch) == [excluded]


def test_a_report_frees_the_place_and_leads_on(batch: Batch, bob: Any) -> None:
    assignment = taken(bob, batch)
    problem_reports.report_problem(assignment, reason="unclear", text="Which tower?")
    assert taken(bob, batch) != assignment
    assert Hit.objects.get(pk=assignment.hit_id).live == 0


def test_who_may_not_work_is_told_why(project: Any, batch: Batch, bob: Any, carol: Any) -> None:
    assert open_work.obstacle(bob, batch) == ""
    batch.workers.set([carol])
    assert open_work.obstacle(bob, batch) == "not_chosen"
    assert open_work.obstacle(carol, batch) == ""
    batch.on_marketplace = True
    assert open_work.obstacle(carol, batch) == "not_chosen", "theirs to do only where it is published"
    batch.on_marketplace = False
    change_project(project, consent="Another text.")
    bob.project.refresh_from_db()
    assert open_work.obstacle(bob, batch) == "consent"
    sign_up.set_active(bob, active=False)
    assert open_work.obstacle(Worker.objects.get(pk=bob.pk), batch) == "inactive"


@pytest.mark.parametrize("change", ["inactive", "not_chosen"])
def test_who_may_not_work_any_more_takes_nothing_up(batch: Batch, bob: Any, carol: Any, change: str) -> None:
    assignment = taken(bob, batch)
    leases.return_assignment(assignment)
    if change == "inactive":
        sign_up.set_active(bob, active=False)
    else:
        batch.workers.set([carol])
    assert not next_assignment.take_up(Assignment.objects.get(pk=assignment.pk))


def test_a_participation_remembers_the_version_of_the_instructions_that_was_read(batch: Batch, bob: Any) -> None:
    batch_launch.change_instructions(batch, "Read it twice.")
    assert taken(bob, batch).instructions_version == 2
    batch_launch.change_instructions(batch, "Read it thrice.")
    assert Participation.objects.get().instructions_version == 2
    next_assignment.read_instructions(participation_of(bob, batch), version=1)
    assert Participation.objects.get().instructions_version == 3
