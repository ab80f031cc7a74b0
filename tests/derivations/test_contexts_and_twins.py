"""Contexts and unanswerable twins: sizes, supports, and that no answer leaks where it must not."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.derivations.unanswerable_twins import forms
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.derivations.context_building import every_answer, query, with_context
from annotation.pure.text.bm25 import Pool
from annotation.pure.text.spans import mentions
from tests.derivations.sources import MUSIQUE_ANS, Listed, derived, graphs, made, real
from tests.long_forms import examples

SEEDS = st.integers(0, 10_000)


@cache
def world() -> tuple[Example, ...]:
    return tuple(graphs(60, seed=4))


@cache
def pool() -> Pool:
    return Pool(paragraph for example in world() for paragraph in example.paragraphs)


def texts(example: Example) -> list[tuple[str, str]]:
    return [(paragraph.title, paragraph.text) for paragraph in example.paragraphs]


def at_hops(example: Example) -> list[tuple[str, str] | None]:
    """The paragraph that each hop points to."""
    return [None if hop.support is None else texts(example)[hop.support] for hop in example.hops]


def assert_in_context(before: Example, after: Example, *, size: int) -> None:
    assert len(after.paragraphs) == size == len(set(texts(after)))
    assert at_hops(after) == at_hops(before)
    assert {texts(after)[at] for at in after.supports or ()} == {texts(before)[at] for at in before.supports or ()}
    assert (after.id, after.question, after.answer) == (before.id, before.question, before.answer)
    assert [(hop.question, hop.answer, hop.id) for hop in after.hops] == [
        (hop.question, hop.answer, hop.id) for hop in before.hops
    ]


@settings(max_examples=examples(15, soak=60), deadline=None)
@given(st.integers(0, 59), SEEDS, st.integers(4, 40))
def test_a_context_has_the_size_asked_and_all_supports(number: int, seed: int, size: int) -> None:
    example = world()[number]
    found = with_context(example, pool(), size=size, rng=random.Random(seed))
    assert_in_context(example, found, size=size)
    assert found == with_context(example, pool(), size=size, rng=random.Random(seed))


@pytest.mark.parametrize("number", range(60))
def test_no_answer_of_any_hop_is_in_the_query(number: int) -> None:
    example = world()[number]
    asked = query(example)
    assert "#" not in asked
    assert not [hop.answer for hop in example.hops if list(mentions(hop.answer, asked))]


def test_a_query_hides_inflected_answers_and_aliases() -> None:
    hops = (
        Hop("Who is Quill?", "the Poet", 0),
        Hop("Which poets' land is #1's, Farrow or Isle of Farrow?", "Farrow", 0),
    )
    example = Example(id="1", question="?", paragraphs=(Paragraph("", ""),), answers=("Farrow", "the isle"), hops=hops)
    assert query(example).split() == ["Who", "is", "Quill?", "Which", "'", "land", "is", "'s,", "or", "of", "?"]


def test_distractors_are_those_that_look_most_like_the_question() -> None:
    hops = (Hop("Which mine yields tin?", "Farrow", 0), Hop("Who owns #1 ?", "Quill", 1))
    example = Example(id="1", question="?", paragraphs=(Paragraph("F", "Farrow"), Paragraph("Q", "Quill")), hops=hops)
    near = [Paragraph("a", "mine of tin"), Paragraph("b", "she owns it")]
    far = [Paragraph(str(n), f"nothing {n}") for n in range(20)]
    found = with_context(example, Pool([*far, *near, Paragraph("c", "Farrow Quill")]), size=4, rng=random.Random(0))
    assert set(found.paragraphs) == {*example.paragraphs, *near}


def test_equal_supports_become_one_and_none_comes_back_as_a_distractor() -> None:
    twice = Paragraph("F", "Farrow is Quill's.")
    hops = (Hop("Which?", "Farrow", 0), Hop("Whose is #1 ?", "Quill", 1))
    example = Example(id="1", question="?", paragraphs=(twice, twice), supports=(0, 1), hops=hops)
    others = [Paragraph("Other title", "Farrow  is Quill's."), Paragraph("G", "Whose?"), Paragraph("H", "Which?")]
    found = with_context(example, Pool(others), size=3, rng=random.Random(0))
    assert sorted(p.title for p in found.paragraphs) == ["F", "G", "H"]
    assert found.supports == (found.hops[0].support,) == (found.hops[1].support,)


def test_sentence_facts_follow_their_paragraphs() -> None:
    example = replace(world()[0], facts=((0, 0), (1, 0)))
    found = with_context(example, pool(), size=15, rng=random.Random(1))
    assert found.facts
    assert {texts(found)[at] for at, _ in found.facts} == set(texts(example)[:2])


def test_aliases_that_the_context_does_not_state_are_put_aside() -> None:
    example = replace(world()[0], answers=(*world()[0].answers, "Nowhere at all", "harbour"))
    found = with_context(example, pool(), size=15, rng=random.Random(1))
    assert found.answers == (*world()[0].answers, "harbour")
    assert every_answer(found) == (*world()[0].answers, "harbour", "Nowhere at all")


def test_it_derives_the_same_contexts_from_the_same_seed_only() -> None:
    source = Listed(world())
    assert made("contexts", source, seed=1) == made("contexts", source, seed=1)
    assert made("contexts", source, seed=1) != made("contexts", source, seed=2)


def test_the_report_says_what_could_not_be_put_into_a_context() -> None:
    gone = replace(world()[0], hops=(replace(world()[0].hops[0], support=None), *world()[0].hops[1:]))
    source = Listed([world()[1], gone, replace(world()[2], hops=())])
    found, tally = derived("contexts", source, paragraphs=50)
    assert [example.id for _, example in found] == ["g1"]
    assert (tally.read, tally.kept) == (3, 1)
    assert dict(tally.dropped) == {"the paragraph of a hop is not in its context": 1, "it has no decomposition": 1}
    assert tally.figures["shorter contexts"] == 1
    tight = next(example for example in world() if len(example.hops) == 4)
    _, tally = derived("contexts", Listed([tight]), paragraphs=3)
    assert dict(tally.dropped) == {"it has more supporting paragraphs than the context may hold": 1}


def test_the_pool_can_be_other_datasets() -> None:
    wiki = [Example(id=str(n), question="?", paragraphs=(Paragraph(f"W{n}", f"harbour {n}"),)) for n in range(30)]
    source = Listed(world()[:3], others={"wiki": wiki})
    found, tally = derived("contexts", source, pool=" wiki ,", paragraphs=12)
    assert tally.figures["pool"] == {"datasets": ["wiki"], "paragraphs": 30}
    for _, example in found:
        added = set(texts(example)) - {texts(example)[at] for at in example.supports or ()}
        assert all(title.startswith("W") for title, _ in added)
    assert not made("contexts", Listed(world()[:3], others={"wiki": wiki}), pool="wiki", paragraphs=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paragraphs": 0}, "paragraphs"),
        ({"pool": "nowhere"}, "no dataset nowhere"),
        ({"shortest": 500}, "name another pool"),
        ({"longest": -1}, "longest"),
    ],
)
def test_it_refuses_options_that_do_not_fit(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        derived("contexts", Listed(world()[:3]), **options)


@cache
def in_contexts() -> tuple[Example, ...]:
    return tuple(made("contexts", Listed(world()), seed=1, paragraphs=12))


def says(example: Example, answer: str) -> bool:
    """An answer as whole words in any case, anywhere in the context; on its own, without the product's code."""
    plain = r"\s+".join(map(re.escape, answer.split()))
    return any(re.search(rf"\b{plain}\b", f"{title}\n{text}", re.I) for title, text in texts(example))


