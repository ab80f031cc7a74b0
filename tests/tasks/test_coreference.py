"""Bridges judged: majorities edge by edge, what is exported, and what the report says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.derivations.graphs import ComposablePairs
from annotation.derivations.singlehop import SingleHop
from annotation.pure.data import dag
from annotation.pure.data.example import Example
from annotation.pure.data.hop_view import bridge_views
from annotation.pure.reports.tables import note_of
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, HitWithResponses
from tests.derivations.listed import Listed, derived, real

TASK = task_type("coreference")
CASES = json.loads((Path(__file__).parents[2] / "tasks/coreference/examples.json").read_text())
PAIR, OTHER, CHAIN = (Example.from_json(case["example"]) for case in CASES)
KINDS = ("same", "different", "unsure")


def payload_of(example: Example) -> dict[str, Any]:
    payload = TASK.prepare(example, TASK.options({}), Random(0))
    assert payload is not None
    return payload


def told(*bridges: str) -> dict[str, Any]:
    return {"bridges": list(bridges), "why": ""}


def aggregate_of(example: Example, *answers: tuple[str, ...]) -> dict[str, Any]:
    return TASK.aggregate(payload_of(example), [told(*answer) for answer in answers])


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([("same", "same")], "same"),
        ([("same", "same"), ("same", "different"), ("same", "same")], "same"),
        ([("same", "different")], "different"),
        ([("unsure", "different")], "different"),
        ([("unsure", "same")], "unsure"),
        ([("same", "same"), ("unsure", "same")], "tied"),
        ([], "undecided"),
    ],
)
def test_a_graph_is_the_same_only_where_every_edge_is(answers: list[tuple[str, ...]], kind: str) -> None:
    assert aggregate_of(CHAIN, *answers)["kind"] == kind


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)), min_size=1, max_size=7), st.randoms())
def test_the_aggregate_counts_every_answer_and_knows_no_order(answers: list[tuple[str, str]], rng: Random) -> None:
    aggregate = aggregate_of(CHAIN, *answers)
    assert all(sum(votes.values()) == len(answers) for votes in aggregate["bridges"])
    mixed = answers[:]
    rng.shuffle(mixed)
    assert aggregate_of(CHAIN, *mixed) == aggregate


def test_decided_pairs_are_exported_with_what_is_known_and_others_are_not() -> None:
    bare = replace(PAIR, extra={"note": "kept"})
    for kind in ("same", "different"):
        (made,) = TASK.export(bare, aggregate_of(bare, (kind,)))
        assert made.extra == {"note": "kept", "known_bridges": [kind]}
        assert replace(made, extra=bare.extra) == bare
    assert TASK.export(bare, aggregate_of(bare, ("unsure",))) == []
    assert TASK.export(bare, aggregate_of(bare, ("same",), ("different",))) == []
    (graph,) = TASK.export(CHAIN, aggregate_of(CHAIN, ("unsure", "different")))
    assert graph.extra["known_bridges"] == ["", "different"]


@pytest.mark.parametrize(
    ("known", "answer", "grade"),
    [
        (["same", "different"], ("same", "different"), 1.0),
        (["same", "different"], ("same", "unsure"), 0.5),
        (["", "different"], ("unsure", "different"), 1.0),
        ([], ("same", "same"), 0.0),
        ("same", ("same", "same"), 0.0),
    ],
)
def test_the_grade_is_the_share_of_known_edges(known: Any, answer: tuple[str, ...], grade: float) -> None:
    gold = replace(CHAIN, extra={"known_bridges": known})
    assert TASK.grade(payload_of(CHAIN), told(*answer), gold) == grade


def test_what_is_known_is_not_in_the_payload() -> None:
    assert payload_of(replace(PAIR, extra={**PAIR.extra, "known_bridges": ["different"]})) == payload_of(PAIR)
    assert "known" not in json.dumps(payload_of(PAIR))


def test_the_mention_keeps_the_form_of_the_tails_own_question() -> None:
    assert payload_of(PAIR)["edges"][0]["mention"] == "GREY HERON"
    strange = replace(PAIR, extra={"tail_question": "Who was the first captain of the GREY HERON?"})
    assert payload_of(strange)["edges"][0]["mention"] == "Grey Heron"


def test_a_graph_without_edges_or_without_a_paragraph_is_skipped() -> None:
    lost = replace(PAIR.hops[1], support=None)
    for broken in (replace(PAIR, hops=()), replace(PAIR, hops=PAIR.hops[:1]), replace(PAIR, hops=(PAIR.hops[0], lost))):
        assert TASK.prepare(broken, TASK.options({}), Random(0)) is None


@pytest.mark.parametrize("odd", [None, [], {}, {"bridges": "same"}, {"bridges": [1]}, {"bridges": ["yes"]}])
def test_an_odd_judgment_from_elsewhere_is_refused_in_words(odd: Any) -> None:
    with pytest.raises(ValueError, match=r"needs|Say whether"):
        TASK.complete(payload_of(PAIR), odd)
    assert TASK.complete(payload_of(PAIR), {"bridges": ["same"]}) == told("same")


def judged(example: Example, hit: str, *answers: tuple[str, ...], excluded: str = "") -> HitWithResponses:
    given = tuple(GivenResponse(f"worker {k}", told(*answer), 10.0 + k) for k, answer in enumerate(answers))
    return HitWithResponses(hit, "pairs", "jsonl", example, payload_of(example), given, excluded)


def test_the_report_counts_edges_and_holds_workers_to_what_is_known() -> None:
    rows = [
        judged(PAIR, "a", ("same",), ("different",)),
        judged(OTHER, "b", ("different",), ("same",)),
        judged(CHAIN, "c", ("same", "same"), ("same", "unsure")),
        judged(CHAIN, "d", ("same", "same"), excluded="broken"),
        judged(CHAIN, "e"),
    ]
    report = TASK.report(rows, TASK.options({}), seed=1)
    tables = {table["name"]: table["rows"] for table in report["tables"]}
    assert report["n"] == 3
    assert [row[1] for row in tables["verdicts"]] == [1, 0, 0, 3]
    assert tables["agreement"][0][1:5:3] == [0.25, 4]
    (first, second) = tables["by-worker"]
    assert (first[0], first[1], first[2]["value"], first[4]["value"], first[4]["n"]) == ("worker 0", 4, 0.25, 1.0, 2)
    assert (second[3]["value"], second[4]["value"], second[7]) == (0.25, 0.0, 11.0)
    assert (first[5:7], second[5:7]) == ([-20.0, "1.000"], [80.0, "0.080"])
    people = tables["people"]
    assert [(row[2]["value"], row[3]["value"]) for row in people] == [(0.25, 0.75), (0, 0.25)]
    assert tables["not-counted"] == [["broken", 1], [{"text": "no response yet", "values": {}}, 1]]
    assert report["warnings"] == []
    note = note_of(next(table for table in report["tables"] if table["name"] == "by-worker"))
    assert "of 2 workers against 80 % accuracy on known edges, with Benjamini and Hochberg's adjustment" in note
    assert "hold for these 2 annotators" in note
    more = [judged(OTHER, f"f{k}", ("different",), ("same",)) for k in range(2)]
    warnings = TASK.report([*rows, *more], TASK.options({}), seed=1)["warnings"]
    assert [warning["values"]["worker"] for warning in warnings] == ["worker 1"]
    assert report["paragraph"][0]["message"] % report["paragraph"][0]["values"]


def test_every_real_decomposition_can_be_judged_with_its_mentions_marked() -> None:
    source = real("musique", "musique_ans_dev_130.jsonl")
    for example in source.examples():
        payload = payload_of(example)
        assert [(edge["head"], edge["tail"]) for edge in payload["edges"]] == list(dag.edges(example.hops))
    pairs, _ = derived(ComposablePairs(), Listed(derived(SingleHop(), source)[0], "musique"))
    for pair in pairs:
        (bridge,) = bridge_views(payload_of(pair))
        shown = "".join(part.text for part in bridge.tail.question)
        assert shown.count(bridge.entity) >= 1
        assert bridge.head.reading is not None
        assert "".join(piece.text for piece in bridge.head.reading.text) == pair.paragraphs[0].text
