"""Comparisons of what is calculated while somebody waits: figures of a report, and the checks of a question."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from annotation.pure.data.example import Hop
from annotation.pure.statistics.distance_agreement import alpha_of_answers
from annotation.pure.statistics.metrics import MUSIQUE
from annotation.pure.statistics.ordered_agreement import alpha_of_numbers
from annotation.pure.statistics.power import PAIRED, Design, power
from annotation.pure.statistics.preferences import (
    Preference,
    by_position,
    concordance,
    ranks_of_order,
    strengths,
    system_shares,
)
from annotation.pure.statistics.ratings import Rating, leanings, pair_agreement, rating_shares, units_of
from annotation.pure.statistics.same_errors import same_errors
from annotation.pure.text.composed_question_checks import coverage, findings, most_words
from tests.bench.bench import Bench, Result
from tests.pure.test_same_errors import honest, of_model

QUESTIONS = 500


def figures(bench: Bench) -> Iterator[Result]:
    """CPU of figures that a report or a plan shows, and of the checks of a question of four hops."""
    rng = random.Random(6)
    errors, models = list(honest(200, 500, 20, rng)), {name: of_model(500, rng) for name in "abc"}
    yield _of("same wrong answers of 200 workers on 500 questions", lambda: same_errors(errors, models, 0), 2)
    yield _of("power of a plan with 5,100 responses", lambda: power(Design(PAIRED, 0.8, 0.75, 850, 3, 60), seed=4), 2)
    words = [f"word{k}" for k in range(4_000)]
    units = [{w: " ".join(rng.sample(words, rng.randint(1, 3))) for w in "abc"} for _ in range(2_000)]
    yield _of("alpha of 6,000 answers in free text", lambda: alpha_of_answers(units, MUSIQUE, 1), 15)
    ratings, preferences = list(_ratings(rng)), list(_preferences(rng))
    yield _of("figures of 30,000 ratings on a scale", lambda: _scale(ratings), 2)
    yield _of("figures of 30,000 orders of four systems", lambda: _orders(preferences), 2)
    yield _of(f"checks of {QUESTIONS} questions of four hops", lambda: [_check(k) for k in range(QUESTIONS)], 2.5)


def _ratings(rng: random.Random) -> Iterator[Rating]:
    for item in range(10_000):
        point = rng.randint(1, 5)
        for worker in rng.sample(range(60), 3):
            yield Rating(item, f"w{worker}", min(5, max(1, point + rng.choice((-1, 0, 0, 0, 1)))))


def _preferences(rng: random.Random) -> Iterator[Preference]:
    for item in range(10_000):
        for worker in rng.sample(range(60), 3):
            yield Preference(item, f"w{worker}", ranks_of_order(rng.sample("abcd", 4)), rng.sample("abcd", 4))


def _scale(ratings: list[Rating]) -> None:
    """What a report says of one criterion: distribution, mean, agreement and workers."""
    units, items = units_of(ratings)
    alpha_of_numbers(units, 1, ordinal=True, clusters=items)
    rating_shares(ratings, lambda point: [*(point == k for k in range(1, 6)), (point - 1) / 4], 1)
    pair_agreement(ratings, 1)
    leanings(units, items)


def _orders(preferences: list[Preference]) -> None:
    """What a report says of systems: win rates, positions, ranks, strengths and concordance."""
    system_shares(preferences, 1)
    system_shares(by_position(preferences), 1)
    strengths(preferences, 1)
    concordance(preferences, 1)


def _of(what: str, act: Callable[[], object], goal: float) -> Result:
    began = time.process_time()
    act()
    return Result(what, time.process_time() - began, goal, unit="s")


def _check(number: int) -> None:
    """What the page asks for at a keystroke; no two questions have the same hops."""
    hops = (
        Hop(f"Who built the mill {number} beside the River Orr?", f"Ana Brook {number}"),
        Hop("Who was the mother of #1?", f"Mara Quell {number}"),
        Hop("In which town was #2 born?", f"Cawdry Haven {number}"),
        Hop("How many people live in #3?", f"{number} thousand"),
    )
    question = f"How many live where the mother of the builder of the mill {number} beside the River Orr was born?"
    findings(question, hops, most_words=most_words(hops))
    coverage(question, hops)
