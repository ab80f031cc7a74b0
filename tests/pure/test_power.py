"""Power by simulation against closed forms and published tables."""

import math
import random
from statistics import NormalDist

import pytest

from annotation.pure.reports import tables
from annotation.pure.reports.power_plan import both_right, pilot_of, plan_sentences
from annotation.pure.statistics.power import PAIRED, RATE, UNPAIRED, Design, power, quick_power
from annotation.pure.statistics.worker_intervals import Response, two_sided
from tests.long_forms import first

ALONE = {"by_item": 0.0, "by_worker": 0.0}  # no spread: every response for itself


def close(found: float | None, wanted: float, draws: int) -> bool:
    """Whether a simulated share is within 3.5 standard errors."""
    assert found is not None
    return abs(found - wanted) <= 3.5 * math.sqrt(wanted * (1 - wanted) / draws)


def single(n: int, first: float, second: float) -> Design:
    """A rate of one response to each of n items by n workers."""
    return Design(RATE, first, second, n, 1, n, **ALONE)


@pytest.mark.parametrize(
    ("n", "first", "second"), first(2, [(100, 0.9, 0.8), (60, 0.5, 0.7), (40, 0.6, 0.5), (400, 0.85, 0.8)])
)
def test_the_power_for_a_rate_is_the_binomial_probability_of_what_the_test_rejects(
    n: int, first: float, second: float
) -> None:
    """Closed form: the score test rejects |x / n - second| > t · √(effect · second (1 - second) / n).

    One response to an item and by a worker: effect = 2 n / (n - 1) - 1.
    """
    limit = two_sided(0.95, n - 1) * math.sqrt((n + 1) / (n - 1) * second * (1 - second) / n)
    rejected = [x for x in range(n + 1) if abs(x / n - second) > limit]
    exact = sum(math.comb(n, x) * first**x * (1 - first) ** (n - x) for x in rejected)
    found = power(single(n, first, second), seed=7)
    assert close(found.power.value, exact, found.power.n)
    null = sum(math.comb(n, x) * second**x * (1 - second) ** (n - x) for x in rejected)
    assert close(found.false_alarms.value, null, found.power.n)


@pytest.mark.parametrize(
    ("first", "second", "each", "wanted"),
    first(
        2,
        [
            (0.5, 0.65, 170, 0.8),  # Fleiss, Levin and Paik 2003, table A.4 without continuity correction: 170
            (0.5, 0.7, 93, 0.8),  # 93
            (0.1, 0.2, 199, 0.8),  # 199
            (0.5, 0.7, 124, 0.9),  # 124
        ],
    ),
)
def test_two_independent_groups_of_the_tables_size_have_the_tables_power(
    first: float, second: float, each: int, wanted: float
) -> None:
    found = power(Design(UNPAIRED, first, second, each, 1, each, **ALONE), seed=3)
    assert found.power.value == pytest.approx(wanted, abs=0.02 + 2 * math.sqrt(wanted * (1 - wanted) / found.power.n))
    assert found.items_needed is not None
    if wanted == 0.8:
        assert found.items_needed == pytest.approx(each, rel=0.12)


@pytest.mark.parametrize(("first", "second"), first(1, [(0.8, 0.7), (0.6, 0.45)]))
def test_mcnemars_sample_size_gives_four_fifths(first: float, second: float) -> None:
    """Connor 1987: pairs for McNemar's test, from the rates of pairs where only one side is right."""
    only_first, only_second = first * (1 - second), second * (1 - first)
    apart, unlike = only_first - only_second, only_first + only_second
    z = NormalDist().inv_cdf
    pairs = math.ceil((z(0.975) * math.sqrt(unlike) + z(0.8) * math.sqrt(unlike - apart**2)) ** 2 / apart**2)
    found = power(Design(PAIRED, first, second, pairs, 1, pairs, **ALONE), seed=5)
    assert found.power.value == pytest.approx(0.8, abs=0.02 + 2 * math.sqrt(0.16 / found.power.n))


@pytest.mark.soak
def test_alike_items_make_pairs_worth_it_as_mcnemars_formula_says() -> None:
    """With one response to each, item parts that are the same in both conditions correlate the two responses."""
    first, second, share = 0.75, 0.65, 0.6
    both = _both(first, second, share)
    unlike, apart = first + second - 2 * both, first - second
    pairs = 200
    z = NormalDist()
    wanted = z.cdf((apart * math.sqrt(pairs) - z.inv_cdf(0.975) * math.sqrt(unlike)) / math.sqrt(unlike - apart**2))
    found = power(Design(PAIRED, first, second, pairs, 1, pairs, share, 0.0, alike=1.0), seed=5)
    assert found.power.value == pytest.approx(wanted, abs=0.02 + 2 * math.sqrt(0.25 / found.power.n))
    alone = power(Design(PAIRED, first, second, pairs, 1, pairs, **ALONE), seed=5)
    assert (found.power.value or 0) > (alone.power.value or 0) + 0.1


def _both(first: float, second: float, correlation: float) -> float:
    """P(both right) of two rates by summing over the shared part."""
    z, steps = NormalDist(), 2000
    total = 0.0
    for step in range(steps):
        shared = math.sqrt(correlation) * z.inv_cdf((step + 0.5) / steps)
        noise = math.sqrt(1 - correlation)
        total += z.cdf((z.inv_cdf(first) + shared) / noise) * z.cdf((z.inv_cdf(second) + shared) / noise)
    return total / steps


def test_without_a_difference_the_test_finds_one_in_about_a_twentieth() -> None:
    found = power(Design(PAIRED, 0.7, 0.7, 200, 1, 200, 0.5, 0.1), seed=2)
    assert 0.02 < (found.false_alarms.value or 0) < 0.08
    assert found.power.value == pytest.approx(found.false_alarms.value)
    assert found.items_needed is None


