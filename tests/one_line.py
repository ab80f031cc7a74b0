"""Pages as one line, so that tests can look for a piece of HTML however its template is laid out."""

from __future__ import annotations

import re


def one_line(html: str) -> str:
    """The page without the line breaks and the indentation of its templates: next to a tag nothing, else a space."""
    html = re.sub(r"<[a-z][^<>]*>", lambda tag: re.sub(r"\s+", " ", tag[0]).replace(" >", ">"), html)
    html = re.sub(r"\s*\n\s*(?=<)|(?<=>)\s*\n\s*", "", html)
    return re.sub(r"\s*\n\s*", " ", html)
