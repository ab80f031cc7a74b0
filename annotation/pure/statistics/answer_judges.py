"""Judges of answers, such as a metric or a model, held to people who judged a sample of a system's answers.

| function | in | out |
| --- | --- | --- |
| `people_accuracy` | a system's questions | `Figure`: the share right by people |
| `judge_rates` | questions of a system (or, as a named option, of all) | `JudgeRates`: sensitivity, specificity |
| `corrected` | a system's questions, and those that rates rest on | `Corrected`: Rogan-Gladen, or why not |
| `places` | shares by system | each system's rank, 1 the best; equal ones share the mean |
| `lexical_match` | an answer, the gold alternatives | whether any of them is contained |

A row is a question of a system. What people judged weighs 1 / (share drawn); answers that exact match calls equal, of
which a control may be asked, count in all by the control's rate (as right without a control). Two figures: give
`is_right` as False where people found the gold wrong, or leave these rows out.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.pure.numeric import Floats, np
from annotation.pure.statistics.answer_sets import accuracy
from annotation.pure.statistics.distance_agreement import RESAMPLES, UNDEFINED_DRAWS
from annotation.pure.statistics.intervals import LEVEL, Figure, resampled_sums, wilson
from annotation.pure.statistics.resampled_figures import resampled_figures

LEAST_YOUDEN = 0.1
ALL_JUDGED, CANNOT, NOBODY = "all judged", "cannot correct", "nothing judged"


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A system's answer to a question: whether EM calls it equal, and whether judge and people call it right.

    `by_people`: None if they were not asked ("partly" is not right). `share`: of answers like it that were asked.
    """

    question: Hashable
    exact: bool
    by_judge: bool
    by_people: bool | None
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class JudgeRates:
    """Of what is right by people, the share that the judge calls right; of the rest, what it does not.

    Wilson at the effective number of judged answers. `youden`: both together minus 1, with its interval (MOVER).
    """

    sensitivity: Figure
    specificity: Figure
    youden: Figure


@dataclass(frozen=True, slots=True)
class Corrected:
    """The judge's share over all questions, and what people would find by it; `refused` says why there is none.

    `cut`: the corrected share lay outside 0..1. n counts the questions.
    """

    judged: Figure
    rates: JudgeRates
    value: Figure | None
    cut: bool
    refused: str


def lexical_match(answer: str, alternatives: Sequence[str]) -> bool:
    """Whether a gold alternative occurs in the answer, between word boundaries, normalised as in SQuAD."""
    return accuracy(answer, [alternatives]).loose == 1


def people_accuracy(rows: Sequence[AnswerRow], seed: int) -> Figure:
    """The share of a system's questions that is right by people, with its interval over questions; n counts these."""
    if not any(row.by_people is not None for row in rows):
        return Figure(None, None, None, len(rows))
    parts = np.array([_counts(row) for row in _counted(rows)])
    [found] = resampled_figures(parts, _accuracy, seed).figures
    return found


def judge_rates(rows: Sequence[AnswerRow]) -> JudgeRates:
    """Sensitivity and specificity of the judge on what people judged."""
    known = _judged(rows)
    sensitivity, specificity = (
        _share([(weight, row.by_judge == right) for row, weight in known if row.by_people is right])
        for right in (True, False)
    )
    if sensitivity.value is None or specificity.value is None:
        return JudgeRates(sensitivity, specificity, Figure(None, None, None, 0))
    below, above = (
        math.hypot(*((of.value or 0.0) - (getattr(of, end) or 0.0) for of in (sensitivity, specificity)))
        for end in ("low", "high")
    )
    value = sensitivity.value + specificity.value - 1
    youden = Figure(value, value - below, value + above, sensitivity.n + specificity.n, "mover")
    return JudgeRates(sensitivity, specificity, youden)


