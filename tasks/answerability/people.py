"""How far agreement with the labels depends on who took part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from annotation.pure.reports.people_tables import people_table
from annotation.pure.statistics.worker_intervals import Response, over_workers, without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Judged
from annotation.tasktype.helpers.report_tables import alone, by_question, question_of, text_cell, units, workers_of

from .groups import count_of, groups
from .judging import called, labelled


def label_people_table(
    judged: Sequence[Judged], labelled_rows: Sequence[Judged], agreed: Callable[[Judged], float], *, singles: bool
) -> list[JSON]:
    """The majority's and a single annotator's agreement with the label; of groups the chance that all are right."""
    if not labelled_rows:
        return []
    responses = [
        Response(question_of(row), one.worker, float(called(one.answer) == labelled(row.example)), 1 / len(row.given))
        for row in labelled_rows
        for one in row.given
    ]
    majority = without_one(units(([row] for row in labelled_rows), alone(agreed)))
    rows = [
        (text_cell(_("Majority agrees with the label")), None, majority),
        (text_cell(_("One annotator agrees with the label")), over_workers(responses), None),
    ]
    if not singles:
        whole = without_one(units(by_question(judged), partial(_all_right, count=count_of(judged))))
        rows.append((text_cell(_("All labels of a group correct")), None, whole))
    return people_table(rows, workers_of(labelled_rows))


def _all_right(rows: Sequence[Judged], count: int) -> float | None:
    """The chance that the majority labels of a whole group are right; None where it does not count."""
    complete = [group for group in groups(rows, count) if not group.left_out()]
    return complete[0].scores("paragraph").labels if complete else None
