"""Composing: the bridge check ends at the first “no”, errors must go, warnings need a reason, and all of it is told."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation import registry
from annotation.demo import world
from annotation.pure import dag, phrasing
from annotation.pure.example import Example, Hop
from annotation.tasktype import Given, Judged
from tasks.compose.form import Form
from tasks.compose.task import TASK

JSON = dict[str, Any]
FOLDER = Path(__file__).resolve().parents[2] / "tasks" / "compose"
QUESTION = "Where was the captain of the Grey Petrel born?"
judgments = st.sampled_from(["same", "different", "unsure", ""])


def example(shape: str = "2hop") -> Example:
    """A composition of the demo's island."""
    return next(found for found in world.examples(1) if found.shape == shape)


def payload(shape: str = "2hop", **options: Any) -> JSON:
    made = TASK.prepare(example(shape), TASK.options(options), Random(1))
    assert made is not None
    return made


def answer(*bridges: str, question: str = QUESTION, **parts: Any) -> JSON:
    return {"bridges": list(bridges), "why": "", "question": question, "overrides": {}, "pasted": 0.0, **parts}


def fields(problems: Any) -> list[str]:
    return [problem.field for problem in problems]


def posted(**values: str) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in values.items():
        data[name.replace("_", "-") if name.startswith("bridge") else name] = value
    return data


# What is asked


@pytest.mark.parametrize("shape", sorted(dag.SHAPES))
def test_a_graph_of_each_shape_shows_its_hops_and_edges_in_their_order(shape: str) -> None:
    shown, gold = payload(shape), example(shape)
    assert shown["shape"] == shape
    assert [hop["answer"] for hop in shown["hops"]] == [hop.answer for hop in gold.hops]
    assert [(e["head"], e["tail"]) for e in shown["edges"]] == list(dag.edges(gold.hops))
    assert all(edge["entity"] == gold.hops[edge["head"] - 1].answer for edge in shown["edges"])


@pytest.mark.parametrize("shape", sorted(dag.SHAPES))
def test_the_composed_question_its_id_and_what_is_known_stay_out_of_the_payload(shape: str) -> None:
    gold = replace(
        example(shape),
        id="CANARY-id",
        question="CANARY-question",
        extra={"known_bridges": ["different"], "x": "CANARY"},
    )
    gold = replace(gold, hops=tuple(replace(hop, id="CANARY-hop") for hop in gold.hops))
    shown = json.dumps(TASK.prepare(gold, TASK.options({}), Random(1)))
    assert "CANARY" not in shown
    assert "known_bridges" not in shown


def without_a_paragraph(found: Example) -> Example:
    return replace(found, hops=(replace(found.hops[0], support=None), *found.hops[1:]))


def unjoined(found: Example) -> Example:
    return replace(found, hops=tuple(replace(hop, question="Who?") for hop in found.hops))


def beyond_the_context(found: Example) -> Example:
    return replace(found, hops=(replace(found.hops[0], support=99), *found.hops[1:]))


def looking_ahead(found: Example) -> Example:
    return replace(found, hops=(Hop("Who is #2?", "x", 0), *found.hops[1:]))


@pytest.mark.parametrize("spoil", [without_a_paragraph, unjoined, beyond_the_context, looking_ahead])
def test_what_is_no_graph_of_whole_hops_is_skipped(spoil: Any) -> None:
    assert TASK.prepare(spoil(example()), TASK.options({}), Random(1)) is None


@pytest.mark.parametrize(("shape", "seconds", "cents"), [("2hop", 60, 25), ("3hop2", 96, 40), ("4hop3", 144, 60)])
def test_time_and_pay_follow_the_number_of_hops_at_fifteen_dollars_an_hour(
    shape: str, seconds: int, cents: int
) -> None:
    shown = payload(shape)
    assert TASK.seconds(shown) == seconds
    assert shown["pay"] == {"composed": cents, "discarded": 3}
    assert cents / 100 / seconds * 3600 == pytest.approx(15)


# Options


