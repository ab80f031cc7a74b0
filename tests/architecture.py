"""The house's rules as functions: each takes the root of a tree and yields its violations as "file:line says what".

`tests/test_architecture.py` runs them on this repository, and on small trees with planted violations.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from tests.template_rules import scripts

MOST_LINES = 400
MOST_FUNCTION_LINES = 50

THIRD_PARTIES = ("django", "celery", "boto3", "rest_framework")
CLOCK_AND_NETWORK = ("time", "socket", "http", "urllib.request", "requests", "asyncio", "subprocess")
VALUES_ONLY = (*THIRD_PARTIES, *CLOCK_AND_NETWORK, "annotation", "tasks")
WEB_MODULES = ("django.http", "django.template", "django.shortcuts", "django.urls", "django.forms", "celery")
ENTRIES = (
    *(f"annotation.{name}" for name in ("views", "api", "mturk_api", "jobs", "management", "admin", "forms")),
    *(f"annotation.{name}" for name in ("middleware", "operations", "urls", "templatetags")),
)

KNOWS_NO_ROWS = (
    *WEB_MODULES,
    *ENTRIES,
    "tasks",
    "annotation.flow",
    "annotation.models",
    "annotation.registry",
)

# Whoever is in a folder (or file) on the left may not import what begins with a name on the right.
FORBIDDEN: dict[str, tuple[str, ...]] = {
    "annotation/pure": VALUES_ONLY,
    "annotation/formats": VALUES_ONLY,
    "annotation/scorers": VALUES_ONLY,
    "annotation/derivations": VALUES_ONLY,
    "annotation/tasktype": VALUES_ONLY,
    "client/hopscribe_client": (*THIRD_PARTIES, "annotation", "tasks", "prolific_emulator"),
    "prolific-emulator": (*THIRD_PARTIES, "annotation", "tasks", "hopscribe_client"),
    "annotation/flow": (*WEB_MODULES, *ENTRIES, "tasks"),
    "annotation/models": (
        *WEB_MODULES,
        *ENTRIES,
        "tasks",
        *(f"annotation.{n}" for n in ("flow", "formats", "scorers")),
    ),
    "annotation/marketplaces/flow": (*WEB_MODULES, *ENTRIES, "tasks"),
    "annotation/marketplaces/base.py": KNOWS_NO_ROWS,
    "annotation/marketplaces/mturk": KNOWS_NO_ROWS,
    "annotation/marketplaces/prolific": KNOWS_NO_ROWS,
    "annotation/webhooks/protocol.py": VALUES_ONLY,
    "annotation/dry_run/forecast.py": VALUES_ONLY,
    "tasks": (*THIRD_PARTIES, *CLOCK_AND_NETWORK, "annotation"),
}
# ... except for what begins with one of these.
ALLOWED: dict[str, tuple[str, ...]] = {
    "annotation/pure": ("annotation.pure",),
    "annotation/formats": ("annotation.pure", "annotation.formats"),
    "annotation/scorers": ("annotation.pure", "annotation.scorers", "annotation.formats"),
    "annotation/derivations": ("annotation.pure", "annotation.derivations"),
    "annotation/tasktype": ("annotation.pure", "annotation.tasktype"),
    "annotation/webhooks/protocol.py": ("annotation.pure",),
    "annotation/dry_run/forecast.py": ("annotation.pure",),
    "tasks": ("annotation.tasktype", "annotation.pure"),
}
# Folders with a pyproject.toml of their own, and their package in them.
DISTRIBUTIONS = ("client", "prolific-emulator")
# Apps behind the engine (docs/architecture.md, "Events"): nothing outside their folders imports them.
APPS = ("bridges", "demo", "dry_run", "judges", "marketplaces", "mturk_api", "studies", "webhooks")
FORM_MAY = ("django.forms", "django.http")  # tasks/<kind>/form.py parses a POST

# The nine subjects, and which of them each may import in its own layer (docs/architecture.md has this table in words).
SUBJECTS: dict[str, dict[str, tuple[str, ...]]] = {
    "flow": {
        "projects": ("data", "money", "notifications", "people", "review"),
        "data": ("projects",),
        "batches": ("data", "money", "people", "projects", "work"),
        "work": ("batches", "money", "people", "review"),
        "review": ("data", "money", "notifications", "people", "projects", "work"),
        "people": ("batches", "money", "projects", "review", "work"),
        "money": ("projects", "review"),
        "notifications": ("work",),
        "reports": ("batches", "data", "money", "projects", "review", "work"),
    },
    "views": {
        "projects": ("data",),
        "data": ("reports", "review"),
        "batches": ("review", "work"),
        "work": ("people",),
        "review": ("batches", "work"),
        "people": ("batches", "work"),
        "money": ("batches",),
        "notifications": ("work",),
        "reports": ("batches",),
    },
}

# Third parties have one home each; whoever else imports them is named.
HOMES: dict[str, tuple[str, ...]] = {
    "boto3": ("annotation/marketplaces/mturk/",),
    "botocore": ("annotation/marketplaces/mturk/", "annotation/mturk_api/"),
    "cryptography": ("annotation/models/sealed.py", "annotation/operations/archive_encryption.py"),
    "defusedxml": ("annotation/pure/mturk/mturk_xml.py",),
    "rapidfuzz": ("annotation/pure/text/fuzzy_search.py",),
    "bm25s": ("annotation/pure/text/bm25.py",),
    "HanTa": ("annotation/pure/text/tagging.py",),
    "syntok": ("annotation/pure/text/tagging.py",),
    "celery": ("annotation/celery.py",),
    "rest_framework": (
        "annotation/api/",
        "annotation/webhooks/api.py",
        "annotation/dry_run/api.py",
        "annotation/studies/api.py",
    ),
    "drf_spectacular": ("annotation/api/schema.py",),
    "markdown_it": ("annotation/views/markdown_html.py",),
    "nh3": ("annotation/views/markdown_html.py",),
    "prometheus_client": ("annotation/operations/prometheus.py",),
    "pythonjsonlogger": ("annotation/operations/logs.py",),
    "segno": ("annotation/views/qr_code.py",),
    "django_otp": ("annotation/flow/people/two_factor.py",),
    "pyarrow": ("annotation/formats/", "annotation/flow/data/response_files.py"),
    "tasks": ("annotation/registry.py", "tasks/"),
    "httpx": ("client/",),
    "urllib3": ("annotation/judges/chat_client.py", "annotation/marketplaces/prolific/client.py"),
    "yaml": ("annotation/pure/text/structured.py",),
    "standardwebhooks": ("annotation/webhooks/protocol.py",),
}
MAY_MARK_SAFE = (
    "annotation/views/markdown_html.py",
    *(f"annotation/templatetags/{name}_tags.py" for name in ("display", "item", "paragraph")),
)


@dataclass(frozen=True)
class Source:
    """A Python file of the product, parsed when a rule asks for that."""

    path: str  # from the root, with slashes
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def imports(self) -> list[Import]:
        """Every import; those inside functions are not `at_top`."""
        return list(_imports(self))

    @property
    def module(self) -> str:
        first, _, rest = self.path.removesuffix(".py").removesuffix("/__init__").partition("/")
        return (rest if first in DISTRIBUTIONS else f"{first}/{rest}").replace("/", ".")


class Import(NamedTuple):
    name: str  # as far as it can be told: `from a import b` is a.b
    line: int
    at_top: bool


def sources(root: Path, *folders: str) -> list[Source]:
    everywhere = ("annotation", *DISTRIBUTIONS, "tasks")
    return [source for folder in folders or everywhere for source in _sources(root, folder)]


@cache
def _sources(root: Path, folder: str) -> list[Source]:
    found = []
    for file in sorted((root / folder).rglob("*.py")):
        path = file.relative_to(root).as_posix()
        if "/migrations/" not in path:
            found.append(_source(root, path))
    return found


@cache
def _source(root: Path, path: str) -> Source:
    return Source(path, (root / path).read_text())


def forget() -> None:
    """What was read, which is a lot to hold on to."""
    _sources.cache_clear()
    _source.cache_clear()


def _imports(source: Source) -> Iterator[Import]:
    top = {id(node) for node in source.tree.body}
    for node in source.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, id(node) in top)
        elif isinstance(node, ast.ImportFrom):
            package = _absolute(source, node)
            for alias in node.names:
                yield Import(f"{package}.{alias.name}", node.lineno, id(node) in top)


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = source.path.removesuffix(".py").split("/")[: -node.level]
    return ".".join([*parts, *([node.module] if node.module else [])])


def begins(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)


def _lies_in(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")


def forbidden_imports(root: Path) -> Iterator[str]:
    """Who imports whom against the arrows of the house."""
    for source in sources(root):
        for place, names in FORBIDDEN.items():
            if not _lies_in(source.path, place):
                continue
            allowed = (*ALLOWED.get(place, ()), *own_modules(source.path))
            for found in source.imports:
                if begins(found.name, names) and not begins(found.name, allowed):
                    yield f"{source.path}:{found.line} {place} must not import {found.name}"


def imported_apps(root: Path) -> Iterator[str]:
    """Files of the engine, or of another app, that import an app behind the engine."""
    for source in sources(root, "annotation"):
        for found in source.imports:
            for app in APPS:
                if begins(found.name, (f"annotation.{app}",)) and not source.path.startswith(f"annotation/{app}/"):
                    yield f"{source.path}:{found.line} must not import the app {app}: it emits events, or discovers"


def own_modules(path: str) -> tuple[str, ...]:
    """What a task's file may import besides the contract: its own folder, and Django's forms to parse a POST."""
    parts = path.split("/")
    if parts[0] != "tasks" or len(parts) < 3:
        return ()
    return (f"tasks.{parts[1]}", *(FORM_MAY if parts[2] == "form.py" else ()))


def crossing_subjects(root: Path) -> Iterator[str]:
    """Imports between subjects of one layer that SUBJECTS does not have, and folders that are no subject."""
    for layer, table in SUBJECTS.items():
        for source in sources(root, f"annotation/{layer}"):
            subject, *inner = source.path.split("/")[2:]
            if not inner:
                continue
            if subject not in table:
                yield f"{source.path}: {subject} is not one of the nine subjects"
                continue
            for one in source.imports:
                other = one.name.removeprefix(f"annotation.{layer}.").split(".")[0]
                if one.name != other and other in table and other not in (subject, *table[subject]):
                    yield f"{source.path}:{one.line} {subject} may not import {other}"


def homeless_imports(root: Path) -> Iterator[str]:
    """Third parties imported outside their one home."""
    for source in sources(root):
        for found in source.imports:
            for name, homes in HOMES.items():
                if begins(found.name, (name,)) and not source.path.startswith(homes):
                    yield f"{source.path}:{found.line} only {' and '.join(homes)} may import {name}"


def global_chance(root: Path) -> Iterator[str]:
    """Randomness that is not an argument: anything of the module `random` but its class Random."""
    for source in sources(root):
        if not source.path.startswith(("annotation/pure/", "annotation/formats/", "annotation/scorers/", "tasks/")):
            continue
        for found in source.imports:
            if begins(found.name, ("random", "secrets", "uuid")) and found.name not in {"random", "random.Random"}:
                yield f"{source.path}:{found.line} randomness comes as an argument, not from {found.name}"
        for node in source.nodes:
            of_random = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "random"
            if of_random and node.attr != "Random":
                yield f"{source.path}:{node.lineno} randomness comes as an argument, not from random.{node.attr}"


def assigned_states(root: Path) -> Iterator[str]:
    """`.state = ` and `.status = ` anywhere but in a guarded move() or move_to_…()."""
    for source in sources(root):
        moves = [n for n in source.nodes if isinstance(n, ast.FunctionDef) and n.name.startswith("move")]
        inside = {id(node) for move in moves for node in ast.walk(move)}
        for node in source.nodes:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) else []:
                if isinstance(target, ast.Attribute) and target.attr in {"state", "status"} and id(node) not in inside:
                    yield f"{source.path}:{node.lineno} states change by move(), a guarded update, not by assignment"


def circles(root: Path) -> Iterator[str]:
    """Modules that import each other, directly or through others, when they are loaded or in a function."""
    found = sources(root)
    names = {source.module for source in found}
    graph: dict[str, set[str]] = {}
    for source in found:
        wanted = (_module_of(i.name, names) for i in source.imports)
        graph[source.module] = {name for name in wanted if name and name != source.module}
    done: set[str] = set()
    for module in sorted(graph):
        yield from _circle_from(module, graph, [], done)


def _module_of(name: str, names: set[str]) -> str | None:
    while name and name not in names:
        name = name.rpartition(".")[0]
    return name or None


def _circle_from(module: str, graph: dict[str, set[str]], path: list[str], done: set[str]) -> Iterator[str]:
    if module in path:
        yield "a circle of imports: " + " → ".join([*path[path.index(module) :], module])
        return
    if module in done:
        return
    for other in sorted(graph[module]):
        yield from _circle_from(other, graph, [*path, module], done)
    done.add(module)


def long_files(root: Path) -> Iterator[str]:
    for source in sources(root, "annotation", "tasks", "tests", "deploy"):
        length = source.text.count("\n")
        if length > MOST_LINES:
            yield f"{source.path}:{length} a module has at most {MOST_LINES} lines"
    for file in scripts(root):
        length = file.read_text().count("\n")
        if length > MOST_LINES:
            yield f"{file.relative_to(root)}:{length} a script has at most {MOST_LINES} lines"


def long_functions(root: Path) -> Iterator[str]:
    for source in sources(root, "annotation", "tasks", "tests", "deploy"):
        for node in source.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MOST_FUNCTION_LINES:
                    yield f"{source.path}:{node.lineno} {node.name} has {length} lines, at most {MOST_FUNCTION_LINES}"


def unlisted_safety(root: Path) -> Iterator[str]:
    """`mark_safe` and its kin outside the files that are known to hand it sanitised text."""
    for source in sources(root):
        for node in source.nodes:
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if name in {"mark_safe", "SafeData", "html_safe"} and source.path not in MAY_MARK_SAFE:
                yield f"{source.path}:{node.lineno} {name} only in {', '.join(MAY_MARK_SAFE)}"


RULES = [
    forbidden_imports,
    imported_apps,
    crossing_subjects,
    homeless_imports,
    global_chance,
    assigned_states,
    circles,
    long_files,
    long_functions,
    unlisted_safety,
]
