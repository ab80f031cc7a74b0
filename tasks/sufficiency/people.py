"""How far the rate of proxies depends on who took part."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.pure.reports.people_tables import people_table
from annotation.pure.statistics.worker_intervals import without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Judged
from annotation.tasktype.helpers.report_tables import by_question, text_cell, units, workers_of

from .options import Options
from .proxies import questions, ruled


def proxy_people_table(judged: Sequence[Judged], options: Options) -> list[JSON]:
    """The rate over questions, which count only while annotators agree on all of their pairs."""

    def proxy(rows: Sequence[Judged]) -> float | None:
        complete = [question for question in questions(ruled(rows, options)) if not question.left_out()]
        return float(bool(complete[0].proxies())) if complete else None

    figure = without_one(units(by_question(judged), proxy))
    return people_table([(text_cell(_("Proxy rate")), None, figure)], workers_of(judged))
