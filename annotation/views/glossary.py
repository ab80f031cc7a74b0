"""The glossary: docs/glossary.md as a page."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.views.markdown_html import html_of


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    """Show the glossary."""
    text = (settings.ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    return render(request, "projects/glossary.html", {"glossary": html_of(text)})
