"""Explanations of the tables of `choose`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

EXPLANATIONS = {
    "verdicts": Explanation(
        _("Aggregated labels"),
        "items",
        _("What most annotators of a graph chose: one of its compositions, or none. The share has Wilson's interval."),
        "items",
    ),
    "agreement": Explanation(
        _("Agreement"),
        "items",
        _("How often two annotators of a graph choose alike, beside two who guess. Each graph has its own choices."),
        "several",
    ),
    "by-worker": Explanation(
        _("By worker"),
        "worker",
        _("Each worker's share of “none is good”, and how often another response to the same graph is the same."),
        "responses",
    ),
    "votes": Explanation(
        _("Votes"),
        "none",
        _("Graphs by the number of responses for their leading choice."),
        "items",
    ),
}
