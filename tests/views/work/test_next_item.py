"""A script that submits gets the next item itself, to put in the place of this one; without it there is a redirect."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.flow.data import dataset_import
from annotation.models import Assignment, Batch
from annotation.tasktype import capabilities
from tests.bench import records
from tests.flow.acting import launched

pytestmark = pytest.mark.django_db


def submit(page: Client, **headers: str) -> Any:
    row = Assignment.objects.get(state="accepted")
    fields = {"kind": "text", "text": "Farrow", "support": ["0", "1"], "key": "0.a"}
    return page.post(f"/assignments/{row.public_id}/submit/", fields, headers=headers)


def test_it_is_the_next_items_page_without_what_stays_on_the_page(page: Client) -> None:
    response = submit(page, X_Release="")
    row = Assignment.objects.get(state="accepted")
    html = response.content.decode()
    assert (response.status_code, response["X-Item"]) == (200, f"/assignments/{row.public_id}/")
    assert f'data-assignment="{row.public_id}"' in html
    whole = page.get(response["X-Item"]).content.decode()
    for stays in ("Read, then answer.", "Your response is not sent yet"):
        assert stays in whole
        assert stays not in html


def test_after_an_upgrade_it_is_the_next_items_address(page: Client) -> None:
    response = submit(page, X_Release="of-yesterday")
    row = Assignment.objects.get(state="accepted")
    assert response.json() == {"next": f"/assignments/{row.public_id}/"}


def test_an_item_that_shows_another_site_is_loaded(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capabilities, "origins", lambda task, payload: ["https://forms.example"])
    response = submit(page, X_Release="")
    assert response.json() == {"next": f"/assignments/{Assignment.objects.get(state='accepted').public_id}/"}


def test_where_nothing_is_left_it_is_an_address(page: Client) -> None:
    for _item in range(3):
        assert submit(page).status_code == 303
    batch = Batch.objects.get()
    assert submit(page, X_Release="").json() == {"next": f"/work/batches/{batch.pk}/done/"}


def test_an_item_of_twenty_paragraphs_takes_at_most_12_kb(project: Any, tmp_path: Path, bob: Any) -> None:
    file = records.write_twenty_paragraphs(tmp_path / "twenty.jsonl", 9)
    dataset_import.import_dataset(project, file, format="jsonl", name="twenty")
    batch = launched(project, "twenty", project.datasets.get())
    page = Client(headers={"Accept-Encoding": "gzip"})
    page.force_login(bob.user)
    page.post(f"/work/batches/{batch.pk}/instructions/", {"version": "1"})
    there = Assignment.objects.get(state="accepted").public_id
    response = page.post(f"/assignments/{there}/next/", headers={"X-Release": ""})
    assert gzip.decompress(response.content).count(b'class="paragraph"') == 20
    assert len(response.content) <= 12 * 1024
