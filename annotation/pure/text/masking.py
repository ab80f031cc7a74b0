"""Mask answers in questions, and detect answers in paragraphs.

A mention counts in any case, with other white space or punctuation between its words, with or without its
article, as a possessive and in the plural, as a reader or a retriever would match it. When in doubt, a word is
masked.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from annotation.pure.data.dag import REFERENCE
from annotation.pure.data.example import Hop
from annotation.pure.text.normalization import ARTICLES

MASK = "[MASK]"
SHORTEST_PART = 4  # letters, from which an answer also counts inside a longer word ("Paris" in "Parisian")

_WORD = re.compile(r"\w+")


def hidden(text: str, mentions: Iterable[str], *, mask: str = MASK) -> str:
    """The text with every mention replaced by the mask; of two that overlap, the first to begin."""
    patterns = [_forms(mention) for mention in sorted(set(mentions), key=lambda m: (-len(m), m))]
    wanted = [pattern for pattern in patterns if pattern]
    if not wanted:
        return text
    pattern = re.compile("|".join(wanted), re.I)
    masked = pattern.sub(lambda _match: mask, text)
    while not _WORD.search(mask) and masked != text:  # the replacement may have formed a new mention
        text, masked = masked, pattern.sub(lambda _match: mask, masked)
    return masked


def carries(text: str, answer: str) -> bool:
    """Whether a text contains the answer: as words, ignoring case, or, from four letters on, within a word."""
    bare = " ".join(answer.split()).casefold()
    if len(bare) >= SHORTEST_PART and bare in text.casefold():
        return True
    pattern = _compiled(answer)
    return bool(pattern and pattern.search(text))


def resolved(question: str, hops: Sequence[Hop], *, masked: int = 0, mask: str = MASK) -> str:
    """A hop's question with the answers of `hops` for its `#k`; `#masked` (1-based) becomes the mask.

    With a mask, every other mention of that answer is hidden too. A reference to no hop stays as it is.
    """
    if not masked:
        return _put(question, lambda k: hops[k - 1].answer if 1 <= k <= len(hops) else None)
    # Hidden before the mask is put in, so that an answer such as "Mask" does not mask the mask.
    answer = hops[masked - 1].answer
    pieces = re.split(rf"(?<!\w)#{masked}(?![0-9])", question)
    return mask.join(hidden(resolved(piece, hops), [answer], mask=mask) for piece in pieces)


def without_references(question: str) -> str:
    """A hop's question with a space for each `#k`."""
    return _put(question, lambda _k: " ")


def _put(question: str, value: Callable[[int], str | None]) -> str:
    def answer(match: re.Match[str]) -> str:
        text = value(int(match[1]))
        return match[0] if text is None else text

    return REFERENCE.sub(answer, question)


@lru_cache(maxsize=1 << 14)
def _compiled(mention: str) -> re.Pattern[str] | None:
    forms = _forms(mention)
    return re.compile(forms, re.I) if forms else None


@lru_cache(maxsize=1 << 14)
def _forms(mention: str) -> str:
    """A regular expression for the forms of a mention; "" for a blank mention."""
    words = _WORD.findall(mention)
    if not words:
        return re.escape(mention.strip())
    article = words[0].lower() in ARTICLES and len(words) > 1
    if article:
        words = words[1:]
    before = r"(?:(?:a|an|the)\W+)?" if article else ""
    return rf"(?<!\w){before}" + r"\W+".join([*map(re.escape, words[:-1]), _inflected(words[-1])]) + r"(?!\w)"


def _inflected(word: str) -> str:
    """The word in singular and plural, and its possessive."""
    plain = re.escape(word)
    possessive = r"(?:['’]s)?"
    if len(word) < 3:
        return plain + possessive
    last = word[-1].lower()
    if last == "y":
        return rf"{re.escape(word[:-1])}(?:y|ys|ies){possessive}"
    if len(word) > 4 and word[-3:].lower() == "ies":
        return rf"{re.escape(word[:-3])}(?:ies|ie|y){possessive}"
    if last == "s" and len(word) > 3 and word[-2].lower() != "s":
        return rf"{re.escape(word[:-1])}(?:s|ses)?{possessive}"
    return rf"{plain}(?:s|es)?{possessive}"
