"""Two devices at the same instant: one visit and one guest, and no HIT beyond those of the visit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, connections

from annotation.flow.people import consent
from annotation.flow.work import next_assignment
from annotation.marketplaces.flow import visits
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.models import Assignment, User, Worker
from tests.flow.acting import participation_of, submit
from tests.marketplaces.panel import study_of

pytestmark = [
    pytest.mark.postgresql(reason="two devices come at once"),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture(autouse=True)
def with_row_locks(db: None) -> None:
    if not connection.features.has_select_for_update:
        pytest.skip("SQLite has one writer at a time (PostgreSQL is needed)")


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Do all at the same instant; what they returned."""
    start, found = Barrier(len(acts)), []

    def run(act: Callable[[], Any]) -> None:
        try:
            start.wait(timeout=20)
            found.append(act())
        finally:
            connections.close_all()

    threads = [Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return found


def test_six_devices_that_arrive_at_once_share_one_visit(project: Any, dataset: Any) -> None:
    study = study_of(project, dataset)
    found = at_once(*[lambda: visits.arrive(study, {"PID": "ann", "SID": "one"}).pk for _device in range(6)])
    assert len(found) == 6
    assert len(set(found)) == 1
    assert (Visit.objects.count(), Worker.objects.count()) == (1, 1)
    assert User.objects.filter(username__startswith="guest-").count() == 1


def test_the_last_response_and_a_claim_in_another_tab_give_no_hit_too_many(project: Any, dataset: Any) -> None:
    study = study_of(project, dataset, hits=2, assignments_per_hit=20)
    for number in range(8):
        worker = visits.arrive(study, {"PID": f"p{number}", "SID": f"s{number}"}).worker
        consent.give(worker, version=project.consent_version)
        own = Worker.objects.select_related("project").get(pk=worker.pk)
        submit(next_assignment.claim(participation_of(own, study.batch)))
        last = next_assignment.claim(participation_of(own, study.batch))

        def claim(own: Worker = own) -> Any:
            return next_assignment.claim(next_assignment.join_batch(own, study.batch))

        at_once(lambda last=last: submit(last), claim, claim)
        assert Assignment.objects.filter(worker=own).count() == 2
        assert Visit.objects.get(worker=own).outcome == "done"


def test_a_visit_is_approved_once_by_two_people(project: Any, dataset: Any) -> None:
    from annotation.marketplaces.flow import visit_decisions
    from annotation.models import Payment

    study = study_of(project, dataset, hits=1)
    worker = visits.arrive(study, {"PID": "ann", "SID": "one"}).worker
    consent.give(worker, version=project.consent_version)
    own = Worker.objects.select_related("project").get(pk=worker.pk)
    submit(next_assignment.claim(participation_of(own, study.batch)))

    def approve() -> bool:
        return visit_decisions.approve(Visit.objects.select_related("study__batch__project").get(), user=None)

    assert sorted(at_once(approve, approve, approve)) == [False, False, True]
    assert Payment.objects.count() == 1


def test_six_participants_who_come_at_once_for_one_place_make_one_visit(project: Any, dataset: Any) -> None:
    study = study_of(project, dataset)
    PanelStudy.objects.update(places=1)
    study.refresh_from_db()

    def arrive(name: str) -> bool:
        try:
            return bool(visits.arrive(study, {"PID": name, "SID": f"s-{name}"}))
        except visits.TurnedAway:
            return False

    found = at_once(*[partial(arrive, f"p{number}") for number in range(6)])
    assert sorted(found) == [False] * 5 + [True]
    assert Visit.objects.count() == 1
