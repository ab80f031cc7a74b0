"""What a simulation begins with: a project with money, two open batches, five workers, a webhook."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management import call_command
from django.db import connection
from django.db.models.functions import Now

from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.money import ledger
from annotation.flow.work import leases, next_assignment, prefetch
from annotation.marketplaces.flow import connections
from annotation.marketplaces.flow import studies as panel_studies
from annotation.marketplaces.models import PanelStudy
from annotation.models import Assignment, Batch, Dataset, Participation, PrefetchedHit, Project, Worker
from annotation.webhooks import protocol, subscriptions
from tests.conftest import records
from tests.flow import triggers
from tests.flow.acting import launched, newcomer
from tests.marketplaces.fake_mturk import FakeMTurk

if TYPE_CHECKING:
    from tests.simulation.model_endpoint import Endpoint
    from tests.simulation.prolific import Panel

WORKERS, GUESTS, PARTICIPANTS, ITEMS = 5, 3, 3, 12
VISITS = {"hits": 2, "places": 12, "max_minutes": 3000}  # of a study
REMEMBERED = ("acknowledged", "forms", "seen", "ended", "bonuses", "states", "batches", "studies")
LATER = timedelta(minutes=1)
OF_MODELS = ("asked", "cost", "seen")
CANARY = "gold that nobody may see"
MARKET, MODELS, PANEL = "https://market.example", "https://models.example/v1", "https://prolific.example"


@dataclass
class World:
    """The project, and what people outside of the database remember."""

    project: Project
    dataset: Dataset
    batches: list[Batch]  # whose workers are ours
    abroad: Batch  # on a marketplace
    there: FakeMTurk
    studies: list[Batch]  # on Prolific
    panel: Panel
    models: Endpoint
    workers: list[Worker]
    acknowledged: dict[tuple[int, int], str] = field(default_factory=dict)  # assignment, revision: the answer
    forms: dict[int, set[str]] = field(default_factory=dict)  # keys of the forms that were sent for an assignment
    received: set[str] = field(default_factory=set)  # webhook events that the other side got
    bonuses: set[str] = field(default_factory=set)  # keys of bonuses that a requester asked for
    ended: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # jobs that were seen at their end
    seen: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # every response that was ever stored
    guests: dict[str, tuple[str, str]] = field(default_factory=dict)  # HIT and assignment of workers on the marketplace
    seen_outside: list[str] = field(default_factory=list)  # what the other sides should never have seen
    events: set[str] = field(default_factory=set)  # webhook events that happened, forgotten ones included
    outlived: Counter[tuple[str, int, datetime]] = field(
        default_factory=Counter
    )  # whole sweeps, by leases that were due
    clock_sets: int = 0
    restores: int = 0
    is_ending: bool = False
    is_quiet: bool = True  # nobody has begun a transaction
    states: dict[str, dict[int, str]] = field(default_factory=dict)  # of each machine's rows, when last looked at
    moved: Counter[str] = field(default_factory=Counter)  # moves that were met

    def set_clock(self) -> None:
        """What was compared with the time before is not compared with the one now."""
        self.clock_sets += 1

    def memory(self) -> list[Any]:
        """What must be true of the database as it is now."""
        return deepcopy([[getattr(self, name) for name in REMEMBERED], [getattr(self.models, n) for n in OF_MODELS]])

    def go_back(self, memory: list[Any]) -> None:
        """Remember what must be true of the database as it was then: pages and what was compared are gone."""
        for thing, names, values in zip((self, self.models), (REMEMBERED, OF_MODELS), deepcopy(memory), strict=True):
            for name, value in zip(names, values, strict=True):
                setattr(thing, name, value)
        self.set_clock()
        self.restores += 1


def overdue(act: Callable[[], object]) -> set[tuple[str, int, datetime]]:
    """Leases that this sweep is to end."""
    rows: Any = ()
    if act is leases.expire_due:
        rows = Assignment.objects.filter(state="accepted", lease_until__lt=Now()).values_list("pk", "lease_until")
    if act is prefetch.let_go_overdue:
        rows = PrefetchedHit.objects.filter(expires_at__lt=Now()).values_list("hit", "expires_at")
    return {(act.__name__, *row) for row in rows}


def build(models: Endpoint, panel: Panel) -> World:
    call_command("migrate", run_syncdb=True, verbosity=0, skip_checks=True)
    triggers.make()
    connection.commit()
    project = Project.objects.create(
        slug="lab", title="Lab", fees="mturk", consent="We keep it.", pseudonym_key="k" * 64, ask_models=True
    )
    ledger.deposit(project, Decimal("65.00"), key="budget")
    dataset = dataset_with_canary(project)
    terms: dict[str, Any] = {"reward": Decimal("0.25"), "auto_approval": 3600, "assignments_per_hit": 2}
    batches = [
        launched(project, "paid", dataset, expected_seconds=60, **terms),
        launched(project, "free", dataset, expected_seconds=60, assignments_per_hit=3),
    ]
    market = connections.add(project, "elsewhere", endpoint_url=f"{MARKET}/", key_id="AKIASIMULATED", secret="a secret")
    abroad = launched(project, "abroad", dataset, expected_seconds=60, marketplace=market, **terms)
    studies = on_panel(project, dataset, panel, terms)
    workers = [newcomer(project, f"worker{k}") for k in range(WORKERS)]
    for batch in batches:
        for worker in workers:
            next_assignment.read_instructions(next_assignment.join_batch(worker, batch), version=1)
    Participation.objects.update(practised=99)
    subscriptions.add(project, url="https://example.org/hook", kinds=protocol.KINDS)
    return World(project, dataset, batches, abroad, FakeMTurk(), studies, panel, models, workers)


def on_panel(project: Project, dataset: Dataset, panel: Panel, terms: dict[str, Any]) -> list[Batch]:
    """Batches on Prolific, whose studies are to be published: the first at once, the other in a while."""
    place = connections.add(
        project,
        "panel",
        kind="prolific",
        endpoint_url=PANEL,
        worker_origin=PANEL,
        key_id=panel.workspace,
        secret="emulator",
        options={"partial_payment": "yes"},
    )
    for_study = terms | {"expected_seconds": 240, "reward": Decimal("0.55"), "marketplace": place}
    batches = [
        launched(project, "study", dataset, **for_study),
        launched(project, "next", dataset, size=4, **for_study),
    ]
    for study in PanelStudy.objects.order_by("pk"):
        panel_studies.change(study, **VISITS)
        study.refresh_from_db()
        panel_studies.pursue(study, panel_studies.Goal.ACTIVE)
    PanelStudy.objects.filter(batch=batches[1]).update(due_at=Now() + LATER)
    return batches


def dataset_with_canary(project: Project) -> Dataset:
    """Invented records, whose gold has words that are nowhere else."""
    made = records(ITEMS)
    for record in made:
        record["answers"].append(f"{CANARY} {record['id']}")
        record["hops"][0]["question"] += f" ({CANARY})"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wells.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in made))
        import_dataset(project, file, format="jsonl", name="wells")
    return project.datasets.get(slug="wells")
