"""Pairs judged: agreement, proxies of whole questions, the paper's figures, what is exported and what stays hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.derivations import DERIVATIONS
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.derivations.support_removal import expected_drop
from annotation.pure.setting_fields import read
from annotation.pure.statistics.intervals import wilson
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, HitWithResponses
from tests.derivations.listed import Listed, derived
from tests.derivations.test_dire import well

TASK = task_type("sufficiency")
PAIRS = DERIVATIONS["sufficiency-pairs"]
WORDS = {"s": "sufficient", "i": "insufficient", "u": "unsure"}
JSON = dict[str, Any]


def pairs_of(number: int, supports: Sequence[int] = (0, 1), size: int = 10) -> list[Example]:
    """The items that the derivation makes of one question; a context of ten, as in HotpotQA."""
    return derived(PAIRS, Listed([well(number, size=size, supports=tuple(supports))]))[0]


def payload_of(example: Example, **options: Any) -> JSON:
    payload = TASK.prepare(example, TASK.options(options), Random(0))
    assert payload is not None
    return payload


def judged(
    example: Example, said: str, *, excluded: str = "", wanted: int = 0, dataset: str = "hotpot"
) -> HitWithResponses:
    """The pair with one letter of WORDS for each worker's answer."""
    given = tuple(
        GivenResponse(f"worker {k}", {"verdict": WORDS[letter], "evidence": []}, 8.0) for k, letter in enumerate(said)
    )
    hit = f"{dataset}-{example.id}-{example.shape}"
    return HitWithResponses(hit, dataset, "jsonl", example, payload_of(example), given, excluded, wanted=wanted)


def question(number: int, said: dict[str, str], **more: Any) -> list[HitWithResponses]:
    """A question with what was said of its pairs, by the name of the pair."""
    return [judged(example, said[example.shape], **more) for example in pairs_of(number)]


def report(rows: list[HitWithResponses], **options: Any) -> JSON:
    return dict(TASK.report(rows, TASK.options({"cannot_tell": True, **options}), seed=1))


def tables(made: JSON) -> dict[str, list[list[Any]]]:
    return {table["name"]: table["rows"] for table in made["tables"]}


def reasons(made: JSON) -> dict[str, int]:
    return {row[1]["text"]: row[2] for row in tables(made)["left-out"]}


NO_PROXY = {"f1_f2": "sss", "f1_fr": "iii", "fr_f2": "iii"}
OF_F2 = {"f1_f2": "sss", "f1_fr": "sss", "fr_f2": "iii"}
OF_F1 = {"f1_f2": "sss", "f1_fr": "iii", "fr_f2": "sss"}


def paper() -> list[HitWithResponses]:
    """115 questions, two of them with a proxy."""
    said = [OF_F2, OF_F1, *[NO_PROXY] * 113]
    return [row for number, one in enumerate(said) for row in question(number, one)]


def test_the_papers_figures_come_out_of_115_questions_with_two_proxies() -> None:
    made = report(paper(), cannot_tell=False)
    ((name, asked, left, counted, proxies, rate),) = tables(made)["proxies"]
    assert (name, asked, left, counted, proxies) == ("hotpot", 115, 0, 115, 2)
    assert (round(rate["value"], 3), round(rate["low"], 4), round(rate["high"], 4)) == (0.017, 0.0048, 0.0612)
    assert rate["n"] == 115
    drops = {row["which"]: (row["p"], row["drop"]) for row in made["expected_drop"]}
    assert drops["rounded"][0] == 0.017
    assert round(drops["rounded"][1], 4) == 0.0628
    assert (round(drops["value"][0], 4), round(drops["value"][1], 4)) == (0.0174, 0.0641)
    assert [round(drops[end][1], 3) for end in ("low", "high")] == [0.019, 0.184]
    printed = made["expected_drop"][0]
    assert [round(printed[key], 4) for key in ("value", "low", "high")] == [0.0628, 0.0187, 0.1838]
    assert printed["n"] == 115
    assert [row[1:] for row in tables(made)["expected-drop"]] == [
        ["8", {"text": "rate as printed, three decimals", "values": {}}, "0.017", "0.0628"],
        ["8", {"text": "rate unrounded", "values": {}}, "0.0174", "0.0641"],
        ["8", {"text": "lower end of its interval", "values": {}}, "0.0048", "0.0187"],
        ["8", {"text": "upper end of its interval", "values": {}}, "0.0612", "0.1838"],
    ]
    said = " ".join(one["message"] % one["values"] for one in made["paragraph"][:3])
    for figure in (
        "115 questions",
        " 2 had",
        "1.7 % [0.5, 6.1]",
        "0.0628 (p = 0.017)",
        "0.0641 unrounded",
        "are not sufficient in 0.0 % [0.0, 3.2]",
    ):
        assert figure in said
    assert [row[:2] for row in tables(made)["replaced"]] == [["f1", 1], ["f2", 1]]
    assert made["n"] == 345


