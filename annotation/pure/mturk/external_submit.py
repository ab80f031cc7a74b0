"""What a HIT's page sent to externalSubmit: the assignment it names, and its fields, from the query and the form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, unquote_to_bytes

RESERVED = frozenset({"assignmentId", "hitId", "turkSubmitTo", "workerId"})  # of the address; no fields of an answer
_ESCAPE = re.compile(r"%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})")


class TwoAssignments(ValueError):
    """The query and the form name different assignments."""


@dataclass(frozen=True, slots=True)
class Sent:
    """`assignment` is "" where none was named; `fields` are (name, value) in the order in which they came."""

    assignment: str
    fields: list[tuple[str, str]]


def sent(query: str, posted: Iterable[tuple[str, str]] = ()) -> Sent:
    """Read a raw query string and the pairs of a form. Raises TwoAssignments."""
    pairs = [*query_pairs(query), *posted]
    named = {value.strip() for name, value in pairs if name == "assignmentId"} - {""}
    if len(named) > 1:
        raise TwoAssignments
    return Sent(next(iter(named), ""), [(name, value) for name, value in pairs if name not in RESERVED])


def query_pairs(query: str) -> Sequence[tuple[str, str]]:
    """Names and values of a query string, as a form or as JavaScript's `escape` wrote it (jsPsych 6).

    `escape` writes %E9 and %u4E2D, which are no UTF-8, and leaves a plus as it is.
    """
    escaped = "%u" in query or not _is_utf8(query)
    pairs = [part.partition("=")[::2] for part in query.split("&") if part]
    return [(_unescape(name), _unescape(value)) if escaped else (_plain(name), _plain(value)) for name, value in pairs]


def _is_utf8(query: str) -> bool:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        return False
    return True


def _plain(text: str) -> str:
    return unquote(text.replace("+", " "))


def _unescape(text: str) -> str:
    units = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
