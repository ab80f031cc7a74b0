"""What a dry run takes along of a batch: nothing that points to a row that stays behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.dry_run import run
from annotation.models import Batch, Dataset, Project
from tests.flow.acting import launched


@pytest.mark.django_db
def test_a_copy_points_to_no_batch_or_worker_that_is_not_in_it(
    project: Project, dataset: Dataset, tmp_path: Path, bob: Any
) -> None:
    first = launched(project, "first", dataset)
    batch = launched(project, "second", dataset, fresh_only=False, workers=[bob])
    batch.source_batches.add(first)
    run.write_copy(batch, tmp_path, most=10)
    rows = json.loads((tmp_path / run.FILE).read_text())
    there = {(row["model"], row["pk"]) for row in rows}
    [copied] = [row["fields"] for row in rows if row["model"] == "annotation.batch"]
    for field in Batch._meta.many_to_many:
        model = field.related_model._meta.label_lower
        assert {(model, key) for key in copied[field.name]} <= there, field.name
