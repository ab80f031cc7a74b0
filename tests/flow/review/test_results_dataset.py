"""A batch takes datasets and yields a dataset: what it holds, how it came to be, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation import registry
from annotation.flow.data.dataset_files import examples_of
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.data.item_writer import ImportRefused
from annotation.flow.errors import Refused
from annotation.flow.review import problem_reports, results_dataset
from annotation.flow.review.response_import import import_responses
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.models import Assignment, Batch, Dataset, Item, Review, User
from annotation.pure.data.example import Example
from tests.conftest import answer_to
from tests.flow.acting import answer_all, dataset_of, draft, launched, newcomer, submit, take
from tests.flow.review.test_response_import import lines, response

pytestmark = pytest.mark.django_db


def gathered(batch: Batch, name: str = "verdicts") -> Dataset:
    create_results_dataset(batch, name=name)
    return Dataset.objects.whole().get(slug=name)


def review(assignment: Assignment, decision: str, **more: Any) -> Review:
    reviewer = User.objects.get_or_create(username="alice-reviews")[0]
    return Review.objects.create(
        assignment=assignment, revision=assignment.revision, decision=decision, reviewer=reviewer, **more
    )


def other(assignment: Assignment) -> dict[str, Any]:
    """An answer that the records do not hold to be right."""
    return answer_to(assignment) | {"text": "Farrow", "paragraph": 2, "start": 0, "end": 6, "support": [2]}


def test_the_aggregates_become_items_in_the_order_of_the_source(batch: Batch, bob: Any, carol: Any) -> None:
    answer_all(bob, batch)
    answer_all(carol, batch)
    made = gathered(batch)
    assert (made.state, made.size, made.format) == ("ready", 4, "jsonl")
    assert made.root == batch.datasets.get()
    assert [example.id for example in examples_of(made)] == [f"well-{k}" for k in range(4)]
    for before, after in zip(examples_of(batch.datasets.get()), examples_of(made), strict=True):
        assert (after.answers, after.supports, after.paragraphs) == (before.answers, before.supports, before.paragraphs)
    assert made.lineage == {
        "source": ["wells"],
        "how": "verdicts",
        "batch": "wells-1",
        "task": "answer",
        "options": batch.options,
        "seed": batch.seed,
        "version": made.lineage["version"],
    }
    assert made.report == {
        "read": 4,
        "kept": 4,
        "dropped": {},
        "left_out": [],
        "figures": {"items": 4, "verdicts": {"span": 4}, "answers": {"standing": 8}, "decided": {"aggregated": 4}},
    }


def test_what_people_answered_replaces_the_gold(batch: Batch, bob: Any) -> None:
    assignment = take(bob, batch)
    assert assignment is not None
    submit(assignment, other(assignment))
    [example] = examples_of(gathered(batch))
    assert (example.answers[0], example.supports) == ("Farrow", (2,))


def test_items_without_a_aggregate_are_counted_by_their_reason(batch: Batch, bob: Any, carol: Any, alice: Any) -> None:
    answer_all(bob, batch)
    first = answer_all(carol, batch, most=1)[0]
    disputed = take(carol, batch)
    assert disputed is not None
    submit(disputed, other(disputed))
    refused = batch.assignments.exclude(hit__in=[first, disputed.hit]).order_by("pk").first()
    assert refused is not None
    review(refused, "discarded", reason="Not from the context.")
    problem_reports.exclude(first, reason="broken")
    made = gathered(batch)
    assert made.report["read"] == 4
    assert made.report["kept"] == made.size == 1
    assert made.report["dropped"] == {"excluded": 1, "tied": 1, "no answer stands": 1}
    assert made.report["figures"]["answers"] == {"standing": 3, "discarded": 1}


def test_the_same_aggregates_again_change_nothing_and_others_are_refused(batch: Batch, bob: Any, carol: Any) -> None:
    answer_all(bob, batch)
    first = gathered(batch)
    assert create_results_dataset(batch, name="verdicts") == {"datasets": {"verdicts": 4}, "already_there": True}
    before = list(Item.objects.values_list("pk", flat=True))
    answer_all(carol, batch, most=1)
    with pytest.raises(ImportRefused, match="taken by a dataset with different content"):
        create_results_dataset(batch, name="verdicts")
    assert list(Item.objects.values_list("pk", flat=True)) == before
    assert gathered(batch, "later").sha256 != first.sha256


def test_the_name_of_an_import_is_refused(batch: Batch, bob: Any) -> None:
    answer_all(bob, batch)
    with pytest.raises(ImportRefused, match="taken"):
        create_results_dataset(batch, name="wells")


def test_a_batch_without_aggregates_leaves_nothing_behind(project: Any, batch: Batch, dataset: Any) -> None:
    with pytest.raises(Refused, match="no answer stands: 4"):
        create_results_dataset(batch, name="verdicts")
    with pytest.raises(Refused, match="not launched"):
        create_results_dataset(draft(project, "draft", dataset), name="verdicts")
    assert Dataset.objects.get() == dataset


def test_a_failure_midway_leaves_nothing_behind(batch: Batch, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_all(bob, batch)
    task, result = registry.task_type("answer"), iter([True, True, False])

    def breaks(self: Any, example: Example, aggregate: Any) -> list[Example]:
        if next(result):
            return [example]
        raise KeyError

    monkeypatch.setattr(type(task), "export", breaks)
    with pytest.raises(KeyError):
        create_results_dataset(batch, name="verdicts")
    assert [dataset.slug for dataset in Dataset.objects.all()] == ["wells"]


def test_nobody_sees_the_dataset_before_it_is_whole(batch: Batch, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_all(bob, batch)
    seen = []
    monkeypatch.setattr(results_dataset, "CHUNK", 1)
    create_results_dataset(
        batch,
        name="verdicts",
        progress=lambda done, total: seen.append((done, total, Dataset.objects.whole().count())),
    )
    assert seen == [(1, 4, 1), (2, 4, 1), (3, 4, 1), (4, 4, 1)]
    assert Dataset.objects.whole().count() == 2


def test_the_datasets_come_one_after_the_other_by_name(project: Any, tmp_path: Path, bob: Any) -> None:
    later, earlier = (dataset_of(project, tmp_path, name=name, size=2) for name in ("zeta", "alpha"))
    batch = launched(project, "both", later, earlier, seed=3)
    answer_all(bob, batch)
    made = gathered(batch)
    assert made.lineage["source"] == ["alpha", "zeta"]
    assert made.root == earlier
    keys = [
        key for each in (earlier, later) for key in each.items.order_by("position").values_list("group_key", flat=True)
    ]
    assert list(made.items.order_by("position").values_list("group_key", flat=True)) == keys


def test_who_worked_on_an_item_never_meets_it_again_however_it_was_derived(
    project: Any, tmp_path: Path, bob: Any, carol: Any
) -> None:
    datasets = [dataset_of(project, tmp_path, name=name, size=4) for name in ("alpha", "zeta")]
    batch = launched(project, "both", *datasets)
    answer_all(bob, batch)
    made = gathered(batch)
    derive_dataset(made, how="contexts", name="wide", options={"paragraphs": 4})
    wide = Dataset.objects.get(slug="wide")
    derive_dataset(wide, how="unanswerable-twins", name="twins")
    twins = Dataset.objects.get(slug="twins")
    derive_dataset(twins, how="splits", name="parts", options={"train": 1.0, "dev": 0.0, "test": 0.0})
    parts = Dataset.objects.get(slug="parts-train")
    for dataset in (made, wide, twins, parts):
        assert set(dataset.items.values_list("group_key", flat=True)) == set(
            Item.objects.filter(dataset__in=datasets).values_list("group_key", flat=True)
        )
        again = launched(project, f"again-{dataset.slug}", dataset)
        assert take(bob, again) is None
    assert take(carol, again) is not None


def test_groups_of_one_name_in_two_datasets_stay_apart(project: Any, tmp_path: Path, bob: Any) -> None:
    datasets = [dataset_of(project, tmp_path, name=name, size=1) for name in ("alpha", "zeta")]
    batch = launched(project, "both", *datasets)
    answer_all(bob, batch)
    assert [(e.id, e.group) for e in examples_of(gathered(batch))] == [
        ("well-0", "alpha/well-0"),
        ("well-0", "zeta/well-0"),
    ]


def test_responses_made_elsewhere_count_once_they_are_whole(batch: Batch, tmp_path: Path) -> None:
    import_responses(batch, lines(tmp_path / "j", [response(k, "eve", f"Tower {k}") for k in range(4)]))
    batch.imports.update(ready=False)
    with pytest.raises(Refused):
        create_results_dataset(batch, name="verdicts")
    batch.imports.update(ready=True)
    assert gathered(batch).size == 4


def test_the_answer_that_stands_is_the_last_one(batch: Batch, bob: Any) -> None:
    assignment = take(bob, batch)
    assert assignment is not None
    submit(assignment)
    submit(assignment, other(assignment), key="1.again", base=1)
    [example] = examples_of(gathered(batch))
    assert example.answers[0] == "Farrow"


def test_a_review_of_an_earlier_revision_says_nothing_of_the_later(batch: Batch, bob: Any) -> None:
    assignment = take(bob, batch)
    assert assignment is not None
    submit(assignment)
    assignment.refresh_from_db()
    review(assignment, "returned", reason="Shorten it.")
    with pytest.raises(Refused, match="no answer stands: 4"):
        create_results_dataset(batch, name="verdicts")
    submit(assignment, other(assignment), key="1.again", base=1)
    assert gathered(batch).size == 1


def test_a_worker_who_joined_later_finds_the_items_fresh(project: Any, batch: Batch, bob: Any) -> None:
    answer_all(bob, batch)
    again = launched(project, "again", gathered(batch))
    assert len(answer_all(newcomer(project, "dana"), again)) == 4
