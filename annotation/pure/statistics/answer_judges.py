"""Judges of answers, such as a metric or a model, held to people who judged a sample of a system's answers.

| function | in | out |
| --- | --- | --- |
| `people_accuracy` | a system's questions | `Figure`: the share right by people |
| `judge_accuracy` | a system's questions | `Figure`: the share right by the judge |
| `judge_rates` | a system's questions | `JudgeRates`: sensitivity, specificity |
| `corrected` | a system's questions | `Corrected`: Rogan-Gladen, or why not |
| `right_of_kinds` | rows of any systems, each with its kind | of each kind the share right by people |
| `places` | shares by system | each system's rank, 1 the best; equal ones share the mean |
| `lexical_match` | an answer, the gold alternatives | whether any of them is contained |

A row is a question of a system. What people judged weighs 1 / (share drawn); answers that exact match calls equal, of
which a control may be asked, count in all by the control's rate (as right without a control), by a judge, too. Where
people found the gold wrong an answer is not right; a second figure leaves these out.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.pure.numeric import Floats, np
from annotation.pure.statistics.distance_agreement import RESAMPLES, UNDEFINED_DRAWS
from annotation.pure.statistics.intervals import LEVEL, Figure, resampled_sums, wilson
from annotation.pure.statistics.metrics import accuracy
from annotation.pure.statistics.resampled_figures import Function, resampled_figures

LEAST_YOUDEN = 0.1
ALL_JUDGED, CANNOT, NOBODY = "all judged", "cannot correct", "nothing judged"


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A system's answer to a question: whether EM calls it equal, and whether judge and people call it right.

    None if they were not asked ("partly" is not right). `share`, `judge_share`: of answers like it that people, or the
    judge, were asked. `wrong_gold`: people found the gold wrong, and so the answer not right.
    """

    question: Hashable
    exact: bool
    by_judge: bool | None
    by_people: bool | None
    share: float = 1.0
    judge_share: float = 1.0
    wrong_gold: bool = False


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


def people_accuracy(rows: Sequence[AnswerRow], seed: int, *, leave_out: bool = False) -> Figure:
    """The share of a system's questions that is right by people, with its interval over questions; n counts these.

    `leave_out`: of the questions whose gold people did not find wrong.
    """
    if not any(row.by_people is not None for row in rows):
        return Figure(None, None, None, len(rows))
    known = _counted(rows)
    kept = [not (leave_out and row.wrong_gold) for row in known]
    parts = [_counts(row.exact, row.by_people, row.share, kept=one) for row, one in zip(known, kept, strict=True)]
    return _over_questions(parts, seed)


def judge_accuracy(rows: Sequence[AnswerRow], seed: int) -> Figure:
    """The share of a system's questions that is right by the judge, with its interval over questions."""
    if not any(row.by_judge is not None for row in rows):
        return Figure(None, None, None, len(rows))
    return _over_questions([_counts(row.exact, row.by_judge, row.judge_share) for row in _counted(rows)], seed)


def right_of_kinds(rows: Sequence[tuple[Hashable, AnswerRow]], seed: int) -> dict[Hashable, Figure]:
    """By kind the share right by people of what they judged, weighted; the interval draws questions; n counts these."""
    found: dict[Hashable, dict[Hashable, list[float]]] = {}
    for kind, row in rows:
        if row.by_people is not None:
            sums = found.setdefault(kind, {}).setdefault(row.question, [0.0, 0.0])
            sums[0] += 1 / row.share
            sums[1] += row.by_people / row.share

    def share(sums: Floats) -> Floats:
        return _ratio(sums[:, 1], sums[:, 0], np.nan)[:, None]

    return {kind: _with_wilson(np.array([*of.values()]), share, seed, len(of)) for kind, of in found.items()}


