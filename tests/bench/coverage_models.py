"""How often figures of people and a model are right: PPI++, unequal draws, annotators replaced, judges, pull."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from annotation.pure.reports.model_aspects import Aspect, Draw, Predicted
from annotation.pure.reports.model_estimates import Estimated, estimated
from annotation.pure.statistics.answer_judges import CANNOT, AnswerRow, corrected, people_accuracy
from annotation.pure.statistics.model_beside_workers import Labelled, alternative_annotator, beside_workers
from annotation.pure.statistics.people_and_model import Sample, difference, estimate
from annotation.pure.statistics.random_draws import drawn_by_confidence
from annotation.pure.statistics.suggestions import Responded, pulls
from tests.bench.bench import Bench, Result

DRAWS = 4_000
MODELS = {  # share of the label, shares of it and of the others that the model gets wrong
    "good": (0.4, 0.1, 0.1),
    "useless": (0.4, 0.5, 0.5),
    "one-sided": (0.4, 0.0, 0.3),
    "rare label": (0.05, 0.1, 0.03),
    "1 % wrong": (0.4, 0.01, 0.01),
}
PEOPLE = ((3, 0.0, 0.925), (10, 0.6, 0.93), (20, 0.6, 0.925))  # number, SD of their logits, goal
SIZES = ((50, 1_000), (200, 5_000), (400, 20_000))  # judged, others
ERROR = 0.05  # of an average person
JUDGES = {"good": (0.95, 0.9), "fair": (0.8, 0.7)}  # sensitivity, specificity
QUESTIONS = ((400, 100), (1_000, 200), (1_000, 400))  # of a system; answers judged that exact match calls wrong
WORSE_BY_EPSILON = 0.8 - 0.1 / 0.6  # see `passes`


@dataclass(frozen=True)
class World:
    """A model, the people and how many items they judged, one response an item."""

    model: str
    people: int
    spread: float
    judged: int
    others: int

    @property
    def truth(self) -> float:
        """The share of the label that people in general see."""
        share, right = MODELS[self.model][0], _accuracy(self.spread)
        return share * right + (1 - share) * (1 - right)

    def holds(self, seed: int) -> bool:
        """Whether the printed interval of one study holds the truth."""
        rng = np.random.default_rng([seed, self.judged, self.people])
        share, missed, invented = MODELS[self.model]
        is_so = rng.random(self.judged + self.others) < share
        said = np.where(is_so, rng.random(is_so.size) >= missed, rng.random(is_so.size) < invented).astype(float)
        worker = rng.integers(0, self.people, self.judged)
        able = rng.normal(0, self.spread, self.people)[worker]
        right = rng.random(self.judged) < _logistic(np.log((1 - ERROR) / ERROR) + able)
        values = np.where(right, is_so[: self.judged], ~is_so[: self.judged]).astype(float)
        codes = np.unique(worker, return_inverse=True)[1]
        sample = Sample(values, np.arange(self.judged), codes, said[: self.judged], said[self.judged :])
        printed = estimate(sample).printed
        assert printed.low is not None
        assert printed.high is not None
        return bool(printed.low <= self.truth <= printed.high)


def held(world: World, *, draws: int) -> float:
    """The share of studies whose printed interval holds the truth."""
    return sum(world.holds(seed) for seed in range(draws)) / draws


def held_by_stratum(*, draws: int, judged: int = 400, others: int = 6_000) -> dict[str, float]:
    """For three strata, each with a model of its own, the share of studies whose printed interval holds the truth."""
    worlds = {name: World(name, 3, 0.0, 0, 0) for name in ("good", "one-sided", "rare label")}
    holds = dict.fromkeys(worlds, 0)
    for seed in range(draws):
        rng = np.random.default_rng([seed, judged])
        stratum = rng.choice(3, judged + others, p=(0.5, 0.3, 0.2))
        for k, (name, world) in enumerate(worlds.items()):
            n, more = int((stratum[:judged] == k).sum()), int((stratum[judged:] == k).sum())
            holds[name] += replace(world, judged=n, others=more).holds(seed)
    return {name: count / draws for name, count in holds.items()}


LONGEST = 8  # elements of a list


@dataclass(frozen=True)  # no slots: it keeps its truth
class Lists:
    """Items with 1 to LONGEST elements, the longer the item, the rarer the label; its elements are alike.

    Two of the people judge all elements of an item. `share`: how much of the label there is.
    """

    people: int
    judged: int
    others: int
    share: float = 1.0

    def items(self, rng: np.random.Generator, number: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The number of elements of each item, and (items × LONGEST) which have the label."""
        sizes = rng.integers(1, LONGEST + 1, number)
        chance = self.share * rng.beta(2, 2, number) * (1 - sizes / (2 * LONGEST))
        return sizes, rng.random((number, LONGEST)) < chance[:, None]

    @cached_property
    def truth(self) -> float:
        """Of all elements: E[Σ of an item] / E[number], with the people's errors."""
        return self._seen(np.arange(1, LONGEST + 1))

    def _seen(self, numbers: NDArray[np.int64]) -> float:
        """The share that people see of a list's elements, of which those of each size have so many."""
        at = np.arange(1, LONGEST + 1)
        share = float((numbers * self.share * 0.5 * (1 - at / (2 * LONGEST))).sum() / numbers.sum())
        right = _accuracy(self.spread)
        return share * right + (1 - share) * (1 - right)

    @property
    def spread(self) -> float:
        """Of people's abilities, SD of the logit: enough of them stand for others."""
        return 0.6 if self.people > 3 else 0.0

    def study(self, seed: int) -> tuple[list[Labelled], dict[tuple[int, int], bool]]:
        """People's labels of the first items' elements, a model's of all."""
        rng = np.random.default_rng([seed, self.judged, self.people])
        sizes, has = self.items(rng, self.judged + self.others)
        right = _logistic(np.log((1 - ERROR) / ERROR) + rng.normal(0, self.spread, self.people))
        wrong = rng.random(has.shape) < 0.15
        rows = [
            Labelled((i, k), f"w{w}", bool(has[i, k] == (rng.random() < right[w])), i)
            for i in range(self.judged)
            for w in rng.choice(self.people, 2, replace=False)
            for k in range(sizes[i])
        ]
        return rows, {(i, k): bool(has[i, k] != wrong[i, k]) for i in range(len(sizes)) for k in range(sizes[i])}

    def holds(self, seed: int) -> bool:
        printed = _estimated(*self.study(seed)).found.printed
        return printed.low is not None and printed.low <= self.truth <= (printed.high or 0)

    def contrast_holds(self, seed: int) -> bool:
        """Whether the interval of even minus odd elements, of the same items and people, holds the truth."""
        rows, model = self.study(seed)
        at = np.arange(1, LONGEST + 1)
        truth = self._seen((at + 1) // 2) - self._seen(at // 2)
        even, odd = (
            _estimated(
                [row for row in rows if row.item[1] % 2 == k], {at: x for at, x in model.items() if at[1] % 2 == k}
            )
            for k in (0, 1)
        )
        found = difference(even.sample, odd.sample)
        return found.low is not None and found.low <= truth <= (found.high or 0)

    def difference_holds(self, seed: int) -> bool:
        """Whether the interval of model minus annotators holds the truth, of people who err equally often.

        With one other as reference, of error e, whoever errs in m of cases agrees in (1 - m)(1 - e) + m e.
        """
        rows, model = self.study(seed)
        truth = (0.15 - ERROR) * (2 * ERROR - 1)
        found = beside_workers(rows, {row.item: model[row.item] for row in rows}, seed).difference
        return found.low is not None and found.low <= truth <= (found.high or 0)


def _estimated(rows: Sequence[Labelled], model: Mapping[Hashable, bool]) -> Estimated:
    asked = Aspect("a", {}, dict, {True: "yes", False: "no"}, each=True)
    return estimated(asked, rows, {"m": {at: Predicted(said, None) for at, said in model.items()}})[0]


LISTS = (Lists(3, 60, 1_000), Lists(10, 200, 2_000), Lists(3, 200, 1_000, 0.2))


def share_of(holds: Callable[[int], bool], *, draws: int) -> float:
    return sum(map(holds, range(draws))) / draws


def mean_error_when_drawn_by_confidence(
    *, draws: int, judged: int = 300, items: int = 1_000, people: int = 3, calibrated: bool = True
) -> tuple[float, float, float]:
    """The mean error of the printed share of .5, in points, its Monte-Carlo error, and how often the interval holds.

    The model is as sure as it is right; if it is not `calibrated`, its confidence says nothing.
    """
    rng, found, held = np.random.default_rng(7), [], 0
    about = Aspect("label", {"text": "label"}, lambda answer: answer, {1.0: "yes", 0.0: "no"})
    for seed in range(draws):
        right = rng.uniform(0.5, 1, items)
        said = (rng.random(items) < 0.5).astype(float)
        values = np.where(rng.random(items) < right, said, 1 - said).tolist()
        sure = (right if calibrated else rng.uniform(0.5, 1, items)).tolist()
        chances = drawn_by_confidence(dict(enumerate(sure)), judged, seed)
        given = [Labelled(item, f"w{k % people}", values[item]) for k, item in enumerate(chances)]
        predicted = {"m": {item: Predicted(label, sure[item]) for item, label in enumerate(said.tolist())}}
        printed = estimated(about, given, predicted, Draw("m", range(items), chances))[0].found.printed
        found.append(100 * (printed.value - 0.5))
        held += printed.low <= 0.5 <= printed.high
    return float(np.mean(found)), float(np.std(found) / np.sqrt(draws)), held / draws


def passes(*, model: float, draws: int, people: int = 3, items: int = 100, person: float = 0.8) -> float:
    """How often a model that is right with this chance passes the test (ω from .5 on, ε .1) with people of .8.

    People and model err independently, so with two others the person's lead is (2 · .8 - 1) · (.8 - model): the model
    is worse by exactly ε at .8 - .1 / .6.
    """
    passed = 0
    for seed in range(draws):
        rng = np.random.default_rng([seed, int(1000 * model)])
        said = {str(k): dict(enumerate((rng.random(items) < person).tolist())) for k in range(people)}
        found = alternative_annotator(said, dict(enumerate((rng.random(items) < model).tolist())), epsilon=0.1)
        passed += found.winning_rate is not None and found.winning_rate >= 0.5
    return passed / draws


@dataclass(frozen=True)
class System:
    """A system's answers: three in ten are equal by exact match, of which .97 are right, and of the others half."""

    questions: int
    judged: int
    sensitivity: float
    specificity: float
    control: float = 0.2

    truth = 0.3 * 0.97 + 0.7 * 0.5

    def rows(self, seed: int) -> list[AnswerRow]:
        """One study; the judge and people are asked of the control, the judge of all other answers."""
        rng = np.random.default_rng([seed, self.questions, self.judged, int(1000 * self.sensitivity)])
        exact = rng.random(self.questions) < 0.3
        right = rng.random(self.questions) < np.where(exact, 0.97, 0.5)
        called = rng.random(self.questions) < np.where(right, self.sensitivity, 1 - self.specificity)
        drawn = ~exact | (rng.random(self.questions) < self.control)
        asked = exact & drawn
        asked[rng.permutation(np.flatnonzero(~exact))[: self.judged]] = True
        of, by_judge = ({e: float((one & (exact == e)).sum() / (exact == e).sum()) for e in (True, False)}
                        for one in (asked, drawn))  # fmt: skip
        return [
            AnswerRow(k, e, judge if there else None, is_right if said else None, of[e] or 1.0, by_judge[e] or 1.0)
            for k, (e, judge, there, is_right, said) in enumerate(
                zip(*(x.tolist() for x in (exact, called, drawn, right, asked)), strict=True)
            )
        ]


def judges_held(system: System, *, draws: int) -> tuple[float, float, float]:
    """Shares of studies: the corrected interval, if any, and people's hold the truth; the judge cannot correct."""
    held = people = refused = 0
    for seed in range(draws):
        rows = system.rows(seed)
        found, alone = corrected(rows, seed), people_accuracy(rows, seed)
        refused += found.refused == CANNOT
        held += found.value is not None and found.value.low <= system.truth <= found.value.high
        people += alone.low <= system.truth <= alone.high
    return held / max(1, draws - refused), people / draws, refused / draws


def of_answer_judges() -> Iterator[Result]:
    for questions, judged in QUESTIONS:
        for name, rates in JUDGES.items():
            held, people, refused = judges_held(System(questions, judged, *rates), draws=DRAWS // 4)
            what = f"a system's {questions} questions, {judged} judged"
            yield Result(f"coverage of {what}, corrected by a {name} judge", held, 0.93, unit="share", at_most=False)
            yield Result("the same, not above", held, 0.99, unit="share")
            yield Result(f"coverage of {what}, by people", people, 0.925, unit="share", at_most=False)
            print(f"       the judge cannot correct in {refused:.3f}")
    refused = judges_held(System(1_000, 200, 0.52, 0.5), draws=DRAWS // 4)[2]
    yield Result(
        "a judge that hardly knows more than chance cannot correct", refused, 0.95, unit="share", at_most=False
    )


def pull_of(seed: int, *, pulled: float, items: int, people: int, blind: int = 2) -> tuple[float, float, float]:
    """The printed pull of one study with its ends; everybody takes over a shown suggestion with chance `pulled`.

    The model is right with .7, and people of .8 on average (SD .6 of their logits) with chances that items share.
    """
    rng = np.random.default_rng([seed, items, people, int(100 * pulled)])
    able, hard = rng.normal(0, 0.6, people), rng.normal(0, 0.6, items)
    rows, suggestions = [], {}
    for item in range(items):
        suggestions[item] = bool(rng.random() < 0.7)  # whether it says what is so
        for place, worker in enumerate(rng.permutation(people)[: 2 * blind].tolist()):
            label = bool(rng.random() < _logistic(np.array([np.log(4) + able[worker] - hard[item]]))[0])
            shown = place >= blind
            if shown and rng.random() < pulled:
                label = suggestions[item]
            rows.append(Responded(item, f"{worker}", label, shown))
    found = pulls(rows, suggestions, {})["all"].difference
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


def pulls_held(*, pulled: float, draws: int, items: int, people: int) -> tuple[float, float]:
    """The shares of studies whose interval holds the mean of all, and whose interval is above 0.

    Without a pull the truth is 0; else it is the mean of what the studies print, which is right on average.
    """
    found = np.array([pull_of(seed, pulled=pulled, items=items, people=people) for seed in range(draws)])
    truth = found[:, 0].mean() if pulled else 0.0
    return float(((found[:, 1] <= truth) & (truth <= found[:, 2])).mean()), float((found[:, 1] > 0).mean())


def coverage(_bench: Bench) -> Iterator[Result]:
    """PPI++ as it is printed, each model and size; the weighted draw has no error in the mean; false passes."""
    worse = passes(model=WORSE_BY_EPSILON, draws=DRAWS)
    yield Result("a model that is worse by ε passes the alternative annotator test", worse, 0.05, unit="share")
    print(f"       a model as good as people passes it in {passes(model=0.8, draws=DRAWS // 4):.3f}")
    for people, spread, goal in PEOPLE:
        for judged, others in SIZES:
            for model in MODELS:
                share = held(World(model, people, spread, judged, others), draws=DRAWS)
                what = f"coverage of people and a model ({model}), {judged} of {judged + others} judged by {people}"
                yield Result(f"{what}, SD {spread:g}", share, goal, unit="share", at_most=False)
    for name, share in held_by_stratum(draws=DRAWS).items():
        yield Result(f"coverage in a stratum of its own ({name})", share, 0.925, unit="share", at_most=False)
    for lists, goal in (
        (Lists(3, 60, 1_000), 0.925),
        (Lists(10, 200, 2_000), 0.93),
        (Lists(3, 200, 1_000, 0.2), 0.925),
    ):
        what = (
            f"of {lists.judged + lists.others} lists, {lists.judged} judged by {lists.people}, label x {lists.share:g}"
        )
        share = share_of(lists.holds, draws=DRAWS // 8)
        yield Result(f"coverage of a share of all elements {what}", share, goal, unit="share", at_most=False)
    share = share_of(LISTS[1].contrast_holds, draws=DRAWS // 8)
    yield Result("coverage of the difference of two strata of elements", share, 0.93, unit="share", at_most=False)
    share = share_of(Lists(3, 100, 0).difference_holds, draws=DRAWS // 8)
    yield Result("coverage of model minus annotators, of elements", share, 0.925, unit="share", at_most=False)
    for items, people, widest in ((60, 10, 1.0), (60, 20, 0.99), (300, 20, 0.99)):  # t makes those of ten people wide
        held_none, _found = pulls_held(pulled=0.0, draws=DRAWS // 4, items=items, people=people)
        what = f"of the pull of suggestions, {items} items and {people} people"
        yield Result(f"coverage {what}, none", held_none, 0.93, unit="share", at_most=False)
        yield Result(f"coverage at most {what}, none", held_none, widest, unit="share")
        held_some, found = pulls_held(pulled=0.5, draws=DRAWS // 4, items=items, people=people)
        yield Result(f"coverage {what}, half follow", held_some, 0.93, unit="share", at_most=False)
        yield Result(f"power {what}, half follow", found, 0.8, unit="share", at_most=False)
    for calibrated in (True, False):
        error, least, share = mean_error_when_drawn_by_confidence(draws=DRAWS // 2, calibrated=calibrated)
        of = "confidence" if calibrated else "a confidence that says nothing"
        yield Result(f"mean error of items drawn by {of}, points", abs(error), max(0.1, 3 * least))
        print(f"       its interval holds the truth in {share:.3f}")
    yield from of_answer_judges()


def _logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-odds)))


@cache
def _accuracy(spread: float) -> float:
    drawn = np.random.default_rng(99).normal(np.log((1 - ERROR) / ERROR), spread, 1_000_000)
    return float(_logistic(drawn).mean())
