"""The practice items of each task, from the instructions to the first HIT, as a browser without scripts shows them."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation import registry
from annotation.flow.batches import batch_launch, practice_progress
from annotation.flow.data import dataset_import
from annotation.models import Participation
from annotation.views.work.practice import right_fields
from tests.batches import create_batch
from tests.long_forms import first

KINDS = [kind for kind, _title in registry.kinds()]


@pytest.mark.parametrize("kind", first(4, KINDS))
def test_every_item_gives_its_reason_after_the_answer_and_not_before(
    kind: str, client: Any, project: Any, bob: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_progress, "practice", registry.practice)
    file = tmp_path / "items.jsonl"
    records = [example.as_json() for example in registry.practice(kind)]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    dataset_import.import_dataset(project, file, format="jsonl", name="items")
    batch = create_batch(project, "items", task=kind, datasets=list(project.datasets.all()), instructions="Read.")
    batch_launch.launch(batch)
    client.force_login(bob.user)
    came = client.post(reverse("batch-instructions", args=[batch.pk]), {"version": "1"})
    exercises = practice_progress.exercises(batch)
    assert len(exercises) >= 3
    for exercise in exercises:
        here = reverse("practice", args=[batch.pk, exercise.number])
        assert came.url == here
        before = unescape(client.get(here).content.decode())
        after = client.post(here, right_fields(batch, bob, exercise.number))
        assert after.status_code == 200
        assert any(remark["good"] for remark in after.context["frame"]["remarks"])
        said = {remark["message"] for remark in after.context["frame"]["remarks"]}
        assert not any(message in before for message in said)
        reasons = [exercise.example.extra.get("why"), *exercise.example.extra.get("notes", ())]
        assert not any(reason in before for reason in reasons if reason)
        came = client.post(reverse("practice-done", args=[batch.pk, exercise.number]))
    assert "/assignments/" in came.url


def test_who_has_submitted_a_response_is_not_stopped_by_new_items(
    batch: Any, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_progress, "practice", registry.practice)
    begun = Participation.objects.create(batch=batch, worker=bob, done=0)
    assert practice_progress.next_exercise(begun) == 1
    begun.done = 1
    assert practice_progress.next_exercise(begun) is None


def test_items_that_need_an_option_are_only_in_batches_that_have_it(
    batch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_progress, "practice", registry.practice)
    plain = [exercise.example.id for exercise in practice_progress.exercises(batch)]
    batch.options = {**batch.options, "no_answer": True}
    more = [exercise.example.id for exercise in practice_progress.exercises(batch)]
    assert set(more) - set(plain) == {"practice-choir"}
    batch.options = {**batch.options, "no_answer": False, "yes_no": True}
    assert "practice-same-century" in [exercise.example.id for exercise in practice_progress.exercises(batch)]