def test_a_no_must_not_pay_more_a_minute_than_composing() -> None:
    assert TASK.options({"pay_discarded": 5}).pay_discarded == 5
    with pytest.raises(ValueError, match="pay_discarded must be at most 5"):
        TASK.options({"pay_discarded": 6})
    with pytest.raises(ValueError, match="3 hops"):
        TASK.options({"pay_3hop": 20})
    assert TASK.options({"pay_2hop": 0, "pay_3hop": 0, "pay_4hop": 0, "pay_discarded": 0}).pay == {2: 0, 3: 0, 4: 0}


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300), st.integers(0, 100))
def test_whatever_pay_is_taken_a_quick_no_earns_no_more_than_any_composition(a: int, b: int, c: int, no: int) -> None:
    pay = {"pay_2hop": a, "pay_3hop": b, "pay_4hop": c, "pay_discarded": no}
    fair = no / 12 <= min(a / 60, b / 96, c / 144) + 1e-12
    try:
        TASK.options(pay)
    except ValueError:
        assert not fair
    else:
        assert fair


@pytest.mark.parametrize(
    "stored",
    [{"hop_missing": "error"}, {"too_long": "loud"}, {"most_words": -1}, {"expected_no": 1.5}, {"pay_2hop": -1}],
)
def test_a_level_or_figure_that_makes_no_sense_is_refused(stored: JSON) -> None:
    with pytest.raises(ValueError, match=next(iter(stored)) if "pay_2hop" not in stored else "negative"):
        TASK.options(stored)


def test_every_check_has_a_level_and_a_hop_that_seems_missing_is_never_an_error() -> None:
    assert payload()["checks"] == dict(phrasing.LEVELS)
    for field in dataclasses.fields(TASK.Options):
        if choices := field.metadata.get("choices"):
            assert set(choices) == {"error", "warning", "off"} - ({"error"} if field.name == "hop_missing" else set())


def test_most_words_is_the_batch_s_or_grows_with_the_hops() -> None:
    assert payload(most_words=7)["most_words"] == 7
    assert payload("2hop")["most_words"] < payload("4hop1")["most_words"]


# The bridge check


@pytest.mark.parametrize(
    ("bridges", "wrong"),
    [
        (("", "", ""), ["bridge-1"]),
        (("same", "", "same"), ["bridge-2"]),
        (("same",), ["bridge-2"]),
        (("different", "", ""), []),
        (("same", "unsure", ""), []),
        (("same", "same", "different"), []),
        (("same", "same", "same"), ["question"]),
    ],
)
def test_bridges_are_judged_in_order_and_the_first_that_breaks_ends_it(bridges: Any, wrong: list[str]) -> None:
    assert fields(TASK.check(payload("4hop1"), answer(*bridges, question=""))) == wrong


def test_a_second_worker_is_asked_about_a_no_only_where_the_batch_wants_it() -> None:
    twice, once = payload(ask_twice=True), payload()
    assert TASK.least(twice, answer("different")) == 2
    assert TASK.least(twice, answer("unsure")) == 2
    assert TASK.least(twice, answer("same")) == 0
    assert TASK.least(once, answer("different")) == 0


# The question


def test_an_error_is_refused_at_the_question_and_no_reason_helps() -> None:
    said = answer("same", question="Where was Mara Quell, captain of the Grey Petrel, born?")
    problems = TASK.check(payload(), said)
    assert "question" in fields(problems)
    assert any("Mara Quell" in problem.message % problem.values for problem in problems)
    excused = answer("same", question=said["question"], overrides={"gives_away-1": "It is nicer so."})
    assert "question" in fields(TASK.check(payload(), excused))


def test_a_warning_is_refused_until_it_has_a_reason() -> None:
    said = answer("same", question="In what place was she born?")
    assert fields(TASK.check(payload(), said)) == ["override-hop_missing-1"]
    blank = said | {"overrides": {"hop_missing-1": " \t"}}
    assert fields(TASK.check(payload(), blank)) == ["override-hop_missing-1"]
    assert TASK.check(payload(), said | {"overrides": {"hop_missing-1": "She is meant by “she”."}}) == []


def test_the_batch_decides_what_is_an_error_a_warning_or_nothing() -> None:
    said = answer("same", question=QUESTION.rstrip("?"))
    assert fields(TASK.check(payload(no_question_mark="error"), said)) == ["question"]
    assert fields(TASK.check(payload(no_question_mark="warning"), said)) == ["override-no_question_mark"]
    assert TASK.check(payload(no_question_mark="off"), said) == []


