"""Do two questions and their paragraphs mean the same entity? The check of bridges before composing (MuSiQue, S2)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.derivations.composable_pairs import KNOWN_BRIDGES
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Bridging, GivenResponse, HitWithResponses, Problem, TaskType
from annotation.tasktype.decisions import Decision, choice, votes_for
from annotation.tasktype.helpers.decision_task import DecisionTask
from annotation.tasktype.helpers.hops import HopsTask, hops_payload, known_bridges, mention_of, reading_seconds
from annotation.tasktype.helpers.report_tables import most_or_tied
from annotation.tasktype.keys import DECIDING, FRAME, MENTION, Key, by_action

from .report import coreference_report

BRIDGE = Decision(
    "bridges",
    (
        choice("same", _("Same entity"), "y", _("same")),
        choice("different", _("Not the same"), "n", _("not the same")),
        choice("unsure", _("Cannot tell"), "u", _("cannot tell")),
    ),
    _("Do both refer to the same entity?"),
    _("Say whether both refer to “%(entity)s”, or that you cannot tell."),
)
NOTE = Key("type", "t", _("Write a note (Esc leaves it)"), _("write a note"))
LONGEST_WHY = 1000


class Coreference(Bridging, DecisionTask, HopsTask):
    title = _("Check bridges between questions")
    question = _("Do both questions refer to the same entity?")
    leads_to = "graphs"
    keys = by_action(*FRAME, *DECIDING, MENTION, *BRIDGE.keys, NOTE)
    needs = _("Requires a decomposition into hops, each with its paragraph.")
    assignments = 1

    def prepare(self, example: Example, options: Any, rng: Random) -> JSON | None:
        """The hops and every edge between them; without edges or paragraphs the example is skipped."""
        payload = hops_payload(example)
        if payload is None:
            return None
        edges = [{**edge, "mention": mention_of(example, edge)} for edge in payload["edges"]]
        return {**payload, "edges": edges}

    def seconds(self, payload: JSON) -> int:
        """Time to read the paragraphs of each edge once."""
        sides = [payload["hops"][edge[side] - 1] for edge in payload["edges"] for side in ("head", "tail")]
        return reading_seconds([hop["question"] + " " + hop["paragraph"]["text"] for hop in sides], least=20)

    def decisions(self, payload: JSON) -> list[Decision]:
        """The same question for each edge."""
        edges = enumerate(payload["edges"])
        return [replace(BRIDGE, name=f"bridge-{k + 1}", place=k, values=edge) for k, edge in edges]

    def said(self, answer: JSON) -> list[str]:
        return list(answer["bridges"])

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        problems = super().check(payload, answer)
        if len(answer["bridges"]) > len(payload["edges"]):
            problems.append(Problem("bridge-1", _("There are more decisions than bridges.")))
        if len(answer["why"]) > LONGEST_WHY:
            message = _("Please keep your note below %(most)s characters.")
            problems.append(Problem("why", message, {"most": LONGEST_WHY}))
        return problems

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A judgment made elsewhere as {"bridges": ["same" | "different" | "unsure", ...], "why": ""}."""
        wanted = 'needs {"bridges": ["same", "different" or "unsure" for each edge]}'
        if not isinstance(answer, Mapping) or not isinstance(answer.get("bridges"), list):
            raise ValueError(wanted)
        why = answer.get("why", "")
        if not isinstance(why, str) or not all(isinstance(kind, str) for kind in answer["bridges"]):
            raise ValueError(wanted)
        return super().complete(payload, {"bridges": answer["bridges"], "why": why})

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The majority on each edge; the item is "same" only if every edge is, and "different" if one is."""
        if not answers:
            return {"kind": "undecided", "bridges": [], "answers": 0}
        bridges = self.bridges(payload, answers)
        return {"kind": _together([majority(votes) for votes in bridges]), "bridges": bridges, "answers": len(answers)}

    def bridges(self, payload: JSON, answers: Sequence[JSON]) -> list[dict[str, int]]:
        edges = range(len(payload["edges"]))
        return [votes_for(BRIDGE.words, (answer["bridges"][k] for answer in answers)) for k in edges]

    def agreeing(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> int:
        """The votes for the edge whose verdict has the fewest."""
        return min((max(votes.values()) for votes in aggregate["bridges"]), default=0)

    def brief(self, payload: JSON, answer: JSON) -> str:
        return ", ".join(answer["bridges"])

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        count = len(payload["edges"])
        known = [kind or "same" for kind in known_bridges(gold, count) or ["same"] * count]
        if not right:
            place = rng.randrange(count)
            known[place] = "different" if known[place] == "same" else "same"
        return {"bridges": known, "why": "" if "different" not in known else "The paragraphs tell of two things."}

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return any(kind in ("same", "different") for kind in gold.extra.get(KNOWN_BRIDGES) or ())

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """The share of edges with a known label that are judged right; 0 without known labels."""
        known = known_bridges(gold, len(payload["edges"]))
        pairs = [(label, right) for label, right in zip(answer["bridges"], known or [], strict=False) if right]
        return sum(label == right for label, right in pairs) / len(pairs) if pairs else 0.0

    def report(self, hits: Iterable[HitWithResponses], options: Any, *, seed: int) -> JSON:
        return {"task": self.kind, **coreference_report(hits, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """Every decided example with its edges' labels in `extra`; examples decided as "same" may be composed."""
        if aggregate["kind"] not in ("same", "different"):
            return []
        settled = [kind if (kind := majority(votes)) in ("same", "different") else "" for votes in aggregate["bridges"]]
        return [replace(example, extra={**example.extra, KNOWN_BRIDGES: settled})]

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        known = known_bridges(gold, len(payload["edges"])) or [""] * len(payload["edges"])
        rows = [
            {**edge, "known": right, "responses": [one.answer["bridges"][k] for one in given]}
            for k, (edge, right) in enumerate(zip(payload["edges"], known, strict=True))
        ]
        return {
            "columns": [{"why": one.answer["why"]} for one in given],
            "rows": rows,
            "words": BRIDGE.words,
            "payload": payload,
        }


def majority(votes: Mapping[str, int]) -> str:
    """The most frequent judgment of an edge, or "tied"."""
    return most_or_tied(list(Counter(votes).elements()))


def _together(kinds: Sequence[str]) -> str:
    for kind in ("different", "tied", "unsure"):
        if kind in kinds:
            return kind
    return "same"


TASK: TaskType = Coreference()
