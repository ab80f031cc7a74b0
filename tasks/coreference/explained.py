"""Explanations of the tables of `coreference`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

EXPLANATIONS = {
    "verdicts": Explanation(
        _("Aggregated labels"),
        "items",
        _("What most annotators of an edge said. The share has Wilson's interval over edges."),
        "items",
    ),
    "agreement": Explanation(
        _("Agreement"),
        "items",
        _("How often two annotators of an edge agree, and Krippendorff's alpha, which takes out chance."),
        "several",
        source="Krippendorff 2011",
    ),
    "by-worker": Explanation(
        _("By worker"),
        "worker",
        _("Each worker's labels. p: exact binomial test on known edges against 80 %, by Benjamini and Hochberg."),
        "responses",
        source="Benjamini and Hochberg 1995",
    ),
}
