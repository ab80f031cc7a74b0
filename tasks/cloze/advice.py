"""Feedback on practice items: on each word, and on the decision.

An item's `extra` has in `notes` the reason of each blank, `known_necessary`, and in `why` the reason of the decision.
"""

from collections.abc import Iterator

from annotation.pure.data.example import Example
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Remark
from annotation.tasktype.helpers.practice_feedback import NECESSITY, note_of, why_of

from .results import matched
from .words import plain, removed_words

KNOWN = "known_necessary"  # in `extra` of practice and hidden gold
MISSED = _("Blank %(n)s: the original has “%(gold)s”, not “%(typed)s”. %(why)s")
LEFT = _("Blank %(n)s: the original has “%(gold)s”. %(why)s")


def remarks(payload: JSON, answer: JSON, gold: Example) -> Iterator[Remark]:
    """Each word that is not the original's with the reason, or praise for all; then the decision."""
    removed = removed_words(payload, gold) or []
    words = answer["words"][: len(removed)]
    hits = matched(words, removed)
    for k, (typed, one, hit) in enumerate(zip(words, removed, hits, strict=True)):
        values = {"n": k + 1, "gold": one.text, "typed": typed, "why": note_of(gold, k)}
        if not hit:
            yield Remark(False, MISSED, values) if plain(typed) else Remark(None, LEFT, values)
    if all(hit or not plain(typed) for typed, hit in zip(words, hits, strict=True)) and any(hits):
        yield Remark(True, _("Right: your words are those of the original."))
    known = gold.extra.get(KNOWN)
    if isinstance(known, bool):
        right = answer["necessary"] is known
        yield Remark(right, NECESSITY[known, right], {"why": why_of(gold)})
