"""What a study needs, from its definition alone."""

from __future__ import annotations

import pytest

from annotation.pure.studies.definition import read
from annotation.pure.studies.plan import plan_of
from annotation.studies import folders
from tests.bench.filling import arms_of, unfilled

TEXT = """
title: Mine
paper: Ours
about: People answer.
workers: 60
data:
  first: {format: musique, file: a, where: there, small: a}
  second: {format: musique, file: b, where: there, small: b}
derivations:
  drawn: {from: first, how: sample, options: {count: 115}}
  probe: {from: drawn, how: dire-probe}
batches:
  whole: {task: answer, datasets: [drawn], assignments: 3, minutes: 4}
  parts: {task: answer, datasets: [probe], instances: 2, minutes: 3}
  pairs: {task: sufficiency, datasets: [second], sample: 10, instances: 3, minutes: 1}
"""


def terms(task: str) -> tuple[int, bool]:
    return {"answer": (3, True), "answerability": (3, True), "sufficiency": (2, False)}[task]


def test_hits_people_hours_and_cost_are_counted_from_the_sample() -> None:
    plan = plan_of(read(TEXT), terms)
    assert [(row.hits, row.assignments, row.most) for row in plan.batches] == [
        (115, 345, 6),
        (230, 690, 12),
        (30, 60, 1),
    ]
    assert (plan.assignments, plan.hours) == (1095, pytest.approx(23 + 34.5 + 1))
    assert plan.a_question == 9  # 3 + 3 × 2; of the other data one worker may have all pairs
    assert plan.workers == 72  # a fifth more than 60, for 60 can hardly do exactly what is left
    assert plan.cost(10) == pytest.approx(585)


def test_a_tenth_needs_a_tenth_and_launched_batches_count_as_they_are() -> None:
    plan = plan_of(read(TEXT), terms, scale=0.1, hits={"parts": 7})
    assert [row.hits for row in plan.batches] == [12, 7, 3]
    assert [row.most for row in plan.batches] == [1, 1, 1]


def test_what_the_data_decides_is_not_known() -> None:
    plan = plan_of(read(TEXT.replace("how: sample, options: {count: 115}", "how: join")), terms)
    assert [row.hits for row in plan.batches] == [None, None, 30]
    assert (plan.assignments, plan.hours, plan.cost(10)) == (None, None, None)
    assert plan.workers == 72
    timeless = plan_of(read(TEXT.replace(", minutes: 4", "")), terms)
    assert (timeless.assignments, timeless.hours) == (1095, None)


def test_the_plans_workers_complete_every_hit_of_the_human_dire_row() -> None:
    """At full scale; a fifth fewer leave some open, because all who have room met the last questions."""
    study = folders.read("human-dire").definition
    plan = plan_of(study, terms)
    for at_once in (False, True):
        for seed in range(10):
            assert unfilled(arms_of(study, plan, 115), plan.workers, seed=seed, at_once=at_once) == 0
    assert unfilled(arms_of(study, plan, 115), 60, seed=1, at_once=False) > 0
