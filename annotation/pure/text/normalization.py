"""Normalisation of answers by the official scorers: lower case, no ASCII punctuation, no articles, single spaces.

One definition for every scorer, because SQuAD, HotpotQA and MuSiQue share it exactly (Rajpurkar et al.
2016). Nothing else is normalised: curly quotes, dashes and accents stay unchanged.
"""

import re
import string
from functools import lru_cache

ARTICLES = frozenset({"a", "an", "the"})
SHORT = 100  # characters

_DELETED = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def answer_tokens(text: str) -> list[str]:
    """The words of the normalised answer, in order; empty if nothing is left."""
    bare = text.lower().translate(_DELETED)
    if text.isascii() and text.isprintable():
        # Only letters, digits and spaces are left, so that the regular expression's words are ours.
        return [word for word in bare.split() if word not in ARTICLES]
    return _ARTICLE.sub(" ", bare).split()


def normalise_answer(text: str) -> str:
    """The answer in the form in which the official scorers compare it; short ones, which recur, are kept."""
    return _kept(text) if len(text) <= SHORT else " ".join(answer_tokens(text))


@lru_cache(maxsize=10_000)
def _kept(text: str) -> str:
    return " ".join(answer_tokens(text))


def normalise_words(text: str) -> str:
    """Lower case, no ASCII punctuation, single spaces: as `normalise_answer`, with the articles."""
    return " ".join(text.lower().translate(_DELETED).split())
