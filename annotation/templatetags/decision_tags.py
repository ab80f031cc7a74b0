"""Tags for pages of single decisions."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.template.context import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.pure.data import hop_view
from annotation.pure.text.marked_text import Mark, Piece, pieces
from annotation.pure.text.normalization import normalise_answer
from annotation.registry import task_type
from annotation.tasktype import UNSETTLED
from annotation.tasktype.decisions import Choice, Decision
from annotation.tasktype.helpers.decision_task import DecisionTask
from annotation.templatetags.display_tags import task_key

register = template.Library()
OPEN = UNSETTLED | {"unsure"}


@register.simple_tag(takes_context=True)
def asked(context: Context) -> list[dict[str, Any]]:
    """The decisions of the page as `work/_decision.html` shows them, each with the choice of the draft."""
    decisions, fields = _decisions(context), context["draft"]["fields"]
    return [
        {
            "name": one.control,
            "ask": _(one.ask) if one.ask else context["frame"]["task_question"],
            "number": one.place + 1 if one.place is not None and len(decisions) > 1 else None,
            "chosen": fields[one.control],
            "long": any(each.text for each in one.choices),
            "choices": [_shown(each, number) for number, each in enumerate(one.choices, 1)],
        }
        for one in decisions
    ]


def _decisions(context: Context) -> list[Decision]:
    task = task_type(context["frame"]["task"])
    return list(task.decisions(context["payload"])) if isinstance(task, DecisionTask) else []


def _shown(choice: Choice, number: int) -> dict[str, Any]:
    label = choice.says if choice.text else _(choice.says)
    shown = {"value": choice.value, "label": label}
    return shown | ({"act": choice.value, "key": choice.key} if choice.key else {"digit": number})


@register.simple_tag(takes_context=True)
def choice_keys(context: Context) -> SafeString:
    """The rows of the page's choices among its keys."""
    acts = dict.fromkeys(choice.value for one in _decisions(context) for choice in one.choices if choice.key)
    return format_html_join("\n", "{}", ((task_key(context, act),) for act in acts))


@register.filter
def label_words(label: str, words: Mapping[str, str]) -> SafeString:
    """A label in words, in italics if it decides nothing; "" for none."""
    text = _(words[label]) if label else ""
    return format_html("<i>{}</i>" if label in OPEN else "{}", text)


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