def corrected(rows: Sequence[AnswerRow], seed: int, *, pooled: Sequence[AnswerRow] | None = None) -> Corrected:
    """A system's share by a judge, corrected for the judge's errors (Rogan and Gladen 1978).

    (q + sp - 1) / (se + sp - 1), cut to 0..1, if the lower limit of se + sp - 1 exceeds .1. The bootstrap draws judged
    questions and all questions afresh. `pooled`: rows of all systems, if errors are taken to be alike.
    """
    source = rows if pooled is None else pooled
    rates, right = judge_rates(source), sum(row.by_judge for row in rows)
    share = wilson(right, len(rows))
    if rates.youden.value is None:
        return Corrected(share, rates, None, False, NOBODY)
    if all(row.by_people is not None for row in _counted(rows)):
        return Corrected(share, rates, None, False, ALL_JUDGED)
    if (rates.youden.low or 0.0) <= LEAST_YOUDEN:
        return Corrected(share, rates, None, False, CANNOT)
    parts = np.array([_cells(row, weight) for row, weight in _judged(source)])
    drawn = _rogan_gladen(
        resampled_sums(parts, seed),
        resampled_sums(np.array([[float(row.by_judge)] for row in rows]), seed + 1)[:, 0] / len(rows),
    )
    plain = float(_rogan_gladen(parts.sum(axis=0)[None], np.array([right / len(rows)]))[0])
    value = min(1.0, max(0.0, plain))
    known = np.clip(drawn[~np.isnan(drawn)], 0, 1)
    if len(known) < 2 or len(drawn) - len(known) > UNDEFINED_DRAWS * RESAMPLES:
        return Corrected(share, rates, Figure(value, None, None, len(rows)), value != plain, "")
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Corrected(share, rates, Figure(value, float(low), float(high), len(rows), "bootstrap"), value != plain, "")


def places(shares: Mapping[str, float]) -> dict[str, float]:
    return {
        name: 1 + sum(other > share for other in shares.values()) + (list(shares.values()).count(share) - 1) / 2
        for name, share in shares.items()
    }


def _counted(rows: Sequence[AnswerRow]) -> Sequence[AnswerRow]:
    """The rows; without a control, those that EM calls equal as right."""
    if any(row.exact and row.by_people is not None for row in rows):
        return rows
    return [replace(row, by_people=True, share=1.0) if row.exact else row for row in rows]


def _judged(rows: Sequence[AnswerRow]) -> list[tuple[AnswerRow, float]]:
    """The rows that people judged, with their weights."""
    return [(row, 1 / row.share) for row in _counted(rows) if row.by_people is not None]


def _share(rows: Sequence[tuple[float, bool]]) -> Figure:
    """Wilson's interval at the effective number, (Σ w)² / Σ w²."""
    if not rows:
        return Figure(None, None, None, 0)
    weights = np.array([weight for weight, _holds in rows])
    holds = np.array([holds for _weight, holds in rows])
    effective = float(weights.sum() ** 2 / (weights @ weights))
    return wilson(min(1.0, float(weights @ holds / weights.sum())) * effective, effective)


def _counts(row: AnswerRow) -> list[float]:
    """Of answers that EM calls equal and of the others: one, its weight if people judged it, and that if right."""
    weight = 0.0 if row.by_people is None else 1 / row.share
    part = [1.0, weight, weight * bool(row.by_people)]
    return part + [0.0] * 3 if row.exact else [0.0] * 3 + part


def _accuracy(sums: Floats) -> Floats:
    """nan where nobody judged any of the others; equal ones count as right in a draw without a control."""
    equal, weight, right, others, other_weight, other_right = sums.T
    known = np.where(others > 0, others * _ratio(other_right, other_weight, np.nan), 0.0)
    return np.asarray((equal * _ratio(right, weight, 1.0) + known) / (equal + others))[:, None]


def _ratio(part: Floats, of: Floats, otherwise: float) -> Floats:
    ratio: Floats = np.where(of > 0, part / np.where(of > 0, of, 1), otherwise)
    return ratio


def _cells(row: AnswerRow, weight: float) -> list[float]:
    """Weights of: right, right and called so, not right, not right and not called so."""
    right = bool(row.by_people)
    return [weight * cell for cell in (right, right and row.by_judge, not right, not right and not row.by_judge)]


def _rogan_gladen(cells: Floats, q: Floats) -> Floats:
    """nan where a draw has no right or no wrong answer, or the judge does no better than chance."""
    right, called, wrong, refused = cells.T
    sensitivity, specificity = _ratio(called, right, np.nan), _ratio(refused, wrong, np.nan)
    return _ratio(q + specificity - 1, sensitivity + specificity - 1, np.nan)
