"""The dashboard of composing, and what the task teaches."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import pytest

from annotation import registry
from annotation.pure.data import dag
from annotation.pure.data.example import Hop
from annotation.pure.reports.tables import cell_text, note_of, sentence
from annotation.tasktype import GivenResponse, HitWithResponses
from tasks.compose.task import TASK
from tests.tasks.composing import JSON, QUESTION, answer, example, payload

# The report

HITS = count()


def judged(shape: str, *given: GivenResponse, extra: JSON | None = None, **options: Any) -> HitWithResponses:
    gold = replace(example(shape), extra=extra or {})
    return HitWithResponses(f"hit-{next(HITS)}", "vennory", "musique", gold, payload(shape, **options), given)


def report(*rows: HitWithResponses, **options: Any) -> JSON:
    return json.loads(json.dumps(TASK.report(rows, TASK.options(options), seed=1), allow_nan=False))


def table(result: JSON, name: str) -> list[list[Any]]:
    return next(found["rows"] for found in result["tables"] if found["name"] == name)


def test_each_row_of_a_report_is_as_wide_as_its_columns() -> None:
    result = report(judged("3hop2", GivenResponse("w", answer("same", "different"), 20.0)))
    for found in result["tables"]:
        assert all(len(row) == len(found["columns"]) for row in found["rows"]), found["name"]


def test_the_report_tells_edge_by_edge_what_was_judged_not_the_same() -> None:
    rows = [
        judged("3hop1", GivenResponse("w", answer("same", "different"))),
        judged("3hop1", GivenResponse("w", answer("same", "same"))),
    ]
    first, second = table(report(*rows), "by-edge")
    same, different, unsure = table(report(*rows), "bridges")
    assert [row[1] for row in (same, different, unsure)] == [3, 1, 0]
    assert (same[2]["value"], same[2]["n"]) == (0.75, 4)
    assert same[2]["low"] < 0.75 < same[2]["high"]
    assert [cell_text(cell) for cell in first[:3]] == ["3 hops in a row", "1→2", "2"]
    assert first[3]["value"] == 0
    assert second[1:3] == ["2→3", 2]
    assert (second[3]["value"], second[3]["n"]) == (0.5, 2)
    assert second[3]["low"] < 0.5 < second[3]["high"]


def test_time_pay_and_length_are_told_by_the_number_of_hops() -> None:
    rows = [judged("2hop", GivenResponse("w", answer("same"), seconds, 25)) for seconds in (50.0, 60.0, 70.0)]
    hops = table(report(*rows), "by-hops")[0]
    words = len(QUESTION.split())
    single = sum(len(hop.question.split()) for hop in example().hops)
    assert hops == [2, 3, 60.0, 60, 3, 15.0, words, single, round(words / single, 2)]


def in_words(*rows: HitWithResponses) -> str:
    return " ".join(sentence(one) for one in report(*rows)["paragraph"])


def test_of_unpaid_compositions_neither_sentence_nor_table_speaks_of_pay() -> None:
    rows = [judged("2hop", GivenResponse("w", answer("same"), seconds)) for seconds in (50.0, 60.0, 70.0)]
    result = report(*rows)
    words = len(QUESTION.split())
    single = sum(len(hop.question.split()) for hop in example().hops)
    assert table(result, "by-hops")[0] == [2, 3, 60.0, 60, words, single, round(words / single, 2)]
    assert table(result, "pay-by-worker") == [["w", 0, None, 3, 60.0]]
    shown = [in_words(*rows), *(str(each[part]) for each in result["tables"] for part in ("title", "note", "columns"))]
    assert not re.search(r"\b(paid|pay|cents|dollars?|wage)\b", " ".join(shown).casefold())


def test_the_paragraph_says_what_the_ledger_paid_and_for_how_many() -> None:
    paid, unpaid = GivenResponse("w", answer("same"), 50.0, 25), GivenResponse("w", answer("same"), 50.0)
    assert "Each paid 25 US cents." in in_words(*[judged("2hop", paid)] * 2)
    assert "One of these 2 has been paid so far: 25 US cents." in in_words(judged("2hop", paid), judged("2hop", unpaid))
    other = replace(paid, paid=30)
    several = in_words(judged("2hop", paid), judged("2hop", other), judged("2hop", unpaid))
    assert "2 of these 3 have been paid so far: 25 to 30 US cents each." in several


def test_one_of_everything_is_said_as_one() -> None:
    words, single = len(QUESTION.split()), sum(len(hop.question.split()) for hop in example().hops)
    assert in_words(judged("2hop", GivenResponse("w", answer("same"), 50.0, 1))) == (
        "One worker submitted one response to one graph of single-hop questions. Bridges were judged once; 0 % (95 % "
        "interval 0 to 79.3 %) of the judgments were “not the same” or “cannot tell”. "
        "The 95 % intervals hold for this one annotator only. "
        f"One composed question of 2 hops has {words} words; its single-hop questions together have {single}. "
        "Composing it took 50 seconds. It paid 1 US cent."
    )


def test_overridden_warnings_are_told_with_their_reasons() -> None:
    kept = answer("same", question="In what place was she born?", overrides={"hop_missing-1": "She is the captain."})
    row = table(
        report(judged("2hop", GivenResponse("w", kept)), judged("2hop", GivenResponse("v", answer("same")))),
        "overridden",
    )[0]
    assert (row[1], row[2]["value"], row[3]) == (1, 0.5, "She is the captain.")


def test_a_worker_who_says_no_far_more_often_than_expected_is_flagged_and_others_are_not() -> None:
    rows = [judged("2hop", GivenResponse("eager", answer("different"))) for _ in range(6)]
    rows += [judged("2hop", GivenResponse("calm", answer("same"))) for _ in range(6)]
    result = report(*rows)
    calm, eager = table(result, "by-worker")
    assert (calm[0], calm[5:8], eager[0]) == ("calm", [-8.0, "1.000", ""], "eager")
    assert (eager[5:7], eager[7]["text"]) == ([92.0, "< 0.001"], "high")
    assert [warning["values"]["worker"] for warning in result["warnings"]] == ["eager"]
    assert report(*rows, expected_no=0.9)["warnings"] == []


def test_a_mark_says_by_which_test_and_how_many_workers_it_is_adjusted_for() -> None:
    rows = [judged("2hop", GivenResponse(name, answer("same"))) for name in ("a", "b", "c")]
    found = next(one for one in report(*rows)["tables"] if one["name"] == "by-worker")
    note = note_of(found)
    assert "one-sided exact binomial tests of 3 workers, with Benjamini and Hochberg's adjustment at q = .05" in note
    assert "hold for these 3 annotators" in note


def test_who_would_be_marked_alone_is_not_marked_among_many_by_chance() -> None:
    """Three of nine bridges, expected 8 %: p = .03 alone, and nothing among seventeen."""
    rows = [judged("2hop", GivenResponse("w", answer("different" if k < 3 else "same"))) for k in range(9)]
    assert [warning["values"]["worker"] for warning in report(*rows)["warnings"]] == ["w"]
    others = [judged("2hop", GivenResponse(f"x{who}", answer("same"))) for who in range(16) for _ in range(9)]
    assert report(*rows, *others)["warnings"] == []


@pytest.mark.soak
def test_honest_workers_are_seldom_marked() -> None:
    """Studies of 17 workers whose bridges break as often as expected; a “no” ends the check of a graph."""
    rng, shown, gold = Random(5), payload("3hop1"), example("3hop1")
    marked = 0
    for _run in range(12):
        rows = []
        for k in range(17 * 15):
            result = ["different" if rng.random() < 0.08 else "same" for _edge in range(2)]
            rows.append(
                HitWithResponses(
                    f"hit-{k}", "v", "musique", gold, shown, (GivenResponse(f"w{k % 17}", answer(*result)),)
                )
            )
        marked += any("rate" in warning["values"] for warning in report(*rows)["warnings"])
    assert marked <= 1


def test_several_judgments_of_a_graph_are_resampled_together() -> None:
    """Ten graphs on which three workers say the same are ten graphs, not thirty."""
    rows = [
        judged("2hop", *(GivenResponse(f"w{who}", answer("different" if k < 4 else "same")) for who in range(3)))
        for k in range(10)
    ]
    row = table(report(*rows), "by-edge")[0]
    assert (row[2], row[3]["n"], row[3]["value"]) == (30, 30, 0.4)
    assert row[3]["high"] - row[3]["low"] > 0.45
    assert len(row) == 5
    note = note_of(next(one for one in report(*rows)["tables"] if one["name"] == "by-edge"))
    assert "at least 7 annotators, and only 3 took part" in note


def test_from_seven_workers_on_a_rate_has_an_interval_about_people_in_general() -> None:
    """Half of the workers always say no, half never: graphs alone make that look certain."""
    rows = [
        judged("2hop", GivenResponse(f"w{who}", answer("different" if who % 2 else "same")))
        for who in range(8)
        for _ in range(30)
    ]
    result = report(*rows)
    row = table(result, "by-edge")[0]
    assert (row[3]["value"], row[5]["value"], row[5]["n"]) == (0.5, 0.5, 8)
    assert row[3]["high"] - row[3]["low"] < 0.2
    assert row[5]["high"] - row[5]["low"] > 0.8
    words = " ".join(sentence(one) for one in result["paragraph"])
    assert "Over annotators and items, the interval of that share is" in words
    assert "hold for these 8 annotators" in words


def test_known_edges_tell_who_is_right_and_do_not_make_anybody_look_eager() -> None:
    rows = [
        judged("2hop", GivenResponse("w", answer("different")), extra={"known_bridges": ["different"]})
        for _ in range(9)
    ]
    result = report(*rows)
    worker = table(result, "by-worker")[0]
    assert (worker[3], worker[8]["value"], worker[8]["n"]) == (0, 1.0, 9)
    assert result["warnings"] == []
    assert table(result, "by-edge") == []


def test_a_worker_whom_a_no_pays_more_a_minute_than_composing_is_flagged() -> None:
    quick = [judged("2hop", GivenResponse("w", answer("different"), 2.0, 3)) for _ in range(3)]
    slow = [judged("2hop", GivenResponse("w", answer("same"), 60.0, 25)) for _ in range(30)]
    result = report(*quick, *slow)
    assert [warning["values"] for warning in result["warnings"]] == [{"worker": "w"}]
    assert table(result, "pay-by-worker")[0] == ["w", 3, 2.0, 54.0, 30, 60.0, 15.0]
    unpaid = [replace(row, given=(replace(row.given[0], paid=None),)) for row in (*quick, *slow)]
    assert report(*unpaid)["warnings"] == []


def test_excluded_hits_and_those_without_answers_count_nowhere() -> None:
    left_out = replace(judged("2hop", GivenResponse("w", answer("same"))), excluded="reported")
    result = report(left_out, judged("2hop"))
    assert result["n"] == 0
    assert table(result, "by-worker") == []
    assert result["paragraph"] == []


# What the folder teaches


def taught(language: str = "en") -> list[JSON]:
    return list((TASK.tutorial(None, language) or {})["shapes"])


def test_the_german_tutorial_translates_every_question_and_nothing_that_is_not_there() -> None:
    folder = registry.folder_of("compose")
    german = json.loads((folder / "tutorial.de.json").read_text(encoding="utf-8"))
    english = (folder / "tutorial.json").read_text(encoding="utf-8")
    assert [text for text in german if json.dumps(text, ensure_ascii=False) not in english] == []
    for entry in taught():
        questions = {one["question"] for one in (*entry["hops"], *entry["good"], *entry["bad"])}
        assert questions <= german.keys()


both = pytest.mark.parametrize("language", ["en", "de"])


def test_every_shape_is_taught_by_good_and_bad_compositions_with_their_reasons() -> None:
    assert [entry["shape"] for entry in taught()] == sorted(dag.SHAPES)
    for entry in taught():
        hops = [Hop(hop["question"], hop["answer"]) for hop in entry["hops"]]
        assert dag.shape(hops) == entry["shape"]
        assert [(e["head"], e["tail"]) for e in entry["edges"]] == list(dag.edges(hops))
        assert all(e["entity"] == hops[e["head"] - 1].answer for e in entry["edges"])
        assert len(entry["good"]) >= 2
        assert len(entry["bad"]) >= 3
        assert all(one["question"] and one["why"] for one in entry["good"] + entry["bad"])


def test_a_hit_s_tutorial_is_that_of_its_shape() -> None:
    assert [entry["shape"] for entry in (TASK.tutorial(payload("4hop2")) or {})["shapes"]] == ["4hop2"]


@both
def test_every_good_composition_of_the_tutorial_passes_the_checks(language: str) -> None:
    for entry in taught(language):
        shown = payload(entry["shape"]) | {"hops": entry["hops"]}
        for one in entry["good"]:
            assert TASK.live["checks"](shown, {"q": one["question"]})["findings"] == [], one["question"]


@both
def test_a_composition_said_to_give_a_bridge_away_is_caught_by_the_checks(language: str) -> None:
    caught = 0
    for entry in taught(language):
        shown = payload(entry["shape"]) | {"hops": entry["hops"]}
        for one in entry["bad"]:
            if one["why"].startswith("Gives"):
                findings = TASK.live["checks"](shown, {"q": one["question"]})["findings"]
                assert any(f["check"].startswith("gives_away") for f in findings), one["question"]
                caught += 1
    assert caught >= len(dag.SHAPES)


def test_practice_tells_which_bridges_were_judged_rightly_and_why_and_shows_ours_beside_the_question() -> None:
    compose, trap = registry.practice("compose")[:2]
    shown = TASK.prepare(compose, TASK.options({}), Random(1))
    assert shown is not None
    said = "Which trees line the shore of the town that had the Skerrit Yard?"
    remarks = TASK.feedback(shown, answer("same", question=said), compose)
    result = [remark.message % remark.values for remark in remarks]
    ours = [remark for remark in remarks if remark.good is None]
    assert len(ours) == len(compose.extra["good"][:2])
    assert all(r.good for r in remarks if r not in ours)
    assert "one town with two names" in result[0].lower()
    assert any(compose.extra["good"][0] in one for one in result)
    shown = TASK.prepare(trap, TASK.options({}), Random(1))
    assert shown is not None
    right = TASK.feedback(shown, answer("same", "different"), trap)
    wrong = TASK.feedback(shown, answer("same", "same", question="Who was its first commander?"), trap)
    assert [remark.good for remark in right] == [True, True]
    assert [remark.good for remark in wrong] == [True, False]
    assert "ship" in wrong[1].message % wrong[1].values


def test_our_own_compositions_of_the_practice_pass_the_checks() -> None:
    for item in registry.practice("compose"):
        shown = TASK.prepare(item, TASK.options({}), Random(1))
        assert shown is not None
        for question in item.extra["good"]:
            assert TASK.check(shown, answer(*["same"] * len(shown["edges"]), question=question)) == []
