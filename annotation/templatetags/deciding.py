"""What pages of single decisions need besides the payload."""

from __future__ import annotations

from typing import Any

from django import template

from annotation.pure import hop_view

register = template.Library()


@register.simple_tag
def bridges_to_judge(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """Every edge as {"bridge" (pure.hop_view.Bridge), "mention", "named": whether each side's paragraph names it}."""
    found = []
    for bridge, edge in zip(hop_view.bridge_views(payload), payload["edges"], strict=True):
        sides = {"head": bridge.head, "tail": bridge.tail}
        named = {name: bool(side.reading and side.reading.mentions(edge["head"])) for name, side in sides.items()}
        found.append({"bridge": bridge, "mention": edge["mention"], "named": named})
    return found
