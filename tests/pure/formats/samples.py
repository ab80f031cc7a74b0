"""Worked records of every format, written by us about an invented island, and ways to read and write them."""

from __future__ import annotations

import gzip
import importlib
import io
import json
import tempfile
from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from annotation.formats import FORMATS
from annotation.formats.base import Flaw, LateFlaws, Parsed
from annotation.pure.data.example import Example

Record = dict[str, Any]

HOTPOT: Record = {
    "_id": "isle-1",
    "answer": "tin",
    "question": "Which metal is mined on the island where Ada Quill was born?",
    "supporting_facts": [["Ada Quill", 0], ["Farrow", 1]],
    "context": [
        ["Ada Quill", ["Ada Quill was born on Farrow.", " She wrote 3 plays – all lost."]],
        ["Farrow", ["Farrow is an island.", " Its mines yield tin.", ""]],
        ["Port Ember", ["Port Ember is a harbour 🚢."]],
    ],
    "type": "bridge",
    "level": "hard",
}

TWOWIKI: Record = {
    "_id": "isle-2",
    "type": "compositional",
    "question": HOTPOT["question"],
    "context": HOTPOT["context"],
    "entity_ids": "Q1_Q2",
    "supporting_facts": HOTPOT["supporting_facts"],
    "evidences": [["Ada Quill", "place of birth", "Farrow"], ["Farrow", "product", "tin"]],
    "answer": "tin",
    "evidences_id": [],
    "answer_id": None,
}

MUSIQUE: Record = {
    "id": "2hop__11_22",
    "paragraphs": [
        {"idx": 0, "title": "Farrow", "paragraph_text": "Its mines yield tin.", "is_supporting": True},
        {"idx": 1, "title": "Port Ember", "paragraph_text": "A harbour.", "is_supporting": False},
        {"idx": 2, "title": "Ada Quill", "paragraph_text": "Born on Farrow.", "is_supporting": True},
    ],
    "question": HOTPOT["question"],
    "question_decomposition": [
        {"id": 11, "question": "Ada Quill >> born on", "answer": "Farrow", "paragraph_support_idx": 2},
        {"id": 22, "question": "Which metal is mined on #1 ?", "answer": "tin", "paragraph_support_idx": 0},
    ],
    "answer": "tin",
    "answer_aliases": ["tin ore", "Sn"],
    "answerable": True,
}

_TEXT = "Farrow is an island. Its mines yield tin, and tin only."

SQUAD: Record = {
    "version": "v2.0",
    "data": [
        {
            "title": "Farrow",
            "paragraphs": [
                {
                    "qas": [
                        {
                            "question": "What do the mines yield?",
                            "id": "s1",
                            "answers": [
                                {"text": "tin", "answer_start": 37},
                                {"text": "tin", "answer_start": 46},
                            ],
                            "is_impossible": False,
                        },
                        {
                            "plausible_answers": [{"text": "tin", "answer_start": 37}],
                            "question": "What do the quarries yield?",
                            "id": "s2",
                            "answers": [],
                            "is_impossible": True,
                        },
                    ],
                    "context": _TEXT,
                },
                {
                    "qas": [
                        {
                            "question": "What is Farrow?",
                            "id": "s3",
                            "answers": [{"text": "an island", "answer_start": 10}],
                            "is_impossible": False,
                        }
                    ],
                    "context": _TEXT,
                },
            ],
        },
    ],
}

RACE: Record = {
    "answers": ["B", "A"],
    "options": [["iron", "tin", "salt", "tin"], ["An island", "A ship", "A mine", "A play"]],
    "questions": ["What do the mines yield?", "What is _ ?"],
    "article": _TEXT,
    "id": "high7.txt",
}

DIRE: list[Record] = [
    HOTPOT | {"sufficiency": 1, "sub_idx": 2},
    HOTPOT | {"context": HOTPOT["context"][1:], "sufficiency": 0, "sub_idx": 0},
    HOTPOT | {"context": HOTPOT["context"][2:], "sufficiency": -1, "sub_idx": 1},
]

SUB_1: Record = {
    "_id": "isle-1",
    "question": "Where was Ada Quill born?",
    "answer": "Farrow",
    "context": HOTPOT["context"],
    "supporting_facts": [["Ada Quill", 0]],
}
SUB_2: Record = {
    "_id": "isle-1",
    "question": "Which metal is mined on Farrow?",
    "answer": "tin",
    "context": HOTPOT["context"][1:],
}
SUBQA: Record = HOTPOT | {"sub_questions": [SUB_1, SUB_2]}

