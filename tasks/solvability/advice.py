"""Feedback on practice items: on each decision, and on the answer.

An item's `extra` has `known_solvable`, `known_guessable`, `known_necessary` (of a guessable one), and in `notes` the
reason of each.
"""

from collections.abc import Iterator

from annotation.pure.data.example import Example
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Remark
from annotation.tasktype.helpers.practice_feedback import NECESSITY, note_of, on_words

from .classes import KNOWN

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
