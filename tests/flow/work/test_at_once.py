"""Everything that annotators do, at once and from several tabs, where rows are locked and not the whole database."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.models import Sum
from django.db.models.functions import Now

from annotation.flow.batches import batch_progress, reserved_hits
from annotation.flow.errors import Refused
from annotation.flow.work import leases, next_assignment, prefetch, submissions
from annotation.models import Assignment, Batch, Hit, Participation, PrefetchedHit, Project, Worker, WorkerResponse
from tests.conftest import answer_to
from tests.flow.acting import dataset_of, launched, newcomer, participation_of, submit
from tests.long_forms import examples

pytestmark = pytest.mark.postgresql(reason="many claim and submit at once")

PEOPLE, TABS, STEPS = 3, 3, 60
PAIRS = 20  # of HITs in a batch


class Tab:
    """One tab of a worker in several batches, doing what comes to mind.

    `kept` {(assignment, key): answer} is what was acknowledged.
    """

    def __init__(self, participations: list[Participation], number: int) -> None:
        self.participations, self.worker, self.random = (
            participations,
            participations[0].worker_id,
            random.Random(number),
        )
        self.kept: dict[tuple[int, str], Any] = {}
        self.defects: list[BaseException] = []
        self.refused = 0

    def run(self) -> None:
        try:
            for _step in range(STEPS):
                self.step()
        except BaseException as defect:
            self.defects.append(defect)
        finally:
            connection.close()

    def step(self) -> None:
        act = self.random.choice([self.claim, self.claim, self.submit, self.submit, self.draft, self.leave, self.again])
        try:
            act()
        except Refused:  # another tab has decided meanwhile
            self.refused += 1
        except OperationalError as lost:  # a circle of waits is broken by the database; whoever lost it tries again
            raise AssertionError("two verbs lock rows in different orders") from lost

    def some(self, **which: Any) -> Assignment | None:
        rows = list(Assignment.objects.filter(worker=self.worker, **which).select_related("hit"))
        return self.random.choice(rows) if rows else None

    def claim(self) -> None:
        next_assignment.claim(
            Participation.objects.select_related("batch").get(pk=self.random.choice(self.participations).pk)
        )

    def submit(self) -> None:
        if row := self.some():
            base = self.random.choice([0, row.revision])
            key = f"{base}.{row.pk}"  # the same form in every tab
            answer = answer_to(row) | {"text": self.random.choice(["here", "there"])}
            submit(row, answer, key=key, base=base)
            self.kept[row.pk, key] = answer

    def draft(self) -> None:
        if row := self.some():
            submissions.save_draft(row, {"text": "half"}, version=row.draft_version, active_seconds=1)

    def leave(self) -> None:
        if row := self.some(state="accepted"):
            Assignment.objects.filter(pk=row.pk).update(lease_until=Now())
            leases.expire_due(worker=self.worker) if self.random.random() < 0.5 else leases.return_assignment(row)

    def again(self) -> None:
        if row := self.some(state__in=["returned", "expired"]):
            next_assignment.take_up(row)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database, not rows")
@pytest.mark.django_db(transaction=True)
def test_nothing_is_lost_doubled_or_had_twice(tmp_path: Path) -> None:
    project = Project.objects.create(slug="wells", title="Wells", consent="")
    held = dataset_of(project, tmp_path, name="wells", size=12)
    batches = [launched(project, name, held, assignments_per_hit=2) for name in ("wells-1", "wells-2", "wells-3")]
    people = [newcomer(project, f"person-{k}") for k in range(PEOPLE)]
    participations = {person.pk: [participation_of(person, batch) for batch in batches] for person in people}
    tabs = [Tab(mine, 10 * k + tab) for k, mine in participations.items() for tab in range(TABS)]
    threads = [threading.Thread(target=tab.run) for tab in tabs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not [defect for tab in tabs for defect in tab.defects]
    assert sum(tab.refused for tab in tabs) < STEPS * len(tabs)

    for hit in Hit.objects.all():
        mine = hit.assignments
        assert (hit.live, hit.done) == (
            mine.filter(state="accepted").count(),
            mine.filter(state="submitted", counts=True).count(),
        )
        assert hit.room >= 0
    for participation in Participation.objects.all():
        mine = Assignment.objects.filter(worker=participation.worker_id, batch=participation.batch_id)
        assert mine.filter(state="accepted").count() <= 1
        assert participation.done == mine.filter(state="submitted").count()
    stored = {(a.assignment_id, a.key): a.answer for a in WorkerResponse.objects.all()}
    acknowledged = {key: answer for tab in tabs for key, answer in tab.kept.items()}
    assert stored == acknowledged
    submitted = Assignment.objects.filter(state="submitted")
    assert WorkerResponse.objects.count() == submitted.aggregate(sum=Sum("revision", default=0))["sum"]
    assert submitted.exists()
    counted = {batch.pk: submitted.filter(batch=batch).count() for batch in batches}
    assert batch_progress.submitted_by_batch(list(counted)) == {key: n for key, n in counted.items() if n}
    given = Assignment.objects.filter(state__in=["accepted", "submitted"], late=False)  # what came late is kept anyway
    met = list(given.values_list("worker", "group_key"))
    assert len(set(met)) == len(met)  # the batches ask each about an item once (Batch.fresh_only)


class Crossing:
    """A worker with reserved HITs: submits one and claims the next at the same time as the other, who has them swapped.

    `took`: the HITs, in the order in which they were claimed.
    """

    def __init__(self, participation: Participation, meet: threading.Barrier) -> None:
        self.participation, self.meet = participation, meet
        self.took: list[int] = []
        self.defects: list[BaseException] = []

    def run(self) -> None:
        try:
            row = self.claim()
            while row:
                self.took.append(row.hit_id)
                self.meet.wait(60)
                form = submissions.Form(answer_to(row), key=f"0.{row.pk}", base=0, active_seconds=12.5)
                row = submissions.submit_and_claim(row, form, lambda _receipt: self.claim())
        except BaseException as defect:
            self.meet.abort()
            self.defects.append(defect)
        finally:
            connection.close()

    def claim(self) -> Assignment | None:
        return next_assignment.claim(
            Participation.objects.select_related("batch", "worker").get(pk=self.participation.pk)
        )


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database, not rows")
@pytest.mark.django_db(transaction=True)
def test_two_who_submit_one_hit_and_claim_that_of_the_other_do_not_wait_for_each_other(tmp_path: Path) -> None:
    project = Project.objects.create(slug="wells", title="Wells", consent="")
    held = dataset_of(project, tmp_path, name="wells", size=PAIRS * 2)
    for number in range(examples(2, soak=100_000 // PAIRS)):
        batch = launched(project, f"wells-{number}", held, assignments_per_hit=1)
        both = crossing(batch, [newcomer(project, f"{name}-{number}") for name in ("ada", "bob")])
        threads = [threading.Thread(target=each.run) for each in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not [defect for each in both for defect in each.defects]
        ada, bob = (each.took[: PAIRS * 2] for each in both)
        assert [(a, b) for a, b in zip(ada[::2], ada[1::2], strict=True)] == [
            (a, b) for b, a in zip(bob[::2], bob[1::2], strict=True)
        ]


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database, not rows")
@pytest.mark.django_db(transaction=True)
def test_two_who_would_hold_the_hit_that_the_other_submits_hold_none_and_miss_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetch, "_is_nearly_done", lambda batch: False)
    project = Project.objects.create(slug="wells", title="Wells", consent="")
    held = dataset_of(project, tmp_path, name="wells", size=4)
    batch = launched(project, "wells", held, assignments_per_hit=2, same_order=True)
    hits, meet = list(batch.hits.order_by("ticket")), threading.Barrier(2)

    def hold_together(seat: Participation) -> PrefetchedHit | None:
        meet.wait(60)  # both have locked the HIT that they submit
        try:
            return hold_another(seat)
        finally:
            meet.wait(60)

    hold_another = prefetch.hold_another
    monkeypatch.setattr(prefetch, "hold_another", hold_together)

    def run(row: Assignment, seat: Participation) -> None:
        submit(row, participation=seat, ahead=True)
        connection.close()

    seats = [participation_of(newcomer(project, name), batch) for name in ("ada", "bob")]
    threads = []
    for seat, hit, following in zip(seats, hits[:2], hits[2:], strict=True):
        row = next_assignment.accept_hit(seat, hit)
        assert next_assignment.take_slot(following.pk, batch.pk)
        PrefetchedHit.objects.create(batch=batch, worker_id=seat.worker_id, hit=following, expires_at=Now())
        threads.append(threading.Thread(target=run, args=(row, seat)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(seat.claimed.hit_id, seat.prefetched) for seat in seats if seat.claimed] == [
        (h.pk, None) for h in hits[2:]
    ]
    monkeypatch.setattr(prefetch, "hold_another", hold_another)
    then = [prefetch.hold(participation_of(Worker.objects.get(pk=seat.worker_id), batch)) for seat in seats]
    assert [each.hit_id for each in then if each] == [hits[1].pk, hits[0].pk]


def crossing(batch: Batch, workers: list[Worker]) -> list[Crossing]:
    """Two workers for whom the same HITs are reserved, of each two in the other order."""
    hits = list(batch.hits.order_by("pk"))
    swapped = [hit for first, second in zip(hits[::2], hits[1::2], strict=True) for hit in (second, first)]
    for worker, mine in zip(workers, (hits, swapped), strict=True):
        reserved_hits.reserve(batch, mine, [worker])
    meet = threading.Barrier(2)
    return [Crossing(participation_of(worker, batch), meet) for worker in workers]
