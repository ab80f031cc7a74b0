"""What a requester sees of every kind of task: the preview, a HIT with its answers side by side, the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.urls import reverse

from tests.tasks.test_contract import JSON, every_case


@every_case
def test_a_requester_sees_the_preview_the_answers_and_the_report(
    kind: str, case: JSON, project: Any, alice: Any, bob: Any, carol: Any, client: Any, tmp_path: Path
) -> None:
    from annotation.flow.batches import batch_launch
    from annotation.flow.data import dataset_import
    from annotation.flow.people import sign_up
    from annotation.flow.work import next_assignment, submissions

    file = tmp_path / "case.jsonl"
    file.write_text(json.dumps(case["example"], ensure_ascii=False) + "\n")
    dataset_import.import_dataset(project, file, format="jsonl", name="case")
    given = {
        "task": kind,
        "datasets": list(project.datasets.all()),
        "options": case["options"],
        "instructions": "Read.",
    }
    batch = batch_launch.create_batch(project, "case-1", assignments_per_hit=2, **given)
    batch_launch.launch(batch)
    for worker, answer in zip((bob, carol), case["answers"] * 2, strict=False):
        sign_up.read_instructions(next_assignment.join_batch(worker, batch), version=1)
        submissions.submit(
            next_assignment.claim(next_assignment.join_batch(worker, batch)),
            answer,
            key="0.k",
            base=0,
            active_seconds=9.0,
        )
    client.force_login(bob.user)
    assert client.get(reverse("history")).status_code == 200
    client.force_login(alice)
    of = ["wells", "case-1"]
    addresses = [reverse(name, args=of) for name in ("batch-preview", "hits", "report")]
    for address in (*addresses, reverse("hit", args=[*of, batch.hits.get().public_id])):
        page = client.get(address)
        assert page.status_code == 200, address
    text = page.content.decode()
    assert text.count(bob.pseudonym[:8]) >= 2, "the HIT's page does not name who answered"
