"""Pairs of single-hop questions: what makes one, and how many are drawn."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.data import dag
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.bridges import entity_key, folded, mentions
from annotation.pure.derivations.composable_pairs import Index, Pair
from annotation.pure.derivations.single_hop import Single
from annotation.pure.statistics.random_draws import shuffled
from annotation.pure.text.named_entities import PlainCheck
from tests.long_forms import examples

NAMES = ["Ayr", "Port Ayr", "Skarrow", "the Skarrows", "Quill", "1688", "yes", "herring"]


def single(number: int, question: str, answer: str, paragraph: str = "") -> Single:
    return Single(str(number), question, (answer,), Paragraph(f"P{paragraph or number}", "Some text."))


def pairs(singles: list[Single], *, seed: int = 0, per_entity: int = 1000) -> tuple[list[Example], Counter[str]]:
    index, dropped = Index(singles, PlainCheck()), Counter[str]()
    return [index.example(p) for p in index.pairs(seed=seed, dropped=dropped, per_entity=per_entity)], dropped


def test_a_pair_leads_from_the_answer_to_its_mention() -> None:
    head = single(5, "Where was Ottoline born?", "Ayr")
    tail = Single("8", "Who founded Ayr?", ("Maud", "Old Maud"), Paragraph("Ayr", "Maud did."))
    (pair,), dropped = pairs([tail, head])
    assert not dropped
    assert (pair.id, pair.group, pair.shape, pair.question) == ("5_8", "5_8", "2hop", "")
    assert [hop.as_json() for hop in pair.hops] == [
        {"question": "Where was Ottoline born?", "answer": "Ayr", "support": 0, "id": 5},
        {"question": "Who founded #1?", "answer": "Maud", "support": 1, "id": 8},
    ]
    assert pair.paragraphs == (head.paragraph, tail.paragraph)
    assert (pair.answers, pair.supports) == (("Maud", "Old Maud"), (0, 1))
    assert pair.extra == {"entity": "Ayr", "tail_question": "Who founded Ayr?"}


def test_what_is_no_pair_is_counted_with_its_reason() -> None:
    found, dropped = pairs(
        [
            single(1, "Where was Ottoline born?", "Ayr", "a"),
            single(2, "Who founded Ayr?", "Maud Finch", "a"),
            single(3, "Who left Ayr?", "Ottoline", "b"),
            single(4, "Which town calls itself Ayr?", "Ayr", "c"),
        ]
    )
    assert not [pair for pair in found if pair.extra["entity"] == "Ayr" and pair.id.startswith("1_")]
    assert dropped["both questions are about the same paragraph"] == 2
    assert dropped["the tail's answer is in the head's question"] == 2  # 1 and 3 in both directions
    assert dropped["the tail's answer is the bridge entity"] == 1


def test_questions_with_references_of_their_own_are_left_out() -> None:
    index = Index([single(1, "Who met #1?", "Ayr"), single(2, "Who left Ayr?", "Maud")], PlainCheck())
    assert [s.id for s in index.singles] == ["2"]
    assert index.refused["the question has a #k of its own"] == 1


def test_the_longest_entity_takes_the_mention() -> None:
    singles = [
        single(1, "Where was the smith born?", "Ayr"),
        single(2, "Where was the potter born?", "Port Ayr"),
        single(3, "who founded port ayr?", "Maud"),
        single(4, "who went from port ayr to ayr?", "Tib"),
    ]
    assert {pair.id for pair in pairs(singles)[0]} == {"2_3", "2_4"}
    index = Index(singles, PlainCheck(), nested=True)
    assert {index.example(pair).id for pair in index.pairs(seed=0, dropped=Counter())} == {"1_3", "2_3", "2_4", "1_4"}


def test_a_check_of_ones_own_has_the_last_word() -> None:
    class Sceptic(PlainCheck):
        def same(self, head: Single, tail: Single) -> bool:
            return head.id == "1"

    singles = [single(k, f"Where was number {k} born?", "Ayr") for k in (1, 2)]
    index, dropped = Index([*singles, single(3, "Who founded Ayr?", "Maud")], Sceptic()), Counter[str]()
    assert [index.example(pair).id for pair in index.pairs(seed=0, dropped=dropped)] == ["1_3"]
    assert dropped == {"the check takes the mentions for different entities": 1}


def crowd(heads: int, tails: int) -> list[Single]:
    asked = [single(k, f"Where was number {k} born?", "Ayr") for k in range(heads)]
    return asked + [single(heads + k, f"Who was founder {k} of Ayr?", f"Maud {k}") for k in range(tails)]


def test_an_entity_has_no_more_pairs_than_it_may_and_the_rest_is_counted() -> None:
    found, dropped = pairs(crowd(30, 40), per_entity=100)
    assert len(found) == len({pair.id for pair in found}) == 100
    assert dropped == {"more pairs of the entity than wanted": 1100}
    assert len(pairs(crowd(30, 40), per_entity=0)[0]) == 1200


def test_the_seed_and_the_entity_alone_decide_the_sample() -> None:
    once, _ = pairs(crowd(30, 40), seed=3, per_entity=20)
    assert once == pairs(crowd(30, 40), seed=3, per_entity=20)[0]
    assert once != pairs(crowd(30, 40), seed=4, per_entity=20)[0]
    others = [single(1000, "Where was Ned born?", "Skarrow"), single(1001, "Who founded Skarrow?", "Tib")]
    assert once == [pair for pair in pairs(crowd(30, 40) + others, seed=3, per_entity=20)[0] if pair.id != "1000_1001"]


def test_every_pair_is_as_likely() -> None:
    counts = Counter(pair.id for seed in range(600) for pair in pairs(crowd(4, 5), seed=seed, per_entity=5)[0])
    assert len(counts) == 20
    assert all(90 < count < 215 for count in counts.values()), counts  # 150 expected


SINGLES = st.lists(
    st.tuples(
        st.sampled_from(["Who left {}?", "who left the {}s?", "{} >> capital", "Did {} meet {}?", "Who?"]),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.integers(0, 4),
    ),
    max_size=14,
).map(lambda rows: [single(k, q.format(m, m), a, str(p)) for k, (q, m, a, p) in enumerate(rows, 1)])


@given(SINGLES, st.integers(1, 4), st.integers(0, 3))
@settings(max_examples=examples(20, soak=100), deadline=None)
def test_what_holds_for_all_pairs(singles: list[Single], per_entity: int, seed: int) -> None:
    index, dropped = Index(singles, PlainCheck()), Counter[str]()
    found = list(index.pairs(seed=seed, dropped=dropped, per_entity=per_entity))
    assert len(found) + sum(dropped.values()) == sum(entity.candidates for entity in index.entities())
    assert max(Counter(index.keys[pair.head] for pair in found).values(), default=0) <= per_entity
    for pair in map(index.example, found):
        assert pair.paragraphs[0] != pair.paragraphs[1]
        assert dag.shape(pair.hops) == "2hop"
        assert not mentions(entity_key(pair.hops[0].answer), folded(pair.hops[1].question))
        assert not mentions(entity_key(pair.hops[1].answer), folded(pair.hops[0].question))


@given(SINGLES)
@settings(max_examples=examples(15, soak=60), deadline=None)
def test_the_automaton_finds_what_a_double_loop_finds(singles: list[Single]) -> None:
    check = PlainCheck(whole_names=False)
    index = Index(singles, check, nested=True)
    everything = {
        Pair(j, i)
        for j, head in enumerate(index.singles)
        for i, tail in enumerate(index.singles)
        if check.names(head) and mentions(entity_key(head.answer), folded(tail.question))
    }
    assert {Pair(j, i) for e in index.entities() for j in e.heads for i in e.tails} == everything


@given(st.integers(0, 60), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_a_shuffle_names_each_number_once(size: int, rng: object) -> None:
    assert sorted(shuffled(size, rng)) == list(range(size))  # type: ignore[arg-type]
