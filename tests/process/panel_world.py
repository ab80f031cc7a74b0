"""A study on an emulated Prolific in an installation's own database: `python -m tests.process.panel_world VERB …`."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import django

django.setup()

from django.db.models import F  # noqa: E402
from django.db.models.functions import Now  # noqa: E402

from annotation.flow.batches import batch_launch  # noqa: E402
from annotation.flow.data import dataset_import  # noqa: E402
from annotation.flow.money import ledger, ledger_audit  # noqa: E402
from annotation.flow.people import consent  # noqa: E402
from annotation.flow.projects import projects  # noqa: E402
from annotation.marketplaces.flow import connections, differences, studies, study_sync, visit_pay  # noqa: E402
from annotation.marketplaces.models import Connection, Difference, PanelStudy, Visit, VisitBonus  # noqa: E402
from annotation.models import Assignment, Hit, Payment  # noqa: E402
from tests.batches import create_batch  # noqa: E402
from tests.conftest import write_records  # noqa: E402
from tests.process.panel_worker import QUICK  # noqa: E402

STATE = VisitBonus.State


def open_study(*, url: str, workspace: str, hits: int, each: int, per_visit: int) -> dict[str, Any]:
    """A batch as a study, to be published by the next sweep."""
    project = projects.project_named("default")
    consent.fill_in(project, contact="ada@example.org", ethics="board 7")
    ledger.deposit(project, Decimal(100_000), key="start")
    with tempfile.TemporaryDirectory() as folder:
        records = write_records(Path(folder) / "records.jsonl", hits)
        dataset_import.import_dataset(project, records, format="jsonl", name="records")
    place = connections.add(
        project,
        "panel",
        kind="prolific",
        endpoint_url=url,
        worker_origin=url,
        key_id=workspace,
        secret="emulator",
        fees="house",
    )
    batch = create_batch(
        project, "study", task="answer", datasets=list(project.datasets.all()), instructions="Read and answer.",
        reward=Decimal("0.40"), assignments_per_hit=each, expected_seconds=60, marketplace=place,
    )  # fmt: skip
    batch_launch.launch(batch)
    study = PanelStudy.objects.select_related("batch", "connection").get(batch=batch)
    studies.change(study, hits=per_visit, places=studies.places_for(batch, per_visit))
    studies.pursue(study, studies.Goal.ACTIVE)
    return {"places": PanelStudy.objects.get().places}


def pass_time(*, hours: int) -> None:
    """Let time pass for calls that were made, for visits under way, and for a marketplace that rests."""
    back = timedelta(hours=hours)
    # not for a call that may still be under way: on a busy machine it would be judged before it arrives
    called = VisitBonus.objects.filter(state=STATE.CALLED, called_at__lt=Now() - timedelta(seconds=10))
    called.update(called_at=F("called_at") - back, due_at=Now())
    Visit.objects.filter(sent_at__isnull=False).update(sent_at=F("sent_at") - back)
    Connection.objects.update(rests_until=None)
    VisitBonus.objects.filter(state__in=(STATE.INTENDED, STATE.PREPARED)).update(due_at=Now())  # put off by the server
    Visit.objects.filter(state="live").update(deadline=F("deadline") - back)
    Visit.objects.filter(sent_at=None).exclude(decision="").update(due_at=Now(), tries=0)


def more_places() -> dict[str, int]:
    """Places for the HITs that still want responses."""
    study = PanelStudy.objects.select_related("batch", "connection").get()
    lacking = sum(Hit.objects.annotate(lacking=F("wanted") - F("done")).values_list("lacking", flat=True))
    if lacking:
        places = PanelStudy.objects.get().remote.get("taken", 0) + -(-lacking // study.hits_per_visit)
        studies.raise_places(study, max(places, study.places))
    return {"lacking": lacking}


def audit() -> dict[str, Any]:
    """Both sides' books, and the work, as they are here."""
    study = PanelStudy.objects.select_related("batch__project", "connection").get()
    study_sync.sync(study, connections.StudySession(study.connection, patience=QUICK), deep=True)
    submitted = Assignment.objects.filter(state="submitted")
    bonuses = Payment.objects.filter(visit_pay.is_bonus()).select_related("assignment__visited__visit")
    rewards = Payment.objects.exclude(visit_pay.is_bonus()).filter(state="paid")
    return {
        "differences": [[row.kind, row.facts, row.about] for row in differences.open_ones(study)],
        "met": dict(Counter(Difference.objects.values_list("kind", flat=True))),
        "lacking": [hit.pk for hit in Hit.objects.all() if hit.done < hit.wanted],
        "live": [hit.pk for hit in Hit.objects.all() if hit.live],
        "submitted": list(submitted.filter(responses__isnull=False).values_list("public_id", flat=True)),
        "payments": dict(Counter(Payment.objects.values_list("state", flat=True))),
        "due": [_described(payment) for payment in Payment.objects.exclude(state="paid")],
        "bonuses": [[row.assignment.visited.visit.external_id, str(row.amount)] for row in bonuses],
        "rewarded": list(rewards.values_list("assignment__visited__visit__external_id", flat=True)),
        "in_flight": VisitBonus.objects.filter(state__in=VisitBonus.IN_FLIGHT).count(),
        "visits": dict(Counter(map("/".join, Visit.objects.values_list("state", "remote_state", "decision")))),
        "unsent": Visit.objects.filter(sent_at=None).exclude(decision="").count(),
        "ledger": [str(fault) for fault in ledger_audit.audit(study.batch.project)],
    }


def _described(payment: Payment) -> list[str]:
    """A payment that is not settled, with its visit, for the message of a failed test."""
    visit = payment.assignment.visited.visit
    states = visit.state, visit.outcome, visit.remote_state, visit.decision, str(visit.sent_at), visit.trouble
    return [str(payment.amount), payment.key, payment.state, payment.assignment.approval, *states]


VERBS = {f.__name__: f for f in (open_study, pass_time, more_places, audit)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("arguments", nargs="*", help="name=value")
    result = parser.parse_args()
    pairs = (argument.split("=", 1) for argument in result.arguments)
    given: dict[str, Any] = {name: int(value) if value.isdigit() else value for name, value in pairs}
    print(json.dumps(VERBS[result.verb](**given)))
