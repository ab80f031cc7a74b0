"""Explanations of the tables of HITs of the MTurk API."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

EXPLANATIONS = {
    "values": Explanation(
        _("Responses by field"),
        "items",
        _("The share of the responses with a field that give this value; those to a HIT are resampled together."),
        "responses",
    ),
}
