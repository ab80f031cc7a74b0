"""A panel that sends people by link, and its participants: browsers without an account."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.test import Client

from annotation.flow.batches import batch_launch, practice_progress
from annotation.flow.money import ledger
from annotation.flow.people import consent
from annotation.marketplaces.flow import connections, studies, visits
from annotation.marketplaces.models import BatchMarketplace, Connection, PanelStudy, Visit
from annotation.models import Assignment, Batch, Hit, Project
from tests.batches import create_batch
from tests.flow.acting import submit, take
from tests.marketplaces.test_frame import fields

BACK = "https://panel.example/done?cc={code}&p={participant}"
OPTIONS = {"participant": "PID", "submission": "SID", "return": BACK}


def link_to(project: Project, **options: str) -> Connection:
    ledger.deposit(project, Decimal(1000), key="start")
    return connections.add(project, "panel", kind="link", options=OPTIONS | options)


def study_of(project: Project, dataset: Any, *, hits: int = 2, publish: bool = True, **settings: Any) -> PanelStudy:
    """A batch over the dataset as a study of `hits` HITs a visit, by default open to participants."""
    place = project.connections.first() or link_to(project)
    chosen = {"reward": Decimal("0.40"), "assignments_per_hit": 2, "expected_seconds": 60} | settings
    batch = create_batch(
        project, "visited", task="answer", datasets=[dataset], instructions="Read.", marketplace=place, **chosen
    )
    batch_launch.launch(batch)
    batch.refresh_from_db()
    study = PanelStudy.objects.get(batch=batch)
    studies.change(study, hits=hits, places=studies.places_for(batch, hits))
    if publish:
        studies.pursue(study, studies.Goal.ACTIVE)
    return PanelStudy.objects.select_related("batch__project", "connection").get(pk=study.pk)


def put_on_panel(batch: Batch, *, hits: int) -> str:
    """Make a launched batch an open study of `hits` HITs a visit; the path of its link."""
    place = link_to(batch.project)
    Batch.objects.filter(pk=batch.pk).update(on_marketplace=True, auto_approval=604_800, reward="0.25")
    BatchMarketplace.objects.create(batch=batch, connection=place)
    Hit.objects.filter(batch=batch).update(reward="0.25", promised="0.25")
    batch.refresh_from_db()
    study = studies.make(batch)
    studies.change(study, hits=hits)
    studies.pursue(study, studies.Goal.ACTIVE)
    return f"/visit/{study.token}/"


def visited(study: PanelStudy, name: str) -> Visit:
    """What `Participant(study, name).work(1)` leaves behind, without its pages."""
    worker = visits.arrive(study, {"PID": name, "SID": f"visit-of-{name}"}).worker
    consent.give(worker, version=worker.project.consent_version)
    assignment = take(worker, study.batch)
    assert assignment is not None
    submit(assignment)
    return worker.visits.get(study=study)


class Participant:
    """A browser of somebody whom the panel sends."""

    def __init__(self, study: PanelStudy, name: str = "ann", visit: str = "") -> None:
        self.client, self.study, self.name, self.number = Client(), study, name, visit or f"visit-of-{name}"
        self.page: Any = None

    @property
    def visit(self) -> Visit:
        rows = Visit.objects.select_related("study__batch__project", "study__connection", "worker__project")
        return rows.get(study=self.study, external_id=self.number)

    @property
    def text(self) -> str:
        return str(self.page.content.decode())

    def go(self, url: str, data: dict[str, Any] | None = None, *, post: bool = False) -> Any:
        """Follow to the page at the end."""
        send = self.client.post if post else self.client.get
        self.page = send(url, data or {}, follow=True)
        return self.page

    def arrive(self, **query: str) -> Any:
        return self.go(f"/visit/{self.study.token}/", {"PID": self.name, "SID": self.number} | query)

    def start(self) -> Any:
        """Agree, read the instructions, skip the practice, and take the first HIT."""
        batch = self.study.batch
        self.arrive()
        self.go(f"/projects/{batch.project.slug}/consent/?next=/visit/", {"version": "1", "next": "/visit/"}, post=True)
        self.go(f"/work/batches/{batch.pk}/start/", post=True)
        self.go(f"/work/batches/{batch.pk}/instructions/", {"version": "1"}, post=True)
        for number in range(1, len(practice_progress.exercises(batch)) + 1):
            self.go(f"/work/batches/{batch.pk}/practice/{number}/done/", post=True)
        return self.page

    @property
    def under_way(self) -> Assignment:
        rows = Assignment.objects.select_related("hit", "batch", "worker")
        return rows.get(worker__user__workers__visits__external_id=self.number, state="accepted")

    def answer(self) -> Any:
        row = self.under_way
        return self.go(f"/assignments/{row.public_id}/submit/", fields(row), post=True)

    def work(self, count: int) -> Any:
        """From the arrival to `count` responses."""
        self.start()
        for _number in range(count):
            self.answer()
        return self.page