def test_a_question_of_two_thousand_characters_is_the_longest_that_is_taken() -> None:
    shown = payload(too_long="off", sentences="off")
    fits = QUESTION[:-1].ljust(1999, "x") + "?"
    assert "question" not in fields(TASK.check(shown, answer("same", question=fits)))
    assert fields(TASK.check(shown, answer("same", question=fits + "?"))) == ["question"]


@settings(max_examples=60)
@given(st.lists(judgments, max_size=3), st.text(max_size=80))
def test_whatever_was_said_check_aggregate_and_the_rest_give_plain_json(bridges: list[str], text: str) -> None:
    shown, gold = payload("3hop1"), example("3hop1")
    said = answer(*bridges, question=text)
    assert all(problem.message % problem.values for problem in TASK.check(shown, said))
    verdict = TASK.aggregate(shown, [said])
    told = [verdict, TASK.review(shown, said), TASK.provenance(shown, [said], verdict)]
    told += [TASK.compare(shown, [Given("w", said)], gold), TASK.live["checks"](shown, {"q": text})]
    assert all(json.loads(json.dumps(one)) is not None for one in told)
    assert 0 <= TASK.grade(shown, said, gold) <= 1


def test_the_live_checks_tell_levels_reasons_and_which_hops_are_used() -> None:
    shown = payload()
    told = TASK.live["checks"](shown, {"q": "In what place was she born", "override-hop_missing-1": "because"})
    assert [(f["id"], f["level"], f["overridden"]) for f in told["findings"]] == [
        ("no_question_mark", "error", False),
        ("hop_missing-1", "warning", True),
    ]
    assert (told["errors"], told["warnings"], told["words"]) == (1, 0, 6)
    assert [row["skipped"] for row in told["coverage"]] == [True, False]
    assert TASK.live["checks"](shown, {})["findings"] == []


# The form


def test_what_is_posted_behind_a_bridge_that_breaks_is_not_kept() -> None:
    read = Form(payload("3hop1"), posted(bridge_1="different", bridge_2="same", why=" two  ships ")).answer()
    assert (read["bridges"], read["why"]) == (["different", ""], "two ships")


def test_an_unknown_judgment_finding_or_count_counts_as_not_given() -> None:
    data = posted(bridge_1="perhaps", question=QUESTION, pasted="-4")
    data["override-gives_away-9"] = "no such hop"
    data["override-hop_missing-1"] = " because "
    read = Form(payload(), data).answer()
    assert read == answer("", overrides={"hop_missing-1": "because"})


def test_the_share_of_pasted_characters_is_kept_and_is_never_more_than_all() -> None:
    assert Form(payload(), posted(question="abcd?", pasted="2")).answer()["pasted"] == 0.4
    assert Form(payload(), posted(question="abcd?", pasted="999")).answer()["pasted"] == 1.0
    assert Form(payload(), posted(question="", pasted="9")).answer()["pasted"] == 0.0


@given(st.lists(judgments, min_size=3, max_size=3), st.text(max_size=200), st.integers(0, 300))
def test_an_answer_shown_and_posted_again_is_the_same_answer(bridges: list[str], text: str, count: int) -> None:
    shown = payload("4hop1")
    first = Form(
        shown, posted(question=text, pasted=str(count), **{f"bridge_{k}": b for k, b in enumerate(bridges, 1)})
    )
    draft = first.shown(first.answer())
    again = posted(question=draft["question"], pasted=str(draft["pasted"]))
    for k, judgment in enumerate(draft["bridges"], 1):
        again[f"bridge-{k}"] = judgment
    assert Form(shown, again).answer() == first.answer()


# The verdict and what becomes of the dataset


def kind_of(*answers: JSON) -> str:
    return str(TASK.aggregate(payload(), list(answers))["kind"])


OTHER = "In which town was the Grey Petrel's captain born?"


def test_one_composition_is_the_verdict_and_several_are_kept_for_the_requester() -> None:
    one, other = answer("same"), answer("same", question=OTHER)
    assert kind_of() == "undecided"
    assert kind_of(one) == "composed"
    assert kind_of(one, one) == "composed"
    assert kind_of(one, other) == "several"
    accepted = TASK.aggregate(payload(), [one, other | {"accepted": True}])
    assert (accepted["kind"], accepted["by"], accepted["question"]) == ("composed", 1, OTHER)


