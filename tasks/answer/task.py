"""Answer a question from its context: an answer span and the supporting paragraphs (MuSiQue, section 6.1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Features, Judged, Label, Measure, Measured, Problem, TaskType
from annotation.tasktype.helpers import answering
from annotation.tasktype.helpers.answer_task import AnswerTask
from annotation.tasktype.helpers.answer_wording import reworded
from annotation.tasktype.helpers.simulated_answers import imitated

from .report import answer_report

TIES = {
    "expected": _("the expected score over the tied answers"),
    "random": _("the score of one tied answer drawn at random, as in MuSiQue"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """The controls of the page, the same for every item of a batch, and how the report breaks ties."""

    yes_no: bool = field(default=False, metadata={"label": _("Allow “yes” and “no” as answers")})
    no_answer: bool = field(default=False, metadata={"label": _("Allow “no answer in the paragraphs”")})
    choices: bool = field(default=False, metadata={"label": _("Show the item's options as choices")})
    support: bool = field(default=True, metadata={"label": _("Ask for supporting paragraphs")})
    sentences: bool = field(default=False, metadata={"label": _("Ask for supporting sentences instead of paragraphs")})
    ties: str = field(
        default="expected",
        metadata={"label": _("If the majority is tied, the human score is"), "choices": TIES, "group": _("Report")},
    )


class Answer(Measured, AnswerTask):
    title = _("Answer questions")
    question = _("Answer the question from the paragraphs and tick the paragraphs that support your answer.")
    Options = Options
    labels = {
        "span": Label(_("a span of the paragraphs"), {"kind": "span"}),
        "typed": Label(_("words of the annotator's own"), {"kind": "typed"}),
        "option": Label(_("one of the options"), {"kind": "option"}),
        "yes": Label(_("yes"), {"kind": "yes"}),
        "no": Label(_("no"), {"kind": "no"}),
        "none": Label(_("no answer in the paragraphs"), {"kind": "none"}),
    }
    measures = {
        "answer_f1": Measure(_("Answer F1"), partial=True),
        "answer_em": Measure(_("Answer EM")),
        "support_f1": Measure(_("Support F1"), partial=True),
        "support_em": Measure(_("Support EM")),
    }

    def suggest(self, features: Features) -> JSON:
        return {
            "yes_no": features.yes_no,
            "no_answer": features.unanswerable,
            "choices": features.options,
            "support": features.paragraphs > 1 and features.supports,
        }

    def prepare(self, example: Example, options: Options, rng: Random) -> JSON | None:
        """Question and context without gold; None, which skips the example, if there is nothing to read or choose."""
        return answering.payload_of(example, options, no_answer=options.no_answer)

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """The stored form of an answer from elsewhere, {"text", "support": [positions], "facts"}, "" for no answer."""
        return answering.completed(payload, answer)

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        return answering.problems(payload, answer)

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        return answering.completed(payload, imitated(payload, gold, rng, right=right))

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The majority answer and, separately, the majority support; `tied`: there is a tie."""
        if not answers:
            return {"kind": "undecided", "answers": 0}
        chosen, tied = answering.majority(answers)
        return {**chosen, "answers": len(answers), "tied": tied}

    def agreeing(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> int:
        """The number of answers equal to the result after normalising, whatever their support."""
        return sum(answering.answer_key(answer) == answering.answer_key(aggregate) for answer in answers)

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """Answer F1; for unanswerable gold the right answer is "no answer"."""
        if gold.answerable is False:
            return float(answer["kind"] == "none")
        return answering.answer_f1(answer, gold)

    def measure(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> Mapping[str, float]:
        """Measures by the scorer of the dataset, with support on paragraphs; none for parts without gold."""
        return answering.measured(answer, gold, format=format)

    def report(self, judged: Iterable[Judged], options: Options, *, seed: int) -> JSON:
        return {
            "task": self.kind,
            **answer_report(judged, sentences=options.sentences, seed=seed, random_ties=options.ties == "random"),
        }

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The example with the workers' answer and support in place of its own; none if undecided."""
        if aggregate["kind"] == "undecided" or aggregate["tied"]:
            return []
        if aggregate["kind"] == "none":
            return [replace(example, answerable=False)]
        return [answering.answered(example, aggregate)]

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        """The requester's answer in words, found in the paragraphs, with the worker's support."""
        return reworded(payload, answer, text, no_answer=payload["controls"]["no_answer"])


TASK: TaskType = Answer()
