"""What becomes of gold once a requester decided."""

from __future__ import annotations

import pytest

from annotation.pure.data.example import Example
from annotation.pure.review.gold_corrections import corrected, may_be_alias

GOLD = Example(id="e", question="Where?", paragraphs=(), answers=("Port Anselm", "Anselm"))
NONE = Example(id="n", question="Where?", paragraphs=(), answers=("Port Anselm",), answerable=False)


@pytest.mark.parametrize(
    ("gold", "decision", "text", "answers", "answerable"),
    [
        (GOLD, "alias", "the harbour 🙂", ("Port Anselm", "Anselm", "the harbour 🙂"), None),
        (GOLD, "alias", "Anselm", ("Port Anselm", "Anselm"), None),
        (GOLD, "correction", "Tarne", ("Tarne",), None),
        (GOLD, "correction", "", ("Port Anselm", "Anselm"), False),
        (NONE, "correction", "Tarne", ("Tarne",), True),
        (GOLD, "stands", "Tarne", ("Port Anselm", "Anselm"), None),
    ],
)
def test_a_decision_changes_answers_and_nothing_else(gold, decision, text, answers, answerable):
    after = corrected(gold, decision, text)
    assert (after.answers, after.answerable) == (answers, answerable)
    assert (after.id, after.question, after.paragraphs) == (gold.id, gold.question, gold.paragraphs)


def test_an_alias_needs_an_answer_on_both_sides():
    assert may_be_alias(GOLD, "Tarne")
    assert not may_be_alias(GOLD, "")
    assert not may_be_alias(NONE, "Tarne")
