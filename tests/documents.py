"""What the product offers by name, and whether its documents say so; the questions of tests/test_docs.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture import sources

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
OWN_FILE = re.compile(r"`((?:annotation|deploy|docs|static|tasks|templates|tests)/[\w./-]+)`")
EXAMPLES = {"tasks/fluency/"}  # the small task that tasks/README.md writes
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.S | re.M)
READ = r"(?:environ(?:\.get\(|\[|\.setdefault\()|getenv\()\s*[\"']([A-Z][A-Z0-9_]+)"
OF_OS = re.compile(rf"\bos\.{READ}")
BARE = re.compile(rf"(?<![\w.]){READ}")
BARE_IS_OS = re.compile(r"^from os import [^\n]*\b(?:environ|getenv)\b", re.M)
NOT_OURS = {"DJANGO_SETTINGS_MODULE"}


def documents(root: Path) -> list[Path]:
    """Everything that is written for people: the README, docs/, the tasks' README, the change log."""
    files = [
        *root.glob("*.md"),
        *(root / "docs").rglob("*.md"),
        *(root / "tasks").glob("*.md"),
        *(root / "tasks").glob("*/README.md"),
        *(root / "deploy").rglob("*.md"),
    ]
    return sorted(files)


def all_text(root: Path) -> str:
    return "\n".join(file.read_text() for file in documents(root))


def commands(root: Path) -> list[str]:
    """Names of the management commands, former ones left out."""
    files = (root / "annotation").glob("**/management/commands/[!_]*.py")
    return sorted(file.stem for file in files if not file.read_text().startswith('"""The former name of'))


def targets(root: Path) -> list[str]:
    """Targets of the Makefile that a person may name."""
    return re.findall(r"^([a-z]+):.*##", (root / "Makefile").read_text(), re.M)


def variables(root: Path) -> list[str]:
    """Environment variables that the product reads."""
    found: set[str] = set()
    for source in sources(root, "annotation", "deploy"):
        found |= read_of_environment(source.text)
    return sorted(found - NOT_OURS)


def read_of_environment(text: str) -> set[str]:
    """Names that a module reads of the process's environment; a request's `environ` of WSGI is another thing."""
    return set(OF_OS.findall(text)) | set(BARE.findall(text) if BARE_IS_OS.search(text) else ())


def said(name: str, text: str) -> bool:
    """Whether a name stands in a text as a word of its own."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def headings(file: Path) -> set[str]:
    """The anchors that a Markdown page has, as forges make them."""
    plain = FENCE.sub("", file.read_text())
    titles = re.findall(r"^#+ (.+)$", plain, re.M)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def broken_links(root: Path) -> Iterator[str]:
    """Links to files or headings that are not there; other hosts are not asked."""
    for file in documents(root):
        for target in LINK.findall(FENCE.sub("", file.read_text())):
            if re.match(r"[a-z]+:", target):
                continue
            path, _hash, anchor = target.partition("#")
            aim = (file.parent / path).resolve() if path else file
            if not aim.exists():
                yield f"{file.relative_to(root)}: {target} is not there"
            elif anchor and aim.suffix == ".md" and anchor not in headings(aim):
                yield f"{file.relative_to(root)}: {target} has no such heading"


def missing_files(root: Path) -> Iterator[str]:
    """Files of the repository, written as `folder/file`, that are not there."""
    for file in documents(root):
        for path in OWN_FILE.findall(FENCE.sub("", file.read_text())):
            if path not in EXAMPLES and not (root / path).exists():
                yield f"{file.relative_to(root)}: {path} is not there"


def code_lines(root: Path) -> Iterator[tuple[str, str]]:
    """(file, line) of everything in fenced code, continued lines joined, prompts taken off."""
    for file in documents(root):
        for block in FENCE.findall(file.read_text()):
            for line in block.replace("\\\n", " ").splitlines():
                yield str(file.relative_to(root)), line.strip().removeprefix("$ ")


def command_calls(root: Path) -> Iterator[tuple[str, str, str]]:
    """(file, command, rest of the line) of each `manage.py …` in fenced code."""
    for file, line in code_lines(root):
        if found := re.search(r"manage\.py ([a-z_]+)(.*)", line):
            yield file, found[1], found[2].partition(" #")[0]


def make_calls(root: Path) -> Iterator[tuple[str, str]]:
    """(file, target) of each `make …` in fenced code."""
    for file, line in code_lines(root):
        if found := re.match(r"make ([a-z]+)", line):
            yield file, found[1]
