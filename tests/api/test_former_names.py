"""Addresses and keys as they were called before: accepted, while responses carry today's names."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import resolve

from annotation.api.urls import ALIASES
from tests.api.calling import caller

pytestmark = pytest.mark.django_db
PARTS = {"batch": "wells-1", "name": "wells", "public_id": "3ABC"}


@pytest.fixture
def api(alice: Any) -> Any:
    return caller(alice)


@pytest.mark.parametrize("former", ALIASES)
def test_a_former_address_is_served_as_the_present_one(former: str) -> None:
    def filled(route: str) -> str:
        return "/api/v1/projects/wells/" + re.sub(r"<slug:(\w+)>", lambda part: PARTS[part[1]], route)

    old, new = resolve(filled(former)), resolve(filled(ALIASES[former]))
    assert (old.kwargs, old.func.alias_of) == (new.kwargs, new.route)


def test_a_draft_is_written_with_the_former_key_of_its_instructions(api: Any, dataset: Any) -> None:
    body = {"title": "Old", "task": "answer", "datasets": ["wells"], "guide": "Read slowly."}
    made = api.post("batches/", **body)
    assert made.status_code == 201, made.content
    assert made.json()["instructions"]["text"] == "Read slowly."
    assert "guide" not in made.json()


def test_a_dataset_is_archived_with_the_former_key(api: Any, dataset: Any) -> None:
    result = api.patch("datasets/wells/", retired=True).json()
    assert result["archived_at"]
    assert "retired_at" not in result
