"""Options of an answer: folded on a phone while one reads, and unfolded where they can only be looked at."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports.methods_facts import facts_of
from annotation.flow.work import submissions
from annotation.models import Batch
from tests.batches import create_batch
from tests.conftest import records
from tests.tasks.html_form import read_form
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
    batch = create_batch(project, "pick", task="answer", datasets=[data], instructions="Read.")
    batch_launch.launch(batch)
    row = take(bob, batch)
    client.force_login(bob.user)
    page = reverse("assignment", args=[row.public_id])
    assert not is_unfolded(client.get(page).content.decode())
    given = {"kind": "option", "text": "Tower 0", "option": 0, "paragraph": None, "start": None, "end": None}
    submissions.submit(row, given | {"support": [], "facts": []}, key=f"0.{row.pk}", base=0, active_seconds=5)
    batch_launch.close(batch)
    assert is_unfolded(client.get(page).content.decode())


def test_nothing_speaks_of_ticking_where_no_support_is_asked(
    client: Any, project: Any, alice: Any, bob: Any, dataset: Any
) -> None:
    for name, support in (("plain", False), ("backed", True)):
        options = {"support": support}
        batch = create_batch(project, name, task="answer", datasets=[dataset], options=options)
        batch_launch.launch(batch)
        row = take(bob, batch)
        client.force_login(bob.user)
        page = client.get(reverse("assignment", args=[row.public_id])).content.decode()
        dialog = page[page.index('id="instructions-box"') :].partition("</dialog>")[0]
        assert ("tick" in dialog.lower()) is support
        given = {"kind": "span", "text": "Tower", "paragraph": 0, "start": 0, "end": 5, "option": None}
        submissions.submit(row, given | {"support": [0], "facts": []}, key=f"0.{row.pk}", base=0, active_seconds=5)
        assert ("tick" in facts_of(batch, None).question) is support
    client.force_login(alice)
    card = client.get(reverse("batch-new", args=["wells"]) + "?dataset=wells").content.decode()
    assert "Answer the question from the paragraphs.<" in re.sub(r"\s*<", "<", card)


def test_the_instructions_of_a_new_batch_follow_its_options(
    client: Any, project: Any, alice: Any, dataset: Any
) -> None:
    client.force_login(alice)
    new = reverse("batch-new", args=["wells"])
    _action, shown = read_form(client.get(f"{new}?dataset=wells").content.decode(), "launch")
    fields = {name: values for name, values in shown.items() if any(values) and name != "option-support"}
    assert "Ticked" in fields["instructions"][0]
    update = client.post(reverse("batch-consequences", args=["wells"]), fields).content.decode()
    assert "id_instructions" in update
    assert "Ticked" not in update
    client.post(new, fields | {"draft": "1"})
    assert "Ticked" not in Batch.objects.get().instructions.text
    own = fields | {"instructions": "My own words.", "name": "own", "draft": "1"}
    client.post(new, own | {"key": "another"})
    assert Batch.objects.get(slug="own").instructions.text == "My own words."
