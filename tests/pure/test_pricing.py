"""What work costs: the fee schedules, their rounding, and quotes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.money import pricing

D = Decimal
MTURK, HOUSE = pricing.MTURK, pricing.NO_FEES
cents = st.integers(0, 10_000).map(pricing.dollars)
wanted = st.integers(1, 30)


@pytest.mark.parametrize(
    ("reward", "assignments", "cost"),
    [
        ("0.05", 9, "0.54"),
        ("0.05", 10, "0.70"),
        ("0.25", 3, "0.90"),
        ("0.01", 1, "0.02"),
        ("1.00", 10, "14.00"),
    ],
)
def test_a_hit_on_mechanical_turk_costs_what_its_price_list_said(reward: str, assignments: int, cost: str) -> None:
    quoted = pricing.quote({(D(reward), assignments): 1}, schedule=MTURK)
    assert quoted.total == D(cost)


@pytest.mark.parametrize(("exact", "billed"), [("0.104", "0.10"), ("0.105", "0.11"), ("0.115", "0.12")])
def test_half_a_cent_is_rounded_up(exact: str, billed: str) -> None:
    assert pricing.rounded(D(exact)) == D(billed)


@pytest.mark.parametrize(("bonus", "fee"), [("0.01", "0.01"), ("0.52", "0.10"), ("0.53", "0.11"), ("5.00", "1.00")])
def test_a_bonus_takes_a_fifth_and_a_cent_at_least(bonus: str, fee: str) -> None:
    assert pricing.bonus_fee(D(bonus), schedule=MTURK) == D(fee)


def test_many_assignments_make_no_bonus_dearer() -> None:
    assert pricing.reward_fee(D(1), schedule=MTURK, assignments=10) == 2 * pricing.bonus_fee(D(1), schedule=MTURK)


@given(cents, wanted)
def test_the_house_takes_nothing(reward: Decimal, assignments: int) -> None:
    assert pricing.reward_fee(reward, schedule=HOUSE, assignments=assignments) == 0


@pytest.mark.parametrize(("reward", "schedule", "assignments"), [("-1", MTURK, 1), ("1", MTURK, 0), ("1", "aws", 1)])
def test_what_cannot_be_billed_is_refused(reward: str, schedule: str, assignments: int) -> None:
    with pytest.raises(ValueError, match=r"schedule|reward"):
        pricing.reward_fee(D(reward), schedule=schedule, assignments=assignments)


def test_a_quote_says_each_kind_of_hit_and_of_bonus_dearest_first() -> None:
    hits = {(D("0.25"), 3): 10, (D("0.60"), 3): 2, (D("0.40"), 3): 0}
    quoted = pricing.quote(hits, schedule=MTURK, bonuses={D("0.10"): 4, D("1.00"): 0})
    assert [(line.hits, line.reward, line.fee, line.total) for line in quoted.lines] == [
        (2, D("0.60"), D("0.12"), D("4.32")),
        (10, D("0.25"), D("0.05"), D("9.00")),
    ]
    assert [(some.count, some.total) for some in quoted.bonuses] == [(4, D("0.48"))]
    assert (quoted.hits, quoted.assignments, quoted.total) == (12, 36, D("13.80"))
    assert (quoted.to_workers, quoted.fees) == (D("11.50"), D("2.30"))


def test_nothing_costs_nothing() -> None:
    assert pricing.quote({}, schedule=MTURK).total == D("0.00")


tallies = st.dictionaries(st.tuples(cents, wanted), st.integers(0, 500), max_size=6)
extras = st.dictionaries(cents, st.integers(0, 500), max_size=4)


@given(tallies, extras, st.sampled_from([MTURK, HOUSE]))
def test_a_quote_is_the_sum_of_what_each_assignment_and_bonus_is_billed(
    hits: dict[tuple[Decimal, int], int], bonuses: dict[Decimal, int], schedule: str
) -> None:
    quoted = pricing.quote(hits, schedule=schedule, bonuses=bonuses)
    billed = sum(
        (
            count * assignments * (reward + pricing.reward_fee(reward, schedule=schedule, assignments=assignments))
            for (reward, assignments), count in hits.items()
        ),
        D(0),
    )
    billed += sum((n * (amount + pricing.bonus_fee(amount, schedule=schedule)) for amount, n in bonuses.items()), D(0))
    assert quoted.total == billed == quoted.to_workers + quoted.fees
    assert isinstance(quoted.total, Decimal)
    assert quoted.total == quoted.total.quantize(pricing.CENT)


@given(tallies, st.sampled_from([MTURK, HOUSE]))
def test_the_order_in_which_hits_are_told_changes_nothing(hits: dict[tuple[Decimal, int], int], schedule: str) -> None:
    backwards = dict(reversed(hits.items()))
    assert pricing.quote(hits, schedule=schedule) == pricing.quote(backwards, schedule=schedule)


@given(cents, cents, wanted)
def test_more_pay_never_costs_less(one: Decimal, other: Decimal, assignments: int) -> None:
    less, more = sorted([one, other])
    costs = [pricing.quote({(reward, assignments): 1}, schedule=MTURK).total for reward in (less, more)]
    assert costs == sorted(costs)
