"""Escape user input for generated documents in Markdown and YAML."""

import re
import unicodedata
from collections.abc import Sequence

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&#$^!{}])")
_TICKS = re.compile(r"`+")
_BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}


def tidy(text: str) -> str:
    """The text on one line, without bidirectional overrides; control characters and lone surrogates are replaced."""
    line = " ".join(text.split())
    signs = (sign for sign in line if ord(sign) not in _BIDI)
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(s) in _CATEGORIES else s for s in signs)


def plain(text: str) -> str:
    """Markdown that shows the text as it is, within a line or a cell."""
    return _SPECIAL.sub(r"\\\1", tidy(text))


def code(text: str) -> str:
    """A code span of the text, within a line or a cell."""
    line = tidy(text)
    if not line:
        return ""
    fence = "`" * (max(map(len, _TICKS.findall(line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", r"\|")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> str:
    """A Markdown table of cells that are Markdown; the first `words` columns are words, the others figures."""
    rule = ["---" if column < words else "---:" for column in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def yaml_text(text: str) -> str:
    """A YAML scalar that holds the text, tidied."""
    return '"' + tidy(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
