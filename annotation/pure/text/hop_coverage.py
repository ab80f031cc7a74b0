"""Coverage of each hop's words by a composed question, and paraphrases of relations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotation.pure.data.example import Hop
from annotation.pure.text.english import WORDS
from annotation.pure.text.masking import without_references
from annotation.pure.text.word_forms import Word, kin, misspelt, singulars, words

WEAK = {"located", "location", "part", "name", "called"}  # words of a hop that a question can well do without
MANY = 5  # a hop with at least this many words counts as skipped if at most one in this many is used


@dataclass(frozen=True, slots=True)
class Coverage:
    """The content words of hop `hop` (from 1) in order, and whether the question uses each, in whatever form."""

    hop: int
    words: tuple[tuple[str, bool], ...]

    @property
    def neglected(self) -> bool:
        """Whether so few of the hop's words are used that the question may skip it; never for WEAK words only."""
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
    plain_words = frozenset(word.plain for word in question)
    return [
        Coverage(k, tuple((word.text, _is_used(word.plain, plain_words)) for word in content_words(hop.question)))
        for k, hop in enumerate(hops, 1)
    ]


@lru_cache(maxsize=1 << 13)
def content_words(hop_question: str) -> tuple[Word, ...]:
    """The content words of a hop's question, in order, without duplicates."""
    by_plain: dict[str, Word] = {}
    for word in words(without_references(hop_question)):
        if not word.is_function and not word.is_initial:
            by_plain.setdefault(word.plain, word)
    return tuple(by_plain.values())


def _is_used(word: str, others: frozenset[str]) -> bool:
    return word in others or any(speaks_of(other, word) or misspelt(other, word) for other in others)


_MEANINGS = {name: tuple(words.split()) for names, words in WORDS["said_as"].items() for name in names.split()}


def speaks_of(word: str, relation: str) -> bool:
    """Whether a plain word is a form of a relation's word, or of another word for it."""
    return kin(word, relation) or any(kin(word, meaning) for meaning in _meanings(relation))


@lru_cache(maxsize=1 << 14)
def _meanings(relation: str) -> tuple[str, ...]:
    return tuple(meaning for form in sorted(singulars(relation)) for meaning in _MEANINGS.get(form, ()))
