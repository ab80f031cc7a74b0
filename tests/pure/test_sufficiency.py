"""The transforms and probes of DiRe and NMF: sizes, labels and parts, for any context and any number of supports."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.derivations.support_removal import (
    TRANSFORMS,
    Context,
    Instance,
    TooSmall,
    bipartitions,
    expected_drop,
    nmf_probe,
    nmf_probe_of_transform,
    nmf_transform,
    numbers,
    pairs,
    probe,
    probe_of_transform,
    subsets,
    transform,
    trivial,
)


@st.composite
def contexts(draw: st.DrawFn) -> Context:
    """Contexts just large enough and larger, with 2 to 5 supports anywhere."""
    count = draw(st.integers(2, 5))
    size = draw(st.integers(2 * count - 1, 2 * count + 12))
    supports = draw(st.permutations(range(size)))[:count]
    return Context(size, tuple(sorted(supports)), draw(st.text(max_size=5)))


def missing(context: Context, instance: Instance) -> set[int]:
    return set(context.supports) - set(instance.kept)


@given(contexts())
def test_there_are_as_many_subsets_and_bipartitions_as_the_papers_count(context: Context) -> None:
    n = len(context.supports)
    assert len(set(subsets(context.supports))) == 2**n - 2
    parts = list(bipartitions(context.supports))
    assert len({frozenset(map(frozenset, pair)) for pair in parts}) == len(parts) == 2 ** (n - 1) - 1
    assert all(first and second and sorted(first + second) == list(context.supports) for first, second in parts)


@given(contexts())
def test_every_instance_keeps_positions_in_order_and_is_made_by_the_seed_alone(context: Context) -> None:
    for name, make in TRANSFORMS.items():
        if name == "dire-trivial" and len(context.others) < 3:
            continue
        made = make(context)
        assert made == make(context)
        for instance in made:
            assert list(instance.kept) == sorted(set(instance.kept))
            assert set(instance.kept) <= set(range(context.size))


@given(contexts())
def test_the_transform_has_one_sufficient_instance_and_all_are_of_one_size(context: Context) -> None:
    n = len(context.supports)
    for made in (transform(context), nmf_transform(context)):
        assert [i.label for i in made] == [1] + [0] * (2**n - 2)
        assert {len(i.kept) for i in made} == {context.size - n + 1}
        assert [bool(missing(context, i)) for i in made] == [i.label == 0 for i in made]
        lost = {frozenset(missing(context, i)) for i in made if i.label == 0}
        assert lost == {frozenset(s) for s in subsets(context.supports)}


@given(contexts())
def test_the_probe_has_two_instances_a_bipartition_that_together_hold_all_supports(context: Context) -> None:
    made = probe(context)
    for number, (first, second) in enumerate(bipartitions(context.supports)):
        one, two = (i for i in made if i.part == number)
        assert missing(context, one) == set(first)
        assert missing(context, two) == set(second)
        assert set(context.others) <= set(one.kept) & set(two.kept)
    assert len(made) == 2 ** len(context.supports) - 2


@given(contexts())
def test_the_probe_of_the_transform_has_three_instances_a_bipartition_of_one_size(context: Context) -> None:
    n, made = len(context.supports), probe_of_transform(context)
    assert len(made) == 3 * (2 ** (n - 1) - 1)
    assert {len(i.kept) for i in made} == {context.size - n}
    for number, parts in enumerate(bipartitions(context.supports)):
        group = [i for i in made if i.part == number]
        assert [i.label for i in group] == [-1, 0, 0]
        assert [missing(context, i) for i in group] == [set(context.supports), set(parts[0]), set(parts[1])]


@given(contexts())
def test_the_probe_of_the_transform_takes_what_the_transform_takes_and_one_more(context: Context) -> None:
    lost = {frozenset(missing(context, i)): i for i in transform(context) if i.label == 0}
    for instance in probe_of_transform(context):
        if instance.label == 0:
            before = lost[frozenset(missing(context, instance))]
            assert set(instance.kept) < set(before.kept)
            assert len(before.kept) - len(instance.kept) == 1


@given(contexts())
def test_nmf_probes_are_as_the_paper_defines_them(context: Context) -> None:
    n, size = len(context.supports), context.size
    two = nmf_probe(context)
    assert {len(i.kept) for i in two} == {size - n + 1}
    assert len(two) == 2**n - 2
    made = nmf_probe_of_transform(context)
    for number, (first, second) in enumerate(bipartitions(context.supports)):
        group = [i for i in made if i.part == number]
        assert [i.label for i in group] == ([0, -1, 0] if n == 2 else [0, -1, 0, -1])
        sizes = [size - 2 * n + 1 + len(first), size - 2 * n + 1 + len(second)] * 2
        sizes[2], sizes[3] = sizes[1], sizes[0]
        assert [len(i.kept) for i in group] == sizes[: len(group)]
        assert set(context.supports) - missing(context, group[0]) == set(first)
        assert set(context.supports) - missing(context, group[2]) == set(second)
        for without in (i for i in group if i.label == -1):
            assert missing(context, without) == set(context.supports)


@given(contexts())
def test_the_trivial_copies_keep_all_supports_and_lose_another_paragraph_each(context: Context) -> None:
    if len(context.others) < 3:
        with pytest.raises(TooSmall):
            trivial(context)
        return
    made = trivial(context)
    assert len(set(made)) == 3
    assert all(not missing(context, i) and len(i.kept) == context.size - 1 for i in made)


def test_two_supports_give_the_rows_of_the_published_files() -> None:
    context = Context(5, (1, 3), "s")
    (r,) = context.removed()
    assert [set(range(5)) - set(i.kept) for i in transform(context)] == [{r}, {1}, {3}]
    assert [set(range(5)) - set(i.kept) for i in probe(context)] == [{1}, {3}]
    assert [set(range(5)) - set(i.kept) for i in probe_of_transform(context)] == [{1, 3}, {1, r}, {3, r}]
    assert [set(range(5)) - set(i.kept) for i in nmf_probe_of_transform(context)] == [{r, 3}, {1, 3}, {r, 1}]


@pytest.mark.parametrize(("supports", "t", "p", "pt"), [(2, 3, 2, 3), (3, 7, 6, 9), (4, 15, 14, 21)])
def test_worked_counts_for_two_three_and_four_supports(supports: int, t: int, p: int, pt: int) -> None:
    context = Context(10, tuple(range(supports)), "s")
    assert (len(transform(context)), len(probe(context)), len(probe_of_transform(context))) == (t, p, pt)


@pytest.mark.parametrize(("size", "supports"), [(5, (2,)), (2, (0, 1)), (6, (0, 1, 2, 3))])
def test_what_is_too_small_is_refused_with_the_reason(size: int, supports: tuple[int, ...]) -> None:
    for make in TRANSFORMS.values():
        with pytest.raises(TooSmall, match="supporting paragraphs"):
            make(Context(size, supports, "s"))


@given(contexts(), st.integers())
def test_numbers_are_a_rotation_and_tell_no_label(context: Context, seed: int) -> None:
    made = probe_of_transform(context)
    rows = numbers(made, Random(seed))
    assert sorted(rows) == list(range(len(made)))
    first = {numbers(made, Random(s))[0] for s in range(60)}
    assert len(first) > 1


@given(contexts())
def test_all_supports_are_paired_and_each_stands_beside_the_same_other(context: Context) -> None:
    n, made = len(context.supports), pairs(context)
    assert len(made) == n * (n - 1) // 2 + n
    assert len({frozenset(p.kept) for p in made}) == len({p.name for p in made}) == len(made)
    others = {k for p in made for k in p.kept} - set(context.supports)
    assert len(others) == 1
    for pair in made:
        held = {context.supports[i - 1] for i in pair.supports}
        assert held == set(pair.kept) - others


def test_two_supports_give_the_papers_three_pairs() -> None:
    made = pairs(Context(3, (0, 2), "s"))
    assert [(p.kept, p.name) for p in made] == [((0, 2), "f1_f2"), ((0, 1), "f1_fr"), ((1, 2), "fr_f2")]


def test_the_expected_drop_is_the_papers() -> None:
    assert round(expected_drop(0.017, 8), 4) == 0.0628
    assert round(expected_drop(2 / 115, 8), 4) == 0.0641
    assert [round(expected_drop(p, 8), 3) for p in (0.0048, 0.0612)] == [0.019, 0.184]


@given(st.floats(0, 1), st.integers(0, 30))
def test_the_expected_drop_is_a_share_as_its_closed_form_says(p: float, others: int) -> None:
    found = expected_drop(p, others)
    assert 0 <= found <= 1
    if p > 1e-3:
        closed = (1 - (1 - p) ** (others + 1)) / ((others + 1) * p) - (1 - p) ** others
        assert found == pytest.approx(closed, abs=1e-9)
