"""Real graphs of MuSiQue can be put before a composer, and its own compositions pass nearly all checks."""

from __future__ import annotations

from random import Random

from annotation.formats import FORMATS
from annotation.formats.base import Parsed
from annotation.pure.data import dag
from tasks.compose.task import TASK
from tests.shared_data import shared_data


def test_every_answerable_record_is_prepared_and_its_own_question_passes() -> None:
    read = FORMATS["musique"].read(shared_data("musique_ans_dev_130.jsonl"))
    examples = [row.example for row in read if isinstance(row, Parsed) and row.example]
    options = TASK.options({})
    refused = 0
    assert len(examples) > 100
    for example in examples:
        payload = TASK.prepare(example, options, Random(1))
        assert payload is not None, example.id
        assert example.id.startswith(payload["shape"] + "__")
        bridges = ["same"] * len(dag.edges(example.hops))
        answer = {"bridges": bridges, "why": "", "question": example.question, "overrides": {}, "pasted": 0.0}
        refused += bool(TASK.check(payload, answer))
        aggregate = TASK.aggregate(payload, [answer])
        assert [(made.answer, made.supports) for made in TASK.export(example, aggregate)] == [
            (example.answer, tuple(sorted(example.supports or ())))
        ]
    assert refused <= len(examples) * 0.05
