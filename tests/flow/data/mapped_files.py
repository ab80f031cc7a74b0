"""Files with columns of their own, and their import through a mapping."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from annotation.models import Dataset
from annotation.pure.data.example import Example
from tests.management.conftest import Run


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def mapping_words(*maps: str) -> list[str]:
    """The options of `import_dataset` for a mapping."""
    return [word for each in maps for word in ("--map", each)]


def mapped(run: Run, file: Path, *maps: str) -> list[Example]:
    """The items of a file by the command."""
    ended = run("import_dataset", file, "--name", "mine", *mapping_words(*maps))
    assert ended.code == 0, ended.err
    return [item.example for item in Dataset.objects.get(slug="mine").items.order_by("position")]
