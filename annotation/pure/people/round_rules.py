"""A qualification round's pass rule, the chance that a worker of a given skill passes, and who passes a mark.

A rule is a conjunction of clauses. The chance is exact under a stated model (`chance`). It shows that a rule such as
MuSiQue's (section 6.1: 25 questions over three datasets, answer F1 > 75 and support F1 > 75 on each) looks mild, but
rejects most good workers by chance.

Workers selected for a high score were also lucky, so for the expected outcome of a mark scores are shrunk towards the
round's distribution (empirical Bayes): a worker's true rate is drawn from a beta distribution, and n items give
k ~ binomial(n, rate). The beta's mean and weight are not fixed at their best fit but weighted by their likelihood, so
that a round of few workers gives wide intervals. F1s count as k = n·F1: their variance is at most the binomial one, so
the interval is rather too wide than too narrow. The draws are seeded.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, fsum
from typing import Any, Final

from annotation.pure.numeric import Floats, np

EACH: Final = "each"  # in a clause's dataset: every dataset alone; "" is all items together
COMPARATORS: Final = (">", ">=")
SLACK: Final = 1e-9  # figures are sums of floats
PARTLY: Final = 0.5  # the model's credit for a partly correct item

Figures = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Clause:
    """`figure` on `dataset` (a slug, EACH, or "" for all items) must be above, or not below, `value` (0..1)."""

    figure: str
    value: float
    comparator: str = ">="
    dataset: str = ""

    def holds(self, figure: float) -> bool:
        return figure > self.value + SLACK if self.comparator == ">" else figure >= self.value - SLACK

    def as_json(self) -> dict[str, Any]:
        return {"figure": self.figure, "dataset": self.dataset, "comparator": self.comparator, "value": self.value}


def read_rule(stored: Any) -> tuple[Clause, ...]:
    """Parse a rule from stored or received JSON. Raises ValueError with the reason if it is invalid."""
    if not isinstance(stored, list) or not stored:
        raise ValueError("a rule is a list of at least one clause")
    return tuple(_read_clause(entry) for entry in stored)


def _read_clause(entry: Any) -> Clause:
    if not isinstance(entry, Mapping) or not {"figure", "value"} <= set(entry):
        raise ValueError('a clause is {"figure", "dataset", "comparator", "value"}')
    value, comparator = entry["value"], entry.get("comparator", ">=")
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ValueError(f"a clause's value must be a number from 0 to 1, not {value!r}")
    if comparator not in COMPARATORS:
        raise ValueError(f"a clause's comparator must be > or >=, not {comparator!r}")
    if comparator == ">" and value == 1:
        raise ValueError("nothing is above 1")
    return Clause(str(entry["figure"]), float(value), comparator, str(entry.get("dataset", "")))


def clause_of(text: str) -> dict[str, Any]:
    """Parse `figure>percent@dataset` or `figure>=percent` into a clause as it is stored. Raises ValueError."""
    condition, _at, dataset = text.partition("@")
    comparator = ">=" if ">=" in condition else ">"
    figure, _comparator, percent = condition.partition(comparator)
    try:
        value = float(percent) / 100
    except ValueError:
        value = -1.0
    if not figure.strip() or not 0 <= value <= 1:
        raise ValueError(f"{text[:60]!r}: write figure>percent@dataset, such as answer_f1>75@each")
    return {"figure": figure.strip(), "comparator": comparator, "value": value, "dataset": dataset.strip()}


def key(figure: str, dataset: str = "") -> str:
    """A figure's name among an attempt's figures: "answer_f1" or "answer_f1/wells"."""
    return f"{figure}/{dataset}" if dataset else figure


def rule_figures(rule: Sequence[Clause], datasets: Sequence[str]) -> list[tuple[str, Clause]]:
    """The figures that the rule looks at, by their keys, each with its clause; EACH becomes one for each dataset."""
    clauses = []
    for clause in rule:
        places = list(datasets) if clause.dataset == EACH else [clause.dataset]
        clauses += [(key(clause.figure, place), clause) for place in places]
    return clauses


def passes(rule: Sequence[Clause], figures: Figures, datasets: Sequence[str]) -> bool | None:
    """Whether all clauses hold; None if one of the figures is unknown."""
    values = [(figures.get(name), clause) for name, clause in rule_figures(rule, datasets)]
    if any(value is None for value, _clause in values):
        return None
    return all(clause.holds(value) for value, clause in values if value is not None)


def score(rule: Sequence[Clause], figures: Figures, datasets: Sequence[str]) -> float | None:
    """The lowest of the rule's figures, so a score above a mark means that every figure is; None if one is unknown."""
    values = [figures.get(name) for name, _clause in rule_figures(rule, datasets)]
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None