def assert_twins(one: Example, other: Example) -> None:
    assert (one.answerable, other.answerable) == (True, False)
    assert (one.id, one.group, one.question, one.answer) == (other.id, other.group, other.question, other.answer)
    assert one.group
    assert len(one.paragraphs) == len(other.paragraphs) == len(set(texts(other)))
    gone = [hop for hop, place in enumerate(at_hops(other)) if place is None]
    assert gone
    assert any(not any(says(other, form) for form in forms(one, hop)) for hop in gone)
    assert set(other.supports or ()) == {hop.support for hop in other.hops} - {None}
    assert all(there in (None, before) for there, before in zip(at_hops(other), at_hops(one), strict=True))
    assert all(at_hops(one)[hop] not in texts(other) for hop in gone)


@pytest.mark.parametrize("seed", range(5))
def test_no_paragraph_of_a_twin_holds_the_answer_that_was_taken_out(seed: int) -> None:
    found, tally = derived("unanswerable-twins", Listed(in_contexts()), seed=seed)
    examples = [example for _, example in found]
    for one, other in zip(examples[::2], examples[1::2], strict=True):
        assert_twins(one, other)
    assert tally.kept == len(found) / 2 == tally.figures["twins"] > 50
    assert examples == made("unanswerable-twins", Listed(in_contexts()), seed=seed)


