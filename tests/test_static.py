"""Static files: every name that a template uses is there, everything hashes, and nothing comes from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from tests.architecture import templates

ROOT = Path(__file__).resolve().parent.parent
USED = re.compile(r"{%\s*static\s+[\"']([^\"']+)[\"']")


def used_names() -> list[str]:
    return sorted({name for file in templates(ROOT) for name in USED.findall(file.read_text())})


@pytest.mark.parametrize("name", used_names())
def test_every_static_file_that_a_page_uses_is_there(name: str) -> None:
    assert finders.find(name), f"{name} is used by a template and is not in static/"


def test_style_sheets_and_scripts_load_nothing_from_elsewhere() -> None:
    foreign = re.compile(r"(?:url\(|@import|\bfrom\s|\bimport\s*\(?|fetch\()\s*[\"']?(?:https?:)?//")
    found = [
        f"{file.relative_to(ROOT)}: {m[0]}"
        for file in (ROOT / "static").rglob("*")
        if file.suffix in {".css", ".js", ".svg"}
        for m in foreign.finditer(file.read_text())
    ]
    assert not found, "\n".join(found)


def test_production_files_get_hashed_names_and_compressed_twins(static: Path) -> None:
    sheets = [p.name for p in (static / "css").glob("base.*.css")]
    assert len(sheets) == 1
    assert (static / "css" / f"{sheets[0]}.br").exists()
    assert (static / "css" / f"{sheets[0]}.gz").exists()
    imported = re.compile(r"(?:from|import)\s*\(?\s*[\"'](\.[^\"']+)[\"']")
    for script in (static / "js").rglob("*.????????????.js"):
        for name in imported.findall(script.read_text()):
            assert re.search(r"\.[0-9a-f]{12}\.js$", name), f"{script.name} imports {name} without a hash"
