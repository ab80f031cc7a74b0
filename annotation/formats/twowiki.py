"""2WikiMultihopQA (Ho et al. 2020): HotpotQA's layout with the reasoning path as triples.

`evidences`, `evidences_id`, `entity_ids` and `answer_id` are checked and stay in `extra`. The release has the
aliases of answers in a separate file (`id_aliases.json`); read with it, a record gets them as `answer_aliases`, our
extension, which is also read, and written, without that file.

The Hub has three layouts: the release's, that of HotpotQA's columns with `evidences` as lists of fact, relation and
entity, and the release's fields as JSON texts. Exports of the latter two have triples, and no JSON texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.formats import fields
from annotation.formats.base import Flaw, Unreadable
from annotation.formats.fields import Inspection, is_texts
from annotation.formats.hotpotqa import HotpotQA
from annotation.formats.storable import joined, shown
from annotation.formats.streams import Row, rows, unreadable
from annotation.pure.data.example import JSON, Example

Aliases = Mapping[str, tuple[str, ...]]


def read_aliases(path: Path) -> dict[str, tuple[str, ...]]:
    """The names of each entity, aliases before demonyms, by its id. Raises Unreadable with the line and the fix."""
    aliases: dict[str, tuple[str, ...]] = {}
    for row in rows(path):
        entity, names = _entity(row)
        aliases[entity] = tuple(dict.fromkeys((*aliases.get(entity, ()), *names)))
    if not aliases:
        raise unreadable("it has no aliases", "Give lines of Q_id, aliases and demonyms")
    return aliases


def aliases_of(record: Mapping[str, Any], known: Aliases) -> tuple[str, ...]:
    """Distinct aliases of a record's answer: its `answer_aliases`, then the known aliases of its `answer_id`."""
    answer_id, own = record.get("answer_id"), record.get("answer_aliases")
    named = known.get(answer_id, ()) if isinstance(answer_id, str) else ()
    names = (*(own if isinstance(own, list) and is_texts(own) else ()), *named)
    return tuple(name for name in dict.fromkeys(names) if name != record.get("answer"))


def _entity(row: Row) -> tuple[str, list[str]]:
    if row.faults:
        fault = row.faults[0]
        raise Unreadable(Flaw("error", row.place, "", fault.field, fault.wrong, fault.fix))
    record = row.value if isinstance(row.value, dict) else {}
    entity, aliases, demonyms = record.get("Q_id"), record.get("aliases"), record.get("demonyms", [])
    if type(entity) is not str or not is_texts(aliases) or not is_texts(demonyms):
        fix = 'Give {"Q_id": "Q60", "aliases": ["New York"], "demonyms": ["New Yorker"]} on each line'
        raise Unreadable(Flaw("error", row.place, shown(entity or ""), "record", "it names no entity", fix))
    return entity, [*(aliases or ()), *demonyms]


_ALIASES = "answer_aliases"
_TRIPLE = ("fact", "relation", "entity")
_PACKED = ("context", "supporting_facts", "evidences")


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
    used = HotpotQA.used | {_ALIASES, "evidences", "evidences_id", "entity_ids", "answer_id"}

    def looks(self, record: dict[str, Any]) -> int:
        return 3 * ("evidences" in record and super().looks(_unpacked(record)) > 0)

    def __init__(self, aliases: Aliases | None = None) -> None:
        self._aliases = aliases or {}

    def aliased(self, path: Path) -> TwoWiki:
        """The same format, with the answers' other names from a file. Raises Unreadable."""
        return TwoWiki(read_aliases(path))

    def rows(self, path: Path) -> Iterator[Row]:
        """The records, with the aliases of their answers if an alias file was given."""
        for row in map(_released, super().rows(path)):
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


def _released(row: Row) -> Row:
    """The row with the release's triples, and without JSON texts."""
    if not isinstance(row.value, dict):
        return row
    record = _unpacked(row.value)
    triples = record.get("evidences")
    if isinstance(triples, dict) and isinstance(rows := fields.unzipped(triples), list):
        record = record | {"evidences": [[each.get(name) for name in _TRIPLE] for each in rows]}
    return replace(row, value=record)


def _unpacked(record: JSON) -> JSON:
    """The record with those of its JSON texts decoded that are valid."""
    found: JSON = {}
    for key in _PACKED:
        if isinstance(text := record.get(key), str) and text[:1] == "[":
            with suppress(ValueError, RecursionError):
                found[key] = json.loads(text)
    return record | found if found else record


def _check_triples(value: Any, path: str, inspection: Inspection) -> None:
    if type(value) is not list:
        inspection.mistyped(path, value, "a list of [subject, relation, object]")
        return
    for position, triple in enumerate(value):
        if not fields.is_texts(triple) or len(triple) != 3:
            inspection.mistyped(joined(path, position), triple, "three texts: subject, relation, object")


FORMAT = TwoWiki()
