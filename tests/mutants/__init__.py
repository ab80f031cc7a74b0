"""Mutation testing: lines are broken on purpose, one at a time, and some test has to notice each (docs/proof.md)."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("MUTANTS_FOLDER") or ROOT / "var/mutants")
TESTS, RESULTS = FOLDER / "tests.jsonl", FOLDER / "results.jsonl"
EQUIVALENTS = ROOT / "tests/mutants/equivalents.txt"
PATTERNS = (
    *("annotation/pure/**/*.py", "annotation/flow/**/*.py", "annotation/*/flow/*.py"),
    *("annotation/**/*money.py", "annotation/**/*pay*.py", "annotation/mturk_api/assignments.py", "tasks/**/money.py"),
)


def targets() -> list[str]:
    """The modules that are mutated, from the root."""
    found = {file.relative_to(ROOT).as_posix() for pattern in PATTERNS for file in ROOT.glob(pattern)}
    return sorted(path for path in found if not re.search("/(migrations|routes|urls)/", path))
