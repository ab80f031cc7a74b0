"""How far the rate of proxies depends on who took part."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.pure.people_tables import people_table
from annotation.pure.words import gettext_noop as _
from annotation.pure.worker_intervals import without_one
from annotation.tasktype import JSON, Judged
from tasks._people import by_question, units, workers_of
from tasks._tables import said
from tasks.sufficiency.options import Options
from tasks.sufficiency.proxies import questions, ruled


def proxy_people_table(judged: Sequence[Judged], options: Options) -> list[JSON]:
    """The rate over questions, which count only while annotators agree on all of their pairs."""

    def proxy(rows: Sequence[Judged]) -> float | None:
        found = [question for question in questions(ruled(rows, options)) if not question.left_out()]
        return float(bool(found[0].proxies())) if found else None

    figure = without_one(units(by_question(judged), proxy))
    return people_table([(said(_("Rate of proxies")), None, figure)], workers_of(judged))
