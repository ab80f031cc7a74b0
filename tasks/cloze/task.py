"""Can removed words be typed by somebody who has not seen the answer? A cloze of five blanks.

Sugawara et al. 2020 (Section 5.2) ask annotators whether they could guess what an ablation removed. Here they type it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Comparable, GivenResponse, HitWithResponses, Practised, Problem, Remark, TaskType
from annotation.tasktype.helpers.ablation_cells import number_of
from annotation.tasktype.helpers.decision_task import DecisionTask
from annotation.tasktype.keys import DECIDING, FRAME, Key, by_action

from .report import cloze_report
from .results import DECISION, KINDS, KNOWN, NECESSARY, aggregated, class_of, is_reconstructable, matched, remarks
from .sentence import BLANKS, cloze_of, original_texts
from .words import NO_IDEA, key, removed_words

FOUND = "reconstructability"  # in `extra` of an exported example: what became of the blanks
LONGEST = 60  # characters of a word
WRONG_WORDS = (NO_IDEA, "lantern", "rather", "slowly", "with")


class Cloze(Practised, Comparable, DecisionTask):
    title = _("Fill in removed words")
    question = _("Which words were removed from the sentence, and does the answer need them?")
    decision = DECISION
    further = {"words": {"type": "array", "items": {"type": "string"}}}
    keys = by_action(
        *FRAME,
        *DECIDING,
        Key("type", "t", _("Go to the first blank that is empty"), _("type a word")),
        Key("next-blank", "Enter", _("Next blank, and then the decision"), fixed=True),
        *DECISION.keys,
    )
    needs = _(
        "Requires an item made by an ablation that drops or replaces words (not one that shuffles), with at least "
        "five such words in the sentence that holds the answer."
    )
    shows = ("answers", "extra")  # which sentence holds the answer, and where in it: but neither answer nor words

    def prepare(self, example: Example, options: Any, rng: Random) -> JSON | None:
        """Question, context and options as they were ablated, with the answer hidden, and the sentence with blanks."""
        cloze = cloze_of(example, rng)
        if cloze is None or not example.question.strip():
            return None
        if len(example.paragraphs) == 1:
            cloze["paragraphs"][0]["title"] = []  # it belongs to contexts of several paragraphs only
        return {"question": example.question, "options": list(example.options), **cloze}

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        return [*_blank_problems(answer), *super().check(payload, answer)]

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A response from elsewhere: five words, "?" for no idea, and whether they are necessary."""
        if not isinstance(answer, dict) or set(answer) != {"words", "necessary"}:
            raise ValueError('needs {"words": [...], "necessary": true or false}')
        words = answer["words"]
        if not isinstance(words, list) or len(words) != BLANKS or not all(isinstance(word, str) for word in words):
            raise ValueError(f"words must list {BLANKS} words, one for each blank; {NO_IDEA} for no idea")
        return super().complete(payload, {**answer, "words": [" ".join(word.split()) for word in words]})

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The most frequent word of each blank ("" with a tie), and likewise whether they are necessary."""
        return aggregated(payload, answers)

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON | None:
        removed = removed_words(payload, gold)
        if removed is None:
            return None
        known = gold.extra.get(KNOWN) is True
        words = [one.text if right else rng.choice(WRONG_WORDS) for one in removed]
        return {"words": words, "necessary": known is right}

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return original_texts(gold) is not None

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """The share of blanks with the removed word."""
        removed = removed_words(payload, gold)
        return sum(matched(answer["words"], removed)) / len(removed) if removed else 0.0

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        return list(remarks(payload, answer, gold))

    def report(self, hits: Iterable[HitWithResponses], options: Any, *, seed: int) -> JSON:
        return {"task": self.kind, **cloze_report(hits, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """Every decided example with what became of its blanks in `extra`."""
        removed = removed_words(aggregate, example)
        if aggregate["kind"] not in KINDS or removed is None:
            return []
        words = [one["word"] for one in aggregate["words"]]
        hits = matched(words, removed)
        found = {
            "blanks": [{"removed": one.text, "typed": word} for one, word in zip(removed, words, strict=True)],
            "matched": sum(hits),
            "reconstructable": is_reconstructable(hits),
            "necessary": aggregate["kind"] == NECESSARY,
            "class": class_of(hits, aggregate["kind"]),
            "votes": aggregate["votes"],
        }
        return [replace(example, extra={**example.extra, FOUND: found})]

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        removed = removed_words(payload, gold)
        hits = [matched(one.answer["words"], removed) if removed else [None] * BLANKS for one in given]
        rows = [
            {
                "number": k + 1,
                "removed": removed[k].text if removed else "",
                "responses": [
                    {"word": one.answer["words"][k], "right": own[k]} for one, own in zip(given, hits, strict=True)
                ],
            }
            for k in range(BLANKS)
        ]
        columns = [{"necessary": one.answer["necessary"]} for one in given]
        about = {"answers": list(gold.answers), "ablation": number_of(gold.extra)}
        return {"columns": columns, "rows": rows, "payload": payload, **about}

    def brief(self, payload: JSON, answer: JSON) -> str:
        return " · ".join(answer["words"])

    def said(self, answer: JSON) -> list[str]:
        """The words as they are counted, and the decision."""
        return [*map(key, answer["words"]), DECISION.label(answer)]


def _blank_problems(answer: JSON) -> Iterator[Problem]:
    words = [*answer.get("words", ()), *([""] * BLANKS)][:BLANKS]
    for k, word in enumerate(words):
        if not word.strip():
            message = _("Type a word in blank %(n)s, or %(sign)s if you have no idea.")
            yield Problem(f"blank-{k}", message, {"n": k + 1, "sign": NO_IDEA})
        elif len(word.split()) > 1 or len(word) > LONGEST:
            yield Problem(f"blank-{k}", _("Type one word in blank %(n)s."), {"n": k + 1})


TASK: TaskType = Cloze()
