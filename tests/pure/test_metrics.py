"""The scorers' corners (the table of the three official definitions) and equality with the plain ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.statistics.metrics import ACCURACY, HOTPOTQA, MUSIQUE, SQUAD, SQUAD_1, joint, scorer_for
from annotation.pure.text.normalization import answer_tokens, normalise_answer
from tests.long_forms import examples
from tests.pure import official

CORNERS = [
    # prediction, gold, EM, F1 by HotpotQA, SQuAD 1.1, MuSiQue and SQuAD 2.0
    ("yes it is", "yes", 0, 0, 0.5, 0.5),
    ("yes", "yes it is", 0, 0, 0.5, 0.5),
    ("no answer", "noanswer", 0, 0, 0, 0),
    ("the", "a", 1, 0, 0, 1),
    ("", "", 1, 0, 0, 1),
    ("", "x", 0, 0, 0, 0),
    ("12 May 1999", "May 12, 1999", 0, 1, 1, 1),
    ("New-York", "New York", 0, 0, 0, 0),
    ("O\u2019Brien", "O'Brien", 0, 0, 0, 0),
    ("1\u20130", "1-0", 0, 0, 0, 0),
    ("U.S.", "US", 1, 1, 1, 1),
    ("a.k.a. Bob", "aka Bob", 1, 1, 1, 1),
    ("New York New York", "New York", 0, 2 / 3, 2 / 3, 2 / 3),
]

PIECES = [
    *[
        "a",
        "an",
        "the",
        "The",
        "yes",
        "no",
        "noanswer",
        "New",
        "York",
        "York",
        "U.S.",
        "1-0",
        "1\u20130",
        "May",
    ],
    *[
        "\u2013the\u2013",
        "the\u2019s",
        "caf\u00e9",
        "cafe\u0301",
        "\u0130stanbul",
        "\u4eac\u90fd",
        "x\u00a0y",
    ],
    *[
        "\x00the\x00",
        "the\x1ca",
        "an_a",
        "\u00bd",
        "\U0001f600",
        "!",
        "'",
        "\t",
        "\u2003",
        "\u00df",
        "Stra\u00dfe",
    ],
]


def some_answer(rng: random.Random) -> str:
    glue = rng.choice([" ", " ", "", "-", "\u200b"])
    return glue.join(rng.choice(PIECES) for _ in range(rng.randrange(5)))


@pytest.mark.parametrize(("prediction", "gold", "em", "hotpotqa", "squad1", "musique"), CORNERS)
def test_it_scores_the_corners_as_each_official_scorer_does(prediction, gold, em, hotpotqa, squad1, musique):
    by_scorer = {HOTPOTQA: hotpotqa, SQUAD_1: squad1, MUSIQUE: musique, SQUAD: musique}
    for scorer, f1 in by_scorer.items():
        score = scorer.answer(prediction, [gold])
        assert (score.em, score.f1) == (em, pytest.approx(f1, abs=1e-15)), scorer.name


def test_it_equals_the_plain_definitions_on_random_pairs():
    rng = random.Random(20)
    for _ in range(6000):
        prediction, gold = some_answer(rng), some_answer(rng)
        if rng.random() < 0.2:
            gold = rng.choice([prediction.upper(), f"the {prediction}", prediction[::-1]])
        em = official.exact(prediction, gold)
        hotpotqa = HOTPOTQA.answer(prediction, [gold])
        assert normalise_answer(prediction) == official.normalise(prediction)
        assert (hotpotqa.f1, hotpotqa.precision, hotpotqa.recall) == official.hotpotqa_f1(prediction, gold)
        assert SQUAD_1.answer(prediction, [gold]).f1 == official.squad1_f1(prediction, gold)
        assert MUSIQUE.answer(prediction, [gold]).f1 == official.squad2_f1(prediction, gold)
        assert {s.answer(prediction, [gold]).em for s in (HOTPOTQA, SQUAD, SQUAD_1, MUSIQUE)} == {float(em)}


@settings(max_examples=examples(60, soak=300))
@given(st.text(max_size=40) | st.text(alphabet="aA nthe\u2019.-_ \u0130\x00\x1c", max_size=20))
def test_it_normalises_any_text_as_the_plain_definition_does(text):
    assert normalise_answer(text) == official.normalise(text)
    assert answer_tokens(text) == official.normalise(text).split()


def test_it_takes_the_best_of_answer_and_aliases():
    score = MUSIQUE.answer("New York City", ["Big Apple", "New York", "The City of New York"])
    assert (score.em, score.f1, score.recall) == (0.0, pytest.approx(6 / 7), 3 / 4)
    assert MUSIQUE.answer("May 12", ["12 May", "May 12"]).em == 1.0


def test_it_refuses_to_score_an_answer_without_gold():
    with pytest.raises(ValueError, match="no gold"):
        MUSIQUE.answer("Paris", [])


def test_it_scores_random_supports_as_the_plain_definition_does():
    rng = random.Random(3)
    for _ in range(2000):
        prediction = {rng.randrange(5) for _ in range(rng.randrange(4))}
        gold = {rng.randrange(5) for _ in range(rng.randrange(4))}
        ours = HOTPOTQA.support(prediction, gold)
        assert (ours.em, ours.f1, ours.precision, ours.recall) == official.support_overlap(prediction, gold)
        musique = MUSIQUE.support(prediction, gold)
        assert (musique.em, musique.f1) == official.musique_support(prediction, gold)


def test_two_empty_supports_are_right_in_musique_and_half_right_in_hotpotqa():
    assert (MUSIQUE.support([], []).em, MUSIQUE.support([], []).f1) == (1, 1)
    assert (HOTPOTQA.support([], []).em, HOTPOTQA.support([], []).f1) == (1, 0)


def test_a_joint_score_multiplies_precision_and_recall():
    score = joint(HOTPOTQA.answer("New York", ["New York City"]), HOTPOTQA.support({1, 2}, {1, 3}))
    assert (score.em, score.precision, score.recall) == (0, 0.5, pytest.approx(1 / 3))
    assert score.f1 == pytest.approx(0.4)


def test_an_option_counts_only_as_it_stands():
    assert ACCURACY.answer(" The cat ", ["The cat"]).f1 == 1
    assert (ACCURACY.answer("A cat", ["The cat"]).f1, ACCURACY.answer("+5", ["5"]).em) == (0, 0)


@pytest.mark.parametrize(
    ("name", "scorer"),
    [
        ("hotpotqa", "hotpotqa"),
        ("2wikimultihopqa", "2wikimultihopqa"),
        ("dire", "hotpotqa"),
        ("subqa", "hotpotqa"),
        ("musique", "musique"),
        ("disconnection", "musique"),
        ("jsonl", "musique"),
        ("csv", "musique"),
        ("squad", "squad"),
        ("race", "accuracy"),
    ],
)
def test_a_dataset_is_scored_by_the_scorer_of_its_format(name, scorer):
    assert scorer_for(name).name == scorer


def test_it_names_the_formats_it_knows_when_asked_for_another():
    with pytest.raises(ValueError, match=r"'quac'; known: hotpotqa"):
        scorer_for("quac")


def test_the_gold_of_an_unanswerable_question_is_no_answer_in_squad_and_nothing_elsewhere():
    assert SQUAD.gold((), answerable=False) == ("",)
    assert SQUAD.gold(("the", "Paris"), answerable=True) == ("Paris",)
    assert MUSIQUE.gold(("Paris",), answerable=False) is None
    assert MUSIQUE.gold(("Paris", "Paname")) == ("Paris", "Paname")
    assert MUSIQUE.gold(()) is None
    assert SQUAD.gold(()) is None
