"""Whether arms that are equally hard come out equal, where workers get better while they work and some leave early.

Workers come one after the other, a few at a time, and draw by the product's own function; the product's own contrasts
are taken of expected scores. `covered` takes them of right and wrong answers, with the intervals.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, pstdev

from annotation.pure.batches import arm_draw
from annotation.pure.batches.arm_draw import Drawn, Order
from annotation.pure.reports.arm_contrasts import ArmResponse, Stratum, contrast, position_of
from tests.bench.bench import Bench, Result

RUNS, DRAWS, WORKERS, AT_ONCE, LEAVING = 400, 1_000, 60, 6, 0.2
EVEN = (6, 6, 6, 6, 6)  # HITs of one worker in each arm
UNEVEN = (6, 12, 18, 18, 6)  # as in human-dire
BASE, PRACTICE = math.log(0.75 / 0.25), 1.0  # logits

Draw = Callable[[int, Sequence[Drawn], random.Random], Order]


def drawn(arms: int, before: Sequence[Drawn], rng: random.Random) -> Order:
    """As the product draws."""
    return arm_draw.draw(arm_draw.latin_square(arms), before, rng.getrandbits(62))


def newest_first(arms: int, _before: Sequence[Drawn], _rng: random.Random) -> Order:
    """As everybody's list of work has batches, without an entry."""
    return tuple(reversed(range(arms)))


def as_it_is(_row: ArmResponse) -> None:
    return None


def study(
    seed: int, sizes: Sequence[int], draw: Draw = drawn, *, by_items: bool, workers: int = WORKERS
) -> list[ArmResponse]:
    """A study with expected scores; practice grows from 0 to 1 logit over positions, or over items done."""
    rng, before, found = random.Random(seed), list[Drawn](), list[ArmResponse]()
    arms, last = len(sizes), sum(sizes) - 1
    for number in range(workers):
        order = draw(arms, before, rng)
        stays = rng.choice((1, 2)) if rng.random() < LEAVING else arms
        before.append(Drawn(order, order[:stays], is_at_work=True))
        if number >= AT_ONCE:  # the one who came before those that are at work is done
            over = before[number - AT_ONCE]
            before[number - AT_ONCE] = Drawn(over.order, over.submitted, is_at_work=False)
        done = 0
        for position, arm in enumerate(order[:stays], start=1):
            for _hit in range(sizes[arm]):
                gain = done / last if by_items else (position - 1) / (arms - 1)
                score = 1 / (1 + math.exp(-BASE - PRACTICE * gain))
                found.append(ArmResponse(str(arm), rng.randrange(115), str(number), position, done, score))
                done += 1
    return found


def off_zero(rows: Sequence[ArmResponse], stratum: Stratum) -> list[float]:
    """Each arm's expected score minus that of the first, in points."""
    by_arm: dict[str, list[ArmResponse]] = {}
    for row in rows:
        by_arm.setdefault(row.arm, []).append(row)
    first, *others = (by_arm[arm] for arm in sorted(by_arm))
    return [100 * found.value for other in others if (found := contrast(other, first, stratum))]


def simulated(
    sizes: Sequence[int], draw: Draw = drawn, *, by_items: bool, stratum: Stratum = as_it_is, runs: int = RUNS
) -> tuple[float, float]:
    """(the contrast that is furthest from 0 in the mean over runs, its standard error), in points."""
    by_run = [off_zero(study(run, sizes, draw, by_items=by_items), stratum) for run in range(runs)]
    worst = max(zip(*by_run, strict=True), key=lambda values: abs(fmean(values)))
    return abs(fmean(worst)), pstdev(worst) / runs**0.5


def covered(workers: int, *, draws: int = DRAWS) -> float:
    """The share of draws whose interval of the contrast adjusted for position holds 0, its true value.

    Workers' and items' logits have an SD of .6; practice is by position.
    """
    held = 0
    for seed in range(draws):
        rng = random.Random(seed)
        able, hard = ([rng.gauss(0, 0.6) for _one in range(n)] for n in (workers, 115))
        rows = study(seed, (6, 6), by_items=False, workers=workers)
        right = [row._replace(score=float(rng.random() < _chance(row, able, hard))) for row in rows]
        found = contrast([row for row in right if row.arm == "0"], [r for r in right if r.arm == "1"], position_of)
        figure = found.figure() if found else None
        held += bool(figure and figure.low is not None and figure.high is not None and figure.low <= 0 <= figure.high)
    return held / draws


def _chance(row: ArmResponse, able: Sequence[float], hard: Sequence[float]) -> float:
    logit = math.log(row.score / (1 - row.score)) + able[int(row.worker)] + hard[int(str(row.item))]
    return 1 / (1 + math.exp(-logit))


def coverage(_bench: Bench) -> Iterator[Result]:
    """How far contrasts of arms that are equally hard are from 0, on average over studies; how often intervals hold."""
    for by_items, words in ((False, "practice by position"), (True, "practice by items done")):
        for sizes, shape in ((EVEN, "6 HITs each"), (UNEVEN, "6 to 18 HITs")):
            off, error = simulated(sizes, by_items=by_items)
            if sizes is UNEVEN:
                print(f"       equal arms, {shape}, {words}, as they are: {off:.2f} points (SE {error:.3f})")
            else:
                yield Result(f"equal arms, {shape}, {words} (SE {error:.3f})", off, 0.3, unit="points")
            off, error = simulated(sizes, by_items=by_items, stratum=position_of)
            yield Result(f"equal arms, {shape}, {words}, adjusted (SE {error:.3f})", off, 0.3, unit="points")
        off, _error = simulated(EVEN, newest_first, by_items=by_items, runs=1)
        print(f"       newest first, {words}: {off:.1f} points")
    for workers in (10, 30):
        what = f"coverage of a contrast of two arms adjusted for position, {workers} workers"
        yield Result(what, covered(workers), 0.92, unit="share", at_most=False)
