"""BM25 over a pool: the order by hand, ties, and a second implementation."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter
from random import Random

import pytest

from annotation.pure.data.example import Paragraph
from annotation.pure.derivations.context_building import distractors
from annotation.pure.text.bm25 import FIRST, Pool
from tests.derivations.sources import PLAIN


def pool_of(*texts: str) -> Pool:
    return Pool(Paragraph("", text) for text in texts)


def test_the_paragraph_with_the_rarest_words_comes_first() -> None:
    pool = pool_of("the tin mine", "the tin harbour", "the moor", "nothing else")
    assert list(pool.ranking("the harbour of tin")) == [1, 0, 2]


def test_ties_keep_the_order_of_the_pool() -> None:
    pool = pool_of(*(f"bell number{n}" for n in range(3 * FIRST)))
    assert list(pool.ranking("bell")) == list(range(3 * FIRST))


def test_the_title_counts_and_a_text_is_there_once() -> None:
    pool = Pool([Paragraph("Farrow", "An isle."), Paragraph("", "A mine."), Paragraph("Elsewhere", "An  isle.")])
    assert len(pool) == 2
    assert list(pool.ranking("farrow")) == [0]


@pytest.mark.parametrize("texts", [(), ("",), ("?!",)])
def test_an_empty_pool_finds_nothing(texts: tuple[str, ...]) -> None:
    assert list(pool_of(*texts).ranking("tin")) == []


def test_an_empty_query_finds_nothing() -> None:
    assert list(pool_of("tin").ranking(" ?")) == []


def test_it_ranks_as_the_formula_does() -> None:
    rng = random.Random(5)
    texts = [f"{' '.join(rng.choices(PLAIN, k=rng.randint(3, 30)))} id{n}" for n in range(120)]
    query = "salt tin moor moor"
    scores = by_formula(texts, query)
    ranking = list(pool_of(*texts).ranking(query))
    assert {n for n, score in enumerate(scores) if score > 0} == set(ranking)
    assert all(scores[one] >= scores[other] - 1e-5 for one, other in itertools.pairwise(ranking))


def by_formula(texts: list[str], query: str) -> list[float]:
    """Lucene's BM25 (k1 = 1.5, b = 0.75), written down word by word."""
    bags = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
    mean = sum(bag.total() for bag in bags) / len(bags)
    scores = []
    for bag in bags:
        score = 0.0
        for word in query.split():
            holders = sum(word in other for other in bags)
            idf = math.log(1 + (len(bags) - holders + 0.5) / (holders + 0.5))
            score += idf * bag[word] / (bag[word] + 1.5 * (0.25 + 0.75 * bag.total() / mean))
        scores.append(score)
    return scores


def test_what_shares_no_word_is_drawn_by_the_seed_and_not_taken_from_the_front() -> None:
    pool = pool_of(*(f"moor number{n}" for n in range(30)))
    once, again, other = (
        [one.text for one in distractors("tin", pool, count=5, used=set(), rng=Random(seed))] for seed in (1, 1, 2)
    )
    assert once == again != other
