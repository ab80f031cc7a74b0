"""A frame that is opened twice at the same instant: one assignment, and both get it. Needs row locks to go wrong."""

from __future__ import annotations

from threading import Barrier, Thread, local
from typing import Any

import pytest
from django.db import connection, connections

from annotation.flow.work import open_work
from annotation.marketplaces.flow import arrivals
from annotation.marketplaces.models import Arrival
from annotation.models import Assignment, Batch, Hit, Worker
from tests.marketplaces.frames import entry, publish

pytestmark = pytest.mark.postgresql(reason="many arrive at once")


@pytest.mark.django_db(transaction=True)
def test_two_tabs_at_the_same_instant_get_the_same_assignment(batch: Any) -> None:
    if not connection.features.has_select_for_update:
        pytest.skip("SQLite has one writer at a time (PostgreSQL is needed)")
    publish(batch)
    hit = Hit.objects.select_related("batch__project", "publication__connection").filter(batch=batch).first()
    start, found = Barrier(6), []

    def open_tab() -> None:
        try:
            start.wait(timeout=20)
            found.append(arrivals.arrive(hit, entry(hit)).assignment_id)
        finally:
            connections.close_all()

    tabs = [Thread(target=open_tab) for _tab in range(6)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join(timeout=60)
    assert len(found) == 6
    assert len(set(found)) == 1
    assert (Assignment.objects.count(), Arrival.objects.count()) == (1, 1)
    assert Worker.objects.filter(user=None).count() == 1
    hit.refresh_from_db()
    assert hit.live == 1


@pytest.mark.django_db(transaction=True)
def test_two_frames_at_the_same_instant_get_no_two_members_of_a_group(
    batch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not connection.features.has_select_for_update:
        pytest.skip("SQLite has one writer at a time (PostgreSQL is needed)")
    publish(batch)
    Batch.objects.update(meeting=Batch.Meeting.ONE)
    Hit.objects.update(group_key="wells")
    hits = list(Hit.objects.select_related("batch__project", "publication__connection").order_by("pk")[:2])
    both, mine, found, has_met = Barrier(2), local(), [], open_work.has_met

    def looked(worker: Worker, hit: Hit) -> bool:
        """Both look for the first time before either goes on."""
        met = has_met(worker, hit)
        if not getattr(mine, "looked", False):
            mine.looked = True
            both.wait(timeout=20)
        return met

    def open_frame(hit: Hit) -> None:
        try:
            found.append(arrivals.arrive(hit, entry(hit, assignment=f"3ASSIGNMENT{hit.pk}")))
        except arrivals.TurnedAway as refused:
            found.append(str(refused))
        finally:
            connections.close_all()

    monkeypatch.setattr(open_work, "has_met", looked)
    frames = [Thread(target=open_frame, args=[hit]) for hit in hits]
    for frame in frames:
        frame.start()
    for frame in frames:
        frame.join(timeout=60)
    assert sorted(type(one).__name__ for one in found) == ["Arrival", "str"]
    assert "related item" in next(one for one in found if isinstance(one, str))
    assert Assignment.objects.count() == sum(Hit.objects.values_list("live", flat=True)) == 1
