"""Synthetic single-hop questions and what it takes to pair them: `python -m tests.bench.pairs [QUESTIONS]`.

Entities are as unequal as in encyclopedias: a few are answers and mentions everywhere, most are met once or
twice (Zipf). A third of the answers name nothing (years, numbers, plain words); three in ten questions about
names write them in lower case, as search engines' users do.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from random import Random

from annotation.pure.data.example import Paragraph
from annotation.pure.derivations.composable_pairs import Index
from annotation.pure.derivations.single_hop import Single
from annotation.pure.text.named_entities import PlainCheck

SYLLABLES = ["bar", "den", "el", "for", "gal", "hin", "is", "jor", "kes", "lan", "mor", "nell", "ost", "per", "quil"]
SYLLABLES += ["ros", "sel", "tor", "ul", "ver", "wick", "yar", "zen", "ash", "brim", "cor", "dun", "fen", "gret", "hol"]
PLAIN = ["the", "red", "stone", "bridge", "of", "grain", "and", "water", "was", "built", "by", "men", "sold", "salt"]
PLAIN += ["fish", "for", "iron", "tools", "in", "spring", "when", "a", "river", "rose", "over", "its", "banks", "again"]
ASKED = ["Who founded", "Where was", "When was", "Which river crosses", "What is the capital of", "Who wrote about"]
ASKED += ["Which company was bought by", "In which year did", "What language is spoken in", "Who is the mother of"]
REST = ["", " born", " built in the north", " join the union after the war", " in the early years", " known for"]
PER_PARAGRAPH = 4
PER_ENTITY = 3  # questions for each entity that there is


def singles(size: int, seed: int = 0) -> Iterator[Single]:
    """`size` questions with ids from 1; the same size and seed give the same questions."""
    rng = Random(seed)
    names = _names(rng, max(2, size // PER_ENTITY))
    weights = list(accumulate(1 / (rank + 3) ** 0.9 for rank in range(len(names))))
    paragraph = _paragraph(rng, names, 0)
    for number in range(size):
        if number % PER_PARAGRAPH == 0:
            paragraph = _paragraph(rng, names, number // PER_PARAGRAPH)
        mentioned, answer = rng.choices(names, cum_weights=weights, k=2)
        if rng.random() < 0.35:
            answer = rng.choice([str(rng.randint(1000, 2020)), f"{rng.randint(2, 99)} million", rng.choice(PLAIN)])
        yield Single(str(number + 1), _question(rng, mentioned), (answer,), paragraph)


def _names(rng: Random, size: int) -> list[str]:
    """Different names of one to three words, of two or three syllables each."""
    found: dict[str, None] = {}
    while len(found) < size:
        words = rng.choices([1, 2, 3], weights=[2, 5, 1])[0]
        found[" ".join("".join(rng.choices(SYLLABLES, k=rng.choice([2, 3]))).title() for _ in range(words))] = None
    return list(found)


def _paragraph(rng: Random, names: list[str], number: int) -> Paragraph:
    words = rng.choices(PLAIN, k=rng.randint(40, 120)) + rng.choices(names, k=6)
    rng.shuffle(words)
    return Paragraph(f"{rng.choice(names)} {number}", " ".join(words).capitalize() + ".")


def _question(rng: Random, mentioned: str) -> str:
    question = f"{rng.choice(ASKED)} {mentioned}{rng.choice(REST)}?"
    return question.lower() if rng.random() < 0.3 else question


def main(size: int) -> None:
    """Print what pairing `size` questions took, their making left out of the time, as JSON."""
    made = list(singles(size))
    started = time.perf_counter()
    index = Index(made, PlainCheck())
    indexed = time.perf_counter()
    pairs = 0
    for pair in index.pairs(seed=1, dropped=Counter()):
        index.example(pair)
        pairs += 1
    done = time.perf_counter()
    candidates = sum(entity.candidates for entity in index.entities())
    result = {"questions": size, "candidates": candidates, "pairs": pairs, "index_seconds": indexed - started}
    print(json.dumps(result | {"seconds": done - started, "gigabytes": peak()}))


def peak() -> float:
    """Gigabytes that this process held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
