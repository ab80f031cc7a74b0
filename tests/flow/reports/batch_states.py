"""The states of data in which sentences must hold, one for each seed, and what makes a batch so."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.money import ledger
from annotation.flow.people import worker_erasure
from annotation.flow.review import adjudication, assignment_approval, problem_reports
from annotation.flow.review.response_import import import_responses
from annotation.marketplaces.models import PanelStudy, Visit, VisitAssignment
from annotation.models import Adjudication, Assignment, Batch, Member, Project, User, clock
from annotation.registry import default_instructions
from tests.batches import create_batch
from tests.flow.review.test_response_import import lines
from tests.marketplaces.panel import put_on_panel

CLOSED, IMPORTED, REJECTED, ADJUDICATED, DERIVED = "closed early", "imported", "rejected", "adjudicated", "derived"
PANEL, NOBODY, ONE, EQUAL, MIXED = "panel", "nobody", "one worker", "all equal", "mixed"
STATES = (MIXED, CLOSED, IMPORTED, REJECTED, ADJUDICATED, DERIVED, PANEL, NOBODY, ONE, EQUAL)
PREFACE = "## Before you begin\n\nIn **some** items a step is missing."
HOW = {"answer": ("withhold", {"keep": 1}), "solvability": ("ablation:3", {}), "hops": ("withhold", {"keep": 1})}


def state_of(seed: int) -> str:
    return STATES[seed % len(STATES)]


def people(state: str, rng: Random) -> int:
    return {NOBODY: 0, IMPORTED: 0, ONE: 1}.get(state) or rng.choice([1, 2, 3]) * (state not in (NOBODY, IMPORTED))


def launched(
    project: Project, folder: Path, task: str, records: list[Any], state: str, rng: Random, **terms: Any
) -> Batch:
    """A launched batch over the records, or over what is derived from them; paid or not, and with a preface or not."""
    import_dataset(project, lines(folder / "wells.in", records), format="jsonl", name="wells")
    dataset, instructions = project.datasets.get(slug="wells"), "Read."
    if state == DERIVED and task in ("answer", "solvability"):
        how, options = HOW[task]
        derive_dataset(dataset, how=how, name="wells-less", options=options)
        dataset = project.datasets.get(slug="wells-less")
        instructions = f"{PREFACE}\n\n{default_instructions(task)}"
    if state == REJECTED or (state != PANEL and rng.random() < 0.5):
        ledger.deposit(project, Decimal(90), key="budget")
        terms |= {"auto_approval": 3600, "reward": Decimal("0.25")}
    terms |= {"two_adjudicators": True} if state == ADJUDICATED and task == "answer" else {}
    batch = create_batch(project, "study", task=task, datasets=[dataset], instructions=instructions, **terms)
    batch_launch.launch(batch)
    if state == PANEL:
        put_on_panel(batch, hits=1)
    return batch


def decide_pay(batch: Batch, state: str, rng: Random) -> None:
    for row in batch.assignments.submitted().order_by("pk"):
        row.refresh_from_db()
        if batch.auto_approval and rng.random() < (0.5 if state == REJECTED else 0.3):
            assignment_approval.reject(row, text="Not read.")
        elif batch.auto_approval and rng.random() < 0.7:
            assignment_approval.approve(row)


def finish(batch: Batch, state: str, rng: Random) -> None:
    """Exclusions, and what the state does with the responses that there are."""
    for hit in batch.hits.all():
        if rng.random() < 0.2:
            problem_reports.exclude(hit, reason=rng.choice(["Two towers", "Unreadable"]))
    if state == CLOSED:
        batch_launch.close(batch)
    if state == ADJUDICATED and batch.two_adjudicators:
        adjudicate(batch, rng)
    if state == PANEL:
        visit_all(batch, rng)


def visit_all(batch: Batch, rng: Random) -> None:
    """Each response belongs to a visit; some visits are returned, and some responses withdrawn."""
    for row in batch.assignments.submitted().order_by("pk"):
        known: dict[str, Any] = {"study": PanelStudy.objects.get(batch=batch), "deadline": clock.now()}
        is_returned = rng.random() < 0.3
        known |= {"state": "ended", "remote_state": "returned"} if is_returned else {"state": "done"}
        visit = Visit.objects.create(worker=row.worker, external_id=str(row.pk), **known)
        VisitAssignment.objects.create(visit=visit, assignment=row)
        if rng.random() < 0.3:
            worker_erasure.erase(Assignment.objects.filter(pk=row.pk))


def adjudicate(batch: Batch, rng: Random) -> None:
    """Two requesters decide independently on each HIT in the queue; they pick, or write an answer, or exclude."""
    users = []
    for name in ("dora", "erik"):
        users.append(User.objects.create_user(name, password=None))
        Member.objects.create(project=batch.project, user=users[-1])
    for hit in batch.hits.filter(pk__in=[each.pk for each in adjudication.queue(batch)]):
        rows = list(hit.assignments.submitted().order_by("pk"))
        for user in users:
            row, text = rng.choice(rows), rng.choice(["", "", hit.item.example.answer])
            made: dict[str, Any] = {"decision": "edited" if text else "accepted", "assignment": row, "text": text}
            adjudication.decide(Adjudication(hit=hit, adjudicator=user, revision=row.revision, **made))


def import_some(batch: Batch, folder: Path, rng: Random, *, every: bool) -> None:
    """Responses of people elsewhere: to the first free HIT, or to many of those that there are."""
    given = [
        hit for hit in batch.hits.filter(room__gt=0).select_related("item__dataset") if every or rng.random() < 0.4
    ]
    rows = [
        {
            "dataset": hit.item.dataset.slug,
            "item": hit.item.position,
            "worker": worker,
            "answer": {"text": rng.choice(["x", "Tower 1"]), "support": [0]},
        }
        for hit in (given if every else given[:1])
        for worker in ("far", "near")[: hit.room if every else 1]
    ]
    if rows:
        import_responses(batch, lines(folder / "far.said", rows))
