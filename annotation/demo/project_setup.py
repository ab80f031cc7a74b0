"""The demo's project: its dataset, people, a finished study, and most responses to a second one."""

import json
import os
import secrets
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from annotation.demo import encyclopedia, timeline
from annotation.demo.simulated_worker import SimulatedWorker, is_assignment
from annotation.flow.batches.batch_drafts import create_batch
from annotation.flow.batches.batch_launch import launch
from annotation.flow.batches.parsing import parse
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.money import ledger
from annotation.flow.people import consent
from annotation.formats import FORMATS
from annotation.models import Batch, Dataset, Member, Project, User, Worker
from annotation.pure.batches import lifecycle
from annotation.pure.data.example import Example

DATASET, BATCH, SECOND = "vennory-multihop", "vennory-first-study", "vennory-second-study"
ITEMS = 40  # of the first study; the second one has those that are left
SIMULATED = {"simulated-1": 0.92, "simulated-2": 0.84, "simulated-3": 0.76}  # name: skill
TAKERS = {"simulated-4": 0.3}  # of the qualification round only, who fail it: name: skill
JOINED = ("simulated-5",)  # who joined, and have not given their consent yet
BUDGET, REWARD = Decimal(100), Decimal("0.40")  # dollars; the reward of a response to the first study
APPROVAL_DAYS = 7  # until a response is approved automatically
LEFT_OPEN = 12  # HITs of the second study left for the visitor
ROLES = {
    "requester": "requester",
    "annotator": "annotator",
    **dict.fromkeys((*SIMULATED, *TAKERS, *JOINED), "annotator"),
}


def read_notes(path: Path) -> dict[str, Any]:
    """The notes of an earlier demo: URLs, accounts, whether the responses are complete."""
    return json.loads(path.read_text()) if path.exists() else {}


def write_notes(path: Path, notes: dict[str, Any]) -> None:
    """Write the notes atomically, readable by their owner only."""
    draft = path.with_suffix(".part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(notes, file, indent=1)
    draft.replace(path)


def accounts(notes: dict[str, Any], project: Project) -> list[dict[str, str]]:
    """The demo's accounts with random passwords; those in the notes keep theirs."""
    known = {account["username"]: account["password"] for account in notes.get("accounts", [])}
    people = []
    for name, role in ROLES.items():
        password = known.get(name) or secrets.token_urlsafe(9)
        user, new = User.objects.get_or_create(username=name)
        if new or name not in known or not user.check_password(password):
            user.set_password(password)
            user.save()
        model = Member if role == "requester" else Worker
        model.objects.get_or_create(project=project, user=user)
        people.append({"username": name, "password": password, "role": role})
    return people


def prepare(project: Project) -> None:
    """What a requester does before the first launch: finish the consent text, and put the budget in."""
    consent.fill_in(project, contact="whoever runs this demo", ethics="not needed; the demo studies nobody")
    ledger.deposit(project, BUDGET, key="demo", user=User.objects.get(username="requester"), note="First study")


def studies(project: Project, folder: Path) -> list[Batch]:
    """The demo's two launched studies, created on the first run."""
    settings: dict[str, Any] = {"dataset": DATASET, "examples": encyclopedia.examples(seed=0), "folder": folder}
    settings |= {"task": "answer", "assignments_per_hit": 3, "reward": REWARD, "auto_approve_days": APPROVAL_DAYS}
    own: dict[str, Any] = {"title": "Questions about Vennory", "sample": ITEMS}
    more: dict[str, Any] = {"title": "More questions about Vennory", "unseen_only": True}
    return [launched(project, BATCH, **settings, **own), launched(project, SECOND, **settings, **more)]


def launched(
    project: Project, name: str, *, dataset: str, examples: list[Example], folder: Path, **settings: Any
) -> Batch:
    """The batch of that name, created from the examples and launched if it does not exist."""
    stored = Batch.objects.filter(project=project, slug=name).first()
    if stored and stored.state not in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        return stored
    if stored is None:
        asked = settings | {"name": name, "datasets": [kept(project, dataset, examples, folder)]}
        stored = create_batch(project, parse(project, asked), user=User.objects.get(username="requester"))
    launch(stored)
    return stored


def kept(project: Project, name: str, examples: list[Example], folder: Path) -> Dataset:
    """The dataset of that name, imported on the first run."""
    return project.datasets.filter(slug=name).first() or imported(project, name, examples, folder)


def imported(
    project: Project, name: str, examples: list[Example], folder: Path, *, user: User | None = None
) -> Dataset:
    """The dataset of that name, imported if it is not there. Raises Refused for a name that is taken."""
    file = folder / f"{name}.jsonl"
    with file.open("wb") as out:
        FORMATS["jsonl"].write(examples, out)
    import_dataset(project, file, format="jsonl", name=name, licence="Apache-2.0", file_name=file.name, user=user)
    file.unlink()
    return project.datasets.get(slug=name)


def workers(base: str, people: list[dict[str, str]], project: Project) -> list[SimulatedWorker]:
    """The simulated workers, signed in, with consent given."""
    passwords = {account["username"]: account["password"] for account in people}
    simulated = [
        SimulatedWorker(base, name, passwords[name], skill, Random(f"demo/{name}"))
        for name, skill in (SIMULATED | TAKERS).items()
    ]
    for worker in simulated:
        worker.sign_in()
        worker.consent(project.slug)
    return simulated


def answer(
    workers: list[SimulatedWorker], launched_batch: Batch, progress: Callable[[int, int], None], *, left: int = 0
) -> None:
    """Let the simulated workers do all but so many HITs, left to the visitor, of which the last reports a problem."""
    examples = {example.question: example for example in encyclopedia.examples(seed=0)}
    wanted = dict.fromkeys(SIMULATED, launched_batch.size)
    wanted[list(SIMULATED)[-1]] -= left
    done = launched_batch.assignments.filter(state=lifecycle.SUBMITTED, worker__user__username__in=SIMULATED).count()
    total = sum(wanted.values())
    for worker in workers:
        name = worker.username
        submitted = launched_batch.assignments.filter(state=lifecycle.SUBMITTED, worker__user__username=name).count()
        if submitted >= wanted[name]:
            continue
        page = worker.begin(launched_batch)
        while submitted < wanted[name] and is_assignment(page):
            page = worker.answer(page, examples, began=timeline.set_back)
            submitted, done = submitted + 1, done + 1
            progress(done, total)
        if is_assignment(page):
            page = worker.report_problem(page, "several_answers", "Two of the paragraphs could be meant.")
        if is_assignment(page):
            worker.return_assignment(page)
