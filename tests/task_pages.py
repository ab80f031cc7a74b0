"""The list of tasks in the guide for requesters, made of the tasks' own pages: `make tasks`."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = "docs/requesters.md"
BEGIN, END = "<!-- the tasks: make tasks -->", "<!-- end of the tasks -->"


def title_of(page: Path) -> str:
    """What the first line of a task's page says behind the task's name."""
    found = re.match(r"# `\w+`: (.+)\n", page.read_text())
    if not found:
        raise ValueError(f"{page} does not begin with `# `name`: what it asks`")
    return found[1]


def lines(root: Path) -> list[str]:
    """One line for each folder of tasks/ with a page."""
    pages = sorted((root / "tasks").glob("*/README.md"))
    return [f"- [`{page.parent.name}`](../tasks/{page.parent.name}/README.md): {title_of(page)}" for page in pages]


def listed(text: str) -> list[str]:
    """The lines of the list in the guide."""
    return text.partition(BEGIN)[2].partition(END)[0].strip().splitlines()


def write(root: Path) -> None:
    """Bring the list in the guide up to date."""
    guide = root / GUIDE
    before, _begin, rest = guide.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    guide.write_text("\n".join([before + BEGIN, *lines(root), END]) + after)


if __name__ == "__main__":
    write(Path(__file__).resolve().parent.parent)
