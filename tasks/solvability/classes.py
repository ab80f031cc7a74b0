"""The classes α, β, γ and δ of an ablated question, from one response and from several; feedback on practice items.

An item's `extra` has `known_solvable`, `known_guessable`, `known_necessary` (of a guessable one), and in `notes` the
reason of each.
"""

from collections.abc import Iterator, Sequence

from annotation.pure.data.example import Example
from annotation.pure.statistics.agreement import most_said
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Label, Remark
from annotation.tasktype.decisions import Decision, decided, label_of, yes_no
from annotation.tasktype.helpers.practice_feedback import NECESSITY, note_of, on_words

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


DECISIONS = ("solvable", "guessable", "necessary")
MESSAGES = {  # (decision, as it is known, whether the response says so)
    ("solvable", True, True): _("Right: the question can be solved. %(why)s"),
    ("solvable", False, True): _("Right: the question cannot be solved. %(why)s"),
    ("solvable", True, False): _("The question can be solved. %(why)s"),
    ("solvable", False, False): _("The question cannot be solved. %(why)s"),
    ("guessable", True, True): _("Right: you can guess what was removed. %(why)s"),
    ("guessable", False, True): _("Right: nobody can guess what was removed. %(why)s"),
    ("guessable", True, False): _("You can guess what was removed. %(why)s"),
    ("guessable", False, False): _("Nobody can guess what was removed. %(why)s"),
    **{("necessary", *key): message for key, message in NECESSITY.items()},
}


def remarks(answer: JSON, gold: Example) -> Iterator[Remark]:
    """Feedback on the decisions that were made, in their order; the answer comes after solvability."""
    known = {"solvable": gold.extra.get(KNOWN)} | {name: gold.extra.get(f"known_{name}") for name in DECISIONS[1:]}
    for part, name in enumerate(DECISIONS):
        given, truth = answer[name], known[name]
        if given is None or truth is None:
            continue
        yield Remark(given is truth, MESSAGES[name, truth, given is truth], {"why": note_of(gold, part)})
        if name == "solvable" and given and truth and gold.answers:
            yield on_words(answer["text"], gold.answers)
