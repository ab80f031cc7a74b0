"""Positions in imported responses, which may be given by title or wording."""

from collections.abc import Sequence
from typing import Any

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import InvalidResponse, Problem


def position_of(value: Any, names: Sequence[str], field: str) -> int:
    """The 0-based position of a number or a name; raises InvalidResponse at that field of the response."""
    if type(value) is int and 0 <= value < len(names):
        return value
    values = {"told": repr(value)[:80], "last": len(names) - 1}
    if isinstance(value, str) and names.count(value) == 1:
        return names.index(value)
    if isinstance(value, str) and value in names:
        raise InvalidResponse(Problem(field, _("%(told)s appears more than once; give a position from 0"), values))
    message = _("%(told)s is neither a position from 0 to %(last)s nor the title of a paragraph")
    raise InvalidResponse(Problem(field, message, values))
