"""`evaluate --format dire-*` and `nmf-*`: the plain definitions on random files, worked cases, what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from annotation.derivations import DERIVATIONS
from annotation.formats import FORMATS
from annotation.pure.statistics.metrics import HOTPOTQA
from annotation.scorers import evaluate
from annotation.scorers.base import BadGold, BadPredictions
from tests.derivations.listed import Listed, derived
from tests.derivations.test_dire import well

Record = dict[str, Any]
KINDS = ["dire-transform", "dire-probe", "dire-probe-of-transform", "dire-trivial"]
KINDS += ["nmf-transform", "nmf-probe", "nmf-probe-of-transform"]


def gold_file(tmp_path: Path, how: str, supports: tuple[int, ...] = (1, 4), n: int = 12) -> tuple[Path, list[Record]]:
    made, _ = derived(DERIVATIONS[how], Listed([well(k, supports=supports, size=9) for k in range(n)]), seed=1)
    path = tmp_path / f"{how}.json"
    with path.open("wb") as out:
        FORMATS["dire"].write(made, out)
    return path, json.loads(path.read_text())


def perfect(row: Record) -> Record:
    said = {
        "question_id": row["_id"],
        "answer": row["answer"],
        "answer_confidence": 0.5,
        "supporting_paragraphs": sorted({title for title, _n in row["supporting_facts"]}),
        "supporting_sentences": row["supporting_facts"],
    }
    return said | {key: row[key] for key in ("sufficiency", "sub_idx") if key in row}


def noisy(row: Record, rng: random.Random) -> Record:
    said = perfect(row)
    if rng.random() < 0.4:
        said["answer"] = rng.choice(["Stone 4 and more", "yes", "", "Water"])
    said["answer_confidence"] = rng.choice([0.1, 0.5, 0.9])
    said["supporting_sentences"] = [f for f in said["supporting_sentences"] if rng.random() < 0.8]
    if rng.random() < 0.3:
        said["supporting_sentences"].append(["Elsewhere", 0])
    said["supporting_paragraphs"] = sorted({title for title, _n in said["supporting_sentences"]})
    if "sufficiency" in said and rng.random() < 0.15:
        said["sufficiency"] = rng.choice([1, 0, -1])
    return said


def saved(path: Path, records: list[Record], rng: random.Random | None = None) -> Path:
    records = rng.sample(records, len(records)) if rng else records
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


@pytest.mark.parametrize("how", KINDS)
@pytest.mark.parametrize("supports", [(1, 4), (0, 2, 5), (0, 2, 5, 7)])
def test_a_perfect_model_scores_everything(tmp_path: Path, how: str, supports: tuple[int, ...]) -> None:
    gold, rows = gold_file(tmp_path, how, supports, n=3)
    figures = evaluate(how, gold, saved(tmp_path / "p.jsonl", [perfect(row) for row in rows]))
    assert figures["n"] == 3
    blocks = ["answer", "supporting_paragraphs", "supporting_sentences", "joint_paragraphs", "joint_sentences"]
    assert list(figures) == [*blocks, "n"]
    for block in blocks:
        assert set(figures[block].values()) == {100.0}
        assert list(figures[block]) == (
            ["f1", "em"] if block.startswith("joint") else ["f1", "em", "precision", "recall"]
        )


def plain_probe(rows: list[Record], lines: list[Record], before: dict[str, Record] | None) -> Record:
    """The official script's way for two supports, written from its description: last lines first."""
    groups: dict[str, list[tuple[Record, Record]]] = {}
    left = {row["_id"]: [line for line in lines if line["question_id"] == row["_id"]] for row in rows}
    for row in rows:
        groups.setdefault(row["_id"], []).append((row, left[row["_id"]].pop()))
    answers, sentences, joint = [], [], []
    for row_id, ((row, one), (other, two)) in groups.items():
        said = one["answer"] if one["answer_confidence"] > two["answer_confidence"] else two["answer"]
        labels = {tuple(f) for f in row["supporting_facts"] + other["supporting_facts"]}
        union = {tuple(f) for f in one["supporting_sentences"] + two["supporting_sentences"]}
        answer, support = HOTPOTQA.answer(said, (row["answer"],)), HOTPOTQA.support(union, labels)
        pair = [[s.f1, s.em, s.precision, s.recall] for s in (answer, support)]
        if before:
            old = before[row_id]
            base = HOTPOTQA.answer(old["answer"], (row["answer"],))
            kept = HOTPOTQA.support({tuple(f) for f in old["supporting_sentences"]}, labels)
            for ours, s in zip(pair, (base, kept), strict=True):
                ours[:] = map(min, ours, [s.f1, s.em, s.precision, s.recall])
        answers.append(pair[0])
        sentences.append(pair[1])
        p, r = pair[0][2] * pair[1][2], pair[0][3] * pair[1][3]
        joint.append([2 * p * r / (p + r) if p + r else 0.0, min(pair[0][1], pair[1][1])])
    means = [[round(100 * sum(c) / len(c), 1) for c in zip(*part, strict=True)] for part in (answers, sentences, joint)]
    names = ["f1", "em", "precision", "recall"]
    return {
        "answer": dict(zip(names, means[0], strict=True)),
        "supporting_sentences": dict(zip(names, means[1], strict=True)),
        "joint_sentences": dict(zip(names[:2], means[2], strict=True)),
    }