def test_models_of_the_annotators_stand_beside_the_rule_where_many_pairs_are_shared() -> None:
    rows = [row for number in range(8) for row in question(number, OF_F2 if number == 0 else NO_PROXY)]
    torn = question(9, {"f1_f2": "sssi", "f1_fr": "iiii", "fr_f2": "siii"})
    rules = {row[0]["text"]: row[1:3] for row in tables(report([*rows, *torn], agreement="all"))["proxies-by-rule"]}
    assert rules == {"rule of this batch": [8, 1], "Dawid–Skene": [9, 1], "one-coin model": [9, 1]}
    few = tables(report(rows[:6]))
    assert "proxies-by-rule" not in few
    assert {"agreement", "verdicts", "by-worker", "confusion"} <= set(few)
    assert {row[0]: row[4]["value"] for row in few["by-worker"]}["worker 0"] == pytest.approx(5 / 6)


def test_a_proxy_counts_once_even_where_it_stands_in_for_both() -> None:
    made = report([*question(1, {"f1_f2": "sss", "f1_fr": "sss", "fr_f2": "sss"}), *question(2, NO_PROXY)])
    assert tables(made)["proxies"][0][3:5] == [2, 1]
    assert [row[1] for row in tables(made)["replaced"]] == [1, 1]


def test_a_pair_that_suffices_beside_supports_that_do_not_is_no_proxy() -> None:
    made = report(question(1, {"f1_f2": "iii", "f1_fr": "sss", "fr_f2": "iii"}))
    assert tables(made)["proxies"][0][3:5] == [1, 0]
    pairs = {row[0]: row[5:8] for row in tables(made)["pairs"]}
    agreed, enough, lacking = pairs["(f1, f2)"]
    assert (agreed, enough["value"], lacking["value"]) == (1, 0.0, 1.0)
    assert list(pairs) == ["(f1, f2)", "(f1, fr)", "(fr, f2)"]


def test_each_question_without_agreement_is_left_out_for_one_reason() -> None:
    rows = [
        *question(1, NO_PROXY),
        *question(2, NO_PROXY | {"f1_fr": "si"}),
        *question(3, NO_PROXY | {"f1_f2": ""}),
        *question(4, NO_PROXY | {"fr_f2": "uuu"}),
        *question(5, NO_PROXY)[:2],
        *(replace(row, excluded="broken") for row in question(6, NO_PROXY | {"f1_fr": "si"})),
        *question(7, NO_PROXY) * 2,
    ]
    made = report(rows)
    assert reasons(made) == {
        "annotators do not agree on a pair": 1,
        "a pair has too few votes": 1,
        "annotators agree that they cannot tell for a pair": 1,
        "a pair is not in the batch": 1,
        "a pair is excluded from the scores": 1,
        "a pair occurs more than once": 1,
    }
    assert tables(made)["proxies"][0][1:5] == [7, 6, 1, 0]
    assert ["broken", 3] in tables(made)["not-counted"]
    assert any("include all pairs of a question" in warning["message"] for warning in made["warnings"])


@pytest.mark.parametrize(
    ("said", "options", "counts"),
    [
        ("ssi", {}, 1),
        ("ssi", {"agreement": "all"}, 0),
        ("sss", {"agreement": "all"}, 1),
        ("su", {}, 0),
        ("ssu", {}, 1),
        ("siu", {}, 0),
        ("ss", {"votes": 3}, 0),
        ("sss", {"votes": 3}, 1),
        ("s", {}, 0),  # three were asked for
        ("s", {"votes": 1}, 1),
    ],
)
def test_what_agreement_means_is_the_requesters_choice(said: str, options: JSON, counts: int) -> None:
    rows = question(1, {"f1_f2": said, "f1_fr": "iii", "fr_f2": "iii"}, wanted=2 if said in ("ss", "su") else 3)
    made = report(rows, **options)
    assert tables(made)["proxies"][0][3] == counts
    rule = made["paragraph"][-1]
    assert rule["values"]["agreement"]["text"].startswith("all" if "agreement" in options else "more than half")


