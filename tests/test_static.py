"""Static files: every name that a template uses is there, everything hashes, and nothing comes from elsewhere."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command

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


def test_production_files_get_hashed_names_and_compressed_twins(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "annotation.storage.Storage"}}
    call_command("collectstatic", interactive=False, verbosity=0, stdout=StringIO())
    sheets = [p.name for p in (tmp_path / "css").glob("base.*.css")]
    assert len(sheets) == 1
    assert (tmp_path / "css" / f"{sheets[0]}.br").exists()
    assert (tmp_path / "css" / f"{sheets[0]}.gz").exists()
    imported = re.compile(r"(?:from|import)\s*\(?\s*[\"'](\.[^\"']+)[\"']")
    for script in (tmp_path / "js").rglob("*.????????????.js"):
        for name in imported.findall(script.read_text()):
            assert re.search(r"\.[0-9a-f]{12}\.js$", name), f"{script.name} imports {name} without a hash"
