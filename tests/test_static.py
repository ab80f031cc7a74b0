"""Static files: every name that a template uses is there, everything hashes, and nothing comes from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from tests.template_rules import templates

ROOT = Path(__file__).resolve().parent.parent
USED = re.compile(r"{%\s*static\s+[\"']([^\"']+)[\"']")
OF_TASK = re.compile(r"{%\s*task_(?:css|script)\s+[\"']([^\"']+)[\"']")


def used_names() -> list[str]:
    of_tasks = {
        f"tasks/{file.parent.name}/{name}" for file in templates(ROOT) for name in OF_TASK.findall(file.read_text())
    }
    return sorted({name for file in templates(ROOT) for name in USED.findall(file.read_text())} | of_tasks)


@pytest.mark.parametrize("name", used_names())
def test_every_static_file_that_a_page_uses_is_there(name: str) -> None:
    assert finders.find(name), f"{name} is used by a template and is in no static folder"


def test_style_sheets_and_scripts_load_nothing_from_elsewhere() -> None:
    foreign = re.compile(r"(?:url\(|@import|\bfrom\s|\bimport\s*\(?|fetch\()\s*[\"']?(?:https?:)?//")
    found = [
        f"{file.relative_to(ROOT)}: {m[0]}"
        for folder in (ROOT / "static", *ROOT.glob("tasks/*/static"))
        for file in folder.rglob("*")
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
    assert list((static / "tasks").rglob("page.????????????.js"))
    for script in [*(static / "js").rglob("*.????????????.js"), *(static / "tasks").rglob("*.????????????.js")]:
        for name in imported.findall(script.read_text()):
            assert re.search(r"\.[0-9a-f]{12}\.js$", name), f"{script.name} imports {name} without a hash"
