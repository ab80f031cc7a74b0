"""Power of a planned comparison, or of a rate against a fixed value, by simulation with crossed random effects.

A response is right if `probit(rate) + item + worker + noise > 0`. The three parts are normal, and their variances add
up to 1, so that the marginal probability is exactly the rate. `by_item` and `by_worker` are the shares of items and
workers. In a paired comparison both conditions have the same items and workers, nobody meets an item twice, and
`alike` is the correlation of an item's two parts. An unpaired comparison has its own items and workers on each side.

Items and workers both count as samples: the variance is clustered in two ways (Cameron, Gelbach and Miller 2011), with
Student's t, as in `worker_intervals`. Where both conditions have the same workers, the variance over workers counts
only as far as it exceeds that of single responses. A difference is tested by that standard error; a rate by the score
test with the same design effect.

Plan a batch's precision: the expected interval, and the number of items for a target width.

The figure is a mean over items, each scored in 0..1 (a proportion is scores of 0 and 1). Of a single annotation's
score the variance has two parts: `between` items, which only more items shrink, and `within` an item, among those
who could answer it, which annotators shrink as well. So with n items and k annotations of each

    variance of the mean = (between + within / k) / n

and the 95 % interval is 1.96 standard errors to either side. Items count as a sample from an
unlimited population: there is no finite population correction. This interval is for planning; reports quote that
of `intervals`.
"""

import math
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Any, Final

from annotation.pure.numeric import Floats, np
from annotation.pure.statistics.intervals import LEVEL, Figure, wilson
from annotation.pure.statistics.worker_intervals import two_sided
from annotation.pure.text.translation_marks import gettext_noop as _

WORST: Final = 0.25  # variance of a score in 0..1 is at most that: half of the items 0, half 1
ALIKE: Final = 0.5  # default share of it between items (an alpha of one half)
MOST_ITEMS: Final = 10**9


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of a single annotation's score, in its two parts."""

    between: float
    within: float

    def __post_init__(self) -> None:
        if self.between < 0 or self.within < 0:
            raise ValueError("a variance is not negative")

    def of_item(self, annotators: int) -> float:
        """The variance of an item's mean score over `annotators` annotations. Raises ValueError for less than one."""
        if annotators < 1:
            raise ValueError("an item needs at least one annotation")
        return self.between + self.within / annotators


UNKNOWN: Final = Spread(WORST * ALIKE, WORST * (1 - ALIKE))


def observed(low: float, high: float, n: int, *, annotators: int, alike: float = ALIKE) -> Spread:
    """The spread implied by an interval over `n` items with `annotators` annotations each; at most the worst case.

    `alike` is the share of a single annotation's variance that lies between items. Raises ValueError for less than
    two items, an empty interval or a share that is not in 0..1 (0 excluded).
    """
    if n < 2 or high <= low or not 0 < alike <= 1:
        raise ValueError("an interval over at least two items tells of a spread")
    of_item = n * ((high - low) / 2 / _z()) ** 2
    single = min(WORST, of_item / (alike + (1 - alike) / annotators))
    return Spread(single * alike, single * (1 - alike))


def half_width(items: int, annotators: int, *, spread: Spread = UNKNOWN) -> float | None:
    """Half of the expected 95 % interval with these numbers of items and annotators, in 0..0.5; None without items."""
    if items < 1:
        return None
    return min(0.5, _z() * math.sqrt(spread.of_item(annotators) / items))


def items_for(half: float, annotators: int, *, spread: Spread = UNKNOWN) -> int:
    """The fewest items whose interval is at most `half` to either side. Raises ValueError for a width not in 0..0.5."""
    if not 0 < half <= 0.5:
        raise ValueError("a half-width lies between 0 and 0.5")
    exact = spread.of_item(annotators) * (_z() / half) ** 2
    return min(MOST_ITEMS, max(1, math.ceil(exact - 1e-9)))


def _z() -> float:
    return NormalDist().inv_cdf((1 + LEVEL) / 2)


