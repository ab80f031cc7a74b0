"""Bridge entities: mentions of an answer in another question, their replacement by `#k`, and keys of edges.

A mention is a sequence of whole words, ignoring case and a leading article, also in the plural if English
spelling allows it; a possessive ending stays ("#1's"). Offsets are code points of tidy texts, that is, with
single spaces.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from annotation.pure.data import dag
from annotation.pure.data.example import Example
from annotation.pure.text.spans import is_word

_ARTICLES = ("the ", "an ", "a ")
_HISSING = ("s", "x", "z", "ch", "sh")


class Mention(NamedTuple):
    start: int
    end: int


def tidy(text: str) -> str:
    """The text with single spaces and none around it."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """The text in lower case with the same length, so that offsets are valid in both."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


def entity_key(answer: str) -> str:
    """A key that is equal for answers naming the same entity; "" if nothing is left."""
    key = folded(tidy(answer)).strip('"“”«» ,;')
    for article in _ARTICLES:
        if key.startswith(article):
            return key[len(article) :]
    return key


def mention_end(text: str, start: int, end: int) -> int:
    """The end of the mention whose singular is at start..end of a folded text; 0 if it is no mention."""
    if start and is_word(text[start - 1]):
        return 0
    if end == len(text) or not is_word(text[end]):
        return end
    plural = end + _plural_ending(text, start, end)
    ends = plural == len(text) or not is_word(text[plural])
    return plural if plural > end and ends else 0


def _plural_ending(text: str, start: int, end: int) -> int:
    """The length of a possible plural ending at `end`; 0 if there is none."""
    if end - start < 3 or not text[end - 1].isalpha():
        return 0
    if text.endswith(_HISSING, start, end):
        return 2 if text.startswith("es", end) else 0
    if text[end - 1] == "o" and text.startswith("es", end):
        return 2
    return 1 if text.startswith("s", end) else 0


def mentions(key: str, text: str) -> list[Mention]:
    """The mentions of an entity's key in a folded text, which do not overlap."""
    spans = []
    start = text.find(key) if key else -1
    while start >= 0:
        end = mention_end(text, start, start + len(key))
        if end:
            spans.append(Mention(start, end))
        start = text.find(key, max(end, start + 1))
    return spans


def masked(question: str, answers: Sequence[tuple[str, int]]) -> str | None:
    """The tidy question with `#k` for every mention of an answer, given as (answer, k).

    An article is replaced with the mention if the answer has it too. None if an answer is not mentioned or two
    mentions overlap.
    """
    text = tidy(question)
    low = folded(text)
    replacements: list[tuple[Mention, int]] = []
    for answer, number in answers:
        places = mentions(entity_key(answer), low)
        if not places:
            return None
        replacements += [(_with_article(answer, low, place), number) for place in places]
    return _replaced(text, sorted(replacements))


def _with_article(answer: str, low: str, mention: Mention) -> Mention:
    bare = folded(tidy(answer)).lstrip('"“«')
    for article in _ARTICLES:
        before = mention.start - len(article)
        if not bare.startswith(article) or before < 0 or not low.startswith(article, before):
            continue
        if not before or not is_word(low[before - 1]):
            return Mention(before, mention.end)
    return mention


def _replaced(text: str, replacements: Sequence[tuple[Mention, int]]) -> str | None:
    pieces, done = [], 0
    for mention, number in replacements:
        if mention.start < done:
            return None
        pieces += [text[done : mention.start], f"#{number}"]
        done = mention.end
    pieces.append(text[done:])
    return "".join(pieces)


LEAST = 2  # people who judge a bridge different before anything follows from it


class BridgeKey(NamedTuple):
    """The ids of head and tail, or their questions where they have none, and both answers.

    The head's answer is the entity that connects them. With the tail's, edges of records that number their hops from 1
    are not taken for one another.
    """

    head: str
    tail: str
    entity: str
    answer: str


def bridge_keys(example: Example) -> list[BridgeKey]:
    """The bridge of each edge, in the order of `dag.edges`."""
    hops = example.hops
    # a question whatever the number of the hop that it refers to
    names = [re.sub(r"#\d+", "#", _plain(hop.question)) if hop.id is None else str(hop.id) for hop in hops]
    answers = [_plain(hop.answer) for hop in hops]
    edges = ((head - 1, tail - 1) for head, tail in dag.edges(hops))
    return [BridgeKey(names[head], names[tail], answers[head], answers[tail]) for head, tail in edges]


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def is_broken(counts: dict[str, int]) -> bool:
    """Whether a majority, and at least LEAST people, judged a bridge "different"; `counts` is by judgment."""
    return counts.get("different", 0) >= LEAST and 2 * counts["different"] > sum(counts.values())
