"""Systems' answers judged by people, beside exact and lexical match of the same answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from annotation.pure.ratings.responses import cells
from annotation.pure.reports.tables import table
from annotation.pure.statistics.answer_judges import lexical_match
from annotation.pure.statistics.intervals import bootstrap_figure
from annotation.pure.statistics.metrics import scorer_for
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import HitWithResponses

ARMS = ("judged",)
COLUMNS = (
    _("System"),
    _("Answers"),
    _("Right by people"),
    _("Right by exact match"),
    _("Right by lexical match"),
    _("People and exact match say the same"),
    _("People and lexical match say the same"),
)
NOTE = _("In percent; people: the mean of their judgments of an answer. Intervals: 95 % BCa bootstrap over questions.")


class Judged(NamedTuple):
    """One answer of a system: the share of people who say that it is right, and what the measures say."""

    people: float
    exact: float
    lexical: float


def analyse(hits: Mapping[str, Iterable[HitWithResponses]], *, seed: int) -> dict[str, Any]:
    """{"systems": {name: {"people", "exact", "lexical", "people_exact", "people_lexical": figures}}, "tables"}.

    Each item has `candidates` with `text` and `system`, of which the criterion `right` says yes or no.
    """
    found: defaultdict[str, list[Judged]] = defaultdict(list)
    for row in hits["judged"]:
        if not row.excluded and row.example.answers:
            for system, judged in _judged(row):
                found[system].append(judged)
    systems = {system: _figures(found[system], seed) for system in sorted(found)}
    cells_of = [[system, len(found[system]), *figures.values()] for system, figures in systems.items()]
    return {"systems": systems, "tables": [table("matches", _("People and matching"), COLUMNS, cells_of, NOTE)]}


def _judged(row: HitWithResponses) -> Iterable[tuple[str, Judged]]:
    """(system, what is said of its answer) of each answer that somebody judged."""
    said: defaultdict[int, list[float]] = defaultdict(list)
    for given in row.given:
        for criterion, k, value in cells(row.payload, given.answer):
            if criterion["name"] == "right" and k is not None and value is not None:
                said[k].append(float(value == "yes"))
    gold = row.example.answers
    for k, values in said.items():
        candidate = row.example.extra["candidates"][k]
        exact = scorer_for(row.format).answer(candidate["text"], gold).em
        yield candidate["system"], Judged(fmean(values), exact, float(lexical_match(candidate["text"], gold)))


def _figures(rows: Sequence[Judged], seed: int) -> dict[str, Any]:
    columns = {
        "people": [row.people for row in rows],
        "exact": [row.exact for row in rows],
        "lexical": [row.lexical for row in rows],
        "people_exact": [1 - abs(row.people - row.exact) for row in rows],
        "people_lexical": [1 - abs(row.people - row.lexical) for row in rows],
    }
    return {name: bootstrap_figure(values, seed).as_json() for name, values in columns.items()}
