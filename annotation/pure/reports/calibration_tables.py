"""Workers' confidence beside how often they are right, as tables and as a chart."""

from collections.abc import Mapping
from typing import Any

from annotation.pure.reports.charts import Dots, Series
from annotation.pure.reports.tables import Translate, rounded, table, text_cell
from annotation.pure.text.translation_marks import gettext_noop as _

BIN = _("%(low)s to %(high)s")
CALIBRATION = _("Confidence and correct answers")
CONFIDENCE, RIGHT = _("Mean confidence"), _("Correct answers")
CALIBRATION_NOTE = _(
    "In percent of the responses to questions with gold. Correct: exact match. 95 % intervals: bootstrap over "
    "questions."
)
BRIER_NOTE = _(
    "The mean of (confidence − correct)², from 0 (best) to 1. The second interval holds for other workers too: it "
    "resamples workers and questions, and needs at least 7 workers."
)


def calibration_table(name: str, calibration: Mapping[str, Any]) -> dict[str, Any]:
    """A row for each bin of confidence, and one for all responses."""
    rows = [[text_cell(BIN, low=part["low"], high=part["high"]), *_cells(part)] for part in calibration["bins"]]
    rows.append([text_cell(_("all")), *_cells(calibration)])
    columns = [_("Confidence"), _("Responses"), CONFIDENCE, RIGHT]
    return table(f"calibration-{name}", CALIBRATION, columns, rows, CALIBRATION_NOTE, leads=False, bars=False)


def _cells(part: Mapping[str, Any]) -> list[Any]:
    mean = part["confidence"]
    return [part["n"], None if mean is None else rounded(100 * mean, 1), part["right"]]


def brier_table(name: str, calibration: Mapping[str, Any]) -> dict[str, Any]:
    """The Brier score with both of its intervals."""
    brier, people = calibration["brier"], calibration["brier_people"]
    row = [*(rounded(brier[end]) for end in ("value", "low", "high")), brier["n"]]
    row += [rounded(people[end]) for end in ("low", "high")] + [people["n"]]
    columns = [
        _("Brier score"),
        _("low"),
        _("high"),
        _("Responses"),
        _("low (people)"),
        _("high (people)"),
        _("Workers"),
    ]
    return table(f"brier-{name}", _("Brier score"), columns, [row], BRIER_NOTE, leads=False, bars=False)


def calibration_chart(name: str, calibration: Mapping[str, Any], translate: Translate) -> Dots:
    """The share of correct answers in each bin beside the mean confidence."""
    bins = calibration["bins"]
    groups = tuple(translate(BIN) % {"low": part["low"], "high": part["high"]} for part in bins)
    stated = [None if part["confidence"] is None else (100 * part["confidence"], None, None) for part in bins]
    shares = (part["right"] for part in bins)
    right = [
        None
        if one["value"] is None
        else (100 * one["value"], *(None if one[end] is None else 100 * one[end] for end in ("low", "high")))
        for one in shares
    ]
    series = (Series(translate(CONFIDENCE), tuple(stated)), Series(translate(RIGHT), tuple(right)))
    number = str(calibration["n"])
    return Dots(f"calibration-{name}", translate(CALIBRATION), "%", groups, series, study=name, n=number)