@pytest.mark.parametrize("conditional", [False, True])
def test_the_probe_scores_as_the_official_script_on_random_files(tmp_path: Path, conditional: bool) -> None:
    gold, rows = gold_file(tmp_path, "dire-probe", n=60)
    for seed in range(15):
        rng = random.Random(seed)
        lines = [noisy(row, rng) for row in rows]
        rng.shuffle(lines)
        before = {row["_id"]: noisy(row, rng) for row in rows}
        options = {"original_predictions": saved(tmp_path / "o.jsonl", list(before.values()))} if conditional else {}
        figures = evaluate("dire-probe", gold, saved(tmp_path / "p.jsonl", lines), **options)
        expected = plain_probe(rows, lines, before if conditional else None)
        assert {name: figures[name] for name in expected} == expected
        if conditional:
            assert {n: figures["unconditional"][n] for n in expected} == plain_probe(rows, lines, None)


@pytest.mark.parametrize("how", [kind for kind in KINDS if kind.endswith("transform")])
def test_any_wrong_sufficiency_takes_the_question(tmp_path: Path, how: str) -> None:
    gold, rows = gold_file(tmp_path, how, n=4)
    said = [perfect(row) for row in rows]
    said[1]["sufficiency"] = 1 if said[1]["sufficiency"] != 1 else 0
    assert evaluate(how, gold, saved(tmp_path / "p.jsonl", said, random.Random(1)))["answer"]["em"] == 75.0


def test_with_three_supports_the_best_bipartition_counts_for_each_figure(tmp_path: Path) -> None:
    gold, rows = gold_file(tmp_path, "dire-probe", (0, 2, 5), n=1)
    said = [perfect(row) | {"answer": "wrong"} for row in rows]
    for k in (0, 1):
        said[k]["answer"] = rows[0]["answer"]  # the first bi-partition knows the answer but no sentence
        said[k]["supporting_sentences"] = []
    figures = evaluate("dire-probe", gold, saved(tmp_path / "p.jsonl", said))
    assert figures["answer"]["em"] == figures["supporting_sentences"]["em"] == 100.0
    assert figures["joint_sentences"] == {"f1": 0.0, "em": 0.0}


def test_all_copies_of_the_trivial_transform_must_be_right(tmp_path: Path) -> None:
    gold, rows = gold_file(tmp_path, "dire-trivial", n=2)
    said = [perfect(row) for row in rows]
    said[2]["answer"] = "wrong"
    figures = evaluate("dire-trivial", gold, saved(tmp_path / "p.jsonl", said))
    assert figures["answer"]["em"] == 50.0
    assert figures["supporting_paragraphs"]["em"] == 100.0


