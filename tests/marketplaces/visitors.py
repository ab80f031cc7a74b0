"""Workers who come from a marketplace: what their frame would do, without a browser."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from annotation.flow.work import next_assignment, submissions
from annotation.marketplaces.flow import hit_sync
from annotation.marketplaces.flow.connections import HitSession
from annotation.marketplaces.models import Arrival, Publication
from annotation.models import Worker
from tests.conftest import answer_to
from tests.marketplaces.conftest import QUICK
from tests.marketplaces.fake_mturk import FakeMTurk


def arrive(publication: Publication, name: str, assignment: str) -> Arrival:
    """A worker opens the frame of the HIT with an assignment of the marketplace's."""
    batch, connection = publication.hit.batch, publication.connection
    worker, _new = Worker.objects.get_or_create(
        project=batch.project, external_id=f"{connection.pk}:{name}", defaults={"consented_version": 1}
    )
    ours = next_assignment.accept_hit(next_assignment.join_batch(worker, batch), publication.hit)
    return Arrival.objects.create(
        publication=publication,
        connection=connection,
        external_assignment=assignment,
        external_worker=name,
        assignment=ours,
    )


def submit_here(arrival: Arrival) -> None:
    """Our half of a submission: the answer is stored, the browser sent on."""
    ours = arrival.assignment
    assert ours is not None
    submissions.submit(ours, answer_to(ours), key=f"0.{ours.pk}", base=0, active_seconds=10)
    Arrival.objects.filter(pk=arrival.pk).update(posted_at=timezone.now())
    arrival.refresh_from_db()


def work(elsewhere: FakeMTurk, publication: Publication, name: str) -> Arrival:
    """A worker does the HIT, both halves."""
    key = elsewhere.submit(publication.external_id or "", name)
    arrival = arrive(publication, name, key)
    submit_here(arrival)
    return arrival


def look_now(connection: Any) -> hit_sync.SyncResult:
    """Everything is looked at as if it were due."""
    Publication.objects.filter(state="published").update(due_at=timezone.now(), lease_until=None)
    return hit_sync.sync_due(connection, patience=QUICK)


def session(connection: Any) -> HitSession:
    return HitSession(connection, patience=QUICK)
