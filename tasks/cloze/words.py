"""Words as they are typed and compared: by lemma for content words, exactly for function words."""

import re
from functools import lru_cache
from typing import NamedTuple

from annotation.pure.data.example import Example
from annotation.pure.derivations.ablation_text import is_function_word, passage
from annotation.pure.text.normalization import fold
from annotation.pure.text.tagging import hanta
from annotation.tasktype import JSON

from .sentence import original_texts

NO_IDEA = "?"
_AROUND = re.compile(r"^\W+|\W+$")


class Removed(NamedTuple):
    """A removed word: the words of its sentence, and its position among them."""

    sentence: tuple[str, ...]
    at: int

    @property
    def text(self) -> str:
        return self.sentence[self.at]

    @property
    def is_function(self) -> bool:
        return is_function_word(self.text)


def removed_words(payload: JSON, gold: Example) -> list[Removed] | None:
    """The words that stood in the blanks; None if the gold does not keep the original."""
    texts = original_texts(gold)
    if texts is None or payload["paragraph"] >= len(texts):
        return None
    every = [
        Removed(tuple(token.text for token in sentence.tokens), at)
        for sentence in passage(texts[payload["paragraph"]]).sentences
        for at in range(len(sentence.tokens))
    ]
    return [every[position] for position in payload["blanks"]] if payload["blanks"][-1] < len(every) else None


def plain(word: str) -> str:
    """A word without case, white space and the signs around it; "" for no idea."""
    return _AROUND.sub("", fold(word))


@lru_cache(maxsize=1 << 12)
def key(word: str) -> str:
    """What typed words are counted by: a function word itself, the lemma of a content word taken by itself."""
    folded = plain(word)
    return folded if not folded or is_function_word(folded) else hanta([folded])[0][1]


def matches(typed: str, removed: Removed) -> bool:
    """Whether a typed word is the removed one.

    Content words match if they have the same lemma, by themselves or in the original sentence.
    """
    if not plain(typed) or plain(typed) == plain(removed.text):
        return bool(plain(typed))
    if removed.is_function or is_function_word(plain(typed)):
        return False
    return key(typed) == key(removed.text) or _lemma(removed, plain(typed)) == _lemma(removed, removed.text)


def _lemma(removed: Removed, word: str) -> str:
    """The lemma of a word in the place of the removed one."""
    words = [*removed.sentence[: removed.at], word, *removed.sentence[removed.at + 1 :]]
    return hanta(words)[removed.at][1]
