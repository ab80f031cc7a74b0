"""A frame that is opened twice at the same instant: one assignment, and both get it. Needs row locks to go wrong."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, connections

from annotation.flow import arriving
from annotation.models import Arrival, Assignment, Hit, Worker
from tests.frames import entry, publish


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
            found.append(arriving.arrive(hit, entry(hit)).assignment_id)
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
