"""`evaluate` against the plain official definitions on random and real files, and what it refuses."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.scorers import evaluate, read_predictions
from annotation.scorers.base import BadGold, BadPredictions, Prediction
from tests.long_forms import first
from tests.pure import official
from tests.pure.test_metrics import some_answer

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_real_records = pytest.mark.skipif(not REAL.is_dir(), reason="the real records are not here")


def saved(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def lines(path: Path, records: list[dict]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def guess(rng: random.Random, right: str) -> str:
    """Sometimes right, sometimes nearly, sometimes not."""
    words = right.split()
    shuffled = " ".join(rng.sample(words, len(words)))
    return rng.choice([right, right.upper(), shuffled, f"the {right}!", right[:-1], some_answer(rng), "yes", ""])


def hotpotqa_predictions(rng: random.Random, gold: list[dict]) -> dict:
    answers, facts = {}, {}
    for record in gold:
        if rng.random() < 0.97:
            answers[record["_id"]] = guess(rng, record["answer"])
        if rng.random() < 0.97:
            right = record["supporting_facts"]
            facts[record["_id"]] = rng.sample(right, rng.randint(0, len(right))) + [["Elsewhere", 0]] * (
                rng.random() < 0.5
            )
    return {"answer": answers, "sp": facts}


def random_hotpotqa(rng: random.Random, n: int) -> list[dict]:
    return [
        {
            "_id": f"q{k}",
            "answer": rng.choice([some_answer(rng), "yes", "no", "New York City"]),
            "supporting_facts": [[rng.choice("ABÇ"), rng.randrange(3)] for _ in range(rng.randrange(4))],
        }
        for k in range(n)
    ]


def test_hotpotqa_figures_equal_the_plain_definition_on_random_files(tmp_path):
    for seed in range(12):
        rng = random.Random(seed)
        gold = random_hotpotqa(rng, 500)
        gold_path = saved(tmp_path / "gold.json", gold)
        predictions = saved(tmp_path / "predictions.json", hotpotqa_predictions(rng, gold))
        figures = evaluate("hotpotqa", gold_path, predictions)
        expected = official.hotpotqa(gold_path, predictions)
        assert figures == expected
        assert list(figures) == list(expected)


def random_musique(rng: random.Random, n: int, *, full: bool) -> tuple[list[dict], list[dict]]:
    gold, predictions = [], []
    for k in range(n):
        answer = rng.choice([some_answer(rng), "New York City", "1999"])
        for answerable in rng.sample([True, False], 2) if full else [True]:
            places = rng.sample(range(8), rng.randrange(4))
            paragraphs = [{"idx": idx, "is_supporting": idx in places} for idx in range(8)]
            aliases = [some_answer(rng) for _ in range(rng.randrange(3))]
            gold.append({"id": f"2hop__{k}", "paragraphs": paragraphs, "answer": answer})
            gold[-1] |= {"answer_aliases": aliases, "answerable": answerable}
            predictions.append({"id": f"2hop__{k}", "predicted_answer": guess(rng, answer)})
            predictions[-1]["predicted_support_idxs"] = rng.sample([*places, 9], rng.randint(0, len(places)))
            predictions[-1]["predicted_answerable"] = answerable if rng.random() < 0.7 else not answerable
    return gold, predictions


@pytest.mark.parametrize("full", first(1, [True, False]))
def test_musique_figures_equal_the_plain_definition_on_random_files(tmp_path, full):
    for seed in range(12):
        gold, predictions = random_musique(random.Random(seed), 500, full=full)
        paths = lines(tmp_path / "gold.jsonl", gold), lines(tmp_path / "predictions.jsonl", predictions)
        figures, expected = evaluate("musique", *paths), official.musique(*paths)
        assert figures == expected
        assert list(figures) == list(expected)
        assert len(figures) == (5 if full else 3)


def random_squad(rng: random.Random, n: int, *, version: str) -> tuple[dict, dict]:
    questions, predictions = [], {}
    for k in range(n):
        golds = [rng.choice(["in 1999", "New York", some_answer(rng)]) for _ in range(rng.randint(1, 3))]
        if version == "v2.0" and rng.random() < 0.4:
            golds = []
        questions.append({"id": f"q{k}", "answers": [{"text": gold, "answer_start": 0} for gold in golds]})
        if version == "v2.0" or rng.random() < 0.95:
            predictions[f"q{k}"] = guess(rng, (golds or [""])[0])
    return {"version": version, "data": [{"paragraphs": [{"qas": questions}]}]}, predictions


@pytest.mark.parametrize("version", ["1.1", "v2.0"])
def test_squad_figures_equal_the_plain_definition_on_random_files(tmp_path, version):
    for seed in range(12):
        gold, predictions = random_squad(random.Random(seed), 500, version=version)
        paths = saved(tmp_path / "gold.json", gold), saved(tmp_path / "predictions.json", predictions)
        figures, expected = evaluate("squad", *paths), official.squad(*paths)
        assert figures == expected
        assert list(figures) == list(expected)


@needs_real_records
@pytest.mark.parametrize("name", ["hotpotqa_dev_distractor_240.json", "hotpotqa_dev_fullwiki_20.json"])
def test_real_hotpotqa_records_are_scored_as_officially(tmp_path, name):
    gold = json.loads((REAL / name).read_text(encoding="utf-8"))
    predictions = saved(tmp_path / "predictions.json", hotpotqa_predictions(random.Random(1), gold))
    assert evaluate("hotpotqa", REAL / name, predictions) == official.hotpotqa(REAL / name, predictions)


@needs_real_records
@pytest.mark.parametrize("name", ["musique_ans_dev_130.jsonl", "musique_full_3_pairs.jsonl"])
def test_real_musique_records_are_scored_as_officially(tmp_path, name):
    rng = random.Random(2)
    gold = [json.loads(line) for line in (REAL / name).read_text(encoding="utf-8").splitlines()]
    records = [
        {
            "id": record["id"],
            "predicted_answer": guess(rng, record["answer"]),
            "predicted_support_idxs": rng.sample(range(20), 3),
            "predicted_answerable": record["answerable"],
        }
        for record in gold
    ]
    predictions = lines(tmp_path / "predictions.jsonl", records)
    assert evaluate("musique", REAL / name, predictions) == official.musique(REAL / name, predictions)


@needs_real_records
def test_real_squad_records_are_scored_as_officially(tmp_path):
    path = REAL / "squad_dev_v2.0_5_articles.json"
    gold, rng = json.loads(path.read_text(encoding="utf-8")), random.Random(3)
    questions = [q for article in gold["data"] for p in article["paragraphs"] for q in p["qas"]]
    answers = {q["id"]: guess(rng, q["answers"][0]["text"] if q["answers"] else "") for q in questions}
    predictions = saved(tmp_path / "predictions.json", answers)
    assert evaluate("squad", path, predictions) == official.squad(path, predictions)


def test_a_perfect_prediction_scores_one_and_gzip_is_read(tmp_path):
    gold = [{"_id": "a", "answer": "Paris", "supporting_facts": [["T", 0]]}]
    packed = tmp_path / "gold.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(gold).encode()))
    predictions = saved(tmp_path / "p.json", {"answer": {"a": "paris"}, "sp": {"a": [["T", 0]]}})
    assert set(evaluate("hotpotqa", packed, predictions).values()) == {1.0}


def test_hotpotqa_gold_in_the_columns_of_dataset_hubs_scores_the_same(tmp_path):
    facts = {"title": ["T", "U"], "sent_id": [0, 1]}
    gold = lines(tmp_path / "g.jsonl", [{"id": "a", "answer": "Paris", "supporting_facts": facts}])
    predictions = saved(tmp_path / "p.json", {"answer": {"a": "paris"}, "sp": {"a": [["U", 1], ["T", 0]]}})
    assert set(evaluate("hotpotqa", gold, predictions).values()) == {1.0}


GOLD = {
    "hotpotqa": '[{"_id": "a", "answer": "Paris", "supporting_facts": [["T", 0]]}]',
    "musique": '{"id": "a", "answer": "Paris", "answer_aliases": [], "answerable": true,'
    ' "paragraphs": [{"idx": 0, "is_supporting": true}]}\n',
    "squad": '{"version": "v2.0", "data": [{"paragraphs": [{"qas": [{"id": "a", "answers": []}]}]}]}',
}
MUSIQUE_LINE = '{"id": "a", "predicted_answer": "x", "predicted_support_idxs": [0], "predicted_answerable": true}'
WRONG = [
    ("hotpotqa", "[]", "predictions: the file, content: found a list. Give one JSON object"),
    ("hotpotqa", "{", "predictions: line 1, JSON: not JSON"),
    ("hotpotqa", '{"answer": {}}', "the file, sp: the field is missing"),
    ("hotpotqa", '{"answer": {"a": 3}, "sp": {}}', r"answer \(id a\), a: found a number. Give a text"),
    (
        "hotpotqa",
        '{"answer": {}, "sp": {"a": ["T", 0]}}',
        r"sp \(id a\), supporting facts: number 1 is not a",
    ),
    ("musique", "", "the file, content: it is empty"),
    ("musique", '{"id": "a"}', r"line 1 \(id a\), predicted_answer: the field is missing"),
    ("musique", MUSIQUE_LINE.replace("[0]", '["x"]'), "predicted_support_idxs: found a text. Give the idx"),
    ("musique", MUSIQUE_LINE.replace("true", '"true"'), "predicted_answerable: found a text. Give true or"),
    ("musique", MUSIQUE_LINE.replace('"x"', "null"), "predicted_answer: found null"),
    ("musique", MUSIQUE_LINE.replace('"a"', '"b"'), r"line 1 \(id b\), id: the question here is a. Write"),
    ("musique", f"{MUSIQUE_LINE}\n\n{MUSIQUE_LINE}", "line 3, record: more predictions than questions"),
    ("musique", f"{MUSIQUE_LINE}\n{{oops", "line 2, line: not JSON at character 2"),
    ("squad", '{"a": null}', r"prediction \(id a\), a: found null"),
    ("squad", '{"b": "x"}', "id: none of the ids is in the gold file"),
]


@pytest.mark.parametrize(("name", "text", "message"), WRONG)
def test_it_says_where_predictions_are_wrong_and_how_to_right_them(tmp_path, name, text, message):
    gold, predictions = tmp_path / "gold", tmp_path / "predictions"
    gold.write_text(GOLD[name], encoding="utf-8")
    predictions.write_text(text, encoding="utf-8")
    with pytest.raises(BadPredictions, match=message):
        evaluate(name, gold, predictions)


def test_it_wants_as_many_musique_predictions_as_questions(tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text(GOLD["musique"] * 2, encoding="utf-8")
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(MUSIQUE_LINE, encoding="utf-8")
    with pytest.raises(BadPredictions, match="the end, record: fewer predictions than questions"):
        evaluate("musique", gold, predictions)


def test_it_wants_both_predictions_of_every_pair(tmp_path):
    gold, predictions = random_musique(random.Random(1), 3, full=True)
    paths = lines(tmp_path / "g.jsonl", gold[:-1]), lines(tmp_path / "p.jsonl", predictions[:-1])
    with pytest.raises(BadPredictions, match=r"\(id 2hop__2\), id: the id stands 1 times"):
        evaluate("musique", *paths)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("hotpotqa", "[]", "gold: the file, content: it has no questions"),
        ("hotpotqa", '[{"_id": "a", "question": "?"}]', r"record 1 \(id a\), answer: the field is missing"),
        ("musique", '{"id": "a", "question": "?"}', r"line 1 \(id a\), answer: the field is missing"),
        ("squad", '{"version": "1.1", "data": []}', "data: it has no questions"),
        ("squad", '{"version": "1.1", "data": [{}]}', "not the layout of SQuAD"),
        ("squad", GOLD["squad"].replace("v2.0", "1.1"), r"the file \(id a\), answers: there is none"),
    ],
)
def test_it_says_what_is_wrong_with_the_gold(tmp_path, name, text, message):
    gold, predictions = tmp_path / "gold", tmp_path / "predictions"
    gold.write_text(text, encoding="utf-8")
    predictions.write_text(MUSIQUE_LINE if name == "musique" else '{"answer": {}, "sp": {}}', encoding="utf-8")
    with pytest.raises(BadGold, match=message):
        evaluate(name, gold, predictions)


def test_it_names_the_formats_it_can_evaluate(tmp_path):
    with pytest.raises(ValueError, match="'race'; known: hotpotqa, musique, squad"):
        evaluate("race", tmp_path, tmp_path)


def test_predictions_are_read_one_for_each_item_and_occurrence(tmp_path):
    twins = lines(tmp_path / "m.jsonl", [json.loads(MUSIQUE_LINE)] * 2)
    first, second = read_predictions("musique", twins)
    assert first == Prediction("a", 0, answer="x", support=(0,), answerable=True)
    assert (second.item_id, second.occurrence) == ("a", 1)
    columns = saved(tmp_path / "h.json", {"answer": {"a": "x"}, "sp": {"b": [["T", 0]]}, "evidence": {}})
    expected = [Prediction("a", answer="x"), Prediction("b", facts=(("T", 0),))]
    assert list(read_predictions("hotpotqa", columns)) == expected
    assert list(read_predictions("2wikimultihopqa", columns)) == [replace(one, caseless=True) for one in expected]
    row = {"question_id": "q", "answer": "x", "supporting_paragraphs": ["T", "S"], "supporting_sentences": [["T", 0]]}
    given = lines(
        tmp_path / "d.jsonl",
        [{**row, "sufficiency": 1, "sub_idx": 2, "answer_confidence": 0.5}, row | {"sufficiency": 0}],
    )
    sufficient, insufficient = read_predictions("dire-transform", given)
    assert sufficient == Prediction(
        "q", 0, "x", titles=("S", "T"), facts=(("T", 0),), answerable=True, confidence=0.5, number=2
    )
    assert (insufficient.occurrence, insufficient.answerable, insufficient.number) == (1, False, None)
    answers = saved(tmp_path / "s.json", {"a": "x", "b": ""})
    assert [p.answerable for p in read_predictions("squad", answers)] == [True, False]
