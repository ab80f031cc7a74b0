"""The pages' scripts that touch no document, under Node; those that do are tested in the browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NODE = shutil.which("node")


@pytest.mark.skipif(not NODE, reason="Node.js is not installed")
@pytest.mark.parametrize("file", sorted((ROOT / "tests" / "scripts").glob("*.test.js")), ids=lambda file: file.name)
def test_a_script_without_a_page_does_what_its_tests_say(file: Path) -> None:
    run = subprocess.run([str(NODE), "--test", str(file)], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr
