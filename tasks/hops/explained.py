"""Explanations of the tables of `hops`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

TANG = "Tang et al. 2021"

EXPLANATIONS = {
    "statuses": Explanation(
        _("Questions by status"),
        "items",
        _("Whether the majority's answer is right, and its paragraphs are those of gold. Wilson's interval."),
        "items",
    ),
    "found": Explanation(
        _("Hops found"),
        "items",
        _("Written steps aligned with gold's hops by paragraph, or else by answer; those to an item stay together."),
        "responses",
    ),
    "steps": Explanation(
        _("Right answers by step"),
        "items",
        _("The share of responses right at a step, by exact and by partial match (F1 over .8, or .6 if contained)."),
        "responses",
        source=f"{TANG}, §2.3 and Table 2",
    ),
    "outcomes": Explanation(
        _("Right and wrong answers"),
        "items",
        _("The share of responses right (c) or wrong (w) on the question and on each sub-question."),
        "responses",
        source=f"{TANG}, Tables 3 and 4",
    ),
    "failures": Explanation(
        _("Failure rate"),
        "items",
        _("Of the responses right on the question, those wrong on a sub-question. Models: as printed."),
        "responses",
        source=f"{TANG}, Figure 2",
    ),
    "kinds": Explanation(
        _("One step or several"),
        "items",
        _("What workers said, by the number of hops in gold; responses to an item stay together."),
        "responses",
    ),
    "workers": Explanation(
        _("By worker"),
        "none",
        _("The mean number of steps, and the median time, of each worker."),
        "responses",
    ),
}
