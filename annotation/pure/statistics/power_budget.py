"""What a budget buys: the power of every way to spend it on items, responses to each, and workers."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.power import MOST_RESPONSES, PAIRED, Design, Impossible, quick_power
from annotation.pure.text.translation_marks import gettext_noop as _

ANSWERS: Final = (1, 2, 3, 5)  # responses to an item that are tried
CROWDS: Final = (1, 2)  # multiples of the planned workers
FREE = _("A budget needs the price of a response.")
TOO_MUCH = _("This budget pays for more responses than can be simulated (%(most)s).")


@dataclass(frozen=True, slots=True)
class Offer:
    """A way to spend the budget, what it costs, and its power."""

    design: Design
    cost: Decimal
    power: Figure


def offers(design: Design, *, each: Decimal | None, budget: Decimal, seed: int) -> list[Offer]:
    """All ways that the budget allows, as many items as it pays for; `each` is the price of a response with fees.

    Raises Impossible if a response costs nothing, or if the budget pays for more than can be simulated.
    """
    if not each:
        raise Impossible(FREE)
    if budget / each > MOST_RESPONSES:
        raise Impossible(TOO_MUCH, most=MOST_RESPONSES)
    found = []
    for answers in ANSWERS:
        items = int(budget / (each * design.arms * answers))
        for crowd in CROWDS:
            workers = design.workers * crowd
            if items < 2 or workers < answers * (2 if design.kind == PAIRED else 1) or workers > items * answers:
                continue
            way = replace(design, items=items, answers=answers, workers=workers)
            found.append(Offer(way, each * way.responses, quick_power(way, seed)))
    return found
