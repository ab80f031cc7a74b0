"""Answer a question from its context: an answer span and the supporting paragraphs (MuSiQue, section 6.1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.reports import baselines
from annotation.pure.setting_fields import setting
from annotation.pure.statistics.metrics import accuracy
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Baselined,
    Features,
    HitWithResponses,
    Label,
    Measure,
    Measured,
    TaskType,
    Timed,
    Varied,
)
from annotation.tasktype.helpers import answering
from annotation.tasktype.helpers.answer_task import AnswerTask
from annotation.tasktype.helpers.answer_wording import reworded
from annotation.tasktype.helpers.gold_answer import own_words_field, with_own_words
from annotation.tasktype.helpers.report_tables import as_sentence
from annotation.tasktype.helpers.simulated_answers import imitated

from .report import answer_report

CONTEXTS = {"shown": _("the paragraphs"), "none": _("nothing: workers answer from what they know (closed-book)")}
CLOSED_BOOK = "closed_book"  # the variant without paragraphs
WITHOUT_SUPPORT = "without_support"  # the variant with nothing to tick
TIES = {
    "expected": _("the expected score over the tied answers"),
    "random": _("the score of one tied answer drawn at random, as in MuSiQue"),
}
CLOSED_BOOK_QUESTION = _("Answer the question from what you know, without paragraphs and without looking anything up.")
SENTENCES_QUESTION = _("Answer the question from the paragraphs and tick the sentences that support your answer.")
SUPPORT_QUESTION = _("Answer the question from the paragraphs and tick the paragraphs that support your answer.")
CLOSED_BOOK_SECONDS = 30
CLOSED_BOOK_REPORT = as_sentence(
    _("Closed-book: workers saw no paragraphs, so the figures say what they knew without reading.")
)


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """The controls of the page, the same for every item of a batch, and how the report breaks ties."""

    context: str = setting(
        "shown",
        label=_("Workers see"),
        choices=CONTEXTS,
        help=_("Closed-book batches take items with or without paragraphs, and ask for no support."),
    )
    yes_no: bool = setting(False, label=_("Allow “yes” and “no” as answers"))
    no_answer: bool = setting(
        False, label=_("Allow “no answer in the paragraphs”"), help=_("Closed-book: allow “I do not know”.")
    )
    choices: bool = setting(False, label=_("Show the item's options as choices"))
    support: bool = setting(True, label=_("Ask for supporting paragraphs"))
    sentences: bool = setting(False, label=_("Ask for supporting sentences instead of paragraphs"))
    own_words: str = own_words_field()
    several: bool = setting(
        False,
        label=_("Ask for all answers, one per line"),
        help=_("For questions with a set of answers, scored by loose and strict accuracy."),
    )
    as_of: bool = setting(False, label=_("Ask for the date for which the answer holds"))
    confidence: bool = setting(
        False,
        label=_("Ask how sure workers are (0 to 100)"),
        help=_("The report compares it with how often they are right (calibration, Brier score)."),
    )
    ties: str = setting(
        "expected", label=_("If the majority is tied, the human score is"), choices=TIES, group=_("Report")
    )


class Answer(Varied, Timed, Measured, Baselined, AnswerTask):
    title = _("Answer questions")
    question = _("Answer the question from the paragraphs.")
    needs = _(
        "Requires a question and, unless the batch is closed-book, a paragraph, "
        "with its sentences if the batch asks for them."
    )
    variants = (CLOSED_BOOK, WITHOUT_SUPPORT)
    Options = AnswerOptions
    labels = {
        "span": Label(_("a span of the paragraphs"), {"kind": "span"}),
        "typed": Label(_("words of the annotator's own"), {"kind": "typed"}),
        "several": Label(_("all answers, one per line"), {"kind": "several"}),
        "option": Label(_("one of the options"), {"kind": "option"}),
        "yes": Label(_("yes"), {"kind": "yes"}),
        "no": Label(_("no"), {"kind": "no"}),
        "none": Label(_("no answer"), {"kind": "none"}),
    }
    measures = {
        "answer_f1": Measure(_("Answer F1"), _("Answers, with credit for partly right ones"), partial=True),
        "answer_em": Measure(_("Answer EM"), _("Answers that are exactly right")),
        "support_f1": Measure(_("Support F1"), _("Supporting paragraphs, with credit for some of them"), partial=True),
        "support_em": Measure(_("Support EM"), _("Exactly the right supporting paragraphs")),
        "loose": Measure(
            _("Loose accuracy (answer sets)"),
            _("Lists, with credit for partly right ones"),
            partial=True,
            is_default=False,
        ),
        "strict": Measure(_("Strict accuracy (answer sets)"), _("Lists that are exactly right")),
    }

    def suggest(self, features: Features) -> JSON:
        return {
            "yes_no": features.yes_no,
            "no_answer": features.unanswerable,
            "choices": features.options,
            "support": features.paragraphs > 1 and features.supports,
        } | ({"context": "none", "no_answer": True} if features.contexts == frozenset({0}) else {})

    def variant(self, options: AnswerOptions) -> str:
        if options.context == "none":
            return CLOSED_BOOK
        return "" if options.support else WITHOUT_SUPPORT

    def asked(self, options: AnswerOptions) -> str:
        if options.context == "none":
            return CLOSED_BOOK_QUESTION
        if not options.support:
            return self.question
        return SENTENCES_QUESTION if options.sentences else SUPPORT_QUESTION

    def is_baseline(self, options: AnswerOptions, *, derived: bool) -> bool:
        return options.context == "none" or derived

    def baseline(self, payload: JSON, gold: Example, other: JSON) -> str:
        """Closed-book, or with exactly one of several supporting paragraphs."""
        if answering.is_closed_book(payload):
            return ""
        if answering.is_closed_book(other):
            return baselines.CLOSED_BOOK
        supports = {gold.paragraphs[place].text for place in gold.supports or ()}
        there = supports & {paragraph["text"] for paragraph in other["paragraphs"]}
        return baselines.ONE_PARAGRAPH if len(there) == 1 < len(supports) else ""

    def seconds(self, payload: JSON) -> int | None:
        """Of a closed-book item; others take their batch's time, for reading."""
        return CLOSED_BOOK_SECONDS if answering.is_closed_book(payload) else None

    def prepare(self, example: Example, options: AnswerOptions, rng: Random) -> JSON | None:
        """Question and context without gold; None, which skips the example, if there is nothing to read or choose."""
        closed_book = options.context == "none"
        payload = answering.payload_of(example, options, no_answer=options.no_answer, closed_book=closed_book)
        if payload and not (closed_book or options.several):
            payload = with_own_words(payload, options.own_words, example)
        if payload and options.several:
            payload = answering.with_answer_set(payload)
        if payload and options.as_of:
            payload = answering.with_date(payload)
        return answering.with_confidence(payload) if payload and options.confidence else payload

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """The stored form of an answer from elsewhere, {"text", "support": [positions], "facts"}, "" for no answer."""
        return answering.completed(payload, answer)

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        return answering.completed(payload, imitated(payload, gold, rng, right=right))

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The majority answer and, separately, the majority support; `tied`: there is a tie."""
        if not answers:
            return {"kind": "undecided", "answers": 0}
        chosen, tied = answering.majority(answers)
        closed_book = {"closed_book": True} if answering.is_closed_book(payload) else {}
        return {**chosen, "answers": len(answers), "tied": tied, **closed_book}

    def agreeing(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> int:
        """The number of answers equal to the result after normalising, whatever their support."""
        return sum(answering.answer_key(answer) == answering.answer_key(aggregate) for answer in answers)

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """Answer F1, or loose accuracy of a set of answers; for unanswerable gold the right answer is "no answer"."""
        if gold.answerable is False:
            return float(answer["kind"] == "none")
        if gold.answer_set:
            return accuracy(answering.answer_text(answer), gold.answer_set).loose
        return answering.answer_f1(answer, gold)

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return super().gradable(payload, gold) or bool(gold.answer_set)

    def measure(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> Mapping[str, float]:
        """Measures by the scorer of the dataset, with support on paragraphs; none for parts without gold."""
        return answering.measured(payload, answer, gold, format=format)

    def doubt(self, payload: JSON, answers: Sequence[JSON], gold: Example) -> JSON | None:
        """None of closed-book responses: what people remember is no evidence against gold."""
        return None if answering.is_closed_book(payload) else super().doubt(payload, answers, gold)

    def report(self, hits: Iterable[HitWithResponses], options: AnswerOptions, *, seed: int) -> JSON:
        return {
            "task": self.kind,
            **({"closed_book": True, "warnings": [CLOSED_BOOK_REPORT]} if options.context == "none" else {}),
            **answer_report(hits, sentences=options.sentences, seed=seed, random_ties=options.ties == "random"),
        }

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The example with the workers' answer and support in place of its own; none if undecided."""
        if aggregate["kind"] == "undecided" or aggregate["tied"]:
            return []
        if aggregate.get("closed_book"):  # which says nothing of the context: its labels stay
            known = replace(answering.answered(example, aggregate), supports=example.supports)
            return [] if aggregate["kind"] == "none" else [known]
        if aggregate["kind"] == "none":
            return [replace(example, answerable=False)]
        return [answering.answered(example, aggregate)]

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        """The requester's answer in words, found in the paragraphs, with the worker's support."""
        return reworded(payload, answer, text, no_answer=payload["controls"]["no_answer"])


TASK: TaskType = Answer()
