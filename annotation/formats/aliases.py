"""The names of Wikidata's entities as 2WikiMultihopQA releases them (`id_aliases.json`), for answers and triples.

JSON lines of `Q_id`, `aliases` and `demonyms`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.formats.base import Flaw, Unreadable
from annotation.formats.fields import is_texts
from annotation.formats.storable import shown
from annotation.formats.streams import Row, rows, unreadable

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
