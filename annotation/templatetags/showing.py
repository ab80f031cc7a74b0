"""What templates need: text exactly as it is stored, lists in pages, the modules behind a script."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from django import template
from django.conf import settings
from django.core.paginator import Paginator
from django.templatetags.static import static
from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter(is_safe=False)
def exact(text: str) -> SafeString:
    """Escaped text whose carriage returns survive HTML parsing, so that offsets on the page stay true."""
    return mark_safe(escape(str(text)).replace("\r", "&#13;"))  # noqa: S308 - escaped on the line itself


@register.filter
def page_range(paginator: Paginator, number: int) -> Iterable[int | str]:
    """Page numbers around `number`, with "…" where some are left out."""
    return paginator.get_elided_page_range(number, on_each_side=2, on_ends=1)


@register.filter
def pieces(paragraph: dict[str, Any], position: int) -> list[dict[str, str]]:
    """A paragraph's sentences as [{"fact": "position.number", "text"}]; joined they are its text, gaps included."""
    text, spans = paragraph["text"], paragraph.get("sentences") or [[0, 0]]
    starts = [0, *(start for start, _end in spans[1:]), len(text)]
    return [{"fact": f"{position}.{k}", "text": text[starts[k] : starts[k + 1]]} for k in range(len(spans))]


@lru_cache
def imported(entry: str) -> tuple[str, ...]:
    """The modules of static/js that `entry` imports, directly or through others."""
    found, waiting = [], [entry]
    while waiting:
        text = Path(settings.ROOT, f"static/js/{waiting.pop()}").read_text()
        new = [name for name in re.findall(r'from "\./([\w.]+)"', text) if name not in (*found, entry)]
        found += new
        waiting += new
    return tuple(dict.fromkeys(found))


@register.simple_tag
def preload(entry: str) -> SafeString:
    """Links that fetch all modules behind a script at once, rather than one level of imports after the other."""
    links = ((static(f"js/{name}"),) for name in imported(entry))
    return format_html_join("\n", '<link rel="modulepreload" href="{}">', links)
