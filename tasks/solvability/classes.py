"""The classes α, β, γ and δ of an ablated question, from one response and from several."""

from collections.abc import Sequence

from annotation.pure.statistics.agreement import most_said
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Label
from annotation.tasktype.decisions import Decision, decided, label_of, yes_no

KNOWN = "known_solvable"  # in `extra` of hidden gold: whether it is solvable
SOLVABLE = Decision(
    "solvable",
    yes_no(_("Solvable"), _("Not solvable")),
    _("Can the question be answered from this text, with a rationale?"),
    _("Say whether the question can be solved."),
)
GUESSABLE = Decision(
    "guessable",
    yes_no(_("Guessable"), _("Not guessable")),
    _("Can you guess what was removed?"),
    _("Say whether you can guess what was removed."),
)
NECESSARY = Decision(
    "necessary",
    yes_no(_("Necessary"), _("Not necessary")),
    _("Is what you guessed needed to decide on the answer?"),
    _("Say whether the answer depends on what was removed."),
    when={"guessable": True},
)
ALPHA, BETA, GAMMA, DELTA = CLASSES = ("alpha", "beta", "gamma", "delta")
LABELS = {
    ALPHA: Label(_("α: not guessable, solvable"), {"guessable": False, "solvable": True}),
    BETA: Label(_("β: not guessable, not solvable"), {"guessable": False, "solvable": False}),
    GAMMA: Label(_("γ: guessable, not necessary"), {"guessable": True, "necessary": False}),
    DELTA: Label(_("δ: guessable, necessary"), {"guessable": True, "necessary": True}),
}
BLANK: JSON = {
    "solvable": None, "kind": "none", "text": "", "paragraph": None, "start": None, "end": None, "option": None,
    "rationale": [], "guessable": None, "necessary": None,
}  # fmt: skip


def ruled(answers: Sequence[JSON]) -> JSON:
    """{"kind": class, "tied" or "undecided", "solvable": true, false or null, "votes", "answers"}."""
    result = decided(LABELS, [label_of(LABELS, answer) for answer in answers])
    return {"kind": result["kind"], "solvable": most_said(answer["solvable"] for answer in answers), **result}
