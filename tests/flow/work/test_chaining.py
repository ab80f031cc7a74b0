"""Batches in a chain: what one yields feeds the next, and an item advances by the rule or with a reason it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_files import examples_of
from annotation.flow.data.item_writer import ImportRefused
from annotation.flow.review import review_decisions
from annotation.flow.review.response_import import import_responses
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.models import Batch, Dataset
from annotation.pure.data.example import Example
from tests.batches import create_batch
from tests.conftest import answer_to
from tests.flow import acting, making
from tests.flow.review.test_response_import import lines

pytestmark = pytest.mark.django_db


def vote(batch: Batch, said: dict[int, list[str]]) -> None:
    """What three people say of each item, by its position."""
    people = [acting.newcomer(batch.project, f"voter-{k}") for k in range(3)]
    for k, worker in enumerate(people):
        while row := acting.take(worker, batch):
            text = said[row.hit.item.position][k]
            given = {"kind": "typed", "text": text} if text else {}
            acting.submit(row, answer_to(row) | given)


@pytest.fixture
def voted(project: Any, dataset: Any) -> Batch:
    batch = acting.launched(project, "votes", dataset, assignments_per_hit=3)
    far = ["", "the far shore", "The Far shore!"]
    vote(batch, {0: ["", "", ""], 1: far, 2: ["", "", "elsewhere"], 3: ["", "a", "b"]})
    return batch


def made(name: str) -> list[Example]:
    return list(examples_of(Dataset.objects.whole().get(slug=name)))


@pytest.mark.parametrize(
    ("least", "kept", "reasons"),
    [
        (0, 3, {"tied": 1}),
        (1, 3, {"tied": 1}),
        (2, 3, {"tied": 1}),
        (3, 1, {"tied": 1, "fewer than 3 agree": 2}),
    ],
)
def test_an_item_advances_when_enough_say_what_its_aggregate_says(
    voted: Batch, least: int, kept: int, reasons: dict[str, int]
) -> None:
    report = create_results_dataset(voted, name="next", least=least)
    assert (report["kept"], report["dropped"]) == (kept, reasons)
    assert sorted(row["reason"] for row in report["left_out"]) == sorted(
        reason for reason, n in reasons.items() for _ in range(n)
    )
    assert Dataset.objects.get(slug="next").report["left_out"] == report["left_out"]
    assert Dataset.objects.get(slug="next").lineage.get("least", 0) == least


def test_what_is_left_out_is_named(voted: Batch) -> None:
    report = create_results_dataset(voted, name="next", least=3)
    assert report["left_out"] == [
        {"dataset": "wells", "item": "well-1", "reason": "fewer than 3 agree"},
        {"dataset": "wells", "item": "well-2", "reason": "fewer than 3 agree"},
        {"dataset": "wells", "item": "well-3", "reason": "tied"},
    ]


def test_what_a_requester_settled_advances_by_any_rule(voted: Batch, alice: Any) -> None:
    row = voted.assignments.submitted().filter(hit__item__position=3).first()
    review_decisions.choose(row, row.revision, reviewer=alice)
    assert create_results_dataset(voted, name="next", least=3)["kept"] == 2


def test_the_same_name_with_another_rule_is_another_dataset(voted: Batch) -> None:
    create_results_dataset(voted, name="next", least=3)
    assert create_results_dataset(voted, name="next", least=3)["already_there"]
    with pytest.raises(ImportRefused):
        create_results_dataset(voted, name="next", least=2)


def test_a_composed_question_is_answered_and_goes_on(project: Any, tmp_path: Path) -> None:
    """compose → verdicts → contexts → answer by three → those on which two agree → answered once more."""
    sets = making.everything(project, tmp_path)
    wide = sets["wide"]
    batch = create_batch(
        project, "answering", task="answer", datasets=[wide], instructions="Answer.", assignments_per_hit=3
    )
    batch_launch.launch(batch)
    rows = [
        {
            "dataset": "wide",
            "item": place,
            "worker": f"reader-{k}",
            "answer": {"text": text, "support": list(example.supports or ())},
        }
        for place, example in enumerate(made("wide"))
        for k, text in enumerate([example.answers[0], example.answers[0], f"No town {place % 2}"])
    ]
    import_responses(batch, lines(tmp_path / "answers.jsonl", rows))
    report = create_results_dataset(batch, name="answered", least=2)
    assert (report["kept"], report["left_out"]) == (wide.size, [])
    one = made("answered")[0]
    assert [step["task"] for step in one.extra["provenance"]] == ["compose", "answer"]
    assert one.question == made("wide")[0].question
    again = create_batch(
        project, "again", task="answer", datasets=[Dataset.objects.get(slug="answered")], instructions="Answer."
    )
    batch_launch.launch(again)
    assert again.hits.count() == wide.size