@pytest.mark.soak
def test_few_workers_who_differ_cannot_be_made_up_for_by_items() -> None:
    found = power(Design(UNPAIRED, 0.8, 0.7, 300, 1, 8, 0.1, 0.3), seed=1)
    assert (found.power.value or 0) < 0.5
    assert found.items_needed is None
    more = quick_power(Design(UNPAIRED, 0.8, 0.7, 300, 1, 150, 0.1, 0.3), seed=1)
    assert (more.value or 0) > (found.power.value or 0) + 0.2


@pytest.mark.soak
def test_the_smallest_detectable_difference_has_that_power_and_lies_on_the_planned_side() -> None:
    down = power(Design(UNPAIRED, 0.5, 0.45, 170, 1, 170, **ALONE), seed=3)
    assert down.detectable == pytest.approx(0.15, abs=0.012)
    again = power(Design(UNPAIRED, 0.5, 0.5 - (down.detectable or 0), 170, 1, 170, **ALONE), seed=3)
    assert again.power.value == pytest.approx(0.8, abs=0.01)
    assert power(Design(PAIRED, 0.5, 0.4, 3, 1, 3), seed=3).detectable is None


@pytest.mark.parametrize(
    ("plan", "said"),
    first(
        1,
        [
            (Design(UNPAIRED, 0.5, 0.45, 170, 1, 170, **ALONE), "smallest difference from 50 % towards 0 % found"),
            (Design(UNPAIRED, 0.95, 0.96, 50, 1, 50, **ALONE), "No difference from 95 % towards 100 % is found"),
            (Design(RATE, 0.6, 0.5, 200, 1, 200, **ALONE), "smallest difference from 50 % towards 100 % found"),
            (Design(UNPAIRED, 0.8, 0.799, 50, 2, 50, **ALONE), "not even 5000 items give a power of 80 %"),
        ],
    ),
)
def test_what_a_paper_says_of_the_smallest_difference_names_its_direction_and_of_items_how_many(
    plan: Design, said: str
) -> None:
    assert said in " ".join(map(tables.sentence, plan_sentences(power(plan, seed=1))))


def test_the_margin_is_that_of_the_interval() -> None:
    found = power(single(400, 0.8, 0.7), seed=1)
    assert found.margin == pytest.approx(1.966 * math.sqrt(0.16 / 400), rel=0.03)


@pytest.mark.soak
def test_the_same_seed_gives_the_same_figures() -> None:
    design = Design(PAIRED, 0.8, 0.75, 850, 3, 60)
    found = power(design, seed=4)
    assert found.as_json() == power(design, seed=4).as_json()
    assert found.as_json() != power(design, seed=5).as_json()
    assert found.as_json()["responses"] == 5100


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "other"}, "no such comparison"),
        ({"first": 1.0}, "above 0 and below 100"),
        ({"by_item": 0.7, "by_worker": 0.4}, "add up"),
        ({"items": 1}, "at least two items"),
        ({"workers": 5}, "at least 6 workers"),
        ({"workers": 301}, "more workers than responses"),
        ({"items": 20_000}, "more than can be simulated"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(change: dict[str, float], said: str) -> None:
    plan = {"kind": PAIRED, "first": 0.8, "second": 0.7, "items": 100, "answers": 3, "workers": 20}
    with pytest.raises(ValueError, match=said):
        Design(**(plan | change))  # type: ignore[arg-type]


def test_both_right_is_the_product_without_correlation_and_the_known_value_at_one_half() -> None:
    assert both_right(0.7, 0.0) == pytest.approx(0.49)
    assert both_right(0.5, 0.5) == pytest.approx(0.25 + math.asin(0.5) / (2 * math.pi))  # Sheppard 1899
    assert both_right(0.8, 0.6) == pytest.approx(_both(0.8, 0.8, 0.6), abs=1e-4)


def test_a_pilot_gives_back_the_shares_that_it_was_drawn_with() -> None:
    rng = random.Random(11)
    limit = NormalDist().inv_cdf(0.7)
    workers = [math.sqrt(0.1) * rng.gauss(0, 1) for _worker in range(200)]
    rows = []
    for item in range(2000):
        own = math.sqrt(0.4) * rng.gauss(0, 1)
        for worker in rng.sample(range(200), 4):
            right = limit + own + workers[worker] + math.sqrt(0.5) * rng.gauss(0, 1) > 0
            rows.append(Response(item, str(worker), float(right)))
    found = pilot_of(rows)
    assert found.rate == pytest.approx(0.7, abs=0.03)
    assert found.by_item == pytest.approx(0.4, abs=0.06)
    assert found.by_worker == pytest.approx(0.1, abs=0.04)
    assert (found.items, found.workers, found.responses) == (2000, 200, 8000)


def test_a_pilot_without_pairs_tells_no_share_and_one_that_is_too_small_or_even_is_refused() -> None:
    apart = [Response(k, str(k), float(k % 2)) for k in range(30)]
    assert (pilot_of(apart).by_item, pilot_of(apart).by_worker) == (None, None)
    alike = [Response(k // 3, str(k % 3), float(k // 3 % 2)) for k in range(60)]
    same = pilot_of(alike)
    assert same.by_item == pytest.approx(0.95, abs=1e-6)
    assert same.by_worker == 0.0
    with pytest.raises(ValueError, match="at least 20 responses"):
        pilot_of(apart[:19])
    with pytest.raises(ValueError, match="show no spread"):
        pilot_of(Response(k, "a", 1.0) for k in range(30))
