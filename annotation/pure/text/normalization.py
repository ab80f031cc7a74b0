"""The normal forms of texts: of answers as official scorers compare them, and of what people type as we compare it.

`normalise_answer` is the scorers': lower case, no ASCII punctuation, no articles, single spaces. SQuAD, HotpotQA and
MuSiQue share it exactly (Rajpurkar et al. 2016). Nothing else is normalised: curly quotes, dashes and accents stay
unchanged.

`fold` gives what people type in several ways one spelling: quotes, dashes, spaces, accents, ligatures, invisible signs,
case. It finds typed words in a text, decides which answers are equal in a vote, and searches. The page does the same
while somebody types (static/js/folding.js).
"""

import re
import string
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

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


# A word with what folds into it: its accents, and signs that nobody sees.
WORD = re.compile(r"\w[\w\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]*")

_QUOTES = dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02bd\u02c8", "'")
_QUOTES |= dict.fromkeys("\u055a\u05f3\ua78c\u00b4`", "'")
_QUOTES |= dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u05f4\u301d\u301e\u301f\u02ba", '"')
_QUOTES |= dict.fromkeys("\u2039\u203a", "'")
_I, _DOT = dict.fromkeys("\u0130\u0131", "i"), "\u0307"  # Turkish, and its capital as two characters
_DASHES = "\u2212\u2043"  # which are no dashes (Pd) by their category
_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164"  # which are no format signs (Cf)

_GAP = re.compile(r"\s*-[-\s]*|\s+")
_SPACED_DASH = re.compile(r"\s*-[-\s]*")


class Folded(NamedTuple):
    """A folded text, and where each of its characters begins in the text; None if all stay in their places."""

    text: str
    origins: Sequence[int] | None


@lru_cache(maxsize=1 << 14)
def _sign(sign: str) -> str:
    """A character folded: several ("ﬁ"), or none if it is invisible."""
    if sign in _QUOTES or sign in _I:
        return _QUOTES.get(sign) or _I[sign]
    kind = unicodedata.category(sign)
    if kind == "Pd" or sign in _DASHES:
        return "-"
    if kind == "Cf" or sign in _INVISIBLE or "\ufe00" <= sign <= "\ufe0f":
        return ""
    if sign.isspace():
        return " "
    if unicodedata.normalize("NFKD", sign)[0] == " ":  # an accent by itself, which belongs to no letter
        return sign
    # Browsers have no `casefold`: "ẞ", "ß" and "ς" become "ss" and "σ" by way of capitals.
    apart = "".join(_QUOTES.get(each, each) for each in unicodedata.normalize("NFKD", sign).lower().upper().lower())
    return unicodedata.normalize("NFKD", apart)


@lru_cache(maxsize=256)  # one page's paragraphs are searched again with each response
def folded(text: str) -> Folded:
    """The text character by character, accents as marks of their own; spaces and dashes are not yet joined."""
    if text.isascii():
        return Folded(text.replace("`", "'").lower(), None)
    signs = [_sign(sign) for sign in text]
    if _DOT in signs:
        signs = ["" if (before, sign) == ("i", _DOT) else sign for before, sign in pairwise(["", *signs])]
    whole = unicodedata.normalize("NFD", "".join(signs))  # which now only puts the marks of a letter in order
    if all(len(sign) == 1 for sign in signs):
        return Folded(whole, None)
    return Folded(whole, [at for at, sign in enumerate(signs) for _each in sign] + [len(text)])


def fold(text: str) -> str:
    """The text as it is compared: equal for two spellings of the same."""
    return unicodedata.normalize("NFC", _SPACED_DASH.sub("-", " ".join(folded(text).text.split())))


def answer_key(text: str) -> str:
    """The form in which two answers count as the same in a vote: folded, then as the official scorers compare them."""
    return normalise_answer(fold(text))


def pattern(words: str) -> str:
    """A regular expression that finds the words in the `text` of a `Folded`; "" if nothing of them is visible."""
    bare = folded(words).text.strip()
    found, at = "", 0
    for gap in _GAP.finditer(bare):
        between = r"\s+" if "-" not in gap[0] else "-+"
        if "-" in gap[0]:
            between += r"[-\s]*" if gap.end() < len(bare) else "(?!-)"
        if "-" in gap[0] and gap.start():
            between = r"\s*" + between
        found += re.escape(bare[at : gap.start()]) + between
        at = gap.end()
    return found + re.escape(bare[at:])


def is_mark(sign: str) -> bool:
    """Whether the character belongs to the letter before it; "" at the end of a text does not."""
    return bool(sign) and unicodedata.category(sign)[0] == "M"
