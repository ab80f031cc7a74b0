"""The human DiRe row: people's scores by arm beside models', as figures and as one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.pure.derivations.support_removal import expected_drop
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.statistics.intervals import Figure, bootstrap_figure
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Unit, crossed, too_few
from annotation.pure.studies.human_dire import (
    ARMS,
    CLOSED_BOOK,
    FIGURES,
    ORIGINAL,
    PROBE,
    TRANSFORMED,
    TRIVIAL,
    Marks,
    Question,
    arm_marks,
    fewest,
    quantities,
    standardise,
)
from annotation.pure.text.translation_marks import gettext_noop as _

PEOPLE = "people"
PROXY_RATES = (0.017, 2 / 115)  # as the paper rounds it, and its counts (appendix D)
DISTRACTORS = 8  # of a question of HotpotQA

# What is reported, the arms that it depends on, and whether models have it too.
ROWS: dict[str, tuple[str, tuple[str, ...], bool]] = {
    "d": (_("D: the question with all paragraphs"), (ORIGINAL,), True),
    "d_single": (_("D, one worker on average"), (ORIGINAL,), False),
    "p_raw": (_("P(D): the more confident of two answers"), (PROBE,), True),
    "p_standardised": (_("P(D), confidence standardised within workers"), (PROBE,), False),
    "p_lower": (_("P(D), at least: the worse answer"), (PROBE,), True),
    "p_upper": (_("P(D), at most: the better answer"), (PROBE,), True),
    "dire": (_("DiRe: min(D, P(D)) of each question"), (ORIGINAL, PROBE), True),
    "dire_least": (_("Right in both, at least: max(0, D + P(D) − 1) of single responses"), (ORIGINAL, PROBE), False),
    "dire_most": (_("Right in both, at most: min(D, P(D)) of single responses"), (ORIGINAL, PROBE), False),
    "connected": (_("D − DiRe: what connected reasoning must explain"), (ORIGINAL, PROBE), True),
    "closed": (_("Closed-book: what was known"), (CLOSED_BOOK,), False),
    "read": (_("P(D) − closed-book"), (PROBE, CLOSED_BOOK), False),
    "trivial": (_("Trivial control: all three copies right"), (TRIVIAL,), True),
    "floor": (_("D − trivial control: noise floor"), (ORIGINAL, TRIVIAL), True),
    "t": (_("T(D): with sufficiency"), (TRANSFORMED,), True),
    "drop": (_("D − T(D)"), (ORIGINAL, TRANSFORMED), True),
}
DIFFERENCES = frozenset({"connected", "read", "floor", "drop"})
LABELS = "labels"
COLUMNS = (_("Questions"), _("Answer EM"), _("F1"), _("Support EM"), _("F1"), _("Joint EM"), _("F1"))
NOTES = (
    _("The majority of the responses to each instance, expected over ties; intervals of people are over questions and "
      "workers, those of models over questions."),
    _("No worker answers a question in two conditions, and noise in both lowers the minimum. The bounds therefore "
      "show what a single worker could get right. Compare D − T(D) with the noise floor, where three responses must "
      "be right too."),
)  # fmt: skip
ESTIMATE = _(
    "For D − T(D) in Support EM the paper expects %(rounded)s from proxy paragraphs (%(unrounded)s unrounded, "
    "appendix D); it says nothing of the other columns."
)
FROM_MEANS = _(
    "From the means alone, people are right in both D and P(D) in at least %(least)s %% and at most %(most)s %%."
)
SUFFICIENT = _("All sufficiency labels of a question were right in %(share)s %%.")

Units = dict[str, list[list[Unit]]]  # of each of ROWS: a list for each of FIGURES


def report(people: Iterable[Question], models: Mapping[str, Iterable[Question]], seed: int) -> dict[str, Any]:
    """{"questions", "workers", "rows", "bounds", "expected_drop", "tables"}.

    `rows` has for `people` and each model the figures of each quantity, {"value", "low", "high", "n"} by FIGURES.
    `bounds` are those that the means of D and P(D) alone give, which noise does not move.
    """
    asked = [row.whole() for row in standardise(people)]
    workers = {one.worker for row in asked for some in row.arms.values() for each in some for one in each.responses}
    rows = {PEOPLE: _people(asked)} | {name: _model(list(some), seed) for name, some in sorted(models.items())}
    drop = {
        "rounded": expected_drop(PROXY_RATES[0], DISTRACTORS),
        "unrounded": expected_drop(PROXY_RATES[1], DISTRACTORS),
    }
    bounds = _bounds(rows[PEOPLE])
    return {
        "questions": len(asked),
        "workers": len(workers),
        "rows": rows,
        "bounds": bounds,
        "expected_drop": drop,
        "tables": [_table(rows, bounds, drop, len(workers))],
    }


def _people(questions: Sequence[Question]) -> dict[str, Any]:
    units: Units = {name: [[] for _figure in FIGURES] for name in [*ROWS, LABELS]}
    for question in questions:
        _add(question, units)
    return {
        name: _named([crossed(column, least=-1.0 if name in DIFFERENCES else 0.0) for column in columns])
        for name, columns in units.items()
    }


def _add(question: Question, units: Units) -> None:
    """The values of a question, and its values without each of its workers."""
    found: dict[str, Any] = {}
    for arm in question.arms:
        found |= arm_marks(question, arm)
    whole = quantities(found)
    changed: dict[str, dict[str, Mapping[str, Marks | None]]] = {arm: {} for arm in ARMS}
    for arm, instances in question.arms.items():
        for worker in {one.worker for each in instances for one in each.responses}:
            changed[arm][worker] = quantities(found | arm_marks(question.without(worker, arm), arm))
    for name, columns in units.items():
        arms = ROWS[name][1] if name in ROWS else (TRANSFORMED,)
        without = {worker: told[name] for arm in arms for worker, told in changed[arm].items()}
        for k, column in enumerate(columns):
            column.append(Unit(_at(whole[name], k), {worker: _at(marks, k) for worker, marks in without.items()}))


def _at(marks: Marks | None, k: int) -> float | None:
    return None if marks is None else marks[k]


def _model(questions: Sequence[Question], seed: int) -> dict[str, Any]:
    """A model's figures; a question counts in the arms for which it has all predictions."""
    told = []
    for question in questions:
        found: dict[str, Any] = {}
        for arm in question.whole().arms:
            found |= arm_marks(question, arm)
        told.append(quantities(found))
    return {
        name: _named([bootstrap_figure(_known(told, name, k), seed) for k in range(len(FIGURES))])
        for name, (_words, _arms, for_models) in ROWS.items()
        if for_models
    }


