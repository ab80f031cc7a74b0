"""Lists in the guide for requesters, by `make tasks`: the tasks, from their own pages, and a batch's settings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

GUIDE = "docs/requesters.md"
TASKS = ("<!-- the tasks: make tasks -->", "<!-- end of the tasks -->")
SETTINGS = ("<!-- the settings: make tasks -->", "<!-- end of the settings -->")


def title_of(page: Path) -> str:
    """What the first line of a task's page says behind the task's name."""
    found = re.match(r"# `\w+`: (.+)\n", page.read_text())
    if not found:
        raise ValueError(f"{page} does not begin with `# `name`: what it asks`")
    return found[1]


def task_lines(root: Path) -> list[str]:
    """One line for each folder of tasks/ with a page."""
    pages = sorted((root / "tasks").glob("*/README.md"))
    return [f"- [`{page.parent.name}`](../tasks/{page.parent.name}/README.md): {title_of(page)}" for page in pages]


def setting_lines() -> list[str]:
    """A table with a row for each setting of a batch, from what the code says of it."""
    from annotation.flow.batches.settings import SETTINGS as settings
    from annotation.flow.batches.settings import HiddenGold
    from annotation.pure.setting_fields import settings_of

    gold = [(f"checks.{name}", one) for name, one in settings_of(HiddenGold).items()]
    rows = [row for name, one in settings.items() for row in (gold if name == "checks" else [(name, one)])]
    return [
        "| setting | API | option | values | after the launch |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {_words(one)} | `{name}` | {_option(one)} | {_values(one)} | {_life(one)} |" for name, one in rows),
    ]


def _words(one: Any) -> str:
    return f"{one.label}. {one.help}".strip()


def _option(one: Any) -> str:
    name = (one.option or one.name).replace("_", "-")
    return f"`--no-{name}`" if one.default is True else f"`--{name}`"


def _values(one: Any) -> str:
    if one.choices is not None:
        return ", ".join(f"`{value}`" for value in one.choices)
    if one.type in (int, float, Decimal) and one.least is not None:
        default = "" if one.default is None else f"; default {one.default}"
        return f"{one.least:,g} to {one.most:,g}{default}" if one.most < 10**9 else f"from {one.least:,g}{default}"
    return f"up to {one.length:,} characters" if one.length else ""


def _life(one: Any) -> str:
    return "may change" if one.changes == "always" else ""


def listed(text: str, marks: tuple[str, str]) -> list[str]:
    """The lines of a list in the guide."""
    return text.partition(marks[0])[2].partition(marks[1])[0].strip().splitlines()


def write(root: Path) -> None:
    """Bring the lists in the guide up to date."""
    guide = root / GUIDE
    text = guide.read_text()
    for marks, lines in ((TASKS, task_lines(root)), (SETTINGS, setting_lines())):
        text = _replaced(text, marks, lines)
    guide.write_text(text)


def _replaced(text: str, marks: tuple[str, str], lines: Iterable[str]) -> str:
    before, _begin, rest = text.partition(marks[0])
    return "\n".join([before + marks[0], *lines, marks[1]]) + rest.partition(marks[1])[2]


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.settings")
    django.setup()
    write(Path(__file__).resolve().parent.parent)