def test_those_who_put_it_aside_are_weighed_against_those_who_composed() -> None:
    yes, no = answer("same"), answer("different")
    assert kind_of(no) == "discarded"
    assert kind_of(answer("unsure")) == "discarded"
    assert kind_of(no, yes) == "undecided"
    assert kind_of(no, no, yes) == "discarded"
    assert kind_of(no, yes, yes) == "composed"
    assert kind_of(no, yes | {"accepted": True}) == "composed"
    assert kind_of(no | {"accepted": True}, yes, yes) == "discarded"
    assert TASK.aggregate(payload(), [no, yes, yes])["disputed"]
    assert not TASK.aggregate(payload(), [yes, yes])["disputed"]


@given(st.lists(st.tuples(judgments, judgments), max_size=6))
def test_every_judgment_that_counts_is_counted_once(said: list[tuple[str, str]]) -> None:
    verdict = TASK.aggregate(payload("3hop1"), [answer(*bridges) for bridges in said])
    first, second = (sum(counts.values()) for counts in verdict["bridges"])
    assert first == sum(one != "" for one, _ in said)
    assert second == sum(one == "same" and two != "" for one, two in said)


def test_a_composed_example_has_the_new_question_the_last_hop_s_answer_and_the_hops_paragraphs() -> None:
    gold = example()
    made = TASK.export(gold, TASK.aggregate(payload(), [answer("same", question=OTHER)]))[0]
    assert (made.question, made.answers, made.id) == (OTHER, gold.answers, gold.id)
    assert set(made.supports or ()) == {hop.support for hop in gold.hops}
    elsewhere = TASK.export(replace(gold, answers=("somewhere",)), TASK.aggregate(payload(), [answer("same")]))[0]
    assert elsewhere.answers == (gold.hops[-1].answer,)


def test_several_compositions_leave_the_example_alone_and_go_along_to_be_chosen_from() -> None:
    several = TASK.aggregate(payload(), [answer("same"), answer("same", question=OTHER)])
    made = TASK.export(example(), several)[0]
    assert made.question == example().question
    assert made.extra["compositions"] == [QUESTION, OTHER]


def test_what_was_put_aside_is_undecided_or_is_known_to_break_is_not_exported() -> None:
    composed = TASK.aggregate(payload(), [answer("same")])
    assert TASK.export(replace(example(), extra={"known_bridges": ["different"]}), composed) == []
    assert TASK.export(replace(example(), extra={"known_bridges": ["same"]}), composed) != []
    for said in ([], [answer("different")], [answer("different"), answer("same")]):
        assert TASK.export(example(), TASK.aggregate(payload(), said)) == []


def test_provenance_tells_the_composer_the_bridges_the_reasons_and_what_was_pasted() -> None:
    shown = payload()
    kept = answer("same", question="In what place was she born?", overrides={"hop_missing-1": "r", "too_long": "x"})
    answers = [answer("different"), kept | {"pasted": 0.5, "accepted": True}]
    told = TASK.provenance(shown, answers, TASK.aggregate(shown, answers))
    assert told == {
        "bridges": [{"same": 1, "different": 1, "unsure": 0}],
        "composer": 1,
        "overrides": {"hop_missing-1": "r"},
        "pasted": 0.5,
    }


# Grades and reviews


@pytest.mark.parametrize(
    ("known", "bridges", "grade"),
    [
        (["same", "different"], ["same", "different"], 1.0),
        (["same", "different"], ["same", "same"], 0.5),
        (["same", "different"], ["same", "unsure"], 0.5),
        (["same", "same"], ["different", ""], 0.0),
        (["different", "same"], ["same", "same"], 0.0),
        (["different", "same"], ["different", ""], 1.0),
    ],
)
def test_known_bridges_are_graded_up_to_the_one_that_ends_the_check(
    known: list[str], bridges: list[str], grade: float
) -> None:
    gold = replace(example("3hop1"), extra={"known_bridges": known})
    assert TASK.grade(payload("3hop1"), answer(*bridges), gold) == grade


def test_without_known_bridges_a_question_without_errors_is_worth_one() -> None:
    assert TASK.grade(payload(), answer("same"), example()) == 1
    assert TASK.grade(payload(), answer("same", question="Where was Mara Quell born?"), example()) == 0
    assert TASK.grade(payload(), answer("different"), example()) == 0


