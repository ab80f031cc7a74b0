"""What the derivations make is written as the official MuSiQue files are."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from typing import Any

import pytest

from annotation.formats import FORMATS
from annotation.pure.data.example import Example
from tests.derivations.sources import MUSIQUE_ANS, Listed, made, real
from tests.shared_data import shared_data

Record = dict[str, Any]


def written(examples: list[Example]) -> list[Record]:
    out = io.BytesIO()
    FORMATS["musique"].write(examples, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def official(*files: str) -> list[Record]:
    return [json.loads(line) for file in files for line in shared_data(file).read_text().splitlines()]


def contexts() -> list[Example]:
    return made("contexts", Listed(real(*MUSIQUE_ANS)), seed=2)


def ours(kind: str) -> list[Record]:
    return written(contexts() if kind == "ans" else made("unanswerable-twins", Listed(contexts()), seed=2))


CASES = pytest.mark.parametrize(("made_by", "kind"), [("us", "ans"), ("us", "full"), ("them", "ans"), ("them", "full")])


def records(made_by: str, kind: str) -> list[Record]:
    if made_by == "us":
        return ours(kind)
    return official(*MUSIQUE_ANS) if kind == "ans" else official("musique_full_dev_60.jsonl")


def checked(record: Record) -> None:
    """Every checked fact of the official files."""
    assert list(record) == [
        "id",
        "paragraphs",
        "question",
        "question_decomposition",
        "answer",
        "answer_aliases",
        "answerable",
    ]
    paragraphs, steps = record["paragraphs"], record["question_decomposition"]
    assert [list(p) for p in paragraphs] == [["idx", "title", "paragraph_text", "is_supporting"]] * len(paragraphs)
    assert [list(s) for s in steps] == [["id", "question", "answer", "paragraph_support_idx"]] * len(steps)
    assert [p["idx"] for p in paragraphs] == list(range(len(paragraphs)))
    assert 18 <= len(paragraphs) <= 20
    held = {p["idx"] for p in paragraphs if p["is_supporting"]}
    assert held == {step["paragraph_support_idx"] for step in steps} - {None}
    assert re.fullmatch(r"\d+hop\d?__", record["id"].removesuffix("_".join(str(step["id"]) for step in steps)))
    assert record["answer"] == steps[-1]["answer"]
    context = "\n".join(f"{p['title']} {p['paragraph_text']}" for p in paragraphs).lower()
    assert all(alias.lower() in context and alias != record["answer"] for alias in record["answer_aliases"])
    assert (None in [step["paragraph_support_idx"] for step in steps]) is not record["answerable"]


@CASES
def test_every_checked_fact_holds(made_by: str, kind: str) -> None:
    found = records(made_by, kind)
    assert found
    for record in found:
        checked(record)


def test_every_id_of_a_full_file_is_there_twice() -> None:
    full = ours("full")
    assert set(Counter(record["id"] for record in full).values()) == {2}
    for one, other in zip(full[::2], full[1::2], strict=True):
        assert (one["answerable"], other["answerable"]) == (True, False)
        for key in ("question", "answer"):
            assert one[key] == other[key]
        assert [(s["id"], s["question"], s["answer"]) for s in one["question_decomposition"]] == [
            (s["id"], s["question"], s["answer"]) for s in other["question_decomposition"]
        ]
