"""The demo's questions that a model might have written, and who rates them."""

from __future__ import annotations

import json
from random import Random

import pytest

from annotation.demo import rating_batch
from annotation.registry import presets, task_type

pytestmark = pytest.mark.app("demo")


def test_every_second_question_has_a_fault_that_nobody_is_shown() -> None:
    found = rating_batch.examples()
    assert len({example.id for example in found}) == len(found) == rating_batch.QUESTIONS
    assert [example.extra.get("fault", "") for example in found[:6]] == [
        "",
        "one hop",
        "",
        "wrong answer",
        "",
        "clumsy",
    ]
    task = task_type("rate")
    options = task.options({"rubric": json.loads(presets("rate")[rating_batch.PRESET].read_text(encoding="utf-8"))})
    for example in found:
        payload = task.prepare(example, options, Random(0))
        assert not any(fault in str(payload) for fault in rating_batch.FAULTS)
        given = rating_batch.ratings(example, 0.8, Random(example.id))
        assert not task.check(payload, given)


def test_faults_are_seen_by_those_who_look() -> None:
    faulty = next(example for example in rating_batch.examples() if example.extra.get("fault") == "one hop")
    seen = [rating_batch.ratings(faulty, 0.9, Random(k))["multihop"] for k in range(200)]
    assert 160 < seen.count("no") < 195
