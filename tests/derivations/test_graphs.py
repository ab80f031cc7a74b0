"""From single-hop questions to pairs to graphs, as the command goes."""

from __future__ import annotations

import pytest

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive
from annotation.derivations.graphs import ComposablePairs, Graphs
from annotation.derivations.singlehop import SingleHop
from annotation.pure.data import dag
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.setting_fields import InvalidValues
from tests.derivations.listed import Listed, derived, real
from tests.single_hops import singlehop_examples


def question(key: str, asked: str, answer: str) -> Example:
    return Example(id=key, question=asked, paragraphs=(Paragraph(key, "Text."),), answers=(answer,), supports=(0,))


CHAIN = [
    question("1", "Where was the smith born?", "Ayr"),
    question("2", "Who founded Ayr?", "Maud Finch"),
    question("3", "Which ship did Maud Finch sail?", "Good Ewe"),
]
LONG = [
    question("1", "In which of the towns of the island was the smith born?", "Ayr"),
    question("2", "Who founded Ayr?", "Maud Finch"),
]


def graphs(questions: list[Example], **options: object) -> list[str]:
    pairs, _ = derived(ComposablePairs(), Listed(questions))
    return [graph.id for graph in derived(Graphs(), Listed(pairs), **options)[0]]


def test_the_three_steps_are_known_by_name() -> None:
    assert {"singlehop", "composable-pairs", "graphs"} <= set(DERIVATIONS)


def test_graphs_come_out_of_pairs_and_out_of_single_hop_questions() -> None:
    assert graphs(CHAIN) == ["3hop1__1_2_3"]
    found, tally = derived(Graphs(), Listed(CHAIN))
    assert [graph.id for graph in found] == ["3hop1__1_2_3"]
    assert tally.figures["shapes"]["2hop"] == {"candidates": 2, "looked_at": 2, "graphs": 0}
    assert tally.figures["pairs"] == 2


def test_a_tail_that_has_two_heads_gets_two_references() -> None:
    meeting = [
        question("1", "Where was the smith born?", "Ayr"),
        question("2", "Where was the potter born?", "Skarrow"),
        question("3", "Which ferry runs from SKARROW to Ayr?", "Good Ewe"),
    ]
    pairs, _ = derived(ComposablePairs(), Listed(meeting))
    bare = [Example.from_json(pair.as_json() | {"extra": {}}) for pair in pairs]
    for given in (pairs, bare):
        ((graph,), _) = derived(Graphs(), Listed(given), three_hop_tokens=0)
        assert (graph.id, graph.hops[2].question) == ("3hop2__2_1_3", "Which ferry runs from #1 to #2?")


def test_pairs_that_people_found_to_differ_are_left_out_and_counted() -> None:
    pairs, _ = derived(ComposablePairs(), Listed(CHAIN))
    known = {"1": ["different"], "2": ["same"]}
    checked = [
        Example.from_json(pair.as_json() | {"extra": {**pair.extra, "known_bridges": known[str(pair.hops[0].id)]}})
        for pair in pairs
    ]
    found, tally = derived(Graphs(), Listed(checked))
    assert [graph.id for graph in found] == ["2hop__2_3"]
    assert tally.dropped == {"people found that the pair's mentions mean different entities": 1}
    assert tally.figures["pairs"] == 1


def test_the_papers_limits_hold_except_for_musiques_own_questions() -> None:
    pairs, _ = derived(ComposablePairs(), Listed(LONG))
    assert derived(Graphs(), Listed(pairs))[1].dropped == {"a hop has more than 10 tokens": 1}
    assert derived(Graphs(), Listed(pairs, "musique"))[0]
    assert derived(Graphs(), Listed(pairs), hop_tokens=0)[0]
    assert not derived(Graphs(), Listed(pairs, "musique"), two_hop_tokens=14)[0]


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"mix": "5hop=1"}, "is no share"),
        ({"mix": "2hop"}, "is no share"),
        ({"mix": "2hop=-1"}, "is no share"),
        ({"mix": "2hop=nan"}, "is no share"),
        ({"mix": "2hop=0"}, "no shape at all"),
        ({"count": -1}, "count"),
        ({"hop_tokens": -2}, "hop_tokens"),
    ],
)
def test_an_odd_option_is_named(options: dict[str, object], wrong: str) -> None:
    with pytest.raises(InvalidValues, match=wrong):
        graphs(CHAIN, **options)


