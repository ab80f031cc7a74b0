"""Explanations of the tables of `cloze`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

CASES = "Sugawara et al. 2020, §5.2"

EXPLANATIONS = {
    "reconstructability": Explanation(
        _("Reconstructability by cloze"),
        "items",
        _("Sentences of whose five blanks three match by their most frequent word; γ and δ by what most call needed."),
        "items",
        source=f"{CASES} (γ and δ)",
    ),
    "thresholds": Explanation(
        _("Reconstructable by the share of blanks required"),
        "items",
        _("The same sentences if two, three or four of five blanks must match, beside always one function word."),
        "items",
    ),
    "kinds": Explanation(
        _("Blanks matched, by kind of word"),
        "items",
        _("The share of blanks whose most frequent word is the removed one; those of a question are kept together."),
        "items",
    ),
    "word-agreement": Explanation(
        _("Agreement on the words"),
        "items",
        _("How often two annotators fill a blank with the same lemma, and Krippendorff's alpha."),
        "several",
        source="Krippendorff 2011",
    ),
}
