"""Explanations of the tables of `answerability`."""

from annotation.pure.reports.explanations import Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

SUFFICIENCY = "MuSiQue (Trivedi et al. 2022), §7.1; DiRe (Trivedi et al. 2020), §4.2"

EXPLANATIONS = {
    "labels": Explanation(
        _("Agreement with the label"),
        "items",
        _("The share of instances whose majority gives the source's label, a tie by chance; and of single responses."),
        "labelled",
    ),
    "said": Explanation(
        _("Responses by label"),
        "items",
        _("Majorities and responses by the source's label; instances of a question are resampled together."),
        "labelled",
    ),
    "groups": Explanation(
        _("Answer and support with sufficiency, by group"),
        "items",
        _("All instances of a question together: 0 unless every label is right, else the score of the answerable one."),
        "items",
        source=SUFFICIENCY,
    ),
    "groups-left-out": Explanation(
        _("Excluded groups"),
        "none",
        _("Groups that are not scored, by the first reason that applies."),
        "hits",
    ),
    "answerable": Explanation(
        _("Answers to answerable instances"),
        "items",
        _("The human score where the source has an answer; “not answerable” is then wrong."),
        "answers",
        source="MuSiQue (Trivedi et al. 2022), §6",
    ),
    "by-hops": Explanation(
        _("By number of hops"),
        "items",
        _("Agreement with the label, and the groups' scores, over the questions with so many hops."),
        "labelled",
    ),
    "workers": Explanation(
        _("Labels and answers by worker"),
        "worker",
        _("Each worker's share of right labels, and scores of their answers to answerable instances."),
        "labelled",
    ),
    "models": Explanation(
        _("Models on the same groups"),
        "items",
        _("A model's scores and the human scores, over the groups that both completed."),
        "items",
        _("Other predictions, more responses, excluding a HIT."),
        SUFFICIENCY,
    ),
}
