"""Tags for pages of single decisions."""

from typing import Any

from django import template

from annotation.pure.data import hop_view
from annotation.pure.text.marked_text import Mark, Piece, pieces
from annotation.pure.text.normalization import normalise_answer

register = template.Library()


@register.simple_tag
def bridges_to_judge(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """Every edge as {"bridge" (a Bridge), "mention", "named": whether each side's paragraph names it}."""
    found = []
    for bridge, edge in zip(hop_view.bridge_views(payload), payload["edges"], strict=True):
        sides = {"head": bridge.head, "tail": bridge.tail}
        named = {name: bool(side.reading and side.reading.mentions(edge["head"])) for name, side in sides.items()}
        found.append({"bridge": bridge, "mention": edge["mention"], "named": named})
    return found


@register.simple_tag
def mentioned(answer: str, text: str) -> list[Piece]:
    """A text cut at the mentions of an answer; "yes" and "no" are not marked, because their words occur everywhere."""
    places = () if normalise_answer(answer) in ("yes", "no") else hop_view.places(answer, text)
    return pieces(text, marks=[Mark(start, end, 0) for start, end in places])
