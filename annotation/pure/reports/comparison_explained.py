"""Explanations of the tables of comparisons, of experiments' arms and of plans."""

from annotation.pure.reports.arm_tables import BY_ITEMS, BY_POSITION, CONTRASTS
from annotation.pure.reports.comparison_tables import AGREEMENT, GRADE
from annotation.pure.reports.explanations import Chapter, Explanation
from annotation.pure.text.translation_marks import gettext_noop as _

TWO_WAYS = "Cameron, Gelbach and Miller 2011"
CHANGES = _("More responses, excluding a HIT: once a batch's report is computed anew.")

COMPARISON = Chapter(
    "comparison",
    _("Comparisons"),
    {
        "batches": Explanation(
            _("Batches"),
            "compared",
            _("Means over each batch's items, from its last report; median time, and pay as the ledger has it."),
            "batches",
            CHANGES,
            columns={GRADE: "grade", AGREEMENT: "pair-agreement"},
        ),
        "grade": Explanation(
            GRADE,
            "compared",
            _("The mean grade of an item's responses against gold, by the task's scorer; the mean over items."),
            "batches",
            CHANGES,
        ),
        "pair-agreement": Explanation(
            AGREEMENT,
            "compared",
            _("The mean similarity of two responses to an item, with all their parts; the mean over items."),
            "batches",
            CHANGES,
        ),
        "criteria": Explanation(
            _("Criteria"),
            "none",
            _("What each batch asks. Grade and agreement are those of the same criteria, from the responses of now."),
            "batches",
            CHANGES,
        ),
        "by-criterion": Explanation(
            _("By criterion"),
            "none",
            _("Means and shares over all ratings, from each batch's last report; texts have none."),
            "batches",
            CHANGES,
        ),
        "human-performance": Explanation(
            _("Human performance"),
            "none",
            _("Human score, upper bound and agreement of the answer by F1. Intervals are in each batch's report."),
            "batches",
            CHANGES,
            "MuSiQue (Trivedi et al. 2022), §6",
        ),
        "answerers": Explanation(
            _("Workers and models"),
            "compared",
            _("The mean grade of each against gold, over the items they answered, and on the items of the others."),
            "answerers",
            CHANGES,
            columns={GRADE: "grade", AGREEMENT: "pair-agreement"},
        ),
        "differences": Explanation(
            _("Differences"),
            "compared",
            _("The first minus the other, by item if both have it. p: where its interval excludes 0, by Holm."),
            "batches",
            CHANGES,
        ),
        "datasets": Explanation(
            _("Datasets"),
            "none",
            _("Items counted by what the source says of them."),
            "datasets",
            _("Editing, archiving or adding items."),
        ),
        "comparison": Explanation(
            _("Grade and agreement"),
            "compared",
            _("The grade against gold and the agreement in pairs, as in the table."),
            "batches",
            CHANGES,
        ),
    },
)
ARMS = Chapter(
    "arms",
    _("Arms of experiments"),
    {
        "arms-by-position": Explanation(
            BY_POSITION,
            "crossed",
            _("The mean grade against gold of each arm, by its place in the order that a worker drew."),
            "study",
            CHANGES,
            TWO_WAYS,
        ),
        "arms-by-items": Explanation(
            BY_ITEMS,
            "crossed",
            _("The mean grade against gold of each arm, by the number of items a worker had done before in any arm."),
            "study",
            CHANGES,
            TWO_WAYS,
        ),
        "arm-contrasts": Explanation(
            CONTRASTS,
            "crossed",
            _("One arm's mean grade minus another's; adjusted: the mean of the differences at each position."),
            "study",
            CHANGES,
            TWO_WAYS,
        ),
    },
)
PLAN = Chapter(
    "plan",
    _("Plans of studies"),
    {
        "budget": Explanation(
            _("What the budget buys"),
            "plan",
            _("The share of simulated studies that find the difference, by items and workers clustered."),
            "simulations",
            _("Rates, variances, prices and the seed of the plan."),
            TWO_WAYS,
        ),
        "assumptions": Explanation(
            _("Assumptions"),
            "none",
            _("What the simulation was given: by you, or estimated from the pilot."),
            "simulations",
            _("The plan, or another pilot."),
        ),
    },
)
