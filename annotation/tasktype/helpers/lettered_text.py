"""A text with the stretches that responses point to, under the responses' letters, for requesters."""

from collections.abc import Iterable
from itertools import pairwise

from annotation.tasktype import JSON

Stretch = tuple[int, int, str]  # start, end, and the response's letter ("" for gold)


def lettered(text: str, stretches: Iterable[Stretch]) -> list[JSON]:
    """The text cut at the ends of the stretches, for `review/_lettered_text.html`; joined, the pieces are the text.

    Each piece is {"text", "by" (letters), "ends" (letters whose stretch ends with it), "gold"}.
    """
    marked = sorted(set(stretches))
    cuts = sorted({0, len(text)} | {end for stretch in marked for end in stretch[:2]})
    return [_piece(text, start, end, marked) for start, end in pairwise(cuts)]


def _piece(text: str, start: int, end: int, marked: list[Stretch]) -> JSON:
    over = [stretch for stretch in marked if stretch[0] <= start and end <= stretch[1]]
    return {
        "text": text[start:end],
        "by": [name for _start, _end, name in over if name],
        "ends": [name for _start, last, name in over if name and last == end],
        "gold": any(not name for *_ends, name in over),
    }