DISCONNECTION: list[Record] = [
    {"id": "head-1", "fold": 0, "question": "Where was Ada Quill born?", "paragraphs": []},
    {
        "id": "tail-1",
        "fold": 3,
        "question": "Which metal is mined on [MASK] ?",
        "paragraphs": [
            {"idx": 0, "title": "Port Ember", "paragraph_text": "A harbour."},
            {"idx": 1, "title": "Farrow", "paragraph_text": "Its mines yield tin."},
        ],
    },
]

JSONL: Record = {
    "id": "isle-9",
    "question": HOTPOT["question"],
    "paragraphs": [
        {"title": "Farrow", "sentences": ["An island.", "It yields tin."]},
        {"title": "Ada Quill", "text": "Born on Farrow."},
    ],
    "answers": ["tin", "Sn"],
    "supports": [0, 1],
    "facts": [[0, 1], [1, 0]],
    "hops": [{"question": "Which metal on #1?", "answer": "tin", "support": 0, "id": "h1"}],
    "answerable": None,
    "options": [],
    "group": "g",
    "shape": "2hop",
    "extra": {"level": "hard", "@hotpotqa": {"layout": "columns"}},
}

CSV = (
    "id,question,answer,title,text,source\r\n"
    'c1,What do the mines yield?,tin,Farrow,"Mines, and ""tin"".\nMore.",atlas\r\n'
    "c2,How cold is it?,'-5,,It is -5 there.,'=SUM(A1)\r\n"
)


def hub(record: Record) -> Record:
    """A HotpotQA record in the column layout of dataset hubs."""
    titles, numbers = zip(*record["supporting_facts"], strict=True)
    return {
        "id": record["_id"],
        "question": record["question"],
        "answer": record["answer"],
        "type": record["type"],
        "level": record["level"],
        "supporting_facts": {"title": list(titles), "sent_id": list(numbers)},
        "context": {
            "title": [title for title, _ in record["context"]],
            "sentences": [sentences for _, sentences in record["context"]],
        },
    }


def twins() -> list[Record]:
    """An answerable MuSiQue record and its unanswerable twin."""
    twin = deepcopy(MUSIQUE)
    twin["answerable"] = False
    twin["paragraphs"][0] |= {"paragraph_text": "Its mines are closed.", "is_supporting": False}
    twin["question_decomposition"][1]["paragraph_support_idx"] = None
    return [deepcopy(MUSIQUE), twin]


def offered_samples() -> Iterator[tuple[str, Any]]:
    """The samples of modules named `sample_…` in this folder."""
    for file in sorted(Path(__file__).parent.glob("sample_*.py")):
        yield importlib.import_module(f"tests.pure.formats.{file.stem}").SAMPLE


# What each format's file holds, as the value that stands for the whole file.
WORKED: dict[str, Any] = {
    "hotpotqa": [HOTPOT, HOTPOT | {"_id": "isle-3", "type": "comparison", "answer": "yes"}],
    "2wikimultihopqa": [TWOWIKI],
    "musique": twins(),
    "squad": SQUAD,
    "race": [RACE, RACE | {"id": "middle8.txt"}],
    "jsonl": [JSONL],
    "dire": DIRE,
    "subqa": [SUBQA],
    "disconnection": DISCONNECTION,
}
# A format may bring its own beside this module: a SAMPLE of (name, value) in a module of this package.
WORKED |= dict(offered_samples())
SAMPLED = [name for name in FORMATS if name in {*WORKED, "csv"}]


def read(name: str, content: bytes) -> tuple[list[Parsed], list[Flaw]]:
    """(records, all flaws) of a file of the format with these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        return read_path(name, path)


def read_path(name: str, path: Path) -> tuple[list[Parsed], list[Flaw]]:
    """(records, all flaws) of a file or folder."""
    found = list(FORMATS[name].read(path))
    flaws = [flaw for one in found for flaw in one.flaws]
    return [one for one in found if not isinstance(one, LateFlaws)], flaws


def examples(name: str, value: Any) -> list[Example]:
    """The examples of a file with this value; fails the test on any error."""
    parsed, flaws = read(name, encoded(value))
    assert [str(flaw) for flaw in flaws if flaw.severity == "error"] == []
    return [one.example for one in parsed if one.example]


def encoded(value: Any) -> bytes:
    """A value as a JSON file."""
    return json.dumps(value).encode()


def written(name: str, them: Iterable[Example]) -> bytes:
    """What a format writes of examples."""
    out = io.BytesIO()
    FORMATS[name].write(them, out)
    return out.getvalue()


def value_of(content: bytes) -> Any:
    """The value of a file: of an array or object, or of lines as a list."""
    text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]
    return [whole] if isinstance(whole, dict) and "data" not in whole else whole


def there_and_back(name: str, value: Any) -> Any:
    """The value of the file that a format writes after reading one with this value."""
    return value_of(written(name, examples(name, value)))
