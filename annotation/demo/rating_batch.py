"""The demo's ratings: questions about Vennory as a model might write them, checked by a preset's rubric."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from annotation.demo import encyclopedia, timeline
from annotation.demo.project_setup import launched
from annotation.demo.simulated_worker import SimulatedWorker
from annotation.models import Assignment, Batch, Project
from annotation.pure.batches import lifecycle
from annotation.pure.data.example import Example, reduced
from annotation.registry import form_class, presets

DATASET, BATCH, PRESET = "vennory-model-written", "vennory-model-written-checked", "question-quality"
QUESTIONS = 24
FAULTS = ("one hop", "wrong answer", "clumsy")  # every second question has one of them
RIGHT: dict[str, Any] = {"faithful": 4, "natural": 4, "multihop": "yes", "unique": "yes"}
SEEN: dict[str, Any] = {"one hop": {"multihop": "no"}, "wrong answer": {"faithful": 1}, "clumsy": {"natural": 2}}
COMMENTS = {
    "one hop": "The first passage alone answers it.",
    "wrong answer": "The passages name another one.",
    "clumsy": "Nobody would ask it like that.",
}


def examples() -> list[Example]:
    """The shortest questions with their paragraphs, half of them with a fault of generated ones, said in `extra`."""
    known = sorted(encyclopedia.examples(seed=0), key=lambda example: len(example.hops))[:QUESTIONS]
    return [
        _faulty(example, FAULTS[k // 2 % len(FAULTS)]) if k % 2 else _written(example)
        for k, example in enumerate(known)
    ]


def _written(example: Example, **changes: Any) -> Example:
    kept = reduced(example, example.supports or ())
    return replace(kept, id=f"written-{example.id}", group="", hops=(), shape="", supports=None, **changes)


def _faulty(example: Example, fault: str) -> Example:
    first, extra = example.hops[0], {"fault": fault}
    if fault == "one hop":
        return _written(example, question=first.question, answers=(first.answer,), extra=extra)
    if fault == "wrong answer":
        return _written(example, answers=(first.answer,), extra=extra)
    asked = f"{example.question[0].lower()}{example.question[1:].rstrip('?')}"
    return _written(example, question=f"Based on the given passages, {asked}, as mentioned in them?", extra=extra)


def batch(project: Project, folder: Path) -> Batch:
    """The launched batch, created on the first run."""
    rubric = presets("rate")[PRESET].read_text(encoding="utf-8")
    settings = {"title": "Questions that a model wrote", "task": "rate", "options": {"rubric": rubric}}
    return launched(
        project, BATCH, dataset=DATASET, examples=examples(), folder=folder, assignments_per_hit=3, **settings
    )


def rate(workers: list[SimulatedWorker], launched_batch: Batch, progress: Callable[[int, int], None]) -> None:
    """Let the workers rate every question."""
    done = launched_batch.assignments.filter(state=lifecycle.SUBMITTED).count()
    for worker in workers:
        own = launched_batch.assignments.filter(worker__user__username=worker.username, state=lifecycle.SUBMITTED)
        if own.count() == launched_batch.size:
            continue
        page = worker.begin(launched_batch)
        while "/assignments/" in page.url:
            row = Assignment.objects.select_related("hit__item").get(public_id=page.assignment)
            seconds = worker.rng.lognormvariate(3.4, 0.4)
            timeline.set_back(page.assignment, seconds)
            posted = form_class("rate")(row.hit.payload).posted(ratings(row.hit.item.example, worker.skill, worker.rng))
            url, hidden = page.form("/submit/")
            page, done = worker.post(url, hidden | posted | {"active_seconds": f"{seconds:.1f}"}), done + 1
            progress(done, launched_batch.size * len(workers))


def ratings(example: Example, skill: float, rng: Random) -> dict[str, Any]:
    """A response by somebody of this skill (0..1), who misses some faults and sees some where there are none."""
    fault = str(example.extra.get("fault", ""))
    seen = RIGHT | (SEEN[fault] if fault and rng.random() < skill else {})
    for name in ("faithful", "natural"):
        seen[name] = min(4, max(1, seen[name] + rng.choice([-1, 0, 0, 0, 1]) * (rng.random() > skill / 2)))
    if rng.random() > skill:
        seen["unique"] = "cannot tell"
    return seen | {"comment": COMMENTS[fault] if fault and rng.random() < 0.4 else ""}
