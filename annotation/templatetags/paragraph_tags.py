"""The list of paragraphs to answer from.

A page may have a hundred of them, so the template of a paragraph is rendered once, with placeholders.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from django import template
from django.template.loader import get_template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from annotation.templatetags.display_tags import exact

register = template.Library()

FIELDS = ("position", "number", "title", "checked", "text", "sentences", "fact", "sentence")
PLACEHOLDER = re.compile("\0([a-z]+)\0")  # no template has this character


@register.simple_tag
def paragraph_list(payload: dict[str, Any], draft: dict[str, Any], readonly: bool) -> SafeString:
    """The paragraphs of a payload as list items with their ticks; `draft`: {"support" or "facts": what is ticked}."""
    by_sentence, support = bool(payload["controls"]["sentences"]), bool(payload["controls"]["support"])
    kind = {"support": support, "by_sentence": by_sentence, "readonly": bool(readonly)}
    titled, untitled = (_filler("work/answering/_paragraph.html", titled=titled, **kind) for titled in (True, False))
    ticked = draft.get("facts" if by_sentence else "support") or ()
    paragraphs = [
        (titled if paragraph["title"].strip() else untitled)(
            position=position,
            number=position + 1,
            title=exact(paragraph["title"]),
            checked="checked" if position in ticked else "",
            text="" if by_sentence else exact(paragraph["text"]),
            sentences=_sentences(paragraph, position, ticked, readonly=bool(readonly)) if by_sentence else "",
        )
        for position, paragraph in enumerate(payload["paragraphs"])
    ]
    return format_html_join("", "{}", ((paragraph,) for paragraph in paragraphs))


def _sentences(paragraph: dict[str, Any], position: int, ticked: Any, *, readonly: bool) -> SafeString:
    """A paragraph's sentences; joined, their texts are the paragraph's, gaps included."""
    text, spans = paragraph["text"], paragraph.get("sentences") or [[0, 0]]
    starts = [0, *(start for start, _end in spans[1:]), len(text)]
    filled, sentences = _filler("work/answering/_sentence.html", readonly=readonly), []
    for k in range(len(spans)):
        fact = f"{position}.{k}"
        checked, words = "checked" if fact in ticked else "", exact(text[starts[k] : starts[k + 1]])
        sentences.append((filled(fact=fact, sentence=k + 1, number=position + 1, text=words, checked=checked),))
    return format_html_join("", "{}", sentences)


def _filler(name: str, **kind: bool) -> Callable[..., SafeString]:
    """A function that fills in a template; its arguments are escaped unless they are safe."""
    return partial(format_html, _format_string(get_template(name).template, get_language(), **kind))


@lru_cache(maxsize=200)
def _format_string(source: template.Template, _language: str, **kind: bool) -> str:
    rendered = source.render(template.Context({name: f"\0{name}\0" for name in FIELDS} | kind))
    return PLACEHOLDER.sub(r"{\1}", rendered.replace("{", "{{").replace("}", "}}"))
