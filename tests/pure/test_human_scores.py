"""Human score, upper bound and agreement, worked by hand and under every order of the annotators."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotation.pure.reports.human_scores import (
    Mark,
    majority_chance,
    pair_scores,
    question_scores,
    random_human_score,
    random_support_score,
    support_scores,
)
from annotation.pure.statistics.metrics import HOTPOTQA, MUSIQUE
from tests.long_forms import examples

near = pytest.approx


def test_the_majority_answer_is_scored():
    scores = question_scores(["The Paris", "paris", "Lyon"], ["Paris, France", "Paris"], scorer=MUSIQUE)
    assert scores.human_score == Mark(1, 1)
    assert scores.upper_bound == Mark(1, 1)
    assert scores.average == Mark(near(2 / 3), near(2 / 3))
    assert scores.agreement == Mark(near(2 / 3), near(2 / 3))


def test_a_wrong_majority_hides_a_right_annotation():
    scores = question_scores(["Lyon", "lyon!", "Paris"], ["Paris"], scorer=MUSIQUE)
    assert scores.human_score == Mark(0, 0)
    assert scores.upper_bound == Mark(1, 1)


def test_a_tie_of_three_is_the_mean_of_the_three():
    answers = ["New York", "New York City", "Boston"]  # F1 .8, 1 and 0
    scores = question_scores(answers, ["New York City"], scorer=MUSIQUE)
    assert scores.human_score == Mark(near(1 / 3), near(0.6))
    assert scores.average == scores.human_score
    assert scores.upper_bound == Mark(1, 1)
    assert scores.agreement == Mark(0, near((0.8 + 0.8 + 0) / 3))


def test_a_tie_of_two_pairs_is_the_mean_of_the_two_classes():
    scores = question_scores(["x", "x", "y", "y", "z"], ["y"], scorer=MUSIQUE)
    assert scores.human_score == Mark(0.5, 0.5)
    assert scores.average == Mark(near(0.4), near(0.4))


def test_one_annotation_has_no_agreement():
    scores = question_scores(["Paris"], ["Paris"], scorer=MUSIQUE)
    assert scores.agreement is None
    assert scores.human_score == scores.upper_bound == scores.average == Mark(1, 1)
    assert [math.isnan(cell) for cell in scores.cells()] == [False] * 4 + [True] * 2 + [False] * 2


def test_hidden_gold_leaves_only_the_agreement():
    scores = question_scores(["Paris", "Paris"], None, scorer=MUSIQUE)
    assert (scores.human_score, scores.upper_bound, scores.average) == (None, None, None)
    assert scores.agreement == Mark(1, 1)
    assert support_scores([{1}, {1}], None, scorer=MUSIQUE).agreement == Mark(1, 1)


def test_it_refuses_a_question_without_annotations():
    with pytest.raises(ValueError, match="without annotations"):
        question_scores([], ["Paris"], scorer=MUSIQUE)


def test_no_answer_is_an_answer():
    scores = question_scores(["", "  ", "Paris"], ["Paris"], scorer=MUSIQUE)
    assert scores.human_score == Mark(0, 0)
    assert scores.agreement == Mark(near(2 / 3), near(2 / 3))
    assert question_scores(["", "", "Paris"], [""], scorer=MUSIQUE).human_score == Mark(1, 1)


def test_each_dataset_keeps_its_own_corners():
    assert question_scores(["yes it is"], ["yes"], scorer=HOTPOTQA).human_score == Mark(0, 0)
    assert question_scores(["yes it is"], ["yes"], scorer=MUSIQUE).human_score == Mark(0, 0.5)


def test_supports_are_voted_as_whole_sets():
    scores = support_scores([{1, 2}, {2, 1}, {1, 2, 3}], {1, 2, 3}, scorer=MUSIQUE)
    assert scores.human_score == Mark(0, near(0.8))
    assert scores.upper_bound == Mark(1, 1)
    assert scores.agreement == Mark(near(2 / 3), near((1 + 1 + 0.8) / 3))


def test_supports_are_not_voted_by_paragraph():
    supports = [{1, 2}, {2, 3}, {1, 3}]
    assert support_scores(supports, {1, 2, 3}, scorer=MUSIQUE).human_score == Mark(0, near(0.8))


def test_facts_of_titles_and_sentences_are_scored_like_positions():
    gold = {("Ed Wood", 0), ("Scott Derrickson", 0)}
    marked = [gold, gold, {("Ed Wood", 0)}]
    assert support_scores(marked, gold, scorer=HOTPOTQA).human_score == Mark(1, 1)


def test_ties_broken_by_chance_average_to_the_expected_value():
    answers, gold = ["New York", "New York City", "Boston"], ["New York City"]
    rng = random.Random(5)
    drawn = [random_human_score(answers, gold, scorer=MUSIQUE, rng=rng).f1 for _ in range(3000)]
    assert sorted(set(drawn)) == near([0.0, 0.8, 1.0])
    assert sum(drawn) / 3000 == near(0.6, abs=0.03)
    drawn = [random_support_score([{1}, {2}], {1}, scorer=MUSIQUE, rng=rng).f1 for _ in range(3000)]
    assert sum(drawn) / 3000 == near(0.5, abs=0.03)


def test_a_seed_gives_the_same_draw_for_any_order_of_the_annotators():
    supports = [{"x", "y"}, {"y", "z"}, {"x", "z"}]
    drawn = {
        tuple(random_support_score(order, {"x"}, scorer=MUSIQUE, rng=random.Random(s)) for s in range(9))
        for order in map(list, itertools.permutations(supports))
    }
    assert len(drawn) == 1


words = st.sampled_from(["Paris", "paris", "the Paris", "Lyon", "New York", "New York City", "", "yes"])


@settings(max_examples=examples(60, soak=300))
@given(st.lists(words, min_size=1, max_size=5), st.lists(words, min_size=1, max_size=3), st.randoms())
@example(["New York"] * 3, ["New York City"], random.Random(1))  # three times 0.8, whose sum over 3 is above 0.8
def test_the_order_of_annotators_and_of_aliases_does_not_matter(answers, gold, rng):
    shuffled, aliases = rng.sample(answers, len(answers)), rng.sample(gold, len(gold))
    for scorer in (MUSIQUE, HOTPOTQA):
        left = question_scores(answers, gold, scorer=scorer)
        assert left == question_scores(shuffled, aliases, scorer=scorer)
        assert left.human_score.f1 <= left.upper_bound.f1
        assert left.average.f1 <= left.upper_bound.f1


@settings(max_examples=examples(40, soak=200))
@given(
    st.lists(st.frozensets(st.integers(0, 4)), min_size=1, max_size=5),
    st.frozensets(st.integers(0, 4)),
    st.permutations(range(5)),
    st.randoms(),
)
def test_neither_the_order_nor_the_names_of_paragraphs_matter(supports, gold, renamed, rng):
    moved = [{renamed[place] for place in support} for support in rng.sample(supports, len(supports))]
    new_gold = {renamed[place] for place in gold}
    assert support_scores(supports, gold, scorer=MUSIQUE) == support_scores(moved, new_gold, scorer=MUSIQUE)


def test_the_chance_of_a_right_majority_is_shared_among_the_tied():
    assert majority_chance([True, True, False], True) == 1
    assert majority_chance([True, False], True) == 0.5
    assert majority_chance([1, 0, -1], -1) == near(1 / 3)
    assert majority_chance([False, False, True], True) == 0


def test_a_pair_scores_nothing_when_either_twin_is_misjudged():
    right = [("Paris", {1, 2}), ("Paris", {1, 2}), ("Lyon", {1})]
    scores = pair_scores(right, ["", "", "Paris"], gold=["Paris"], gold_support={1, 2}, scorer=MUSIQUE)
    assert (scores.answer, scores.support, scores.labels) == (Mark(1, 1), Mark(1, 1), 1)
    fooled = pair_scores(right, ["", "Paris", "Paris"], gold=["Paris"], gold_support={1, 2}, scorer=MUSIQUE)
    assert (fooled.answer, fooled.support, fooled.labels) == (Mark(0, 0), Mark(0, 0), 0)


def test_a_pair_counts_the_answers_of_those_who_called_it_answerable():
    given_up = [("Paris", {1}), ("", set())]  # a tie: right with chance 1/2, and then all who answered do
    scores = pair_scores(given_up, [""], gold=["Paris"], gold_support={1, 2}, scorer=MUSIQUE)
    assert scores.answer == Mark(0.5, 0.5)
    assert scores.support == Mark(0, near(0.5 * 2 / 3))
    nobody = pair_scores([("", set())], [""], gold=["Paris"], gold_support={1}, scorer=MUSIQUE)
    assert (nobody.answer, nobody.labels) == (Mark(0, 0), 0)
