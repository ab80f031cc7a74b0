"""What reports say that workers were asked is what the page asks, with every option that changes it."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.registry import task_type
from annotation.tasktype import capabilities
from tasks.hops.steps import ARMS, FREE, GUIDED, INTEGRATE, KIND, SINGLE

STEPS = {
    FREE: "Which steps lead to the answer? Answer each, and tick the paragraph that supports it.",
    GUIDED: "Answer the sub-questions one after the other.",
    SINGLE: "Answer the question, then its sub-questions one after the other.",
    INTEGRATE: "Answer the question. All steps but the last are given with their answers.",
    KIND: "How many steps does the question take?",
}
ENOUGH = "Say whether the paragraphs answer the question. If they do, answer it"
FROM = "Answer the question from the paragraphs"
CASES: list[tuple[str, dict[str, Any], str]] = [
    *(("hops", {"arm": arm}, STEPS[arm]) for arm in ARMS),
    ("sufficiency", {}, "Are these paragraphs enough to find the answer?"),
    ("sufficiency", {"show_answer": False}, "Are these paragraphs enough to answer the question?"),
    ("answerability", {}, f"{ENOUGH} and tick the paragraphs that support your answer."),
    ("answerability", {"sentences": True}, f"{ENOUGH} and tick the sentences that support your answer."),
    ("answerability", {"support": False}, f"{ENOUGH}."),
    ("answer", {}, f"{FROM} and tick the paragraphs that support your answer."),
    ("answer", {"sentences": True}, f"{FROM} and tick the sentences that support your answer."),
    ("answer", {"support": False}, f"{FROM}."),
]


@pytest.mark.parametrize(("kind", "options", "asked"), CASES)
def test_each_arm_and_option_is_quoted_with_its_own_question(kind: str, options: dict[str, Any], asked: str) -> None:
    assert capabilities.asked(task_type(kind), options) == asked