def test_any_hop_may_be_the_one_that_loses_its_answer() -> None:
    lost = set()
    for seed in range(8):
        for example in made("unanswerable-twins", Listed(in_contexts()), seed=seed)[1::2]:
            lost |= {at for at, hop in enumerate(example.hops) if hop.support is None}
    assert lost == {0, 1, 2, 3}


def test_the_twin_keeps_what_it_can_of_the_context() -> None:
    for one, other in zip(*[iter(made("unanswerable-twins", Listed(in_contexts())))] * 2, strict=True):
        assert len(set(texts(one)) & set(texts(other))) >= 6


def test_an_alias_that_was_put_aside_does_not_come_back() -> None:
    hops = (Hop("Which isle?", "Farrow", 0), Hop("Who owns #1 ?", "Quill", 1))
    paragraphs = (Paragraph("F", "Farrow"), Paragraph("Q", "Quill owns"))
    example = Example(id="1", question="?", paragraphs=paragraphs, answers=("Quill", "Ada"), supports=(0, 1), hops=hops)
    others = [Paragraph("x", "Ada owns it"), *(Paragraph(str(n), f"it owns {n}") for n in range(9))]
    [asked] = made("contexts", Listed([example], others={"p": of(others[1:])}), pool="p", paragraphs=5)
    for seed in range(10):
        twin = made("unanswerable-twins", Listed([asked], others={"p": of(others)}), seed=seed, pool="p")[1]
        assert twin.hops[1].support is not None or not says(twin, "Ada")


def of(paragraphs: list[Paragraph]) -> list[Example]:
    return [Example(id=str(n), question="?", paragraphs=(each,)) for n, each in enumerate(paragraphs)]


def test_where_no_twin_can_be_built_the_example_is_dropped() -> None:
    source = Listed([in_contexts()[0], replace(in_contexts()[1], answerable=False), world()[2]])
    found, tally = derived("unanswerable-twins", source)
    reason = "the pool has too few paragraphs without the answer of any hop"
    assert tally.dropped["it is unanswerable already"] == 1
    assert tally.dropped[reason] + len(found) / 2 == 2
    lonely = Listed([world()[2]])
    _, tally = derived("unanswerable-twins", lonely)
    assert dict(tally.dropped) == {reason: 1}


def test_real_questions_get_contexts_and_twins_as_in_the_official_files() -> None:
    source = Listed(real(*MUSIQUE_ANS))
    contexts = made("contexts", source, seed=3)
    assert len(contexts) == 190
    twins, tally = derived("unanswerable-twins", Listed(contexts, others={"all": real(*MUSIQUE_ANS)}), pool="all")
    assert not tally.dropped
    examples = [example for _, example in twins]
    for one, other in zip(examples[::2], examples[1::2], strict=True):
        assert_twins(one, other)
    assert all(len(example.paragraphs) == 20 for example in examples)
