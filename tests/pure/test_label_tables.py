"""Tables of labels: figures worked by hand, the anaesthetists, and what must hold of any judgments."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.reports.tables import lines
from annotation.pure.review.label_tables import TOO_FEW, agreement_tables, expected_agreement, most_said, side_by_side
from annotation.pure.statistics.distance_agreement import alpha
from tests.pure.test_label_models import anaesthetists

WORDS = {"yes": "it does", "no": "it does not"}
FOUR = [
    ("a", [("amy", "yes"), ("bo", "yes"), ("cy", "no")]),
    ("b", [("amy", "no"), ("bo", "no"), ("cy", "no")]),
    ("c", [("amy", "yes"), ("bo", "no")]),
    ("d", [("amy", "yes")]),
    ("e", []),
]


def tables(judged: Any, **more: Any) -> dict[str, dict[str, Any]]:
    made = agreement_tables(judged, categories=("yes", "no"), labels=WORDS, on="sufficiency", seed=3, **more)
    return {table["name"]: table for table in made}


def row(table: dict[str, Any], words: str) -> list[Any]:
    return next(r for r in table["rows"] if r[0] == words or r[0] == {"text": words, "values": {}})


def test_agreement_is_worked_over_the_items_that_two_judged():
    found = tables(FOUR)["agreement"]
    assert row(found, "Agreement of pairs of annotators")[1] == pytest.approx((1 / 3 + 1 + 0) / 3, abs=0.0005)
    # 3 yes and 5 no among the eight labels of shared items
    assert row(found, "Agreement expected by chance")[1] == pytest.approx((3 * 2 + 5 * 4) / (8 * 7), abs=0.0005)
    value = alpha([dict(own) for _, own in FOUR], 1).figure.value
    assert row(found, "Krippendorff's alpha (nominal)")[1] == pytest.approx(value, abs=0.0005)
    assert [r[4] for r in found["rows"]] == [3, 3, 3]
    raw = row(found, "Agreement of pairs of annotators")
    # the figure itself; without amy or bo 0.5 (a differs, b agrees, c has one label); without cy a agrees too
    assert raw[5:] == [0.444, 0.667]
    labels = {item: dict(own) for item, own in FOUR}
    without = [
        alpha([{name: x for name, x in own.items() if name != worker} for own in labels.values()], 1).figure.value
        for worker in ("amy", "bo", "cy")
    ]
    ends = row(found, "Krippendorff's alpha (nominal)")[5:]
    assert ends == [round(min(without), 3), round(max(without), 3)]
    assert row(found, "Agreement expected by chance")[5:] == [None, None]


def test_a_tie_is_nobody_s_majority_and_models_need_twenty_shared_items():
    found = tables(FOUR)["verdicts"]
    assert [r[1] for r in found["rows"]] == [2, 1, 1, None]
    assert [r[3] for r in found["rows"]] == [None] * 4
    assert found["note"] == TOO_FEW
    assert side_by_side(FOUR).majority == {"a": "yes", "b": "no", "c": None, "d": "yes"}


def test_a_aggregate_that_no_item_has_has_a_share_of_nothing():
    found = tables([("a", [("amy", "yes"), ("bo", "yes")]), ("b", [("amy", "yes")])])["verdicts"]
    assert [(r[1], r[2]["value"]) for r in found["rows"][:-1]] == [(2, 1), (0, 0), (0, 0)]


def test_a_worker_stands_beside_the_majority_of_the_others_without_the_own_label():
    found = tables(FOUR)["by-worker"]
    # amy: the others of a tie (half), those of b say no, c's other says no; d has no others
    figure = row(found, "amy")[2]
    assert (figure["value"], figure["n"]) == (pytest.approx((0.5 + 1 + 0) / 3), 3)
    assert row(found, "amy")[1] == 4


def test_confusion_counts_stand_against_gold_where_it_is_known():
    found = tables(FOUR, gold={"a": "no", "b": "no"})
    assert [[r[0], r[1]["text"], *r[2:]] for r in found["confusion"]["rows"]] == [
        ["amy", "it does not", 1, 1],
        ["bo", "it does not", 1, 1],
        ["cy", "it does not", 0, 2],
    ]
    assert row(found["by-worker"], "cy")[-1]["value"] == 1
    against_others = tables(FOUR)["confusion"]["rows"]
    assert ["cy", {"text": "it does", "values": {}}, 0, 1] in against_others


def test_dawid_skene_stands_beside_the_majority_of_the_anaesthetists():
    by_patient: dict[str, list[tuple[str, int]]] = {}
    for place, vote in enumerate(anaesthetists()):
        by_patient.setdefault(str(vote.item), []).append((f"{vote.worker}-{place % 7}", vote.label))
    models = side_by_side(by_patient.items())
    assert models.dawid_skene is not None
    # one observer counts three times here, as three workers: the patients that no majority settles are among these
    assert {item for item, label in models.majority.items() if label is None} <= set(
        models.differing(models.dawid_skene)
    )
    made = {t["name"]: t for t in agreement_tables(by_patient.items(), categories=(), labels={}, on="", seed=1)}
    aggregates = made["verdicts"]["rows"]
    assert sum(r[1] for r in aggregates[:-1]) == sum(r[3] for r in aggregates[:-1]) == 45
    assert aggregates[-1][3] == len(models.differing(models.dawid_skene))


def test_nothing_judged_gives_tables_without_figures():
    assert all(lines(table) for table in tables([]).values())
    assert expected_agreement([]).value is None


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["amy", "bo", "cy", "דנה"]), st.sampled_from(["yes", "no", "🙂"]), max_size=4),
        max_size=25,
    ),
    st.booleans(),
)
def test_any_judgments_make_tables_that_print_and_count_every_item_once(given_by_item, with_gold):
    judged = [(f"i{k}", list(own.items())) for k, own in enumerate(given_by_item)]
    gold = {f"i{k}": "yes" for k in range(0, len(judged), 2)} if with_gold else None
    found = tables(judged, gold=gold)
    items = sum(1 for _, own in judged if own)
    counted = found["verdicts"]["rows"]
    assert sum(r[1] for r in counted[:-1]) == items
    if counted[0][3] is not None:
        assert sum(r[3] for r in counted[:-1]) == sum(r[4] for r in counted[:-1]) == items
    for table in found.values():
        assert all(len(r) == len(table["columns"]) for r in table["rows"])
        assert lines(table)
        for cell in (cell for r in table["rows"] for cell in r if isinstance(cell, float)):
            assert math.isfinite(cell)
    assert tables(judged, gold=gold) == found


@given(st.lists(st.sampled_from("abc")))
def test_the_majority_is_a_label_that_no_other_equals_in_number(labels):
    winner = most_said(labels)
    counts = {label: labels.count(label) for label in labels}
    best = [label for label, count in counts.items() if count == max(counts.values())]
    assert winner == (best[0] if len(best) == 1 else None)
