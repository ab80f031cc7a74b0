"""A batch that shows suggestions: a draft, predictions that are chosen, the consent that its launch needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotation.flow.batches import batch_drafts, batch_launch
from annotation.flow.batches.parsing import parse
from annotation.flow.reports.model_predictions import store_predictions
from annotation.models import Batch, Project
from annotation.pure.people.consent_text import SUGGESTING
from tests.batches import create_batch
from tests.flow.scored import imported

MODEL = "oracle-1"
RUBRIC = {"show": ["question"], "criteria": [{"name": "sound", "ask": "Is it sound?", "choice": ["yes", "no"]}]}


def questions(size: int) -> list[dict[str, Any]]:
    return [
        {"id": f"i{k}", "question": f"Is question {k} sound?", "paragraphs": [], "answers": []} for k in range(size)
    ]


def draft(project: Project, folder: Path, *, size: int = 6, k: int = 2, **settings: Any) -> Batch:
    dataset = imported(project, folder, "asked", questions(size))
    terms = {"task": "rate", "options": {"rubric": RUBRIC}, "instructions": "Read.", "assignments_per_hit": k}
    return create_batch(project, "suggesting", datasets=[dataset], **terms | settings)


def predict(batch: Batch, answers: dict[int, list[dict[str, Any]]]) -> None:
    """Predictions of items by position, of each its runs."""
    items = dict(batch.datasets.get().items.values_list("position", "pk"))
    rows = [
        {"item": items[place], "run": run, "answer": answer}
        for place, runs in answers.items()
        for run, answer in enumerate(runs, start=1)
    ]
    store_predictions(batch, MODEL, rows)


def choose(batch: Batch, model: str = MODEL) -> Batch:
    batch_drafts.change_batch(batch, parse(batch.project, {"suggest": model}, batch=batch))
    return batch


def consented(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(consent=f"We keep answers.\n\n{SUGGESTING}")
    project.refresh_from_db()


def suggesting(project: Project, folder: Path, *, without: int = 0, **settings: Any) -> Batch:
    """An open batch in which the model says "yes" of every item but the last ones."""
    consented(project)
    made = draft(project, folder, **settings)
    size = made.datasets.get().size
    predict(made, {place: [{"sound": "yes"}] for place in range(size - without)})
    batch_launch.launch(choose(made))
    return made
