"""A filter of all templates: a requester's text in the reader's language."""

from django import template
from django.utils.translation import get_language

from annotation.pure.text.languages import Text, worded

register = template.Library()


@register.filter
def in_language(text: Text) -> str:
    """A requester's text in the reader's language."""
    return worded(text, get_language() or "en")
