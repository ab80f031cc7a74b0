"""The base of tasks that ask for an answer from paragraphs and for its support."""

from collections.abc import Sequence
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Adaptable,
    Adjudicable,
    Answered,
    Arranged,
    Comparable,
    Doubtful,
    Enterable,
    GivenResponse,
    Labelled,
    Live,
    Practised,
    Problem,
    Remark,
    Simulated,
    Structured,
    TaskType,
)
from annotation.tasktype.helpers import answer_replies
from annotation.tasktype.helpers.answer_comparison import compared
from annotation.tasktype.helpers.answer_wording import wording
from annotation.tasktype.helpers.answering import (
    disagreement,
    doubted,
    is_closed_book,
    problems,
    search,
    shuffled,
    words_of_support,
    wrong_answer,
)
from annotation.tasktype.helpers.gold_answer import WAYS_OUT, is_enterable
from annotation.tasktype.helpers.practice_feedback import on_answer
from annotation.tasktype.keys import ANSWERING, FRAME, by_action


class AnswerTask(
    Adaptable,
    Arranged,
    Enterable,
    Live,
    Practised,
    Simulated,
    Labelled,
    Comparable,
    Doubtful,
    Adjudicable,
    Answered,
    Structured,
    TaskType,
):
    """Base class of tasks with the payloads and answers of annotation.tasktype.helpers.answering."""

    keys = by_action(*FRAME, *ANSWERING)
    needs = _("Requires a question and a paragraph, with its sentences if the batch asks for sentences.")
    writes = _(
        "The answer as in a paragraph (if there are any), or “no answer”. The supporting paragraphs of the response "
        "that you start from stay."
    )
    live = {"search": search}
    ways_out = WAYS_OUT

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """Shuffle the paragraphs; `order[k]` is the payload's position of the paragraph shown as k."""
        return shuffled(payload, "paragraphs", rng)

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        return problems(payload, answer)

    def enterable(self, payload: JSON, gold: Example) -> bool:
        return is_enterable(payload, gold)

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        """Feedback on the answer, and on the support if the batch asks for it."""
        return list(on_answer(payload, answer, gold))

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        return compared(payload, given, gold)

    def doubt(self, payload: JSON, answers: Sequence[JSON], gold: Example) -> JSON | None:
        return doubted(answers, gold)

    def wrong_answer(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> str | None:
        return wrong_answer(answer, gold, format=format)

    def least_words(self, payload: JSON, gold: Example) -> int | None:
        """The words of the supporting paragraphs; None for closed-book items."""
        return None if is_closed_book(payload) else words_of_support(gold)

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """1 minus the mean of the expected agreement (F1) on the answer and on the support."""
        return disagreement(answers)

    def brief(self, payload: JSON, answer: JSON) -> str:
        return wording(answer)

    def model_content(self, shown: JSON) -> JSON:
        return {**super().model_content(shown), "paragraphs": answer_replies.numbered(shown)}

    def reply_schema(self, shown: JSON) -> JSON:
        return answer_replies.schema_of(shown)

    def answer_of(self, shown: JSON, reply: Any) -> Any:
        return answer_replies.in_payload(shown, super().answer_of(shown, reply))

    def review(self, payload: JSON, answer: JSON) -> JSON:
        return {"text": wording(answer)}
