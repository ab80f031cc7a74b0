"""Markdown as safe HTML: the only place that renders it."""

from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt


def html_of(text: str) -> SafeString:
    """Sanitised HTML of instructions or a consent text."""
    return mark_safe(to_html(text))  # noqa: S308  (nh3 sanitises it)


def html_of_stranger(text: str) -> SafeString:
    """Sanitised HTML of a QuestionForm's FormattedContent."""
    return mark_safe(clean_html(text))  # noqa: S308  (nh3 sanitises it)


_TAGS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote"}
    | {"hr", "br", "a", "table", "thead", "tbody", "tr", "th", "td"}
)
_reader = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=256)
def to_html(text: str) -> str:
    """Sanitised HTML of a Markdown text; raw HTML in it is shown as text, links are http(s) or mailto."""
    return nh3.clean(
        _reader.render(text),
        tags=set(_TAGS),
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )


@lru_cache(maxsize=256)
def clean_html(text: str) -> str:
    """HTML from the MTurk API without scripts, our own styles or anything loaded from elsewhere."""
    return nh3.clean(
        text,
        tags=set(_TAGS) | {"b", "i", "u", "sub", "sup", "dl", "dt", "dd", "caption", "tfoot", "small", "span", "div"},
        attributes={
            "a": {"href", "title"},
            "ol": {"start"},
            "td": {"colspan", "rowspan"},
            "th": {"colspan", "rowspan"},
        },
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
