"""Causes of a disagreement, as adjudicators name them, and their tables in the report.

The first six are classes of Kamalloo et al. 2023 (Evaluating Open-Domain Question Answering in the Era of Large
Language Models), under the names by which liner.com's review of the paper quotes them; the paper itself was not at
hand. Gold that is wrong is one of these. The last two are ours.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.review.label_tables import agreement_table
from annotation.pure.statistics.intervals import wilson
from annotation.pure.text.translation_marks import gettext_noop as _


class Cause(NamedTuple):
    """A cause: plain words for it, the key that chooses it, and the paper's term, "" if it has none. gettext ids."""

    words: str
    key: str
    term: str = ""


CAUSES: Final[Mapping[str, Cause]] = {
    "semantic": Cause(_("Same meaning"), "s", _("Semantic equivalence")),
    "symbolic": Cause(_("Same, written differently"), "y", _("Symbolic equivalence")),
    "ambiguity": Cause(_("Question is ambiguous"), "a", _("Intrinsic ambiguity")),
    "granularity": Cause(_("Different detail"), "g", _("Granularity discrepancies")),
    "list": Cause(_("Several answers"), "l", _("List-style questions")),
    "gold": Cause(_("Gold is wrong"), "w", _("Incorrect gold answers")),
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
    labels = {name: cause.term or cause.words for name, cause in CAUSES.items()}
    labels |= {"": _("Two adjudicators named different causes")}
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
