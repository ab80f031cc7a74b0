"""The list of paragraphs to answer from.

A page may have a hundred of them, so the template of a paragraph is rendered once, with placeholders.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotation.templatetags.display_tags import exact
from annotation.templatetags.item_tags import PLACE, place_of, without_indent

register = template.Library()

FIELDS = ("position", "number", "title", "checked", "text", "sentences", "fact", "sentence")


@register.simple_tag
def paragraph_list(payload: dict[str, Any], draft: dict[str, Any], readonly: bool) -> SafeString:
    """The paragraphs of a payload as list items with their ticks; `draft`: {"support" or "facts": what is ticked}."""
    by_sentence, support = bool(payload["controls"]["sentences"]), bool(payload["controls"]["support"])
    kind = {"support": support, "by_sentence": by_sentence, "readonly": bool(readonly)}
    titled, untitled = (_filler("work/answering/_paragraph.html", titled=titled, **kind) for titled in (True, False))
    ticked = draft.get("facts" if by_sentence else "support") or ()
    return _joined(
        (titled if paragraph["title"].strip() else untitled)(
            position=str(position),
            number=str(position + 1),
            title=exact(paragraph["title"]),
            checked="checked" if position in ticked else "",
            text="" if by_sentence else exact(paragraph["text"]),
            sentences=_sentences(paragraph, position, ticked, readonly=bool(readonly)) if by_sentence else "",
        )
        for position, paragraph in enumerate(payload["paragraphs"])
    )


def _sentences(paragraph: dict[str, Any], position: int, ticked: Any, *, readonly: bool) -> SafeString:
    """A paragraph's sentences; joined, their texts are the paragraph's, gaps included."""
    text, spans = paragraph["text"], paragraph.get("sentences") or [[0, 0]]
    starts = [0, *(start for start, _end in spans[1:]), len(text)]
    filled, sentences = _filler("work/answering/_sentence.html", readonly=readonly), []
    for k in range(len(spans)):
        fact, words = f"{position}.{k}", exact(text[starts[k] : starts[k + 1]])
        checked = "checked" if fact in ticked else ""
        sentences.append(filled(fact=fact, sentence=str(k + 1), number=str(position + 1), text=words, checked=checked))
    return _joined(sentences)


def _joined(parts: Iterable[str]) -> SafeString:
    return mark_safe("".join(parts))  # noqa: S308 - of templates, and of texts that `exact` escaped


def _filler(name: str, **kind: bool) -> Callable[..., str]:
    """A function that fills in a template with escaped texts."""
    texts, fields = _parts(template.Engine.get_default().get_template(name), get_language(), **kind)

    def fill(**values: str) -> str:
        return "".join(chain.from_iterable(zip(texts, [*(values[name] for name in fields), ""], strict=True)))

    return fill


@lru_cache(maxsize=200)
def _parts(source: template.Template, _language: str, **kind: bool) -> tuple[list[str], list[str]]:
    """The texts of a rendered template, and the names of the fields between them."""
    rendered = source.render(template.Context({name: place_of(name) for name in FIELDS} | kind))
    parts = PLACE.split(without_indent(rendered))
    return parts[::2], parts[1::2]
