"""Judging ablated questions: classes, verdicts, the paper's tables from its counts, models beside people."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from scipy import stats

from annotation import registry
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.ablation import ablate
from annotation.pure.reports.tables import cell_text, note_of, sentence
from annotation.pure.statistics.intervals import wilson
from annotation.tasktype import JSON, GivenResponse, HitWithResponses

TASK = registry.task_type("solvability")
BLANK: JSON = {
    "solvable": None, "kind": "none", "text": "", "paragraph": None, "start": None, "end": None, "option": None,
    "rationale": [], "guessable": None, "necessary": None,
}  # fmt: skip


def said(kind: str, *, solvable: bool = True) -> JSON:
    """A judgment of a class; `solvable` matters to δ only."""
    result = {"alpha": (True, False, None), "beta": (False, False, None), "gamma": (True, True, False)}
    solved, guessable, necessary = result.get(kind, (solvable, True, True))
    return {
        **BLANK,
        "solvable": solved,
        "guessable": guessable,
        "necessary": necessary,
        "text": "Ada" if solved else "",
    }


def item(number: int, dataset: str, *answers: JSON, at: int = 0, predicted: str | None = None) -> HitWithResponses:
    example = Example(f"q{at}", "Who?", (Paragraph("", "Ada ran."),), ("Ada",), extra={"ablation": {"number": number}})
    if dataset == "race":
        example = replace(example, options=("Ada", "Mara"))
    given = tuple(GivenResponse(f"w{k}", answer) for k, answer in enumerate(answers))
    model = () if predicted is None else (GivenResponse("bert", {**BLANK, "text": predicted, "solvable": True}),)
    return HitWithResponses(f"{number}-{dataset}-{at}", dataset, "squad", example, {}, given, predicted=model)


def table(report: JSON, name: str) -> list[list[Any]]:
    """Its rows, with the number of an ablation for its name."""
    rows = next(each["rows"] for each in report["tables"] if each["name"] == name)
    return [[row[0]["values"]["number"], *row[1:]] for row in rows]


# Per cent of 20 questions: solvable, and how many of the classes α, β, γ follow from it and what was guessable.
PAPER = {
    "squad": {3: (9, 0, 11, 100), 4: (14, 6, 0, 70), 6: (8, 12, 0, 40), 7: (14, 6, 0, 70)},
    "race": {3: (16, 1, 3, 95), 4: (2, 18, 0, 10), 6: (6, 14, 0, 30), 7: (15, 5, 0, 75)},
}


def papers() -> list[HitWithResponses]:
    found = []
    for dataset, ablations in PAPER.items():
        for number, (alpha, beta, gamma, _solvable) in ablations.items():
            kinds = ["alpha"] * alpha + ["beta"] * beta + ["gamma"] * gamma
            found += [item(number, dataset, said(kind), at=k) for k, kind in enumerate(kinds)]
    return found


def test_the_papers_tables_come_from_its_counts() -> None:
    report = TASK.report(papers(), TASK.options({}), seed=1)
    shares = {(row[1], row[0]): round(100 * row[3]["value"]) for row in table(report, "solvability")}
    assert shares == {(d, n): PAPER[d][n][3] for d in PAPER for n in PAPER[d]}
    for row, (*_cell, guessable) in zip(table(report, "classes"), table(report, "guessable"), strict=True):
        number, dataset, n, alpha, beta, gamma, delta, by_classes = row
        assert guessable["value"] == pytest.approx(gamma["value"] + delta["value"])
        counts = PAPER[dataset][number]
        assert n == 20
        assert [round(20 * f["value"]) for f in (alpha, beta, gamma, delta)] == [*counts[:3], 0]
        assert round(100 * by_classes["value"]) == counts[3]
    assert report["warnings"] == []
    assert report["n"] == 160


def test_ablations_are_called_as_in_the_paper() -> None:
    report = TASK.report(papers(), TASK.options({}), seed=1)
    shown = next(each["rows"] for each in report["tables"] if each["name"] == "solvability")
    assert [cell_text(row[0]) for row in shown[::2]] == [
        "3. Content words only",
        "4. Vocabulary anonymization",
        "6. Context words shuffled",
        "7. Sentence words shuffled",
    ]
    unknown = TASK.report([item(0, "squad", said("alpha")), item(99, "squad", said("alpha"))], TASK.options({}), seed=1)
    assert [cell_text(row[0]) for row in unknown["tables"][0]["rows"]] == ["–", "Ablation 99"]


def test_the_paragraph_says_what_became_of_every_judged_question() -> None:
    tied = [said("alpha"), said("beta")]
    report = TASK.report([item(3, "squad", said("alpha")), item(3, "squad", *tied, at=1)], TASK.options({}), seed=1)
    assert " ".join(sentence(one) for one in report["paragraph"]) == (
        "2 ablated questions were judged. By majority, 1 of 1 can be solved. For 1, annotators are "
        "tied on whether they can be solved. For 1 there is a tie between classes. Items have 1 to 2 "
        "responses; figures use all of them unless a k is given."
    )


def cases_of(only_people: int, only_model: int, *, shuffles: int = 1, number: int = 7) -> list[HitWithResponses]:
    """Ten questions that both solve, and others that one of them does; each judged in so many shuffles."""
    kinds = [("alpha", "Ada")] * 10 + [("alpha", "")] * only_people + [("beta", "Ada")] * only_model
    return [
        replace(made, hit=f"{number}-{k}-{j}")
        for k, (kind, predicted) in enumerate(kinds)
        for j in range(shuffles)
        for made in [item(number, "squad", said(kind), at=k, predicted=predicted)]
    ]


def test_people_and_a_model_are_told_apart_by_mcnemar_with_holm_over_the_table() -> None:
    rows = [*cases_of(14, 2, number=7), *cases_of(3, 2, number=6)]
    report = TASK.report(rows, TASK.options({}), seed=1)
    unlike, alike = stats.binomtest(2, 16).pvalue, stats.binomtest(2, 5).pvalue
    found = {row[0]: row[8:] for row in table(report, "cases")}
    assert found[7] == [round(100 * 12 / 26, 1), f"{2 * unlike:.3f}"]
    assert found[6] == [round(100 * 1 / 15, 1), f"{alike:.3f}"]
    note = note_of(next(each for each in report["tables"] if each["name"] == "cases"))
    assert "McNemar's exact test" in note
    assert "Holm's adjustment for the 2 rows" in note


def test_five_shuffles_of_a_question_are_one_question() -> None:
    single, five = (TASK.report(cases_of(6, 1, shuffles=n), TASK.options({}), seed=1) for n in (1, 5))
    (one,), (many,) = table(single, "cases"), table(five, "cases")
    assert (one[3], many[3]) == (17, 85)
    assert one[9] == many[9]
    (own,), (shuffled,) = table(single, "solvability"), table(five, "solvability")
    assert own[3]["value"] == pytest.approx(shuffled[3]["value"])
    assert shuffled[3]["high"] - shuffled[3]["low"] > 0.75 * (own[3]["high"] - own[3]["low"])


def test_shares_have_a_range_without_any_one_annotator() -> None:
    rows = [item(7, "squad", *map(said, kinds), at=k) for k, kinds in enumerate([["alpha", "beta", "beta"]] * 4)]
    rows += [item(7, "squad", said("alpha"), at=k) for k in range(4, 6)]
    report = TASK.report(rows, TASK.options({}), seed=1)
    people = next(each for each in report["tables"] if each["name"] == "people")
    ((words, over, lowest, highest),) = people["rows"]
    assert cell_text(words) == "Solvable, 7. Sentence words shuffled, squad"
    assert over is None
    assert (lowest["value"], highest["value"]) == (0.0, 1.0)
    assert "only 3 took part" in note_of(people)
    assert "hold for these 3 annotators" in note_of(report["tables"][0])


def test_answers_in_free_text_have_agreement_beyond_chance() -> None:
    result = [[{**said("alpha"), "text": text} for text in texts] for texts in (["Ada", "Ada"], ["Ada L", "Ada"])]
    result += [[{**said("alpha"), "text": text} for text in ("ran", "ran")], [said("alpha"), said("beta")]]
    rows = [item(7, "squad", *answers, at=k) for k, answers in enumerate(result)]
    report = TASK.report(rows, TASK.options({}), seed=1)
    found = next(each["rows"] for each in report["tables"] if each["name"] == "text-agreement")
    assert cell_text(found[0][0]) == "the answer (distance 1 − F1)"
    assert found[0][4] == 3
    assert 0.5 < found[0][1] < 1


def test_seventy_per_cent_of_twenty_means_48_to_86() -> None:
    report = TASK.report(papers(), TASK.options({}), seed=1)
    figure = next(row[3] for row in table(report, "solvability") if row[:2] == [7, "squad"])
    assert figure["n"] == 20
    assert (math.floor(100 * figure["low"]), math.ceil(100 * figure["high"])) == (48, 86)
    assert figure == wilson(14, 20).as_json()


def test_solvable_delta_counts_as_solvable_and_a_break_of_the_sum_is_flagged() -> None:
    whole = [item(3, "squad", said("delta"), at=1), item(3, "squad", said("delta", solvable=False), at=2)]
    report = TASK.report(whole, TASK.options({}), seed=1)
    assert report["warnings"] == []
    assert table(report, "classes")[0][-1]["value"] == 0.5
    # γ by most, unsolvable by most: two of three annotators contradict each other.
    votes = [said("beta"), said("gamma"), {**said("gamma"), "solvable": False}]
    broken = TASK.report([item(3, "squad", *votes)], TASK.options({}), seed=1)
    assert cell_text(broken["warnings"][0]["values"].pop("ablation")) == "3. Content words only"
    assert broken["warnings"][0]["values"] == {"dataset": "squad", "classes": 1, "solvable": 0}


def test_the_four_cases_of_people_and_a_model() -> None:
    rows = [
        item(7, "squad", said("alpha"), at=1, predicted="Ada"),
        item(7, "squad", said("alpha"), at=2, predicted="ran"),
        item(7, "squad", said("alpha"), at=3, predicted="Ada ran"),
        item(7, "squad", said("beta"), at=4, predicted="Ada"),
        item(7, "squad", said("beta"), at=5, predicted=""),
    ]
    report = TASK.report(rows, TASK.options({}), seed=1)
    cases = table(report, "cases")[0]
    assert cases[:4] == [7, "squad", "bert", 5]
    assert [round(5 * figure["value"]) for figure in cases[4:8]] == [1, 2, 1, 1]
    assert cases[8:] == [20.0, "1.000"]
    score = table(report, "solvability")[0][5]
    assert score["value"] == pytest.approx((1 + 0 + 2 / 3 + 1 + 0) / 5)


def test_people_stand_beside_a_model_on_the_items_that_it_answered() -> None:
    rows = [item(7, "squad", said(kind), at=k, predicted="Ada") for k, kind in enumerate(["alpha", "beta"])]
    rows += [item(7, "squad", said("alpha"), at=k) for k in (2, 3)]
    found = table(TASK.report(rows, TASK.options({}), seed=1), "solvability")
    result = [(row[2], row[3]["value"], row[3]["n"], row[4], row[5] and row[5]["n"]) for row in found]
    assert result == [(4, 0.75, 4, None, None), (2, 0.5, 2, "bert", 2)]


def test_without_a_model_there_is_no_table_of_cases() -> None:
    names = [each["name"] for each in TASK.report(papers(), TASK.options({}), seed=1)["tables"]]
    assert "cases" not in names
    assert names[:2] == ["solvability", "classes"]


@pytest.mark.parametrize(
    ("answers", "kind", "solvable"),
    [
        (["alpha", "alpha", "beta"], "alpha", True),
        (["alpha", "beta"], "tied", None),
        (["gamma", "alpha"], "tied", True),
        (["delta"], "delta", True),
        ([], "undecided", None),
    ],
)
def test_the_aggregate_is_the_class_that_most_give(answers: list[str], kind: str, solvable: bool | None) -> None:
    aggregate = TASK.aggregate({}, [said(each) for each in answers])
    assert (aggregate["kind"], aggregate["solvable"]) == (kind, solvable)


def prepared(**options: Any) -> tuple[Example, JSON]:
    from random import Random

    example = item(3, "squad").example
    example = replace(
        example, extra={**example.extra, "@original": {"question": "Who ran?", "paragraphs": ["Ada ran."]}}
    )
    payload = TASK.prepare(example, TASK.options(options), Random(1))
    assert payload is not None
    return example, payload


def test_the_original_is_in_no_payload_and_comes_afterwards_if_the_batch_says_so() -> None:
    example, payload = prepared()
    assert TASK.afterwards(payload, example) is None
    example, payload = prepared(show_original=True)
    assert "Who ran?" not in str(payload)
    assert TASK.afterwards(payload, example)["question"] == "Who ran?"


def test_a_prediction_is_an_answer_without_guessing() -> None:
    _, payload = prepared()
    made = TASK.complete(payload, {"text": "Ada", "support": [], "facts": []})
    assert (made["solvable"], made["kind"], made["start"], made["guessable"]) == (True, "span", 0, None)
    assert TASK.complete(payload, {"text": "", "support": []})["solvable"] is False
    with pytest.raises(ValueError, match="needs"):
        TASK.complete(payload, ["Ada"])


def test_hidden_gold_is_graded_by_what_is_known() -> None:
    example, payload = prepared()
    known = replace(example, extra={"known_solvable": False})
    assert TASK.grade(payload, said("beta"), known) == 1
    assert TASK.grade(payload, said("alpha"), known) == 0
    assert TASK.grade(payload, said("alpha"), example) == 1
    assert TASK.grade(payload, {**said("alpha"), "text": "Mara"}, example) == 0


def test_a_decided_example_carries_its_class() -> None:
    example, payload = prepared()
    made = TASK.export(example, TASK.aggregate(payload, [said("gamma")]))
    assert made[0].extra["solvability"] == {
        "class": "gamma", "solvable": True, "votes": {"alpha": 0, "beta": 0, "gamma": 1, "delta": 0},
    }  # fmt: skip
    assert TASK.export(example, TASK.aggregate(payload, [said("gamma"), said("alpha")])) == []


def test_without_a_context_an_option_needs_no_rationale() -> None:
    """Ablation 14, the paper's "Drop all C words"."""
    whole = Example("q", "Who ran?", (Paragraph("", "Ada ran."),), ("Ada",), options=("Ada", "Mara"))
    for number, problems in ((14, []), (13, ["rationale"])):
        payload = TASK.prepare(ablate(whole, number).example, TASK.Options(), Random(1))
        assert payload is not None
        chosen = said("alpha") | {"kind": "option", "option": 0}
        assert [problem.field for problem in TASK.check(payload, chosen)] == problems
    assert table(TASK.report([item(14, "race", said("alpha"))], None, seed=1), "solvability")[0][0] == 14
