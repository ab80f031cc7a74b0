"""Predictions as people have them: some are missing, and pandas wrote their whole numbers with a point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.derivations.base import CannotDerive
from annotation.derivations.disconnection_filter import predictions_at
from annotation.scorers import evaluate, read_predictions
from annotation.scorers.base import BadPredictions
from tests.pure.test_scorers import lines, saved

FACTS = [["T", 0], ["U", 3]]
PARAGRAPH = {"idx": 1, "is_supporting": True}


def squad(folder: Path, *, version: str) -> Path:
    """Ten questions, of which in 2.0 the last five have no answer."""
    answers = [[{"text": f"word {k}", "answer_start": 0}] if version == "1.1" or k < 5 else [] for k in range(10)]
    questions = [{"id": f"q{k}", "answers": found} for k, found in enumerate(answers)]
    return saved(folder / "gold.json", {"version": version, "data": [{"paragraphs": [{"qas": questions}]}]})


def test_missing_predictions_of_squad_2_are_refused_with_their_number_and_the_first(tmp_path: Path) -> None:
    gold, said = squad(tmp_path, version="v2.0"), saved(tmp_path / "p.json", {"q4": "word 4"})
    message = "9 of 10 questions have no prediction: q0, q1, q2 and others. Give one for each"
    with pytest.raises(BadPredictions, match=message):
        evaluate("squad", gold, said)
    one = saved(tmp_path / "p.json", {f"q{k}": "" for k in range(9)})
    with pytest.raises(BadPredictions, match=r"1 of 10 questions have no prediction: q9\. Give"):
        evaluate("squad", gold, one)


def test_missing_predictions_of_squad_2_can_be_taken_as_no_answer(tmp_path: Path) -> None:
    gold, said = squad(tmp_path, version="v2.0"), saved(tmp_path / "p.json", {"q4": "word 4"})
    figures = evaluate("squad", gold, said, missing="empty")
    assert figures == {
        "exact": 60.0, "f1": 60.0, "total": 10,
        "HasAns_exact": 20.0, "HasAns_f1": 20.0, "HasAns_total": 5,
        "NoAns_exact": 100.0, "NoAns_f1": 100.0, "NoAns_total": 5,
    }  # fmt: skip
    with pytest.raises(ValueError, match="hotpotqa counts missing predictions as 0 already"):
        evaluate("hotpotqa", gold, said, missing="empty")


def test_missing_predictions_of_squad_1_count_0(tmp_path: Path) -> None:
    gold, said = squad(tmp_path, version="1.1"), saved(tmp_path / "p.json", {"q4": "word 4"})
    assert evaluate("squad", gold, said) == {"exact_match": 10.0, "f1": 10.0}


def with_points(value: Any) -> Any:
    """The same with every whole number as a float."""
    if isinstance(value, dict):
        return {key: with_points(part) for key, part in value.items()}
    if isinstance(value, list):
        return [with_points(part) for part in value]
    return float(value) if type(value) is int else value


GOLD: dict[str, list[dict[str, Any]]] = {
    "hotpotqa": [{"_id": "a", "answer": "x", "supporting_facts": FACTS}],
    "2wikimultihopqa": [{"_id": "a", "answer": "x", "supporting_facts": FACTS, "evidences": [["s", "r", "o"]]}],
    "musique": [
        {"id": "a", "answer": "x", "answerable": True, "paragraphs": [{"idx": 0, "is_supporting": True}, PARAGRAPH]}
    ],
    "dire-original": [{"_id": "a", "answer": "x", "supporting_facts": FACTS}],
    "dire-transform": [
        {"_id": "a", "answer": "x", "supporting_facts": FACTS, "sufficiency": label, "sub_idx": k}
        for k, label in enumerate((1, 0, 0))
    ],
}
_LINE = {"question_id": "a", "answer": "x", "supporting_paragraphs": ["T", "U"], "supporting_sentences": FACTS}
SAID: dict[str, Any] = {
    "hotpotqa": {"answer": {"a": "x"}, "sp": {"a": FACTS}},
    "2wikimultihopqa": {"answer": {"a": "x"}, "sp": {"a": FACTS}, "evidence": {"a": [["s", "r", "o"]]}},
    "musique": [{"id": "a", "predicted_answer": "x", "predicted_support_idxs": [1, 0], "predicted_answerable": True}],
    "dire-original": [_LINE],
    "dire-transform": [_LINE | {"sufficiency": label, "sub_idx": k} for k, label in enumerate((1, 0, 0))],
}


@pytest.mark.parametrize("name", GOLD)
def test_whole_numbers_with_a_point_count_as_they_are(tmp_path: Path, name: str) -> None:
    gold = lines(tmp_path / "g.jsonl", GOLD[name])
    plain, pointed = (
        saved(tmp_path / f"{k}.json", said) for k, said in enumerate((SAID[name], with_points(SAID[name])))
    )
    figures = evaluate(name, gold, plain)
    assert evaluate(name, gold, pointed) == figures
    assert str(figures).count("100.0" if "dire" in name or "2wiki" in name else "1.0") >= 3


def test_whole_numbers_with_a_point_are_read_into_a_dataset(tmp_path: Path) -> None:
    for name in ("hotpotqa", "2wikimultihopqa", "musique"):
        plain, pointed = (
            list(read_predictions(name, saved(tmp_path / "p.json", said)))
            for said in (SAID[name], with_points(SAID[name]))
        )
        assert plain == pointed


def test_whole_numbers_with_a_point_are_read_by_the_disconnection_filter(tmp_path: Path) -> None:
    said = {"id": "a", "seed": 1.0, "predicted_answer": "x", "predicted_support_idxs": [2.0, 0]}
    found = predictions_at(str(lines(tmp_path / "p.jsonl", [said])))
    assert found.seeds == ("1",)
    with pytest.raises(CannotDerive, match="line 1 of the predictions does not have the form"):
        predictions_at(str(lines(tmp_path / "p.jsonl", [said | {"predicted_support_idxs": [2.5]}])))


@pytest.mark.parametrize(
    ("name", "said", "message"),
    [
        ("hotpotqa", {"answer": {}, "sp": {"a": [["T", 0.5]]}}, "number 1 is not a pair of a title and a number"),
        ("musique", [SAID["musique"][0] | {"predicted_support_idxs": [0.5]}], "predicted_support_idxs: found a num"),
        ("dire-original", [_LINE | {"supporting_sentences": [["T", 0.5]]}], "supporting_sentences: one is no"),
        ("dire-transform", [_LINE | {"sufficiency": 0.5}], "sufficiency: found a number. Give a whole number"),
    ],
)
def test_other_fractions_are_refused(tmp_path: Path, name: str, said: Any, message: str) -> None:
    with pytest.raises(BadPredictions, match=message):
        evaluate(name, lines(tmp_path / "g.jsonl", GOLD[name]), saved(tmp_path / "p.json", said))
