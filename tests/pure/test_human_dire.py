"""DiRe's scores of people, on responses written here: majorities, confidence, ties, bounds, what is missing."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from annotation.pure.statistics.metrics import HOTPOTQA
from annotation.pure.studies import human_dire as dire
from annotation.pure.studies.human_dire import Instance, Question, Response

A, B, C = "Ann", "Bell", "Crew"  # the supports
BOTH = frozenset({A, B})


def said(answer: str, *support: str, sure: float = 50, worker: str = "w", sufficient: bool | None = None) -> Response:
    return Response(worker, answer, frozenset(support), sure, sufficient=sufficient)


def instance(*responses: Response, kept: Any = BOTH, sufficient: bool | None = None) -> Instance:
    named = tuple(replace(one, worker=f"{one.worker}{k}") for k, one in enumerate(responses))
    return Instance(frozenset(kept), named, sufficient)


def question(support: Any = BOTH, **arms: tuple[Instance, ...]) -> Question:
    named = {name.replace("_", "-"): some for name, some in arms.items()}
    return Question("q", ("India",), frozenset(support), HOTPOTQA, named)


def probe_of(first: tuple[Response, ...], second: tuple[Response, ...]) -> Question:
    """The first context lacks Ann, the second lacks Bell."""
    return question(probe=(instance(*first, kept={B}), instance(*second, kept={A})))


def test_three_responses_become_the_majority_answer_and_apart_from_it_the_majority_support() -> None:
    row = question(original=(instance(said("India", A), said("the India", A, B), said("Oman", A, B)),))
    assert dire.original(row) == (1, 1, 1, 1, 1, 1)
    single = dire.original(row, dire.singly)
    assert single == pytest.approx((2 / 3, 2 / 3, 2 / 3, (2 / 3 + 1 + 1) / 3, 1 / 3, (2 / 3 + 1 + 0) / 3))


def test_tied_answers_and_tied_supports_are_equally_likely() -> None:
    row = question(original=(instance(said("India", A, B), said("Oman", A)),))
    assert dire.original(row) == pytest.approx((0.5, 0.5, 0.5, (1 + 2 / 3) / 2, 0.25, (1 + 2 / 3) / 4))


def test_the_probe_takes_the_more_confident_answer_and_the_union_of_the_supports() -> None:
    row = probe_of((said("India", B, sure=70),), (said("Oman", A, sure=60),))
    assert dire.probe(row) == (1, 1, 1, 1, 1, 1)
    assert dire.probe(probe_of((said("India", B, sure=50),), (said("Oman", A, sure=60),))) == (0, 0, 1, 1, 0, 0)


def test_with_equal_confidence_the_second_answer_counts_as_in_the_authors_code() -> None:
    assert (dire.probe(probe_of((said("India", B),), (said("Oman", A),))) or ())[0] == 0
    assert (dire.probe(probe_of((said("Oman", B),), (said("India", A),))) or ())[0] == 1


def test_a_majority_answer_is_as_confident_as_those_who_gave_it() -> None:
    divided = (said("India", B, sure=40), said("India", B, sure=60), said("Peru", B, sure=100))
    assert (dire.probe(probe_of(divided, (said("Oman", A, sure=51),))) or ())[0] == 0
    assert (dire.probe(probe_of(divided, (said("Oman", A, sure=49),))) or ())[0] == 1


def test_each_of_tied_answers_goes_in_with_its_own_confidence() -> None:
    tied = (said("India", B, sure=90), said("Peru", B, sure=10))
    assert (dire.probe(probe_of(tied, (said("Oman", A, sure=50),))) or ())[0] == 0.5


def test_bounds_take_the_worse_and_the_better_answer_whatever_the_confidence() -> None:
    row = probe_of((said("India", B, sure=10),), (said("Oman", A, sure=90),))
    assert (dire.probe(row, dire.LOWER) or ())[0] == 0
    assert (dire.probe(row, dire.UPPER) or ())[0] == 1
    for seed in range(50):
        rng = Random(seed)
        some = [
            tuple(
                said(rng.choice(["India", "Oman", "India now"]), *rng.sample([A, B, "x"], 2), sure=rng.randrange(101))
                for _k in range(rng.randint(1, 3))
            )
            for _part in "12"
        ]
        row = probe_of(some[0], some[1])
        low, raw, high = (dire.probe(row, choice) or () for choice in (dire.LOWER, dire.RAW, dire.UPPER))
        assert all(
            (a or 0) <= (b or 0) + 1e-12 and (b or 0) <= (c or 0) + 1e-12
            for a, b, c in zip(low, raw, high, strict=True)
        )


def test_confidence_is_standardised_within_each_worker() -> None:
    """Ada is always sure and Ben never is; against their own other answers Ben is the surer of the two."""
    rows = [
        probe_of((said("Oman", B, sure=80, worker="ada"),), (said("India", A, sure=30, worker="ben"),)),
        probe_of((said("India", B, sure=100, worker="ada"),), (said("India", A, sure=0, worker="ben"),)),
    ]
    rows = [
        replace(
            row,
            arms={
                "probe": tuple(
                    replace(i, responses=tuple(replace(r, worker=r.worker[:3]) for r in i.responses))
                    for i in row.arms["probe"]
                )
            },
        )
        for row in rows
    ]
    first = dire.standardise(rows)[0]
    assert [one.standard for part in first.arms["probe"] for one in part.responses] == [-1, 1]
    assert (dire.probe(first, dire.RAW) or ())[0] == 0
    assert (dire.probe(first, dire.STANDARDISED) or ())[0] == 1


def test_the_best_bipartition_counts_for_each_figure() -> None:
    """Three supports: the first bi-partition has the answer, the third the supports."""
    whole = [A, B, C]
    parts = []
    for kept, answer, support in (
        ({B, C}, "India", [B]), ({A}, "India", [A]),
        ({A, C}, "Oman", [A]), ({B}, "Oman", [B]),
        ({A, B}, "Oman", [A, B]), ({C}, "Oman", [C]),
    ):  # fmt: skip
        parts.append(instance(said(answer, *support), kept=kept))
    Random(1).shuffle(parts)
    row = question(support=whole, probe=dire.paired(parts, whole))
    assert dire.probe(row) == pytest.approx((1, 1, 1, 1, 0, 0.8))
    assert [sorted(i.kept) for i in row.arms["probe"]][::2] == [[B, C], [C], [B]]


def test_the_expected_best_of_uncertain_bipartitions() -> None:
    half: dire.Spread = [(0.5, (1.0,) * 6), (0.5, (0.0,) * 6)]
    third: dire.Spread = [(1 / 3, (0.6,) * 6), (2 / 3, (0.2,) * 6)]
    assert dire.extreme([half, third], largest=True) == pytest.approx((0.5 + 0.5 * (0.2 + 0.4 / 3),) * 6)
    assert dire.extreme([half, third], largest=False) == pytest.approx((0.5 * (0.2 + 0.4 / 3),) * 6)
    assert dire.extreme([half, []], largest=True) is None


def test_a_bipartition_of_which_an_instance_is_missing_is_left_out() -> None:
    assert dire.paired([instance(kept={A})], [A, B]) == ()
    assert question(probe=()).whole().arms == {}


def test_the_trivial_control_needs_all_three_copies_to_be_right() -> None:
    right, wrong = instance(said("India", A, B)), instance(said("Oman", A))
    assert dire.trivial(question(trivial=(right, right, right))) == (1, 1, 1, 1, 1, 1)
    assert dire.trivial(question(trivial=(right, wrong, right))) == pytest.approx((0, 0, 0, 2 / 3, 0, 0))
    tied = instance(said("India", A, B), said("Oman", A, B))
    assert (dire.trivial(question(trivial=(tied, tied, right))) or ())[0] == pytest.approx(0.25)


def transformed(*labels_: tuple[bool, ...]) -> Question:
    texts = ["India", "Oman", "India"]
    whole = instance(
        *(said(text, A, B, sufficient=yes) for text, yes in zip(texts, labels_[0], strict=True)), sufficient=True
    )
    others = [instance(*(said("", sufficient=yes) for yes in some), kept={A}, sufficient=False) for some in labels_[1:]]
    return question(transformed=(whole, *others))


def test_a_wrong_sufficiency_label_leaves_nothing_of_the_question() -> None:
    yes, no, mixed = (True, True, True), (False, False, False), (True, False, False)
    assert dire.transformed(transformed(yes, no, no)) == (1, 1, 1, 1, 1, 1)
    assert dire.transformed(transformed(yes, no, yes)) == (0, 0, 0, 0, 0, 0)
    assert dire.labels(transformed(yes, mixed, no)) == 1
    assert dire.labels(transformed(yes, (True, False), no)) == 0.5


def test_the_answer_on_t_is_that_of_those_who_called_the_context_sufficient() -> None:
    no = (False, False, False)
    assert (dire.transformed(transformed((True, True, False), no, no)) or ())[:3] == (0.5, 0.5, 1)


NEEDING_MORE = (
    *("p_raw", "p_single", "p_lower", "d_minus_p", "in_both", "dire"),
    *("t", "drop", "trivial_minus_t", "closed", "read"),
)


def test_an_arm_without_responses_has_no_score_and_what_depends_on_it_has_none() -> None:
    empty = instance()
    row = question(
        original=(instance(said("India", A, B)),),
        probe=(empty, instance(said("India", A))),
        transformed=(empty, empty, empty),
    )
    found = {name: value for arm in row.arms for name, value in dire.arm_marks(row, arm).items()}
    told = dire.quantities(found)
    assert told["d"] is not None
    assert [told[name] for name in NEEDING_MORE] == [None] * len(NEEDING_MORE)


def told_of(row: Question) -> dict[str, Any]:
    return dire.quantities({name: value for arm in row.arms for name, value in dire.arm_marks(row, arm).items()})


def right_in_both(first: int, pairs: int) -> Question:
    """So many of three right answers in D, and among those of the part of P(D) whose people are surer."""
    texts = ["India", "India", "India", "Oman", "Oman", "Oman"]
    return question(
        original=(instance(*[said(text, A, B) for text in texts[3 - first : 6 - first]]),),
        probe=(
            instance(*[said(text, B, sure=90) for text in texts[3 - pairs : 6 - pairs]], kept={B}),
            instance(said("Oman", A, sure=10), kept={A}),
        ),
    )


@pytest.mark.parametrize(("first", "pairs"), [(2, 2), (3, 1), (1, 2), (0, 3)])
def test_d_less_p_is_of_single_responses_signed_and_never_cut(first: int, pairs: int) -> None:
    told = told_of(right_in_both(first, pairs))
    assert told["d_minus_p"][0] == pytest.approx((first - pairs) / 3)
    assert told["in_both"][0] == pytest.approx((first + pairs) / 3 - 1)


def test_of_one_respondent_the_minimum_is_dire_and_what_it_leaves_needs_connecting() -> None:
    """As of models: d_minus_p by the same formula beside what is left of D by equation 7."""
    told = [told_of(row) for row in (model(True, True), model(True, False), model(False, True))]
    assert [row["dire"][0] for row in told] == [1, 0, 0]
    assert [row["connected"][0] for row in told] == [0, 1, 0]
    assert [row["d_minus_p"][0] for row in told] == [0, 1, -1]


def model(in_d: bool, in_p: bool) -> Question:
    text = {True: "India", False: "Oman"}
    return question(
        original=(instance(said(text[in_d], A, B)),),
        probe=(
            instance(said(text[in_p], B, sure=90), kept={B}),
            instance(said("Peru", A, sure=10), kept={A}),
        ),
    )


def test_with_three_supports_a_split_at_random_has_less_than_the_best_one() -> None:
    """Each of the three ways to split is right in one of two responses: some way is in 7 of 8."""
    whole = [A, B, C]
    either = (said("India", A, B, C, sure=90), said("Oman", A, B, C, sure=90))
    none = (said("Oman", sure=10),)
    parts = [instance(*(either if A in kept else none), kept=kept) for kept in ({A}, {B, C}, {A, B}, {C}, {A, C}, {B})]
    told = told_of(question(support=whole, original=(instance(*either),), probe=dire.paired(parts, whole)))
    assert told["p_single"][0] == pytest.approx(7 / 8)
    assert told["d_minus_p"][0] == pytest.approx(1 / 2 - 7 / 8)
    assert told["in_both"][0] == pytest.approx(1 / 2 + 1 / 2 - 1)


def test_arms_that_are_not_there_or_not_answered_have_no_marks() -> None:
    assert [score(question()) for score in (dire.original, dire.probe, dire.trivial, dire.transformed)] == [None] * 4
    empty = question(closed_book=(instance(),), original=(instance(),), trivial=(instance(), instance(), instance()))
    assert [score(empty) for score in (dire.original, dire.closed_book, dire.trivial)] == [None] * 3
    row = transformed((True, True, True), (False, False, False), ())
    assert (dire.labels(row), dire.transformed(row)) == (None, None)
    assert dire.arm_marks(row, "transformed") == {"t": None, "labels": None}


def test_a_wrong_answer_to_the_sufficient_context_scores_nothing_wherever_it_stands() -> None:
    whole = instance(said("Oman", A, sufficient=True), sufficient=True)
    other = instance(said("", sufficient=False), kept={A}, sufficient=False)
    row = question(transformed=(other, whole, other))
    assert dire.transformed(row) == pytest.approx((0, 0, 0, 2 / 3, 0, 0))
    assert dire.arm_marks(row, "transformed")["labels"] == (1,) * 6


def test_closed_book_has_an_answer_and_no_support() -> None:
    row = question(closed_book=(instance(said("India"), said("")),))
    assert dire.closed_book(row) == (0.5, 0.5, None, None, None, None)