def test_datasets_stand_apart_and_together() -> None:
    rows = [*question(1, OF_F1, dataset="b"), *question(1, NO_PROXY, dataset="a"), *question(2, NO_PROXY, dataset="a")]
    made = report(rows)
    names = [row[0] if isinstance(row[0], str) else row[0]["text"] for row in tables(made)["proxies"]]
    assert names == ["all", "a", "b"]
    assert [row[3:5] for row in tables(made)["proxies"]] == [[3, 1], [2, 0], [1, 1]]


def test_the_drop_takes_each_questions_own_number_of_paragraphs_where_asked() -> None:
    small, large = pairs_of(1, size=10), pairs_of(2, size=20)
    rows = [judged(example, OF_F2[example.shape]) for example in [*small, *large]]
    made = report(rows, others=0)
    at = {row["which"]: row for row in made["expected_drop"]}
    assert at["value"]["others"] == [8, 18]
    assert at["value"]["drop"] == pytest.approx((expected_drop(1.0, 8) + expected_drop(1.0, 18)) / 2)
    assert tables(made)["expected-drop"][0][1] == "8–18"


def test_the_interval_of_the_drop_contains_it_where_the_rate_is_high() -> None:
    """The drop is largest where about a third of the paragraphs are proxies, and falls after that."""
    made = report([row for number in range(6) for row in question(number, OF_F2 if number < 3 else NO_PROXY)])
    figure = made["expected_drop"][1]
    assert figure["low"] < figure["value"] < figure["high"]
    assert figure["high"] == pytest.approx(max(expected_drop(p / 1000, 8) for p in range(1, 1000)), abs=1e-3)


def test_the_expected_drop_is_of_questions_with_two_supports() -> None:
    three = [
        judged(example, "s" if example.shape in ("f1_f3", "f1_fr") else "i")
        for example in pairs_of(1, supports=(0, 1, 2))
    ]
    assert report(three)["expected_drop"] == []
    both = report([*three, *question(2, NO_PROXY)])
    assert tables(both)["proxies"][0][3] == 2
    assert both["expected_drop"][0]["n"] == 1


def test_three_supports_have_six_pairs_and_proxies_beside_any_of_them() -> None:
    items = pairs_of(1, supports=(0, 1, 2))
    said = {"f1_f2": "i", "f1_f3": "s", "f2_f3": "i", "f1_fr": "s", "fr_f2": "i", "fr_f3": "i"}
    made = report([judged(example, said[example.shape]) for example in items])
    assert tables(made)["proxies"][0][3:5] == [1, 1]
    assert [row[1] for row in tables(made)["replaced"]] == [0, 0, 1]
    names = [(row[0], row[1], row[2]) for row in tables(report([*paper()[:3], *map(judged, items, "iiiiii")]))["pairs"]]
    assert names[0] == ("(f1, f2)", 2, 1)
    assert [name for name, of, _ in names if of == 3] == [
        *("(f1, f2)", "(f1, f3)", "(f2, f3)", "(f1, fr)", "(fr, f2)", "(fr, f3)"),
    ]
    lacking = report([judged(example, said[example.shape]) for example in items[:-1]])
    assert reasons(lacking) == {"a pair is not in the batch": 1}


def test_items_that_are_no_pair_of_a_question_are_counted_as_such() -> None:
    odd = [replace(pairs_of(1)[0], extra=extra) for extra in ({}, {"pair": "f1_f2"}, {"pair": {"supports": [3]}})]
    made = report([judged(example, "s") for example in odd])
    assert made["warnings"][0]["values"] == {"n": 3}
    assert tables(made)["proxies"] == []
    assert made["expected_drop"] == []


LETTERS = st.text("siu", max_size=4)


