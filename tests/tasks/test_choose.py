"""Compositions chosen from: pluralities with "none" as one of the choices, and what is exported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.example import Example
from annotation.registry import form_class, task_type
from annotation.tasktype import GivenResponse, HitWithResponses

TASK = task_type("choose")
CASES = json.loads((Path(__file__).parents[2] / "tasks/choose/examples.json").read_text())
FERRY, _CAFE, CHAIN = (Example.from_json(case["example"]) for case in CASES)
CHOICES = st.sampled_from([0, 1, 2, None])


def payload_of(example: Example) -> dict[str, Any]:
    payload = TASK.prepare(example, TASK.options({}), Random(0))
    assert payload is not None
    return payload


def aggregate_of(*choices: int | None) -> dict[str, Any]:
    return TASK.aggregate(payload_of(FERRY), [{"chosen": choice} for choice in choices])


@pytest.mark.parametrize(
    ("choices", "kind", "chosen"),
    [
        ((0,), "chosen", 0),
        ((0, 2, 2), "chosen", 2),
        ((0, 1, 2, 1), "chosen", 1),
        ((None, None, 1), "none", None),
        ((None, 1), "tied", None),
        ((0, 1, None), "tied", None),
        ((), "undecided", None),
    ],
)
def test_what_most_choose_is_chosen(choices: tuple[int | None, ...], kind: str, chosen: int | None) -> None:
    aggregate = aggregate_of(*choices)
    assert (aggregate["kind"], aggregate["chosen"]) == (kind, chosen)
    assert bool(aggregate["question"]) == (kind == "chosen")


@given(st.lists(CHOICES, max_size=9), st.randoms())
def test_every_vote_counts_once_in_whatever_order(choices: list[int | None], rng: Random) -> None:
    aggregate = aggregate_of(*choices)
    assert sum(aggregate["votes"]) + aggregate["none"] == aggregate["answers"] == len(choices)
    mixed = choices[:]
    rng.shuffle(mixed)
    assert aggregate_of(*mixed) == aggregate


@given(st.integers(0, 10_000), CHOICES)
def test_the_position_is_the_payloads_whatever_the_order_shown(seed: int, choice: int | None) -> None:
    shown = TASK.arrange(payload_of(FERRY), Random(seed))
    form = form_class("choose")(shown).shown({"chosen": choice})
    posted = QueryDict(mutable=True)
    posted["chosen"] = form["chosen"]
    assert form_class("choose")(shown, posted).answer() == {"chosen": choice}
    if choice is not None:
        assert shown["compositions"][int(form["chosen"])] == payload_of(FERRY)["compositions"][choice]


def test_the_chosen_question_is_exported_and_the_others_are_gone() -> None:
    (made,) = TASK.export(FERRY, aggregate_of(1))
    assert made.question == "Where was Osla Brandt, who built the Lantern, born?"
    assert made.extra == {"note": "kept"}
    assert replace(made, question="", extra=FERRY.extra) == FERRY
    for undecided in (aggregate_of(None), aggregate_of(0, 1), aggregate_of()):
        assert TASK.export(FERRY, undecided) == []


@pytest.mark.parametrize(
    "listed", [None, "a text", ["one"], ["one", " one "], ["one", "", 4], [f"{k}" for k in range(10)]]
)
def test_a_graph_with_nothing_to_choose_from_is_skipped(listed: Any) -> None:
    example = replace(FERRY, extra={"compositions": listed})
    assert TASK.prepare(example, TASK.options({}), Random(0)) is None


def test_the_golds_own_question_is_what_is_graded_and_is_not_told() -> None:
    payload = payload_of(CHAIN)
    assert [TASK.grade(payload, {"chosen": choice}, CHAIN) for choice in (0, 1, None)] == [0.0, 1.0, 0.0]
    assert payload == payload_of(replace(CHAIN, question=""))


def test_the_report_says_who_chooses_otherwise_and_what_guessing_would_give() -> None:
    def judged(hit: str, *choices: int | None) -> HitWithResponses:
        given = tuple(GivenResponse(f"worker {k}", {"chosen": choice}, 8.0) for k, choice in enumerate(choices))
        return HitWithResponses(hit, "graphs", "jsonl", FERRY, payload_of(FERRY), given)

    rows = [judged("a", 0, 0, 1), judged("b", None, None, 2), judged("c", 1, 2), judged("d")]
    report = TASK.report(rows, TASK.options({}), seed=1)
    tables = {table["name"]: table["rows"] for table in report["tables"]}
    assert [row[1] for row in tables["verdicts"]] == [1, 1, 1]
    assert [row[1] for row in tables["agreement"]] == [0.222, 0.25]
    assert [(row[0], row[1], row[3]["value"], row[3]["n"]) for row in tables["by-worker"]] == [
        ("worker 0", 3, 0.4, 5),
        ("worker 1", 3, 0.4, 5),
        ("worker 2", 2, 0.0, 4),
    ]
    assert tables["votes"] == [[2, 3, 2], [1, 2, 1]]
    assert tables["not-counted"] == [[{"text": "no response yet", "values": {}}, 1]]
