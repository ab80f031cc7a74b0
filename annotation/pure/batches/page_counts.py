"""What a work page counts where its batch asks for it: numbers only, never keys or text.

`pasted`: characters pasted or dropped into the answer's text fields that are not in the shown text; `entered`: all
characters by which these fields grew; `away` and `away_seconds`: how often the page was left for more than five
seconds, and for how long in all. A worker can forge them, so nothing but the report depends on them.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

NAMES: Final = ("pasted", "entered", "away", "away_seconds")
MOST: Final = 1_000_000  # of each
LONGEST: Final = 200  # characters of the posted text


def read_counts(text: str) -> dict[str, int] | None:
    """The posted counts, each 0 to MOST; None for anything else, which is ignored."""
    try:
        posted = json.loads(text) if len(text) <= LONGEST else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(posted, dict) or set(posted) != set(NAMES):
        return None
    if not all(type(posted[name]) is int and 0 <= posted[name] <= MOST for name in NAMES):
        return None
    return {name: posted[name] for name in NAMES} | {"pasted": min(posted["pasted"], posted["entered"])}


def total(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sums over several responses, or over the revisions of one."""
    sums = dict.fromkeys(NAMES, 0)
    for each in counts:
        for name in NAMES:
            sums[name] += each[name]
    return sums
