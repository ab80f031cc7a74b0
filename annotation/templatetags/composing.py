"""What pages that show a decomposition's hops need besides the payload: readings, bridges, the picture."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.pure import hop_view
from annotation.pure.drawing import draw
from annotation.registry import task_type

register = template.Library()

HUES = 4  # the design system's hues of hops
BRIEF = {
    "gives_away": gettext_noop("gives away “%(words)s”, the answer of"),
    "gives_away_final": gettext_noop("gives away the final answer, “%(words)s”"),
    "repeats_hop": gettext_noop("repeats the question of"),
    "hop_missing": gettext_noop("nothing of"),
    "too_long": gettext_noop("%(n)s words, %(most)s at most"),
    "no_question_mark": gettext_noop("no question mark"),
    "sentences": gettext_noop("more than two sentences"),
}  # the number of the hop follows where there is one


@register.filter
def hue(hop: int) -> int:
    """The hue of a hop, 1 to HUES."""
    return (hop - 1) % HUES + 1


@register.simple_tag
def hops_of(payload: dict[str, Any]) -> list[hop_view.HopView]:
    return hop_view.hop_views(payload)


@register.simple_tag
def bridges_of(payload: dict[str, Any]) -> list[hop_view.Bridge]:
    return hop_view.bridge_views(payload)


@register.simple_tag
def supports_of(payload: dict[str, Any]) -> list[hop_view.Reading]:
    return hop_view.supports_of(payload)


@register.simple_tag
def stage_of(payload: dict[str, Any], draft: dict[str, Any]) -> dict[str, Any]:
    """{"name", "bridge"} of a draft: which bridge is to be judged, or that the question is asked for."""
    given = list(draft.get("bridges") or ())
    name, bridge = hop_view.stage([*given, *[""] * len(payload["edges"])][: len(payload["edges"])])
    return {"name": name, "bridge": bridge}


@register.simple_tag
def picture(payload: dict[str, Any]) -> dict[str, Any]:
    """{"drawing", "hops", "words"}: the graph, its circles with answers, and which hops each uses."""
    hops, edges = payload["hops"], [(edge["head"], edge["tail"]) for edge in payload["edges"]]
    drawing = draw(edges, len(hops))
    circles = [{"place": c, "hop": c.hop, "answer": hops[c.hop - 1]["answer"]} for c in drawing.circles]
    words = [{"hop": k, "uses": [j for j, i in edges if i == k]} for k in range(1, len(hops) + 1)]
    return {"drawing": drawing, "circles": circles, "words": words}


@register.simple_tag
def live_now(kind: str, name: str, payload: dict[str, Any], draft: dict[str, Any]) -> dict[str, Any]:
    """The context of a task's live fragment for what a draft holds, so that a page is whole before scripts ask."""
    asked = {f"override-{found}": str(reason) for found, reason in (draft.get("overrides") or {}).items()}
    return task_type(kind).live[name](payload, {"q": str(draft.get("question") or ""), **asked})


@register.filter
def of(mapping: dict[str, Any] | None, key: str) -> Any:
    """The value of a key, "" where there is none."""
    return (mapping or {}).get(key, "")


@register.filter
def at(number: int, rows: list[Any]) -> Any:
    """The row of that number, from 1."""
    return rows[number - 1]


@register.filter
def judged(draft: dict[str, Any], bridge: int) -> str:
    """How a draft judges a bridge, "" where it does not."""
    given = draft.get("bridges") or []
    return str(given[bridge - 1]) if bridge <= len(given) else ""


@register.filter
def said(finding: dict[str, Any]) -> str:
    """A finding's {"message", "values"} as a sentence in the reader's language."""
    return str(_(finding["message"]) % finding["values"])


@register.filter
def brief(finding: dict[str, Any]) -> str:
    """A finding in the few words that fit beside the question field; its sentence where there are none."""
    text = BRIEF.get(finding["check"])
    return str(_(text) % finding["values"]) if text else said(finding)


@register.filter
def named(finding: dict[str, Any]) -> str:
    """The same few words with the number of the hop, for where no coloured number can stand."""
    text = brief(finding)
    numbered = finding["hop"] and finding["check"] in BRIEF and finding["check"] != "gives_away_final"
    return _("%(text)s hop %(hop)s") % {"text": text, "hop": finding["hop"]} if numbered else text


@register.filter
def used_hops(coverage: list[dict[str, Any]]) -> list[int]:
    """The hops of which the question uses some words."""
    return [row["hop"] for row in coverage if any(word["used"] for word in row["words"])]


@register.filter
def any_skipped(coverage: list[dict[str, Any]]) -> bool:
    return any(row["skipped"] for row in coverage)


@register.filter
def dollars(cents: int) -> str:
    """US cents as $0.25."""
    return f"${cents / 100:.2f}"
