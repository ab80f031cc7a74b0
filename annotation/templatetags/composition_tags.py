"""Tags for pages with a decomposition: texts of hops, bridges, the graph."""

from typing import Any

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.pure.data import hop_view
from annotation.pure.data.graph_drawing import draw
from annotation.registry import task_type
from annotation.tasktype import capabilities

register = template.Library()
register.simple_tag(hop_view.hop_views, name="hops_of")
register.simple_tag(hop_view.bridge_views, name="bridges_of")
register.simple_tag(hop_view.supports_of, name="supports_of")

HUES = 4  # colours of hops in the style sheet
SHORT_FINDINGS = {
    "gives_away": gettext_noop("gives away “%(words)s”, the answer of"),
    "gives_away_final": gettext_noop("gives away the final answer, “%(words)s”"),
    "repeats_hop": gettext_noop("repeats the question of"),
    "hop_missing": gettext_noop("does not ask about"),
    "too_long": gettext_noop("%(n)s words (at most %(most)s)"),
    "no_question_mark": gettext_noop("no question mark"),
    "sentences": gettext_noop("more than two sentences"),
}  # the number of the hop follows where there is one


@register.filter
def hue(hop: int) -> int:
    """The number of a hop's colour, 1 to HUES."""
    return (hop - 1) % HUES + 1


@register.simple_tag
def stage_of(payload: dict[str, Any], draft: dict[str, Any]) -> dict[str, Any]:
    """{"name", "bridge"} of a draft: the bridge to judge next, or that the question is to be written."""
    given = list(draft.get("bridges") or ())
    name, bridge = hop_view.stage([*given, *[""] * len(payload["edges"])][: len(payload["edges"])])
    return {"name": name, "bridge": bridge}


@register.simple_tag
def graph_drawing(payload: dict[str, Any]) -> dict[str, Any]:
    """{"drawing", "circles", "words"}: the graph, its nodes with answers, and the hops that each uses."""
    hops, edges = payload["hops"], [(edge["head"], edge["tail"]) for edge in payload["edges"]]
    drawing = draw(edges, len(hops))
    circles = [{"place": c, "hop": c.hop, "answer": hops[c.hop - 1]["answer"]} for c in drawing.circles]
    words = [{"hop": k, "uses": [j for j, i in edges if i == k]} for k in range(1, len(hops) + 1)]
    return {"drawing": drawing, "circles": circles, "words": words}


@register.simple_tag(takes_context=True)
def live_now(context: dict[str, Any], name: str) -> dict[str, Any]:
    """The context of a live fragment for a draft, so that the page is complete without scripts."""
    payload, draft = context["payload"], context["draft"]
    overrides = {f"override-{finding}": str(reason) for finding, reason in (draft.get("overrides") or {}).items()}
    live = capabilities.live(task_type(context["frame"]["task"]))[name]
    return live(payload, {"q": str(draft.get("question") or ""), **overrides})


@register.filter
def value_of(mapping: dict[str, Any] | None, key: str) -> Any:
    """The value of a key, "" if there is none."""
    return (mapping or {}).get(key, "")


@register.filter
def row_at(number: int, rows: list[Any]) -> Any:
    """The row of that number, from 1."""
    return rows[number - 1]


@register.filter
def judged(draft: dict[str, Any], bridge: int) -> str:
    """How a draft judges a bridge, "" if it does not."""
    given = draft.get("bridges") or []
    return str(given[bridge - 1]) if bridge <= len(given) else ""


def finding_text(finding: dict[str, Any]) -> str:
    """A finding's {"message", "values"} as a sentence in the reader's language."""
    return str(_(finding["message"]) % finding["values"])


@register.filter
def short_finding(finding: dict[str, Any]) -> str:
    """A finding in a few words, for beside the question field; its sentence if there are none."""
    text = SHORT_FINDINGS.get(finding["check"])
    return str(_(text) % finding["values"]) if text else finding_text(finding)


@register.filter
def finding_with_hop(finding: dict[str, Any]) -> str:
    """The few words with the number of the hop, where no coloured number can be shown."""
    text = short_finding(finding)
    numbered = finding["hop"] and finding["check"] in SHORT_FINDINGS and finding["check"] != "gives_away_final"
    return _("%(text)s hop %(hop)s") % {"text": text, "hop": finding["hop"]} if numbered else text


@register.filter
def used_hops(coverage: list[dict[str, Any]]) -> list[int]:
    """The hops that the question uses words of."""
    return [row["hop"] for row in coverage if any(word["used"] for word in row["words"])]


@register.filter
def cents_as_dollars(cents: int) -> str:
    """US cents as $0.25."""
    return f"${cents / 100:.2f}"
