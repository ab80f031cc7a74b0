"""The aggregated response to a graph, and the dataset created from it."""

from collections.abc import Sequence
from dataclasses import replace

from annotation.pure.data.example import Example
from annotation.pure.derivations.bridges import folded, tidy
from annotation.tasktype import JSON

from .bridge_judgments import JUDGMENTS, composed, discarded, judged, known
from .findings import findings_of


def aggregate(payload: JSON, answers: Sequence[JSON]) -> JSON:
    """{"kind", "question", "by", "candidates", "compositions", "bridges", "disputed", "answers"}.

    Only accepted answers count if there are any. The majority of compositions or discarded answers decides, a tie is
    undecided, and `disputed` says that there were both. Of several different compositions people must choose one
    ("several"). `by` and `candidates` are positions in `answers`, and `compositions` are the candidates' questions.
    """
    weighed = [k for k, answer in enumerate(answers) if answer.get("accepted")] or list(range(len(answers)))
    composing = [k for k in weighed if composed(payload, answers[k])]
    refusing = [k for k in weighed if discarded(payload, answers[k])]
    summed: JSON = {
        "kind": "undecided",
        "question": "",
        "by": None,
        "candidates": composing,
        "compositions": [tidy(answers[k]["question"]) for k in composing],
        "bridges": bridge_counts(payload, answers),
        "disputed": len({composed(payload, answer) for answer in answers if any(judged(payload, answer))}) > 1,
        "answers": len(answers),
    }
    if len(refusing) > len(composing):
        return summed | {"kind": "discarded"}
    if len(composing) == len(refusing):
        return summed
    if len({folded(text) for text in summed["compositions"]}) > 1:
        return summed | {"kind": "several"}
    return summed | {"kind": "composed", "question": summed["compositions"][0], "by": composing[0]}


def bridge_counts(payload: JSON, answers: Sequence[JSON]) -> list[JSON]:
    """The number of judgments of each kind for each edge."""
    counts = [dict.fromkeys(JUDGMENTS, 0) for _edge in payload["edges"]]
    for answer in answers:
        for count, judgment in zip(counts, judged(payload, answer), strict=True):
            if judgment:
                count[judgment] += 1
    return counts


def exported(example: Example, aggregate: JSON) -> list[Example]:
    """The example with its question; if there are several compositions, with these in `extra` to choose from."""
    if "different" in known(example) or aggregate["kind"] not in ("composed", "several"):
        return []
    if aggregate["kind"] == "several":
        return [replace(example, extra={**example.extra, "compositions": list(aggregate["compositions"])})]
    last = example.hops[-1].answer
    answers = example.answers if example.answer == last else (last,)
    supports = sorted({hop.support for hop in example.hops if hop.support is not None})
    return [replace(example, question=aggregate["question"], answers=answers, supports=tuple(supports))]


def distance(payload: JSON, one: JSON, other: JSON) -> float:
    """0: equal; 0.25: different questions; 0.5: discarded at different bridges; 1: composed and discarded."""
    first, second = composed(payload, one), composed(payload, other)
    if first != second:
        return 1.0
    if first:
        alike = folded(tidy(one["question"])) == folded(tidy(other["question"]))
        return 0.0 if alike else 0.25
    return 0.0 if judged(payload, one) == judged(payload, other) else 0.5


def provenance(payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> JSON:
    """{"bridges", "composer" (position of its answer), "overrides": {finding: reason}, "pasted"} of the composition."""
    fields: JSON = {"bridges": aggregate["bridges"], "composer": aggregate["by"], "overrides": {}, "pasted": None}
    if aggregate["by"] is None:
        return fields
    answer = answers[aggregate["by"]]
    kept = findings_of(payload, answer["question"], answer.get("overrides"))
    overrides = {f["id"]: f["reason"] for f in kept if f["overridden"]}
    return fields | {"overrides": overrides, "pasted": answer.get("pasted", 0.0)}
