"""2WikiMultihopQA (Ho et al. 2020): HotpotQA's layout with the reasoning path as triples.

`evidences`, `evidences_id`, `entity_ids` and `answer_id` are checked and stay in `extra`.
"""

from __future__ import annotations

from typing import Any

from annotation.formats import fields
from annotation.formats.fields import Inspection
from annotation.formats.hotpotqa import HotpotQA
from annotation.formats.json_text import joined
from annotation.pure.example import JSON, Example


class TwoWiki(HotpotQA):
    """HotpotQA's fields without `level`, with `evidences` and, in the release with ids, theirs."""

    name = "2wikimultihopqa"
    title = "2WikiMultihopQA"
    order = (
        "_id", "type", "question", "context", "entity_ids", "supporting_facts", "evidences", "answer",
        "evidences_id", "answer_id",
    )  # fmt: skip

    def example(self, record: JSON, inspection: Inspection) -> Example:
        for key in ("evidences", "evidences_id"):
            if record.get(key) is not None:
                _check_triples(record[key], key, inspection)
        for key in ("entity_ids", "answer_id"):
            fields.optional_text(record, key, inspection)
        return super().example(record, inspection)


def _check_triples(value: Any, path: str, inspection: Inspection) -> None:
    if type(value) is not list:
        inspection.mistyped(path, value, "a list of [subject, relation, object]")
        return
    for position, triple in enumerate(value):
        if not fields.is_texts(triple) or len(triple) != 3:
            inspection.mistyped(joined(path, position), triple, "three texts: subject, relation, object")