PAIRED: Final = "paired"
UNPAIRED: Final = "unpaired"
RATE: Final = "rate"
KINDS: Final = (PAIRED, UNPAIRED, RATE)
TARGET: Final = 0.8  # the power that a plan usually asks for
MOST_RESPONSES: Final = 20_000  # of all conditions: bounds time and memory
MOST_DRAWS: Final = 2_000
LEAST_DRAWS: Final = 200
MOST_SHARE: Final = 0.99  # of items and workers together
_CELLS: Final = 4_000_000  # simulated responses of one estimate
_QUICK: Final = 1_000_000  # of one estimate among many
_STEPS: Final = 10  # halvings of a search

UNKNOWN_KIND = _("There is no such comparison.")
ENDS = _("A rate must be above 0 and below 100 %%.")
SHARES = _("The variances of items and workers add up to at most 99 %%.")
TOO_SMALL = _("A plan needs at least two items with one response each.")
TOO_FEW = _("This many responses per item need at least %(least)s workers.")
TOO_MANY = _("There are more workers than responses in a condition.")
TOO_LARGE = _("%(n)s responses are more than can be simulated (%(most)s).")

_NORMAL = NormalDist()


class Impossible(ValueError):
    """A plan that cannot be computed. `message` is a gettext id with places for `values`."""

    def __init__(self, message: str, **values: int) -> None:
        super().__init__(message % values if values else message.replace("%%", "%"))
        self.message, self.values = message, values


@dataclass(frozen=True, slots=True)
class Design:
    """A planned comparison. `items`, `answers` to each and `workers` are those of one condition.

    `second` is the rate of the other condition, or the value that a single rate is compared with. Raises Impossible.
    """

    kind: str
    first: float
    second: float
    items: int
    answers: int
    workers: int
    by_item: float = 0.5
    by_worker: float = 0.05
    alike: float = 0.8

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Impossible(UNKNOWN_KIND)
        if not (0 < self.first < 1 and 0 < self.second < 1):
            raise Impossible(ENDS)
        shares = self.by_item + self.by_worker
        if min(self.by_item, self.by_worker) < 0 or shares > MOST_SHARE or not 0 <= self.alike <= 1:
            raise Impossible(SHARES)
        if self.items < 2 or self.answers < 1:
            raise Impossible(TOO_SMALL)
        if self.workers < max(2, self.least_workers):
            raise Impossible(TOO_FEW, least=max(2, self.least_workers))
        if self.workers > self.items * self.answers:
            raise Impossible(TOO_MANY)
        if self.responses > MOST_RESPONSES:
            raise Impossible(TOO_LARGE, n=self.responses, most=MOST_RESPONSES)

    @property
    def arms(self) -> int:
        return 1 if self.kind == RATE else 2

    @property
    def responses(self) -> int:
        """The responses of all conditions."""
        return self.arms * self.items * self.answers

    @property
    def least_workers(self) -> int:
        """The workers whom an item needs, since nobody meets it twice."""
        return self.answers * (2 if self.kind == PAIRED else 1)

    @property
    def most_items(self) -> int:
        """The items in each condition that can be simulated."""
        return MOST_RESPONSES // (self.arms * self.answers)

    @property
    def moved(self) -> tuple[float, float]:
        """The rate that stays in the search for the smallest difference, and the one that moves."""
        return (self.second, self.first) if self.kind == RATE else (self.first, self.second)

    @property
    def people(self) -> int:
        """The workers of all conditions."""
        return self.workers * (2 if self.kind == UNPAIRED else 1)


