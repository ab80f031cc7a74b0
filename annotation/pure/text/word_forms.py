"""Words of questions as people write them: tokens with offsets, normalised, and compared across their forms.

Made for English, and harmless for other languages: in scripts without spaces every character counts as a word.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from annotation.pure.text.english import WORDS, listed
from annotation.pure.text.fuzzy_search import SHORTEST_SLIP, is_slip
from annotation.pure.text.normalization import folded

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_MARKS = rf"\u0300-\u036f{_INVISIBLE}"
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_APOSTROPHES = "'’ʼ`´"
_SIGN = rf"[^\W_{_UNSPACED}]"

_WORD = re.compile(
    rf"[{_UNSPACED}]"
    r"|\d+(?:[.,]\d+)+(?!\w)"
    rf"|(?:{_SIGN}\.){{2,}}(?:{_SIGN}(?!\w))?"
    rf"|{_SIGN}\.{_SIGN}(?!\w)"
    rf"|{_SIGN}[{_MARKS}]*(?:[{_APOSTROPHES}]?(?:{_SIGN}|[{_MARKS}]))*(?:\+\+|[+#](?!\w))?"
)
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_DROPPED = dict.fromkeys(map(ord, "'."))


class Word(NamedTuple):
    """A word at start..end of a text; `plain` is its folded form without possessive."""

    start: int
    end: int
    text: str
    plain: str

    @property
    def is_function(self) -> bool:
        """Whether it is a function word; words in capitals ("US", "WHO") are names."""
        return self.plain in FUNCTION_WORDS and not (len(self.plain) > 1 and self.text.isupper())

    @property
    def is_initial(self) -> bool:
        return len(self.plain) == 1 and self.plain.isalpha()


def words(text: str) -> list[Word]:
    """The words of a text in order. A possessive "'s" belongs to its word, even after a space."""
    candidates = (Word(m.start(), m.end(), m[0], plain(m[0])) for m in _WORD.finditer(text))
    return [
        word
        for word in candidates
        if word.plain and not (word.plain == "s" and word.start > 0 and text[word.start - 1] in _APOSTROPHES)
    ]


@lru_cache(maxsize=1 << 15)
def plain(word: str) -> str:
    """A word in lower case without diacritics, possessive, apostrophes and the dots of abbreviations."""
    if any(map(str.isdigit, word)) and not any(map(str.isalpha, word)):
        return word.replace(",", "").casefold()
    low = "".join(sign for sign in folded(word).text if not unicodedata.combining(sign))
    low = low.removesuffix("'s").translate(_DROPPED)
    ordinal = _ORDINAL.fullmatch(low)
    return ordinal[1] if ordinal else low


# ------------------------------------------------------------------------------------------------ one word in two forms


def same(one: str, other: str) -> bool:
    """Whether two plain words are equal except for singular and plural."""
    return one == other or (
        one[:2] == other[:2] and min(len(one), len(other)) >= 3 and not singulars(one).isdisjoint(singulars(other))
    )


@lru_cache(maxsize=1 << 15)
def singulars(word: str) -> frozenset[str]:
    """The word and its possible singulars."""
    forms = {word}
    if len(word) > 3 and word.endswith("s"):
        forms.add(word[:-1])
        if word.endswith("es"):
            forms.add(word[:-2])
        if word.endswith("ies"):
            forms.add(f"{word[:-3]}y")
    return frozenset(forms)


def misspelt(word: str, meant: str) -> bool:
    """Whether a word, or its singular, may be a typo of `meant`; never with digits."""
    if not -3 < len(word) - len(meant) < 5 or len(meant) < SHORTEST_SLIP:
        return False
    if word in _UNLIKE.get(meant, ()):
        return False
    if is_slip(word, meant):
        return True
    return "s" in (word[-1:], word[-2:-1]) and (
        is_slip(word, f"{meant}s") or any(is_slip(w, meant) for w in singulars(word))
    )


def kin(one: str, other: str) -> bool:
    """Whether two plain words are forms of one word, or derived from each other: "located" and "location"."""
    if same(one, other):
        return True
    if one[:3] == other[:3] and len(one) >= 3 and _derived(one, other):
        return True
    if one in _ROOTED and other in _ROOTED and _roots(one) & _roots(other):
        return True
    return _compounded(one, other) or _compounded(other, one)


@lru_cache(maxsize=1 << 16)
def _derived(one: str, other: str) -> bool:
    shared = _shared(one, other)
    if shared < (3 if shared in (len(one), len(other)) else 4):
        return False
    return any(cut >= 3 and _ending(one, cut) and _ending(other, cut) for cut in (shared, shared - 1))


def _roots(word: str) -> frozenset[str]:
    return _ROOTS.get(word) or _ROOTS[word[:-1]]


def _shared(one: str, other: str) -> int:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))


def _ending(word: str, cut: int) -> bool:
    """Whether the rest after the stem is an ending, also after a doubled consonant ("run", "running")."""
    rest = word[cut:]
    return rest in ENDINGS or (len(rest) > 2 and cut > 0 and rest[0] == word[cut - 1] and rest[1:] in ENDINGS)


def _compounded(part: str, whole: str) -> bool:
    """Whether a word is a half of another, as "birth" of "birthplace"."""
    long_enough = len(part) >= 5 and len(whole) - len(part) >= 4
    return long_enough and (whole.startswith(part) or whole.endswith(part))


ENDINGS = listed("endings") | {""}

# Words that are no slips of each other, though they look like it.
_CONFUSED = "county country; trial trail; angel angle; diary dairy; desert dessert; casual causal; martial marital"
_UNLIKE = {word: group for group in map(str.split, _CONFUSED.split("; ")) for word in group}

_ROOTS: dict[str, frozenset[str]] = {}  # for every form the first forms of its groups
for _group in map(str.split, re.split("[;\n]", WORDS["irregular"])):
    for _form in _group:
        _ROOTS[_form] = _ROOTS.get(_form, frozenset()) | {_group[0]}
_ROOTED = _ROOTS.keys() | {f"{_form}s" for _form in _ROOTS}

FUNCTION_WORDS = listed("function_words")
