"""The files of a study: what they may say, and where the errors point."""

from __future__ import annotations

import sys

import pytest

from annotation.pure.statistics.intervals import Figure
from annotation.pure.studies import definition, published
from annotation.pure.studies.definition import BadStudy
from annotation.pure.studies.published import BEFORE, COLUMNS, Published

HEAD = "title: T\npaper: P\nabout: A\n"
DATA = "data:\n  q: {format: musique, file: f.jsonl, where: there, small: s.jsonl}\n"
BATCH = "batches:\n  b: {task: answer, datasets: [q]}\n"
TWO = BATCH + "  c: {task: answer, datasets: [q]}\n"


def test_a_definition_is_read() -> None:
    found = definition.read(HEAD + DATA + "derivations:\n  d: {from: q, how: sample, options: {count: 10}}\n" + BATCH)
    assert [each.name for each in found.derivations] == ["d"]
    assert found.derivations[0].source == "q"
    assert found.batches[0].datasets == ["q"]
    assert found.protocol == "paper"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- a list", "it needs the keys"),
        ("title: [", "it is not YAML"),
        (HEAD + DATA + BATCH + "bathces: {}", "bathces: there is no such key"),
        (DATA + BATCH, "title: write a text"),
        (HEAD + DATA + BATCH + "protocol: theirs", "protocol: write paper or ours"),
        (
            HEAD + DATA + "batches:\n  b: {task: answer, datasets: [q], protocol: mine}",
            "batches.b.protocol: write paper or ours",
        ),
        (HEAD + DATA + "batches:\n  b: {task: answer}", "batches.b.datasets is missing"),
        (
            HEAD + DATA + "batches:\n  b: {task: answer, datasets: [q], asignments: 3}",
            "batches.b.asignments: there is no",
        ),
        (HEAD + DATA + "batches:\n  b: {task: answer, datasets: q}", "batches.b.datasets: write a list"),
        (HEAD + DATA + "batches:\n  b: {task: answer, datasets: [r]}", "b.datasets: there is no dataset r before it"),
        (HEAD + DATA + "derivations:\n  d: {from: e, how: sample}\n" + BATCH, "derivations.d: there is no dataset e"),
        (HEAD + DATA + "derivations:\n  q: {from: q, how: sample}\n" + BATCH, "q: two datasets have this name"),
        (
            HEAD + DATA + 'derivations:\n  d: {from: q, how: x, options: {pool: "$z"}}\n' + BATCH,
            "derivations.d: there is no dataset z",
        ),
        (HEAD + DATA, "batches: a study needs at least one"),
        (HEAD + DATA + BATCH + "arms: order", "arms: write each: one or each: order"),
        (HEAD + DATA + TWO + "arms: {each: both}", "arms.each: write one or order"),
        (HEAD + DATA + TWO + "arms: {each: one, of: [b, d]}", "arms.of: there is no batch d"),
        (HEAD + DATA + BATCH + "arms: {each: one}", "arms.of: name at least two batches"),
    ],
)
def test_an_error_names_its_place(text: str, why: str) -> None:
    with pytest.raises(BadStudy, match="^" + why.replace(".", r"\.")):
        definition.read(text)


def test_arms_are_all_batches_or_some() -> None:
    three = HEAD + DATA + TWO + "  d: {task: answer, datasets: [q]}\n"
    found = definition.read(three + "arms: {each: order, title: Read}")
    assert found.arms is not None
    assert (found.arms.each, found.arms.title) == ("order", "Read")
    assert [row.name for row in found.arm_batches] == ["b", "c", "d"]
    some = definition.read(three + "arms: {each: one, of: [d, b]}")
    assert [row.name for row in some.arm_batches] == ["b", "d"]
    assert definition.read(three).arm_batches == []


def test_a_batch_of_ours_in_a_study_of_a_paper_is_named() -> None:
    text = HEAD + DATA + BATCH + "  c: {task: answer, datasets: [q], protocol: ours}\n"
    assert definition.read(text).own_batches == ["c"]
    assert definition.read(text + "protocol: ours\n").own_batches == [], "all of it is"


