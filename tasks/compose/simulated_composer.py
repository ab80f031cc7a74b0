"""Responses of simulated composers in dry runs: the known question, or one made from the hops' questions."""

from collections.abc import Iterator
from random import Random

from annotation.pure.data.example import Example
from annotation.tasktype import JSON

from . import bridge_judgments
from .findings import findings_of

REASON = "It is asked for in other words."


def imitated(payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
    """An answer as the page posts it. Wrong: a bridge misjudged, or a question that is clumsier than it must be."""
    count = len(payload["edges"])
    known = (bridge_judgments.known(gold) + ["same"] * count)[:count]
    judged = [kind or "same" for kind in known]
    if not right and rng.random() < 0.3:
        place = rng.randrange(count)
        judged[place] = "different" if judged[place] == "same" else "same"
    blank: JSON = {"bridges": judged, "why": "", "question": "", "overrides": {}, "pasted": 0.0}
    if any(kind in bridge_judgments.ENDS for kind in judged):
        return blank | {"why": "They are two things of one name."}
    for question in _questions(payload, gold, right=right):
        findings = findings_of(payload, question)
        if not any(finding["level"] == "error" for finding in findings):
            reasons = {finding["id"]: REASON for finding in findings if finding["level"] == "warning"}
            return blank | {"question": question, "overrides": reasons}
    return blank | {"bridges": ["unsure"] * count, "why": "I cannot make one question of these."}


def _questions(payload: JSON, gold: Example, *, right: bool) -> Iterator[str]:
    """Wordings to try, the best first."""
    hops = [hop["question"].rstrip("?").strip() for hop in payload["hops"]]
    tail = hops[-1][:1].lower() + hops[-1][1:]
    clumsy = f"Considering {'; '.join(hops[:-1])}: {tail}?"
    if gold.question and right:
        yield gold.question
    for edge in payload["edges"]:
        clumsy = clumsy.replace(edge["entity"], "it")
        tail = tail.replace(edge["entity"], f"what answers “{hops[edge['head'] - 1]}”")
    yield clumsy
    yield f"{tail[:1].upper()}{tail[1:]}?"
    if gold.question:
        yield gold.question
