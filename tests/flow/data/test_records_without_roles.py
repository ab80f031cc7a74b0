"""Records without questions: any columns become items, which pages, searches, exports and derivations take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation import jobs
from annotation.formats import FORMATS
from annotation.models import Dataset
from tests.flow.data.mapped_files import lines, mapped, table
from tests.management.conftest import Run, run

pytestmark = pytest.mark.django_db
__all__ = ["run"]

CELLS = [
    {"summary": "The well was dug in 1802.", "source": "Mara Quell dug the well in 1802.", "system": "a", "stars": "4"},
    {"summary": "The inn is new.", "source": "The Farrow inn is old.", "system": "b", "stars": "1"},
]
OBJECTS: list[dict[str, Any]] = [{**row, "stars": int(row["stars"]), "steps": ["Read.", "Sum."]} for row in CELLS]


def test_lines_of_a_table_are_items_with_all_their_columns(run: Run, tmp_path: Path) -> None:
    found = mapped(run, table(tmp_path / "my.csv", CELLS), "none")
    assert [(item.id, item.question, item.paragraphs, dict(item.extra)) for item in found] == [
        ("record 1", "", (), CELLS[0]),
        ("record 2", "", (), CELLS[1]),
    ]


def test_objects_are_items_with_all_their_fields(run: Run, tmp_path: Path) -> None:
    assert [dict(item.extra) for item in mapped(run, lines(tmp_path / "my.jsonl", OBJECTS), "none")] == OBJECTS


def test_rows_of_parquet_are_items_with_all_their_columns(run: Run, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(OBJECTS), tmp_path / "my.parquet")
    assert [dict(item.extra) for item in mapped(run, tmp_path / "my.parquet", "none")] == OBJECTS


def test_some_columns_have_roles_without_a_question(run: Run, tmp_path: Path) -> None:
    file = table(tmp_path / "my.csv", CELLS)
    found = mapped(run, file, "paragraph=source", "answer=system")
    assert [(item.question, len(item.paragraphs), item.answers) for item in found] == [("", 1, ("a",)), ("", 1, ("b",))]
    assert json.loads(run("import_dataset", file, "--name", "two", "--map", "none", "--json").out)["warnings"] == 0


def test_a_file_in_which_nothing_has_a_role_says_how_it_is_imported(run: Run, tmp_path: Path) -> None:
    file = table(tmp_path / "my.csv", [{"colour": "red", "stars": "4"}])
    assert "--map none" in run("import_dataset", file, "--name", "mine").err


def test_items_are_listed_shown_found_exported_and_drawn(
    client: Any, alice: Any, run: Run, tmp_path: Path, project: Any
) -> None:
    client.force_login(alice)
    file = lines(tmp_path / "my.jsonl", OBJECTS)
    assert run("import_dataset", file, "--name", "mine", "--map", "none", "--project", "wells").code == 0
    listed = client.get(reverse("dataset", args=["wells", "mine"])).content.decode()
    assert "The well was dug in 1802." in listed
    assert "Not composed yet" not in listed
    assert "record 2" in client.get(reverse("dataset", args=["wells", "mine"]), {"q": "record 2"}).content.decode()
    shown = client.get(reverse("item", args=["wells", "mine", 1])).content.decode()
    assert "The Farrow inn is old." in shown
    assert "The inn is new." in shown.partition("<h1")[2].partition("</h1>")[0]
    assert client.get(reverse("item-edit", args=["wells", "mine", 1])).status_code == 200
    assert client.get(reverse("search", args=["wells"]), {"q": "inn"}).status_code == 200
    drawn = ("derive_dataset", "mine", "--how", "sample", "--name", "some", "--option", "count=1", "--project", "wells")
    assert run(*drawn).code == 0
    out = tmp_path / "out.jsonl"
    assert run("export_dataset", "mine", "--format", "jsonl", "--out", out, "--project", "wells").code == 0
    again = [parsed.example for parsed in FORMATS["jsonl"].read(out)]
    assert [dict(example.extra) for example in again if example] == OBJECTS


def test_the_page_imports_a_file_whose_columns_are_all_kept(
    client: Any, alice: Any, project: Any, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    client.force_login(alice)
    file = SimpleUploadedFile("my.csv", table(tmp_path / "my.csv", CELLS).read_bytes())
    address = client.post(reverse("dataset-new", args=["wells"]), {"file": file}).url
    kept = {f"column-{k}": "" for k in range(4)}
    preview = client.post(address, kept, headers={"HX-Request": "true"}).content.decode()
    assert "The Farrow inn is old." in preview
    assert client.post(address, kept | {"import": "1"}).status_code == 303
    assert jobs.run_due_work() == 1
    dataset = Dataset.objects.get()
    assert [item.example.extra["stars"] for item in dataset.items.order_by("position")] == ["4", "1"]
    again = client.post(
        reverse("dataset-new", args=["wells"]), {"file": SimpleUploadedFile("b.csv", file.open().read())}
    )
    assert {field.initial for field in client.get(again.url).context["form"].fields.values()} == {""}
