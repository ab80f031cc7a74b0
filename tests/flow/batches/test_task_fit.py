"""Which tasks can ask about the items of a dataset, and how many HITs come of them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.flow.batches import batch_launch, estimates, task_fit
from annotation.flow.data.dataset_import import import_dataset
from annotation.models import Batch, Dataset
from annotation.pure.data.example import Example
from annotation.pure.data.features import FeatureCount
from annotation.registry import task_types
from annotation.tasktype import capabilities
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.acting import dataset_of, draft

pytestmark = pytest.mark.django_db
PLAIN = {"hops": []}


def stored(project: Any, folder: Path, found: list[dict[str, Any]], name: str = "made") -> Dataset:
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in found))
    import_dataset(project, file, format="jsonl", name=name)
    return project.datasets.get(slug=name)


def test_tasks_that_need_hops_do_not_fit_questions_without_any(project: Any, tmp_path: Path) -> None:
    plain = stored(project, tmp_path, [record | PLAIN for record in records(4)])
    needed = task_fit.misfits([plain])
    without = {"choose", "cloze", "solvability", "sufficiency"}  # these need something else
    assert set(needed) == {"compose", "coreference", "subquestions"} | without
    assert needed["coreference"] == "Requires a decomposition into hops, each with its paragraph."
    hopped = dataset_of(project, tmp_path, name="hopped", size=4)
    assert set(task_fit.misfits([plain, hopped])) == set(task_fit.misfits([hopped])) == without
    assert task_fit.misfits([]) == {}


def test_of_a_large_dataset_the_features_tell(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    plain = stored(project, tmp_path, [record | PLAIN for record in records(4)])
    monkeypatch.setattr(task_fit, "LOOKED_AT", 3)
    with django_assert_num_queries(0):
        assert {"compose", "sufficiency"} <= set(task_fit.misfits([plain]))


def test_a_task_fits_that_needs_an_option_turned_off(project: Any, tmp_path: Path) -> None:
    pairs = [record | {"paragraphs": record["paragraphs"][:2], "answers": []} for record in records(3)]
    assert "sufficiency" not in task_fit.misfits([stored(project, tmp_path, pairs)])


@pytest.mark.parametrize(
    ("gold", "asked"),
    [({}, True), ({"supports": None}, False), ({"supports": None, "answers": []}, True)],
    ids=["with gold support", "with answers alone", "without gold"],
)
def test_support_is_asked_for_unless_there_is_gold_without_it(
    project: Any, tmp_path: Path, gold: dict[str, Any], asked: bool
) -> None:
    data = stored(project, tmp_path, [record | {"hops": []} | gold for record in records(3)])
    batch = create_batch(project, "b", task="answer", datasets=[data], instructions="Read.")
    assert batch.options["support"] is asked


@pytest.mark.parametrize("kind", sorted(task_types()))
def test_what_features_rule_out_is_never_asked_about(kind: str) -> None:
    """Over the examples of every task: `fits` may say no only where `prepare` does."""
    task = task_types()[kind]
    folder = Path(__file__).parents[3] / "tasks"
    for file in sorted(folder.glob("*/examples.json")):
        for entry in json.loads(file.read_text()):
            example = Example.from_json(entry["example"])
            count = FeatureCount()
            count.add(example)
            features = task_fit.features_of([Dataset(features=count.as_json())])
            if task.prepare(example, task.options(capabilities.suggest(task, features)), Random(0)) is not None:
                assert capabilities.fits(task, features), f"{file.parent.name}: {example.id}"
    assert task.needs.startswith("Requires ")


def test_hits_are_counted_exactly_where_few_are_asked_for(project: Any, tmp_path: Path) -> None:
    mixed = [record | (PLAIN if k % 4 else {}) for k, record in enumerate(records(12))]
    batch = create_batch(
        project, "b", task="coreference", datasets=[stored(project, tmp_path, mixed)], instructions="Read."
    )
    count = estimates.count_hits(batch)
    assert (count.asked, count.hits, count.low, count.high, count.exact) == (12, 3, 3, 3, True)
    report = batch_launch.launch(batch)
    assert (report["asked"], report["hits"]) == (count.asked, count.hits)
    assert dict(count.left_out) == {(row["dataset"], row["why"]): row["items"] for row in report["left_out"]}


@pytest.mark.parametrize("seed", range(8))
def test_a_sample_gives_an_interval_that_mostly_holds_what_is_launched(project: Any, tmp_path: Path, seed: int) -> None:
    rng = Random(f"mix/{seed}")
    mixed = [record | (PLAIN if rng.random() < 0.4 else {}) for record in records(60)]
    data = stored(project, tmp_path, mixed)
    batch = create_batch(project, "b", task="coreference", datasets=[data], instructions="Read.", seed=seed)
    count, whole = estimates.count_hits(batch, most=20), estimates.count_hits(batch)
    assert not count.exact
    assert count.low <= count.hits <= count.high
    assert count.low <= whole.hits <= count.high
    assert (count.looked, count.of, count.asked) == (20, 60, 60)
    assert count == estimates.count_hits(batch, most=20)


def test_a_sample_counts_each_dataset_by_its_own_share(project: Any, tmp_path: Path) -> None:
    plain = stored(project, tmp_path, [record | PLAIN for record in records(40)], "plain")
    hopped = dataset_of(project, tmp_path, name="hopped", size=40)
    batch = create_batch(project, "b", task="coreference", datasets=[plain, hopped], instructions="Read.")
    assert dict(estimates.count_hits(batch, most=30).by_dataset) == {"hopped": 40, "plain": 0}


def test_a_dataset_that_the_sample_holds_nothing_of_counts_by_the_share_of_the_others(
    project: Any, tmp_path: Path
) -> None:
    hopped = [dataset_of(project, tmp_path, name=name, size=40) for name in ("first", "second", "third")]
    batch = create_batch(project, "b", task="coreference", datasets=hopped, instructions="Read.")
    found = estimates.count_hits(batch, most=2)  # one dataset at least is not in it
    assert dict(found.by_dataset) == {"first": 40, "second": 40, "third": 40}


def test_the_count_of_a_draft_that_is_not_stored_is_that_of_one_that_is(project: Any, dataset: Dataset) -> None:
    made = draft(project, "made", dataset, sample=3)
    same = ["project", "task", "options", "seed", "sample", "assignments_per_hit"]
    imagined = Batch(**{name: getattr(made, name) for name in same})
    assert estimates.count_hits(imagined, datasets=[dataset]) == estimates.count_hits(made)


def test_ablated_questions_are_judged_only_where_something_is_ablated(project: Any, tmp_path: Path) -> None:
    plain = records(2)
    ablated = [
        record | {"extra": {"ablation": {"number": 1, "seed": 0, "dropped": 1, "gold": None}}} for record in plain
    ]
    assert "solvability" in task_fit.misfits([stored(project, tmp_path, plain)])
    assert "solvability" not in task_fit.misfits([stored(project, tmp_path, ablated, name="ablated")])
