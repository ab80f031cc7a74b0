"""The arms of back-decomposition: the steps that a page asks for, what is right in them, and which are open."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from annotation.pure.data.dag import REFERENCE
from annotation.pure.data.example import Example
from annotation.pure.derivations.bridges import tidy
from annotation.pure.setting_fields import setting
from annotation.pure.text.relations import in_words
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Problem
from annotation.tasktype.helpers import answering

FREE, GUIDED, SINGLE, INTEGRATE, KIND = "free", "guided", "single", "integrate", "kind"
ARMS = {
    FREE: _("nothing: workers write the sub-questions themselves"),
    GUIDED: _("the sub-questions one at a time, filled with the worker's own answers"),
    SINGLE: _("the question, then the sub-questions one at a time, filled with the right answers"),
    INTEGRATE: _("all sub-questions but the last, with their answers"),
    KIND: _("nothing: workers only say whether the question needs one step or several"),
}
STEPWISE = (GUIDED, SINGLE)


@dataclass(frozen=True, slots=True)
class HopsOptions:
    """The arm, the same for every item of a batch; and the controls of every page that asks for answers."""

    choices: ClassVar[bool] = False
    sentences: ClassVar[bool] = False

    arm: str = setting(FREE, label=_("Decomposition that workers see"), choices=ARMS)
    yes_no: bool = setting(False, label=_("Allow “yes” and “no” as answers"))

    @property
    def support(self) -> bool:
        """Whether workers tick paragraphs: only where nothing of the decomposition is given."""
        return self.arm == FREE


KINDS = ("one", "several")
MOST = 8  # steps that somebody may write
LONGEST = 1000  # characters of a sub-question
WHOLE = ""  # in place of a step's question: the whole question
BLANK: JSON = {
    "question": "", "kind": "", "text": "", "paragraph": None, "start": None, "end": None, "option": None,
    "support": [], "facts": [],
}  # fmt: skip


def steps_of(example: Example, arm: str) -> JSON:
    """{"given": hops shown with their answers, "steps": the questions asked}; of `free` and `kind` neither."""
    answers = [hop.answer for hop in example.hops]
    questions = [hop.question if arm == GUIDED else filled(hop.question, answers) for hop in example.hops]
    if arm == INTEGRATE:
        pairs = zip(questions[:-1], answers[:-1], strict=True)
        return {"given": [{"question": q, "answer": a} for q, a in pairs], "steps": [WHOLE]}
    asked = {GUIDED: questions, SINGLE: [WHOLE, *questions]}
    return {"given": [], "steps": asked.get(arm, [])}


def filled(question: str, answers: Sequence[str]) -> str:
    """A sub-question with each `#k` replaced by the k-th answer, where there is one."""

    def answer(match: re.Match[str]) -> str:
        k = int(match[1])
        return answers[k - 1] if 1 <= k <= len(answers) and answers[k - 1] else match[0]

    return REFERENCE.sub(answer, question)


def asked(payload: JSON, hops: Sequence[JSON], step: int) -> str:
    """The question of a step in words, filled with the worker's own answers in `guided`; "" for the whole question."""
    question = payload["steps"][step]
    if payload["arm"] == GUIDED:
        question = filled(question, [answering.answer_text(hop) for hop in hops[:step]])
    return in_words(question)


def golds(example: Example, arm: str) -> list[tuple[str, ...]]:
    """The right answers of each step of an arm; of `free` those of the question."""
    hops = [(hop.answer,) for hop in example.hops]
    whole = example.answers
    if arm == GUIDED:
        return [*hops[:-1], tuple(dict.fromkeys([*whole, *hops[-1]]))] if hops else []
    return [whole, *hops] if arm == SINGLE else [whole]


def final(payload: JSON, answer: JSON) -> JSON | None:
    """The answer to the whole question; None if there is none."""
    if not answer["hops"]:
        return None
    return cast(JSON, answer["hops"][0 if payload["arm"] == SINGLE else -1])


def is_blank(hop: JSON) -> bool:
    return not (hop["question"].strip() or hop["text"].strip() or hop["support"])


def problems_of(payload: JSON, answer: JSON) -> Iterator[Problem]:
    """What is missing or wrong, step by step."""
    hops = answer["hops"]
    if payload["arm"] == KIND:
        if answer["kind"] not in KINDS:
            yield Problem("kind", _("Choose one step or several."))
        return
    wanted = len(hops) if payload["arm"] == FREE else len(payload["steps"])
    for number in range(1, max(wanted, 1) + 1):
        yield from _of_step(payload, number, hops[number - 1] if number <= len(hops) else BLANK)


def _of_step(payload: JSON, number: int, hop: JSON) -> Iterator[Problem]:
    values = {"step": len(payload["given"]) + number}
    if payload["arm"] == FREE:
        if not hop["question"].strip():
            yield Problem(f"hop-{number}-question", _("Step %(step)s: write the sub-question."), values)
        elif len(hop["question"]) > LONGEST:
            text = _("Step %(step)s: use at most %(most)s characters.")
            yield Problem(f"hop-{number}-question", text, {**values, "most": LONGEST})
    problems = {problem.field for problem in answering.problems(payload, hop)}
    if "text" in problems or hop["kind"] == "none":
        text = _("Step %(step)s: select the answer in a paragraph, or type it as written there.")
        yield Problem(f"hop-{number}-text", text, values)
    if "support" in problems:
        text = _("Step %(step)s: tick the paragraph that supports the answer.")
        yield Problem(f"hop-{number}-support", text, values)


def kept(payload: JSON, stored: JSON | None, answer: JSON) -> JSON:
    """The answer with the closed steps as they are stored, and none beyond the open one unless all are answered."""
    if payload["arm"] not in STEPWISE:
        return answer
    before = (stored or {"hops": []})["hops"]
    hops = [*before[:-1], *answer["hops"][max(len(before) - 1, 0) :]]
    whole = {**answer, "hops": hops}
    if any(problems_of(payload, whole)):
        whole["hops"] = hops[: max(len(before), 1)]
    return whole


def with_next_step(payload: JSON, stored: JSON | None, answer: JSON) -> JSON | None:
    """The answer with its next step opened (the stored one if it is open there); None if all are, or one is lacking."""
    number = len(answer["hops"])
    if payload["arm"] not in STEPWISE or not 0 < number < len(payload["steps"]):
        return None
    if any(any(_of_step(payload, k, hop)) for k, hop in enumerate(answer["hops"], 1)):
        return None
    if stored and len(stored["hops"]) > number:
        return stored
    return {**answer, "hops": [*answer["hops"], {**BLANK}]}


def completed(payload: JSON, hop: Mapping[str, Any]) -> JSON:
    """The stored form of a step {"question", "text", "support"}, of which only `free` has more than the text."""
    if not isinstance(hop.get("question", ""), str):
        raise ValueError("the question of a step must be text")
    if payload["arm"] != FREE:
        return {**BLANK, **answering.completed(payload, {**hop, "support": []}), "question": ""}
    return {**BLANK, **answering.completed(payload, hop), "question": hop.get("question", "")}


def tidied(hop: JSON) -> JSON:
    return {**hop, "question": tidy(hop["question"])}
