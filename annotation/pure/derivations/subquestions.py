"""Sub-questions: outcomes of models on a question and its sub-questions, and the bridge entity between these.

Tang, Ng and Tung 2021, "Do Multi-Hop Question Answering Systems Know How to Answer the Single-Hop Sub-Questions?"
(sections 3 and 5). An outcome is a triple (question, first sub-question, second sub-question) of right or wrong.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from annotation.pure.data.example import Paragraph
from annotation.pure.statistics.metrics import HOTPOTQA
from annotation.pure.text.normalization import ARTICLES, normalise_answer

SURE, LIKELY = 0.8, 0.6  # F1 above which two answers match partially: alone, and if one contains the other
OUTCOMES: tuple[str, ...] = tuple("".join(triple) for triple in product("cw", repeat=3))  # "ccc" ... "www"
FAILURES = ("ccw", "cwc", "cww")  # the question right, a part wrong

Outcome = tuple[bool, bool, bool]


def matches_partially(prediction: str, gold: str) -> bool:
    """PM: F1 > 0.8, or F1 > 0.6 and one normalised answer contains the other. The empty one contains nothing."""
    f1 = HOTPOTQA.answer(prediction, (gold,)).f1
    if f1 > SURE:
        return True
    one, other = normalise_answer(prediction), normalise_answer(gold)
    return f1 > LIKELY and bool(one and other) and (one in other or other in one)


def shares(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Per cent of the examples by outcome, all eight; ValueError without any example."""
    codes = ["".join("c" if right else "w" for right in outcome) for outcome in outcomes]
    if not codes:
        raise ValueError("there is no example to count")
    return {name: 100 * codes.count(name) / len(codes) for name in OUTCOMES}


def failure_rate(table: Mapping[str, float]) -> float | None:
    """Percentage of correctly answered questions with an incorrectly answered sub-question; None without the former."""
    right = sum(table[name] for name in OUTCOMES if name[0] == "c")
    return 100 * sum(table[name] for name in FAILURES) / right if right else None


class Bridge(NamedTuple):
    """The paragraph whose title is the bridge entity (0 or 1; None: unidentified), and the case that identified it."""

    title: int | None
    case: str


def bridge_entity(one: Paragraph, other: Paragraph, *, question: str, answer: str) -> Bridge:
    """The bridge entity of two gold paragraphs by the three cases of the paper (section 3.2).

    If exactly one title occurs in the other paragraph, that title. If neither does, the title with more words in
    common with the other paragraph. If both do, the title that is neither in the question nor in the answer.
    """
    titles = [_entity(one.title), _entity(other.title)]
    texts = [other.text, one.text]
    occurs = [_occurs(title, text) for title, text in zip(titles, texts, strict=True)]
    if occurs[0] != occurs[1]:
        return Bridge(occurs.index(True), "one title occurs in the other paragraph")
    if not occurs[0]:
        common = [_common(title, text) for title, text in zip(titles, texts, strict=True)]
        if common[0] == common[1]:
            return Bridge(None, "neither title occurs, and both share as much with the other paragraph")
        return Bridge(common.index(max(common)), "the title shares more with the other paragraph")
    free = [not _occurs(title, question) and not _occurs(title, answer) for title in titles]
    if free[0] == free[1]:
        why = "neither is in the question or the answer" if free[0] else "both are in the question or the answer"
        return Bridge(None, f"both titles occur, and {why}")
    return Bridge(free.index(True), "both titles occur; the other one is in the question or the answer")


def _entity(title: str) -> str:
    """A title without its disambiguation: "Kiss and Tell" for "Kiss and Tell (1945 film)"."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", title) or title


def _occurs(name: str, text: str) -> bool:
    words, within = _words(name), _words(text)
    if not words:
        return False
    return any(within[k : k + len(words)] == words for k in range(len(within) - len(words) + 1))


def _words(text: str) -> list[str]:
    """Case-folded words without articles; a possessive "s" is a separate word, so that the name before it matches."""
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in ARTICLES]


def _common(name: str, text: str) -> float:
    """The share of a title's words that occur in a text."""
    words, within = set(_words(name)), set(_words(text))
    return len(words & within) / len(words) if words else 0.0


BLANK = re.compile(r"_{2,}|\[BLANK\]|\[ANSWER\]|#1(?![0-9])", re.IGNORECASE)


def filled(question: str, entity: str) -> str | None:
    """The second sub-question with its blank replaced by the bridge entity; None without a blank."""
    text, count = BLANK.subn(lambda _match: entity, question)
    return text if count else None


def carried(question: str, old: str, new: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """A later sub-question with a corrected earlier answer, and the spans of the new answer in it.

    Every mention of the old answer is replaced (whole words, ignoring case); spans are in code points.
    """
    words = [re.escape(word) for word in old.split()]
    if not words or not new.strip():
        return question, ()
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)", re.IGNORECASE)
    spans: list[tuple[int, int]] = []
    pieces: list[str] = []
    length = end = 0
    for match in pattern.finditer(question):
        pieces += [question[end : match.start()], new]
        length += match.start() - end
        spans.append((length, length + len(new)))
        length += len(new)
        end = match.end()
    return "".join([*pieces, question[end:]]), tuple(spans)
