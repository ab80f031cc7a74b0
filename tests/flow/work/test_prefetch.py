"""The worker's next HIT is held while their browser loads it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import reserved_hits
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.people import worker_erasure
from annotation.flow.work import next_assignment, open_work, prefetch
from annotation.models import Assignment, Batch, Hit, Participation, PrefetchedHit, Worker
from annotation.pure.batches import queue_order
from tests.conftest import records
from tests.flow.acting import answer_all, dataset_of, launched, newcomer, participation_of, submit, take
from tests.flow.review.test_response_import import lines
from tests.replaying import replayed

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="a HIT is held in one statement under locks")]


@pytest.fixture
def large(project: Any, tmp_path: Path) -> Batch:
    """A batch of eight HITs, one assignment each."""

    def make() -> Batch:
        return launched(project, "large", dataset_of(project, tmp_path, name="eight", size=8), assignments_per_hit=1)

    return replayed("eight HITs", make, project)


def hold(worker: Worker, batch: Batch) -> PrefetchedHit:
    held = prefetch.hold(participation_of(worker, batch))
    assert held is not None
    return held


@pytest.fixture
def ends_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A HIT may be held whatever is left."""
    monkeypatch.setattr(prefetch, "_is_nearly_done", lambda batch: False)


def begin(worker: Worker, batch: Batch) -> Assignment:
    assignment = take(worker, batch)
    assert assignment is not None
    return assignment


def let_expire(held: PrefetchedHit) -> None:
    PrefetchedHit.objects.filter(pk=held.pk).update(expires_at=Now() - timedelta(seconds=1))


def assert_counted(batch: Batch) -> None:
    for hit in batch.hits.all():
        assert hit.live == hit.assignments.filter(state="accepted").count() + hit.prefetched.count()


def test_a_held_hit_becomes_the_next_assignment(large: Batch, bob: Any) -> None:
    first = begin(bob, large)
    held = hold(bob, large)
    assert (held.hit.live, held.hit.room) == (1, 0)
    assert prefetch.to_come(held, participation_of(bob, large)).public_id == held.public_id
    submit(first)
    second = begin(bob, large)
    assert (second.public_id, second.seed, second.hit_id) == (held.public_id, held.seed, held.hit_id)
    assert not PrefetchedHit.objects.exists()
    assert_counted(large)
    answer_all(bob, large)
    came = list(Assignment.objects.order_by("submitted_at").values_list("ticket", flat=True))
    order = queue_order.own_order(range(8), seed=large.seed, worker=bob.pseudonym)
    assert came == order


def test_nobody_else_gets_a_held_hit_while_there_are_others(large: Batch, bob: Any, carol: Any) -> None:
    begin(bob, large)
    held = hold(bob, large)
    assert held.hit not in answer_all(carol, large, most=6)
    assert_counted(large)


def test_holding_again_keeps_the_same_one_for_longer(large: Batch, bob: Any) -> None:
    begin(bob, large)
    held = hold(bob, large)
    let_expire(held)
    again = hold(bob, large)
    assert again == held
    prefetch.let_go_overdue()
    assert PrefetchedHit.objects.get() == held


def test_an_overdue_one_is_for_others(large: Batch, bob: Any, carol: Any) -> None:
    begin(bob, large)
    held = hold(bob, large)
    let_expire(held)
    prefetch.let_go_overdue()
    prefetch.let_go_overdue()
    assert not PrefetchedHit.objects.exists()
    assert_counted(large)
    assert Hit.objects.get(pk=held.hit_id).ticket == 8  # at the end of the queue
    assert held.hit in answer_all(carol, large)


def test_a_claim_that_finds_nothing_takes_the_one_held_longest(
    large: Batch, project: Any, bob: Any, carol: Any, ends_late: None
) -> None:
    """Their pages get another item, as long as there is one."""
    dan = newcomer(project, "dan")
    first, other = begin(bob, large), begin(dan, large)
    of_dan, of_bob = hold(dan, large), hold(bob, large)
    assert hold(dan, large) == of_dan  # renewed
    assert len(answer_all(carol, large, most=4)) == 4
    assert begin(carol, large).hit == of_bob.hit
    assert_counted(large)
    submit(first)
    assert begin(bob, large).hit == of_dan.hit
    submit(other)
    assert take(dan, large) is None
    for row in Assignment.objects.filter(state="accepted"):
        submit(row)
    assert not large.hits.exclude(live=0, done=1).exists()


def test_a_held_hit_that_the_claimant_answered_is_not_taken(
    project: Any, tmp_path: Path, bob: Any, carol: Any, ends_late: None
) -> None:
    batch = launched(project, "two", dataset_of(project, tmp_path, name="three", size=3), assignments_per_hit=2)
    answer_all(carol, batch)
    begin(bob, batch)
    held = hold(bob, batch)
    assert take(carol, batch) is None
    assert PrefetchedHit.objects.get() == held
    assert_counted(batch)


