"""Explanations of the tables of `rate`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

EXPLANATIONS = {
    "criteria": Explanation(
        _("Criteria"),
        "none",
        _("What was asked, of how many items and workers; only who was asked counts. Texts have their number only."),
        "responses",
    ),
    "values": Explanation(
        _("How often each value was given"),
        "mixed",
        _("The share of all elements that were rated; of a list, beside it the mean over items of the item's share."),
        "responses",
        source="Cameron, Gelbach and Miller 2011",
    ),
    "means": Explanation(
        _("Means"),
        "mixed",
        _("The mean on the scale, over all elements and over items, with intervals over items and over both."),
        "responses",
    ),
    "systems": Explanation(
        _("Systems compared"),
        "mixed",
        _("Comparisons of two won, a tie as half; the share put first; mean rank of orders; Bradley–Terry strengths."),
        "responses",
        source="Bradley and Terry 1952; Davidson 1970",
    ),
    "marks": Explanation(
        _("Marked words"),
        "items",
        _("The share of the words read that were marked; a word is marked if one of its characters is."),
        "responses",
    ),
    "gold": Explanation(
        _("Against gold"),
        "mixed",
        _("The mean score of responses, and of what they add up to, against the field that a criterion names."),
        "responses",
    ),
    "strata": Explanation(
        _("By stratum"),
        "items",
        _("Shares and means of items by hops, dataset, and the field that the batch names."),
        "responses",
    ),
    "by-worker": Explanation(
        _("By worker"),
        "worker",
        _("Each worker beside the others on the same things: equal values, bias, spread, and score against gold."),
        "responses",
    ),
}
