"""Texts of an ablation: words dropped, anonymised, shuffled or replaced (Sugawara et al. 2020).

A passage is a list of sentences, a sentence a list of tokens. An ablation returns `Piece`s: a text and the token it
replaces. From these follow the new text and every token's offsets in it.

Tokens of an original text are found again in its ablated one (Table 2). Ablations that shuffle cannot be aligned:
which of two equal words is which is not known.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from annotation.pure.data.example import Paragraph
from annotation.pure.text.english import listed
from annotation.pure.text.tagging import Tagged, Tagger, is_sign, sentences, tokens

UNKNOWN = "[UNK]"

_LOGICAL = "all any each every few if more most no nor not other same some than"
_CAUSAL = "as because cause since therefore why"
_INTERROGATIVE = "what which who whom whose when where why how"
FUNCTION_WORDS = listed("stopwords")
LOGICAL_WORDS = frozenset(_LOGICAL.split())
CAUSAL_WORDS = frozenset(_CAUSAL.split())
INTERROGATIVES = frozenset(_INTERROGATIVE.split())
PRONOUN_TAGS = frozenset({"PRP", "PRP$"})


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    start: int  # in the passage
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    start: int
    end: int
    tokens: tuple[Token, ...]

    def tagged(self, tagger: Tagger) -> Sequence[Tagged]:
        return tagger([token.text for token in self.tokens])


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with its sentences; `drawn`: the boundaries are the source's."""

    text: str
    sentences: tuple[Sentence, ...]
    title: str = ""
    drawn: bool = False

    @property
    def tokens(self) -> list[Token]:
        return [token for sentence in self.sentences for token in sentence.tokens]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an ablated text and the token (its start in the passage) that it replaces; -1: none."""

    text: str
    token: int = -1


@dataclass(frozen=True, slots=True)
class AblatedText:
    """An ablated text and the place of every token in it, by the token's start in the original."""

    paragraph: Paragraph
    places: Mapping[int, tuple[int, int]]


def passage(text: str, *, title: str = "", spans: Sequence[tuple[int, int]] | None = None) -> Passage:
    """A tokenised text; `spans` are the source's sentences, by default they are detected."""
    drawn = spans is not None
    parts = sentences(text) if spans is None else spans
    cut = [
        Sentence(start, end, tuple(Token(text[a:b], a, b) for a, b in tokens(text, start, end))) for start, end in parts
    ]
    return Passage(text, tuple(cut), title, drawn)


def of_paragraph(paragraph: Paragraph) -> Passage:
    spans = None if paragraph.sentences is None else paragraph.sentence_spans()
    return passage(paragraph.text, title=paragraph.title, spans=spans)


def is_function_word(word: str) -> bool:
    """Whether a token is a function word, clitics ("n't", "'s") included."""
    plain = word.lower().replace("’", "'")
    return plain in FUNCTION_WORDS or plain.lstrip("'") in FUNCTION_WORDS or plain == "n't"


def with_words(source: Passage, sentence: Sentence, words: Mapping[int, str], *, spaced: bool = False) -> list[Piece]:
    """The pieces of a sentence whose tokens (by their starts) read otherwise; white space stays.

    `spaced` puts a space between tokens that touch each other.
    """
    pieces: list[Piece] = []
    at = sentence.start
    for token in sentence.tokens:
        touching = spaced and pieces and token.start == at
        pieces.append(Piece(" " if touching else source.text[at : token.start]))
        pieces.append(Piece(words.get(token.start, token.text), token.start))
        at = token.end
    return [piece for piece in (*pieces, Piece(source.text[at : sentence.end])) if piece.text]


def reworded(source: Passage, words: Mapping[int, str], *, spaced: bool = False) -> str:
    """The text of a passage whose tokens (by their starts) read otherwise, as `with_words` has it."""
    rows = [with_words(source, sentence, words, spaced=spaced) for sentence in source.sentences]
    return assembled(source, rows, title="").paragraph.text


