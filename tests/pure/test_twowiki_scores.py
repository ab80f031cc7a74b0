"""2WikiMultihopQA's own figures: answers and triples with aliases, titles without case, all three parts jointly."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from annotation.pure.statistics.metrics import TWOWIKI
from annotation.scorers import evaluate
from annotation.scorers.base import BadGold, BadPredictions
from tests.pure import official
from tests.pure.test_metrics import some_answer
from tests.pure.test_scorers import guess, lines, saved
from tests.shared_data import shared_data

Record = dict[str, Any]

NAMES = [
    {"Q_id": "Q1", "aliases": ["Isle of Farrow", "Farrow Isle"], "demonyms": ["Farrowian"]},
    {"Q_id": "Q2", "aliases": ["A. Quill"], "demonyms": []},
    {"Q_id": "Q3", "aliases": [], "demonyms": []},
]
GOLD: Record = {
    "_id": "a",
    "answer": "Farrow",
    "answer_id": "Q1",
    "supporting_facts": [["Ada Quill", 0], ["Farrow", 1]],
    "evidences": [["Ada Quill", "place of birth", "Farrow"], ["Farrow", "product", "tin"]],
    "evidences_id": [["Q2", "place of birth", "Q1"], ["Q1", "product", "Q9"]],
}
RIGHT: Record = {
    "answer": {"a": "the isle of Farrow"},
    "sp": {"a": [["ADA QUILL", 0], ["farrow", 1.0]]},
    "evidence": {"a": [["a quill", "Place of Birth", "Farrow Isle"], ["farrowian", "product", "Tin."]]},
}


def scored(folder: Path, gold: list[Record], said: Record, *, aliases: bool = True) -> dict[str, float]:
    paths = saved(folder / "gold.json", gold), saved(folder / "said.json", said)
    names = lines(folder / "names.jsonl", NAMES)
    return evaluate("2wikimultihopqa", *paths, aliases=names if aliases else None)


def test_aliases_of_answer_and_triples_count_and_titles_have_no_case(tmp_path: Path) -> None:
    figures = scored(tmp_path, [GOLD], RIGHT)
    assert list(figures) == official.TWOWIKI_KEYS
    assert set(figures.values()) == {100.0}
    plain = scored(tmp_path, [GOLD], RIGHT, aliases=False)
    assert (plain["em"], plain["recall"], plain["sp_em"], plain["evi_em"], plain["joint_em"]) == (0, 100, 100, 0, 0)
    own = scored(tmp_path, [GOLD | {"answer_aliases": ["Isle of Farrow"]}], RIGHT, aliases=False)
    assert (own["em"], own["evi_em"]) == (100, 0)


def test_a_missing_part_counts_0_there_and_jointly(tmp_path: Path) -> None:
    other = GOLD | {"_id": "b"}
    figures = scored(tmp_path, [GOLD, other], RIGHT)
    assert {figures[key] for key in figures if key.endswith("f1")} == {50.0}
    half = RIGHT | {"evidence": {}}
    assert scored(tmp_path, [GOLD], half)["joint_f1"] == 0
    assert scored(tmp_path, [GOLD], half)["f1"] == 100


def test_each_figure_of_an_answer_is_its_best_over_the_aliases() -> None:
    score = TWOWIKI.answer("New York City", ["New York", "New York City of the arts and of light"])
    assert (score.precision, score.recall) == (1.0, 1.0)
    assert score.f1 == pytest.approx(0.8)
    assert TWOWIKI.answer("no", ["know", "yes"]).f1 == 0


def some_gold(rng: random.Random, k: int) -> Record:
    triples = [[some_answer(rng), "born", some_answer(rng)] for _ in range(rng.randrange(1, 4))]
    ids = [[rng.choice(["Q1", "Q2", "Q8"]), "born", rng.choice(["Q3", "Q1"])] for _triple in triples]
    return {
        "_id": f"q{k}",
        "answer": rng.choice([some_answer(rng), "yes", "Farrow"]),
        "answer_id": rng.choice([None, "Q1", "Q2", "Q3", "Q8"]),
        "supporting_facts": [[rng.choice(["A", "a", "B", "Ç"]), rng.randrange(3)] for _ in range(rng.randrange(4))],
        "evidences": triples,
        "evidences_id": rng.choice([[], ids]),
    }


def some_predictions(rng: random.Random, gold: list[Record]) -> Record:
    names = [name for row in NAMES for name in row["aliases"] + row["demonyms"]]
    answers, facts, triples = {}, {}, {}
    for record in gold:
        if rng.random() < 0.95:
            answers[record["_id"]] = guess(rng, rng.choice([record["answer"], *names]))
        if rng.random() < 0.95:
            marked = record["supporting_facts"][: rng.randrange(4)]
            facts[record["_id"]] = [[title.swapcase(), k] for title, k in marked]
        if rng.random() < 0.95:
            given = [[rng.choice([s, *names]), r.upper(), rng.choice([o, *names])] for s, r, o in record["evidences"]]
            triples[record["_id"]] = given[: rng.randrange(4)]
    return {"answer": answers, "sp": facts, "evidence": triples}


def test_figures_equal_the_plain_definition_on_random_files(tmp_path: Path) -> None:
    names = lines(tmp_path / "names.jsonl", NAMES)
    for seed in range(12):
        rng = random.Random(seed)
        gold = [some_gold(rng, k) for k in range(300)]
        paths = saved(tmp_path / "g.json", gold), saved(tmp_path / "p.json", some_predictions(rng, gold))
        assert evaluate("2wikimultihopqa", *paths, aliases=names) == official.twowiki(*paths, names)


def test_real_records_are_scored_as_officially(tmp_path: Path) -> None:
    path, rng = shared_data("2wikimultihopqa_dev_150.json"), random.Random(4)
    gold = json.loads(path.read_text(encoding="utf-8"))
    named = {record["answer_id"]: record["answer"].upper() for record in gold if record["answer_id"]}
    rows = [{"Q_id": key, "aliases": [f"The other {name}"], "demonyms": [name]} for key, name in named.items()]
    names = lines(tmp_path / "names.jsonl", rows)
    said = {
        "answer": {r["_id"]: guess(rng, rng.choice([r["answer"], f"The other {r['answer']}"])) for r in gold},
        "sp": {r["_id"]: r["supporting_facts"][: rng.randrange(3)] for r in gold},
        "evidence": {r["_id"]: [[s, p, f"the other {o}"] for s, p, o in r["evidences"]] for r in gold},
    }
    predictions = saved(tmp_path / "p.json", said)
    figures = evaluate("2wikimultihopqa", path, predictions, aliases=names)
    assert figures == official.twowiki(path, predictions, names)
    assert 0 < figures["joint_f1"] < figures["f1"] < 100


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evidence": {"a": [["x", "y"]]}}, r"evidence \(id a\), a: number 1 is not a triple. Give three texts"),
        ({"evidence": None}, "evidence: found null"),
    ],
)
def test_it_says_where_the_triples_are_wrong(tmp_path: Path, change: Record, message: str) -> None:
    with pytest.raises(BadPredictions, match=message):
        scored(tmp_path, [GOLD], RIGHT | change)


def test_it_says_where_the_gold_and_the_aliases_are_wrong(tmp_path: Path) -> None:
    with pytest.raises(BadGold, match=r"\(id a\), evidences_id: 1 members for 2 evidences"):
        scored(tmp_path, [GOLD | {"evidences_id": [["Q1", "r", "Q2"]]}], RIGHT)
    paths = saved(tmp_path / "g.json", [GOLD]), saved(tmp_path / "p.json", RIGHT)
    with pytest.raises(BadGold, match=r"n.jsonl: line 1 \(id 5\), record: it names no entity. Give"):
        evaluate("2wikimultihopqa", *paths, aliases=lines(tmp_path / "n.jsonl", [{"Q_id": 5}]))
    with pytest.raises(ValueError, match="hotpotqa does not read aliases; only 2wikimultihopqa can"):
        evaluate("hotpotqa", *paths, aliases=paths[0])
