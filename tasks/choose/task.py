"""Choose the best of several compositions of the same graph (MuSiQue, S5: more than one was written)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.derivations.bridges import tidy
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Arranged, GivenResponse, HitWithResponses, Practised, Remark, TaskType
from annotation.tasktype.decisions import Choice, Decision, decided
from annotation.tasktype.helpers.answering import position_of, shuffled
from annotation.tasktype.helpers.decision_task import DecisionTask
from annotation.tasktype.helpers.hops import HopsTask, hops_payload, reading_seconds
from annotation.tasktype.helpers.practice_feedback import note_of
from annotation.tasktype.keys import DECIDING, FRAME, MENTION, Key, by_action

from .report import choose_report

NONE = Choice("none", _("None of them is good"), key="0", value="none", stored=None)
COMPOSITIONS = "compositions"  # in an example's `extra`: the texts to choose from
MOST_COMPOSITIONS = 9  # can be chosen by a key


class Choose(Arranged, Practised, DecisionTask, HopsTask):
    title = _("Choose a composition")
    question = _("Which of these questions best combines what the hops ask one after the other?")
    keys = by_action(
        *FRAME,
        *DECIDING,
        MENTION,
        Key("none", "0", NONE.says),
        Key("fold", "f", _("Open or close the paragraphs"), _("paragraphs")),
    )
    needs = _(
        "Requires a decomposition into hops, each with its paragraph, and two to nine compositions to choose from."
    )

    def prepare(self, example: Example, options: Any, rng: Random) -> JSON | None:
        """The graph and its compositions, each text once; fewer than two, or more than nine, skip the example."""
        payload, texts = hops_payload(example), compositions_of(example)
        if payload is None or not 2 <= len(texts) <= MOST_COMPOSITIONS:
            return None
        return {**payload, "compositions": texts}

    def seconds(self, payload: JSON) -> int:
        """Time to read the hops and the compositions once, without the paragraphs."""
        return reading_seconds([hop["question"] for hop in payload["hops"]] + payload["compositions"], least=15)

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """Shuffle the compositions; `order[k]` is the payload's position of the one shown as k."""
        return shuffled(payload, "compositions", rng)

    def decisions(self, payload: JSON) -> list[Decision]:
        """The compositions as shown, or none of them; stored is a position in the payload, or null."""
        texts = payload["compositions"]
        places = payload.get("order") or range(len(texts))
        shown = enumerate(zip(texts, places, strict=True))
        choices = [Choice(str(k), text, value=str(place), stored=k, text=True) for place, (text, k) in shown]
        missing = _("Choose one of the questions, or say that none is good.")
        return [Decision("chosen", [*choices, NONE], _("Which question is best?"), missing)]

    def said(self, answer: JSON) -> list[str]:
        return [NONE.label if answer["chosen"] is None else str(answer["chosen"])]

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A response collected elsewhere as {"chosen": a composition by position or wording, or null for none}."""
        if not isinstance(answer, Mapping) or "chosen" not in answer:
            raise ValueError('needs {"chosen": position or wording of a composition, or null}')
        chosen = answer["chosen"]
        return {"chosen": None if chosen is None else position_of(chosen, payload["compositions"], "chosen")}

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The most frequent choice, where "none" is one of the choices; tied if several are equally frequent."""
        texts = payload["compositions"]
        places = list(map(str, range(len(texts))))
        result = decided([*places, NONE.label], [label for answer in answers for label in self.said(answer)])
        votes, chosen = result["votes"], int(result["kind"]) if result["kind"] in places else None
        return {
            "chosen": chosen,
            "question": "" if chosen is None else texts[chosen],
            "votes": [votes[place] for place in places],
            "none": votes[NONE.label],
            "answers": len(answers),
            "kind": result["kind"] if chosen is None else "chosen",
        }

    def agreeing(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> int:
        return sum(answer["chosen"] == aggregate["chosen"] for answer in answers)

    def brief(self, payload: JSON, answer: JSON) -> str:
        return "–" if answer["chosen"] is None else str(payload["compositions"][answer["chosen"]])

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        wanted = tidy(gold.question)
        good = [place for place, text in enumerate(payload["compositions"]) if text == wanted]
        others = [place for place, text in enumerate(payload["compositions"]) if text != wanted]
        return {"chosen": rng.choice((good if right else others) or [None])}

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return bool(gold.question.strip())

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """1 if the gold's question was chosen, else 0, also if it is not among the compositions."""
        chosen = answer["chosen"]
        return float(chosen is not None and payload["compositions"][chosen] == tidy(gold.question))

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        """Why the chosen composition is good or not, and which one is best; gold without a question: none is good."""
        texts, best, chosen = payload["compositions"], tidy(gold.question), answer["chosen"]
        right = chosen is None if not best else chosen is not None and texts[chosen] == best
        remarks = []
        if chosen is not None:
            values = {"question": texts[chosen], "why": note_of(gold, chosen)}
            remarks.append(Remark(right, _("“%(question)s” %(why)s"), values))
        if not best:
            message = _("Right: none of them is good.") if right else _("None of them is good. Choose that.")
            return [*remarks, Remark(right, message)]
        if not right:
            values = {"question": best, "why": note_of(gold, texts.index(best))}
            remarks.append(Remark(False, _("The best one is “%(question)s” %(why)s"), values))
        return remarks

    def report(self, hits: Iterable[HitWithResponses], options: Any, *, seed: int) -> JSON:
        return {"task": self.kind, **choose_report(hits, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The example with the chosen question; the others are not in it any more."""
        if aggregate["kind"] != "chosen":
            return []
        extra = {name: value for name, value in example.extra.items() if name != COMPOSITIONS}
        return [replace(example, question=aggregate["question"], extra=extra)]

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        rows = [
            {
                "number": k + 1,
                "text": text,
                "gold": text == tidy(gold.question),
                "chosen": [one.answer["chosen"] == k for one in given],
            }
            for k, text in enumerate(payload["compositions"])
        ]
        none = [one.answer["chosen"] is None for one in given]
        return {"columns": [{} for _one in given], "rows": rows, "none": none, "payload": payload}


def compositions_of(example: Example) -> list[str]:
    """The distinct texts to choose from, in order."""
    listed = example.extra.get(COMPOSITIONS)
    texts = [tidy(text) for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    return [text for text in dict.fromkeys(texts) if text]


TASK: TaskType = Choose()
