"""Sentences, tokens, Penn tags and lemmas of English text. The only module that imports their packages.

HanTa's tags are CLAWS C5's (British National Corpus), whose PRP is a preposition: everything outside this module sees
Penn tags only. Another tagger is any function from the words of a sentence to a (Penn tag, lemma) for each.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

Tagged = tuple[str, str]  # Penn tag, lemma
Tagger = Callable[[Sequence[str]], Sequence[Tagged]]

MODEL = "morphmodel_en.pgz"  # HanTa 1.2's English model; its CLAWS C5 tags are mapped to Penn's

# Words with their inner hyphens, numbers with their separators, abbreviations; then clitics and signs one by one.
# A number is never given up in part: by a look ahead, since Python before 3.11.5 goes wrong on possessive groups.
_TOKEN = re.compile(
    r"""(?=(\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th)?))\1(?![^\W\d]|-\w)   # 1,250 3.5 20th
    | (?:[^\W\d]\.){2,}                                # U.S.
    | \w+(?:-\w+)*?(?=n['’]t\b)                        # do|n't
    | n['’]t\b
    | ['’](?:s|re|ve|ll|d|m)\b                         # it|'s
    | [\w\u0300-\u036f]+(?:-[\w\u0300-\u036f]+)*
    | [^\w\s](?:[\u200d\ufe0f\U0001f3fb-\U0001f3ff\u0300-\u036f]+[^\w\s]?)*   # a sign, an emoji of several""",
    re.X | re.I,
)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")

# Penn tags, each with the CLAWS C5 tags mapped to it.
_TAGS = """
    JJ AJ0 ORD; JJR AJC; JJS AJS; DT AT0 DT0; RB AV0 XX0; RP AVP; WRB AVQ; CC CJC; IN CJS CJT PRF PRP IN; CD CRD;
    PRP$ DPS; WDT DTQ; EX EX0; UH ITJ; NN NN NN0 NN1 PNI; NNS NN2; NNP NP0; PRP PNP PNX; WP PNQ; POS POS; TO TO0;
    MD VM0; SYM ZZ0; : PUN; -LRB- PUL; -RRB- PUR; '' PUQ; FW UNC
    """
_PENN = {claws: penn_tag for penn_tag, *others in map(str.split, _TAGS.split(";")) for claws in others}
_VERB = {"B": "VBP", "D": "VBD", "G": "VBG", "I": "VB", "N": "VBN", "Z": "VBZ"}  # by the last letter
_BY_WORD = {"whose": "WP$", "what": "WP", "who": "WP", "whom": "WP", "which": "WDT"}
_SIGNS = {".": ".", "!": ".", "?": ".", ",": ",", "(": "-LRB-", ")": "-RRB-", "$": "$", "#": "#"}


def penn(claws: str, word: str) -> str:
    """The Penn tag of a word with a CLAWS C5 tag; FW for a tag that is unknown."""
    if word in _SIGNS:
        return _SIGNS[word]
    if is_sign(word):
        return ":"
    if _NUMBER.fullmatch(word):
        return "CD"
    if claws == "CRD" and not word.isalpha():
        return "JJ"  # mid-1858
    if claws in ("DTQ", "PNQ"):
        return _BY_WORD.get(word.lower(), _PENN[claws])
    if len(claws) == 3 and claws[:2] in ("VV", "VB", "VH", "VD"):
        return _VERB.get(claws[2], "VB")
    return _PENN.get(claws, "FW")


def is_sign(word: str) -> bool:
    """Whether a token is punctuation or another sign: no letter and no digit in it."""
    return not any(sign.isalnum() for sign in word)


def hanta(words: Sequence[str]) -> list[Tagged]:
    """The tags and lemmas that HanTa gives the words of a sentence."""
    return list(_hanta(tuple(words)))


@lru_cache(maxsize=1 << 12)
def _hanta(words: tuple[str, ...]) -> tuple[Tagged, ...]:
    # An apostrophe of typographers is unknown to the model.
    plain = [word.replace("’", "'") for word in words]
    tags = _model().tag_sent(plain, taglevel=1) if plain else []
    return tuple(_tagged(word, lemma, penn(claws, word)) for word, (_, lemma, claws) in zip(words, tags, strict=True))


def _tagged(word: str, lemma: str, tag: str) -> Tagged:
    """(Penn tag, lower-case lemma); the lemma of a proper noun is the word itself, even if it ends in "s" ("Mars")."""
    return tag, (word if tag == "NNP" or not lemma.strip() else lemma).lower()


@cache
def _model() -> Any:
    from HanTa.HanoverTagger import HanoverTagger  # imported on first use, because it takes a second and 65 MB

    return HanoverTagger(MODEL)


def tokens(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """(start, end) of the tokens of a stretch of a text: words, numbers, clitics, and signs one by one."""
    return [match.span() for match in _TOKEN.finditer(text, start, len(text) if end is None else end)]


@lru_cache(maxsize=1 << 12)
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of the sentences of a text by syntok; the whole text if it finds none."""
    from syntok import segmenter

    spans = []
    for paragraph in segmenter.analyze(text):
        for sentence in paragraph:
            words = list(sentence)
            if words:
                spans.append((words[0].offset, words[-1].offset + len(words[-1].value)))
    return tuple(spans) if spans and _in_order(spans, text) else ((0, len(text)),)


def _in_order(spans: list[tuple[int, int]], text: str) -> bool:
    """Whether the spans follow each other and leave out nothing but white space."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    gaps = (text[edges[k] : edges[k + 1]] for k in range(0, len(edges), 2))
    return edges == sorted(edges) and all(not gap.strip() for gap in gaps)
