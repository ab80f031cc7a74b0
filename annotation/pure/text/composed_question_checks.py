"""Checks a composed multihop question while its writer types (MuSiQue, section 5, S7).

The question should use every hop, name no intermediate or final answer, be a single question that repeats no hop, and
be short. Requesters set the levels of the checks; `LEVELS` are the defaults. On MuSiQue's own compositions errors are
rare: tests/pure/test_phrasing_real.py has the figures.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from annotation.pure.data import dag
from annotation.pure.data.example import Hop
from annotation.pure.text.answer_leaks import AnswerForms, Span, answer_forms, leaks
from annotation.pure.text.english import WORDS, listed
from annotation.pure.text.fuzzy_search import likeness
from annotation.pure.text.masking import resolved, without_references
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


__all__ = ["CHECKS", "LEVELS", "Coverage", "Finding", "coverage", "findings", "most_words"]

LEVELS: Mapping[str, str] = MappingProxyType(
    {
        "gives_away": "error",
        "gives_away_final": "error",
        "repeats_hop": "error",
        "hop_missing": "warning",
        "too_long": "warning",
        "no_question_mark": "error",
        "sentences": "error",
    }
)
CHECKS: tuple[str, ...] = tuple(LEVELS)

ALIKE = 0.9  # similarity from which a question repeats a single-hop question, if it adds no word
VERY_ALIKE = 0.95  # the same if it adds words
MOST_SENTENCES = 2
LONGEST_WORD = 40  # letters that are looked at before a full stop
ABBREVIATIONS = listed("abbreviations")

_QUESTION_MARKS = re.compile("[?？؟;⁇⁈⁉‽]")
_STOP = re.compile(r"(?<![.!?…])([.!?…]+)[\"'”’)\]]*\s+(?=[\"'“‘(\[]*(\w))|([。！？]+)[」』”]*(?=\S)")


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of a question: `spans` are in code points, `words` are for messages to quote.

    `words` are, for gives_away* the words of the question, for repeats_hop the matching text, for hop_missing the
    unused words of the hop.
    """

    check: str
    hop: int = 0  # from 1; 0: it is about no hop
    spans: tuple[Span, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.check}-{self.hop}" if self.hop else self.check


def findings(question: str, hops: Sequence[Hop], *, most_words: int) -> list[Finding]:
    """The findings of all checks, whatever their levels, in the order of `CHECKS` and then of the hops."""
    plan = _plan(tuple(hops))
    question_words = words(question)
    results = [
        *_given_away(question, question_words, plan),
        *_repeated(question, question_words, plan),
        *_missing(question_words, hops),
        *_too_long(question, most_words),
        *_unmarked(question),
        *_sentences(question),
    ]
    return sorted(results, key=lambda finding: CHECKS.index(finding.check))


def most_words(hops: Sequence[Hop]) -> int:
    """The default word limit of a question over these hops; 97 % of MuSiQue's compositions keep it."""
    return {1: 20, 2: 25, 3: 30, 4: 40}.get(len(hops), 10 * len(hops))


# ------------------------------------------------------------------------------------- what depends on the hops alone


@dataclass(frozen=True, slots=True)
class _Plan:
    answers: tuple[tuple[str, int, AnswerForms], ...]  # (check, hop, answer): must not be in the question
    known: frozenset[str]  # the hops' words
    repeated: tuple[tuple[int, str, tuple[str, ...]], ...]  # hop, its words in a row, its content words


@lru_cache(maxsize=1 << 11)
def _plan(hops: tuple[Hop, ...]) -> _Plan:
    questions = [words(without_references(hop.question)) for hop in hops]
    known = frozenset(word.plain for question in questions for word in question)
    heads = {head for head, _tail in dag.edges(hops)}
    wanted = []
    for k, hop in enumerate(hops, 1):
        check = "gives_away_final" if k == len(hops) else "gives_away"
        answer = answer_forms(hop.answer)
        if (k in heads or k == len(hops)) and not _is_asked_with(answer, questions):
            wanted.append((check, k, answer))
    repeated = [(k, *form) for k, hop in enumerate(hops, 1) for form in _wordings(hop, hops)]
    return _Plan(tuple(wanted), known, tuple(dict.fromkeys(repeated)))