def test_the_mix_says_which_shapes_are_made() -> None:
    assert graphs(CHAIN, mix="2hop=1, 3hop2=2", count=1) in (["2hop__1_2"], ["2hop__2_3"])


def test_other_records_are_refused_with_what_would_be_right() -> None:
    three = Example(id="x", question="?", paragraphs=(), answers=("a",))
    with pytest.raises(CannotDerive, match=r"x is no single-hop question: there is no paragraph\. Derive with"):
        derived(ComposablePairs(), Listed([three]))
    graph, _ = derived(Graphs(), Listed(CHAIN))
    with pytest.raises(CannotDerive, match="is neither a pair nor a single-hop question"):
        derived(Graphs(), Listed(graph))
    with pytest.raises(CannotDerive, match="two questions have the id 1"):
        derived(ComposablePairs(), Listed([CHAIN[0], CHAIN[0]]))
    with pytest.raises(InvalidValues, match="per_entity"):
        derived(ComposablePairs(), Listed(CHAIN), per_entity=-1)


def sound(found: list[Example]) -> None:
    """What holds for every graph, whatever it was made of."""
    assert len({graph.id for graph in found}) == len(found)
    for graph in found:
        assert set(dag.edges(graph.hops)) == set(dag.SHAPES[graph.shape])
        assert graph.id == f"{graph.shape}__{'_'.join(str(hop.id) for hop in graph.hops)}"
        assert [hop.support for hop in graph.hops] == list(range(len(graph.hops)))
        assert len(set(graph.paragraphs)) == len(graph.hops)
        assert graph.answer == graph.hops[-1].answer


def test_the_demo_gives_graphs_of_all_shapes_the_same_each_time() -> None:
    pairs, tally = derived(ComposablePairs(), Listed(singlehop_examples()), seed=1)
    assert tally.figures["candidates"] == tally.kept + tally.dropped.total()
    found, _ = derived(Graphs(), Listed(pairs), seed=1, hop_tokens=0, three_hop_tokens=0, four_hop_tokens=0)
    sound(found)
    assert {graph.shape for graph in found} == set(dag.SHAPES)
    again, _ = derived(Graphs(), Listed(pairs), seed=1, hop_tokens=0, three_hop_tokens=0, four_hop_tokens=0)
    assert [graph.as_json() for graph in again] == [graph.as_json() for graph in found]
    other, _ = derived(Graphs(), Listed(pairs), seed=2, hop_tokens=0, three_hop_tokens=0, four_hop_tokens=0)
    assert other != found


def test_real_decompositions_give_their_own_pairs_and_graphs_again() -> None:
    source = real("musique", "musique_ans_dev_130.jsonl", "musique_ans_train_60.jsonl")
    questions, _ = derived(SingleHop(), source)
    pairs, _ = derived(ComposablePairs(), Listed(questions, "musique"))
    edges = {
        (example.hops[j - 1].id, example.hops[i - 1].id)
        for example in source.examples()
        for j, i in dag.edges(example.hops)
    }
    assert len(edges) == 241
    assert len(edges & {(pair.hops[0].id, pair.hops[1].id) for pair in pairs}) >= 239
    found, _ = derived(Graphs(), Listed(pairs, "musique"), entity_graphs=0, question_graphs=0)
    sound(found)
    own = {example.id for example in source.examples() if example.shape.startswith("4hop")}
    assert len(own & {graph.id for graph in found}) >= len(own) - 1


def test_real_squad_questions_give_pairs_and_graphs() -> None:
    questions, _ = derived(SingleHop(), real("squad", "squad_dev_v2.0_5_articles.json"))
    pairs, tally = derived(ComposablePairs(), Listed(questions, "squad"))
    assert 450 < len(pairs) < 650
    assert tally.dropped["both questions are about the same paragraph"] > 50
    found, _ = derived(Graphs(), Listed(pairs, "squad"))
    sound(found)
    assert all(len(hop.question.split()) <= 10 for graph in found for hop in graph.hops)
    unlimited = derived(
        Graphs(), Listed(pairs, "squad"), hop_tokens=0, two_hop_tokens=0, three_hop_tokens=0, four_hop_tokens=0
    )
    sound(unlimited[0])
    assert len(unlimited[0]) > len(found) > 0