def test_nmf_wants_each_part_of_the_support_exactly_and_gives_shares_of_the_original(tmp_path: Path) -> None:
    gold, rows = gold_file(tmp_path, "nmf-probe-of-transform", n=1)
    said = [perfect(row) for row in rows]
    said[0]["supporting_paragraphs"], said[2]["supporting_paragraphs"] = (
        said[2]["supporting_paragraphs"],
        said[0]["supporting_paragraphs"],
    )
    figures = evaluate("nmf-probe-of-transform", gold, saved(tmp_path / "p.jsonl", said))
    assert figures["supporting_paragraphs"]["f1"] == 100.0  # the union is right
    assert figures["supporting_paragraphs"]["em"] == 0.0
    gold, rows = gold_file(tmp_path, "nmf-probe", n=4)
    probe = [perfect(row) | ({"answer": "wrong"} if row["_id"] == "q0" else {}) for row in rows]
    before = {row["_id"]: perfect(row) for row in rows}
    before["q0"]["answer"] = before["q1"]["answer"] = "wrong"
    originals = saved(tmp_path / "o.jsonl", list(before.values()))
    found = evaluate("nmf-probe", gold, saved(tmp_path / "p.jsonl", probe), original_predictions=originals)
    assert found["nmf_percent"]["answer"]["em"] == 150.0
    assert found["answer"]["em"] == 50.0


def test_the_untouched_questions_are_scored_alone(tmp_path: Path) -> None:
    rows = [{"_id": "a", "answer": "Oslo", "supporting_facts": [["T", 0], ["U", 1]]}]
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps(rows))
    said = perfect(rows[0]) | {"supporting_sentences": [["T", 0]], "supporting_paragraphs": ["T"]}
    figures = evaluate("dire-original", gold, saved(tmp_path / "p.jsonl", [said]))
    assert figures["supporting_sentences"] == {"f1": 66.7, "em": 0.0, "precision": 100.0, "recall": 50.0}
    assert figures["joint_sentences"] == {"f1": 66.7, "em": 0.0}


WRONG = [
    ({"answer": 3}, "answer: found a number. Give a text"),
    ({"supporting_sentences": [["T"]]}, "supporting_sentences: one is no such pair"),
    ({"sufficiency": None}, "sufficiency: the field is missing"),
    ({"sub_idx": 99}, "question_id: none has the sub_idx"),
    ({"answer_confidence": "high"}, "answer_confidence: found a text"),
    ({"question_id": "other"}, "question_id: 2 predictions for 3 rows"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_it_says_where_predictions_are_wrong(tmp_path: Path, change: Record, message: str) -> None:
    gold, rows = gold_file(tmp_path, "dire-transform", n=2)
    said = [perfect(row) for row in rows]
    said[1] |= change
    with pytest.raises(BadPredictions, match=message):
        evaluate("dire-transform", gold, saved(tmp_path / "p.jsonl", said))


@pytest.mark.parametrize("how", ["dire-probe", "dire-probe-of-transform"])
def test_a_probe_scores_the_same_by_the_labels_of_the_released_files(tmp_path: Path, how: str) -> None:
    gold, rows = gold_file(tmp_path, how)
    said = saved(tmp_path / "p.jsonl", [noisy(row, random.Random(k)) for k, row in enumerate(rows)])
    source = Listed([well(k, supports=(1, 4), size=9) for k in range(12)])
    made, _ = derived(DERIVATIONS[how], source, seed=1, labels="released")
    with (tmp_path / "released.json").open("wb") as out:
        FORMATS["dire"].write(made, out)
    assert (tmp_path / "released.json").read_bytes() != gold.read_bytes()
    assert evaluate(how, tmp_path / "released.json", said) == evaluate(how, gold, said)


@pytest.mark.parametrize("how", ["dire-transform", "dire-probe-of-transform"])
def test_rows_that_were_drawn_for_training_are_no_gold(tmp_path: Path, how: str) -> None:
    made, _ = derived(DERIVATIONS[how], Listed([well(1)]), balanced="train")
    with (tmp_path / "train.json").open("wb") as out:
        FORMATS["dire"].write(made, out)
    said = [perfect(row) for row in json.loads((tmp_path / "train.json").read_text())]
    with pytest.raises(BadGold):
        evaluate(how, tmp_path / "train.json", saved(tmp_path / "p.jsonl", said))


def test_gold_of_another_kind_is_refused_with_the_way_to_make_it(tmp_path: Path) -> None:
    gold, rows = gold_file(tmp_path, "dire-probe", n=2)
    with pytest.raises(BadGold, match="--how dire-transform"):
        evaluate("dire-transform", gold, saved(tmp_path / "p.jsonl", [perfect(r) | {"sufficiency": 1} for r in rows]))
    with pytest.raises(ValueError, match="not conditioned"):
        evaluate("dire-transform", gold, gold, original_predictions=gold)
