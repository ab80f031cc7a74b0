"""Find an answer in a text: whole or nearly whole, inflected, misspelt or respelt.

A part of an answer ("Quell" of "Mara Quell") does not count, because a writer may need it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from annotation.pure.text.english import listed
from annotation.pure.text.fuzzy_search import SHORTEST_SLIP, is_slip
from annotation.pure.text.normalization import ARTICLES
from annotation.pure.text.word_forms import Word, misspelt, same, words

Span = tuple[int, int]

LONG = 5  # content words, from which one in five may be missing
LONGEST_JOINED = 8  # words that are also compared with the spaces elsewhere
SHORTEST_JOINED = 5  # letters of joined words

_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_OPTIONAL = listed("optional")


@dataclass(frozen=True, slots=True)
class AnswerForms:
    """The forms of an answer: each a sequence of (word, whether it may be left out)."""

    answer: str
    forms: tuple[tuple[tuple[Word, bool], ...], ...]
    content: tuple[str, ...]  # plain
    joined: str  # all its words without spaces; "" where too short or too long
    bears_slips: bool  # joined, too: no word is a single sign


@lru_cache(maxsize=1 << 13)
def answer_forms(answer: str) -> AnswerForms:
    answer_words = words(answer)
    forms = [_optional(form) for form in _forms(answer, answer_words)]
    joined = "".join(word.plain for word in _without_article(answer_words))
    fits = len(joined) >= SHORTEST_JOINED and len(answer_words) <= LONGEST_JOINED
    lengths = [len(word.plain) for word in answer_words]
    content = tuple(word.plain for word in answer_words if not word.is_function)
    return AnswerForms(
        answer, tuple(dict.fromkeys(forms)), content, joined if fits else "", min(lengths, default=0) > 1
    )


def leaks(target: AnswerForms, question: Sequence[Word], *, known: frozenset[str] = frozenset()) -> list[Span]:
    """Spans of an answer in a text, in order, without overlaps.

    A word in `known` is not a typo of another word ("Iran", if "Iraq" is the answer).
    """
    if not target.content:
        return list(_as_written(target, question))
    text = _Text(question, known)
    spans = [place for form in target.forms for place in text.places(form)]
    spans += _joined(target, question, known)
    if len(target.content) >= LONG and not spans:
        spans += text.nearly(target.content)
    return _apart((question[a].start, question[b].end) for a, b in spans)


def _apart(spans: Iterator[Span]) -> list[Span]:
    """The spans in order, without overlaps: the first to begin is kept, of several the longest."""
    kept: list[Span] = []
    for span in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


# --------------------------------------------------------------------------------------------------- forms of an answer


def _forms(answer: str, answer_words: list[Word]) -> Iterator[tuple[Word, ...]]:
    """The words of an answer in the orders in which it may be written, never none."""
    if not any(not word.is_function for word in answer_words):
        return
    bare = tuple(_without_article(answer_words))
    yield bare
    outside = tuple(_without_article(words(_BRACKETS.sub(" ", answer))))
    if any(not word.is_function for word in outside):
        yield outside
    before, comma, after = answer.partition(",")
    if comma and "," not in after and 1 <= len(words(before)) <= 2 and 1 <= len(words(after)) <= 2:
        yield (*words(after), *words(before))
    places = [k for k, word in enumerate(bare) if word.plain == "of"]
    if len(places) == 1 and 0 < places[0] < len(bare) - 1:
        yield (*_without_article(list(bare[places[0] + 1 :])), *bare[: places[0]])
    if 2 <= len(bare) <= 3 and any(sign.isdigit() for word in bare for sign in word.plain):
        yield from permutations(bare)


def _without_article(tokens: list[Word]) -> list[Word]:
    return tokens[1:] if len(tokens) > 1 and tokens[0].plain in ARTICLES else tokens


def _optional(form: tuple[Word, ...]) -> tuple[tuple[Word, bool], ...]:
    """The words, each with whether it is optional: function words, initials and titles, if enough words remain, but
    never the last word ("Charles I").
    """
    loose = [word.is_function or word.is_initial or word.plain in _OPTIONAL for word in form]
    loose[-1] = form[-1].plain in _OPTIONAL
    telling = sum(not free for free in loose)
    names = telling >= 2 or any(len(w.plain) >= 4 for w, free in zip(form, loose, strict=True) if not free)
    if not telling or not names:
        loose = [False] * len(form)
    return tuple(zip(form, loose, strict=True))


# ------------------------------------------------------------------------------------------------------------ in a text


class _Text:
    def __init__(self, question: Sequence[Word], known: frozenset[str]) -> None:
        self._words, self._known = question, known

    def places(self, form: Sequence[tuple[Word, bool]]) -> Iterator[tuple[int, int]]:
        """First and last word of every occurrence."""
        for start in range(len(self._words)):
            end = self._end(form, start)
            if end is not None:
                yield start, end

    def _end(self, form: Sequence[tuple[Word, bool]], start: int) -> int | None:
        """The last word of an occurrence that begins at `start`.

        Between two words there may be an initial or a middle name, or a function word if the answer has one too.
        """
        at, last, gaps, slips = start, None, 0, 0
        pending = False  # function words of the answer left out just before
        several = sum(not free for _word, free in form) > 1
        k = 0
        while k < len(form):
            word, free = form[k]
            here = self._words[at] if at < len(self._words) else None
            alike = here is not None and self._alike(word, here)
            slight = here is not None and not alike and several and not slips and self._slight(word, here)
            if alike or slight:
                slips += slight
                at, last, k, pending = at + 1, at, k + 1, False
            elif free:
                k, pending = k + 1, True
            elif here and last is not None and not gaps and self._between(word, here, pending):
                at, gaps = at + 1, gaps + 1
            else:
                return None
        return last

    def _between(self, word: Word, here: Word, pending: bool) -> bool:
        if here.is_function and not here.is_initial:
            return pending
        if pending:
            return False
        return here.is_initial or (here.text[:1].isupper() and word.text[:1].isupper())

    def _alike(self, word: Word, here: Word) -> bool:
        if here.is_function and not word.is_function and word.plain == here.plain:
            return False  # "us" is not the US
        if same(word.plain, here.plain):
            return True
        return not here.is_function and _is_slip_of(here.plain, word.plain, self._known)

    def _slight(self, word: Word, here: Word) -> bool:
        """A slip in a short word, of which a longer name can bear one."""
        meant, typed = word.plain, here.plain
        if not 3 <= len(meant) < SHORTEST_SLIP or here.is_function or typed in self._known:
            return False
        return is_slip(typed, meant, allowed=1) and (typed[0] == meant[0] or sorted(typed) == sorted(meant))

    def nearly(self, content: Sequence[str]) -> list[tuple[int, int]]:
        """Spans with at least four in five of a long answer's content words in order."""
        wanted = len(content) - len(content) // 5
        if sum(plain not in self._known for plain in content) * 2 < len(content):
            return []
        for start in range(len(self._words)):
            k, hits, last = 0, 0, start
            for at in range(start, min(len(self._words), start + 2 * len(content) + 3)):
                ahead = range(k, min(len(content), k + 2 + len(content) // 5))
                fits = next((j for j in ahead if self._plain_alike(content[j], self._words[at])), None)
                if fits is None:
                    if at == start:
                        break
                    continue
                k, hits, last = fits + 1, hits + 1, at
            if hits >= wanted:
                return [(start, last)]
        return []

    def _plain_alike(self, plain: str, here: Word) -> bool:
        return same(plain, here.plain) or _is_slip_of(here.plain, plain, self._known)


def _joined(target: AnswerForms, question: Sequence[Word], known: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Stretches that are the answer with the spaces elsewhere: "Newhaven", "multi use"; a single word also misspelt."""
    wanted = target.joined
    for start in range(len(question) if wanted else 0):
        text = ""
        for at in range(start, len(question)):
            text += question[at].plain
            if same(text, wanted) or (at == start and target.bears_slips and _is_slip_of(text, wanted, known)):
                yield start, at
            if len(text) > len(wanted) + 2:
                break


def _is_slip_of(typed: str, meant: str, known: frozenset[str]) -> bool:
    return typed not in known and misspelt(typed, meant)


def _as_written(target: AnswerForms, question: Sequence[Word]) -> Iterator[Span]:
    """An answer of function words alone ("The Who") counts as it is written, with a capital, inside a sentence."""
    texts = [word.text for word in words(target.answer)]
    if not any(text[:1].isupper() for text in texts):
        return
    for start in range(1, len(question) - len(texts) + 1):
        if [word.text for word in question[start : start + len(texts)]] == texts:
            yield question[start].start, question[start + len(texts) - 1].end
