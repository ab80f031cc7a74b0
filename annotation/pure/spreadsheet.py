"""Cells that a spreadsheet does not run."""

from __future__ import annotations

import unicodedata

_STARTERS = tuple("=+-@\t\r\n\0")


def inert(cell: str) -> str:
    """The cell with a leading apostrophe where a spreadsheet could take it for a formula (ASVS 1.2.10).

    Full-width forms count, and so does what comes after white space. A plain number stays a number.
    """
    begun = unicodedata.normalize("NFKC", cell[:8]).lstrip(" \u00a0\ufeff\u200b")
    if not (begun.startswith(_STARTERS) or cell.startswith(("'", *_STARTERS))) or _is_number(cell):
        return cell
    return f"'{cell}"


def _is_number(cell: str) -> bool:
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.replace(".", "", 1).isdigit()
