"""Explanations of the tables of `subquestions`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

TANG = "Tang et al. 2021, §2.4"

EXPLANATIONS = {
    "outcomes": Explanation(
        _("Kept and discarded"),
        "items",
        _("What most annotators of an item decide, and their texts. Wilson's interval."),
        "items",
        source=TANG,
    ),
    "judgments": Explanation(
        _("Negative judgments"),
        "items",
        _("The share of negative answers on each hop, by those who keep the question; an item's stay together."),
        "responses",
        source=TANG,
    ),
    "corrections": Explanation(
        _("Corrections"),
        "items",
        _("Hops of kept items whose text by majority differs from the source's. Wilson's interval."),
        "items",
        source=TANG,
    ),
    "workers": Explanation(
        _("By worker"),
        "worker",
        _("Each worker's shares of discarded items, corrected texts, and median time."),
        "responses",
    ),
}
