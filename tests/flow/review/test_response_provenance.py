"""How every item of a dataset of verdicts came to be, and where that is told and where not."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from annotation import registry
from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_files import examples_of
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.review.response_import import import_responses
from annotation.formats import FORMATS
from annotation.models import Batch, Dataset, User
from annotation.pure.data.provenance import steps_of
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.acting import answer_all, launched
from tests.flow.making import FREE, derived, singles
from tests.flow.review.test_response_import import lines
from tests.flow.review.test_results_dataset import gathered, review

pytestmark = pytest.mark.django_db


def test_the_provenance_tells_who_when_where_and_on_which_instructions(batch: Batch, bob: Any, carol: Any) -> None:
    answer_all(bob, batch)
    hits = answer_all(carol, batch)
    for example in examples_of(gathered(batch)):
        [step] = steps_of(example.extra)
        hit = next(hit for hit in hits if hit.item.source_id == example.id)
        assert (step["batch"], step["task"], step["hit"]) == ("wells-1", "answer", hit.public_id)
        assert step["workers"] == [bob.pseudonym, carol.pseudonym]
        assert step["instructions_versions"] == [1]
        assert [time[-1] for time in step["submitted"]] == ["Z", "Z"]
        assert step["submitted"] == sorted(step["submitted"])
        assert step["reviews"] == []
        assert step["aggregate"]["answers"] == 2
        assert "bob" not in json.dumps(step)


def test_a_later_batch_adds_its_step_behind_the_earlier(project: Any, batch: Batch, bob: Any, carol: Any) -> None:
    answer_all(bob, batch)
    again = launched(project, "again", gathered(batch))
    answer_all(carol, again)
    for example in examples_of(gathered(again, "twice")):
        steps = steps_of(example.extra)
        assert [(step["batch"], step["workers"]) for step in steps] == [
            ("wells-1", [bob.pseudonym]),
            ("again", [carol.pseudonym]),
        ]


def test_reviews_decide_what_stands_and_are_told(
    batch: Batch, bob: Any, carol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = registry.task_type("answer")
    monkeypatch.setattr(type(task), "review", lambda self, payload, answer: {"text": answer["text"]})
    monkeypatch.setattr(type(task), "edited", lambda self, payload, answer, text: answer | {"text": text})
    hits = answer_all(bob, batch)
    answer_all(carol, batch)
    mine, hers = ({a.hit_id: a for a in batch.assignments.filter(worker=w)} for w in (bob, carol))
    edited, discarded, undone, accepted = hits
    for hit in (edited, discarded):
        review(hers[hit.pk], "discarded", reason="Copied.")
    review(mine[edited.pk], "edited", text="The tower", marks={"correct": True})
    for decision in ("discarded", "reopened"):
        review(mine[undone.pk], decision, reason="Wrong.")
    review(mine[accepted.pk], "accepted")
    made = {example.id: example for example in examples_of(gathered(batch))}
    example = made[edited.item.source_id]
    [step] = steps_of(example.extra)
    assert example.answers[0] == "The tower"
    assert step["workers"] == [bob.pseudonym]
    reviewer = batch.project.reviewer_pseudonym(User.objects.get(username="alice-reviews").pk)
    wording = next(k for k in range(4) if f"well-{k}" == example.id)
    assert step["reviews"] == [
        {
            "worker": bob.pseudonym,
            "reviewer": reviewer,
            "decision": "edited",
            "marks": {"correct": True},
            "edited_from": f"Tower {wording}",
        },
        {"worker": carol.pseudonym, "reviewer": reviewer, "decision": "discarded", "marks": {}},
    ]
    [step] = steps_of(made[undone.item.source_id].extra)
    assert (step["workers"], step["reviews"]) == ([bob.pseudonym, carol.pseudonym], [])
    [step] = steps_of(made[accepted.item.source_id].extra)
    assert [result["decision"] for result in step["reviews"]] == ["accepted"]


def test_the_pseudonym_of_a_reviewer_is_no_workers(project: Any) -> None:
    assert project.reviewer_pseudonym(7) != project.pseudonym(7)


def test_provenance_goes_along_with_every_derivation_and_into_no_record(
    project: Any, batch: Batch, bob: Any, tmp_path: Path
) -> None:
    answer_all(bob, batch)
    made = gathered(batch)
    steps = {example.id: steps_of(example.extra) for example in examples_of(made)}
    derive_dataset(made, how="contexts", name="wide", options={"paragraphs": 5})
    derive_dataset(Dataset.objects.get(slug="wide"), how="unanswerable-twins", name="twins")
    derive_dataset(
        Dataset.objects.get(slug="twins"), how="splits", name="parts", options={"train": 1.0, "dev": 0.0, "test": 0.0}
    )
    for name in ("wide", "twins", "parts-train"):
        for example in examples_of(Dataset.objects.get(slug=name)):
            assert steps_of(example.extra) == steps[example.id] != []
    for format, name, count in (
        ("musique", "twins", 8),
        *((f, "wide", 4) for f in ("hotpotqa", "2wikimultihopqa", "subqa")),
    ):
        out = io.BytesIO()
        assert FORMATS[format].write(examples_of(Dataset.objects.get(slug=name)), out) == count
        assert b"provenance" not in out.getvalue()
        assert bob.pseudonym.encode() not in out.getvalue()
    out = io.BytesIO()
    FORMATS["jsonl"].write(examples_of(made), out)
    (tmp_path / "out.jsonl").write_bytes(out.getvalue())
    import_dataset(project, tmp_path / "out.jsonl", format="jsonl", name="back")
    assert list(examples_of(Dataset.objects.get(slug="back"))) == list(examples_of(made))


def test_a_field_of_the_source_that_is_named_alike_comes_out_as_it_went_in(
    project: Any, tmp_path: Path, bob: Any
) -> None:
    record = records(1)[0] | {"extra": {"provenance": "an archive"}}
    (tmp_path / "in").write_text(json.dumps(record))
    import_dataset(project, tmp_path / "in", format="jsonl", name="archive")
    batch = launched(project, "archived", Dataset.objects.get(slug="archive"))
    answer_all(bob, batch)
    [example] = examples_of(gathered(batch))
    assert len(steps_of(example.extra)) == 1
    for format in ("musique", "hotpotqa"):
        out = io.BytesIO()
        FORMATS[format].write([example], out)
        found = json.loads(out.getvalue())
        assert (found if format == "musique" else found[0])["provenance"] == "an archive"


def test_a_graph_takes_over_what_people_said_of_its_pairs(project: Any, tmp_path: Path) -> None:
    import_dataset(project, lines(tmp_path / "s", singles()[5:9]), format="jsonl", name="singles")
    pairs = derived("singles", "composable-pairs", "pairs")
    batch = create_batch(project, "bridges", task="coreference", datasets=[pairs], instructions="Read.")
    batch_launch.launch(batch)
    rows = [
        {"dataset": "pairs", "item": k, "worker": "w", "answer": {"bridges": ["same"], "why": ""}}
        for k in range(pairs.size)
    ]
    import_responses(batch, lines(tmp_path / "j", rows))
    steps = [steps_of(example.extra)[0] for example in examples_of(gathered(batch))]
    [graph] = examples_of(derived("verdicts", "graphs", "graphs", mix="4hop1=1", **FREE))
    assert graph.shape == "4hop1"
    assert steps_of(graph.extra) == steps
    assert len(steps) == 3
