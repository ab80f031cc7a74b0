"""Corrections of examples: what changed part by part and word by word; of sub-questions, what follows from a corrected
answer, and the wording of the majority.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from annotation.pure.data.example import Example
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


Label = tuple[str, int]  # ("question", 0), ("paragraph", 3), ...: parts are counted from 1

LONGEST = 15_000  # characters of a part that are still compared word by word


def changes(old: Example, new: Example) -> dict[Label, list[Change]]:
    """Diffs of the parts that differ, by label, in the order of display."""
    before, after = dict(_parts(old)), dict(_parts(new))
    labels = [*after, *(label for label in before if label not in after)]
    texts = ((label, before.get(label, ""), after.get(label, "")) for label in labels)
    return {label: bounded_difference(one, other) for label, one, other in texts if one != other}


def bounded_difference(old: str, new: str) -> list[Change]:
    """Changes word by word; of long texts, whose comparison would take seconds, one text for the other."""
    if len(old) + len(new) <= LONGEST:
        return difference(old, new)
    return [Change(kind, text) for kind, text in (("out", old), ("in", new)) if text]


def _parts(example: Example) -> Iterator[tuple[Label, str]]:
    yield ("question", 0), example.question
    yield ("answers", 0), "\n".join(example.answers)
    supports = ("–",) if example.supports is None else (str(position + 1) for position in example.supports)
    yield ("support", 0), ", ".join(supports)
    for number, paragraph in enumerate(example.paragraphs, start=1):
        yield ("paragraph", number), f"{paragraph.title}\n{paragraph.text}"
    for number, hop in enumerate(example.hops, start=1):
        yield ("hop", number), f"{hop.question}\n{hop.answer}"
    yield ("rest", 0), _rest(example)


def _rest(example: Example) -> str:
    """Every other field, as JSON over several lines."""
    shown = {"question", "answers", "supports", "paragraphs", "hops"}
    rest: Mapping[str, object] = {key: value for key, value in example.as_json().items() if key not in shown}
    return json.dumps(rest, ensure_ascii=False, indent=1)
