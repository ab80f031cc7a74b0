"""`gather_dataset`, and what `export_dataset` writes beside the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.management.conftest import Run, refused
from tests.management.test_commands import responses

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(run: Run, study: Path, tmp_path: Path) -> None:
    assert run("import_responses", "study", responses(tmp_path / "j.jsonl", "a", "b")).code == 0


def test_a_batch_takes_a_dataset_and_yields_a_dataset(run: Run, judged: None) -> None:
    made = run("create_results_dataset", "study", "--name", "verdicts", "--json")
    assert made.code == 0
    assert made.document == {
        "datasets": {"verdicts": 4},
        "read": 4,
        "kept": 4,
        "dropped": {},
        "left_out": [],
        "figures": {"items": 4, "verdicts": {"span": 4}, "answers": {"standing": 8}, "decided": {"aggregated": 4}},
    }
    again = run("create_results_dataset", "study", "--name", "verdicts", "--json")
    assert (again.code, again.document) == (0, {"datasets": {"verdicts": 4}, "already_there": True})


def test_what_cannot_be_gathered_is_refused(run: Run, study: Path) -> None:
    refused(run("create_results_dataset", "study", "--name", "verdicts"), "No item has an aggregated response yet")
    refused(run("create_results_dataset", "none", "--name", "verdicts"), "There is no batch none", "study")
    assert run("create_results_dataset", "study", "--name", "two words").code == 2
    assert run("create_results_dataset", "study").code == 2


def test_an_export_comes_with_its_provenance_datasheet_and_card(run: Run, judged: None, tmp_path: Path) -> None:
    run("create_results_dataset", "study", "--name", "verdicts")
    out, provenance, sheet, card = (tmp_path / name for name in ("verdicts.jsonl", "p.jsonl", "SHEET.md", "README.md"))
    wish = ["--provenance", provenance, "--datasheet", sheet, "--card", card]
    ended = run("export_dataset", "verdicts", "--format", "musique", "--out", out, *wish, "--json")
    assert ended.code == 0
    assert ended.document["records"] == ended.document["provenance"]["records"] == 4
    assert ended.document["datasheet"]["file"] == str(sheet)
    records = [json.loads(line) for line in out.read_text().splitlines()]
    steps = [json.loads(line) for line in provenance.read_text().splitlines()]
    assert [record["id"] for record in records] == [row["id"] for row in steps]
    assert all(row["provenance"][0]["batch"] == "study" for row in steps)
    assert not any("provenance" in record for record in records)
    assert "# Datasheet of verdicts" in sheet.read_text()
    assert 'path: "verdicts.jsonl"' in card.read_text()
    assert "`SHEET.md`" in card.read_text()
    before = [file.read_bytes() for file in (out, provenance, sheet, card)]
    assert run("export_dataset", "verdicts", "--format", "musique", "--out", out, *wish).code == 0
    assert [file.read_bytes() for file in (out, provenance, sheet, card)] == before


def test_one_file_cannot_be_two_documents(run: Run, wells: Path, tmp_path: Path) -> None:
    same = tmp_path / "x.md"
    ended = run("export_dataset", "wells", "--format", "jsonl", "--out", same, "--card", same)
    assert (ended.code, same.exists()) == (2, False)
    assert "give each its own" in ended.err


def test_a_document_that_cannot_be_written_is_refused(run: Run, wells: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.jsonl"
    ended = run("export_dataset", "wells", "--format", "jsonl", "--out", out, "--card", tmp_path / "none" / "card.md")
    refused(ended, "cannot be written")
