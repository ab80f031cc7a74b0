"""The classes α, β, γ and δ of an ablated question, from one response and from several."""

from collections import Counter
from collections.abc import Sequence

from annotation.pure.statistics.agreement import most_said
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON

KNOWN = "known_solvable"  # in `extra` of hidden gold: whether it is solvable
ALPHA, BETA, GAMMA, DELTA = "alpha", "beta", "gamma", "delta"
CLASSES = (ALPHA, BETA, GAMMA, DELTA)
LABELS = {
    ALPHA: _("α: not guessable, solvable"),
    BETA: _("β: not guessable, not solvable"),
    GAMMA: _("γ: guessable, not necessary"),
    DELTA: _("δ: guessable, necessary"),
}
BLANK: JSON = {
    "solvable": None, "kind": "none", "text": "", "paragraph": None, "start": None, "end": None, "option": None,
    "rationale": [], "guessable": None, "necessary": None,
}  # fmt: skip


def class_of(answer: JSON) -> str:
    """The class of one response; "" if it has no answer on guessing."""
    if answer["guessable"] is None:
        return ""
    if answer["guessable"]:
        return DELTA if answer["necessary"] else GAMMA
    return ALPHA if answer["solvable"] else BETA


def ruled(answers: Sequence[JSON]) -> JSON:
    """{"kind": class, "tied" or "undecided", "solvable": true, false or null, "votes", "answers"}."""
    counts = Counter(class_of(answer) for answer in answers)
    return {
        "kind": (most_said(counts.elements()) or "tied") if answers else "undecided",
        "solvable": most_said(answer["solvable"] for answer in answers),
        "votes": {name: counts[name] for name in CLASSES},
        "answers": len(answers),
    }
