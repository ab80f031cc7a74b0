"""The engine's tests without the apps behind it: `TESTS_WITHOUT="webhooks mturk_api"`, which tests/settings.py reads.

A test file is left out if it imports one of these apps, itself or through other modules of the tests.
"""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WITHOUT = os.environ.get("TESTS_WITHOUT", "").split()


def is_about_an_app(path: Path) -> bool:
    """Whether a test file needs an app that is not installed."""
    return bool(WITHOUT) and path.suffix == ".py" and any(_needs(path, app) for app in WITHOUT)


def _needs(path: Path, app: str) -> bool:
    seen, waiting = set(), [path]
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        if any(name == f"annotation.{app}" or name.startswith(f"annotation.{app}.") for name in _imports(file)):
            return True
        waiting += [found for name in _imports(file) if name.startswith("tests.") for found in _files(name)]
        waiting += [folder / "conftest.py" for folder in file.parents if folder.is_relative_to(ROOT / "tests")]
    return False


def _files(name: str) -> list[Path]:
    path = ROOT / name.replace(".", "/")
    return [
        file
        for file in (path.with_suffix(".py"), path / "__init__.py", path.parent.with_suffix(".py"))
        if file.exists()
    ]


@cache
def _imports(file: Path) -> frozenset[str]:
    """Dotted names that a file imports anywhere: `from a import b` gives "a" and "a.b"."""
    found: set[str] = set()
    if file.exists():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)
