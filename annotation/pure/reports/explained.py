"""Explanations of the tables that reports of several tasks show; the others are in the tasks' folders."""

from annotation.pure.reports.answer_tables import MEASURES
from annotation.pure.reports.calibration_tables import CALIBRATION
from annotation.pure.reports.explanations import SCORES_CHANGE, Chapter, Explanation
from annotation.pure.reports.own_answers import TITLE as OWN_ANSWERS
from annotation.pure.reports.participation_flow import PEOPLE, RESPONSES, TITLES
from annotation.pure.reports.position_tables import BY_BLOCK, BY_SITTING, BY_TIME
from annotation.pure.reports.worker_dependence_tables import NAME as DEPENDENCE
from annotation.pure.reports.worker_dependence_tables import TITLE as DEPENDENCE_TITLE
from annotation.pure.text.translation_marks import gettext_noop as _

PROTOCOL = "MuSiQue (Trivedi et al. 2022), §6"
TABLE_4 = "MuSiQue (Trivedi et al. 2022), §7.3"
KRIPPENDORFF = "Krippendorff 2011"
MODELS = "Dawid and Skene 1979"

MEASURED = {
    "measure-human_score": Explanation(
        MEASURES["human_score"],
        "items",
        _("What most annotators of an item said, against gold; of a tie the expected score. The mean over items."),
        "scored",
        SCORES_CHANGE,
        PROTOCOL,
    ),
    "measure-upper_bound": Explanation(
        MEASURES["upper_bound"],
        "items",
        _("The best of an item's responses, scored against gold; the mean over items. It grows with the responses."),
        "scored",
        source=PROTOCOL,
    ),
    "measure-agreement": Explanation(
        MEASURES["agreement"],
        "items",
        _("Each response scored against the closest other one to its item, without gold; the mean over items."),
        "scored",
        source=PROTOCOL,
    ),
    "measure-average": Explanation(
        MEASURES["average"],
        "items",
        _("The mean score of an item's responses against gold, then the mean over items."),
        "scored",
    ),
}
STUDY = {
    "human-performance": Explanation(
        _("Human performance"),
        "items",
        _("Human score, upper bound and agreement of each dataset, by F1 of its official scorer."),
        "scored",
        SCORES_CHANGE,
        TABLE_4,
        {
            MEASURES["human_score"]: "measure-human_score",
            MEASURES["upper_bound"]: "measure-upper_bound",
            MEASURES["agreement"]: "measure-agreement",
        },
    ),
    "measures": Explanation(
        _("All measures"),
        "items",
        _("The same measures by exact match (EM) and F1, beside the average annotator."),
        "scored",
        SCORES_CHANGE,
        PROTOCOL,
    ),
    "models": Explanation(
        _("Models compared with people"),
        "items",
        _("A model's predictions, the human score on the items it answered, and the difference item by item."),
        "scored",
        _("Other predictions, more responses, excluding a HIT."),
    ),
    "by-count": Explanation(
        _("By number of responses"),
        "items",
        _("Each measure expected over all draws of k of an item's responses; a row has the items with at least k."),
        "scored",
    ),
    "hops": Explanation(
        _("By number of hops"),
        "items",
        _("Human score, upper bound and agreement over the items with so many hops."),
        "scored",
        SCORES_CHANGE,
    ),
    "shape": Explanation(
        _("By shape"),
        "items",
        _("Human score, upper bound and agreement over the items whose hops form this graph."),
        "scored",
        SCORES_CHANGE,
    ),
    "workers": Explanation(
        _("By worker"),
        "worker",
        _("Each worker's mean score against gold, and the score of their response against the closest other one."),
        "responses",
    ),
    "pairs": Explanation(
        _("Pairs"),
        "items",
        _("An answerable question and its contrast count together, and score 0 if one label is wrong."),
        "labelled",
        source="MuSiQue (Trivedi et al. 2022), §7.1",
    ),
    "alpha": Explanation(
        _("Krippendorff's alpha"),
        "items",
        _("Observed disagreement over that expected by chance, taken from 1; answers by 1 − F1, support by MASI."),
        "several",
        source=f"{KRIPPENDORFF}; Passonneau 2006",
    ),
    "sets": Explanation(
        _("Questions with several answers"),
        "items",
        _("The share of a question's answers that a response contains, and whether it contains all."),
        "items",
        source="FanOutQA (Zhu et al. 2024)",
    ),
    "calibration": Explanation(
        CALIBRATION,
        "items",
        _("Responses in five bins by the confidence stated, with the share that is right by exact match."),
        "responses",
    ),
    "brier": Explanation(
        _("Brier score"),
        "mixed",
        _("The mean of (confidence − correct)², with one interval over items and one over workers and items."),
        "responses",
        source="Brier 1950",
    ),
    "baselines": Explanation(
        _("Baselines without multihop reasoning"),
        "items",
        _("The score without combining paragraphs, the human score on the same questions, and their difference."),
        "scored",
        _("Responses or predictions to the baselines, and to this batch."),
    ),
    "corrected": Explanation(
        _("Human score of the answer with corrected gold"),
        "items",
        _("The human score against gold as imported, and as corrected by requesters."),
        "scored",
        _("Each decision on gold in doubt; more responses; excluding a HIT."),
    ),
    "musique-table-3": Explanation(
        _("Human performance (cf. MuSiQue, Table 3)"),
        "none",
        _("Human score, upper bound and agreement by F1, in the paper's layout."),
        "scored",
        SCORES_CHANGE,
        PROTOCOL,
    ),
    "musique-table-4": Explanation(
        _("People and models (cf. MuSiQue, Table 4)"),
        "none",
        _("Human score and upper bound by F1, and models that answered all items, in the paper's layout."),
        "scored",
        SCORES_CHANGE,
        TABLE_4,
    ),
    "with-excluded": Explanation(
        _("With and without the excluded HITs"),
        "items",
        _("The same figures computed twice: without and with the excluded HITs."),
        "answered",
        _("Excluding a HIT or restoring it; more responses."),
    ),
}
LABELS = {
    "agreement": Explanation(
        _("Agreement"),
        "items",
        _("How often two annotators of an item agree, and Krippendorff's alpha, which takes out chance."),
        "several",
        source=KRIPPENDORFF,
    ),
    "verdicts": Explanation(
        _("Aggregated labels"),
        "items",
        _("The label that most annotators of an item gave. The share has Wilson's interval."),
        "items",
        columns={_("Dawid–Skene"): "dawid-skene", _("One-coin model"): "one-coin"},
    ),
    "dawid-skene": Explanation(
        _("Dawid–Skene"),
        "none",
        _("The likeliest label if each annotator errs with a confusion matrix of their own, estimated by EM."),
        "items",
        source=MODELS,
    ),
    "one-coin": Explanation(
        _("One-coin model"),
        "none",
        _("The likeliest label if each annotator is right with one probability of their own, estimated by EM."),
        "items",
        source=MODELS,
    ),
    "by-worker": Explanation(
        _("By worker"),
        "worker",
        _("Each worker against the majority of the others on the same items, and against gold where there is any."),
        "responses",
    ),
    "confusion": Explanation(
        _("Labels given by each worker"),
        "none",
        _("How often a worker gave each label where gold, or else most others, said another."),
        "responses",
    ),
    "text-agreement": Explanation(
        _("Krippendorff's alpha for texts and marks"),
        "items",
        _("Krippendorff's alpha with distance 1 − F1 for texts and the MASI distance for marks."),
        "several",
        source=f"{KRIPPENDORFF}; Passonneau 2006",
    ),
}
BATCH = {
    DEPENDENCE: Explanation(
        DEPENDENCE_TITLE,
        "mixed",
        _("A mean with its interval over workers and items, and each figure computed without any one annotator."),
        "responses",
        _("More annotators: from seven on there is an interval. Excluding a HIT."),
        "Cameron, Gelbach and Miller 2011",
    ),
    "excluded": Explanation(
        _("Excluded"),
        "none",
        _("HITs that a requester excluded, by the reason given, with the responses to them."),
        "excluded",
        _("Excluding a HIT or restoring it."),
    ),
    "not-counted": Explanation(
        _("Left out"),
        "none",
        _("HITs that are in no figure, by reason: excluded, or without a response."),
        "hits",
        _("More responses; excluding a HIT or restoring it."),
    ),
    "before-and-after": Explanation(
        _("Before and after exclusion"),
        "items",
        _("The figures of the first table, computed with and without the excluded HITs."),
        "answered",
        _("Excluding a HIT or restoring it; more responses."),
    ),
    "own-answers": Explanation(
        OWN_ANSWERS,
        "none",
        _("Wrong answers shared with a model or worker, against 9,999 permutations among who was wrong."),
        "responses",
        _("More responses, predictions of other models, excluding a HIT. It changes no other figure."),
    ),
    "own-answers-workers": Explanation(
        OWN_ANSWERS,
        "none",
        _("Exact tests of each worker's shared errors, adjusted by Benjamini and Hochberg; speed and pasting."),
        "responses",
        _("More responses, predictions of other models, excluding a HIT. It changes no other figure."),
        "Benjamini and Hochberg 1995",
    ),
    "own-answers-scores": Explanation(
        OWN_ANSWERS,
        "items",
        _("The scores of the report, and the same without the responses of marked workers."),
        "items",
        _("Whom the rules mark; more responses; excluding a HIT."),
    ),
    "by-position-in-block": Explanation(
        BY_BLOCK,
        "items",
        _("The mean grade against gold, and the median time, of each worker's first, second, … response in a block."),
        "blocked",
    ),
    "by-position-in-sitting": Explanation(
        BY_SITTING,
        "items",
        _("The mean grade against gold, and the median time, of each worker's first, second, … response in a sitting."),
        "placed",
    ),
    "by-time": Explanation(
        BY_TIME,
        "items",
        _("The mean grade against gold, and the median time, of the responses of each period."),
        "placed",
    ),
    PEOPLE: Explanation(
        TITLES[PEOPLE],
        "none",
        _("Workers at each step, and why the others are missing from the next. Without hidden gold and practice."),
        "began",
        _("Workers who come, submit or withdraw; excluding a HIT."),
    ),
    RESPONSES: Explanation(
        TITLES[RESPONSES],
        "none",
        _("Assignments at each step, and why the others are missing from the next. Without hidden gold and practice."),
        "accepted",
        _("Each HIT accepted, returned or submitted; excluding a HIT."),
    ),
    "causes": Explanation(
        _("Disagreement by cause"),
        "none",
        _("The cause that adjudicators recorded for each HIT on which workers disagree."),
        "decisions",
        _("Each adjudication, as of now; more responses do not."),
    ),
    "cause-agreement": Explanation(
        _("Agreement of two adjudicators on the cause"),
        "items",
        _("How often two adjudicators of a HIT record the same cause, and Krippendorff's alpha."),
        "decisions",
        _("Each second adjudication of a HIT."),
        KRIPPENDORFF,
    ),
    "altered-facts": Explanation(
        _("Altered facts"),
        "workers",
        _("Responses to hidden gold whose paragraphs state an altered fact: which answer they give."),
        "checks",
        _("More responses to hidden gold. They are in no other figure."),
    ),
    "differing": Explanation(
        _("Disagreement by item and worker, in percent"),
        "none",
        _("The mean distance of a response from the others to its item, by the task's measure of difference."),
        "several",
    ),
    "progress": Explanation(
        _("Responses over time"),
        "none",
        _("The number of responses submitted until each hour, in UTC."),
        "responses",
        _("Each response submitted; excluding a HIT does not."),
    ),
}
ANSWERS = Chapter("answers", _("Scores of answers"), MEASURED | STUDY)
SHARED = Chapter("labels", _("Labels and agreement"), LABELS)
ABOUT_BATCH = Chapter("batch", _("Workers, time and exclusions"), BATCH)
CHAPTERS = (ANSWERS, SHARED, ABOUT_BATCH)
