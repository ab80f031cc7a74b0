"""SQuAD's paragraphs and articles without questions: no items, yet an export writes them where they stood."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.flow.data.dataset_files import export_dataset
from annotation.flow.data.dataset_import import import_dataset
from annotation.models import Dataset
from tests.pure.formats.samples import examples, there_and_back, value_of, written


def asked(number: int) -> dict[str, Any]:
    return {"id": f"q{number}", "question": "Q?", "answers": [{"text": "y", "answer_start": 2}]}


def some_tree(rng: Random) -> dict[str, Any]:
    """Few different titles, texts and fields, so that neighbours often look the same; at least one question."""
    count, articles = 0, []
    for _ in range(rng.randint(1, 6)):
        paragraphs = []
        for _paragraph in range(rng.randrange(4)):
            qas = [asked(count + k) for k in range(rng.choice((0, 0, 1, 2)))]
            count += len(qas)
            field = {"page": 1} if rng.random() < 0.3 else {}
            paragraphs.append({"context": rng.choice(("x y", "x y z")), **field, "qas": qas})
        articles.append({"title": rng.choice("AB"), "paragraphs": paragraphs})
    if not count:
        articles.append({"title": "A", "paragraphs": [{"context": "x y", "qas": [asked(0)]}]})
    return {"version": rng.choice(("1.1", "v2.0")), "data": articles}


def test_they_come_back_wherever_they_stand() -> None:
    empty = 0
    for seed in range(300):
        tree = some_tree(Random(seed))
        empty += any(not p["qas"] for article in tree["data"] for p in article["paragraphs"])
        assert there_and_back("squad", tree) == tree, seed
    assert empty > 200


def test_they_keep_to_their_own_articles_when_questions_are_left_out() -> None:
    for seed in range(100):
        rng = Random(seed)
        tree = some_tree(rng)
        kept = [one for one in examples("squad", tree) if rng.random() < 0.5]
        after = value_of(written("squad", kept))
        known = [(article["title"], p["context"]) for article in tree["data"] for p in article["paragraphs"]]
        found = [(article["title"], p["context"]) for article in after["data"] for p in article["paragraphs"]]
        assert set(found) <= set(known)
        assert [one.id for one in kept] == [q["id"] for a in after["data"] for p in a["paragraphs"] for q in p["qas"]]


@pytest.mark.django_db
def test_they_survive_the_way_through_a_dataset(project: Any, tmp_path: Path) -> None:
    tree = some_tree(Random(7))
    tree["data"].append({"title": "Z", "paragraphs": [{"context": "the end", "qas": []}]})
    before, after = tmp_path / "in.json", tmp_path / "out.json"
    before.write_text(json.dumps(tree))
    report = import_dataset(project, before, format="squad", name="d")
    export_dataset(Dataset.objects.get(), after, format="squad")
    assert json.loads(after.read_text()) == tree
    warned = [flaw for flaw in report["flaws"] if flaw["wrong"] == "the paragraph has no questions"]
    assert warned[-1]["fix"] == "It makes no item; an export writes it again"