def mark_of(rule: Sequence[Clause]) -> Clause:
    """The clause with the highest value (of equal ones a strict one), as a single mark for the score."""
    return max(rule, key=lambda clause: (clause.value, clause.comparator == ">"))


def means(rows: Sequence[tuple[str, Mapping[str, float]]]) -> dict[str, float]:
    """(dataset, {figure: 0..1}) of each item as the means of each figure, over all items and over each dataset."""
    values: dict[str, list[float]] = {}
    for dataset, measured in rows:
        for figure, value in measured.items():
            values.setdefault(key(figure), []).append(value)
            values.setdefault(key(figure, dataset), []).append(value)
    return {name: fsum(numbers) / len(numbers) for name, numbers in values.items()}


def shares(items: int, datasets: Sequence[str]) -> dict[str, int]:
    """The number of items from each dataset, as even as possible; the first datasets give one more."""
    each, over = divmod(items, len(datasets))
    return {name: each + (k < over) for k, name in enumerate(datasets)}


@dataclass(frozen=True, slots=True)
class Chance:
    """Chances of passing: `value` if the rule's figures are independent, `most` if they are fully correlated.

    Both are exact under the model of `item_chances`; for two figures on the same items the true chance is between them.
    """

    skill: float
    value: float
    most: float


def chance(rule: Sequence[Clause], skill: float, items: Mapping[str, int], *, partial: Mapping[str, bool]) -> Chance:
    """The chance that a worker with long-run figures of `skill` passes, with `items` of each dataset.

    `partial` tells for each figure whether items can earn partial credit (F1) or are right or wrong (judgments).
    """
    figures = list(dict.fromkeys(clause.figure for clause in rule))
    chances = [
        _figure_chance([c for c in rule if c.figure == name], item_chances(skill, partial=partial[name]), items)
        for name in figures
    ]
    value = 1.0
    for one in chances:
        value *= one
    return Chance(skill, value, min(chances))


def item_chances(skill: float, *, partial: bool) -> tuple[float, float, float]:
    """The chances that one item earns nothing, half and all of its credit, with `skill` as their mean.

    Without `partial` an item earns all or nothing. With it, half of the F1s below 1 are 0 and half are PARTLY, unless
    the mean is too low for any F1 of 1 (at most PARTLY / 2).
    """
    if not 0 <= skill <= 1:
        raise ValueError(f"a skill is a number from 0 to 1, not {skill!r}")
    if not partial:
        return 1 - skill, 0.0, skill
    rest = PARTLY / 2  # the mean of F1s below 1
    if skill <= rest:
        return 1 - skill / PARTLY, skill / PARTLY, 0.0
    full = (skill - rest) / (1 - rest)
    return (1 - full) / 2, (1 - full) / 2, full


def _figure_chance(clauses: Sequence[Clause], chances: tuple[float, float, float], items: Mapping[str, int]) -> float:
    """The exact chance that all clauses on one figure hold, from distributions of half points, dataset by dataset."""
    together = [1.0]
    for name, count in items.items():
        here = [clause for clause in clauses if clause.dataset in (EACH, name)]
        together = _both(together, _kept(_sums(chances, count), count, here))
    overall = [clause for clause in clauses if clause.dataset == ""]
    return min(1.0, fsum(_kept(together, sum(items.values()), overall)))


