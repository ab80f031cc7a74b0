"""Batches of instances: who meets what, what a requester is told, and real records from end to end."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.pure.data.example import Example
from tests.batches import create_batch
from tests.derivations.listed import Listed, derived, real
from tests.derivations.test_dire import well
from tests.tasks.test_answerability import JSON, NOT, TASK, TRANSFORM, figures, judged, report, right, tables, twins


def launched(project: Any, folder: Path, found: list[Example], name: str = "full", **settings: Any) -> Any:
    from annotation.flow.batches import batch_launch
    from annotation.flow.data import dataset_import

    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(each.as_json()) + "\n" for each in found))
    dataset_import.import_dataset(project, file, format="jsonl", name=name)
    held = [project.datasets.get(slug=name)]
    batch = create_batch(project, name, task="answerability", datasets=held, instructions="Read.", **settings)
    batch_launch.launch(batch)
    return batch


def all_done_by(worker: Any, batch: Any) -> list[Any]:
    """Everything that the worker gets, rightly answered."""
    from annotation.flow.work import next_assignment, submissions

    next_assignment.read_instructions(next_assignment.join_batch(worker, batch), version=1)
    met = []
    while assignment := next_assignment.claim(next_assignment.join_batch(worker, batch)):
        result = TASK.complete(assignment.hit.payload, right(assignment.hit.item.example))
        submissions.submit(assignment, result, key=f"{len(met)}.k", base=0, active_seconds=9.0)
        met.append(assignment.hit)
    return met


def test_twins_never_go_to_the_same_person_and_count_once_both_are_done(
    project: Any, bob: Any, carol: Any, tmp_path: Path
) -> None:
    from annotation.flow.reports import batch_scores

    batch = launched(project, tmp_path, [each for k in range(4) for each in twins(k)], assignments_per_hit=1)
    first = all_done_by(bob, batch)
    assert len(first) == len({hit.group_key for hit in first}) == 4
    halfway = tables(batch_scores.score_batch(batch))
    assert halfway["groups"][0][1:3] == [0, 4]
    second = all_done_by(carol, batch)
    assert {hit.group_key for hit in second} == {hit.group_key for hit in first}
    assert not {hit.pk for hit in second} & {hit.pk for hit in first}
    made = batch_scores.score_batch(batch)
    assert tables(made)["groups"][0][1:3] == [4, 0]
    assert figures(made) == [1, 1, 1, 1, 1]


@pytest.mark.parametrize("turned", [False, True], ids=["answerable first", "unanswerable first"])
def test_single_instances_are_one_of_each_pair_and_the_sample_counts_after_that(
    project: Any, bob: Any, tmp_path: Path, turned: bool
) -> None:
    found = [each for k in range(40) for each in (twins(k)[::-1] if turned else twins(k))]
    batch = launched(project, tmp_path, found, options={"singles": True}, sample=30, assignments_per_hit=1, seed=3)
    hits = list(batch.hits.select_related("item"))
    assert len(hits) == len({hit.group_key for hit in hits}) == 30
    labels = Counter(hit.item.answerable for hit in hits)
    assert min(labels[True], labels[False]) >= 8, labels
    assert len(all_done_by(bob, batch)) == 30


def test_the_plan_of_single_instances_counts_groups_and_asks_for_no_further_people(
    project: Any, bob: Any, tmp_path: Path
) -> None:
    from annotation.flow.batches import batch_drafts

    batch = launched(project, tmp_path, [each for k in range(4) for each in twins(k)], options={"singles": True})
    plan = batch_drafts.plan_of(batch)
    assert plan.hits == 4
    whole = launched(project, tmp_path, [each for k in range(4) for each in twins(k)], name="whole")
    assert batch_drafts.plan_of(whole).hits == 8
    assert len(batch_drafts.plan_of(whole).doubts) == 1


def said_of(example: Example, chance: Random) -> JSON:
    """What a careful but fallible person says."""
    if chance.random() < 0.1:
        return NOT if example.answerable else {"text": example.paragraphs[0].text.split()[0], "support": [0]}
    return right(example)


def test_real_instances_of_musique_full_are_judged_one_by_one() -> None:
    found = list(real("musique", "musique_full_dev_60.jsonl").examples())
    chance = Random(1)
    rows = [judged(each, *(said_of(each, chance) for _ in range(3))) for each in found]
    made = report(rows)
    ((_name, hits, answers, majority, _single),) = tables(made)["labels"]
    assert (hits, answers) == (60, 180)
    assert majority["value"] > 0.85
    assert [row[1] for row in tables(made)["said"]] == [31, 29]
    assert tables(made)["groups"][0][1:3] == [0, 60]
    assert [row[0]["text"] for row in tables(made)["groups-left-out"]] == ["the other instances are not in this batch"]


def test_real_pairs_of_musique_full_score_as_groups() -> None:
    """The unanswerable rows of the Full file whose answerable twins are in the other file."""
    full = {each.id: each for each in real("musique", "musique_full_dev_60.jsonl").examples() if not each.answerable}
    able = [each for each in real("musique", "musique_ans_dev_130.jsonl").examples() if each.id in full]
    assert len(able) == 2
    rows = [judged(each, right(each)) for one in able for each in (one, full[one.id])]
    made = report(rows)
    assert tables(made)["groups"][0][1:4] == [2, 0, "2"]
    assert figures(made) == [1, 1, 1, 1, 1]


def test_the_transform_of_real_records_is_judged_and_scored_in_groups() -> None:
    found, _tally = derived(TRANSFORM, real("hotpotqa", "hotpotqa_dev_distractor_240.json"))
    groups = len({each.id for each in found})
    assert len(found) == 3 * groups
    assert all(each.group == each.id for each in found)
    chance = Random(2)
    made = report([judged(each, right(each), format="hotpotqa") for each in found], yes_no=True)
    assert tables(made)["groups"][0][1:4] == [groups, 0, "3"]
    assert figures(made)[:2] == [pytest.approx(1, abs=0.02)] * 2
    fallible = report([judged(each, *(said_of(each, chance) for _ in range(3)), format="hotpotqa") for each in found])
    score, *_rest, labels = figures(fallible)
    assert score is not None
    assert labels is not None
    assert 0.8 < score <= labels < 1


def test_groups_of_fifteen_count_as_a_whole() -> None:
    found, _tally = derived(TRANSFORM, Listed([well(1, size=12, supports=(0, 3, 5, 8))]))
    assert len(found) == 15
    rows = [judged(each, right(each), format="jsonl") for each in found]
    assert tables(report(rows))["groups"][0][1:4] == [1, 0, "15"]
    assert figures(report(rows))[-1] == 1
    assert tables(report(rows[:-1]))["groups"][0][1:3] == [0, 1]
    fooled = [*rows[:-1], judged(found[-1], {"text": found[-1].paragraphs[0].text.split()[0], "support": [0]})]
    assert figures(report(fooled)) == [0, 0, 0, 0, 0]


def test_the_instances_of_a_transform_go_to_as_many_people_as_there_are_of_a_question(
    project: Any, bob: Any, carol: Any, tmp_path: Path
) -> None:
    from annotation.flow.reports import batch_scores

    found, _tally = derived(TRANSFORM, Listed([well(number) for number in range(3)]))
    batch = launched(project, tmp_path, found, name="transformed", assignments_per_hit=1)
    met = [all_done_by(worker, batch) for worker in (bob, carol)]
    assert [len({hit.group_key for hit in each}) for each in met] == [len(each) for each in met] == [3, 3]
    halfway = tables(batch_scores.score_batch(batch))
    assert halfway["groups"][0][1:3] == [0, 3]
    assert halfway["groups-left-out"] == [[{"text": "an instance has no response yet", "values": {}}, 3]]
