"""The rules of templates and scripts, as functions of the root of a tree (tests/test_architecture.py runs them)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

IN_TEMPLATES = {
    r"<script(?![^>]*\bsrc=)(?![^>]*\btype=[\"']?application/json)": "an inline script",
    r"<style\b": "an inline style sheet",
    r"<[^>]*\sstyle\s*=": "a style attribute",
    r"<[^>]*\son[a-z]+\s*=": "an on… attribute",
    r"\|\s*safe\b|\|\s*safeseq\b": "the safe filter",
    r"{%\s*autoescape\s+off": "autoescape off",
    r"(?:src|href|action)\s*=\s*[\"']?(?:https?:)?//": "something from another host",
    r"javascript:": "a javascript: address",
    r"\b(?:project|batch)\.title\b(?!\|in_language)": "a title in all its languages",
}
IN_SCRIPTS = {
    r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment)\b": "HTML made from text",
    r"\beval\s*\(|\bnew Function\b|\bset(?:Timeout|Interval)\s*\(\s*[\"'`]": "code made from text",
    r"(?:from|import)\s*\(?\s*[\"']https?://": "a script from another host",
}
WIDTH = 120
MODULE = re.compile(r"\b(?:flow|pure|views|forms|models|tasktype|marketplaces|dry_run|webhooks|mturk_api)(?:\.\w+)+")
COMMENT = re.compile(r"{#.*?#}|{%\s*comment.*?endcomment\s*%}", re.S)
NAMED = re.compile(r"[\"']([a-z_0-9]+(?:/[a-z_0-9]+)+\.html)[\"']")


def folders(root: Path) -> list[Path]:
    """Where Django looks for templates: the project's, the tasks', each app's own."""
    return [root / "templates", root / "tasks", *sorted((root / "annotation").glob("*/templates"))]


def templates(root: Path) -> list[Path]:
    return sorted(file for folder in folders(root) for file in folder.rglob("*.html"))


def dangerous_templates(root: Path) -> Iterator[str]:
    for file in templates(root):
        yield from matches(root, file, IN_TEMPLATES)


def scripts(root: Path) -> list[Path]:
    """The project's scripts, and those of the tasks and apps."""
    own = (root / folder for folder in ("tasks", "annotation"))
    return sorted([*(root / "static/js").rglob("*.js"), *(file for of in own for file in of.glob("*/static/**/*.js"))])


def dangerous_scripts(root: Path) -> Iterator[str]:
    for file in scripts(root):
        yield from matches(root, file, IN_SCRIPTS)


def missing_templates(root: Path) -> Iterator[str]:
    """Templates that a view, a template or a test names and that no folder holds."""
    pages = templates(root)
    there = {file.relative_to(folder).as_posix() for folder in folders(root) for file in folder.rglob("*.html")}
    for file in [*pages, *sorted((root / "annotation").rglob("*.py")), *sorted((root / "tasks").rglob("*.py"))]:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for name in NAMED.findall(line):
                if name not in there:
                    yield f"{file.relative_to(root)}:{number} no template is called {name}"


def wide_templates(root: Path) -> Iterator[str]:
    """A template ends with its subject, however many lines that takes; a line is to be read at a glance."""
    for file in templates(root):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if len(line) > WIDTH:
                yield f"{file.relative_to(root)}:{number} a line of a template has at most {WIDTH} characters"


def spelled_dates(root: Path) -> Iterator[str]:
    """Dates that are spelled out; each language has its own in annotation/locale."""
    for file in templates(root):
        yield from matches(root, file, {r"\|date:[\"'][^\"']*j M": "a date of no language"})


def stale_comments(root: Path) -> Iterator[str]:
    """Comments of templates that name a module, or what is in it, that is not there."""
    for file in templates(root):
        named = {match[0] for comment in COMMENT.findall(file.read_text()) for match in MODULE.finditer(comment)}
        for dotted in sorted(named):
            if not _is_there(root / "annotation", dotted.split(".")):
                yield f"{file.relative_to(root)}: a comment names {dotted}, which is not there"


def _is_there(folder: Path, names: list[str]) -> bool:
    """Whether the dotted name is a package, a module, or something in a module."""
    first, *rest = names
    if (folder / first).is_dir():
        return not rest or _is_there(folder / first, rest)
    module = folder / f"{first}.py"
    return module.exists() and all(re.search(rf"\b{name}\b", module.read_text()) for name in rest)


def matches(root: Path, file: Path, patterns: dict[str, str]) -> Iterator[str]:
    text = file.read_text()
    plain = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for pattern, what in patterns.items():
        for found in re.finditer(pattern, plain, re.I):
            line = plain.count("\n", 0, found.start()) + 1
            yield f"{file.relative_to(root)}:{line} {what}: {found[0].strip()[:60]}"


RULES = [dangerous_templates, dangerous_scripts, missing_templates, wide_templates, spelled_dates, stale_comments]