def test_who_composed_and_who_put_it_aside_differ_more_than_two_wordings() -> None:
    yes, other, no = answer("same"), answer("same", question=OTHER), answer("different")
    assert TASK.differences(payload(), [yes, no]) > TASK.differences(payload(), [yes, other]) > 0
    assert TASK.differences(payload(), [yes, yes]) == 0


def test_a_requester_reads_bridges_findings_with_reasons_and_may_change_the_wording() -> None:
    said = answer("same", question="In what place was she born?", overrides={"hop_missing-1": "It is she."}, pasted=0.2)
    told = TASK.review(payload(), said)
    assert (told["text"], told["pasted"]) == (said["question"], 0.2)
    assert [(f["id"], f["level"], f["reason"]) for f in told["findings"]] == [
        ("hop_missing-1", "warning", "It is she.")
    ]
    assert told["edges"][0]["judgment"] == "same"
    assert TASK.edited(payload(), said, "  A  better one? ")["question"] == "A better one?"
    aside = TASK.review(payload(), answer("different", why="an inn"))
    assert (aside["discarded"], aside["text"], aside["why"]) == (True, "", "an inn")


# Imported compositions


def test_a_composition_made_elsewhere_is_held_to_the_same_checks() -> None:
    assert TASK.complete(payload(), {"question": QUESTION}) == answer("same")
    with pytest.raises(ValueError, match="Mara Quell"):
        TASK.complete(payload(), {"question": "Where was Mara Quell of the Grey Petrel born?"})
    for odd in ({"bridges": []}, {"question": 3}, "x", {"question": QUESTION, "pasted": 3}, {"bridges": [None]}):
        with pytest.raises(ValueError, match=r"\w"):
            TASK.complete(payload(), odd)
    assert TASK.complete(payload(), {"bridges": ["different"]})["bridges"] == ["different"]


# The report


def judged(shape: str, *given: Given, extra: JSON | None = None, **options: Any) -> Judged:
    gold = replace(example(shape), extra=extra or {})
    return Judged("hit", "vennory", "musique", gold, payload(shape, **options), given)


def report(*rows: Judged, **options: Any) -> JSON:
    return json.loads(json.dumps(TASK.report(rows, TASK.options(options), seed=1), allow_nan=False))


def table(told: JSON, name: str) -> list[list[Any]]:
    return next(found["rows"] for found in told["tables"] if found["name"] == name)


def test_each_row_of_a_report_is_as_wide_as_its_columns() -> None:
    told = report(judged("3hop2", Given("w", answer("same", "different"), 20.0)))
    for found in told["tables"]:
        assert all(len(row) == len(found["columns"]) for row in found["rows"]), found["name"]


def test_the_report_tells_edge_by_edge_what_was_judged_not_the_same() -> None:
    rows = [
        judged("3hop1", Given("w", answer("same", "different"))),
        judged("3hop1", Given("w", answer("same", "same"))),
    ]
    first, second = table(report(*rows), "by-edge")
    assert first[:3] == ["3hop1", "1→2", 2]
    assert first[3]["value"] == 0
    assert second[:3] == ["3hop1", "2→3", 2]
    assert (second[3]["value"], second[3]["n"]) == (0.5, 2)
    assert second[3]["low"] < 0.5 < second[3]["high"]


def test_time_pay_and_length_are_told_by_the_number_of_hops() -> None:
    rows = [judged("2hop", Given("w", answer("same"), seconds)) for seconds in (50.0, 60.0, 70.0)]
    hops = table(report(*rows), "by-hops")[0]
    words = len(QUESTION.split())
    single = sum(len(hop.question.split()) for hop in example().hops)
    assert hops == [2, 3, 60.0, 60, 15.0, words, single, round(words / single, 2)]


def test_overridden_warnings_are_told_with_their_reasons() -> None:
    kept = answer("same", question="In what place was she born?", overrides={"hop_missing-1": "She is the captain."})
    row = table(report(judged("2hop", Given("w", kept)), judged("2hop", Given("v", answer("same")))), "overridden")[0]
    assert (row[1], row[2]["value"], row[3]) == (1, 0.5, "She is the captain.")


