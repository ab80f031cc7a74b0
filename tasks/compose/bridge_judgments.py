"""The bridge check of a response: edges are judged in order, and the first “no” or “cannot tell” ends it."""

from collections.abc import Iterator

from annotation.pure.data.example import Example
from annotation.tasktype import JSON

JUDGMENTS = ("same", "different", "unsure")
ENDS = ("different", "unsure")


def judged(payload: JSON, answer: JSON) -> list[str]:
    """The judgments that count, one per edge; "" after the judgment that ended the check, or after a gap."""
    judgments: list[str] = []
    given = answer.get("bridges") or []
    open_ = True
    for k in range(len(payload["edges"])):
        judgment = given[k] if open_ and k < len(given) and given[k] in JUDGMENTS else ""
        open_ = judgment == "same"
        judgments.append(judgment)
    return judgments


def discarded(payload: JSON, answer: JSON) -> bool:
    """Whether the response ended at the bridge check."""
    return any(judgment in ENDS for judgment in judged(payload, answer))


def composed(payload: JSON, answer: JSON) -> bool:
    """Whether every bridge holds, so that the question counts."""
    return all(judgment == "same" for judgment in judged(payload, answer))


def known(example: Example) -> list[str]:
    """The known label of each edge, "same" or "different"; empty if the example has none."""
    stored = example.extra.get("known_bridges")
    return [str(one) for one in stored] if isinstance(stored, (list, tuple)) else []


def on_known(payload: JSON, answer: JSON, example: Example) -> list[bool]:
    """For each judged edge with a known label: whether the judgment is right, up to the first edge known to break.

    Judgments after an edge that is known to break are not graded, because the check should have ended there.
    """
    return list(_marks(judged(payload, answer), known(example)))


def _marks(given: list[str], right: list[str]) -> Iterator[bool]:
    for judgment, truth in zip(given, right, strict=False):
        if judgment and truth in ("same", "different"):
            yield judgment == truth
        if truth == "different":
            return