def _sums(chances: tuple[float, float, float], count: int) -> list[float]:
    """The probabilities that the credit of `count` items sums to k halves, k = 0 … 2·count."""
    if chances[1] == 0:  # the binomial distribution
        sums = [0.0] * (2 * count + 1)
        for right in range(count + 1):
            sums[2 * right] = comb(count, right) * chances[2] ** right * chances[0] ** (count - right)
        return sums
    sums = [1.0]
    for _item in range(count):
        sums = _both(sums, chances)
    return sums


def _both(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The distribution of the sum of two independent counts."""
    sums = [0.0] * (len(one) + len(other) - 1)
    for i, first in enumerate(one):
        if first:
            for j, second in enumerate(other):
                sums[i + j] += first * second
    return sums


def _kept(sums: Sequence[float], count: int, clauses: Sequence[Clause]) -> list[float]:
    """A distribution of half points, with 0 where a clause fails for the mean of `count` items."""
    if not count:
        return list(sums)
    means = [halves / 2 / count for halves in range(len(sums))]
    return [chance if all(c.holds(mean) for c in clauses) else 0.0 for chance, mean in zip(sums, means, strict=True)]


def chance_table(
    rule: Sequence[Clause], items: Mapping[str, int], *, partial: Mapping[str, bool], attempts: int = 1
) -> list[Chance]:
    """The chances for skills .6, .65, … .95, of passing in one of `attempts` attempts."""
    skills = [k / 100 for k in range(60, 100, 5)]
    once = [chance(rule, skill, items, partial=partial) for skill in skills]
    return [Chance(c.skill, _in_one_of(attempts, c.value), _in_one_of(attempts, c.most)) for c in once]


def _in_one_of(attempts: int, chance: float) -> float:
    return 1 - (1 - chance) ** attempts


DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Scored:
    """A worker's result: `score` is compared with the pass mark, `value` is the mean of one figure over `n` items."""

    score: float
    value: float
    n: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a pass mark: how many workers pass, and their mean true rate with a 95 % interval."""

    mark: float
    workers: int
    quality: float | None = None
    low: float | None = None
    high: float | None = None


def likely_rates(scored: Sequence[Scored], seed: int, *, draws: int = DRAWS) -> Floats:
    """(draws × workers): the workers' true rates, as likely as the round makes them."""
    rng = np.random.default_rng(seed)
    right = np.array([one.value * one.n for one in scored])
    wrong = np.array([(1 - one.value) * one.n for one in scored])
    means = np.linspace(0.025, 0.975, 39)  # of the workers' rates
    weights = np.geomspace(1.0, 60.0, 14)  # items that knowing the other workers is worth
    grid = [(mean * weight, (1 - mean) * weight) for mean in means for weight in weights]
    fits = np.array([_fit(a, b, right, wrong) for a, b in grid])
    chances = np.exp(fits - fits.max())
    chosen = rng.choice(len(grid), size=draws, p=chances / chances.sum())
    a, b = np.array(grid)[chosen].T
    rates: Floats = rng.beta(a[:, None] + right, b[:, None] + wrong)
    return rates


def _fit(a: float, b: float, right: Floats, wrong: Floats) -> float:
    """The log likelihood of a beta prior, up to a constant."""
    constant = _log_beta(a, b)
    return sum(_log_beta(a + k, b + m) - constant for k, m in zip(right, wrong, strict=True))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def outcomes(scored: Sequence[Scored], marks: Sequence[float], *, strict: bool, seed: int) -> list[Outcome]:
    """The outcome of each pass mark; workers exactly at the mark pass unless `strict`."""
    if not scored:
        return [Outcome(mark, 0) for mark in marks]
    rates = likely_rates(scored, seed)
    scores = np.array([one.score for one in scored])
    return [_outcome(mark, rates[:, scores > mark + SLACK if strict else scores >= mark - SLACK]) for mark in marks]


def _outcome(mark: float, rates: Floats) -> Outcome:
    if not rates.shape[1]:
        return Outcome(mark, 0)
    means = rates.mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Outcome(mark, rates.shape[1], float(means.mean()), float(low), float(high))
