"""Check the bridges of a graph of single-hop questions and compose one question from them (MuSiQue, section 5, S7)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from statistics import fmean

from annotation.pure.data import dag
from annotation.pure.data.example import Example, Hop
from annotation.pure.derivations.bridges import tidy
from annotation.pure.text import composed_question_checks
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Adjudicable,
    Bridging,
    GivenResponse,
    HitWithResponses,
    Illustrated,
    Live,
    Payable,
    Practised,
    Problem,
    Remark,
    Reviewable,
    SecondOpinion,
    TaskType,
    Traced,
)
from annotation.tasktype.helpers.hops import HopsTask, edges_of, hop_json
from annotation.tasktype.keys import FRAME, Key, by_action

from . import aggregation, bridge_judgments
from .findings import MOST_CHARACTERS, checks, findings_of
from .lessons import remarks, shapes
from .options import SECONDS, ComposeOptions
from .report import compose_report
from .review import compared, reviewed
from .simulated_composer import imitated


class Compose(
    Live, Illustrated, Practised, SecondOpinion, Bridging, Payable, Reviewable, Adjudicable, Traced, HopsTask
):
    """Payload: {"shape", "hops" [{"question", "answer", "paragraph"}], "edges" [{"head", "tail", "entity"}], "checks",
    "most_words", "paste", "ask_twice", "pay"}. Answer: {"bridges" (one an edge), "why", "question", "overrides",
    "pasted"}. An answer whose bridges do not all hold is "discarded", whatever its question.
    """

    title = _("Compose questions")
    question = _(
        "Check that each bridge connects mentions of the same entity, then combine the hops into one question."
    )
    keys = by_action(
        *FRAME,
        Key("same", "y", _("Bridge: the same")),
        Key("different", "n", _("Bridge: not the same")),
        Key("unsure", "u", _("Bridge: cannot tell")),
        Key("undo-bridge", "z", _("Undo the last bridge decision")),
        Key("undo", "Mod+z", _("Undo, outside the question field"), fixed=True),
        Key("type", "t", _("Write the question (Esc leaves the field)"), _("write")),
        Key("fold", "f", _("Fold or unfold the paragraph"), _("fold")),
        Key("fold-all", "F", _("Fold or unfold all"), _("fold all")),
        Key("examples", "e", _("Examples for this shape")),
    )
    needs = _("Requires a decomposition into hops of one of the six shapes, each with question, answer and paragraph.")
    Options = ComposeOptions
    assignments = 1
    writes = _("The composed question in its new wording.")
    writes_questions = True
    live = {"checks": checks}
    criteria = {
        "correct": _("Correct: it asks what the hops ask, and its answer is the last hop's."),
        "coherent": _("Coherent: it is one natural question that a reader understands at once."),
    }
    snippets = (
        _("Thank you: this reads like a question that somebody would really ask."),
        _("Short and clear, and every hop is needed. Keep it up."),
        _("Try to use fewer words. Leave out what readers can work out themselves."),
        _("This names an intermediate answer. Use its hop to describe the person, place or thing instead."),
        _("One of the hops can be left out without changing the answer. Make the question depend on it."),
        _("These are two separate questions. Use one of them to describe what the other asks about."),
        _("The question leads to the answer of an earlier hop. It must lead to the last hop's answer."),
        _(
            "The two mentions do not refer to the same thing here. Please read both paragraphs again at the "
            "bridge check."
        ),
    )

    def prepare(self, example: Example, options: ComposeOptions, rng: Random) -> JSON | None:
        """The hops with answers and paragraphs, without the example's question; None if a hop is incomplete."""
        shape = dag.shape(example.hops)
        if not shape or dag.problems(example.hops) or not all(_is_whole(hop, example) for hop in example.hops):
            return None
        return {
            "shape": shape,
            "hops": [hop_json(example, hop) for hop in example.hops],
            "edges": edges_of(example.hops),
            "checks": options.levels,
            "most_words": options.most_words or composed_question_checks.most_words(example.hops),
            "paste": options.paste,
            "ask_twice": options.ask_twice,
            "pay": {"composed": options.pay[len(example.hops)], "discarded": options.pay_discarded},
        }

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        """Require a judgment of each bridge until one does not hold; if all hold, a question without errors."""
        for k, judgment in enumerate(bridge_judgments.judged(payload, answer)):
            if judgment in bridge_judgments.ENDS:
                return []
            if not judgment:
                entity = payload["edges"][k]["entity"]
                message = _("Judge this bridge: do both refer to the same entity, “%(entity)s”?")
                return [Problem(f"bridge-{k + 1}", message, {"entity": entity})]
        return _question_problems(payload, answer)

    def complete(self, payload: JSON, answer: object) -> JSON:
        """An imported composition, at least {"question"}; by default its bridges count as "same"."""
        if not isinstance(answer, dict) or not isinstance(answer.get("question", ""), str):
            raise ValueError('needs {"question": ..., "bridges": ["same" | "different" | "unsure", ...]}')
        bridges = answer.get("bridges", ["same"] * len(payload["edges"]))
        overrides, pasted = answer.get("overrides", {}), answer.get("pasted", 0.0)
        if not isinstance(bridges, list) or len(bridges) != len(payload["edges"]):
            raise ValueError(f"bridges must list a judgment for each of the {len(payload['edges'])} edges")
        if not isinstance(overrides, dict) or not all(isinstance(text, str) for text in overrides.values()):
            raise ValueError("overrides must give a reason for each finding")
        if type(pasted) not in (int, float) or not 0 <= pasted <= 1:
            raise ValueError("pasted must be a share from 0 to 1")
        whole = {
            "bridges": bridges,
            "why": str(answer.get("why", "")),
            "question": tidy(answer.get("question", "")),
            "overrides": overrides,
            "pasted": round(float(pasted), 3),
        }
        whole["bridges"] = bridge_judgments.judged(payload, whole)
        return super().complete(payload, whole)

    def seconds(self, payload: JSON) -> int | None:
        return SECONDS[len(payload["hops"])]

    def pay(self, payload: JSON, answer: JSON | None) -> int | None:
        """US cents: by hops for a question, less for a discarded item (MuSiQue, section 5, S7)."""
        pay: Mapping[str, int] | None = payload.get("pay")
        if pay is None:  # launched before HITs stored their pay
            return None
        return pay["composed" if answer is None or bridge_judgments.composed(payload, answer) else "discarded"]

    def least_pay(self, payload: JSON) -> int | None:
        """The pay of a discarded item, or of a question if that is less."""
        pay: Mapping[str, int] | None = payload.get("pay")
        return None if pay is None else min(pay["composed"], pay["discarded"])

    def least(self, payload: JSON, answer: JSON) -> int:
        """2 if the worker discarded the item and the batch asks for a second opinion, else 0."""
        return 2 if payload["ask_twice"] and bridge_judgments.discarded(payload, answer) else 0

    def bridges(self, payload: JSON, answers: Sequence[JSON]) -> list[dict[str, int]]:
        return aggregation.bridge_counts(payload, answers)

    def tutorial(self, payload: JSON | None, language: str = "en") -> JSON | None:
        """{"shapes": [{"shape", "title", "hops", "edges", "good", "bad"}]}: all six, or only the payload's."""
        return {"shapes": shapes(payload["shape"] if payload else None, language)}

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        return remarks(payload, answer, gold)

    def brief(self, payload: JSON, answer: JSON) -> str:
        """The question; for a discarded item the judgments of its bridges, and the reason."""
        if bridge_judgments.composed(payload, answer):
            return str(answer["question"])
        return ": ".join(filter(None, [", ".join(filter(None, answer["bridges"])), answer["why"]]))

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        return imitated(payload, gold, rng, right=right)

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        return aggregation.aggregate(payload, answers)

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """The share of judged edges with a known label that are right; without known labels, 1 for a question without
        errors, else 0. The quality of a composition is not measured here but by reviewers.
        """
        if marks := bridge_judgments.on_known(payload, answer, gold):
            return fmean(marks)
        if not bridge_judgments.composed(payload, answer) or not answer["question"].strip():
            return 0.0
        return float(not any(finding["level"] == "error" for finding in findings_of(payload, answer["question"])))

    def report(self, hits: Iterable[HitWithResponses], options: ComposeOptions, *, seed: int) -> JSON:
        return {"task": self.kind, **compose_report(hits, expected_no=options.expected_no, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The example with the composed question; none if it was discarded or an edge is known to break."""
        return aggregation.exported(example, aggregate)

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        return compared(payload, given, gold)

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """The mean pairwise distance of the answers; discarded and composed are farthest apart."""
        pairs = list(combinations(answers, 2))
        return fmean(aggregation.distance(payload, a, b) for a, b in pairs) if pairs else 0.0

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        """The answer with the requester's wording; a discarded item stays discarded."""
        return {**answer, "question": tidy(text)}

    def review(self, payload: JSON, answer: JSON) -> JSON:
        return reviewed(payload, answer)

    def provenance(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> JSON:
        return aggregation.provenance(payload, answers, aggregate)


def _is_whole(hop: Hop, example: Example) -> bool:
    if hop.support is None or not 0 <= hop.support < len(example.paragraphs):
        return False
    return all(text.strip() for text in (hop.question, hop.answer, example.paragraphs[hop.support].text))


def _question_problems(payload: JSON, answer: JSON) -> list[Problem]:
    question = answer["question"]
    if not question.strip():
        return [Problem("question", _("Write one question that combines all hops."))]
    if len(question) > MOST_CHARACTERS:
        message = _("The question has %(n)s characters; at most %(most)s are allowed.")
        return [Problem("question", message, {"n": len(question), "most": MOST_CHARACTERS})]
    return [
        Problem("question", one["message"], one["values"])
        if one["level"] == "error"
        else Problem(f"override-{one['id']}", one["message"], one["values"], warning=True)
        for one in findings_of(payload, question, answer.get("overrides"))
        if one["level"] == "error" or not one["overridden"]
    ]


TASK: TaskType = Compose()
