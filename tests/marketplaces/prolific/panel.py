"""A batch as a study on an emulated Prolific, with visits that are approved on both sides and are owed bonuses."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models.functions import Now
from django.utils import timezone
from prolific_emulator import submissions
from prolific_emulator.server import Emulator

from annotation.marketplaces.base import MarketplaceError
from annotation.marketplaces.flow import study_sync, visit_decisions
from annotation.marketplaces.flow.connections import StudySession
from annotation.marketplaces.models import Connection, PanelStudy, Visit, VisitAssignment
from annotation.models import Assignment, Batch, Payment, User, Worker
from tests.flow.acting import submit, take
from tests.marketplaces.conftest import QUICK
from tests.prolific_emulator.conftest import SPEC, TOKEN, client_for

PATIENT = replace(QUICK, most_failures=10**6, lease=timedelta(0))


class Panel:
    """`study` is ours, `there` theirs; `visit()` makes one more."""

    def __init__(self, emulator: Emulator, batch: Batch, **options: str) -> None:
        self.emulator, self.batch = emulator, batch
        self.connection = Connection.objects.create(
            project=batch.project, name="panel", kind="prolific", preset="other", endpoint_url=emulator.url,
            worker_origin=emulator.url, key_id=emulator.world.workspace, secret=TOKEN,
            options=options,
        )  # fmt: skip
        self.client = client_for(emulator, options=tuple(options.items()))
        self.there = self.client.create_study(replace(SPEC, places=5000))
        self.client.publish(self.there)
        self.study = PanelStudy.objects.create(
            batch=batch, connection=self.connection, token=SPEC.token, external_id=self.there, goal="active",
            hits_per_visit=1,
            reward=SPEC.reward, places=5000, minutes=8, max_minutes=30, codes=SPEC.codes, standing="active",
        )  # fmt: skip

    def session(self) -> StudySession:
        return StudySession(self.connection, patience=PATIENT)

    def visit(self, *, answered: bool = True) -> Visit:
        """A participant who did a HIT, came back, and is approved there."""
        world = self.emulator.world
        with world.lock:
            one = submissions.reserve(world, world.studies[self.there], world.new_id())
            submissions.start(world, one)
            submissions.complete(world, one, "CODE0")
            submissions.move(world, one, "APPROVED")
        worker = Worker.objects.create(
            project=self.batch.project, external_id=f"{self.connection.pk}:{one.participant}",
            consented_version=self.batch.project.consent_version,
        )  # fmt: skip
        visit = Visit.objects.create(
            study=self.study, worker=worker, external_id=one.id, participant=one.participant, state="done",
            outcome="done", deadline=timezone.now(), decision="approved", remote_state="approved", sent_at=Now(),
        )  # fmt: skip
        if answered:
            assignment = take(worker, self.batch)
            assert assignment is not None
            submit(assignment)
            VisitAssignment.objects.create(visit=visit, assignment=assignment)
        return visit

    def owe(self, visit: Visit, amount: str) -> Payment:
        """A bonus of ours for the visit."""
        assignment = Assignment.objects.get(visited__visit=visit)
        return Payment.objects.create(
            project=self.batch.project, batch=self.batch, assignment=assignment, worker=visit.worker, kind="bonus",
            amount=Decimal(amount), key=f"b{Payment.objects.count()}", due_at=Now(),
        )  # fmt: skip

    def paid_there(self, visit: Visit) -> list[int]:
        return sorted(self.emulator.world.submissions[visit.external_id].bonuses)


def came_back(panel: Panel, **columns: Any) -> Visit:
    """A participant who did a HIT here and is back there, and nobody decided."""
    visit = panel.visit()
    there = panel.emulator.world.submissions[visit.external_id]
    there.status, there.approvals = "AWAITING REVIEW", 0
    Worker.objects.filter(pk=visit.worker_id).update(user=User.objects.create(username=f"guest-{visit.pk}"))
    Visit.objects.filter(pk=visit.pk).update(**{"decision": "", "sent_at": None, "remote_state": "awaiting"} | columns)
    return Visit.objects.select_related("study__batch__project", "study__connection", "worker").get(pk=visit.pk)


def send(panel: Panel) -> None:
    Visit.objects.filter(sent_at=None).exclude(decision="").update(due_at=timezone.now() - timedelta(seconds=5))
    visit_decisions.send_due(panel.connection, patience=PATIENT)


def sync(panel: Panel) -> int:
    return study_sync.sync(PanelStudy.objects.select_related("batch__project").get(), panel.session())


class Killed(BaseException):
    """The process died here."""


def tolerant(act: Any, *arguments: Any, **named: Any) -> Any:
    """Run one round of a sweep as a process that may fail or be killed."""
    try:
        return act(*arguments, **named)
    except (MarketplaceError, Killed):
        return None
