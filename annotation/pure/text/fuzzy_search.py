"""Typo-tolerant search-as-you-type over the paragraphs of a context, and the definition of a typo.

The only module that imports rapidfuzz.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from annotation.pure.text.normalization import WORD, fold

ALIKE = 82  # of 100, from which a word counts as a slip of another
SHORTEST_FUZZY = 4  # letters; shorter words must match from their beginning
TITLE_WEIGHT = 1.5

SHORTEST_SLIP, SHORTEST_TWO_SLIPS = 5, 8  # letters of a word in which one or two slips may be


@dataclass(frozen=True, slots=True)
class Match:
    """The match of a paragraph with a query. Spans are code points in the text and in the title."""

    paragraph: int
    score: float  # 0: nothing of the query is there
    spans: tuple[tuple[int, int], ...]
    title_spans: tuple[tuple[int, int], ...]


def search(query: str, paragraphs: Sequence[tuple[str, str]]) -> list[Match]:
    """Rank (title, text) paragraphs by overlap with the query, best first; ties keep their order.

    Every query word counts once a paragraph, by its best likeness there; words in the order of the query
    count a little more. All paragraphs are in the result, those without a match last.
    """
    words = list(dict.fromkeys(map(fold, WORD.findall(query))))[:20]
    matches = [_match(k, words, title, text) for k, (title, text) in enumerate(paragraphs)]
    phrase = fold(query)
    if len(words) > 1:
        texts = [fold(f"{title} {text}") for title, text in paragraphs]
        matches = [replace(m, score=m.score + (phrase in texts[m.paragraph])) for m in matches]
    return sorted(matches, key=lambda match: -match.score)


def _match(paragraph: int, words: Sequence[str], title: str, text: str) -> Match:
    in_title, title_spans = _likeness(words, title)
    in_text, spans = _likeness(words, text)
    score = sum((max(TITLE_WEIGHT * in_title.get(word, 0.0), in_text.get(word, 0.0)) for word in words), 0.0)
    return Match(paragraph, score, spans, title_spans)


def _likeness(words: Sequence[str], text: str) -> tuple[dict[str, float], tuple[tuple[int, int], ...]]:
    """The best likeness of each query word among the words of a text, and the spans of all that match."""
    tokens = [(fold(m.group()), m.span()) for m in WORD.finditer(text)]
    vocabulary = list({word for word, _span in tokens})
    best: dict[str, float] = {}
    matched: set[str] = set()
    for word in words:
        alike = _alike(word, vocabulary)
        if alike:
            best[word] = max(alike.values())
            matched |= alike.keys()
    return best, tuple(span for word, span in tokens if word in matched)


def _alike(word: str, vocabulary: Sequence[str]) -> dict[str, float]:
    """The words that a query word may mean, with their likeness in 0..1: equal, begun, or a slip."""
    begun = {other: 1.0 if other == word else 0.9 for other in vocabulary if other.startswith(word)}
    if begun or len(word) < SHORTEST_FUZZY:
        return begun
    near = process.extract(word, vocabulary, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=None)
    return {other: ratio / 100 * 0.8 for other, ratio, _place in near}


def is_slip(typed: str, meant: str, *, allowed: int | None = None) -> bool:
    """Whether `typed` may be a typo of `meant`: letters swapped, left out, doubled or replaced.

    By default one typo is `allowed` from five letters on, two from eight. Words with digits are never typos.
    """
    length = len(meant)
    if allowed is None:
        allowed = (length >= SHORTEST_SLIP) + (length >= SHORTEST_TWO_SLIPS)
    if not allowed or abs(len(typed) - length) > allowed or not (typed.isalpha() and meant.isalpha()):
        return False
    return bool(OSA.distance(typed, meant, score_cutoff=allowed) <= allowed)


def likeness(one: str, other: str) -> float:
    """The similarity of two texts, 0..1, ignoring the order of their words."""
    return float(fuzz.token_sort_ratio(one, other)) / 100
