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

BLANKS = ("position", "number", "title", "checked", "text", "sentences", "fact", "sentence")
BLANK = re.compile("\0([a-z]+)\0")  # no template has this character


@register.simple_tag
def paragraph_list(payload: dict[str, Any], draft: dict[str, Any], readonly: bool) -> SafeString:
    """The paragraphs of a payload as list items with their ticks; `draft`: {"support" or "facts": what is ticked}."""
    controls = payload["controls"]
    by_sentence = bool(controls["sentences"])
    ticked = draft.get("facts" if by_sentence else "support") or ()
    kind = {"support": bool(controls["support"]), "by_sentence": by_sentence, "readonly": bool(readonly)}
    titled, untitled = (_parts("work/answering/_paragraph.html", titled=titled, **kind) for titled in (True, False))
    sentence = _parts("work/answering/_sentence.html", readonly=bool(readonly)) if by_sentence else []
    filled = [
        _fill(
            titled if paragraph["title"].strip() else untitled,
            position=str(position),
            number=str(position + 1),
            title=exact(paragraph["title"]),
            checked="checked" if position in ticked else "",
            text="" if by_sentence else exact(paragraph["text"]),
            sentences=_sentences(sentence, paragraph, position, ticked) if by_sentence else "",
        )
        for position, paragraph in enumerate(payload["paragraphs"])
    ]
    return mark_safe("".join(filled))  # noqa: S308 - templates, and texts that `exact` has escaped


def _sentences(parts: list[str], paragraph: dict[str, Any], position: int, ticked: Any) -> str:
    return "".join(
        _fill(
            parts,
            fact=fact,
            sentence=str(k),
            number=str(position + 1),
            text=exact(text),
            checked="checked" if fact in ticked else "",
        )
        for k, (fact, text) in enumerate(pieces(paragraph, position), 1)
    )


def pieces(paragraph: dict[str, Any], position: int) -> list[tuple[str, str]]:
    """A paragraph's sentences as ("position.number", text); joined they are its text, gaps included."""
    text, spans = paragraph["text"], paragraph.get("sentences") or [[0, 0]]
    starts = [0, *(start for start, _end in spans[1:]), len(text)]
    return [(f"{position}.{k}", text[starts[k] : starts[k + 1]]) for k in range(len(spans))]


def _fill(parts: list[str], **blanks: str) -> str:
    filled = parts.copy()
    filled[1::2] = [blanks[blank] for blank in parts[1::2]]
    return "".join(filled)


def _parts(name: str, **kind: bool) -> list[str]:
    return _cut(get_template(name).template, get_language(), **kind)


@lru_cache(maxsize=200)
def _cut(source: template.Template, _language: str, **kind: bool) -> list[str]:
    """A template rendered with blanks and cut at them: text, name of a blank, text, …"""
    return BLANK.split(source.render(template.Context({name: f"\0{name}\0" for name in BLANKS} | kind)))
