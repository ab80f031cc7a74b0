"""2WikiMultihopQA (Ho et al. 2020): HotpotQA's layout with the reasoning path as triples.

`evidences`, `evidences_id`, `entity_ids` and `answer_id` are checked and stay in `extra`. The release has the
aliases of answers in a separate file (`formats.aliases`); read with it, a record gets them as `answer_aliases`, our
extension, which is also read, and written, without that file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.formats import fields
from annotation.formats.aliases import Aliases, aliases_of, read_aliases
from annotation.formats.fields import Inspection
from annotation.formats.hotpotqa import HotpotQA
from annotation.formats.json_text import joined
from annotation.formats.streams import Row
from annotation.pure.data.example import JSON, Example

_ALIASES = "answer_aliases"


class TwoWiki(HotpotQA):
    """HotpotQA's fields without `level`, with `evidences` and, in the release with ids, theirs."""

    name = "2wikimultihopqa"
    title = "2WikiMultihopQA"
    rank = 2
    order = (
        "_id", "type", "question", "context", "entity_ids", "supporting_facts", "evidences", "answer",
        "evidences_id", "answer_id", _ALIASES,
    )  # fmt: skip
    known = HotpotQA.known | {_ALIASES}

    def looks(self, record: dict[str, Any]) -> int:
        return 3 * (super().looks(record) > 0 and "evidences" in record)

    def __init__(self, aliases: Aliases | None = None) -> None:
        self._aliases = aliases or {}

    def aliased(self, path: Path) -> TwoWiki:
        """The same format, with the answers' other names from a file. Raises Unreadable."""
        return TwoWiki(read_aliases(path))

    def rows(self, path: Path) -> Iterator[Row]:
        """The records, with the aliases of their answers if an alias file was given."""
        for row in super().rows(path):
            if isinstance(row.value, dict) and (names := aliases_of(row.value, self._aliases)):
                yield replace(row, value=row.value | {_ALIASES: list(names)})
            else:
                yield row

    def example(self, record: JSON, inspection: Inspection) -> Example:
        for key in ("evidences", "evidences_id"):
            if record.get(key) is not None:
                _check_triples(record[key], key, inspection)
        for key in ("entity_ids", "answer_id"):
            fields.optional_text(record, key, inspection)
        example = super().example(record, inspection)
        others = fields.optional_texts(record, _ALIASES, inspection)
        return replace(example, answers=(*example.answers, *others)) if example.answers else example

    def record(self, example: Example) -> JSON:
        record = super().record(example)
        if len(example.answers) > 1:
            record[_ALIASES] = list(example.answers[1:])
        return record


def _check_triples(value: Any, path: str, inspection: Inspection) -> None:
    if type(value) is not list:
        inspection.mistyped(path, value, "a list of [subject, relation, object]")
        return
    for position, triple in enumerate(value):
        if not fields.is_texts(triple) or len(triple) != 3:
            inspection.mistyped(joined(path, position), triple, "three texts: subject, relation, object")


FORMAT = TwoWiki()
