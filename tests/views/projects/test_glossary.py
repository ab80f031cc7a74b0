"""The glossary's page."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse


def test_the_glossary_says_what_words_mean() -> None:
    page = Client().get(reverse("glossary"))
    assert page.status_code == 200
    text = page.content.decode()
    assert "<td>assignment</td>" in text
    assert "One worker doing one HIT." in text
