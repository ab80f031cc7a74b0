"""German where there is German, else English: places to fill are kept, and what is missing can be listed.

No test fails for a text without German; `make translations` lists them.
"""

from __future__ import annotations

import gettext
import re
import shutil
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation

from tests.catalogue import Entry, entries
from tests.translations import CATALOGUE, ROOT, copy_texts, gather, untranslated

PLACE = re.compile(r"%\(\w+\)[sd]|\{\w+\}|%%|%s|%d")


def test_places_to_fill_are_kept() -> None:
    wrong = []
    for entry in entries(ROOT / CATALOGUE).values():
        if entry.id:
            allowed = set(PLACE.findall(entry.id)), set(PLACE.findall(entry.plural or entry.id))
            told = [text for text in entry.texts.values() if text]
            wrong += [text for text in told if set(PLACE.findall(text)) not in allowed]
    assert not wrong


def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    with (ROOT / CATALOGUE).with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for key, entry in entries(ROOT / CATALOGUE).items():
        if key and not entry.is_translated:
            assert not {key, (key, 0)} & set(compiled._catalog), key  # type: ignore[attr-defined]
        elif entry.plural:
            assert [compiled._catalog[key, n] for n in (0, 1)] == list(entry.texts.values()), key  # type: ignore[attr-defined]
        elif key:
            assert compiled._catalog[key] == entry.texts[0], key  # type: ignore[attr-defined]


def test_a_text_without_german_is_shown_in_english() -> None:
    with translation.override("de"):
        assert translation.gettext("A text that nobody has translated yet") == "A text that nobody has translated yet"
        assert translation.gettext("Sign in") == "Anmelden"


@pytest.mark.soak
def test_texts_without_german_are_listed(tmp_path: Path) -> None:
    if shutil.which("xgettext") is None:
        pytest.skip("gettext's programs were not found (apt-get install gettext)")
    copy_texts(ROOT, tmp_path)
    (tmp_path / "tasks/planted").mkdir()
    (tmp_path / "tasks/planted/page.html").write_text('{% load i18n %}{% translate "Nobody has said this in German" %}')
    (tmp_path / "tasks/planted/explained.toml").write_text(
        '[one]\ntitle = "A table that was planted"\nhow = "Planted, too."\nrows = "items"\nchanges = "scores"\n'
    )
    listed = list(untranslated(gather(tmp_path).values()))
    assert "missing    Nobody has said this in German" in listed
    assert {"missing    A table that was planted", "missing    Planted, too."} <= set(listed)
    assert not {"missing    items", "missing    scores"} & set(listed), "names of kinds"
    assert not any(line.endswith("  Sign in") for line in listed)


def test_a_german_text_is_used_where_all_of_it_is_there_and_certain() -> None:
    whole = Entry(id="One", texts={0: "Eins"})
    half = Entry(id="One", plural="Many", texts={0: "Eins"})
    uncertain = Entry(id="One", texts={0: "Eins"}, fuzzy=True)
    assert [entry.is_translated for entry in (whole, half, uncertain, Entry(id="One"))] == [True, False, False, False]
    assert list(untranslated([whole, half, uncertain])) == ["missing    One", "uncertain  One"]


def test_the_language_is_chosen_on_the_account_page_and_kept(client: Client, db: None) -> None:
    client.post("/accounts/language/", {"language": "de", "next": "/accounts/sign-in/"})
    assert "Anmelden" in client.get("/accounts/sign-in/").content.decode()
    client.post("/accounts/language/", {"language": "en", "next": "/accounts/sign-in/"})
    assert "Sign in" in client.get("/accounts/sign-in/").content.decode()