@given(st.lists(st.tuples(LETTERS, LETTERS, LETTERS), max_size=12), st.sampled_from(["all", "majority"]))
def test_every_question_either_counts_or_has_a_reason(said: list[tuple[str, str, str]], agreement: str) -> None:
    names = ("f1_f2", "f1_fr", "fr_f2")
    asked = [row for k, one in enumerate(said) for row in question(k, dict(zip(names, one, strict=True)))]
    made = report(asked, agreement=agreement)
    rows = tables(made)["proxies"]
    assert sum(row[1] for row in rows) == len(said)
    assert sum(reasons(made).values()) == sum(row[2] for row in rows)
    agreed = [Counter(letters).most_common(1)[0] if letters else ("", 0) for one in said for letters in one]
    needed = [len(letters) if agreement == "all" else len(letters) // 2 + 1 for one in said for letters in one]
    good = [bool(w) and w != "u" and n >= need for (w, n), need in zip(agreed, needed, strict=True)]
    assert sum(row[3] for row in rows) == sum(all(good[3 * k : 3 * k + 3]) for k in range(len(said)))
    for row in rows:
        assert row[5] == wilson(row[4], row[3]).as_json()


def test_nothing_but_question_answer_and_paragraphs_reaches_the_page() -> None:
    items = pairs_of(1)
    hidden = replace(
        items[0],
        id="CANARY", group="CANARY", shape="CANARY", supports=(1,), facts=None, answerable=False,
        hops=(Hop("CANARY", "CANARY"),), extra={"pair": "CANARY", "CANARY": "CANARY"},
    )  # fmt: skip
    for options in (
        {},
        {"show_answer": False, "evidence": True},
        {"cannot_tell": True, "agreement": "all", "votes": 3},
    ):
        assert payload_of(hidden, **options) == payload_of(items[0], **options)
    other_answer = replace(items[0], answers=("CANARY",))
    assert payload_of(other_answer, show_answer=False) == payload_of(items[0], show_answer=False)
    assert payload_of(other_answer)["answer"] == "CANARY"
    for one, other in combinations(items, 2):
        assert {**payload_of(one), "paragraphs": 0} == {**payload_of(other), "paragraphs": 0}
        assert len(payload_of(one)["paragraphs"]) == len(payload_of(other)["paragraphs"]) == 2


def test_either_paragraph_comes_first_as_often() -> None:
    payload = payload_of(pairs_of(1)[1])
    firsts = Counter(TASK.arrange(payload, Random(seed))["paragraphs"][0]["text"] for seed in range(400))
    assert len(firsts) == 2
    assert min(firsts.values()) > 150


def test_what_is_no_pair_or_has_no_answer_to_show_is_skipped() -> None:
    pair = pairs_of(1)[0]
    three = replace(pair, paragraphs=(*pair.paragraphs, Paragraph("", "Another.")))
    unknown = replace(pair, answers=())
    for broken in (three, unknown, replace(pair, paragraphs=pair.paragraphs[:1]), replace(pair, question="")):
        assert TASK.prepare(broken, TASK.options({}), Random(0)) is None
    assert TASK.prepare(unknown, TASK.options({"show_answer": False}), Random(0))["answer"] == ""


def test_an_agreed_pair_keeps_what_people_said_and_the_others_are_left_out() -> None:
    pair, payload = pairs_of(1)[1], payload_of(pairs_of(1)[1], votes=2)
    said = {"ss": True, "ii": False, "s": None, "si": None, "uu": None, "": None}
    for letters, kept in said.items():
        verdict = TASK.aggregate(payload, [{"verdict": WORDS[letter], "evidence": []} for letter in letters])
        made = TASK.export(pair, verdict)
        assert [one.extra["sufficient"] for one in made] == ([] if kept is None else [kept])
        assert all(replace(one, extra=pair.extra) == pair for one in made)


def test_the_grade_holds_an_answer_to_the_labels() -> None:
    whole, half, _ = pairs_of(1)
    of_three = pairs_of(1, supports=(0, 1, 2))[0]
    bare = replace(whole, extra={})
    right = {"s": [whole, bare], "i": [half, of_three, replace(bare, supports=(1,))]}
    for letter, examples in right.items():
        for example in examples:
            grades = {word: TASK.grade({}, {"verdict": word}, example) for word in WORDS.values()}
            assert grades == {word: float(word == WORDS[letter]) for word in WORDS.values()}
    assert TASK.grade({}, {"verdict": "sufficient"}, replace(bare, supports=None)) == 0.0


@pytest.mark.parametrize("odd", [None, [], {}, {"verdict": 1}, {"verdict": "yes"}, {"verdict": "unsure"}])
def test_an_odd_judgment_from_elsewhere_is_refused_in_words(odd: Any) -> None:
    with pytest.raises(ValueError, match=r"needs|Say whether"):
        TASK.complete(payload_of(pairs_of(1)[0]), odd)
    assert TASK.complete(payload_of(pairs_of(1)[0]), {"verdict": "sufficient", "x": 1}) == {
        "verdict": "sufficient",
        "evidence": [],
    }


@pytest.mark.parametrize("odd", [{"votes": -1}, {"others": -1}, {"others": 1001}, {"agreement": "some"}])
def test_options_that_cannot_be_are_refused(odd: JSON) -> None:
    with pytest.raises(ValueError, match=next(iter(odd))):
        read(TASK.Options, odd)
