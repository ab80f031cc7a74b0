"""Corrected sub-questions: propagate corrections, list changes, and find the majority wording."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from annotation.pure.derivations.bridges import tidy
from annotation.pure.derivations.subquestions import carried
from annotation.pure.reports.human_scores import majorities
from annotation.pure.text import normalization
from annotation.pure.text.normalization import fold

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


class Change(NamedTuple):
    """A span of a diff: `kind` is "same", "out" (only in the old text) or "in" (only in the new text)."""

    kind: str
    text: str


def flowed(questions: Sequence[str], old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The sub-questions, with changed answers of earlier hops replaced by their corrections."""
    texts = []
    for k, question in enumerate(questions):
        text = question
        for before, after in zip(old[:k], new[:k], strict=True):
            if before != after:
                text, _spans = carried(text, before, after)
        texts.append(text)
    return texts


def difference(old: str, new: str) -> list[Change]:
    """The word-by-word changes of a text: "same" and "out" joined give the old one, "same" and "in" the new one."""
    one, other = _TOKEN.findall(old), _TOKEN.findall(new)
    changes: list[Change] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            changes.append(Change("same", "".join(one[a:b])))
            continue
        changes += [
            Change(name, text) for name, text in (("out", "".join(one[a:b])), ("in", "".join(other[c:d]))) if text
        ]
    return changes


def question_key(text: str) -> Hashable:
    """A key that is equal for two wordings of the same question."""
    return fold(tidy(text))


def answer_key(text: str) -> Hashable:
    """The same for answers, ignoring articles and punctuation unless nothing else is left."""
    return normalization.answer_key(text) or fold(tidy(text))


def agreed(texts: Sequence[str], *, key: Callable[[str], Hashable]) -> list[str]:
    """The most frequent text in its most frequent wording; several if there is a tie."""
    classes = Counter(key(text) for text in texts)
    agreed_texts = []
    for first in majorities(texts, key=key):
        wordings = Counter(text for text in texts if key(text) == key(first))
        most = max(wordings.values())
        agreed_texts.append(min(text for text, count in wordings.items() if count == most))
    return sorted(agreed_texts) if len(classes) > 1 else agreed_texts
