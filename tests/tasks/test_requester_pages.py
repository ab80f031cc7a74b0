"""What a requester sees of every kind of task: preview, responses side by side, report, and the blind adjudication."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.models import Batch, Item
from tests.batches import create_batch
from tests.tasks.test_contract import JSON, a_case

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')


@pytest.fixture
def answered(kind: str, case: JSON, project: Any, bob: Any, carol: Any, tmp_path: Path) -> Batch:
    """The case as a batch of one HIT with the responses of two workers."""
    from annotation.flow.batches import batch_launch
    from annotation.flow.data import dataset_import
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
    batch = create_batch(project, "case-1", assignments_per_hit=2, **given)
    batch_launch.launch(batch)
    for worker, answer in zip((bob, carol), case["answers"] * 2, strict=False):
        next_assignment.read_instructions(next_assignment.join_batch(worker, batch), version=1)
        submissions.submit(
            next_assignment.claim(next_assignment.join_batch(worker, batch)),
            answer,
            key="0.k",
            base=0,
            active_seconds=9.0,
        )
    return batch


@a_case
def test_a_requester_sees_the_preview_the_answers_and_the_report(
    answered: Batch, alice: Any, bob: Any, client: Any
) -> None:
    client.force_login(bob.user)
    assert client.get(reverse("history")).status_code == 200
    client.force_login(alice)
    of = ["wells", "case-1"]
    addresses = [reverse(name, args=of) for name in ("batch-preview", "hits", "report")]
    hit = answered.hits.get().public_id
    client.post(reverse("hit-open", args=[*of, hit]))  # who answered is hidden where it is to be adjudicated
    for address in (*addresses, reverse("hit", args=[*of, hit])):
        page = client.get(address)
        assert page.status_code == 200, address
    text = page.content.decode()
    assert text.count(bob.pseudonym[:8]) >= 2, "the HIT's page does not name who answered"


@a_case
def test_who_adjudicates_sees_the_answers_but_no_gold_name_or_score(
    answered: Batch, alice: Any, bob: Any, carol: Any, client: Any
) -> None:
    """With other gold the page is the same to the letter."""
    client.force_login(alice)
    hit = answered.hits.get()
    address = reverse("adjudicate-hit", args=["wells", "case-1", hit.public_id])
    page = client.get(address).content.decode()
    assert 'compared"' in page
    assert re.findall(r'data-bind="adjudicate-pick-(\d)"', page) == ["1", "2"]
    assert page.count('id="decide"') == 1
    for secret in (
        bob.pseudonym[:8],
        carol.pseudonym[:8],
        "mark-gold",
        "gold-",
        " F1",
        reverse("hit", args=["wells", "case-1", hit.public_id]),
    ):
        assert secret not in page, secret
    other = hit.item.content | {
        "question": "Another question than the dataset's?",
        "answers": ["another answer"],
        "supports": [],
        "facts": None,
        "hops": [],
        "answerable": not hit.item.content["answerable"],
        "extra": {},
    }
    Item.every.filter(pk=hit.item_id).update(content=other, question=other["question"])
    assert TOKEN.sub("", client.get(address).content.decode()) == TOKEN.sub("", page)