def test_a_worker_who_says_no_far_more_often_than_expected_is_flagged_and_others_are_not() -> None:
    rows = [judged("2hop", Given("eager", answer("different"))) for _ in range(6)]
    rows += [judged("2hop", Given("calm", answer("same"))) for _ in range(6)]
    told = report(*rows)
    calm, eager = table(told, "by-worker")
    assert (calm[0], calm[5], eager[0], eager[5]["text"]) == ("calm", "", "eager", "high")
    assert [flag["values"]["worker"] for flag in told["flags"]] == ["eager"]
    assert report(*rows, expected_no=0.9)["flags"] == []


def test_known_edges_tell_who_is_right_and_do_not_make_anybody_look_eager() -> None:
    rows = [judged("2hop", Given("w", answer("different")), extra={"known_bridges": ["different"]}) for _ in range(9)]
    told = report(*rows)
    worker = table(told, "by-worker")[0]
    assert (worker[3], worker[6]["value"], worker[6]["n"]) == (0, 1.0, 9)
    assert told["flags"] == []
    assert table(told, "by-edge") == []


def test_a_worker_whom_a_no_pays_more_a_minute_than_composing_is_flagged() -> None:
    quick = [judged("2hop", Given("w", answer("different"), 2.0)) for _ in range(3)]
    slow = [judged("2hop", Given("w", answer("same"), 60.0)) for _ in range(30)]
    told = report(*quick, *slow)
    assert [flag["values"] for flag in told["flags"]] == [{"worker": "w"}]
    assert table(told, "pay-by-worker")[0] == ["w", 3, 2.0, 54.0, 30, 60.0, 15.0]


def test_excluded_hits_and_those_without_answers_count_nowhere() -> None:
    left_out = replace(judged("2hop", Given("w", answer("same"))), excluded="flagged")
    told = report(left_out, judged("2hop"))
    assert told["n"] == 0
    assert table(told, "by-worker") == []
    assert told["paragraph"] == []


# What the folder teaches


def taught() -> list[JSON]:
    return list((TASK.tutorial(None) or {})["shapes"])


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


def test_every_good_composition_of_the_tutorial_passes_the_checks() -> None:
    for entry in taught():
        shown = payload(entry["shape"]) | {"hops": entry["hops"]}
        for one in entry["good"]:
            assert TASK.live["checks"](shown, {"q": one["question"]})["findings"] == [], one["question"]


def test_a_composition_said_to_give_a_bridge_away_is_caught_by_the_checks() -> None:
    caught = 0
    for entry in taught():
        shown = payload(entry["shape"]) | {"hops": entry["hops"]}
        for one in entry["bad"]:
            if one["why"].startswith("Gives"):
                findings = TASK.live["checks"](shown, {"q": one["question"]})["findings"]
                assert any(f["check"].startswith("gives_away") for f in findings), one["question"]
                caught += 1
    assert caught >= len(dag.SHAPES)


def test_practice_tells_which_bridges_were_judged_rightly_and_why_and_shows_ours_beside_the_question() -> None:
    compose, trap = registry.practice("compose")
    shown = TASK.prepare(compose, TASK.options({}), Random(1))
    assert shown is not None
    said = "Which trees line the shore of the town that had the Skerrit Yard?"
    remarks = TASK.feedback(shown, answer("same", question=said), compose)
    told = [remark.message % remark.values for remark in remarks]
    assert all(remark.good for remark in remarks)
    assert "one town with two names" in told[0].lower()
    assert any(compose.extra["good"][0] in one for one in told)
    shown = TASK.prepare(trap, TASK.options({}), Random(1))
    assert shown is not None
    right = TASK.feedback(shown, answer("same", "different"), trap)
    wrong = TASK.feedback(shown, answer("same", "same", question="Who was its first commander?"), trap)
    assert [remark.good for remark in right] == [True, True]
    assert [remark.good for remark in wrong][:2] == [True, False]
    assert "ship" in wrong[1].message % wrong[1].values


def test_our_own_compositions_of_the_practice_pass_the_checks() -> None:
    for item in registry.practice("compose"):
        shown = TASK.prepare(item, TASK.options({}), Random(1))
        assert shown is not None
        for question in item.extra["good"]:
            assert TASK.check(shown, answer(*["same"] * len(shown["edges"]), question=question)) == []
