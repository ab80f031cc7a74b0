"""Items on which people agree against gold: which are found, what is decided, and the corrected version."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.data import dataset_files
from annotation.flow.data.item_writer import ImportRefused
from annotation.flow.errors import Refused
from annotation.flow.reports import batch_scores
from annotation.flow.review import gold_in_doubt
from annotation.models import Batch, Dataset, GoldDecision, Hit
from tests.conftest import answer_to
from tests.flow import acting
from tests.replaying import replayed

pytestmark = pytest.mark.postgresql(reason="HITs are locked")

FAR = {0: ["", "", ""], 1: ["The far shore", "the far shore!", ""], 2: ["a", "b", "c"], 3: ["Tarne", "Tarne", "Tarne"]}


@pytest.fixture
def batch(project: Any, dataset: Any) -> Batch:
    """Three people; of the four items two are answered alike by most, and not as gold has it."""

    def make() -> Batch:
        made = acting.launched(project, "doubtful", dataset, assignments_per_hit=3)
        for k in range(3):
            worker = acting.newcomer(project, f"reader-{k}")
            while row := acting.take(worker, made):
                text = FAR[row.hit.item.position][k]
                acting.submit(row, answer_to(row) | ({"kind": "typed", "text": text} if text else {}))
        return made

    return replayed("gold in doubt", make, project, dataset)


def hit(batch: Batch, position: int) -> Hit:
    return batch.hits.select_related("item__dataset", "batch").get(item__position=position)


def decide(batch: Batch, position: int, decision: str, alice: Any = None) -> GoldDecision:
    row = hit(batch, position)
    found = gold_in_doubt.doubt_of(row)
    assert found
    return gold_in_doubt.decide(row, decision, text=found.text, reviewer=alice)


def test_what_most_say_in_equal_words_is_set_against_gold(batch: Batch) -> None:
    found = [(one.votes, one.answers, one.decision) for one in gold_in_doubt.doubts(batch)]
    assert found == [(2, 3, ""), (3, 3, "")]
    assert [one.text.strip("!").lower() for one in gold_in_doubt.doubts(batch)] == ["the far shore", "tarne"]


def test_decisions_are_only_ever_added_and_the_last_stands(batch: Batch, alice: Any) -> None:
    decide(batch, 1, "stands", alice)
    decide(batch, 1, "alias", alice)
    assert [one.decision for one in gold_in_doubt.doubts(batch)] == ["alias", ""]
    assert gold_in_doubt.undo(hit(batch, 1), reviewer=alice)
    assert not gold_in_doubt.undo(hit(batch, 1), reviewer=alice)
    assert [one.decision for one in gold_in_doubt.doubts(batch)] == ["", ""]
    assert list(GoldDecision.objects.order_by("pk").values_list("decision", flat=True)) == [
        "stands", "alias", "reopened",
    ]  # fmt: skip


@pytest.mark.parametrize(("decision", "text"), [("alias", "something else"), ("liked", "Tarne"), ("reopened", "Tarne")])
def test_a_decision_must_be_one_and_on_what_was_read(batch: Batch, decision: str, text: str) -> None:
    with pytest.raises(Refused):
        gold_in_doubt.decide(hit(batch, 3), decision, text=text, reviewer=None)
    assert not GoldDecision.objects.exists()


def test_nothing_is_decided_where_people_do_not_agree(batch: Batch) -> None:
    with pytest.raises(Refused):
        gold_in_doubt.decide(hit(batch, 2), "correction", text="a", reviewer=None)


def test_a_corrected_version_changes_the_decided_answers_and_leaves_the_old_one(batch: Batch, dataset: Any) -> None:
    before = list(dataset_files.examples_of(dataset))
    decide(batch, 1, "alias")
    decide(batch, 3, "correction")
    report = gold_in_doubt.correct(batch, dataset, name="better")
    assert report["figures"] == {"batch": "doubtful", "aliases": 1, "corrections": 1}
    made = Dataset.objects.get(slug="better")
    assert (made.lineage["source"], made.lineage["how"], made.root) == ("wells", "gold-corrections", dataset)
    after = list(dataset_files.examples_of(made))
    assert after[1].answers[:-1] == before[1].answers
    assert after[3].answers == ("Tarne",)
    assert after[3].extra["gold_corrected"]["answers"] == list(before[3].answers)
    assert (after[0], after[2]) == (before[0], before[2])
    assert list(dataset_files.examples_of(dataset)) == before
    assert list(made.items.order_by("position").values_list("group_key", flat=True)) == list(
        dataset.items.order_by("position").values_list("group_key", flat=True)
    )


def test_the_same_decisions_change_nothing_and_others_need_another_name(batch: Batch, dataset: Any) -> None:
    with pytest.raises(Refused, match="cannot be changed by a decision"):
        gold_in_doubt.correct(batch, dataset, name="better")
    decide(batch, 1, "alias")
    gold_in_doubt.correct(batch, dataset, name="better")
    assert gold_in_doubt.correct(batch, dataset, name="better")["already_there"]
    decide(batch, 3, "correction")
    with pytest.raises(ImportRefused):
        gold_in_doubt.correct(batch, dataset, name="better")


def test_the_report_has_the_human_score_against_both(batch: Batch) -> None:
    plain = batch_scores.score_batch(batch)
    assert "corrected" not in plain
    decide(batch, 3, "correction")
    assert batch_scores.cached_report(batch) is None
    both = batch_scores.score_batch(batch)
    assert both["datasets"] == plain["datasets"]
    old, new = (found["datasets"]["wells"]["answer"]["human_score"]["em"] for found in (both, both["corrected"]))
    assert (new["n"], new["value"]) == (old["n"], pytest.approx(old["value"] + 1 / 4))


def test_a_gold_that_stands_leaves_one_score(batch: Batch) -> None:
    decide(batch, 3, "stands")
    assert "corrected" not in batch_scores.score_batch(batch)
