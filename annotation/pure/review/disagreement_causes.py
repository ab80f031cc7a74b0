"""Causes of a disagreement, as adjudicators name them, and their tables in the report.

The first six are classes of Kamalloo et al. 2023 (Evaluating Open-Domain Question Answering in the Era of Large
Language Models), under the names by which liner.com's review of the paper quotes them; the paper itself was not at
hand. Gold that is wrong is one of these. The last two are ours.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.review.label_tables import agreement_table
from annotation.pure.statistics.intervals import wilson
from annotation.pure.text.translation_marks import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause: its label, a gettext id, and the key that chooses it."""

    label: str
    key: str


CAUSES: Final[Mapping[str, Cause]] = {
    "semantic": Cause(_("Semantic equivalence"), "s"),
    "symbolic": Cause(_("Symbolic equivalence"), "y"),
    "ambiguity": Cause(_("Intrinsic ambiguity"), "a"),
    "granularity": Cause(_("Granularity discrepancies"), "g"),
    "list": Cause(_("List-style questions"), "l"),
    "gold": Cause(_("Incorrect gold answers"), "w"),
    "outdated": Cause(_("Out of date"), "o"),
    "slip": Cause(_("Slip"), "p"),
}


def cause_tables(counted: Counter[str], units: Sequence[Mapping[str, str]], seed: int) -> list[JSON]:
    """The tables "causes" and "cause-agreement"; [] if nobody named a cause.

    `counted`: HITs by cause, with "" for those of which two adjudicators named different causes. `units`: the causes
    that two adjudicators named independently, by adjudicator, one mapping a HIT.
    """
    n = sum(counted.values())
    if not n and not units:
        return []
    labels = {**{name: cause.label for name, cause in CAUSES.items()}, "": _("Two adjudicators named different causes")}
    rows = [[text_cell(words), counted[name], wilson(counted[name], n).as_json()] for name, words in labels.items()]
    rows.append([text_cell(_("all")), n, None])
    note = _(
        "HITs whose adjudicators named a cause. The first six are classes of Kamalloo et al. (2023), named as "
        "quoted in a review of the paper."
    )
    found = [table("causes", _("Disagreement by cause"), [_("Cause"), _("HITs"), _("Share")], rows, note, leads=False)]
    if units:
        of = {"name": "cause-agreement", "title": _("Agreement of two adjudicators on the cause"), "leads": False}
        found.append(agreement_table(units, on=_("causes of disagreement"), seed=seed) | of)
    return found
