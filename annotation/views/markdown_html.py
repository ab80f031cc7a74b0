"""Markdown as safe HTML: the only place that renders it."""

import re
from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext
from markdown_it import MarkdownIt

from annotation.pure.text.languages import translated, worded


def html_of(text: str) -> SafeString:
    """Sanitised HTML of a Markdown text."""
    return mark_safe(to_html(text))  # noqa: S308  (nh3 sanitises it)


def html_for_reader(text: str) -> SafeString:
    """Sanitised HTML of instructions or a consent text in the reader's language, as far as it has that."""
    return mark_safe(_for_reader(text, get_language() or "en"))  # noqa: S308  (nh3 sanitises it)


def parts_for_reader(text: str) -> tuple[SafeString, SafeString]:
    """The same before the first folded section, and from there on."""
    html, fold, folded = html_for_reader(text).partition("<details>")
    return mark_safe(html), mark_safe(fold + folded)  # noqa: S308


@lru_cache(maxsize=256)
def _for_reader(text: str, language: str) -> str:
    return to_html(translated(worded(text, language), gettext))


def html_of_stranger(text: str) -> SafeString:
    """Sanitised HTML of a QuestionForm's FormattedContent."""
    return mark_safe(clean_html(text))  # noqa: S308  (nh3 sanitises it)


_TAGS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote"}
    | {"details", "summary", "hr", "br", "a", "table", "thead", "tbody", "tr", "th", "td"}
)
_reader = MarkdownIt("commonmark", {"html": False}).enable("table")
_FOLDED = re.compile(r"<h2>\+ (.*?)</h2>(.*?)(?=<h2>|\Z)", re.DOTALL)  # a section that begins with “## + Title”


@lru_cache(maxsize=256)
def to_html(text: str) -> str:
    """Sanitised HTML of a Markdown text; raw HTML in it is shown as text, links are http(s) or mailto."""
    return nh3.clean(
        _FOLDED.sub(r"<details><summary>\1</summary>\2</details>", _reader.render(text)),
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
