"""What may be concluded from a study's figures beside its paper's.

Every figure of ours has its interval over workers and items. The difference from a paper's figure has one by MOVER; the
paper's own is Wilson's, stretched as ours is. Only the figures that the study marked as primary before there were
responses lead to conclusions, which Holm's procedure protects together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.pure.statistics.intervals import ITEMS_ONLY, LEVEL, Figure
from annotation.pure.statistics.significance import Ends, chance, holm, mover, reported
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Spread, two_sided
from annotation.pure.studies.published import AT_LEAST, Published
from annotation.pure.text.translation_marks import gettext_noop as _

ALPHA = 1 - LEVEL
DIFFERENT = _("different from the paper")
EFFECT = _("different from 0")
CONTRADICTED = _("the paper's bound does not hold")
NOT_SHOWN = _("no difference shown")
NO_EFFECT = _("no difference from 0 shown")
CONCLUSIONS = (DIFFERENT, EFFECT, CONTRADICTED, NOT_SHOWN, NO_EFFECT)
TOO_FEW = _("fewer than seven people")
ALL_EQUAL = _("all are equal: the interval is about items only")
NO_N = _("the paper gives no n")
NO_SHARE = _("the paper's figure is not a share")
NO_INTERVAL = _("it has no interval over people and items")
NOT_CURRENT = _("its interval is not up to date")


@dataclass(frozen=True, slots=True)
class Own:
    """Our figure over n; `spread` None where it has none, for the reason `lacking`; `given` as computed elsewhere."""

    value: float
    n: int
    spread: Spread | None
    lacking: str = NO_INTERVAL
    given: Figure | None = None

    def figure(self) -> Figure:
        """It with its 95 % interval."""
        known = self.given or (self.spread.figure() if self.spread else None)
        return replace(known, n=self.n) if known else Figure(self.value, None, None, self.n)


def spread_of(figure: Figure, people: int) -> Spread | None:
    """The spread behind a 95 % interval over so many people and `figure.n` items; None without an interval."""
    if figure.value is None or figure.low is None or figure.high is None:
        return None
    degrees = max(1, min(people, figure.n) - 1)
    sides = figure.value - figure.low, figure.high - figure.value
    is_cut = figure.low in (-1, 0) or figure.high == 1
    half = max(sides) if is_cut else min(sides)  # the longer one of a share may be a score interval's
    error = 0.0 if figure.method == ITEMS_ONLY else half / two_sided(LEVEL, degrees)
    return Spread(figure.value, error if people >= LEAST_WORKERS else None, degrees, figure.n, -1.0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Ours minus the paper's, with a 95 % interval; of a primary figure the conclusion, or why there is none.

    `needed`: the smallest difference, on this side of 0, from which something would have been concluded.
    """

    difference: Figure
    conclusion: str = ""
    why: str = ""
    chance: float | None = None
    needed: float | None = None


def compared(rows: Sequence[tuple[Published, Own | None]]) -> list[Comparison | None]:
    """Each published figure beside ours; None without ours. The family is all primary figures."""
    family = [k for k, (published, _own) in enumerate(rows) if published.primary]
    tested = {k: ends for k in family if (ends := _tested(*rows[k])) is not None}
    chances = {k: _chance(rows[k][0], ends) for k, ends in tested.items()}
    adjusted = dict(zip(family, holm([chances.get(k, 1.0) for k in family]), strict=True))
    found: list[Comparison | None] = []
    for k, (published, own) in enumerate(rows):
        if own is None:
            found.append(None)
        elif k in tested:
            others = [chances.get(one, 1.0) for one in family if one != k]
            conclusion = _conclusion(published, adjusted[k])
            needed = _needed(published, tested[k], _level(published, others))
            found.append(Comparison(_difference(published, own), conclusion, "", adjusted[k], needed))
        else:
            found.append(Comparison(_difference(published, own), "", _why(published, own) if published.primary else ""))
    return found


def _difference(published: Published, own: Own) -> Figure:
    ends = None if published.is_contrast else _beside(published, own)
    return ends(LEVEL) if ends else Figure(own.value - published.value, None, None, own.n)


def _beside(published: Published, own: Own) -> Ends | None:
    """Ours minus the paper's at a level; None if the paper's has no interval."""
    spread, n = own.spread, published.n
    if spread is None or spread.error is None or not n or published.unit == "count" or not 0 <= published.value <= 1:
        return None
    return lambda level: mover(spread.figure(level), reported(published.value, n, spread, own.n, level))


def _tested(published: Published, own: Own | None) -> Ends | None:
    """The difference that the figure's conclusion is about, at a level: of a contrast itself, from 0."""
    if own is None or own.spread is None or not own.spread.error:
        return None
    return own.spread.figure if published.is_contrast else _beside(published, own)


def _why(published: Published, own: Own) -> str:
    """Why nothing is concluded of a primary figure."""
    if own.spread is None:
        return own.lacking
    if own.spread.error is None:
        return TOO_FEW
    if not own.spread.error:
        return ALL_EQUAL
    return NO_SHARE if published.n else NO_N


def _conclusion(published: Published, chance: float) -> str:
    if chance > ALPHA:
        return NO_EFFECT if published.is_contrast else NOT_SHOWN
    return CONTRADICTED if published.bound else EFFECT if published.is_contrast else DIFFERENT


def _chance(published: Published, ends: Ends) -> float:
    """P value of no difference; of a bound that it holds, one-sided."""
    both = chance(ends)
    if not published.bound:
        return both
    value = ends(LEVEL).value or 0.0
    contradicts = value < 0 if published.bound == AT_LEAST else value > 0
    return both / 2 if contradicts else 1 - both / 2


def _level(published: Published, others: Sequence[float]) -> float:
    """The level of the interval that Holm's procedure lets decide, given the other chances of the family."""
    rejected, size = 0, len(others) + 1
    for one in sorted(others):
        if one > ALPHA / (size - rejected):
            break
        rejected += 1
    return 1 - ALPHA / (size - rejected) * (2 if published.bound else 1)


def _needed(published: Published, ends: Ends, level: float) -> float:
    found = ends(level)
    value = found.value or 0.0
    above = value > 0 if not published.bound else published.bound != AT_LEAST
    return value - (found.low or 0.0) if above else (found.high or 0.0) - value