def _is_asked_with(answer: AnswerForms, questions: Sequence[Sequence[Word]]) -> bool:
    """Whether a hop's own question contains the answer, so that the composed question has to as well.

    A single word must match exactly; a longer name may be misspelt ("govenor general of").
    """
    for question in questions:
        plain_words = frozenset(word.plain for word in question)
        known = plain_words if len(answer.content) < 2 else frozenset()
        if leaks(answer, question, known=known) or (answer.content and plain_words.issuperset(answer.content)):
            return True
    return False


def _wordings(hop: Hop, hops: Sequence[Hop]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The hop's question without its `#k` and with their answers: its words in a row, the content words."""
    for text in (without_references(hop.question), resolved(hop.question, hops)):
        row = words(text)
        yield " ".join(word.plain for word in row), tuple(word.plain for word in content_words(text))


# ------------------------------------------------------------------------------------------------------------- checks


def _given_away(question: str, question_words: Sequence[Word], plan: _Plan) -> Iterator[Finding]:
    for check, hop, answer in plan.answers:
        if spans := tuple(leaks(answer, question_words, known=plan.known)):
            yield Finding(check, hop, spans, tuple(question[a:b] for a, b in spans))


def _repeated(question: str, question_words: Sequence[Word], plan: _Plan) -> Iterator[Finding]:
    own = [word for word in question_words if not (word.plain.isdecimal() and question[: word.start].endswith("#"))]
    row = " ".join(word.plain for word in own)
    plain_words = [word.plain for word in own if not (word.is_function or word.is_initial)]
    seen: set[int] = set()
    for hop, wording, content in plan.repeated:
        if hop not in seen and _says_the_same(row, plain_words, wording, content):
            seen.add(hop)
            span = (question_words[0].start, question_words[-1].end)
            yield Finding("repeats_hop", hop, (span,), (question[slice(*span)],))


def _says_the_same(row: str, plain_words: Sequence[str], wording: str, content: Sequence[str]) -> bool:
    """Whether two texts have nearly the same letters, or the same content words in any order and form."""
    alike = likeness(row, wording) if wording else 0.0
    if alike >= VERY_ALIKE:
        return True
    if alike < ALIKE and len(plain_words) != len(content):
        return False
    left = list(content)
    for word in plain_words:
        meant = next((other for other in left if kin(word, other) or misspelt(word, other)), None)
        if meant is None:
            return False
        left.remove(meant)
    return alike >= ALIKE or not (left or not plain_words)


def _missing(question_words: Sequence[Word], hops: Sequence[Hop]) -> Iterator[Finding]:
    for row in covered(question_words, hops):
        if row.neglected:
            yield Finding("hop_missing", row.hop, (), tuple(text for text, used in row.words if not used))


def _too_long(question: str, most: int) -> Iterator[Finding]:
    places = [match.span() for match in re.finditer(r"\S+", question)]
    if len(places) > most:
        yield Finding("too_long", 0, ((places[most][0], places[-1][1]),))


def _unmarked(question: str) -> Iterator[Finding]:
    if not _QUESTION_MARKS.search(question):
        yield Finding("no_question_mark")


def _sentences(question: str) -> Iterator[Finding]:
    starts = [match.end() for match in _STOP.finditer(question) if _ends_sentence(question, match)]
    if len(starts) >= MOST_SENTENCES:
        yield Finding("sentences", 0, ((starts[MOST_SENTENCES - 1], len(question.rstrip())),))


def _ends_sentence(question: str, match: re.Match[str]) -> bool:
    """Whether a sentence ends here: not after abbreviations or initials, or before lower case ("Jeopardy! in")."""
    if match[3]:
        return True
    if match[2].islower():
        return False
    if match[1] != ".":
        return True
    before = question[max(0, match.start() - LONGEST_WORD) : match.start()].split()
    word = before[-1].strip("\"'“‘([") if before else ""
    initial = len(word) == 1 and word.isalpha()
    return not (initial or "." in word or word.lower() in ABBREVIATIONS)
