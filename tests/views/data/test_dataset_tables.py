"""The tables of a derived dataset's report, as files."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

REPORT = {
    "read": 5000,
    "kept": 3800,
    "dropped": {"too short": 1200},
    "figures": {"edges": {"number": 4, "by_side": {"left": 3, "right": 1}}, "mean_length": 12.5},
}


@pytest.fixture
def page(client: Any, alice: Any, dataset: Any) -> Any:
    """Alice's browser; the dataset was derived with a report."""
    type(dataset).objects.filter(pk=dataset.pk).update(report=REPORT)
    client.force_login(alice)
    return client


def tables(client: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(reverse("dataset", args=["wells", "wells"])).context["derived"].tables
    return found


def test_each_is_downloaded_as_it_is_copied(page: Any) -> None:
    for table in tables(page):
        quotes = {quote["label"]: quote["text"] for quote in table["quotes"]}
        assert len(table["files"]) == 3
        for file in table["files"]:
            response = page.get(file["url"])
            assert response.content.decode() == quotes[file["form"]]
            name = f"wells-{table['name']}{file['label']}"
            assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert "too short,1200" in page.get(tables(page)[0]["files"][2]["url"]).content.decode()


def test_only_members_get_those_that_are_there(page: Any, bob: Any) -> None:
    url = reverse("dataset-table", args=["wells", "wells", "figures-1", "csv"])
    for absent in (url.replace("figures-1", "figures-9"), url.replace(".csv", ".exe")):
        assert page.get(absent).status_code == 404
    page.force_login(bob.user)
    assert page.get(url).status_code == 404


def test_a_dataset_that_was_not_derived_has_none(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    url = reverse("dataset-table", args=["wells", "wells", "figures-1", "csv"])
    assert client.get(url).status_code == 404
