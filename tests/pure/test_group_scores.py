"""Groups by people: the chance that every majority label is right, times the score on the sufficient member."""

from __future__ import annotations

from itertools import product
from math import prod
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.reports.human_scores import (
    Mark,
    group_scores,
    labels_chance,
    majorities,
    pair_scores,
    question_scores,
)
from annotation.pure.statistics.metrics import HOTPOTQA, MUSIQUE

near = pytest.approx
WORDS = st.sampled_from(["Wick Harrow", "Harrow", "Tolmouth", "the Tolmouth", "Elmsay"])
SUPPORTS = st.frozensets(st.integers(0, 4), min_size=1, max_size=3)
ATTEMPTS = st.lists(st.tuples(WORDS, SUPPORTS), min_size=1, max_size=4)
LABELS = st.lists(st.booleans(), min_size=1, max_size=5)
GOLD, GOLD_SUPPORT = ("Wick Harrow",), frozenset({1, 3})


def scored(members, attempts, scorer=MUSIQUE):
    return group_scores(members, attempts, gold=GOLD, gold_support=GOLD_SUPPORT, scorer=scorer)


@pytest.mark.parametrize(
    ("others", "chance"),
    [
        ([[False], [False]], 1),
        ([[False, False, True], [False]], 1),
        ([[False, True], [False]], 0.5),
        ([[False, True], [True, False]], 0.25),
        ([[True], [False]], 0),
        ([[False]] * 14, 1),
        ([[False]] * 13 + [[True]], 0),
    ],
)
def test_a_group_counts_only_as_far_as_all_its_labels_are_right(others, chance):
    members = [([True], True), *((given, False) for given in others)]
    found = scored(members, [("Harrow", {1})])
    assert found.labels == chance
    assert found.answer == Mark(0, near(chance * 2 / 3))
    assert found.support == Mark(0, near(chance * 2 / 3))


def test_a_group_whose_sufficient_member_nobody_called_sufficient_scores_nothing():
    found = scored([([False], True), ([False], False)], [])
    assert (found.answer, found.support, found.labels) == (Mark(0, 0), Mark(0, 0), 0)


@given(WORDS, SUPPORTS, st.booleans(), st.booleans())
def test_two_members_with_one_annotation_each_score_as_a_pair_does(text, support, called, refused):
    twin = (text, support) if called else ("", frozenset())
    contrast = "" if refused else "Elmsay"
    members = [([called], True), ([not refused], False)]
    found = scored(members, [(text, support)] if called else [])
    pair = pair_scores([twin], [contrast], gold=GOLD, gold_support=GOLD_SUPPORT, scorer=MUSIQUE)
    assert (found.answer, found.support, found.labels) == (pair.answer, pair.support, pair.labels)


@given(st.lists(st.tuples(st.one_of(st.just(""), WORDS), SUPPORTS), min_size=1, max_size=5), LABELS)
def test_a_pair_with_any_annotations_is_a_group_of_two(answers, called):
    attempts = [(text, support) for text, support in answers if text]
    members = [([bool(text) for text, _ in answers], True), (called, False)]
    contrast = ["Elmsay" if said else "" for said in called]
    pair = pair_scores(answers, contrast, gold=GOLD, gold_support=GOLD_SUPPORT, scorer=HOTPOTQA)
    found = scored(members, attempts, HOTPOTQA)
    assert (found.answer, found.support, found.labels) == (pair.answer, pair.support, pair.labels)


@given(st.lists(st.tuples(LABELS, st.booleans()), min_size=1, max_size=5))
def test_the_chance_is_the_share_of_right_outcomes_when_every_tie_is_broken_in_every_way(members):
    outcomes = product(*(majorities(given, key=lambda label: label) for given, _right in members))
    right = [all(label == wanted for label, (_, wanted) in zip(labels, members, strict=True)) for labels in outcomes]
    assert labels_chance(members) == near(fmean(right))
    assert labels_chance(members) == near(prod(labels_chance([member]) for member in members))


@given(st.lists(st.tuples(LABELS, st.booleans()), min_size=1, max_size=5), ATTEMPTS)
def test_a_group_is_its_chance_times_the_human_score_of_those_who_attempted(members, attempts):
    human = question_scores([text for text, _ in attempts], GOLD, scorer=MUSIQUE).human_score
    assert scored(members, attempts).answer == (human.times(labels_chance(members)) if human else Mark(0.0, 0.0))


@given(st.lists(st.tuples(LABELS, st.booleans()), min_size=1, max_size=4), ATTEMPTS, LABELS, st.booleans())
def test_another_member_never_makes_a_group_better(members, attempts, given, right):
    before, after = scored(members, attempts), scored([*members, (given, right)], attempts)
    assert after.labels <= before.labels
    assert after.answer.f1 <= before.answer.f1
    assert after.support.em <= before.support.em