def assembled(source: Passage, sentences: Sequence[Sequence[Piece]], *, title: str, apart: bool = False) -> AblatedText:
    """The passage of these sentences; `apart` separates them by a space instead of the original white space."""
    texts = ["".join(piece.text for piece in pieces) for pieces in sentences]
    if source.drawn:
        paragraph = Paragraph.of_sentences(title, tuple(texts))
        starts = [start for start, _ in paragraph.sentence_spans()]
    else:
        text, starts = _joined(texts, _gaps(source, apart))
        paragraph = Paragraph(title, text)
    places = {}
    for start, pieces in zip(starts, sentences, strict=True):
        for piece in pieces:
            if piece.token >= 0:
                places[piece.token] = (start, start + len(piece.text))
            start += len(piece.text)
    return AblatedText(paragraph, places)


def _gaps(source: Passage, apart: bool) -> list[str]:
    """The text before each sentence and after the last."""
    edges = [0, *(edge for s in source.sentences for edge in (s.start, s.end)), len(source.text)]
    gaps = [source.text[edges[k] : edges[k + 1]] for k in range(0, len(edges), 2)]
    return [gaps[0], *(" " for _ in gaps[1:-1]), gaps[-1]] if apart else gaps


def _joined(texts: Sequence[str], gaps: Sequence[str]) -> tuple[str, list[int]]:
    text, starts = gaps[0], []
    for part, gap in zip(texts, gaps[1:], strict=True):
        starts.append(len(text))
        text += part + gap
    return text, starts


Gold = tuple[int, int] | None  # (start, end) of the gold span in the passage, grown to whole tokens


def segments(tokens: Sequence[Token], gold: Gold, length: int) -> list[list[Token]]:
    """The tokens in segments of `length`; the gold's tokens are one segment, shorter ones end at the edges."""
    inside = [k for k, token in enumerate(tokens) if gold and gold[0] <= token.start < gold[1]]
    first, last = (inside[0], inside[-1] + 1) if inside else (0, 0)
    before = [tokens[max(0, end - length) : end] for end in range(first, 0, -length)][::-1]
    behind = [tokens[start : start + length] for start in range(last, len(tokens), length)]
    middle = [tokens[first:last]] if inside else []
    return [list(segment) for segment in (*before, *middle, *behind)]


def shuffled_words(source: Passage, gold: Gold, length: int, rng: Random) -> AblatedText:
    """Ablation 6. The passage has no sentences any more."""
    moved = segments(source.tokens, gold, length)
    rng.shuffle(moved)
    whole = Sentence(0, len(source.text), tuple(source.tokens))
    one = Passage(source.text, (whole,), source.title)
    return assembled(one, [_row(source, moved)], title=source.title)


def shuffled_in_sentences(source: Passage, gold: Gold, length: int, rng: Random) -> AblatedText:
    """Ablation 7. The last token of a sentence stays; so does the gold if it ends a sentence."""
    source = _with_gold_in_one_sentence(source, gold)
    rows = []
    for sentence in source.sentences:
        if not sentence.tokens:
            rows.append(with_words(source, sentence, {}))
            continue
        last = len(sentence.tokens) - 1
        if gold and gold[0] <= sentence.tokens[-1].start < gold[1]:
            last = next(k for k, token in enumerate(sentence.tokens) if token.start >= gold[0])
        moved = segments(sentence.tokens[:last], gold, length)
        rng.shuffle(moved)
        rows.append(_row(source, [*moved, list(sentence.tokens[last:])]))
    return assembled(source, rows, title=source.title)


def shuffled_sentences(source: Passage, gold: Gold, rng: Random) -> tuple[AblatedText, list[int]]:
    """Ablation 8: the passage and, for each new sentence, which one it was. The gold's sentences stay together."""
    source = _with_gold_in_one_sentence(source, gold)
    order = list(range(len(source.sentences)))
    rng.shuffle(order)
    rows = [with_words(source, source.sentences[k], {}) for k in order]
    return assembled(source, rows, title=source.title, apart=True), order


def _row(source: Passage, moved: Sequence[Sequence[Token]]) -> list[Piece]:
    """Join segments with spaces; text within a segment stays unchanged."""
    pieces: list[Piece] = []
    for segment in moved:
        if not segment:
            continue
        if pieces:
            pieces.append(Piece(" "))
        at = segment[0].start
        for token in segment:
            if token.start > at:
                pieces.append(Piece(source.text[at : token.start]))
            pieces.append(Piece(token.text, token.start))
            at = token.end
    return pieces


