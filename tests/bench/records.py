"""Invented records of real size: HotpotQA's for imports and scores, twenty paragraphs for pages. Seeded."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

SYLLABLES = "ba be bo da den dor el fa gar hol il ka ken lo mar na nor ol pa rin sa sel ta tor ul va".split(" ")  # noqa: SIM905
HOTPOTQA_SENTENCES = 41  # of a record of the distractor dev set, in ten paragraphs: some 6 KB
SENTENCE = 22  # words


def words(rng: Random, size: int = 4_000) -> list[str]:
    """A vocabulary; the front of it is used more often."""
    return ["".join(rng.choice(SYLLABLES) for _ in range(rng.randint(1, 4))) for _ in range(size)]


def sentence(rng: Random, vocabulary: list[str]) -> str:
    picked = (vocabulary[int(len(vocabulary) * rng.random() ** 2)] for _ in range(SENTENCE))
    return " ".join(picked).capitalize() + "."


def hotpotqa(size: int, seed: int = 0) -> list[dict[str, Any]]:
    """Records in HotpotQA's own layout."""
    rng = Random(seed)
    vocabulary = words(rng)
    return [_hotpotqa(rng, vocabulary, k) for k in range(size)]


def _hotpotqa(rng: Random, vocabulary: list[str], number: int) -> dict[str, Any]:
    titles = [f"{rng.choice(vocabulary).title()} {number} {k}" for k in range(10)]
    lengths = [HOTPOTQA_SENTENCES // 10 + (k == 0) for k in range(10)]
    context = [[t, [sentence(rng, vocabulary) for _ in range(n)]] for t, n in zip(titles, lengths, strict=True)]
    return {
        "_id": f"{rng.getrandbits(96):024x}",
        "answer": " ".join(context[0][1][0].rstrip(".").split()[3:6]),
        "question": sentence(rng, vocabulary).replace(".", "?"),
        "supporting_facts": [[titles[0], 0], [titles[4], 2]],
        "context": context,
        "type": "bridge",
        "level": "hard",
    }


def predictions(records: list[dict[str, Any]], seed: int = 1) -> dict[str, Any]:
    """A middling model: right, partly right and wrong answers and facts."""
    rng = Random(seed)
    answers, facts = {}, {}
    for record in records:
        said = record["answer"].split()
        answers[record["_id"]] = " ".join(said[: rng.randint(1, len(said))] + ["the", "place"][: rng.randint(0, 2)])
        marked = [fact for fact in record["supporting_facts"] if rng.random() < 0.8]
        facts[record["_id"]] = [*marked, [record["context"][2][0], 0]][: rng.randint(1, 3)]
    return {"answer": answers, "sp": facts}


def write_twenty_paragraphs(path: Path, size: int, seed: int = 2) -> Path:
    """Lossless JSONL: twenty paragraphs of some ninety words; one of them is called `Tower k`."""
    rng = Random(seed)
    vocabulary = words(rng)
    with path.open("w") as out:
        for number in range(size):
            titles = [f"Tower {number}", *(f"{rng.choice(vocabulary).title()} {k}" for k in range(19))]
            texts = [f"{t} " + " ".join(sentence(rng, vocabulary) for _ in range(4)) for t in titles]
            paragraphs = [{"title": t, "text": x} for t, x in zip(titles, texts, strict=True)]
            question = sentence(rng, vocabulary).replace(".", "?")
            record = {"id": str(number), "question": question, "paragraphs": paragraphs, "answers": [titles[0]]}
            out.write(json.dumps(record | {"supports": [0, 3]}) + "\n")
    return path