@dataclass(frozen=True, slots=True)
class Power:
    """What a plan can find.

    `power` and `false_alarms` (the share of findings where nothing differs) are Figures whose n counts simulations;
    `margin` is the median half of the 95 % interval; `detectable` the smallest difference found with power TARGET, in
    the planned direction (down, if nothing differs), and `items_needed` about the fewest items for that power at the
    given rates; None: out of reach.
    """

    design: Design
    power: Figure
    false_alarms: Figure
    margin: float
    detectable: float | None
    items_needed: int | None
    seed: int

    def as_json(self) -> dict[str, Any]:
        return {
            **asdict(self.design),
            "responses": self.design.responses,
            "people": self.design.people,
            "power": self.power.as_json(),
            "false_alarms": self.false_alarms.as_json(),
            "margin": self.margin,
            "detectable": self.detectable,
            "items_needed": self.items_needed,
            "level": round(1 - LEVEL, 10),
            "target": TARGET,
            "simulations": self.power.n,
            "seed": self.seed,
        }


def power(design: Design, seed: int) -> Power:
    """What the design can find; the same seed gives the same figures."""
    drawn = _Simulation(design, seed, cells=_CELLS)
    found, halves = drawn.tested(design.first, design.second)
    null, _halves = drawn.tested(design.second, design.second)
    return Power(
        design=design,
        power=_share(found),
        false_alarms=_share(null),
        margin=round(float(np.median(halves)), 4),
        detectable=_detectable(drawn),
        items_needed=_items_needed(design, seed),
        seed=seed,
    )


def quick_power(design: Design, seed: int) -> Figure:
    """The power alone, from fewer simulations."""
    found, _halves = _Simulation(design, seed, cells=_QUICK).tested(design.first, design.second)
    return _share(found)


def _share(found: Floats) -> Figure:
    return wilson(int(np.count_nonzero(found)), len(found))


