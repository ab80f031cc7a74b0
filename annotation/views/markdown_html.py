"""Markdown as safe HTML: the only place that marks users' texts as safe."""

from django.utils.safestring import SafeString, mark_safe

from annotation.pure.text.markdown import clean_html, to_html


def html_of(text: str) -> SafeString:
    """Sanitised HTML of instructions or a consent text."""
    return mark_safe(to_html(text))  # noqa: S308  (pure.markdown sanitises it)


def html_of_stranger(text: str) -> SafeString:
    """Sanitised HTML of a QuestionForm's FormattedContent."""
    return mark_safe(clean_html(text))  # noqa: S308  (pure.markdown sanitises it)
