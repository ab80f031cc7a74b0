"""Check generated sub-questions and their answers, and correct them (Tang, Ng and Tung 2021, section 3.3)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from annotation.pure.data import dag
from annotation.pure.data.corrections import answer_key, question_key
from annotation.pure.data.example import Example
from annotation.pure.statistics.agreement import mean_disagreement
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Adjudicable,
    GivenResponse,
    HitWithResponses,
    Label,
    Labelled,
    Practised,
    Problem,
    Remark,
    TaskType,
    Traced,
)
from annotation.tasktype.helpers.hops import HopsTask, edges_of, paragraph_json, reading_seconds
from annotation.tasktype.keys import FRAME, Key, by_action

from .aggregation import KEPT, TIED, UNDECIDED, aggregate
from .report import SAID, subquestions_report
from .rules import DISCARDS, JUDGMENTS, KEEP, KNOWN, problems_of, remarks, untouched
from .wording import WRITES, compared, reworded, wording

CHECKED = "subquestions"  # in the `extra` of an exported example: the changes, each with the number of workers
SECONDS_A_HOP = 15


class Subquestions(Labelled, Practised, Adjudicable, Traced, HopsTask):
    """Answer: {"discard": "no" | "single_hop" | "wrong_answer", "hops": [{"well_formed", "meaning", "valid" (true,
    false or null), "question", "answer"}]}; the hops of a discarded question have no meaning.
    """

    title = _("Check sub-questions")
    question = _("Are these the right sub-questions, with the right answers?")
    keys = by_action(
        *FRAME,
        Key("yes", "y", _("Yes, then the next decision")),
        Key("no", "n", _("No, then the next decision")),
        Key("single-hop", "s", _("Discard: needs no multihop reasoning")),
        Key("wrong-answer", "w", _("Discard: the answer is wrong")),
        Key("next", "j", _("Next decision"), _("decision")),
        Key("previous", "k", _("Previous decision"), _("decision")),
        Key("edit", "e", _("Correct the text (Enter or Esc leaves the field)"), _("correct the text")),
        Key("undo", "Mod+z", _("Undo, outside text fields"), _("undo"), fixed=True),
    )
    needs = _("Requires a question, its answer and its decomposition into two or more hops, with their paragraphs.")
    writes = WRITES
    writes_questions = True
    assignments = 1
    labels = {name: Label(words, {"discard": name}) for name, words in SAID.items()}

    def prepare(self, example: Example, options: Any, rng: Random) -> JSON | None:
        """The question, its hops and its supporting paragraphs; skipped without answer, hops or their paragraphs."""
        places = _supports(example)
        if not places or not example.question or not example.answers or dag.problems(example.hops):
            return None
        supports = [None if hop.support is None else places.index(hop.support) for hop in example.hops]
        return {
            "question": example.question,
            "answer": example.answers[0],
            "hops": [
                {"question": hop.question, "answer": hop.answer, "support": support}
                for hop, support in zip(example.hops, supports, strict=True)
            ],
            "edges": edges_of(example.hops),
            "paragraphs": [paragraph_json(example.paragraphs[k]) for k in places],
        }

    def seconds(self, payload: JSON) -> int:
        """Time to read everything once and to judge each hop."""
        texts = [payload["question"], *(paragraph["text"] for paragraph in payload["paragraphs"])]
        return reading_seconds(texts, least=20) + SECONDS_A_HOP * len(payload["hops"])

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        return list(problems_of(payload, answer))

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A judgment made elsewhere: {"discard": "single_hop"}, or {"discard": "no", "hops": [...]}."""
        if not isinstance(answer, Mapping) or answer.get("discard") not in DISCARDS:
            raise ValueError('needs {"discard": "no", "single_hop" or "wrong_answer", "hops": [...]}')
        hops = answer.get("hops", [] if answer["discard"] != KEEP else None)
        if not isinstance(hops, list) or not all(_is_hop(hop) for hop in hops):
            form = '{"well_formed", "meaning", "valid": true or false, "question", "answer"}'
            raise ValueError(f'needs "hops", one each: {form}')
        given = [{name: hop[name] for name in (*JUDGMENTS, "question", "answer")} for hop in hops]
        if answer["discard"] != KEEP and len(given) != len(payload["hops"]):
            given = untouched(payload)
        return super().complete(payload, {"discard": answer["discard"], "hops": given})

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        return aggregate(payload, answers)

    def unsettled(self, aggregate: JSON) -> bool:
        """Whether a requester must decide; a majority for discarding needs no decision."""
        return aggregate["kind"] in (TIED, UNDECIDED)

    def agreeing(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> int:
        """The number of responses that agree: all that discard, or all that keep the question with the same texts."""
        if aggregate["kind"] != KEPT:
            return sum(answer["discard"] != KEEP for answer in answers)
        final = _keys({"hops": aggregate["hops"]})
        return sum(answer["discard"] == KEEP and _keys(answer) == final for answer in answers)

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        known = gold.extra.get(KNOWN)
        if right and isinstance(known, Mapping) and known.get("discard") in DISCARDS:
            hops = [{**own, **hop} for own, hop in zip(untouched(payload), known.get("hops") or (), strict=False)]
            return {"discard": known["discard"], "hops": hops or untouched(payload)}
        if not right and rng.random() < 0.3:
            return {"discard": rng.choice([kind for kind in DISCARDS if kind != KEEP]), "hops": untouched(payload)}
        hops = [{**hop, **dict.fromkeys(JUDGMENTS, True)} for hop in untouched(payload)]
        if not right:
            hop = rng.choice(hops)
            hop |= {"valid": False, "answer": f"not {hop['answer']}"}
        return {"discard": KEEP, "hops": hops}

    def gradable(self, payload: JSON, gold: Example) -> bool:
        known = gold.extra.get(KNOWN)
        return isinstance(known, Mapping) and known.get("discard") in DISCARDS

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """The share of the example's known judgments that the answer matches; 0 if none is known."""
        known = gold.extra.get(KNOWN)
        if not isinstance(known, Mapping) or known.get("discard") not in DISCARDS:
            return 0.0
        if known["discard"] != KEEP or answer["discard"] != KEEP:
            return float(known["discard"] == answer["discard"])
        pairs = list(zip(answer["hops"], known.get("hops") or (), strict=False))
        right = [judged[name] is hop.get(name) for judged, hop in pairs for name in JUDGMENTS if name in hop]
        return sum(right) / len(right) if right else 1.0

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        """Feedback on keeping the question, then on each hop: its judgments and its corrections."""
        return list(remarks(answer, gold))

    def report(self, hits: Iterable[HitWithResponses], options: Any, *, seed: int) -> JSON:
        return {"task": self.kind, **subquestions_report(hits, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The example with its final sub-questions and answers; discarded, tied and unjudged ones are left out."""
        if aggregate["kind"] != KEPT:
            return []
        hops = tuple(
            replace(hop, question=final["question"], answer=final["answer"])
            for hop, final in zip(example.hops, aggregate["hops"], strict=True)
        )
        result = {
            "annotators": aggregate["answers"],
            "votes": aggregate["votes"],
            "changed_by": [final["changed_by"] for final in aggregate["hops"]],
        }
        return [replace(example, hops=hops, extra={**example.extra, CHECKED: result})]

    def provenance(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> JSON:
        """The original sub-questions, the votes, and the numbers of workers who changed each text."""
        before = [{"question": hop["question"], "answer": hop["answer"]} for hop in payload["hops"]]
        changed_by = [hop["changed_by"] for hop in aggregate["hops"]]
        return {"before": before, "votes": aggregate["votes"], "changed_by": changed_by}

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        return compared(payload, given)

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """Mean disagreement: on the texts if all keep the question, else on keeping it."""
        kept = all(answer["discard"] == KEEP for answer in answers)
        rows = [_keys(answer) if kept else [answer["discard"]] for answer in answers]
        return mean_disagreement(zip(*rows, strict=True))

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        """The question kept with the requester's sub-questions and answers."""
        return reworded(payload, answer, text)

    def review(self, payload: JSON, answer: JSON) -> JSON:
        return {"text": wording(payload, answer)}


def _supports(example: Example) -> list[int]:
    """The positions of the paragraphs that the hops rest on, in the order of the hops, then the other supports."""
    own = [hop.support for hop in example.hops if hop.support is not None]
    places = list(dict.fromkeys([*own, *(example.supports or ())]))
    fits = all(0 <= place < len(example.paragraphs) for place in places)
    return places if fits and len(example.hops) > 1 else []


def _is_hop(hop: Any) -> bool:
    return (
        isinstance(hop, Mapping)
        and all(hop.get(name, 0) in (True, False, None) and type(hop.get(name, 0)) is not int for name in JUDGMENTS)
        and all(isinstance(hop.get(part), str) for part in ("question", "answer"))
    )


def _keys(answer: JSON) -> list[Any]:
    """The texts of a kept question as they are compared."""
    return [key for hop in answer["hops"] for key in (question_key(hop["question"]), answer_key(hop["answer"]))]


TASK: TaskType = Subquestions()
