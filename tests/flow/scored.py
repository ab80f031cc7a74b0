"""Judgments on invented records, to be scored: a batch whose figures can be worked out by hand, and others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.review import problem_reports
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch, Dataset
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.review.test_response_import import lines
from tests.replaying import replayed


def imported(project: Any, folder: Path, name: str, found: list[Any], *, format: str = "jsonl") -> Dataset:
    import_dataset(project, lines(folder / f"{name}.in", found), format=format, name=name)
    return project.datasets.get(slug=name)


def opened(project: Any, *datasets: Dataset, name: str = "study", **settings: Any) -> Batch:
    batch = create_batch(
        project, name, task="answer", datasets=datasets, instructions="", assignments_per_hit=3, **settings
    )
    batch_launch.launch(batch)
    return batch


def say(batch: Batch, folder: Path, said: dict[tuple[str, int], list[tuple[str, str, Any]]]) -> None:
    """Judgments: {(dataset, item): [(worker, text, support or whole answer)]}."""
    rows = []
    for (dataset, item), given in said.items():
        for worker, text, support in given:
            answer = support if isinstance(support, dict) else {"support": support}
            rows.append({"dataset": dataset, "item": item, "worker": worker, "answer": {"text": text, **answer}})
    import_responses(batch, lines(folder / f"{batch.slug}.said", rows))


WORKED = {
    ("wells", 0): [("a", "Tower 0", [0, 1]), ("b", "tower 0.", [1, 0]), ("c", "Farrow", [1])],
    ("wells", 1): [("a", "Tower 1", [0, 1]), ("b", "the tower", [0]), ("c", "Well 1", [2])],  # a tie of three
    ("wells", 2): [("a", "Tower 2", [0, 1])],  # one annotation
    ("wells", 3): [("a", "Tower 3", [0, 1]), ("b", "Tower 3", [0, 1])],  # will be voided
}  # and nobody answers item 4


@pytest.fixture
def worked(project: Any, tmp_path: Path) -> Batch:
    def make() -> Batch:
        batch = opened(project, imported(project, tmp_path, "wells", [r | {"shape": "2hop"} for r in records(5)]))
        say(batch, tmp_path, WORKED)
        problem_reports.exclude(batch.hits.get(item__position=3), reason="Two towers stand there")
        return batch

    return replayed("worked", make, project)
