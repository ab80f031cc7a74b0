"""Corrected sub-questions: what follows from an earlier correction, what was changed, and what several say together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from annotation.pure.derivations.subquestions import carried
from annotation.pure.reports.human_scores import majorities
from annotation.pure.text.normalization import normalise_answer

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


class Change(NamedTuple):
    """A stretch of a text and its correction: "same", "out" (stood in the old one) or "in" (stands in the new one)."""

    kind: str
    text: str


def flowed(questions: Sequence[str], old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Each sub-question with the answers of the hops before it as they were corrected; of unequal answers only."""
    made = []
    for k, question in enumerate(questions):
        text = question
        for before, after in zip(old[:k], new[:k], strict=True):
            if before != after:
                text, _spans = carried(text, before, after)
        made.append(text)
    return made


def difference(old: str, new: str) -> list[Change]:
    """What became of a text, word by word; the "same" and "out" joined are the old one, "same" and "in" the new one."""
    one, other = _TOKEN.findall(old), _TOKEN.findall(new)
    found: list[Change] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(Change("same", "".join(one[a:b])))
            continue
        found += [
            Change(name, text) for name, text in (("out", "".join(one[a:b])), ("in", "".join(other[c:d]))) if text
        ]
    return found


def plain(text: str) -> str:
    """A text with single spaces, as a field of one line can hold it."""
    return " ".join(text.split())


def question_key(text: str) -> Hashable:
    """What two wordings of a question have in common when they are the same one."""
    return plain(text).casefold()


def answer_key(text: str) -> Hashable:
    """The same of answers, articles and punctuation aside, where anything is left then."""
    return normalise_answer(text) or plain(text).casefold()


def agreed(texts: Sequence[str], *, key: Callable[[str], Hashable]) -> list[str]:
    """The text that most give, in its most frequent wording; several where as many give each of them."""
    classes = Counter(key(text) for text in texts)
    found = []
    for first in majorities(texts, key=key):
        wordings = Counter(text for text in texts if key(text) == key(first))
        most = max(wordings.values())
        found.append(min(text for text, count in wordings.items() if count == most))
    return sorted(found) if len(classes) > 1 else found
