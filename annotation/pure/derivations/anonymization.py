"""Ablation 4: words as the name of their part of speech and a number, the same for the same lemma."""

from __future__ import annotations

from collections import defaultdict

from annotation.pure.derivations.ablation_text import Sentence, assembled, passage, with_words
from annotation.pure.text.tagging import Tagger, is_sign

_BY_TAG = {
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS"), "noun"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "verb"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "adj"),
    **dict.fromkeys(("RB", "RBR", "RBS"), "adv"),
    **dict.fromkeys(("WDT", "WP", "WP$", "WRB"), "wh"),
    **dict.fromkeys(("IN", "TO"), "prep"),
    "CD": "number",
}
PERIODS = frozenset(".!?")


def class_of(word: str, tag: str) -> str:
    """The name under which a word goes: noun verb adj adv number wh prep punct period other."""
    if word in PERIODS:
        return "period"
    return "punct" if is_sign(word) else _BY_TAG.get(tag, "other")


class Names:
    """The names of one example, which its question and its context share."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger
        self._numbers: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def words(self, sentence: Sentence) -> dict[int, str]:
        """The name of every token of a sentence, by its start; behind that of an inflected word stands its tag."""
        tagged = sentence.tagged(self._tagger)
        found = {}
        for token, (tag, lemma) in zip(sentence.tokens, tagged, strict=True):
            kind = class_of(token.text, tag)
            known = self._numbers[kind]
            inflected = kind not in ("punct", "period") and lemma != token.text.lower()
            name = f"@{kind}{known.setdefault(lemma, len(known))}"
            found[token.start] = f"{name} [{tag}]" if inflected else name
        return found

    def renamed(self, text: str) -> str:
        """A text with names for its words."""
        source = passage(text)
        rows = [with_words(source, sentence, self.words(sentence), spaced=True) for sentence in source.sentences]
        return assembled(source, rows, title="").paragraph.text
