"""The texts of the product that have no German yet, or an uncertain one: `make translations` lists them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.catalogue import Entry, entries

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = Path("annotation/locale/de/LC_MESSAGES/django.po")
FOLDERS = ("annotation", "tasks", "templates")


def copy_texts(root: Path, folder: Path) -> None:
    """What gettext reads of a tree, in an empty folder, where it may write."""
    for name in FOLDERS:
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.mo"))
    shutil.copy(root / "manage.py", folder)


def gather(folder: Path) -> dict[str, Entry]:
    """Every text of a copied tree with its German as far as there is one; needs gettext's programs."""
    command = [sys.executable, "manage.py", "makemessages", "--locale", "de", "--no-location", "--no-obsolete"]
    ours = os.environ | {"DJANGO_SETTINGS_MODULE": "annotation.settings", "HOPSCRIBE_VAR": str(folder / "var")}
    made = subprocess.run(command, cwd=folder, env=ours, capture_output=True, text=True, check=False)
    if made.returncode:
        raise RuntimeError(made.stderr[-2000:])
    return entries(folder / CATALOGUE)


def untranslated(texts: Iterable[Entry]) -> Iterator[str]:
    """A line for each text that is shown in English: without German, or with an uncertain (fuzzy) one."""
    for entry in texts:
        if entry.fuzzy:
            yield f"uncertain  {entry.id}"
        elif not entry.is_translated:
            yield f"missing    {entry.id}"


def main() -> None:
    if shutil.which("xgettext") is None:
        sys.exit("gettext's programs were not found (apt-get install gettext)")
    with tempfile.TemporaryDirectory() as name:
        copy_texts(ROOT, Path(name))
        texts = gather(Path(name))
    found = sorted(untranslated(texts.values()))
    print(*(line.replace("\n", " ") for line in found), sep="\n")
    print(f"{len(found)} of {len(texts)} texts are shown in English to readers of German.")


if __name__ == "__main__":
    main()