def _with_gold_in_one_sentence(source: Passage, gold: Gold) -> Passage:
    """The passage with the sentences that the gold span crosses joined, unless the boundaries are the source's."""
    if gold is None or source.drawn:
        return source
    joined: list[Sentence] = []
    for sentence in source.sentences:
        if joined and gold[0] < joined[-1].end and sentence.start < gold[1]:
            before = joined.pop()
            sentence = Sentence(before.start, sentence.end, (*before.tokens, *sentence.tokens))
        joined.append(sentence)
    return Passage(source.text, tuple(joined), source.title)


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
    """The class of a word: noun verb adj adv number wh prep punct period other."""
    if word in PERIODS:
        return "period"
    return "punct" if is_sign(word) else _BY_TAG.get(tag, "other")


class Names:
    """The names of one example, which its question and its context share."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger
        self._numbers: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def words(self, sentence: Sentence) -> dict[int, str]:
        """The anonymised name of every token of a sentence, by its start; inflected words get their tag as a suffix."""
        tagged = sentence.tagged(self._tagger)
        replacements = {}
        for token, (tag, lemma) in zip(sentence.tokens, tagged, strict=True):
            kind = class_of(token.text, tag)
            known = self._numbers[kind]
            inflected = kind not in ("punct", "period") and lemma != token.text.lower()
            name = f"@{kind}{known.setdefault(lemma, len(known))}"
            replacements[token.start] = f"{name} [{tag}]" if inflected else name
        return replacements

    def renamed(self, text: str) -> str:
        """A text with names for its words."""
        source = passage(text)
        names: dict[int, str] = {}
        for sentence in source.sentences:
            names |= self.words(sentence)
        return reworded(source, names, spaced=True)


ANONYMOUS, DUMMY_NUMERICS = 4, 9
_TAG = re.compile(r"@[a-z]+\d+(?: \[[^\]\s]+\])?")
_TWO_DIGITS = re.compile(r"\d\d")
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class Aligned:
    """A token of the original, its place in the ablated text, and whether it still reads the same there (`kept`)."""

    token: Token
    start: int
    end: int
    kept: bool


def aligned(original: str, ablated: str, number: int) -> list[Aligned] | None:
    """Every token of the original in order; None if the other text is not its ablation of that number."""
    found: list[Aligned] = []
    at = before = 0
    for token in passage(original).tokens:
        gap = original[before : token.start]
        at += len(gap) if ablated.startswith(gap, at) else 0
        at += len(ablated) - at - len(ablated[at:].lstrip())
        end = _end(ablated, at, token.text, number)
        if end is None:
            return None
        found.append(Aligned(token, at, end, ablated[at:end] == token.text))
        at, before = end, token.end
    return found if ablated[at:].strip() == original[before:].strip() else None


def _end(ablated: str, at: int, word: str, number: int) -> int | None:
    """The end of what stands at `at` for a word; None if neither the word nor a replacement does."""
    if number == ANONYMOUS:
        tag = _TAG.match(ablated, at)
        return tag.end() if tag else None
    if number != DUMMY_NUMERICS and ablated.startswith(UNKNOWN, at):
        return at + len(UNKNOWN)
    if ablated.startswith(word, at):
        return at + len(word)
    return _end_of_number(ablated, at, word) if number == DUMMY_NUMERICS else None


def _end_of_number(ablated: str, at: int, word: str) -> int | None:
    pattern = re.compile(r"\d".join(map(re.escape, _DIGIT.split(word)))) if _DIGIT.search(word) else _TWO_DIGITS
    number = pattern.match(ablated, at)
    return number.end() if number else None


def parts_of_contractions(tokens: Sequence[Token]) -> frozenset[int]:
    """The starts of words that touch another word, such as both parts of "don't" and of "Ada's"."""
    touching = [
        (one, other)
        for one, other in pairwise(tokens)
        if one.end == other.start and not is_sign(one.text) and not is_sign(other.text)
    ]
    return frozenset(token.start for pair in touching for token in pair)
