"""Is the question answerable from its context, and if so, how? Instances of MuSiQue-Full and of DiRe's transform."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Features,
    GivenResponse,
    HitWithResponses,
    Label,
    Problem,
    Sampled,
    TaskType,
    Traced,
    Varied,
)
from annotation.tasktype.helpers.answer_task import AnswerTask
from annotation.tasktype.helpers.answer_wording import reworded
from annotation.tasktype.helpers.answering import answer_f1, answered, completed, payload_of
from annotation.tasktype.helpers.gold_answer import own_words_field, with_own_words
from annotation.tasktype.helpers.simulated_answers import imitated
from annotation.tasktype.keys import ANSWERING, FRAME, Key, by_action

from .groups import ANSWERABLE, NOT_ANSWERABLE, UNANSWERABLE, labelled, made_elsewhere, together
from .report import LABELS, answerability_report

SENTENCES_QUESTION = _(
    "Say whether the paragraphs answer the question. If they do, answer it and tick the sentences that support your "
    "answer."
)
SUFFICIENCY = "sufficiency"  # in `extra` of the instances of a transform


@dataclass(frozen=True, slots=True)
class AnswerabilityOptions:
    """The controls of the page, the same for every item of a batch, and whether groups stay complete."""

    yes_no: bool = setting(False, label=_("Allow “yes” and “no” as answers"))
    choices: bool = setting(False, label=_("Show the item's options as choices"))
    support: bool = setting(True, label=_("Ask for supporting paragraphs"))
    sentences: bool = setting(False, label=_("Ask for supporting sentences instead of paragraphs"))
    own_words: str = own_words_field()
    singles: bool = setting(
        False,
        label=_("Single instances: draw one of each group at random"),
        help=_("For an expert check of the labels. Groups are then neither kept apart nor scored."),
    )


class Answerability(Varied, Sampled, Traced, AnswerTask):
    title = _("Judge whether questions are answerable")
    question = _(
        "Say whether the paragraphs answer the question. If they do, answer it and tick the paragraphs that "
        "support your answer."
    )
    keys = by_action(
        *FRAME,
        *ANSWERING,
        Key("answerable", "y", _("Answerable")),
        Key("unanswerable", "n", _("Not answerable")),
        Key("yes", "Y", _("Yes")),
        Key("no", "N", _("No")),
    )
    Options = AnswerabilityOptions
    labels = {name: Label(words, {"answerable": name == ANSWERABLE}) for name, words in LABELS.items()}

    def asked(self, options: AnswerabilityOptions) -> str:
        if not options.support:
            return _("Say whether the paragraphs answer the question. If they do, answer it.")
        return SENTENCES_QUESTION if options.sentences else self.question

    def suggest(self, features: Features) -> JSON:
        support = features.paragraphs > 1 and features.supports
        return {"yes_no": features.yes_no, "choices": features.options, "support": support}

    def prepare(self, example: Example, options: AnswerabilityOptions, rng: Random) -> JSON | None:
        """Question and context without a trace of the gold; nothing to read or to choose skips the example."""
        payload = payload_of(example, options, no_answer=False)
        if payload and example.answerable is not False:
            payload = with_own_words(payload, options.own_words, example)
        if payload is None:
            return None
        return {**payload, "controls": {**payload["controls"], "answerable": True}}

    def enterable(self, payload: JSON, gold: Example) -> bool:
        """True for unanswerable questions: that is a label here, not an answer."""
        return gold.answerable is False or super().enterable(payload, gold)

    def single(self, options: AnswerabilityOptions) -> bool:
        return options.singles

    def samples_groups(self, options: AnswerabilityOptions) -> bool:
        return not options.singles

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """An answer given elsewhere as {"answerable", "text", "support", "facts"}; no text: not answerable."""
        return made_elsewhere(payload, answer)

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        if answer.get("answerable") not in (True, False):
            return [Problem("answerable", _("Say whether the question is answerable from the paragraphs."))]
        if not answer["answerable"]:
            return []
        return super().check(payload, answer)

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        answerable = gold.answerable is not False
        if right is not answerable and (right or rng.random() < 0.5):
            return dict(NOT_ANSWERABLE)
        return {"answerable": True, **completed(payload, imitated(payload, gold, rng, right=right and answerable))}

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The majority label and, if it is "answerable", the majority answer and support of those responses."""
        return together(answers)

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return gold.answerable is False or (gold.answerable is True and bool(gold.answers))

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """0 if answerability is misjudged, 1 for a correct "not answerable", else the answer's F1."""
        if gold.answerable is False or not answer["answerable"]:
            return float(answer["answerable"] is gold.answerable)
        return answer_f1(answer, gold)

    def report(self, hits: Iterable[HitWithResponses], options: AnswerabilityOptions, *, seed: int) -> JSON:
        level = "sentence" if options.sentences else "paragraph"
        return {"task": self.kind, **answerability_report(hits, level=level, singles=options.singles, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The example with the workers' label and, if answerable, their answer and support; none if undecided."""
        if aggregate["kind"] not in (ANSWERABLE, UNANSWERABLE) or aggregate["tied"]:
            return []
        answerable = aggregate["kind"] == ANSWERABLE
        answered_example = answered(example, aggregate["answer"]) if answerable else example
        return [replace(answered_example, answerable=answerable, extra=_relabelled(example, answerable))]

    def provenance(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> JSON:
        return {"votes": aggregate["votes"]}

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        comparison = super().compare(payload, given, gold)
        columns = [
            {**column, "answerable": one.answer["answerable"]}
            for column, one in zip(comparison["columns"], given, strict=True)
        ]
        kind = together([one.answer for one in given])["kind"]
        return {**comparison, "columns": columns, "labelled": labelled(gold), "kind": kind}

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        """The requester's answer in words, found in the paragraphs, with the worker's support; none: not answerable."""
        edited_answer = reworded(payload, answer, text, no_answer=True)
        return dict(NOT_ANSWERABLE) if edited_answer["kind"] == "none" else {**edited_answer, "answerable": True}


def _relabelled(example: Example, answerable: bool) -> JSON:
    """`extra` with a transform's own sufficiency label set to the workers' if they differ."""
    extra = dict(example.extra)
    if SUFFICIENCY in extra and (extra[SUFFICIENCY] == 1) != answerable:
        extra[SUFFICIENCY] = int(answerable)
    return extra


TASK: TaskType = Answerability()
