"""Sub-questions: the paper's tables and examples, bridge entities by its three cases, and their files' figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.example import Paragraph
from annotation.pure.derivations.subquestions import (
    OUTCOMES,
    bridge_entity,
    carried,
    failure_rate,
    filled,
    matches_partially,
    shares,
)
from annotation.scorers import evaluate
from annotation.scorers.base import BadGold, BadPredictions

TABLE_3 = {
    "DFGN": ([23.0, 9.7, 17.9, 7.5, 4.9, 17.0, 3.5, 16.5], 60.4),
    "DecompRC": ([31.3, 7.2, 19.1, 5.5, 3.0, 18.6, 3.4, 11.9], 50.4),
    "CogQA": ([26.7, 5.8, 17.8, 2.9, 3.6, 22.5, 5.9, 14.8], 49.8),
}
TABLE_4 = {
    "DFGN": ([36.3, 11.9, 16.4, 6.5, 4.2, 12.1, 3.1, 9.5], 48.9),
    "DecompRC": ([47.4, 8.5, 17.2, 3.9, 4.0, 11.1, 1.9, 6.0], 38.4),
    "CogQA": ([40.9, 6.1, 16.5, 3.4, 4.5, 15.2, 5.6, 7.8], 38.9),
}


@pytest.mark.parametrize(("row", "rate"), [*TABLE_3.values(), *TABLE_4.values()])
def test_the_failure_rates_follow_from_the_papers_tables(row: list[float], rate: float) -> None:
    assert round(failure_rate(dict(zip(OUTCOMES, row, strict=True))) or 0, 1) == rate


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1))
def test_the_eight_shares_are_all_there_and_add_up(outcomes: list[tuple[bool, bool, bool]]) -> None:
    table = shares(outcomes)
    assert list(table) == ["ccc", "ccw", "cwc", "cww", "wcc", "wcw", "wwc", "www"]
    assert sum(table.values()) == pytest.approx(100)
    assert (failure_rate(table) is None) == (not any(right for right, _one, _two in outcomes))


@pytest.mark.parametrize(
    ("prediction", "gold", "matches"),
    [
        ("1986 to 2013", "from 1986 to 2013", True),
        ("the company Mondelez International", "Mondelez International, Inc.", False),  # the formula is kept
        ("City of Angles", "City of Angles (film)", True),
        ("Quell", "Mara Quell", True),
        ("Mara", "Mara Quell of Anselm", False),
        ("yes", "yes, it is", False),
        ("", "the", False),
    ],
)
def test_partial_matches(prediction: str, gold: str, matches: bool) -> None:
    assert matches_partially(prediction, gold) is matches


def wells(one: str, first: str, other: str, second: str) -> tuple[Paragraph, Paragraph]:
    return Paragraph(one, first), Paragraph(other, second)


GREY = "The Grey Petrel"
BRIDGES = [
    # the one title that occurs in the other paragraph
    (wells(GREY, "A ship.", "Mara Quell", "She led the Grey Petrel."), "", "", 0),
    (wells(GREY, "Mara Quell's ship.", "Mara Quell", "A captain."), "", "", 1),
    # neither: the title with more words in common with the other paragraph
    (wells("Anselm Harbour Light", "A tower.", "Tove Brandt", "She kept the light of Anselm."), "", "", 0),
    (wells("Grey Gull", "A boat.", "Old Inn", "A house."), "", "", None),
    # both: the one that is neither in the question nor in the answer
    (wells(GREY, "Mara Quell's ship.", "Mara Quell", "Of the Grey Petrel."), "Who led the Grey Petrel?", "1811", 1),
    (wells(GREY, "Mara Quell's ship.", "Mara Quell", "Of the Grey Petrel."), "Who led it?", "Mara Quell", 0),
    (wells(GREY, "Mara Quell's ship.", "Mara Quell", "Of the Grey Petrel."), "Who led it?", "1811", None),
    (wells(GREY, "Mara Quell's.", "Mara Quell", "The Grey Petrel."), "Was the Grey Petrel hers?", "Mara Quell", None),
]


@pytest.mark.parametrize(("gold", "question", "answer", "title"), BRIDGES)
def test_bridge_entities(gold: tuple[Paragraph, Paragraph], question: str, answer: str, title: int | None) -> None:
    assert bridge_entity(*gold, question=question, answer=answer).title == title
    swapped = bridge_entity(*reversed(gold), question=question, answer=answer).title
    assert swapped == (None if title is None else 1 - title)


def test_a_title_counts_without_what_tells_pages_apart() -> None:
    one, other = wells("Anselm (town)", "A town.", "Tove Brandt", "Born in Anselm.")
    assert bridge_entity(one, other, question="", answer="").title == 0


@pytest.mark.parametrize("blank", ["____", "[ANSWER]", "[blank]", "#1"])
def test_the_blank_is_filled_with_the_bridge_entity(blank: str) -> None:
    assert filled(f"Where was {blank} born?", "Mara Quell") == "Where was Mara Quell born?"


def test_a_question_without_a_blank_cannot_be_filled() -> None:
    assert filled("Where was #12 born?", "Mara Quell") is None


@given(st.text(max_size=30), st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_a_corrected_answer_stands_where_the_spans_say(around: str, old: str, new: str) -> None:
    text, spans = carried(f"{around} {old} {around}?", old, new)
    assert all(text[start:end] == new for start, end in spans)
    if not spans:
        assert text == f"{around} {old} {around}?"


def test_a_corrected_answer_goes_where_the_old_one_stood() -> None:
    assert carried("Is it so?", "", "Tove") == ("Is it so?", ())
    assert carried("Is it Tove?", "Tove", " ") == ("Is it Tove?", ())
    assert carried("Is Mara  Quell Mara Quell's?", "mara quell", "Tove") == ("Is Tove Tove's?", ((3, 7), (8, 12)))


def folder(path: Path, files: dict[str, Any]) -> Path:
    path.mkdir()
    for name, content in files.items():
        (path / f"dev_{name}.json").write_text(json.dumps(content))
    return path


def test_the_files_figures(tmp_path: Path) -> None:
    arrays = {end: [{"_id": f"q{k}", "answer": f"Well {k}"} for k in range(4)] for end in ("ori", "sub1", "sub2")}
    said = {end: {f"q{k}": f"the well {k}" for k in range(4)} for end in arrays}
    said["sub2"]["q0"] = "Well"
    del said["sub1"]["q1"]
    figures = evaluate("subqa", folder(tmp_path / "gold", arrays), folder(tmp_path / "said", said))
    assert list(figures) == ["n", "q", "sub1", "sub2", "em", "pm"]
    assert figures["q"] == {"em": 100.0, "f1": 100.0, "pm": 100.0}
    assert figures["sub1"] == {"em": 75.0, "f1": 75.0, "pm": 75.0}
    assert figures["sub2"] == {"em": 75.0, "f1": 91.67, "pm": 100.0}
    assert figures["em"] == dict.fromkeys(OUTCOMES, 0.0) | {"ccc": 50.0, "ccw": 25.0, "cwc": 25.0, "failure_rate": 50.0}
    assert figures["pm"]["failure_rate"] == 25.0


def test_what_is_wrong_with_the_files_is_said(tmp_path: Path) -> None:
    row = [{"_id": "a", "answer": "x"}]
    gold = folder(tmp_path / "gold", {"ori": row, "sub1": row, "sub2": row})
    with pytest.raises(BadPredictions, match="0 files whose name ends in _ori"):
        evaluate("subqa", gold, folder(tmp_path / "empty", {}))
    with pytest.raises(BadGold, match="differ in length: ori 2, sub1 1"):
        evaluate("subqa", folder(tmp_path / "g2", {"ori": row * 2, "sub1": row, "sub2": row}), gold)
    with pytest.raises(BadPredictions, match="none of the ids"):
        evaluate("subqa", gold, folder(tmp_path / "p", {"ori": {"b": "x"}, "sub1": {}, "sub2": {}}))
