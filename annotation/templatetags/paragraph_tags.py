"""The list of paragraphs to answer from.

The template of a paragraph is rendered once for each kind and language and then filled in: a page may have a hundred.
"""

import re
from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotation.templatetags.display_tags import exact

register = template.Library()

BLANK = re.compile("\0([a-z]+)\0")  # no text has this character


@register.simple_tag
def paragraph_list(payload: dict[str, Any], draft: dict[str, Any], readonly: bool) -> SafeString:
    """The paragraphs of a payload as list items with their ticks; `draft`: {"support" or "facts": what is ticked}."""
    controls, filled = payload["controls"], []
    by_sentence = bool(controls["sentences"])
    kind = {"support": bool(controls["support"]), "by_sentence": by_sentence, "readonly": bool(readonly)}
    ticked = draft.get("facts" if by_sentence else "support") or ()
    for position, paragraph in enumerate(payload["paragraphs"]):
        blanks = {
            "position": str(position),
            "number": str(position + 1),
            "title": exact(paragraph["title"]),
            "checked": "checked" if position in ticked else "",
            "text": "" if by_sentence else exact(paragraph["text"]),
            "sentences": _sentences(paragraph, position, ticked, kind) if by_sentence else "",
        }
        filled.append(_fill("work/answering/_paragraph.html", blanks, titled=bool(paragraph["title"].strip()), **kind))
    return mark_safe("".join(filled))  # noqa: S308 - templates, and texts that `exact` has escaped


def _sentences(paragraph: dict[str, Any], position: int, ticked: Any, kind: dict[str, bool]) -> str:
    return "".join(
        _fill(
            "work/answering/_sentence.html",
            {
                "fact": fact,
                "sentence": str(k),
                "number": str(position + 1),
                "text": exact(text),
                "checked": "checked" if fact in ticked else "",
            },
            **kind,
        )
        for k, (fact, text) in enumerate(pieces(paragraph, position), 1)
    )


def pieces(paragraph: dict[str, Any], position: int) -> list[tuple[str, str]]:
    """A paragraph's sentences as ("position.number", text); joined they are its text, gaps included."""
    text, spans = paragraph["text"], paragraph.get("sentences") or [[0, 0]]
    starts = [0, *(start for start, _end in spans[1:]), len(text)]
    return [(f"{position}.{k}", text[starts[k] : starts[k + 1]]) for k in range(len(spans))]


def _fill(name: str, blanks: dict[str, str], **kind: bool) -> str:
    parts = list(_parts(get_template(name).template, get_language(), tuple(blanks), **kind))
    parts[1::2] = [blanks[blank] for blank in parts[1::2]]
    return "".join(parts)


@lru_cache(maxsize=200)
def _parts(source: template.Template, _language: str, blanks: tuple[str, ...], **kind: bool) -> list[str]:
    """A rendered template cut at its blanks: text, name of a blank, text, …"""
    return BLANK.split(source.render(template.Context({name: f"\0{name}\0" for name in blanks} | kind)))
