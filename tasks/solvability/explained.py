"""Explanations of the tables of `solvability`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

EXPLANATIONS = {
    "solvability": Explanation(
        _("Solvability"),
        "items",
        _("The share of items that most say they can solve, without ties, and a model's score on the same items."),
        "items",
        source="Sugawara et al. 2020, §5.1, Table 4",
    ),
    "classes": Explanation(
        _("Reconstructability"),
        "items",
        _("Items by class of most annotators, α to δ: can the lost be guessed, and is it needed? Without ties."),
        "items",
        source="Sugawara et al. 2020, §5.2, Table 10",
    ),
    "guessable": Explanation(
        _("What people could guess"),
        "items",
        _("The share of items of class γ or δ: what was ablated could be guessed. Without ties."),
        "items",
        source="Sugawara et al. 2020, §5.2",
    ),
    "cases": Explanation(
        _("People and models"),
        "items",
        _("Who solves an item. p: McNemar's exact test over questions, with Holm's adjustment."),
        "items",
        _("Other predictions, more responses, excluding a HIT."),
        "Sugawara et al. 2020, §5.1, cases A to D",
    ),
}
