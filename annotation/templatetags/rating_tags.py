"""Filters for pages of ratings: texts in the reader's language, options of a criterion, fields with their titles."""

from typing import Any

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.pure.ratings.rubric import EXTRA, Text, worded
from annotation.pure.text.translation_marks import gettext_noop
from annotation.views.markdown_html import html_of, html_of_stranger

register = template.Library()
TITLES = {
    "question": gettext_noop("Question"),
    "answer": gettext_noop("Answer"),
    "answers": gettext_noop("Answers"),
    "paragraphs": gettext_noop("Paragraphs"),
    "hops": gettext_noop("Hops"),
    "options": gettext_noop("Options"),
}


@register.filter
def in_language(text: Text) -> str:
    """A requester's text in the reader's language."""
    return worded(text, get_language() or "en")


@register.filter
def shown_title(part: dict[str, Any]) -> str:
    """The title over a field: the rubric's, else of a role its word, else the field's name."""
    name = part["field"]
    own = in_language(part["title"]) if part["title"] else ""
    return own or (_(TITLES[name]) if name in TITLES else name.removeprefix(EXTRA).replace("_", " ").capitalize())


@register.filter
def formatted(part: dict[str, Any]) -> SafeString:
    """A field's Markdown or HTML, sanitised."""
    return html_of(part["value"]) if part["look"] == "markdown" else html_of_stranger(part["value"])


@register.filter
def options_of(criterion: dict[str, Any], value: Any) -> list[dict[str, Any]]:
    """The options of a scale or choice as {"value", "label", "chosen"}."""
    labels = {each[0]: in_language(each[1]) for each in criterion.get("labels", [])}
    chosen = value if isinstance(value, list) else [value]
    return [
        {"value": str(each), "label": labels.get(each, str(each)), "chosen": str(each) in chosen}
        for each in criterion["values"]
    ]
