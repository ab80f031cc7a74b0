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
    judge_accuracy,
    judge_rates,
    lexical_match,
    people_accuracy,
    places,
    right_of_kinds,
)
from annotation.pure.statistics.intervals import wilson
from tests.bench import coverage_models
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
    value, right = found.value.value, sum(bool(row.by_people) for row in known)

    def influence(row: AnswerRow) -> float:
        """Of a question on the estimate, by the delta method."""
        of_judged = 0.0
        if row.by_people is not None:
            of_right, of_wrong = (row.by_judge - se) / right, (not row.by_judge) - sp
            of_judged = -value * of_right if row.by_people else (1 - value) * of_wrong / (len(known) - right)
        return ((row.by_judge - q) / len(rows) + of_judged) / (se + sp - 1)

    wide = sum(influence(row) ** 2 for row in rows) ** 0.5
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


def test_what_exact_match_calls_equal_counts_by_the_rate_of_its_control() -> None:
    equal = [AnswerRow(k, True, True, k < 18 if k < 20 else None, 0.2) for k in range(100)]
    rest = [AnswerRow(100 + k, False, False, k < 10 if k < 50 else None, 0.5) for k in range(100)]
    assert people_accuracy([*equal, *rest], 1).value == near((100 * 0.9 + 100 * 0.2) / 200)
    assert judge_accuracy([*equal, *rest], 1).value == near(0.5)
    uncontrolled = [replace(row, by_people=None) for row in equal]
    assert people_accuracy([*uncontrolled, *rest], 1).value == near((100 + 100 * 0.2) / 200)
    found = judge_rates([*uncontrolled, *rest])
    assert found.sensitivity.value == near(100 / (100 + 20))
    assert people_accuracy(uncontrolled, 1).value is None


def test_what_a_judge_was_not_asked_counts_by_what_it_was_asked() -> None:
    """A control of 10 of 50 equal answers, of which the judge calls 9 right; half of the others."""
    equal = [AnswerRow(k, True, k < 9 if k < 10 else None, None, judge_share=0.2) for k in range(50)]
    rest = [AnswerRow(50 + k, False, k % 2 == 0, k % 3 == 0) for k in range(150)]
    found = corrected([*equal, *rest], 1)
    assert found.judged.value == near((50 * 0.9 + 75) / 200)
    without = corrected([*(replace(row, by_judge=None) for row in equal), *rest], 1)
    assert without.judged.value == near((50 + 75) / 200)
    nobody = [replace(row, by_judge=None) for row in [*equal, *rest]]
    assert judge_accuracy(nobody, 1).value is None
    assert corrected(nobody, 1).refused == NOBODY


def test_a_second_figure_leaves_wrong_gold_out_of_what_was_not_asked_either() -> None:
    """Of 100 others 40 were asked: 10 right, 8 with wrong gold; so 20 of the 100 are left out, and 25 are right."""
    rest = [AnswerRow(k, False, False, k < 10 if k < 40 else None, 0.4, wrong_gold=30 <= k < 38) for k in range(100)]
    equal = [AnswerRow(100 + k, True, True, None) for k in range(20)]
    assert people_accuracy([*rest, *equal], 1).value == near((20 + 25) / 120)
    assert people_accuracy([*rest, *equal], 1, leave_out=True).value == near((20 + 25) / 100)


def test_where_all_are_right_the_interval_is_that_of_what_was_judged() -> None:
    rest = [AnswerRow(k, False, True, True if k < 10 else None, 0.1) for k in range(100)]
    equal = [AnswerRow(100 + k, True, True, None) for k in range(900)]
    found = people_accuracy([*rest, *equal], 1)
    assert (found.value, found.low, found.n) == (1, near(wilson(100, 100).low, abs=1e-9), 1000)
    assert people_accuracy(rest[:10], 1).low == near(wilson(10, 10).low, abs=1e-9)


def test_kinds_have_the_weighted_share_that_is_right_over_questions() -> None:
    """Two systems gave the same answer to each question, so the interval is that of 40 questions and not of 80."""
    rows = [AnswerRow(k, False, True, k % 4 == 0) for k in range(40)]
    found = right_of_kinds([*(("more", row) for row in rows), *(("more", row) for row in rows), ("none", rows[0])], 1)
    assert (found["more"].value, found["more"].n) == (0.25, 40)
    single = right_of_kinds([("more", row) for row in rows], 1)["more"]
    assert (found["more"].low, found["more"].high) == (single.low, single.high)
    assert (found["none"].value, found["none"].low) == (1, near(wilson(1, 1).low, abs=1e-9))
    heavy = replace(rows[1], share=0.1)
    assert right_of_kinds([("more", rows[0]), ("more", heavy)], 1)["more"].value == near(1 / 11)


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


def test_in_simulated_studies_the_interval_holds_the_truth_and_chance_corrects_nothing() -> None:
    """The short form of the simulation in `make bench coverage`."""
    held, people, refused = coverage_models.judges_held(coverage_models.System(400, 100, 0.95, 0.9), draws=30)
    assert (held >= 0.85, people >= 0.85, refused) == (True, True, 0)
    assert coverage_models.judges_held(coverage_models.System(400, 100, 0.52, 0.5), draws=10)[2] >= 0.9


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