class _Simulation:
    """The latent values of every response, drawn once and compared with the thresholds of any rates.

    Responses are dealt to workers by turns, so a row of `latent` (draws × arms × rounds × workers) is a round of
    responses. The last round may be longer than needed; what is too much is left out.
    """

    def __init__(self, design: Design, seed: int, *, cells: int) -> None:
        self.design = design
        self.draws = max(LEAST_DRAWS, min(MOST_DRAWS, cells // design.responses))
        rng = np.random.default_rng(seed)
        n, k, arms, workers = design.items, design.answers, design.arms, design.workers
        self.per_arm = n * k
        rounds = -(-self.per_arm // workers)
        noise = 1 - design.by_item - design.by_worker
        shape = (self.draws, arms, rounds * workers)
        latent = rng.standard_normal(shape, dtype=np.float32) * np.float32(math.sqrt(noise))
        by_item = latent[:, :, : self.per_arm].reshape(self.draws, arms, n, k)
        by_item += self._items(rng)[..., None]
        latent[:, :, : self.per_arm] = by_item.reshape(self.draws, arms, self.per_arm)
        self.latent = latent.reshape(self.draws, arms, rounds, workers)
        self.latent += self._workers(rng)[:, :, None, :]
        self.loads = np.bincount(np.arange(self.per_arm) % workers, minlength=workers)

    def _items(self, rng: "np.random.Generator") -> Any:
        """The items' parts, (draws × arms × items)."""
        design = self.design
        shape = (self.draws, design.arms, design.items)
        own = rng.standard_normal(shape, dtype=np.float32)
        if design.kind == PAIRED:
            shared = rng.standard_normal((self.draws, 1, design.items), dtype=np.float32)
            own = np.float32(math.sqrt(1 - design.alike)) * own + np.float32(math.sqrt(design.alike)) * shared
        return own * np.float32(math.sqrt(design.by_item))

    def _workers(self, rng: "np.random.Generator") -> Any:
        """The workers' parts in the order of their turns, (draws × arms × workers)."""
        design = self.design
        sides = design.arms if design.kind == UNPAIRED else 1
        drawn = rng.standard_normal((self.draws, sides, design.workers), dtype=np.float32)
        drawn *= np.float32(math.sqrt(design.by_worker))
        if design.kind == PAIRED:  # the second condition begins with other workers, so that nobody meets an item twice
            return np.concatenate([drawn, np.roll(drawn, -design.answers, axis=2)], axis=1)
        return drawn

    def tested(self, first: float, second: float) -> tuple[Any, Floats]:
        """For each draw: whether the test finds a difference, and half of the 95 % interval."""
        design = self.design
        rates = (first,) if design.kind == RATE else (first, second)
        limits = np.array([-_NORMAL.inv_cdf(rate) for rate in rates], dtype=np.float32)
        right = self.latent > limits[:, None, None]
        flat = right.reshape(self.draws, design.arms, -1)
        flat[:, :, self.per_arm :] = False
        means = np.count_nonzero(flat, axis=2) / self.per_arm
        variance, single = self._variances(flat, right, means)
        degrees = min(design.items, design.workers) * (2 if design.kind == UNPAIRED else 1)
        t = two_sided(LEVEL, max(1, degrees - (2 if design.kind == UNPAIRED else 1)))
        halves = t * np.sqrt(variance)
        if design.kind == RATE:
            effect = np.divide(variance, single, out=np.ones_like(variance), where=single > 0)
            limit = t * np.sqrt(effect * second * (1 - second) / self.per_arm)
            return np.abs(means[:, 0] - second) > limit + 1e-12, halves
        return np.abs(means[:, 0] - means[:, 1]) > halves + 1e-12, halves

    def _variances(self, flat: Any, right: Any, means: Floats) -> tuple[Floats, Floats]:
        """The variance of the value, and that of single responses, for each draw."""
        design, n, k = self.design, self.design.items, self.design.answers
        of_items = flat[:, :, : self.per_arm].reshape(self.draws, design.arms, n, k).sum(axis=3) - k * means[..., None]
        of_workers = right.sum(axis=2) - self.loads * means[..., None]
        if design.kind == PAIRED:
            of_items = of_items[:, :1] - of_items[:, 1:]
            of_workers = of_workers[:, :1] - np.roll(of_workers[:, 1:], design.answers, axis=2)
        squares = [np.einsum("dac,dac->d", sums, sums) for sums in (of_items, of_workers)]
        by_item = squares[0] * n / (n - 1)
        by_worker = squares[1] * design.workers / (design.workers - 1)
        single = (means * (1 - means)).sum(axis=1) * self.per_arm
        variance = by_item + np.maximum(0, by_worker - single)
        if design.kind != PAIRED:  # pairs make `by_item` smaller than `single` for good reason
            variance = np.maximum(variance, by_worker)
        return variance / self.per_arm**2, single / self.per_arm**2


def _detectable(drawn: _Simulation) -> float | None:
    """The smallest difference that the same draws find with power TARGET, in the planned direction."""
    design = drawn.design
    fixed, moving = design.moved
    sign = 1 if moving > fixed else -1
    low, high = 0.0, (1 - fixed if sign > 0 else fixed) - 1e-4

    def finds(apart: float) -> bool:
        rates = (fixed + sign * apart, fixed) if design.kind == RATE else (fixed, fixed + sign * apart)
        return float(np.mean(drawn.tested(*rates)[0])) >= TARGET

    if not finds(high):
        return None
    for _step in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if finds(middle) else (middle, high)
    return round(high, 4)


def _items_needed(design: Design, seed: int) -> int | None:
    """The fewest items with power TARGET at the given rates and at most so many workers; None: over `most_items`."""
    most = design.most_items

    def finds(items: int) -> bool:
        workers = min(design.workers, items * design.answers)
        figure = quick_power(replace(design, items=items, workers=workers), seed)
        return figure.value is not None and figure.value >= TARGET

    if design.first == design.second:
        return None
    low, high = 1, min(most, design.items)
    while not finds(high):
        if high == most:
            return None
        low, high = high, min(most, 2 * high)
    for _step in range(_STEPS):
        if high - low < 2:
            break
        middle = math.isqrt(low * high)
        middle = min(max(middle, low + 1), high - 1)
        low, high = (low, middle) if finds(middle) else (middle, high)
    return high
