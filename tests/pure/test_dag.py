"""The graph of a decomposition, its name and its drawing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data import dag
from annotation.pure.data.example import Hop
from tests.shared_data import shared_data


def hops(*questions: str) -> list[Hop]:
    return [Hop(question, f"answer {number}") for number, question in enumerate(questions, 1)]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who founded #1?", (1,)),
        ("#2 >> capital", (2,)),
        ("When did #2 leave #1 and #2?", (2, 1)),
        ("Who wrote it?", ()),
        ("Is C#4 a note, or # 1, or #x?", ()),
        ("#10", (10,)),
        ("#" + "9" * 5000, ()),
        ("(#1)", (1,)),
    ],
)
def test_references_are_found_in_the_order_of_the_text(question: str, found: tuple[int, ...]) -> None:
    assert dag.references(question) == found


@pytest.mark.parametrize(
    ("questions", "name"),
    [
        (["a", "#1"], "2hop"),
        (["a", "#1", "#2"], "3hop1"),
        (["a", "b", "#1 #2"], "3hop2"),
        (["a", "#1", "#2", "#3"], "4hop1"),
        (["a", "b", "#2 of #1", "#3"], "4hop2"),
        (["a", "#1", "c", "#2 #3"], "4hop3"),
        (["a", "b"], ""),
        (["a"], ""),
        ([], ""),
        (["a", "#1", "#1"], ""),
        (["a", "#1", "#2", "#3", "#4"], ""),
    ],
)
def test_the_six_shapes_have_names_and_others_have_none(questions: list[str], name: str) -> None:
    assert dag.shape(hops(*questions)) == name


def test_edges_point_from_the_hop_whose_answer_is_used() -> None:
    assert dag.edges(hops("a", "#1", "c", "#3 #2")) == ((1, 2), (3, 4), (2, 4))


def test_it_names_references_that_cannot_be_earlier_hops() -> None:
    found = dag.problems(hops("#1", "#3 #0", "#7 #1"))
    assert [(bad.hop, bad.reference) for bad in found] == [(1, 1), (2, 3), (2, 0), (3, 7)]
    assert [bad.wrong for bad in found] == [
        "hop 1 refers to its own answer (#1)",
        "hop 2 refers to the later hop #3",
        "hop 2 refers to #0, but there are 3 hops",
        "hop 3 refers to #7, but there are 3 hops",
    ]


@pytest.mark.parametrize("name", dag.SHAPES)
def test_a_drawing_has_every_hop_in_a_place_of_its_own_and_edges_going_on(name: str) -> None:
    edges = dag.SHAPES[name]
    places = dag.layout(edges, int(name[0]))
    assert len(set(places)) == int(name[0])
    assert all(places[j - 1][0] < places[i - 1][0] for j, i in edges)


def test_a_drawing_puts_parallel_hops_under_each_other() -> None:
    assert dag.layout(dag.SHAPES["4hop3"], 4) == ((0, 0), (1, 0), (0, 1), (2, 0))


@given(st.lists(st.text("#0123 ab", max_size=8), max_size=6))
def test_every_reference_is_an_edge_or_a_problem(questions: list[str]) -> None:
    them = hops(*questions)
    bad = {(found.reference, found.hop) for found in dag.problems(them)}
    every = {(k, i) for i, hop in enumerate(them, 1) for k in dag.references(hop.question)}
    assert set(dag.edges(them)) | bad == every
    assert not set(dag.edges(them)) & bad
    assert len(dag.depths(dag.edges(them), len(them))) == len(them)


def test_the_shape_of_every_real_decomposition_is_the_one_in_its_id() -> None:
    lines = shared_data("musique_ans_dev_decompositions_1600.jsonl").read_text(encoding="utf-8").splitlines()
    for record in map(json.loads, lines):
        steps = [Hop(step["question"], step["answer"]) for step in record["question_decomposition"]]
        assert dag.shape(steps) == record["id"].split("__")[0]
        assert dag.problems(steps) == ()
