"""Tags for exact text, rows of the `?` dialog, pagination, style sheets of files, and preloading of scripts."""

import html
import posixpath
import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from django import template
from django.contrib.staticfiles import finders
from django.core.paginator import Paginator
from django.template import Context
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timeuntil
from django.utils.translation import gettext

from annotation.pure.reports import svg
from annotation.pure.text import relations
from annotation.registry import task_type

register = template.Library()

ANGLE_OR_LINE_BREAK = re.compile(r"[<>]|[ \t]*\n\s*")


@register.filter
def time_left(due: datetime) -> str:
    """How long until then, as it stands after “in”: German has the dative there, which Django's words do not."""
    return re.sub(r"\b(?:Jahre|Monate|Tage)\b", r"\g<0>n", timeuntil(due))


@register.filter
def sentences(text: str) -> tuple[str, str]:
    """The first sentence of a text, and the rest."""
    first, stop, rest = str(text).partition(". ")
    return (f"{first}.", rest) if stop else (first, "")


@register.filter
def in_words(question: str) -> str:
    """A question without the sign that relations are written with."""
    return relations.in_words(str(question))


@register.filter(is_safe=False)
def exact(text: str) -> SafeString:
    """Escaped text whose carriage returns survive HTML parsing, so that text offsets on the page stay right."""
    return mark_safe(html.escape(str(text)).replace("\r", "&#13;"))  # noqa: S308 - escaped on the line itself


class JoinedLines(template.Node):
    """The content between `{% joinlines %}` and `{% endjoinlines %}`."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> SafeString:
        return self.nodelist.render(context)


@register.tag
def joinlines(parser: template.base.Parser, _token: template.base.Token) -> JoinedLines:
    """Remove the template's line breaks and the indentation after them, where spaces in the output matter.

    Only the template's own text is joined; line breaks in values stay. Between attributes of an element a space
    remains. At the end of a file, its last line break is removed too.
    """
    inside = parser.parse(("endjoinlines",))
    parser.delete_first_token()
    if len(parser.tokens) == 1 and not parser.tokens[0].contents.strip():  # type: ignore[union-attr]  # a Token, never str
        parser.next_token()
    in_element = False  # an element may begin in one piece of text and end in another

    def joined(found: re.Match[str]) -> str:
        nonlocal in_element
        if found[0] in "<>":
            in_element = found[0] == "<"
            return found[0]
        return " " if in_element else ""

    for text in inside.get_nodes_by_type(template.base.TextNode):
        text.s = ANGLE_OR_LINE_BREAK.sub(joined, text.s)  # type: ignore[attr-defined]  # found by this type
    return JoinedLines(inside)


@register.filter
def drawn(plot: Any) -> SafeString:
    """A chart as SVG."""
    return mark_safe(svg.draw(plot))  # noqa: S308 - an XML writer escapes all texts


@register.filter
def span_list(found: Iterable[tuple[int, int]]) -> str:
    """Spans in the form for scripts: "3-8,12-20"."""
    return ",".join(f"{start}-{end}" for start, end in found)


@register.filter
def page_range(paginator: "Paginator[Any]", number: int) -> Iterable[int | str]:
    """Page numbers around `number`, with "…" where some are left out."""
    return paginator.get_elided_page_range(number, on_each_side=2, on_ends=1)


@register.simple_tag
def key_row(action: str, key: str, label: str, *, fixed: bool = False, short: str = "") -> SafeString:
    """A row of the `?` dialog: an action and its default key, which people may change unless it is `fixed`.

    `short`: the words for it in the legend of the page; without, the legend leaves it out.
    """
    return _key_row(action, key, str(label), str(short), gettext("Change"), fixed=bool(fixed))


@register.simple_tag(takes_context=True)
def task_key(context: Context, action: str) -> SafeString:
    """The row of an action among the keys of the page's task."""
    key = task_type(context["frame"]["task"]).keys[action]
    short = gettext(key.short) if key.short else ""
    return _key_row(action, key.key, gettext(key.label), short, gettext("Change"), fixed=key.fixed)


@lru_cache(maxsize=1000)  # the same for every item, and a page has twenty of them
def _key_row(action: str, key: str, label: str, short: str, change: str, *, fixed: bool) -> SafeString:
    button = '<button class="button small plain" type="button" data-change-key="{}">{}<span class="unseen">: {}</span>'
    button = "" if fixed else format_html(button + "</button>", action, change, label)
    row = (
        '<tr data-action="{0}" data-key="{1}"'
        + (' data-short="{4}"' if short else "")
        + (" data-fixed>" if fixed else ">")
    )
    cells = '<th scope="row">{2}</th><td><kbd data-key-for="{0}">{1}</kbd></td><td class="needs-js">{3}</td></tr>'
    return format_html(row + cells, action, key, label, button, short)


@register.simple_tag
def style_sheets(*names: str) -> SafeString:
    """Our style sheets as one style element, without comments, for a file that stands alone."""
    texts = [Path(str(finders.find(f"css/{name}.css"))).read_text(encoding="utf-8") for name in names]
    style = re.sub(r"/\*.*?\*/", "", "\n".join(texts), flags=re.S)
    return mark_safe(f"<style>{style}</style>")  # noqa: S308 - our own files


@lru_cache
def imported(entry: str) -> tuple[str, ...]:
    """The modules that a script imports, directly or indirectly, as static paths."""
    found, waiting = list[str](), [entry]
    while waiting:
        name = waiting.pop()
        file = finders.find(name)
        names = re.findall(r'from "(\.[\w./]+)"', Path(file).read_text()) if file else []
        resolved = [posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in names]
        new = [each for each in resolved if each not in (*found, entry)]
        found += new
        waiting += new
    return tuple(dict.fromkeys(found))


@register.simple_tag
def preload(entry: str) -> SafeString:
    """Preload links for all modules of a script, which otherwise load level by level."""
    return modules_before(f"js/{entry}")


def modules_before(script: str) -> SafeString:
    """A preload link for each module that a script imports."""
    return format_html_join(
        "\n", '<link rel="modulepreload" href="{}">', ((static(name),) for name in imported(script))
    )
