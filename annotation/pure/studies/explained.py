"""Explanations of the tables of studies."""

from annotation.pure.reports.explanations import Chapter, Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

STUDIES = Chapter(
    "studies",
    _("Studies of papers"),
    {
        "published": Explanation(
            _("Published figures and ours"),
            "paper",
            _("Ours minus the paper's, with Wilson's interval at its n. Conclusions: primary figures only (Holm)."),
            "study",
            _("More responses to the run's batches; excluding a HIT: once the scores are computed anew."),
        ),
        "dire": Explanation(
            _("Disconnected reasoning: people and models"),
            "crossed",
            _("The majority's score in each condition, and differences question by question. Models: over questions."),
            "study",
            _("More responses to the run's batches; excluding a HIT: once the scores are computed anew."),
            "DiRe (Trivedi et al. 2020), §3.2",
        ),
    },
)
