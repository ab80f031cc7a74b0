"""A table of Krippendorff's alphas for labels that can match partially: free-text answers, sets of marks."""

from collections.abc import Sequence

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import rounded, table, text_cell
from annotation.pure.statistics.distance_agreement import NO_INTERVAL, Alpha
from annotation.pure.text.translation_marks import gettext_noop as _

ANSWER_TEXT, SUPPORT = _("the answer (distance 1 − F1)"), _("the support (MASI distance)")
ALPHA_COLUMNS = [
    _("Part"), _("Value"), _("95 % low"), _("95 % high"), "n",
    _("Lowest with one annotator left out"), _("Highest with one annotator left out"),
]  # fmt: skip
NOTE = _(
    "1: full agreement; 0: agreement at chance level. n counts the units with at least two annotators. "
    "Bootstrap intervals over these units; lowest and highest: of alpha itself and with any one annotator left out."
)


def text_agreement_table(alphas: Sequence[tuple[str, Alpha]]) -> list[JSON]:
    """A row for each (words, alpha); no table if no unit has two labels."""
    rows = [
        [text_cell(words), *(rounded(end) for end in (one.figure.value, one.figure.low, one.figure.high)),
         one.figure.n, *(rounded(end) for end in (one.without.low, one.without.high))]
        for words, one in alphas
        if one.figure.n
    ]  # fmt: skip
    title = _("Krippendorff's alpha for texts and marks")
    return [table("text-agreement", title, ALPHA_COLUMNS, rows, [NOTE, NO_INTERVAL])] if rows else []
