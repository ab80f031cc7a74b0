"""The guide to the figures of reports, made of their explanations: `make figures`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from annotation.pure.reports.explanations import sections
from annotation.registry import explanations_of, task_types

GUIDE = "docs/figures.md"
BEGIN = """# What the figures of reports mean

Beside each figure of a report stands a “?”. It says whom the figure is about, how it is computed and by which paper,
from which rows, with a link to them, and what changes it. This page has all of these texts; `make figures` writes it.
"""


def text() -> str:
    return "\n".join([BEGIN, *_lines()])


def _lines() -> Iterator[str]:
    for section in sections(map(explanations_of, task_types().values())):
        yield f"## {section['title']}\n"
        for one in section["entries"]:
            source = f" {one['source']}." if one["source"] else ""
            yield f"### {one['title']}"
            yield fill(f"{one['how']}{source}", 120) + "\n"
            yield f"- About: {one['whom']}\n- From: {one['rows']}.\n- Changes with: {one['changes']}\n"


if __name__ == "__main__":
    (Path(__file__).resolve().parent.parent / GUIDE).write_text(text())
