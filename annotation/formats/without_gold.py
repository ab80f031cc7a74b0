"""An example as a test set shows it, whose gold stays with its authors."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from annotation.formats.fields import RESERVED
from annotation.pure.data.example import Example


def without_gold(example: Example) -> Example:
    """The id, question, context and options alone.

    The source's own fields go as well, since any of them may give the answer away (`evidences`, `type`,
    `plausible_answers`); of the notes on its layout only the layout stays.
    """
    kept = {name: {"layout": note["layout"]} for name, note in example.extra.items() if _has_layout(name, note)}
    return replace(example, answers=(), supports=None, facts=None, hops=(), answerable=None, shape="", extra=kept)


def _has_layout(name: str, note: Any) -> bool:
    return name.startswith(RESERVED) and isinstance(note, Mapping) and "layout" in note
