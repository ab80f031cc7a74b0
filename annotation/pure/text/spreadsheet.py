"""Cells that a spreadsheet shows and does not run (ASVS 1.2.10), and the way back to the exact text."""

import csv
import io
import unicodedata
from collections.abc import Iterable

_STARTS = ("=", "+", "-", "@")
_BREAKS = ("\t", "\r", "\n", "\0")
HARMLESS = frozenset(["", *filter(str.isalnum, map(chr, range(128))), "[", "{"])  # what most cells are or begin with


def guarded(text: str) -> str:
    """The cell for a text, with a leading apostrophe if a spreadsheet might run it as a formula.

    Existing apostrophes before such a text get one more, so that `unguarded` restores every text. Write numbers as
    numbers: texts that look like numbers may be guarded too.
    """
    if text[:1] in HARMLESS:
        return text
    return f"'{text}" if _is_live(text.lstrip("'")) else text


def unguarded(cell: str) -> str:
    """The text of a cell that `guarded` made."""
    return cell[1:] if cell[:1] == "'" and _is_live(cell.lstrip("'")) else cell


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """Rows of cells as lines of CSV."""
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def _is_live(text: str) -> bool:
    """Whether a text begins with = + - @ (in any width, after any blanks) or with a tab, line end or NUL."""
    if text.startswith(_BREAKS):
        return True
    for character in text:
        if not (character.isspace() or unicodedata.category(character) in ("Cc", "Cf", "Zs")):
            return unicodedata.normalize("NFKC", character).startswith(_STARTS)
    return False
