"""Finds the paragraphs of a pool that are closest to a query, by BM25.

The only place that knows bm25s.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from typing import Any

from annotation.pure.data.example import Paragraph
from annotation.pure.numeric import Floats, Integers, np

FIRST = 64  # places that are put in order at once; few callers go further

_WORD = re.compile(r"\w+")


def same_text(paragraph: Paragraph) -> str:
    """The form in which two paragraphs count as the same: the text, white space aside."""
    return " ".join(paragraph.text.split())


class Pool:
    """Paragraphs to retrieve from, without duplicate texts, in input order.

    Lucene's BM25 (k1 = 1.5, b = 0.75) over title and text in lower case.
    """

    def __init__(self, paragraphs: Iterable[Paragraph]) -> None:
        first: dict[str, Paragraph] = {}
        for paragraph in paragraphs:
            first.setdefault(same_text(paragraph), paragraph)
        self.paragraphs = tuple(first.values())
        self.texts = tuple(first)
        words = [_words(f"{each.title} {each.text}") for each in self.paragraphs]
        self._index: Any = None
        if any(words):
            import bm25s  # type: ignore[import-untyped]  # slow to load, and few need it

            logging.getLogger("bm25s").setLevel(logging.WARNING)  # loading it sets DEBUG, over any configuration
            self._index = bm25s.BM25()
            self._index.index(words, show_progress=False)

    def __len__(self) -> int:
        return len(self.paragraphs)

    def ranking(self, query: str) -> Iterator[int]:
        """Positions of the paragraphs that share a word with the query, best first; ties keep their order."""
        scores = self._scores(query)
        total = int(np.count_nonzero(scores > 0))
        seen = 0
        while seen < total:
            best = _best(scores, min(total, max(FIRST, 4 * seen)))
            yield from best[seen:].tolist()
            seen = len(best)

    def _scores(self, query: str) -> Floats:
        words = _words(query)
        known = self._index.get_tokens_ids(words) if self._index else []
        if not self._index or not known:
            return np.zeros(len(self.paragraphs), dtype=np.float32)
        scores: Floats = self._index.get_scores_from_ids(known)
        return scores


def _best(scores: Floats, count: int) -> Integers:
    """Positions of the `count` best scores, and of all ties with the last, best first."""
    least = np.partition(scores, -count)[-count]
    positions = np.flatnonzero(scores >= least)
    order = np.lexsort((positions, -scores[positions]))
    return positions[order]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
