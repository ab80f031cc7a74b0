"""A task is its folder: a copy of each one, and the task in tasks/README.md, pass what `make test` asks of tasks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("annotation", "docs", "static", "tasks", "templates", "tests", "deploy")
FILES = ("CHANGELOG.md", "LICENSE", "Makefile", "README.md", "manage.py", "pyproject.toml")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.png", "var")
KINDS = sorted(file.parent.name for file in ROOT.glob("tasks/*/task.py"))
COPY = "copied_"
README_TASK = "fluency"  # the whole task in tasks/README.md
ASKED = (
    "tests/api/test_schema.py",
    "tests/flow/work/test_responses_again.py",
    "tests/tasks/test_contract.py",
    "tests/test_architecture.py",
    "tests/test_docs.py",
    "tests/test_static.py",
    "tests/test_translations.py",
)
WHOLE = ("test_schema", "test_architecture", "test_docs", "test_static", "test_translations")  # not task by task


def write_readme_task(folder: Path) -> list[str]:
    """Write the files that tasks/README.md shows into the folder; returns their names."""
    text = (ROOT / "tasks/README.md").read_text()
    files = re.findall(r"^\*\*`([\w.]+)`\*\*\n\n(`{3,})\w+\n(.*?)^\2$", text, re.S | re.M)
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name, _fence, content in files:
        (folder / name).write_text(content)
    return [name for name, _fence, _content in files]


def outcomes_of(checkout: Path, kinds: list[str], asked: tuple[str, ...]) -> dict[str, str]:
    """What became of each test in a checkout where these folders of tasks/ have a copy beside them."""
    for part in PARTS:
        shutil.copytree(ROOT / part, checkout / part, ignore=LEFT_OUT)
    for picture in (file for part in PARTS for file in (ROOT / part).rglob("*.png")):
        (checkout / picture.relative_to(ROOT)).touch()
    for file in FILES:
        shutil.copy(ROOT / file, checkout)
    for kind in kinds:
        shutil.copytree(checkout / "tasks" / kind, checkout / "tasks" / f"{COPY}{kind}")
    write_readme_task(checkout / "tasks" / README_TASK)
    result = checkout / "outcomes.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:xdist", f"--junitxml={result}"]
    command += ["-k", " or ".join([COPY, README_TASK, *WHOLE]), *asked]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False, timeout=900)
    assert result.exists(), done.stdout[-3000:] + done.stderr[-3000:]
    found = {}
    for case in ElementTree.parse(result).iter("testcase"):
        ill = case.find("failure") if case.find("failure") is not None else case.find("error")
        name = f"{case.get('classname')}::{case.get('name')}"
        found[name] = "" if ill is None else (ill.text or "failed")[-2000:]
    return found


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of all tests that are asked, with a copy of every task."""
    return outcomes_of(tmp_path_factory.mktemp("checkout"), KINDS, ASKED)


def test_a_copy_and_the_task_of_the_readme_pass_task_by_task(tmp_path: Path) -> None:
    asked = tuple(file for file in ASKED if Path(file).stem not in WHOLE)
    found = outcomes_of(tmp_path, KINDS[:1], asked)
    assert len([name for name in found if COPY in name]) > 30
    assert len([name for name in found if README_TASK in name]) > 30
    assert not [f"{name}\n{result}" for name, result in found.items() if result]


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_a_copied_folder_passes_untouched(outcomes: dict[str, str], kind: str) -> None:
    own = {name: result for name, result in outcomes.items() if f"{COPY}{kind}-" in name or f"[{COPY}{kind}]" in name}
    assert len(own) > 30
    assert not [f"{name}\n{result}" for name, result in own.items() if result]


@pytest.mark.soak
def test_the_task_of_the_readme_passes(outcomes: dict[str, str]) -> None:
    own = {name: result for name, result in outcomes.items() if f"[{README_TASK}" in name or f"-{README_TASK}" in name}
    assert len(own) > 30
    assert not [f"{name}\n{result}" for name, result in own.items() if result]


@pytest.mark.soak
def test_documents_schema_translations_and_rules_hold_with_the_copies(outcomes: dict[str, str]) -> None:
    whole = {name: result for name, result in outcomes.items() if COPY not in name}
    assert not [f"{name}\n{result}" for name, result in whole.items() if result]
    modules = Counter(name.partition("::")[0].rpartition(".")[2] for name in whole)
    assert set(WHOLE) <= set(modules)
