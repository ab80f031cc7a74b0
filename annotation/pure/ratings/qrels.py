"""Ratings of passages as relevance judgments of TREC (qrels): `topic 0 document grade`, a line each.

The format is that of trec_eval: four columns between white space, the second unused, the grade a whole number.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from annotation.pure.data.example import JSON

_GAP = re.compile(r"\s+")


def word(text: Any) -> str:
    """A text as one column: white space becomes _."""
    return _GAP.sub("_", str(text).strip())


def graded(payload: JSON, ratings: JSON, name: str) -> Iterator[tuple[str, int]]:
    """(document, grade) by a scale that is asked of each element; what has no rating or no elements is left out.

    A document is an element's id, else its title, with # and its number where the item's are not all different. A
    median between two points counts as the lower one: half of the raters call the document no better.
    """
    criterion = next((each for each in payload["criteria"] if each["name"] == name), None)
    if criterion is None:  # a criterion of an empty list is not asked
        return
    rated = payload["lists"][criterion["each"]]
    ids = rated["ids"] or [None] * len(rated["elements"])
    names = [
        word(element["title"] if each is None else each) for each, element in zip(ids, rated["elements"], strict=True)
    ]
    times = Counter(names)
    for k, (document, cell) in enumerate(zip(names, ratings[name], strict=True)):
        if cell and cell["value"] is not None:
            yield document if document and times[document] == 1 else f"{document}#{k + 1}", math.floor(cell["value"])
