"""Options of an answer: folded on a phone while one reads, and unfolded where they can only be looked at."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.work import submissions
from tests.conftest import records
from tests.views.console import take


def is_unfolded(html: str) -> bool:
    found = re.search(r'id="fold-options"[^>]*aria-expanded="(true|false)"', html)
    assert found
    return found[1] == "true"


def test_options_that_cannot_be_changed_any_more_are_unfolded(
    client: Any, project: Any, bob: Any, tmp_path: Path
) -> None:
    choices = [record | {"options": [*record["answers"], "Farrow"], "supports": None} for record in records(1)]
    file = tmp_path / "choices.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in choices))
    import_dataset(project, file, format="jsonl", name="choices")
    data = project.datasets.get(slug="choices")
    batch = batch_launch.create_batch(project, "pick", task="answer", datasets=[data], instructions="Read.")
    batch_launch.launch(batch)
    row = take(bob, batch)
    client.force_login(bob.user)
    page = reverse("assignment", args=[row.public_id])
    assert not is_unfolded(client.get(page).content.decode())
    given = {"kind": "option", "text": "Tower 0", "option": 0, "paragraph": None, "start": None, "end": None}
    submissions.submit(row, given | {"support": [], "facts": []}, key=f"0.{row.pk}", base=0, active_seconds=5)
    batch_launch.close(batch)
    assert is_unfolded(client.get(page).content.decode())
