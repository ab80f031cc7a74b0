"""A project is erased only when nothing of it can be open on a marketplace any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.projects import project_erasure, recycle_bin
from annotation.flow.review import assignment_approval
from annotation.marketplaces.flow import hit_sync, payments
from annotation.marketplaces.models import Arrival, Connection, Publication
from annotation.models import Erasure, Project
from annotation.mturk_api.flow import access_keys
from tests.marketplaces import visitors
from tests.marketplaces.conftest import QUICK
from tests.marketplaces.fake_mturk import FakeMTurk

pytestmark = pytest.mark.django_db


def deleted(batch: Any) -> Project:
    """The batch's project, in the bin."""
    batch_launch.close(batch)
    assert recycle_bin.remove_project(batch.project)
    return batch.project


def pass_days(days: float) -> None:
    """As much time goes by for HITs."""
    for row in Publication.objects.all():
        row.closes_at -= timedelta(days=days)
        row.remote["expires_at"] -= days * 86_400
        row.save()


def test_a_project_stays_until_its_hits_are_ended_there(published: Any, connection: Any, elsewhere: FakeMTurk) -> None:
    visitors.look_now(connection)
    project = deleted(published)
    with pytest.raises(Refused, match=r"still open on a marketplace.*Try again in a few minutes"):
        project_erasure.begin(project)
    Project.everything.update(removed_at=timezone.now() - timedelta(days=31))
    project_erasure.clear_due()
    assert not Erasure.objects.exists()
    visitors.look_now(connection)
    visitors.look_now(connection)
    assert project_erasure.begin(project)


def test_a_rejection_is_told_before_the_project_goes(published: Any, connection: Any, elsewhere: FakeMTurk) -> None:
    arrival = visitors.work(elsewhere, published.hits.order_by("pk")[0].publication, "ANNA")
    visitors.look_now(connection)
    assignment_approval.reject(arrival.assignment, text="The answer is empty.")
    project = deleted(published)
    Publication.objects.update(due_at=None)
    with pytest.raises(Refused, match="has not received all rejections"):
        project_erasure.begin(project)
    payments.send_due(connection, patience=QUICK)
    assert Arrival.objects.get().remote_state == "Rejected"
    assert project_erasure.begin(project)


def test_a_dead_marketplace_keeps_a_project_until_its_hits_have_ended_by_themselves(
    published: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    visitors.look_now(connection)
    project = deleted(published)
    result = Publication.objects.first().closes_at + timedelta(seconds=published.lease_seconds, days=7)
    with pytest.raises(Refused, match=f"after {timezone.localtime(result):%Y-%m-%d}"):
        project_erasure.begin(project)
    pass_days(31)
    with pytest.raises(Refused):  # an answer that came in last may wait there for a week
        project_erasure.begin(project)
    pass_days(7)
    assert project_erasure.begin(project)


def test_an_end_that_the_marketplace_was_never_told_of_does_not_count(published: Any, connection: Any) -> None:
    visitors.look_now(connection)
    project = deleted(published)
    hit_sync.keep_open(published, timezone.now() - timedelta(days=60))
    with pytest.raises(Refused):
        project_erasure.begin(project)


def test_keys_that_a_deleted_project_gave_itself_open_nothing_to_wait_for(
    published: Any, connection: Any, alice: Any
) -> None:
    visitors.look_now(connection)
    project = deleted(published)
    Connection.objects.update(key_id=access_keys.make(project, alice).key_id)
    assert project_erasure.begin(project)
