"""Markdown that people wrote as HTML for templates: the one place that vouches for markup."""

from django.utils.safestring import SafeString, mark_safe

from annotation.pure.markdown import clean_html, to_html


def html_of(text: str) -> SafeString:
    """Sanitised HTML of a guide or a consent text."""
    return mark_safe(to_html(text))  # noqa: S308  (pure.markdown sanitises it)


def html_of_stranger(text: str) -> SafeString:
    """Sanitised HTML of a QuestionForm's FormattedContent."""
    return mark_safe(clean_html(text))  # noqa: S308  (pure.markdown sanitises it)
