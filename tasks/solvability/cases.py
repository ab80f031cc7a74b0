"""People and models on the same questions: who solves what, and whether they differ (Sugawara et al. 2020, A to D)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from annotation.pure.statistics.significance import chance_text, holm, mcnemar
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON
from annotation.tasktype.helpers.report_tables import table
from annotation.tasktype.helpers.report_workers import question_of

from .items import Cell, Item, head_of, models_of, scores_of, share_of

Solved = tuple[Item, bool, bool]  # whether people solve it, and whether the model does
CASES = {
    "A": _("A: people and the model solve it"),
    "B": _("B: only people solve it"),
    "C": _("C: only the model solves it"),
    "D": _("D: neither solves it"),
}
SOLVES = _("The model solves an item if its answer is fully correct (F1 1).")
TESTED = _(
    "p: McNemar's exact test, two-sided, of whether people and the model solve the same questions equally "
    "often (B against C; for several shuffles of a question, which of the two solves more of them), with "
    "Holm's adjustment for the %(n)s rows of this table. The difference between people and the model is in "
    "percentage points."
)


def case_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> list[JSON]:
    """A row for each model on each cell; no table without models."""
    columns = (
        _("Ablation"), _("Dataset"), _("Model"), _("Items"), *CASES.values(), _("People minus the model"),
        _("p, adjusted"),
    )  # fmt: skip
    found = [(cell, name, _both(of, name)) for cell, of in cells.items() for name in models_of(of)]
    adjusted = holm([_chance(both) for _cell, _name, both in found])
    rows = []
    for (cell, name, both), chance in zip(found, adjusted, strict=True):
        shares = [
            share_of([(item, _case(people, model) == case) for item, people, model in both], seed) for case in CASES
        ]
        less = sum(people - model for _item, people, model in both)
        apart = round(100 * less / len(both), 1) if both else None
        rows.append([*head_of(cell), name, len(both), *shares, apart, chance_text(chance) if both else None])
    note = [SOLVES, {"text": TESTED, "values": {"n": len(rows)}}]
    return [table("cases", _("People and models"), columns, rows) | {"note": note}] if rows else []


def _both(of: Sequence[Item], name: str) -> list[Solved]:
    """Each item that people decided and the model answered: whether they, and whether it, solve it."""
    return [(item, item.solvable, score == 1) for item, score in scores_of(of, name) if item.solvable is not None]


def _chance(both: Sequence[Solved]) -> float:
    """McNemar over questions: on how many only people, and on how many only the model, solves (more of) it."""
    less: Counter[tuple[str, str]] = Counter()
    for item, people, model in both:
        less[question_of(item.row)] += people - model
    return mcnemar(sum(each > 0 for each in less.values()), sum(each < 0 for each in less.values()))


def _case(people: bool, model: bool) -> str:
    if people:
        return "A" if model else "B"
    return "C" if model else "D"
