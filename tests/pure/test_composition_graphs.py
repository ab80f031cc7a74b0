"""Graphs of two to four hops: the candidates, what makes one of them a graph, and the choice."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.data import dag
from annotation.pure.data.example import Hop, Paragraph
from annotation.pure.derivations.composable_pairs import Index
from annotation.pure.derivations.composition_graphs import Caps, Choice, Drafting, Graph, GraphRequest, Limits, choose
from annotation.pure.derivations.question_network import Network, candidates
from annotation.pure.derivations.single_hop import Single
from annotation.pure.text.masking import resolved
from annotation.pure.text.named_entities import PlainCheck
from tests.long_forms import examples
from tests.shared_data import shared_data

EQUAL = dict.fromkeys(dag.SHAPES, 1.0)
FREE = Caps(0, 0)
TOWNS = ["Ayr", "Skarrow", "Quill", "Ostervell", "Maud Finch", "Tib Reed", "Ned Oake"]


def single(key: str, question: str, answer: str, paragraph: str = "") -> Single:
    return Single(key, question, (answer,), Paragraph(paragraph or key, "Some text."))


def network(singles: list[Single]) -> Network:
    index = Index(singles, PlainCheck())
    return Network(index.singles, index.pairs(seed=0, dropped=Counter()))


def made(singles: list[Single], *, limits: Limits | None = None, caps: Caps = FREE, **request: object) -> Choice:
    net = network(singles)
    wished = GraphRequest(**{"shares": EQUAL, **request})  # type: ignore[arg-type]
    return choose(net, Drafting(net, limits or Limits.none()), request=wished, caps=caps, seed=0)


def ids(singles: list[Single], **result: object) -> list[str]:
    net = network(singles)
    drafting = Drafting(net, Limits.none())
    return [drafting.example(graph).id for graph in made(singles, **result).graphs]  # type: ignore[arg-type]


CHAIN = [
    single("1", "Where was the smith born?", "Ayr"),
    single("2", "Who founded Ayr?", "Maud Finch"),
    single("3", "Which ship did Maud Finch sail?", "Seventh Daughter"),
    single("4", "When did the Seventh Daughter burn?", "1790"),
]
MEETING = [
    single("1", "Where was the smith born?", "Ayr"),
    single("2", "Where was the potter born?", "Skarrow"),
    single("3", "Which ferry runs from Skarrow to Ayr?", "Good Ewe"),
    single("4", "When did the Good Ewe sink?", "1790"),
]
FORK = [
    single("1", "Where was the smith born?", "Ayr"),
    single("2", "Who founded Ayr?", "Maud Finch"),
    single("3", "Who was the first potter?", "Tib Reed"),
    single("4", "Which ship did Maud Finch and Tib Reed sail?", "Good Ewe"),
]


@pytest.mark.parametrize(
    ("singles", "found"),
    [
        (CHAIN[:2], ["2hop__1_2"]),
        (CHAIN[:3], ["3hop1__1_2_3"]),
        (CHAIN, ["4hop1__1_2_3_4"]),
        (MEETING[:3], ["3hop2__2_1_3"]),  # in the order of their mention
        ([MEETING[1], MEETING[0], MEETING[2]], ["3hop2__2_1_3"]),
        (MEETING, ["4hop2__2_1_3_4"]),
        (FORK, ["4hop3__1_2_3_4"]),
    ],
)
def test_the_largest_graph_takes_the_place_of_those_in_it(singles: list[Single], found: list[str]) -> None:
    assert ids(singles) == found


def test_the_hops_refer_to_each_other_as_the_shape_says() -> None:
    net = network(FORK)
    (graph,) = made(FORK).graphs
    example = Drafting(net, Limits.none()).example(graph)
    assert [hop.question for hop in example.hops] == [
        "Where was the smith born?",
        "Who founded #1?",
        "Who was the first potter?",
        "Which ship did #2 and #3 sail?",
    ]
    assert [hop.id for hop in example.hops] == [1, 2, 3, 4]
    assert (example.question, example.answers, example.supports) == ("", ("Good Ewe",), (0, 1, 2, 3))
    assert example.paragraphs == tuple(one.paragraph for one in FORK)
    assert example.group == example.id
    assert not example.extra


@pytest.mark.parametrize(
    ("last", "why"),
    [
        (single("3", "Which ship did Maud Finch sail?", "Ayr"), "two hops have the same answer"),
        (single("3", "Which ship did Maud Finch of Ayr sail?", "Good Ewe"), "a question mentions the answer"),
        (single("3", "Which ship did Maud Finch sail?", "The smith"), "a question mentions the answer"),
        (single("3", "Which ship did Maud Finch sail?", "Good Ewe", "1"), "two hops have the same paragraph"),
        (single("3", "Which ship did Maud Finch  sail?", "Good Ewe"), ""),
    ],
)
def test_a_chain_that_closes_or_gives_an_answer_away_is_no_graph(last: Single, why: str) -> None:
    net = Network([*CHAIN[:2], last], [(0, 1), (1, 2)])
    fault = Drafting(net, Limits.none()).fault(Graph("3hop1", (0, 1, 2)))
    assert fault.startswith(why)
    assert bool(fault) == bool(why)


def test_lengths_are_counted_with_references_as_one_token() -> None:
    net = network(CHAIN)
    pair, chain = Graph("2hop", (1, 2)), Graph("4hop1", (0, 1, 2, 3))
    assert not Drafting(net, Limits(6, {2: 9})).fault(pair)  # "Who founded Ayr?", "Which ship did #1 sail?"
    assert Drafting(net, Limits(4, {2: 9})).fault(pair) == "a hop has more than 4 tokens"
    assert Drafting(net, Limits(6, {2: 7})).fault(pair) == "2 hops have more than 7 tokens"
    assert not Drafting(net, Limits(0, {4: 18})).fault(chain)
    assert Drafting(net, Limits(0, {4: 17})).fault(chain) == "4 hops have more than 17 tokens"
    assert Limits() == Limits(10, {2: 15, 3: 15, 4: 20})


def star(heads: int, tails: int) -> list[Single]:
    asked = [single(f"{k}", f"Where was number {k} born?", "Ayr") for k in range(heads)]
    return asked + [single(f"{heads + k}", f"Who was founder {k} of Ayr?", f"{1600 + k}") for k in range(tails)]


def test_an_entity_and_a_question_are_in_no_more_graphs_than_they_may() -> None:
    assert len(made(star(6, 6), caps=Caps(25, 100)).graphs) == 25
    found = made(star(6, 6), caps=Caps(0, 2)).graphs
    assert max(Counter(node for graph in found for node in graph.nodes).values()) == 2
    assert len(made(star(6, 6)).graphs) == 36


def test_the_mix_is_kept_as_far_as_the_candidates_go() -> None:
    towns = [
        one
        for k in range(20)
        for one in (
            single(f"{k}1", f"Where was smith {k} born?", f"Ayr{'abcdefghijklmnopqrst'[k]}"),
            single(f"{k}2", f"Who founded Ayr{'abcdefghijklmnopqrst'[k]}?", f"Maud{'abcdefghijklmnopqrst'[k]}"),
            single(f"{k}3", f"When did Maud{'abcdefghijklmnopqrst'[k]} die?", f"{1700 + k}"),
        )
    ]
    found = made(towns, count=12, shares={"2hop": 3.0, "3hop1": 1.0, "4hop2": 5.0}).graphs
    assert Counter(graph.shape for graph in found) == {"2hop": 9, "3hop1": 3}
    assert {graph.shape for graph in made(towns, shares={"3hop1": 1.0}).graphs} == {"3hop1"}


def test_a_look_at_part_of_the_candidates_says_so() -> None:
    choice = made(star(20, 20), looks=50)
    assert (choice.candidates["2hop"], choice.looked_at["2hop"], len(choice.graphs)) == (400, 50, 50)


def test_every_candidate_is_as_likely() -> None:
    net = network(star(4, 5))
    counts: Counter[tuple[int, ...]] = Counter()
    for seed in range(600):
        request = GraphRequest({"2hop": 1.0}, count=5)
        counts.update(
            g.nodes for g in choose(net, Drafting(net, Limits.none()), request=request, caps=FREE, seed=seed).graphs
        )
    assert len(counts) == 20
    assert all(90 < count < 215 for count in counts.values())  # 150 expected


EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda e: e[0] != e[1]), max_size=24)


@given(EDGES, st.lists(st.sampled_from(TOWNS), min_size=8, max_size=8))
@settings(max_examples=examples(15, soak=60), deadline=None)
def test_the_candidates_are_all_there_are_each_once(pairs: list[tuple[int, int]], answers: list[str]) -> None:
    net = Network([single(str(k), f"Question {k}?", answer) for k, answer in enumerate(answers)], pairs)
    for shape, edges in dag.SHAPES.items():
        listed = candidates(net, shape)
        found = [listed.at(number) for number in range(listed.size)]
        assert len(found) == len(set(found))
        assert {canonical(shape, nodes) for nodes in found if len(set(nodes)) == len(nodes)} == {
            canonical(shape, nodes)
            for nodes in permutations(range(8), int(shape[0]))
            if all((nodes[j - 1], nodes[i - 1]) in pairs for j, i in edges) and parents_differ(edges, nodes, answers)
        }


def canonical(shape: str, nodes: tuple[int, ...]) -> tuple[int, ...]:
    """Two hops that meet have no order of their own."""
    return (*sorted(nodes[:2]), *nodes[2:]) if shape in ("3hop2", "4hop2") else nodes


def parents_differ(edges: tuple[tuple[int, int], ...], nodes: tuple[int, ...], answers: list[str]) -> bool:
    parents = Counter((i, answers[nodes[j - 1]]) for j, i in edges)
    return max(parents.values()) == 1


SINGLES = st.lists(
    st.tuples(st.sampled_from(TOWNS), st.sampled_from([*TOWNS, ""]), st.sampled_from(TOWNS), st.integers(0, 9)),
    min_size=3,
    max_size=14,
).map(
    lambda rows: [
        single(str(k), f"Did {a} see {b} in year {k}?" if b else f"Who saw {a} in {k}?", answer, str(p))
        for k, (a, b, answer, p) in enumerate(rows)
    ]
)


@given(SINGLES, st.integers(0, 3), st.integers(0, 4), st.integers(0, 12))
@settings(max_examples=examples(20, soak=100), deadline=None)
def test_what_holds_for_all_choices(singles: list[Single], entity: int, question: int, count: int) -> None:
    net = network(singles)
    caps, drafting = Caps(entity, question), Drafting(net, Limits(8, {2: 14, 3: 18, 4: 24}))
    choice = choose(net, drafting, request=GraphRequest(EQUAL, count), caps=caps, seed=1)
    examples = [drafting.example(graph) for graph in choice.graphs]
    assert sum(choice.looked_at.values()) == len(examples) + sum(choice.dropped.values())
    assert not count or len(examples) <= count
    uses, bridges = Counter[str](), Counter[str]()
    for example in examples:
        edges = dag.edges(example.hops)
        assert dag.shape(example.hops) == example.shape == example.id.partition("__")[0]
        assert set(edges) == set(dag.SHAPES[example.shape])
        assert len(set(example.paragraphs)) == len(example.hops)
        uses.update(str(hop.id) for hop in example.hops)
        bridges.update({example.hops[j - 1].answer for j, _ in edges})
        for place, hop in enumerate(example.hops):
            assert not any(later.answer in hop.question for later in example.hops[place + 1 :])
    assert not entity or max(bridges.values(), default=0) <= entity
    assert not question or max(uses.values(), default=0) <= question
    nodes = [frozenset(graph.nodes) for graph in choice.graphs]
    assert not any(one <= other for k, one in enumerate(nodes) for m, other in enumerate(nodes) if k != m)
    assert choose(net, drafting, request=GraphRequest(EQUAL, count), caps=caps, seed=1).graphs == choice.graphs


def test_released_decompositions_are_candidates_and_graphs() -> None:
    lines = shared_data("musique_ans_dev_decompositions_1600.jsonl").read_text(encoding="utf-8").splitlines()
    singles: dict[int, Single] = {}
    steps: list[tuple[str, list[Hop]]] = []
    for record in map(json.loads, lines):
        hops = [Hop(step["question"], step["answer"], 0, step["id"]) for step in record["question_decomposition"]]
        for hop, step in zip(hops, record["question_decomposition"], strict=True):
            found = single(str(hop.id), resolved(hop.question, hops), hop.answer, step["document_id"])
            singles.setdefault(step["id"], found)
        steps.append((record["id"].partition("__")[0], hops))
    places = {key: place for place, key in enumerate(singles)}
    edges = [(places[h[j - 1].id], places[h[i - 1].id]) for _, h in steps for j, i in dag.edges(h)]  # type: ignore[index]
    net = Network(list(singles.values()), edges)
    listed = {shape: candidates(net, shape) for shape in dag.SHAPES}
    known = {s: {canonical(s, c.at(k)) for k in range(c.size)} for s, c in listed.items()}
    graphs = [Graph(shape, tuple(places[hop.id] for hop in hops)) for shape, hops in steps]  # type: ignore[index]
    assert all(canonical(graph.shape, graph.nodes) in known[graph.shape] for graph in graphs)
    faults = Counter(Drafting(net, Limits.none()).fault(graph) for graph in graphs)
    # The rest share a hop by its id but write its mention otherwise ("South-East Asia", "Southeast Asia").
    assert faults[""] >= 0.99 * len(graphs)
