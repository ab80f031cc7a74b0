"""Answer a question from its context: an answer span and the supporting paragraphs (MuSiQue, section 6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from annotation.pure.example import Example
from annotation.pure.words import gettext_noop as _
from annotation.tasktype import JSON, Features, Given, Judged, Label, Measure, Problem, TaskType
from tasks._answer_compare import compared
from tasks._answering import (
    answer_f1,
    answered,
    completed,
    disagreement,
    doubted,
    majority,
    measured,
    payload_of,
    problems,
    same_answer,
    search,
    shuffled,
)
from tasks._imitating import imitated
from tasks._wording import WRITES, reworded, wording
from tasks.answer.report import answer_report

TIES = {
    "expected": _("the expected score over the tied answers"),
    "random": _("that of one of them at random, as in MuSiQue"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """Which controls the page has, the same for every item of a batch, and how its report breaks ties."""

    yes_no: bool = field(default=False, metadata={"label": _("Yes and no are answers")})
    no_answer: bool = field(default=False, metadata={"label": _("“No answer in the paragraphs” is an answer")})
    choices: bool = field(default=False, metadata={"label": _("The item's options are shown to choose from")})
    support: bool = field(default=True, metadata={"label": _("Supporting paragraphs are asked for")})
    sentences: bool = field(default=False, metadata={"label": _("Supporting sentences instead of paragraphs")})
    ties: str = field(
        default="expected",
        metadata={"label": _("Where the majority is tied, the human score is"), "choices": TIES, "group": _("Report")},
    )


class Answer(TaskType):
    kind = "answer"
    title = _("Answer questions")
    question = _("Answer the question from the paragraphs and tick the paragraphs that support your answer.")
    needs = _("Needs a question and a paragraph, with its sentences where the batch asks for sentences.")
    writes = WRITES
    Options = Options
    live = {"search": search}
    labels = {
        "span": Label(_("words of the paragraphs"), {"kind": "span"}),
        "typed": Label(_("words of their own"), {"kind": "typed"}),
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
            "support": features.paragraphs > 1,
        }

    def prepare(self, example: Example, options: Options, rng: Random) -> JSON | None:
        """Question and context without a trace of the gold; nothing to read or to choose skips the example."""
        return payload_of(example, options, no_answer=options.no_answer)

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """Shuffle the paragraphs; `order[k]` is the payload's position of the paragraph shown as k."""
        return shuffled(payload, rng)

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """An answer given elsewhere as {"text", "support": [positions], "facts"}, "" for no answer."""
        return completed(payload, answer)

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        return problems(payload, answer)

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        return completed(payload, imitated(payload, gold, rng, right=right))

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The majority answer and, apart, the majority support; `tied` says that a tie stands."""
        if not answers:
            return {"kind": "undecided", "answers": 0}
        found, tied = majority(answers)
        return {**found, "answers": len(answers), "tied": tied}

    def agreeing(self, payload: JSON, answers: Sequence[JSON], verdict: JSON) -> int:
        """Equal answers after normalising, whatever support they tick."""
        return sum(same_answer(answer, verdict) for answer in answers)

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """Answer F1; unanswerable gold wants "no answer"."""
        return float(answer["kind"] == "none") if gold.answerable is False else answer_f1(answer, gold)

    def measure(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> Mapping[str, float]:
        """By the scorer of the dataset, with support on paragraphs; what the gold does not tell is not measured."""
        return measured(answer, gold, format=format)

    def report(self, judged: Iterable[Judged], options: Options, *, seed: int) -> JSON:
        return answer_report(judged, sentences=options.sentences, seed=seed, random_ties=options.ties == "random")

    def export(self, example: Example, verdict: JSON) -> list[Example]:
        """The example with the people's answer and support in place of its own; undecided ones drop out."""
        if verdict["kind"] == "undecided" or verdict["tied"]:
            return []
        return [replace(example, answerable=False) if verdict["kind"] == "none" else answered(example, verdict)]

    def compare(self, payload: JSON, given: Sequence[Given], gold: Example) -> JSON:
        return compared(payload, given, gold)

    def doubt(self, payload: JSON, answers: Sequence[JSON], gold: Example) -> JSON | None:
        return doubted(answers, gold)

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """1 less the mean of the expected agreements (F1) on the answer and on the support."""
        return disagreement(answers)

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        """The requester's answer in words, found in the paragraphs, with the worker's support."""
        return reworded(payload, answer, text, no_answer=payload["controls"]["no_answer"])

    def review(self, payload: JSON, answer: JSON) -> JSON:
        return {"text": wording(answer)}


TASK: TaskType = Answer()
