"""The cost of work: marketplace fees with their rounding, and quotes, in decimal dollars."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from annotation.pure.text.translation_marks import gettext_noop as _

CENT: Final = Decimal("0.01")
MOST_DOLLARS: Final = Decimal("999999.99")  # of one reward or deposit
NO_FEES: Final = "house"
MTURK: Final = "mturk"
SCHEDULES: Final = [
    (NO_FEES, _("none")),
    (MTURK, _("Mechanical Turk's of 2015: 20 %, 40 % from 10 assignments on")),
]
PANEL_RATES: Final = {"pct33": Decimal("33.3"), "pct43": Decimal("42.8")}  # in percent
PANEL_SCHEDULES: Final = [("pct33", "33.3 %"), ("pct43", "42.8 %")]
MANY: Final = 10  # assignments of a HIT from which MTurk's surcharge holds


def dollars(cents: int) -> Decimal:
    """Convert whole cents to dollars."""
    return (Decimal(cents) / 100).quantize(CENT)


def rounded(amount: Decimal) -> Decimal:
    """To the cent, half up, as MTurk's price list had it ($0.104 is $0.10, $0.105 is $0.11)."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def reward_fee(reward: Decimal, *, schedule: str, assignments: int = 1) -> Decimal:
    """The fee on one approved assignment of a HIT with `assignments` assignments; at least a cent if there are fees.

    MTurk's schedule from July 2015 to the end: 20 %, or 40 % for HITs with ten assignments or
    more, rounded once. Raises ValueError for an unknown schedule or a negative reward.
    """
    if schedule not in {*dict(SCHEDULES), *PANEL_RATES}:
        raise ValueError(f"unknown fee schedule {schedule!r}")
    if reward < 0 or assignments < 1:
        raise ValueError("a reward is not negative, and a HIT asks for at least one assignment")
    if schedule == NO_FEES or not reward:
        return Decimal("0.00")
    rate = PANEL_RATES.get(schedule) or Decimal(20 + (20 if assignments >= MANY else 0))
    return max(CENT, rounded(reward * rate / 100))


def bonus_fee(bonus: Decimal, *, schedule: str) -> Decimal:
    """The fee on one bonus: 20 % on MTurk, or a panel's rate; a cent at least. Raises ValueError like `reward_fee`."""
    return reward_fee(bonus, schedule=schedule)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a quote: `hits` equal HITs with `assignments` assignments each, at `reward` and `fee`."""

    hits: int
    assignments: int
    reward: Decimal
    fee: Decimal

    @property
    def each(self) -> Decimal:
        """The cost of one of the HITs."""
        return self.assignments * (self.reward + self.fee)

    @property
    def total(self) -> Decimal:
        return self.hits * self.each


@dataclass(frozen=True, slots=True)
class Bonuses:
    """Equal bonuses of a quote."""

    count: int
    amount: Decimal
    fee: Decimal

    @property
    def total(self) -> Decimal:
        return self.count * (self.amount + self.fee)


@dataclass(frozen=True, slots=True)
class Quote:
    """The maximum cost of work, line by line."""

    lines: tuple[Line, ...]
    bonuses: tuple[Bonuses, ...] = ()

    @property
    def hits(self) -> int:
        return sum(line.hits for line in self.lines)

    @property
    def assignments(self) -> int:
        return sum(line.hits * line.assignments for line in self.lines)

    @property
    def to_workers(self) -> Decimal:
        """Rewards and bonuses."""
        rewards = sum((line.hits * line.assignments * line.reward for line in self.lines), Decimal("0.00"))
        return rewards + sum((some.count * some.amount for some in self.bonuses), Decimal("0.00"))

    @property
    def fees(self) -> Decimal:
        return self.total - self.to_workers

    @property
    def total(self) -> Decimal:
        parts = [*(line.total for line in self.lines), *(some.total for some in self.bonuses)]
        return sum(parts, Decimal("0.00"))


def quote(
    hits: Mapping[tuple[Decimal, int], int],
    *,
    schedule: str,
    bonuses: Mapping[Decimal, int] | None = None,
) -> Quote:
    """The quote of {(reward, assignments of a HIT): HITs} and of {bonus: how many are expected}, dearest first.

    Each assignment and each bonus is rounded for itself, as it is billed. Raises ValueError like `reward_fee`.
    """
    lines = [
        Line(count, assignments, reward, reward_fee(reward, schedule=schedule, assignments=assignments))
        for (reward, assignments), count in sorted(hits.items(), reverse=True)
        if count
    ]
    extra = [
        Bonuses(count, amount, bonus_fee(amount, schedule=schedule))
        for amount, count in sorted((bonuses or {}).items(), reverse=True)
        if count
    ]
    return Quote(tuple(lines), tuple(extra))
