"""Reads gettext's catalogues as text: what the tests of translations compare."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Entry:
    """A message: `id` as gettext knows it (context and all), and what it is in the other language."""

    context: str = ""
    id: str = ""
    plural: str = ""
    texts: dict[int, str] = field(default_factory=dict)
    fuzzy: bool = False

    @property
    def key(self) -> str:
        return f"{self.context}\x04{self.id}" if self.context else self.id

    @property
    def is_translated(self) -> bool:
        """Whether gettext uses the other language's text: all of its forms are there, and none is uncertain."""
        return not self.fuzzy and len(self.texts) == (2 if self.plural else 1) and all(self.texts.values())


def entries(path: Path) -> dict[str, Entry]:
    """The messages of a .po file by their keys, less those that are out of use."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    found = (_entry(block) for block in blocks if "msgid" in block and not block.lstrip().startswith("#~"))
    return {entry.key: entry for entry in found}


def _entry(block: str) -> Entry:
    entry = Entry(fuzzy=any(line.startswith("#,") and "fuzzy" in line for line in block.splitlines()))
    for name, text in _strings(block):
        if name == "msgctxt":
            entry.context = text
        elif name == "msgid":
            entry.id = text
        elif name == "msgid_plural":
            entry.plural = text
        else:
            entry.texts[int(name.removeprefix("msgstr").strip("[]") or 0)] = text
    return entry


def _strings(block: str) -> Iterator[tuple[str, str]]:
    name, parts = "", []
    for line in block.splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith('"'):
            if name:
                yield name, "".join(parts)
            name, _space, line = line.partition(" ")
            parts = []
        parts.append(ast.literal_eval(line))
    yield name, "".join(parts)
