"""Judges of answers: people's accuracy, a judge's errors and what corrects them, with second implementations."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from statistics import fmean

import pytest
from scipy import stats

from annotation.pure.statistics.answer_judges import (
    ALL_JUDGED,
    CANNOT,
    NOBODY,
    AnswerRow,
    corrected,
    judge_rates,
    lexical_match,
    people_accuracy,
    places,
)
from annotation.pure.statistics.intervals import wilson
from tests.shared_data import shared_data

near = pytest.approx
PUBLISHED = {"fid": 69.0, "gpt35": 64.0, "chatgpt": 73.5, "gpt4": 76.0, "newbing": 81.0}


def study(seed: int, n: int = 600, judged: int = 200, se: float = 0.9, sp: float = 0.8) -> list[AnswerRow]:
    rng = random.Random(seed)
    right = [rng.random() < 0.6 for _question in range(n)]
    judge = [rng.random() < (se if one else 1 - sp) for one in right]
    asked = set(rng.sample(range(n), judged))
    return [AnswerRow(k, False, judge[k], right[k] if k in asked else None, judged / n) for k in range(n)]


def test_the_correction_equals_a_second_implementation() -> None:
    rows = study(1)
    known = [row for row in rows if row.by_people is not None]
    se = fmean(row.by_judge for row in known if row.by_people)
    sp = fmean(not row.by_judge for row in known if not row.by_people)
    q = fmean(row.by_judge for row in rows)
    found = corrected(rows, 1)
    assert (found.rates.sensitivity.value, found.rates.specificity.value) == near((se, sp), abs=1e-9)
    assert found.judged.value == near(q, abs=1e-9)
    assert found.value is not None
    assert found.value.value == near((q + sp - 1) / (se + sp - 1), abs=1e-9)
    right = sum(bool(row.by_people) for row in known)
    errors = q * (1 - q) / len(rows), se * (1 - se) / right, sp * (1 - sp) / (len(known) - right)
    value = found.value.value
    wide = (errors[0] + value**2 * errors[1] + (1 - value) ** 2 * errors[2]) ** 0.5 / (se + sp - 1)
    assert (found.value.high or 0) - (found.value.low or 0) == near(2 * stats.norm.ppf(0.975) * wide, rel=0.05)
    assert not found.cut


def test_the_lower_limit_of_both_rates_is_that_of_mover() -> None:
    rates = judge_rates(study(2))
    ends = [wilson((of.value or 0) * of.n, of.n) for of in (rates.sensitivity, rates.specificity)]
    below = sum(((end.value or 0) - (end.low or 0)) ** 2 for end in ends) ** 0.5
    assert rates.youden.low == near((rates.youden.value or 0) - below, abs=1e-9)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (study(3, judged=600), ALL_JUDGED),
        (study(3, se=0.5, sp=0.5), CANNOT),
        (study(3, judged=12, se=0.7), CANNOT),
        (study(3, judged=0), NOBODY),
        ([replace(row, by_people=row.by_people or None) for row in study(3)], NOBODY),
    ],
)
def test_a_judge_that_cannot_correct_says_why(rows: list[AnswerRow], reason: str) -> None:
    assert (corrected(rows, 1).refused, corrected(rows, 1).value) == (reason, None)


def test_a_share_outside_the_scale_is_cut_and_said_to_be() -> None:
    kinds = [(True, True)] * 30 + [(False, True)] * 10 + [(True, False)] * 2 + [(False, False)] * 38
    rows = [AnswerRow(k, False, judge, people, 0.2) for k, (judge, people) in enumerate(kinds)]
    found = corrected([*rows, *(AnswerRow(100 + k, False, True, None) for k in range(320))], 1)
    assert found.value is not None
    assert (found.value.value, found.cut) == (1, True)


def test_errors_of_other_systems_are_used_only_if_asked_for() -> None:
    own, other = study(5), study(6, se=0.7)
    alone, pooled = corrected(own, 1), corrected(own, 1, pooled=[*own, *other])
    assert pooled.judged == alone.judged
    assert (pooled.rates.sensitivity.value or 0) < (alone.rates.sensitivity.value or 0)


def test_what_exact_match_calls_equal_counts_by_the_rate_of_its_control() -> None:
    equal = [AnswerRow(k, True, True, k < 18 if k < 20 else None, 0.2) for k in range(100)]
    rest = [AnswerRow(100 + k, False, False, k < 10 if k < 50 else None, 0.5) for k in range(100)]
    assert people_accuracy([*equal, *rest], 1).value == near((100 * 0.9 + 100 * 0.2) / 200)
    uncontrolled = [replace(row, by_people=None) for row in equal]
    assert people_accuracy([*uncontrolled, *rest], 1).value == near((100 + 100 * 0.2) / 200)
    found = judge_rates([*uncontrolled, *rest])
    assert found.sensitivity.value == near(100 / (100 + 20))
    assert people_accuracy(uncontrolled, 1).value is None


def test_weights_undo_a_draw_that_asked_more_of_some() -> None:
    rows = [AnswerRow(k, False, k % 2 == 0, k < 30, 1.0 if k < 30 else 0.1) for k in range(40)]
    assert people_accuracy(rows, 1).value == near(30 / 130)


def test_equal_shares_have_the_same_rank() -> None:
    assert places({"a": 0.5, "b": 0.7, "c": 0.5, "d": 0.1}) == {"b": 1, "a": 2.5, "c": 2.5, "d": 4}


@pytest.mark.parametrize(
    ("answer", "alternatives", "matches"),
    [
        ("It was the United States.", ["USA", "united states"], True),
        ("It was built in 1,905", ["1905"], True),
        ("Norwayan", ["Norway"], False),
        ("nobody", ["the"], False),
    ],
)
def test_any_alternative_that_an_answer_contains_is_a_match(
    answer: str, alternatives: list[str], matches: bool
) -> None:
    assert lexical_match(answer, alternatives) == matches


def test_people_s_accuracy_on_published_judgments_is_reproduced() -> None:
    records = json.loads(shared_data("judges/evouna_nq_200.json").read_text())
    found, lexical = {}, {}
    for system in PUBLISHED:
        rows = [
            AnswerRow(
                k,
                exact=False,
                by_judge=lexical_match(record[f"answer_{system}"], record["golden_answer"].split("/")),
                by_people=record[f"judge_{system}"],
            )
            for k, record in enumerate(records)
        ]
        found[system] = round(100 * (people_accuracy(rows, 1).value or 0), 9)
        lexical[system] = corrected(rows, 1)
    assert found == PUBLISHED
    assert {of.refused for of in lexical.values()} == {ALL_JUDGED}
    assert all((of.judged.value or 0) < PUBLISHED[name] / 100 for name, of in lexical.items())