@pytest.mark.parametrize("seed", range(5))
def test_nobody_is_sent_away_while_another_holds_what_they_may_have(
    large: Batch, project: Any, ends_late: None, seed: int
) -> None:
    """Whoever holds what: each HIT gets exactly one response, and each worker their HITs in their own order."""
    chance = Random(seed)
    workers = [newcomer(project, f"worker-{k}") for k in range(4)]
    at_work = list(workers)
    while at_work:
        worker = chance.choice(at_work)
        row = take(worker, large)
        if row is None:
            assert not PrefetchedHit.objects.exists()
            at_work.remove(worker)
        elif chance.random() < 0.6:
            submit(row)
        else:
            prefetch.hold(participation_of(worker, large))
        assert_counted(large)
    assert not large.hits.exclude(live=0, done=1).exists()


def test_an_overdue_one_that_nobody_took_is_still_the_workers(large: Batch, bob: Any) -> None:
    first = begin(bob, large)
    held = hold(bob, large)
    let_expire(held)
    submit(first)
    assert begin(bob, large).public_id == held.public_id


def test_one_that_a_sweep_frees_meanwhile_is_counted_once(
    large: Batch, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = begin(bob, large)
    held = hold(bob, large)
    submit(first)

    def swept(participation: Participation, hit: Hit) -> bool:
        return bool(next_assignment.let_go(pk=held.pk))

    monkeypatch.setattr(open_work, "is_still_open", swept)
    assert begin(bob, large).public_id != held.public_id
    assert_counted(large)


def test_an_excluded_hit_is_let_go(large: Batch, bob: Any) -> None:
    first = begin(bob, large)
    held = hold(bob, large)
    submit(first)
    Hit.objects.filter(pk=held.hit_id).update(excluded_at=Now())
    assert begin(bob, large).hit != held.hit
    assert_counted(large)


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_batch_that_is_not_open_gives_nothing(large: Batch, bob: Any, state: str) -> None:
    first = begin(bob, large)
    hold(bob, large)
    submit(first)
    assert large.move(state)
    assert take(bob, large) is None
    assert prefetch.hold(participation_of(bob, large)) is not None  # this one; it expires as ever
    next_assignment.let_go(worker=bob)
    assert prefetch.hold(participation_of(bob, large)) is None
    assert_counted(large)


def test_an_erased_worker_holds_nothing(large: Batch, bob: Any) -> None:
    begin(bob, large)
    hold(bob, large)
    worker_erasure.erase_worker(bob)
    assert not PrefetchedHit.objects.exists()
    assert_counted(large)


def test_the_last_hits_are_neither_held_nor_renewed(large: Batch, project: Any, bob: Any, carol: Any) -> None:
    """Two workers were active: none is held while four are open or fewer."""
    submit(begin(carol, large))
    submit(begin(bob, large))
    held = hold(bob, large)
    renewed = prefetch.renew(bob.pk, large.pk, held.public_id)
    assert renewed is not None
    assert renewed > held.expires_at
    submit(begin(newcomer(project, "dan"), large))
    assert large.hits.open().count() == 4
    Participation.objects.filter(worker=carol).update(worked_at=Now() - timedelta(minutes=11))
    assert prefetch.renew(bob.pk, large.pk, held.public_id) is None
    assert prefetch.hold(participation_of(bob, large)) is None
    assert PrefetchedHit.objects.get().expires_at == renewed  # it is theirs until then, if nobody needs it
    Participation.objects.exclude(worker=bob).update(worked_at=Now() - timedelta(minutes=11))
    assert hold(bob, large) == held


def test_whether_the_end_is_near_is_asked_again_unless_it_was_far_just_now(
    large: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for far, asked in ((6, 2), (4, 0)):  # eight HITs are open, and four and `far` would be far
        monkeypatch.setattr(prefetch, "FAR", far)
        prefetch._open_after.cache_clear()
        assert not prefetch._is_nearly_done(large.pk)
        with CaptureQueriesContext(connection) as captured:
            assert not prefetch._is_nearly_done(large.pk)
        assert len(captured) == asked
    monkeypatch.setattr(prefetch, "KEPT", timedelta(0))
    Hit.objects.update(excluded_at=Now())
    assert prefetch._is_nearly_done(large.pk)
    prefetch._open_after.cache_clear()


def test_what_was_let_go_is_not_renewed(large: Batch, bob: Any, carol: Any) -> None:
    begin(bob, large)
    held = hold(bob, large)
    assert prefetch.renew(carol.pk, large.pk, held.public_id) is None
    next_assignment.let_go(worker=bob)
    assert prefetch.renew(bob.pk, large.pk, held.public_id) is None


def test_a_submission_claims_the_held_hit_and_holds_the_one_after_but_claims_no_other(large: Batch, bob: Any) -> None:
    first, seat = begin(bob, large), participation_of(bob, large)
    held = hold(bob, large)
    submit(first, participation=seat, ahead=True)
    second = seat.claimed
    assert second is not None
    assert second.public_id == held.public_id
    assert seat.prefetched == PrefetchedHit.objects.get() != held
    assert participation_of(bob, large).done == 1
    next_assignment.let_go(worker=bob)
    seat = participation_of(bob, large)
    submit(second, participation=seat, ahead=True)
    assert seat.claimed is seat.prefetched is None
    assert (participation_of(bob, large).done, begin(bob, large).state) == (2, "accepted")
    assert_counted(large)


def test_a_batch_is_quick_by_the_median_of_its_latest_responses(large: Batch, bob: Any) -> None:
    def is_quick() -> bool:
        cache.clear()
        return prefetch.is_quick(large)

    large.expected_seconds = 45
    assert not is_quick()
    large.expected_seconds = 44
    assert is_quick()
    rows = Assignment.objects.filter(worker=bob)
    answer_all(bob, large, most=4)
    rows.update(active_seconds=100)
    assert is_quick()  # of four, nothing is known yet
    answer_all(bob, large, most=1)
    rows.filter(active_seconds__lt=100).update(active_seconds=1)
    assert not is_quick()
    rows.update(active_seconds=44.9)
    assert is_quick()


@pytest.fixture
def grouped(project: Any, tmp_path: Path) -> Any:
    """A way to open a batch over items in groups a a b b c c d d."""
    found = [{**record, "group": "aabbccdd"[k]} for k, record in enumerate(records(8))]
    import_dataset(project, lines(tmp_path / "g.jsonl", found), format="jsonl", name="grouped")

    def opened(name: str, **settings: Any) -> Batch:
        return launched(project, name, project.datasets.get(slug="grouped"), assignments_per_hit=1, **settings)

    return opened


def test_the_item_on_show_counts_as_answered_for_its_group(grouped: Any, bob: Any) -> None:
    batch = grouped("one", meeting="one")
    first = begin(bob, batch)
    batch.hits.exclude(pk=first.hit_id).filter(ticket__lt=5).exclude(group_key=first.group_key).update(ticket=100)
    assert hold(bob, batch).hit.group_key != first.group_key


def test_only_the_group_on_show_must_not_come_next(grouped: Any, bob: Any, ends_late: None) -> None:
    batch = grouped("apart", meeting="apart")
    first = begin(bob, batch)
    submit(first)
    second = begin(bob, batch)
    batch.hits.exclude(group_key__in=[first.group_key, second.group_key]).update(excluded_at=Now())
    assert hold(bob, batch).hit.group_key == first.group_key
    submit(second)
    assert begin(bob, batch).group_key == first.group_key


def test_a_group_met_in_another_batch_meanwhile_is_let_go(grouped: Any, bob: Any) -> None:
    batch, other = grouped("here"), grouped("there")
    first = begin(bob, batch)
    held = hold(bob, batch)
    other.hits.exclude(group_key=held.hit.group_key).update(excluded_at=Now())
    begin(bob, other)
    submit(first)
    following = begin(bob, batch)
    assert following.hit.group_key != held.hit.group_key
    assert_counted(batch)


@pytest.mark.parametrize(
    "fields",
    [
        {"check_share": 0.2},
        {"has_reserved_hits": True},
        {"purpose": "qualification"},
        {"on_marketplace": True},
        {"by_program": True},
        {"task": "compose"},
        {"task": "solvability"},
        {"task": "external"},
    ],
)
def test_where_the_next_hit_is_not_simply_the_next_none_is_held(fields: dict[str, Any]) -> None:
    assert prefetch.applies(Batch(task="answer"))
    assert not prefetch.applies(Batch(**{"task": "answer"} | fields))


def test_a_hit_reserved_for_the_worker_comes_after_the_held_one(large: Batch, bob: Any, alice: Any) -> None:
    first = begin(bob, large)
    held = hold(bob, large)
    last = large.hits.exclude(pk__in=[first.hit_id, held.hit_id]).order_by("ticket").last()
    reserved_hits.reserve(large, [last], [bob], user=alice)
    submit(first)
    assert begin(bob, large).hit == held.hit
    submit(Assignment.objects.get(public_id=held.public_id))
    assert begin(bob, large).hit == last
    assert_counted(large)
