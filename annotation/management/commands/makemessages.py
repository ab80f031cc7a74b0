"""Django's makemessages, also with the tasks' instructions, what their practice and examples explain, what preset
rubrics ask, and with explanations of figures.
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

from annotation.pure.reports.explanations import CHANGES
from annotation.pure.text.languages import bits

# keys of practice and worked examples, and those of rubrics, whose texts are for workers
READ = {"title", "why", "notes", "note", "ask", "help", "unit", "labels", "choice", "choices"}
UNREAD = {"text", "sentences", "criteria"}  # beside the title of a paragraph, or of a rubric


def texts_of(path: Path) -> Iterator[str]:
    """What is to be translated of a file: of TOML explanations, else what a task has; nothing of other files."""
    if path.suffix == ".toml":
        yield from _of_explanations(tomllib.loads(path.read_text(encoding="utf-8")))
        return
    if (
        "tasks" not in (path.parent.parent.name, path.parents[3].name)
        or path.name in ("README.md", "examples.json")
        or len(path.suffixes) > 1
    ):
        return
    text = path.read_text(encoding="utf-8")
    yield from bits(text) if path.suffix == ".md" else _explained(json.loads(text))


def _of_explanations(content: dict[str, Any]) -> Iterator[str]:
    entries = [each for each in content.values() if isinstance(each, dict) and "how" in each]
    for one in (content, *entries) if entries else ():
        yield from (one[name] for name in ("title", "how", "changes") if name in one and one[name] not in CHANGES)
        yield from one.get("columns", {})


def _explained(value: Any, *, ours: bool = False) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _explained(each, ours=key in READ and not (key == "title" and UNREAD & value.keys()))
    elif isinstance(value, list):
        for each in value:
            yield from _explained(each, ours=ours)
    elif ours and isinstance(value, str) and value:
        yield value


class TextFile(makemessages.BuildFile):
    def preprocess(self) -> None:
        path = Path(self.path)
        if path.suffix not in (".md", ".json", ".toml"):
            super().preprocess()
            return
        calls = (f"_({text!r})\n" for text in dict.fromkeys(texts_of(path.absolute())))
        Path(self.work_path).write_text("".join(calls), encoding="utf-8")


class Command(makemessages.Command):
    build_file_class = TextFile

    def handle(self, *args: Any, **options: Any) -> None:
        options["extensions"] = options["extensions"] or ["html", "txt", "py", "md", "json", "toml"]
        super().handle(*args, **options)
