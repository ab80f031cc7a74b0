"""Back-decomposition: which steps does a composed question take for people who do not know its graph?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean
from typing import Any

from annotation.pure.data import dag
from annotation.pure.data.example import Example
from annotation.pure.data.provenance import BACK_DECOMPOSITION
from annotation.pure.statistics.agreement import mean_disagreement
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Adjudicable,
    Arranged,
    Consulting,
    Doubtful,
    Features,
    FollowedUp,
    FollowUp,
    GivenResponse,
    HitWithResponses,
    Label,
    Labelled,
    Live,
    Practised,
    Problem,
    RelatedResponses,
    Remark,
    Stepwise,
    TaskType,
    Varied,
)
from annotation.tasktype.helpers import answering
from annotation.tasktype.helpers.hops import HopsTask, reading_seconds
from annotation.tasktype.helpers.simulated_answers import imitated
from annotation.tasktype.keys import ANSWERING, FRAME, Key, by_action

from .advice import remarks
from .aggregation import DECIDED, SHORTCUT, aggregate, status
from .report import hops_report
from .steps import (
    FREE,
    GUIDED,
    INTEGRATE,
    KIND,
    KINDS,
    SINGLE,
    HopsOptions,
    completed,
    filled,
    final,
    golds,
    kept,
    problems_of,
    steps_of,
    with_next_step,
)
from .wording import WRITES, compared, reworded, wording

SECONDS_A_STEP = 25
ASKED = {
    FREE: _("Which steps lead to the answer? Answer each, and tick the paragraph that supports it."),
    GUIDED: _("Answer the sub-questions one after the other."),
    SINGLE: _("Answer the question, then its sub-questions one after the other."),
    INTEGRATE: _("Answer the question. All steps but the last are given with their answers."),
    KIND: _("How many steps does the question take?"),
}

FOLLOW_UP = FollowUp(
    label=_("Ask under-cited questions again, without the uncited paragraphs and closed-book"),
    how="withhold",
    options={"uncited": True},
    batches={
        "withheld": ("answer", {"support": False, "no_answer": True}),
        "closed-book": ("answer", {"context": "none", "support": False, "no_answer": True}),
    },
)
_LEFT_OUT = {"place", "yes", "no", "none"}


class Hops(
    Varied, Stepwise, Consulting, FollowedUp, Labelled, Arranged, Live, Practised, Doubtful, Adjudicable, HopsTask
):
    """Answers as in steps.py. `shows`: the steps that an arm gives; a page has them only once they are open."""

    title = _("Decompose questions")
    question = ASKED[FREE]
    Options = HopsOptions
    keys = by_action(
        *FRAME,
        *(key for key in ANSWERING if key.action not in _LEFT_OUT),
        Key("next-step", "Enter", _("Next step"), _("next step"), fixed=True),
    )
    needs = _("Requires a question, its answer and its decomposition into two or more hops, with their paragraphs.")
    writes = WRITES
    live = {"search": answering.search}
    labels = {
        "one": Label(_("one step"), {"kind": "one"}),
        "several": Label(_("several steps"), {"kind": "several"}),
    }

    def suggest(self, features: Features) -> JSON:
        """Without any hops, only the number of steps can be asked for."""
        without = features.hops is not None and features.hops < 2
        return {"yes_no": features.yes_no} | ({"arm": KIND} if without else {})

    def fits(self, features: Features) -> bool:
        return features.paragraphs > 0

    def asked(self, options: HopsOptions) -> str:
        return ASKED[options.arm]

    def prepare(self, example: Example, options: Any, rng: Random) -> JSON | None:
        """Question and context, and what the arm gives of the hops; only `kind` takes questions without hops."""
        payload = answering.payload_of(example, options, no_answer=False)
        sound = len(example.hops) > 1 and example.answers and not dag.problems(example.hops)
        placed = all(hop.support is not None and hop.support < len(example.paragraphs) for hop in example.hops)
        if payload is None or (options.arm != KIND and not (sound and placed)):
            return None
        return {**payload, "arm": options.arm, **steps_of(example, options.arm)}

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """Shuffle the paragraphs; `order[k]` is the payload's position of the paragraph shown as k."""
        return answering.shuffled(payload, "paragraphs", rng)

    def seconds(self, payload: JSON) -> int:
        """Time to read the paragraphs once, and for each step."""
        steps = {FREE: 3, KIND: 0}.get(payload["arm"], len(payload["steps"]))
        return reading_seconds([p["text"] for p in payload["paragraphs"]], least=20) + SECONDS_A_STEP * steps

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        return list(problems_of(payload, answer))

    def kept(self, payload: JSON, stored: JSON | None, answer: JSON) -> JSON:
        return kept(payload, stored, answer)

    def with_next_step(self, payload: JSON, stored: JSON | None, answer: JSON) -> JSON | None:
        return with_next_step(payload, stored, answer)

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A response made elsewhere: {"hops": [{"question", "text", "support"}]}, or {"kind": "one" or "several"}."""
        if not isinstance(answer, Mapping):
            raise ValueError('needs {"hops": [{"question", "text", "support"}]}')
        if payload["arm"] == KIND:
            return super().complete(payload, {"kind": answer.get("kind", ""), "hops": []})
        hops = answer.get("hops")
        if not isinstance(hops, list) or not all(isinstance(hop, Mapping) for hop in hops):
            raise ValueError('needs "hops", one each step: {"question", "text", "support"}')
        return super().complete(payload, {"kind": "", "hops": [completed(payload, hop) for hop in hops]})

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        return aggregate(payload, answers)

    def agreeing(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> int:
        """The number of responses with the same answer to the question, or the same kind."""
        if payload["arm"] == KIND:
            return super().agreeing(payload, answers, aggregate)
        return int(aggregate["votes"])

    def follow_up(self, options: HopsOptions) -> FollowUp | None:
        return FOLLOW_UP if options.arm == FREE else None

    def opened_by(self, aggregate: JSON, gold: Example, elsewhere: Sequence[RelatedResponses]) -> str:
        """A shortcut is for a requester to look at."""
        return SHORTCUT if status(gold, aggregate, elsewhere) == SHORTCUT else ""

    def doubt(self, payload: JSON, answers: Sequence[JSON], gold: Example) -> JSON | None:
        finals = [hop for answer in answers if (hop := final(payload, answer)) is not None]
        return answering.doubted(finals, gold)

    def brief(self, payload: JSON, answer: JSON) -> str:
        hop = final(payload, answer)
        return answering.answer_text(hop) if hop else str(answer["kind"])

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return bool(gold.answers and gold.hops)

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """Mean answer F1 over the steps with gold, of `free` that of the question; of `kind` whether it is right."""
        if payload["arm"] == KIND:
            return float(answer["kind"] == KINDS[len(gold.hops) > 1])
        hops = [final(payload, answer)] if payload["arm"] == FREE else answer["hops"]
        pairs = zip(hops, golds(gold, payload["arm"]), strict=False)
        scores = [answering.answer_f1(hop, replace(gold, answers=right)) for hop, right in pairs if hop]
        return fmean(scores) if scores else 0.0

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """Mean disagreement on the answer to the question, or on its kind."""
        return mean_disagreement([[self._key(payload, answer) for answer in answers]])

    def _key(self, payload: JSON, answer: JSON) -> str:
        hop = final(payload, answer)
        return answering.answer_key(hop) if hop else str(answer["kind"])

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        """Gold's hops; a mistake is another answer to one of the steps, or one hop only."""
        arm = payload["arm"]
        if arm == KIND:
            return {"kind": KINDS[(len(gold.hops) > 1) == right], "hops": []}
        right_answers = golds(gold, arm)
        if arm == FREE:
            texts = [hop.answer for hop in gold.hops]
            written = [(filled(hop.question, texts), hop.support) for hop in gold.hops]
            right_answers = [*((hop.answer,) for hop in gold.hops[:-1]), gold.answers]
            if not right and rng.random() < 0.5:
                written, right_answers, right = written[-1:], right_answers[-1:], True
        else:
            written = [("", None)] * len(right_answers)
        hops, mistaken = [], len(right_answers) if arm == FREE else 1 + rng.randrange(len(right_answers))
        for number, ((question, support), answers) in enumerate(zip(written, right_answers, strict=True), 1):
            knows = right or number != mistaken
            places = None if support is None else (support,)
            step = replace(gold, answers=answers, supports=places or gold.supports)
            answer = imitated(payload, step, rng, right=knows) | {"support": list(places or ())}
            hops.append(completed(payload, {**answer, "question": question}))
        return {"kind": "", "hops": hops}

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        return list(remarks(payload, answer, gold))

    def report(self, hits: Iterable[HitWithResponses], options: HopsOptions, *, seed: int) -> JSON:
        return {"task": self.kind, **hops_report(hits, options.arm, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The example with the aggregated response, and of `free` its status, in `extra`; none without a majority."""
        if aggregate["kind"] not in (DECIDED, *KINDS):
            return []
        found = {**aggregate, "status": status(example, aggregate)}
        return [replace(example, extra={**example.extra, BACK_DECOMPOSITION: found})]

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        return compared(payload, given, gold)

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        return reworded(payload, text)

    def review(self, payload: JSON, answer: JSON) -> JSON:
        return {"text": wording(payload, answer)}


TASK: TaskType = Hops()
