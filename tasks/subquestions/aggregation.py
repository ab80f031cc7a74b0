"""The aggregated response on a question's sub-questions."""

from collections import Counter
from collections.abc import Sequence

from annotation.pure.data.corrections import agreed, answer_key, question_key
from annotation.tasktype import JSON

from .rules import KEEP, SINGLE_HOP, WRONG_ANSWER, corrected

KEPT, DISCARDED, TIED, UNDECIDED = "kept", "discarded", "tied", "undecided"
REASONS = (SINGLE_HOP, WRONG_ANSWER)
_KEYS = {"question": question_key, "answer": answer_key}


def aggregate(payload: JSON, answers: Sequence[JSON]) -> JSON:
    """{"kind", "discard", "votes" {"no", "single_hop", "wrong_answer"}, "hops", "answers"}.

    Discarded if more than half of the responses discard it, for any reason; `discard` is the more frequent reason,
    "both" if they are equally frequent. Otherwise each field's text is the majority by normalised text over the
    responses that keep the question; for a tied field `candidates` lists the texts, and the requester decides. If a
    requester accepted responses, only these count.
    """
    settled = [answer for answer in answers if answer.get("accepted")] or list(answers)
    votes = Counter(answer["discard"] for answer in settled)
    counts = {
        "kind": UNDECIDED,
        "discard": "",
        "votes": {name: votes[name] for name in (KEEP, *REASONS)},
        "hops": [],
        "answers": len(settled),
    }
    against = votes[SINGLE_HOP] + votes[WRONG_ANSWER]
    if not settled:
        return counts
    if 2 * against > len(settled):
        return counts | {"kind": DISCARDED, "discard": _reason(votes)}
    keeping = [answer["hops"] for answer in settled if answer["discard"] == KEEP]
    hops = [_hop(payload, keeping, k) for k in range(len(payload["hops"]))]
    tied = 2 * against == len(settled) or any(hop["candidates"] for hop in hops)
    return counts | {"kind": TIED if tied else KEPT, "hops": hops}


def _reason(votes: Counter[str]) -> str:
    if votes[SINGLE_HOP] == votes[WRONG_ANSWER]:
        return "both"
    return max(REASONS, key=lambda name: votes[name])


def _hop(payload: JSON, keeping: Sequence[Sequence[JSON]], k: int) -> JSON:
    """{"question", "answer", "changed_by", "candidates"} of one hop; a tied field has the dataset's own text."""
    result: JSON = {"changed_by": dict.fromkeys(_KEYS, 0), "candidates": {}}
    changes = [corrected(payload, hops)[k] for hops in keeping]
    for part, key in _KEYS.items():
        wordings = agreed([hops[k][part] for hops in keeping], key=key)
        result[part] = wordings[0] if len(wordings) == 1 else payload["hops"][k][part]
        result["changed_by"][part] = sum(change[part] for change in changes)
        if len(wordings) > 1:
            result["candidates"][part] = wordings
    return result
