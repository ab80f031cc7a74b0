"""Explanations of the tables of `coreference`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

EXPLANATIONS = {
    "by-worker": Explanation(
        _("By worker"),
        "worker",
        _("Each worker's labels. p: exact binomial test on known edges against 80 %, by Benjamini and Hochberg."),
        "responses",
        source="Benjamini and Hochberg 1995",
    ),
}
