"""Whom the figures of reports on labels are about: notes, clusters, ranges without one, intervals about people."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from annotation.pure.data.example import Example
from annotation.pure.reports.tables import cell_text, note_of, sentence
from annotation.pure.statistics.intervals import wilson
from annotation.registry import task_type
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from tests.tasks import test_answerability as answerability
from tests.tasks import test_subquestions as subquestions
from tests.tasks import test_sufficiency as sufficiency


def people(report: JSON) -> dict[str, list[Any]]:
    found = next(table for table in report["tables"] if table["name"] == "people")
    return {cell_text(row[0]): row[1:] for row in found["rows"]}


def note(report: JSON, name: str) -> str:
    return note_of(next(table for table in report["tables"] if table["name"] == name))


def test_the_rate_of_proxies_has_a_range_without_any_one_annotator() -> None:
    """Worker 2 alone makes a proxy of one question; without them its pairs are agreed to be none."""
    said = [sufficiency.NO_PROXY, {**sufficiency.NO_PROXY, "f1_fr": "iss"}, sufficiency.OF_F1]
    rows = [row for k, one in enumerate(said) for row in sufficiency.question(k, one, wanted=2)]
    report = sufficiency.report(rows, agreement="majority", votes=2)
    over, lowest, highest = people(report)["Proxy rate"]
    assert over is None
    assert (lowest["value"], highest["value"]) == (pytest.approx(1 / 2), pytest.approx(2 / 3))
    assert {each["n"] for each in (lowest, highest)} == {3}
    assert "hold for these 3 annotators" in note(report, "proxies")
    assert "at least 7 annotators, and only 3 took part" in note(report, "people")


def answered(workers: int, groups: int = 30) -> list[HitWithResponses]:
    """Pairs of twins; each third worker takes every instance for answerable."""
    rng = Random(4)
    rows = []
    for number in range(groups):
        for example in answerability.twins(number):
            whole = answerability.judged(example, *[answerability.right(example)] * 3)
            names = rng.sample(range(workers), 3)
            given = [
                GivenResponse(f"w{who}", {**one.answer, "answerable": True} if who % 3 == 0 else one.answer, 20.0)
                for who, one in zip(names, whole.given, strict=True)
            ]
            rows.append(HitWithResponses(whole.hit, "full", "musique", example, whole.payload, tuple(given)))
    return rows


def test_one_annotator_s_agreement_has_an_interval_about_people_from_seven_on() -> None:
    report = answerability.report(answered(9))
    over, *without = people(report)["One annotator agrees with the label"]
    assert without == [None, None]
    shown = answerability.tables(report)["labels"][0][4]
    assert over["value"] == pytest.approx(shown["value"])
    assert over["n"] == 9
    assert over["low"] < shown["low"] < shown["high"] < over["high"]
    assert people(report)["Majority agrees with the label"][0] is None
    _over, lowest, highest = people(report)["All labels of a group correct"]
    assert lowest["value"] <= highest["value"]
    assert people(answerability.report(answered(6)))["One annotator agrees with the label"] == [None, None, None]


def test_instances_of_one_question_are_resampled_together() -> None:
    """Where both twins are judged alike thirty pairs are thirty questions and not sixty instances."""
    rows = []
    for number in range(30):
        for example in answerability.twins(number):
            wrong = {"text": "An inn", "support": [0]} if not example.answerable else answerability.NOT
            result = wrong if number < 10 else answerability.right(example)
            rows.append(answerability.judged(example, result))
    found = answerability.tables(answerability.report(rows))["labels"][0][3]
    alone = wilson(40, 60)
    assert (found["value"], found["n"]) == (pytest.approx(2 / 3), 60)
    assert found["high"] - found["low"] > 1.25 * (alone.high - alone.low)


def test_answers_and_supports_have_agreement_beyond_chance() -> None:
    found = {
        cell_text(row[0]): row for row in answerability.tables(answerability.report(answered(5)))["text-agreement"]
    }
    assert set(found) == {"the answer (distance 1 − F1)", "the support (MASI distance)"}
    assert found["the answer (distance 1 − F1)"][1] > 0.5


def test_judgments_of_one_item_are_resampled_together_and_have_an_interval_about_people() -> None:
    """Each item is judged alike by all three; half of the workers call the first hop ill-formed."""
    rows = []
    for number in range(24):
        answer = subquestions.FIXED if number % 2 else subquestions.keep()
        given = tuple(GivenResponse(f"w{(number + k) % 8}", answer, 30.0) for k in range(3))
        made = subquestions.judged([answer], f"h{number}")
        rows.append(HitWithResponses(made.hit, "d", "jsonl", made.example, made.payload, given))
    report = subquestions.TASK.report(rows, subquestions.TASK.options({}), seed=1)
    first = subquestions.table(report, "judgments")[0]
    assert (first[1], first[2]["value"]) == (72, 0.5)
    assert first[2]["high"] - first[2]["low"] > 1.5 * (wilson(36, 72).high - wilson(36, 72).low)
    over, *without = people(report)["Judgments: not well-formed"]
    assert (over["value"], over["n"], without) == (0.25, 8, [None, None])
    assert over["low"] < 0.25 < over["high"]
    assert people(report)["Kept"][1]["value"] == 1.0
    texts = {cell_text(row[0]): row[1:5] for row in subquestions.table(report, "text-agreement")}
    assert texts["sub-questions (distance 1 − F1)"] == [1.0, None, None, 48]


def test_answers_to_one_hit_of_another_program_are_resampled_together() -> None:
    task, example = task_type("external"), Example("form", "", ())
    rows = [
        HitWithResponses(
            f"h{k}",
            "d",
            "jsonl",
            example,
            {},
            tuple(GivenResponse(f"w{j}", {"fields": [["town", town]]}) for j in range(4)),
        )
        for k in range(12)
        for town in ["Tolmouth" if k < 6 else "Harrow"]
    ]
    report = task.report(rows, task.options({}), seed=1)
    found = report["tables"][0]["rows"][0][3]
    assert (found["value"], found["n"]) == (0.5, 48)
    assert found["high"] - found["low"] > 1.5 * (wilson(24, 48).high - wilson(24, 48).low)
    assert "hold for these 4 annotators" in note(report, "values")


def test_tables_of_majorities_say_how_many_responses_items_have() -> None:
    rows = [row for k in range(2) for row in sufficiency.question(k, sufficiency.NO_PROXY)]
    assert "Each item has 3 responses (k = 3)." in note(sufficiency.report(rows), "verdicts")
    fewer = [replace(rows[0], given=rows[0].given[:1]), *rows[1:]]
    report = sufficiency.report(fewer)
    words = "Items have 1 to 3 responses; figures use all of them unless a k is given."
    assert words in note(report, "verdicts")
    assert words in " ".join(sentence(one) for one in report["paragraph"])
