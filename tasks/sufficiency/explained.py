"""Explanations of the tables of `sufficiency`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

DIRE = "DiRe (Trivedi et al. 2020), appendix D"
SETTINGS = _("More responses, excluding a HIT; votes and rule of agreement, as set in the batch.")

EXPLANATIONS = {
    "proxies": Explanation(
        _("Proxies"),
        "items",
        _("Questions whose other paragraph can replace a supporting one, of those with agreement on all pairs."),
        "items",
        SETTINGS,
        DIRE,
    ),
    "expected-drop": Explanation(
        _("Expected drop of the human score"),
        "items",
        _("What N other paragraphs, each a proxy with probability p, cost; over questions with two supports."),
        "items",
        SETTINGS,
        f"{DIRE}.1",
    ),
    "replaced": Explanation(
        _("Which supporting paragraph the proxy replaces"),
        "items",
        _("Questions in which the pair without this paragraph is sufficient. Wilson's interval."),
        "items",
        SETTINGS,
        DIRE,
    ),
    "left-out": Explanation(
        _("Excluded questions"),
        "none",
        _("Questions that are not counted, by the first reason that applies."),
        "hits",
        SETTINGS,
    ),
    "pairs": Explanation(
        _("How the pairs were judged"),
        "items",
        _("Pairs by what annotators agree on; shares of the agreed ones, with Wilson's interval."),
        "items",
        SETTINGS,
        DIRE,
    ),
    "proxies-by-rule": Explanation(
        _("Proxies by other rules of agreement"),
        "items",
        _("The proxy rate if a label comes from the batch's rule, or from a model that weights annotators."),
        "items",
        SETTINGS,
        "Dawid and Skene 1979",
    ),
}