def judge_rates(rows: Sequence[AnswerRow]) -> JudgeRates:
    """Sensitivity and specificity of the judge on what people judged."""
    known = _judged(rows)
    sensitivity, specificity = (
        _share([(1 / row.share, row.by_judge == right) for row in known if row.by_people is right])
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


def corrected(rows: Sequence[AnswerRow], seed: int) -> Corrected:
    """A system's share by a judge, corrected for the judge's errors (Rogan and Gladen 1978).

    (q + sp - 1) / (se + sp - 1), cut to 0..1, if the lower limit of se + sp - 1 exceeds .1. The bootstrap draws all
    questions afresh, and with them those that were judged: q varies with se and sp, as the judged are among all.
    (Drawn apart, intervals are 1.4 to 1.7 times as wide as the estimate varies, and hold the truth in .99 to 1.)
    """
    rates, judged = judge_rates(rows), judge_accuracy(rows, seed)
    if rates.youden.value is None or judged.value is None:
        return Corrected(judged, rates, None, False, NOBODY)
    if all(row.by_people is not None for row in _counted(rows)):
        return Corrected(judged, rates, None, False, ALL_JUDGED)
    if (rates.youden.low or 0.0) <= LEAST_YOUDEN:
        return Corrected(judged, rates, None, False, CANNOT)
    parts = np.array([[*_cells(row), *_counts(row.exact, row.by_judge, row.judge_share)] for row in _counted(rows)])
    kinds, numbers = np.unique(parts, axis=0, return_counts=True)  # few, which are drawn together
    drawn = _rogan_gladen(resampled_sums(parts, seed, grouped=(kinds, numbers)))
    plain = float(_rogan_gladen(parts.sum(axis=0)[None])[0])
    value = min(1.0, max(0.0, plain))
    known = np.clip(drawn[~np.isnan(drawn)], 0, 1)
    if len(known) < 2 or len(drawn) - len(known) > UNDEFINED_DRAWS * RESAMPLES:
        return Corrected(judged, rates, Figure(value, None, None, len(rows)), value != plain, "")
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Corrected(judged, rates, Figure(value, float(low), float(high), len(rows), "bootstrap"), value != plain, "")


def places(shares: Mapping[str, float]) -> dict[str, float]:
    return {
        name: 1 + sum(other > share for other in shares.values()) + (list(shares.values()).count(share) - 1) / 2
        for name, share in shares.items()
    }


def _counted(rows: Sequence[AnswerRow]) -> Sequence[AnswerRow]:
    """The rows; those that EM calls equal as right by whom nobody asked about any of them."""
    equal = [row for row in rows if row.exact]
    uncontrolled: dict[str, Any] = {}
    if all(row.by_people is None for row in equal):
        uncontrolled |= {"by_people": True, "share": 1.0}
    if all(row.by_judge is None for row in equal):
        uncontrolled |= {"by_judge": True, "judge_share": 1.0}
    return [replace(row, **uncontrolled) if row.exact else row for row in rows] if uncontrolled else rows


def _judged(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The rows that people and the judge judged."""
    return [row for row in _counted(rows) if row.by_people is not None and row.by_judge is not None]


def _share(rows: Sequence[tuple[float, bool]]) -> Figure:
    """Wilson's interval at the effective number, (Σ w)² / Σ w²."""
    if not rows:
        return Figure(None, None, None, 0)
    weights = np.array([weight for weight, _holds in rows])
    holds = np.array([holds for _weight, holds in rows])
    effective = float(weights.sum() ** 2 / (weights @ weights))
    return wilson(min(1.0, float(weights @ holds / weights.sum())) * effective, effective)


def _counts(exact: bool, right: bool | None, share: float, *, kept: bool = True) -> list[float]:
    """Of answers that EM calls equal and of the others: one, its weight if it was judged, that if kept, if right."""
    weight = 0.0 if right is None else 1 / share
    part = [1.0, weight, weight * kept, weight * bool(right)]
    return part + [0.0] * 4 if exact else [0.0] * 4 + part


def _accuracy(sums: Floats) -> Floats:
    """nan where nobody judged any of the others; equal ones count as right in a draw without a control."""
    equal, weight, kept, right, others, other_weight, other_kept, other_right = sums.T

    def of_others(part: Floats) -> Floats:
        return np.where(others > 0, others * _ratio(part, other_weight, np.nan), 0.0)

    counting = equal * _ratio(kept, weight, 1.0) + of_others(other_kept)
    return _ratio(equal * _ratio(right, weight, 1.0) + of_others(other_right), counting, np.nan)[:, None]


def _over_questions(parts: Sequence[Sequence[float]], seed: int) -> Figure:
    """Where all are right, or none: Wilson at as many judged answers as if all were judged like the rarest kind."""
    table = np.array(parts)
    of_kinds = [(table[:, at].sum(), np.count_nonzero(table[:, at + 1])) for at in (0, 4)]
    return _with_wilson(table, _accuracy, seed, min(len(table) * judged / of for of, judged in of_kinds if of))


def _with_wilson(parts: Floats, of: Function, seed: int, effective: float) -> Figure:
    [found] = resampled_figures(parts, of, seed).figures
    if found.low is not None or found.value not in (0, 1):
        return found
    return replace(wilson(found.value * effective, effective), n=found.n)


def _ratio(part: Floats, of: Floats, otherwise: float) -> Floats:
    return np.where(of > 0, part / np.where(of > 0, of, 1), otherwise)


def _cells(row: AnswerRow) -> list[float]:
    """Weights of: right, right and called so, not right, not right and not called so; 0 if one did not judge."""
    if row.by_people is None or row.by_judge is None:
        return [0.0] * 4
    right, called = row.by_people, row.by_judge
    return [cell / row.share for cell in (right, right and called, not right, not right and not called)]


def _rogan_gladen(sums: Floats) -> Floats:
    """nan where a draw has no right or no wrong answer, or the judge does no better than chance."""
    right, called, wrong, refused = sums[:, :4].T
    sensitivity, specificity = _ratio(called, right, np.nan), _ratio(refused, wrong, np.nan)
    return _ratio(_accuracy(sums[:, 4:])[:, 0] + specificity - 1, sensitivity + specificity - 1, np.nan)
