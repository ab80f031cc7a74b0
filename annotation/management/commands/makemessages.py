"""Django's `makemessages`, which also takes the texts of explanations in TOML."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

from annotation.pure.reports.explanations import CHANGES


class BuildFile(makemessages.BuildFile):
    """A file that texts are taken from; of TOML its explanations, as calls that xgettext knows."""

    def preprocess(self) -> None:
        if not self.path.endswith(".toml"):
            super().preprocess()
            return
        calls = (f"gettext_noop({text!r})\n" for text in _texts(tomllib.loads(Path(self.path).read_text())))
        Path(self.work_path).write_text("".join(calls))


class Command(makemessages.Command):
    build_file_class = BuildFile

    def handle(self, *args: Any, **options: Any) -> None:
        asked = options["extensions"] or ["html", "txt", "py", "toml"]
        super().handle(*args, **options | {"extensions": asked})


def _texts(content: dict[str, Any]) -> Iterator[str]:
    """Titles, explanations, what changes a figure if that is a sentence, and columns' names."""
    entries = [each for each in content.values() if isinstance(each, dict) and "how" in each]
    for one in (content, *entries) if entries else ():
        yield from (one[name] for name in ("title", "how", "changes") if name in one and one[name] not in CHANGES)
        yield from one.get("columns", {})