def test_a_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(BadStudy, match=r'pip install "hopscribe\[studies\]"'):
        definition.read(HEAD + DATA + BATCH)


def test_the_scale_shrinks_samples_only() -> None:
    assert definition.scaled({"count": 125}, "sample", 0.1) == {"count": 12}
    assert definition.scaled({"count": 3}, "sample", 0.1) == {"count": 1}
    assert definition.scaled({"count": 115}, "sample", 7.4) == {"count": 851}
    assert definition.scaled({"count": 125}, "graphs", 0.1) == {"count": 125}


def row(value: str = "90", unit: str = "percent", n: str = "50") -> Published:
    [found] = published.read(",".join(COLUMNS) + f"\nF,{value},{unit},{n},Table 3,Score,F1,546,,b,a,,\n")
    return found


def test_a_published_figure_is_a_share_with_its_place() -> None:
    found = row()
    assert found.value == pytest.approx(0.9)
    assert found.place == "Table 3, Score, F1, p. 546"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("F,x,percent,50,,,,,,,,,", "line 2: value and n are numbers"),
        ("F,1,inch,50,,,,,,,,,", "line 2, unit: write one of"),
        ("F,1,percent,50,,,,,,b,,,", "line 2: batch and path go together"),
        ("F,1,percent", "line 2: it has more or fewer than 13 columns"),
        ("F,1,percent,50,,,,,,b,a,no,", "line 2, primary: write yes or nothing"),
        ("F,1,percent,50,,,,,,,,yes,", "line 2, primary: only a share or score with batch and path"),
        ("F,1,count,50,,,,,,b,a,yes,", "line 2, primary: only a share or score with batch and path"),
        ("F,1,percent,50,,,,,,b,a,,over", "line 2, bound: write at least, at most or nothing"),
        ("F,1,percent,50,,,,,,b - c,a,,at least", "line 2, bound: a contrast has none"),
        ("F,1,percent,50,,,,,,b - b,a,,", "line 2, batch: write a batch, or two different ones"),
        ("F,1,percent,50,,,,,,b - analysis,a,,", "line 2, batch: write a batch, or two different ones"),
        ("F,1,percent,50,,,,,,b,a,yes,\n" * 11, "primary: at most 10 figures"),
    ],
)
def test_a_wrong_line_of_figures_is_named(line: str, why: str) -> None:
    with pytest.raises(BadStudy, match=why):
        published.read(",".join(COLUMNS) + f"\n{line}\n")


def test_a_figure_may_be_primary_a_bound_or_a_contrast() -> None:
    line = "F,80,percent,50,,,,,,b - c,{}.a,yes,"
    [found] = published.read(",".join(COLUMNS) + f"\n{line}\n")
    assert (found.primary, found.bound, found.batches) == (True, "", ["b", "c"])
    assert (row().primary, row().bound, row().batches) == (False, "", ["b"])
    [found] = published.read(",".join(COLUMNS) + "\nF,80,percent,50,,,,,,b,a,,at least\n")
    assert found.bound == "at least"


def test_a_file_with_the_columns_of_earlier_runs_is_read() -> None:
    [found] = published.read(",".join(BEFORE) + "\nF,90,percent,50,Table 3,Score,F1,546,,b,a\n")
    assert found == row()
    with pytest.raises(BadStudy, match="it has more or fewer than 11 columns"):
        published.read(",".join(BEFORE) + "\nF,90,percent,50,Table 3,Score,F1,546,,b,a,yes,\n")


def test_a_path_leads_through_keys_tables_rows_and_columns() -> None:
    report = {
        "datasets": {"d": {"f1": {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}}},
        "tables": [{"name": "labels", "columns": ["Label", "n"], "rows": [["x", 3]]}],
    }
    assert published.ours(report, "datasets.d.f1") == Figure(0.5, 0.4, 0.6, 9, "")
    assert published.ours(report, "tables.labels.0.1") == Figure(3.0, None, None, 0)
    for missing in ("datasets.e.f1", "tables.none.0.1", "tables.labels.1.0", "tables.labels.0.7", "tables.labels.0.0"):
        assert published.ours(report, missing) is None
