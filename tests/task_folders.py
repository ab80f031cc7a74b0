"""A folder of tasks/ names no folder of tasks/, its own included: what is copied is then whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture import begins, own_modules, sources
from tests.template_rules import matches


def named_folders(root: Path) -> Iterator[str]:
    """Files of tasks that name a folder of tasks: so a copied folder would use the files of another."""
    for source in sources(root, "tasks"):
        for node in source.nodes:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if any(begins(name, ("tasks",)) for name in names):
                yield f"{source.path}:{node.lineno} a task imports its own modules as .name, and no other task"
        for found in source.imports:
            if begins(found.name, ("tasks",)) and not begins(found.name, own_modules(source.path)):
                yield f"{source.path}:{found.line} a task must not import {found.name}"
    folders = "|".join(sorted(file.parent.name for file in (root / "tasks").glob("*/*.html"))) or "-"
    for file in sorted((root / "tasks").glob("*/*.html")):
        yield from matches(root, file, {rf"{{%[^%]*[\"'](?:tasks/)?(?:{folders})/": "a task's own file is ./name"})
