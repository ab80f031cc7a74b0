"""Explanations of the tables of `compose`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

EXPLANATIONS = {
    "overview": Explanation(
        _("Outcome of the HITs"),
        "items",
        _("What the responses to each HIT add up to. Shares have Wilson's interval."),
        "items",
        source="MuSiQue (Trivedi et al. 2022), §5, S7",
    ),
    "bridges": Explanation(
        _("The bridge check, all edges"),
        "items",
        _("The share of each judgment, over all edges whose truth is not known; those of a graph stay together."),
        "responses",
        source="MuSiQue (Trivedi et al. 2022), §5, S7",
    ),
    "by-edge": Explanation(
        _("The bridge check, edge by edge"),
        "mixed",
        _("Rates of “not the same” and “cannot tell”, with intervals over graphs, and from seven workers over both."),
        "responses",
    ),
    "by-hops": Explanation(
        _("Time and length by the number of hops"),
        "none",
        _("Medians over compositions: active seconds, pay for this time, words, and words over those of the hops."),
        "responses",
    ),
    "overridden": Explanation(
        _("Warnings overridden by workers"),
        "items",
        _("Compositions submitted despite a warning, over all; those of a graph are resampled together."),
        "responses",
    ),
    "by-worker": Explanation(
        _("By worker"),
        "worker",
        _("Each worker's rates. p: exact binomial test against the expected rate, by Benjamini and Hochberg."),
        "responses",
        source="Benjamini and Hochberg 1995",
    ),
    "pay-by-worker": Explanation(
        _("Time by worker"),
        "none",
        _("The median time, and the pay an hour, of each worker's two kinds of responses."),
        "responses",
        _("More responses and payments; excluding a HIT."),
    ),
}