def _known(told: Sequence[Mapping[str, Marks | None]], name: str, k: int) -> list[float | None]:
    return [_at(row[name], k) for row in told if _at(row[name], k) is not None]


def _named(figures: Sequence[Figure]) -> dict[str, Any]:
    return {name: figure.as_json() for name, figure in zip(FIGURES, figures, strict=True)}


def _bounds(rows: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """By figure, {"least", "most"} of what is right in both D and P(D), from their means."""
    means = {name: (rows["d"][name]["value"], rows["p_raw"][name]["value"]) for name in FIGURES}
    return {
        name: {"least": fewest(d, p), "most": min(d, p)}
        for name, (d, p) in means.items()
        if d is not None and p is not None
    }


def _table(
    rows: Mapping[str, Any], bounds: Mapping[str, Any], drop: Mapping[str, float], workers: int
) -> dict[str, Any]:
    cells, with_models = [], len(rows) > 1
    for name, (words, _arms, _for_models) in ROWS.items():
        for who, found in ((who, told[name]) for who, told in rows.items() if name in told):
            if any(figure["value"] is not None for figure in found.values()):
                whom: list[Any] = [text_cell(_("people")) if who == PEOPLE else who] if with_models else []
                n = max(figure["n"] for figure in found.values())
                shown = [figure if figure["value"] is not None else None for figure in found.values()]
                cells.append([text_cell(words), *whom, n, *shown])
    notes: list[Any] = list(NOTES)
    if "answer_em" in bounds:
        shares = {side: f"{100 * share:.1f}" for side, share in bounds["answer_em"].items()}
        notes.append(text_cell(FROM_MEANS, **shares))
    labels = rows[PEOPLE][LABELS]["answer_em"]["value"]
    if labels is not None:
        notes.append(text_cell(SUFFICIENT, share=f"{100 * labels:.1f}"))
        notes.append(text_cell(ESTIMATE, **{name: f"{value:.4f}" for name, value in drop.items()}))
    columns = ("", "", *COLUMNS) if with_models else ("", *COLUMNS)
    if 0 < workers < LEAST_WORKERS:
        notes.append(too_few(workers))
    return table("dire", _("Disconnected reasoning: people and models"), columns, cells, notes, leads=False, bars=False)
