"""Filters for figures of reports: stored as 0..1, shown in percent with one decimal."""

import json
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def percent(figure: dict[str, Any] | None) -> str:
    """{"value": 0.7801, ...} as "78.0"; a dash if undefined."""
    value = figure.get("value") if figure else None
    return "–" if value is None else f"{100 * value:.1f}"


@register.filter
def interval(figure: dict[str, Any] | None) -> str:
    """The 95 % interval as "[71.9, 83.6]"; "" if undefined."""
    if not figure or figure.get("low") is None or figure.get("high") is None:
        return ""
    return f"[{100 * figure['low']:.1f}, {100 * figure['high']:.1f}]"


@register.filter
def linked(cell: dict[str, Any]) -> str:
    """The text of a report's cell, as a link to what it counts where it has a `url`."""
    text: str = cell["text"]
    return format_html('<a class="behind" href="{}">{}</a>', cell["url"], text) if cell["url"] else text


@register.filter
def graded(value: float | None) -> str:
    """The style of a grade of 0..1: full, part, none, or waiting."""
    if value is None:
        return "waiting"
    return "full" if value >= 0.999 else "part" if value > 0 else "none"


@register.filter
def duration(seconds: float | None) -> str:
    """Seconds as "45 s" or "3:07 min"; a dash if not measured."""
    if not seconds:
        return "–"
    whole = round(seconds)
    if whole < 60:
        return _("%(s)s s") % {"s": whole}
    return _("%(time)s min") % {"time": f"{whole // 60}:{whole % 60:02d}"}


@register.filter
def clock(seconds: float | None) -> str:
    """Seconds as hours and minutes, "12:05 h"; a dash if not measured."""
    if not seconds:
        return "–"
    minutes = round(seconds / 60)
    return _("%(time)s h") % {"time": f"{minutes // 60}:{minutes % 60:02d}"}


@register.filter
def entry(mapping: dict[str, Any] | None, key: str) -> Any:
    """The value of a key; None if there is none."""
    return mapping.get(key) if mapping else None


@register.filter
def share(value: float | str | None) -> str:
    """A share as a whole percentage; a dash if unknown (templates turn None into "")."""
    return "–" if value is None or isinstance(value, str) else f"{100 * value:.0f}"


@register.filter
def as_json(value: Any) -> str:
    """A JSON value on several lines."""
    return json.dumps(value, ensure_ascii=False, indent=2)


@register.filter
def answer_text(answer: dict[str, Any]) -> str:
    """A response of any task in one line: its text if it has one, else all of it."""
    text = answer.get("text") or answer.get("kind")
    support = answer.get("support")
    if not text:
        return json.dumps(answer, ensure_ascii=False)
    return f"{text} ({', '.join(str(k + 1) for k in support)})" if support else str(text)
