"""Which words of every hop a composed question uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotation.pure.data.example import Hop
from annotation.pure.text.masking import without_references
from annotation.pure.text.relation_words import speaks_of
from annotation.pure.text.word_forms import Word, misspelt, words

WEAK = frozenset(
    {"located", "location", "part", "name", "called"}
)  # words of a hop that a question can well do without
MANY = 5  # words, from which one in so many used is too few


@dataclass(frozen=True, slots=True)
class Coverage:
    """The content words of hop `hop` (from 1) in order, and whether the question uses each, in whatever form."""

    hop: int
    words: tuple[tuple[str, bool], ...]

    @property
    def neglected(self) -> bool:
        """Whether so few of its words are used that the hop may be left out; never for hops that hardly say a thing."""
        used = sum(used for _word, used in self.words)
        if not used:
            return any(word.casefold() not in WEAK for word, _used in self.words)
        return len(self.words) >= MANY and used * MANY <= len(self.words)

    @property
    def skipped(self) -> bool:
        """Whether there are content words and none of them is used."""
        return bool(self.words) and not any(used for _word, used in self.words)


def coverage(question: str, hops: Sequence[Hop]) -> list[Coverage]:
    """For every hop the content words of its question, `#k` and wh-words aside, each once."""
    return covered(words(question), hops)


def covered(question: Sequence[Word], hops: Sequence[Hop]) -> list[Coverage]:
    """`coverage` of a question whose words are known."""
    there = frozenset(word.plain for word in question)
    return [
        Coverage(k, tuple((word.text, _is_used(word.plain, there)) for word in content_words(hop.question)))
        for k, hop in enumerate(hops, 1)
    ]


@lru_cache(maxsize=1 << 13)
def content_words(hop_question: str) -> tuple[Word, ...]:
    """The words of a hop's question that say something, in order, each once."""
    found: dict[str, Word] = {}
    for word in words(without_references(hop_question)):
        if not word.is_function and not word.is_initial:
            found.setdefault(word.plain, word)
    return tuple(found.values())


def _is_used(word: str, there: frozenset[str]) -> bool:
    return word in there or any(speaks_of(other, word) or misspelt(other, word) for other in there)
