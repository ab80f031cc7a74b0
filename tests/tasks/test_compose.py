"""Composing: the bridge check ends at the first “no”, errors must go, and warnings need a reason."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.flow.setting_values import sentence
from annotation.pure.data import dag
from annotation.pure.data.example import Example, Hop
from annotation.pure.setting_fields import InvalidValues, read
from annotation.pure.text import composed_question_checks
from annotation.registry import default_instructions
from annotation.tasktype import GivenResponse
from tasks.compose.form import Form
from tasks.compose.task import TASK
from tests.long_forms import examples
from tests.tasks.composing import JSON, QUESTION, answer, example, payload

judgments = st.sampled_from(["same", "different", "unsure", ""])


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
    for pay, words in (({"pay_discarded": 6}, "at most 5: at 6"), ({"pay_3hop": 20}, "of 3 hops")):
        with pytest.raises(InvalidValues) as refused:
            read(TASK.Options, pay)
        [flaw] = refused.value.problems["pay_discarded"]
        assert words in sentence(flaw)
    assert TASK.options({"pay_2hop": 0, "pay_3hop": 0, "pay_4hop": 0, "pay_discarded": 0}).pay == {2: 0, 3: 0, 4: 0}


@settings(max_examples=examples(15, soak=60), deadline=None)
@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300), st.integers(0, 100))
def test_whatever_pay_is_taken_a_quick_no_earns_no_more_than_any_composition(a: int, b: int, c: int, no: int) -> None:
    pay = {"pay_2hop": a, "pay_3hop": b, "pay_4hop": c, "pay_discarded": no}
    fair = no / 12 <= min(a / 60, b / 96, c / 144) + 1e-12
    try:
        read(TASK.Options, pay)
    except ValueError:
        assert not fair
    else:
        assert fair


@pytest.mark.parametrize(
    "stored",
    [
        {"hop_missing": "error"},
        {"too_long": "loud"},
        {"most_words": -1},
        {"expected_no": 1.5},
        {"pay_2hop": -1},
        {"pay_2hop": 100_000_000},  # a cent above the most that a response can be paid
    ],
)
def test_a_level_or_figure_that_makes_no_sense_is_refused(stored: JSON) -> None:
    with pytest.raises(InvalidValues, match=next(iter(stored))):
        read(TASK.Options, stored)


def test_every_check_has_a_level_and_a_hop_that_seems_missing_is_never_an_error() -> None:
    assert payload()["checks"] == dict(composed_question_checks.LEVELS)
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


@settings(max_examples=examples(15, soak=60), deadline=None)
@given(st.lists(judgments, max_size=3), st.text(max_size=80))
def test_whatever_was_said_check_aggregate_and_the_rest_give_plain_json(bridges: list[str], text: str) -> None:
    shown, gold = payload("3hop1"), example("3hop1")
    said = answer(*bridges, question=text)
    assert all(problem.message % problem.values for problem in TASK.check(shown, said))
    aggregate = TASK.aggregate(shown, [said])
    result = [aggregate, TASK.review(shown, said), TASK.provenance(shown, [said], aggregate)]
    result += [TASK.compare(shown, [GivenResponse("w", said)], gold), TASK.live["checks"](shown, {"q": text})]
    assert all(json.loads(json.dumps(one)) is not None for one in result)
    assert 0 <= TASK.grade(shown, said, gold) <= 1


def test_the_live_checks_tell_levels_reasons_and_which_hops_are_used() -> None:
    shown = payload()
    result = TASK.live["checks"](shown, {"q": "In what place was she born", "override-hop_missing-1": "because"})
    assert [(f["id"], f["level"], f["overridden"]) for f in result["findings"]] == [
        ("no_question_mark", "error", False),
        ("hop_missing-1", "warning", True),
    ]
    assert (result["errors"], result["warnings"], result["words"]) == (1, 0, 6)
    assert [row["skipped"] for row in result["coverage"]] == [True, False]
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


@settings(max_examples=examples(15, soak=60), deadline=None)
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


def test_the_instructions_are_read_in_two_minutes() -> None:
    """Some 300 words; the rest is in the examples, which are a key away."""
    text = (Path(__file__).parents[2] / "tasks/compose/instructions.md").read_text(encoding="utf-8")
    assert len(re.findall(r"\w[\w’'-]*", text)) <= 330


def test_the_instructions_are_short_and_lead_to_the_examples() -> None:
    text = default_instructions("compose")
    assert len(re.findall(r"[\w’'-]*\w[\w’'-]*", text)) <= 300
    assert "Examples, good and bad, are below" in text
