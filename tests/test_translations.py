"""The second language is whole: every text has its German, with the same places to fill."""

from __future__ import annotations

import gettext
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from tests.catalogue import Entry, entries

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "annotation/locale/de/LC_MESSAGES/django.po"
PLACE = re.compile(r"%\(\w+\)[sd]|\{\w+\}|%%|%s|%d")


def test_every_message_is_translated() -> None:
    bare = [entry.id for entry in entries(CATALOGUE).values() if entry.fuzzy or not _told(entry)]
    assert not bare


def _told(entry: Entry) -> bool:
    return len(entry.told) == (2 if entry.plural else 1) and all(entry.told.values())


def test_places_to_fill_are_kept() -> None:
    wrong = []
    for entry in entries(CATALOGUE).values():
        if entry.id:
            allowed = set(PLACE.findall(entry.id)), set(PLACE.findall(entry.plural or entry.id))
            wrong += [text for text in entry.told.values() if set(PLACE.findall(text)) not in allowed]
    assert not wrong


def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for key, entry in entries(CATALOGUE).items():
        if entry.plural:
            assert [compiled._catalog[key, n] for n in (0, 1)] == list(entry.told.values()), key  # type: ignore[attr-defined]
        elif key:
            assert compiled._catalog[key] == entry.told[0], key  # type: ignore[attr-defined]


def test_no_text_of_the_product_is_missing_from_it(tmp_path: Path) -> None:
    if shutil.which("xgettext") is None:
        pytest.skip("gettext's programs were not found (apt-get install gettext)")
    for folder in ("annotation", "tasks", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "*.mo"))
    shutil.copy(ROOT / "manage.py", tmp_path)
    command = [sys.executable, "manage.py", "makemessages", "--locale", "de", "--no-location", "--no-obsolete"]
    ours = os.environ | {"DJANGO_SETTINGS_MODULE": "annotation.settings", "HOPSCRIBE_VAR": str(tmp_path / "var")}
    made = subprocess.run(command, cwd=tmp_path, env=ours, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-2000:]
    wanted = entries(tmp_path / "annotation/locale/de/LC_MESSAGES/django.po")
    assert set(wanted) - set(entries(CATALOGUE)) == set()
    assert [entry.id for entry in wanted.values() if entry.fuzzy or not _told(entry)] == []


def test_the_language_is_chosen_on_the_account_page_and_kept(client: Client, db: None) -> None:
    client.post("/accounts/language/", {"language": "de", "next": "/accounts/sign-in/"})
    assert "Anmelden" in client.get("/accounts/sign-in/").content.decode()
    client.post("/accounts/language/", {"language": "en", "next": "/accounts/sign-in/"})
    assert "Sign in" in client.get("/accounts/sign-in/").content.decode()
