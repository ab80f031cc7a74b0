"""The responses to one question's sub-questions side by side, for requesters."""

from collections.abc import Sequence

from annotation.pure.data.subquestion_corrections import difference
from annotation.tasktype import JSON, GivenResponse

from .aggregation import aggregate
from .rules import KEEP, corrected


def compared(payload: JSON, given: Sequence[GivenResponse]) -> JSON:
    """Context of `_compare.html`.

    {"payload", "verdict", "columns" [{"discard"}], "rows": one a hop {"number", "question", "answer", "final" (the
    aggregated hop, None if discarded), "responses": one an answer, None of a discard, {"well_formed", "meaning",
    "valid", "question", "answer" (lists of differences), "changed"}}}.
    """
    answers = [one.answer for one in given]
    decided = aggregate(payload, answers)
    rows = [
        {
            "number": k + 1,
            **hop,
            "final": decided["hops"][k] if decided["hops"] else None,
            "responses": [_judgment_json(payload, answer, k) for answer in answers],
        }
        for k, hop in enumerate(payload["hops"])
    ]
    columns = [{"discard": answer["discard"]} for answer in answers]
    return {"payload": payload, "aggregate": decided, "columns": columns, "rows": rows}


def _judgment_json(payload: JSON, answer: JSON, k: int) -> JSON | None:
    if answer["discard"] != KEEP:
        return None
    hop, own = answer["hops"][k], payload["hops"][k]
    changes = {part: difference(own[part], hop[part]) for part in ("question", "answer")}
    return {**hop, **changes, "changed": corrected(payload, answer["hops"])[k]}
