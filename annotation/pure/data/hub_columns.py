"""Items as rows of a table whose columns have one type each, as loaders of dataset hubs need them.

The official layouts mix types in a list, as HotpotQA's `["Oslo", 0]`, which Arrow cannot read.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.pure.data.example import JSON, Example

_LISTS = {"list<text>": "list: string", "list<number>": "list: int64"}
_COLUMNS: Mapping[str, Any] = {  # a column's type; of a list of objects their fields
    "id": "string",
    "question": "string",
    "paragraphs": {"title": "string", "text": "string", "sentences": "list<text>"},
    "answers": "list<text>",
    "supports": "list<number>",
    "facts": {"paragraph": "int64", "sentence": "int64"},
    "hops": {"question": "string", "answer": "string", "support": "int64", "id": "string"},
    "answerable": "bool",
    "options": "list<text>",
    "group": "string",
    "shape": "string",
    "answer_set": "list<list<text>>",
    "as_of": "string",
    "extra": "string",
}


def row_of(example: Example) -> JSON:
    """The row of an item. Ids of hops and `extra` are JSON as a text, since their types differ."""
    row = example.as_json()
    for shown, paragraph in zip(row["paragraphs"], example.paragraphs, strict=True):
        shown |= {"text": paragraph.text, "sentences": shown.get("sentences")}
    row["facts"] = None if example.facts is None else [{"paragraph": p, "sentence": s} for p, s in example.facts]
    row["hops"] = [hop | {"id": _packed(hop["id"])} for hop in row["hops"]]
    row |= {"answer_set": [list(answer) for answer in example.answer_set], "as_of": example.as_of}
    row["extra"] = json.dumps(row["extra"], allow_nan=False)
    return {name: row[name] for name in _COLUMNS}


def is_row(value: object) -> bool:
    """Whether a record has the columns of `row_of`."""
    return isinstance(value, dict) and set(_COLUMNS) <= set(value) and isinstance(value["extra"], str)


def example_of(row: Mapping[str, Any]) -> Example:
    """The item of a row. Raises ValueError, TypeError, KeyError or AttributeError for one that was changed by hand."""
    record = dict(row)
    record["paragraphs"] = [
        {"title": each["title"], "text": each["text"]}
        | ({} if each.get("sentences") is None else {"sentences": each["sentences"]})
        for each in row["paragraphs"]
    ]
    facts = row["facts"]
    record["facts"] = None if facts is None else [(fact["paragraph"], fact["sentence"]) for fact in facts]
    record["hops"] = [hop | {"id": None if hop["id"] is None else json.loads(hop["id"])} for hop in row["hops"] or ()]
    record["extra"] = json.loads(row["extra"])
    return Example.from_json(record)


def _packed(value: object) -> str | None:
    return None if value is None else json.dumps(value)


def features() -> Iterator[str]:
    """The columns' types as lines of a dataset card's YAML (`dataset_info`), so that empty columns have one too."""
    yield "dataset_info:"
    yield "  features:"
    for name, kind in _COLUMNS.items():
        yield f"  - name: {name}"
        if isinstance(kind, str):
            yield from _typed(kind, "    ")
        else:
            yield "    list:"
            for field, inner in kind.items():
                yield f"    - name: {field}"
                yield from _typed(inner, "      ")


def _typed(kind: str, indent: str) -> Iterator[str]:
    if kind == "list<list<text>>":
        yield f"{indent}list:"
        yield f"{indent}  list: string"
    else:
        yield f"{indent}{_LISTS.get(kind, f'dtype: {kind}')}"
