"""A study of sufficiency from the dataset to the dataset: pairs derived, judged by three, reported, gathered."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_files import examples_of
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.reports import batch_scores
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.models import Assignment, Batch, Dataset, Worker
from annotation.registry import task_type
from annotation.tasktype import JSON
from tests.batches import create_batch
from tests.flow.acting import newcomer, submit, take
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db
QUESTIONS = 25


@pytest.fixture
def pairs(project: Any) -> Dataset:
    """All pairs of some questions of HotpotQA; skipped where its records are missing."""
    file = shared_data("hotpotqa_dev_distractor_240.json")
    import_dataset(project, Path(file), format="hotpotqa", name="hotpot")
    source = project.datasets.get(slug="hotpot")
    derive_dataset(source, how="sufficiency-pairs", options={"questions": QUESTIONS}, seed=3, name="pairs")
    return Dataset.objects.get(slug="pairs")


def opened(pairs: Dataset, **settings: Any) -> Batch:
    batch = create_batch(pairs.project, "study", task="sufficiency", datasets=[pairs], instructions="Read.", **settings)
    batch_launch.launch(batch)
    return batch


def as_labelled(assignment: Assignment) -> JSON:
    """What the labels of the dataset say."""
    naive = task_type("sufficiency").grade
    example, payload = assignment.hit.item.example, assignment.hit.payload
    enough = naive(payload, {"verdict": "sufficient"}, example) == 1.0
    return {"verdict": "sufficient" if enough else "insufficient", "evidence": []}


def work(worker: Worker, batch: Batch, rng: Random) -> list[str]:
    """Answer until nothing is left, now and then with a slip; the groups in the order in which they came."""
    came = []
    while assignment := take(worker, batch):
        answer = as_labelled(assignment)
        if rng.random() < 0.03:
            answer |= {"verdict": "insufficient" if answer["verdict"] == "sufficient" else "sufficient"}
        submit(assignment, answer)
        came.append(assignment.group_key)
    return came


@pytest.mark.soak
def test_three_people_judge_pairs_apart_and_the_aggregates_become_a_dataset(project: Any, pairs: Dataset) -> None:
    batch, rng = opened(pairs), Random(1)
    assert (batch.meeting, batch.size) == ("apart", 3 * QUESTIONS)
    for number in range(4):  # one more than needed: what waits at the end of the queue must not follow itself
        came = work(newcomer(project, f"w{number}"), batch, rng)
        assert all(one != other for one, other in pairwise(came))
    report = batch_scores.score_batch(batch)
    tables = {table["name"]: table["rows"] for table in report["tables"]}
    ((_, asked, left, counted, proxies, rate),) = tables["proxies"]
    assert (asked, left + counted) == (QUESTIONS, QUESTIONS)
    assert counted >= QUESTIONS - 3
    assert rate["value"] == proxies / counted
    assert {row[0]["text"] for row in tables["proxies-by-rule"]} == {
        "rule of this batch",
        "Dawid–Skene",
        "one-coin model",
    }
    create_results_dataset(batch, name="judged")
    made = list(examples_of(Dataset.objects.get(slug="judged")))
    assert all(type(example.extra["sufficient"]) is bool for example in made)
    agreed = sum(row[5] for row in tables["pairs"])
    assert len(made) == agreed
    both = [e.extra["sufficient"] for e in made if e.shape == "f1_f2"]
    assert Counter(both).most_common(1)[0][0] is True


def test_one_pair_of_a_question_each_is_done_by_three_people_a_vote(project: Any, pairs: Dataset) -> None:
    batch, rng = opened(pairs, meeting="one", assignments_per_hit=1), Random(1)
    groups: defaultdict[str, int] = defaultdict(int)
    for number in range(3):
        came = work(newcomer(project, f"w{number}"), batch, rng)
        assert len(came) == len(set(came)) == QUESTIONS
        for group in came:
            groups[group] += 1
    assert set(groups.values()) == {3}
    assert not batch.hits.open().exists()
