"""`{% once %}`: content that is rendered once for each key, and then filled in."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.template import Context, Template
from django.utils import translation

SOURCE = """{% load i18n item_tags %}{% for cell in cells %}{% once cell.kind for cell.field number %}<b
id="{{ number }}">{{ cell.field }} {{ cell.label }} {% translate "Submit" %}</b>{% endonce %}{% endfor %}"""


class Label:
    """A text that counts how often it was written."""

    def __init__(self, text: str, seen: Counter[str]) -> None:
        self.text, self.seen = text, seen

    def __str__(self) -> str:
        self.seen[self.text] += 1
        return self.text


def written(cells: list[dict[str, Any]], language: str = "en") -> str:
    with translation.override(language):
        return Template(SOURCE).render(Context({"cells": cells, "number": 7}))


def cells(seen: Counter[str], *kinds: str) -> list[dict[str, Any]]:
    return [{"kind": kind, "field": f"f-{k}", "label": Label(f"label {kind}", seen)} for k, kind in enumerate(kinds)]


def test_what_differs_is_filled_in_and_the_rest_is_rendered_once() -> None:
    seen: Counter[str] = Counter()
    page = written(cells(seen, "scale", "scale", "choice"))
    assert seen == {"label scale": 1, "label choice": 1}
    assert [page.count(part) for part in ('id="7"', "f-0 label scale", "f-1 label scale", "f-2 label choice")] == [
        3,
        1,
        1,
        1,
    ]


def test_without_a_key_it_is_rendered_each_time() -> None:
    seen: Counter[str] = Counter()
    assert written(cells(seen, "", "")).count("<b") == seen["label "] == 2


def test_each_language_has_its_own() -> None:
    assert "Submit" in written(cells(Counter(), "scale"))
    assert "Submit" not in written(cells(Counter(), "scale"), "de")


def test_values_are_escaped() -> None:
    [cell] = cells(Counter(), "scale")
    assert "&lt;i&gt;" in written([cell, cell | {"field": "<i>"}])
