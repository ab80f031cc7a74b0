"""Copies of the database: which are kept, how archives are encrypted, and what doctor says of them."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotation.flow.errors import Refused
from annotation.operations import backup, checks, doctor, unfinished, upgrade
from annotation.operations.archive_encryption import MAGIC, PIECE, TAG, DecryptedReader, EncryptedWriter, NotDecrypted

KEY = "a key of more than twenty characters"


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.VAR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return tmp_path


def encrypted(content: bytes, *, piece: int = 70_000) -> bytes:
    out = io.BytesIO()
    writer = EncryptedWriter(out, KEY)
    for start in range(0, len(content), piece):
        writer.write(content[start : start + piece])
    writer.finish()
    return out.getvalue()


def decrypted(sealed: bytes, key: str = KEY) -> bytes:
    source = io.BytesIO(sealed)
    assert source.read(len(MAGIC)) == MAGIC
    return DecryptedReader(source, key).read()


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE])
def test_what_was_encrypted_comes_back(size: int) -> None:
    content = bytes(k % 251 for k in range(1000)) * (size // 1000 + 1)
    assert decrypted(encrypted(content[:size])) == content[:size]


HEAD, WHOLE = len(MAGIC) + 16, PIECE + TAG


@pytest.mark.parametrize(
    "broken",
    [
        lambda sealed: sealed[:-1],
        lambda sealed: sealed[: HEAD + WHOLE],  # cut off between two pieces
        lambda sealed: sealed[:HEAD] + sealed[HEAD + WHOLE :],  # without the first piece
        lambda sealed: sealed[:HEAD] + sealed[HEAD + WHOLE : HEAD + 2 * WHOLE] + sealed[HEAD : HEAD + WHOLE],
        lambda sealed: sealed[:-1] + bytes([sealed[-1] ^ 1]),
        lambda sealed: sealed + b"more",
    ],
)
def test_an_archive_that_was_changed_is_not_decrypted(broken: Any) -> None:
    with pytest.raises(NotDecrypted):
        decrypted(broken(encrypted(b"wells and towers " * 150_000)))


def test_another_key_decrypts_nothing() -> None:
    with pytest.raises(NotDecrypted):
        decrypted(encrypted(b"wells"), key=f"{KEY}!")


@pytest.mark.django_db
def test_a_short_key_is_refused(settings: Any, home: Path) -> None:
    settings.BACKUP_KEY = "short"
    with pytest.raises(Refused, match="BACKUP_KEY is too short"):
        backup.back_up(home / "out.tar.gz")
    assert not (home / "out.tar.gz").exists()


def copy_of(folder: Path, number: int, rows: int) -> Path:
    """A copy like those of each hour, of a database that has given so many keys."""
    file = folder / f"hopscribe-{number:03}.sqlite3"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE wells (id integer PRIMARY KEY AUTOINCREMENT)")
        made.execute("INSERT INTO wells VALUES (?)", [rows])
        made.execute("DELETE FROM wells")  # what was deleted counts too
        made.commit()
    return file


def test_the_last_copies_stay_and_none_goes_for_one_of_a_database_that_was_emptied(home: Path) -> None:
    grown = [copy_of(home, number, rows) for number, rows in enumerate([10, 20, 20, 30])]
    backup.prune(grown, 2)
    assert [copy.exists() for copy in grown] == [False, False, True, True]
    emptied = [copy_of(home, number, rows) for number, rows in enumerate([1, 2, 3, 4], start=4)]
    backup.prune(grown[2:] + emptied, 2)
    assert [copy.exists() for copy in grown[2:] + emptied] == [True, True, False, False, True, True]


@pytest.mark.django_db
def test_a_copy_before_an_upgrade_says_how_many_rows_there_ever_were(home: Path) -> None:
    folder = home / "before-upgrade-1"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"rows_ever": 7}))
    assert backup.rows_given(folder) == 7
    (folder / "manifest.json").unlink()
    (folder / "database.dump").touch()  # of an earlier release: nobody knows
    assert backup.rows_given(folder) == float("inf")


def gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection.introspection, "table_names", lambda *_: [])


@pytest.mark.django_db
def test_an_emptied_database_is_not_taken_for_a_new_site(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "release").write_text(f"0.1\n{unfinished.database_name()}\n")
    assert upgrade.emptied() == ""
    gone(monkeypatch)
    monkeypatch.setattr(upgrade, "_missing", lambda: 3)
    with pytest.raises(Refused, match="The database is empty, but it was in use"):
        upgrade.bring_up_to_date()
    (home / "backups").mkdir()
    full = copy_of(home / "backups", 1, rows=100)
    copy_of(home / "backups", 2, rows=1)  # of the database when it was empty
    assert f"restore {full}. " in upgrade.emptied()
    [error] = checks.not_emptied([], databases=["default"])
    assert (error.id, error.msg) == ("hopscribe.E007", "The database is empty, but it was in use: " + error.msg[42:])


@pytest.mark.django_db
def test_another_database_than_that_of_this_home_may_be_new(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone(monkeypatch)
    assert upgrade.emptied() == ""  # nothing was ever here
    (home / "release").write_text("0.1\nsqlite another.sqlite3\n")
    assert upgrade.emptied() == ""
    (home / "release").write_text("0.1")  # by an earlier release, which did not say of which database
    assert "it was in use" in upgrade.emptied()


@pytest.mark.django_db
def test_copies_alone_show_that_a_home_was_in_use(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone(monkeypatch)
    folder = home / "backups" / "before-upgrade-1"
    folder.mkdir(parents=True)
    (folder / ("database.dump" if connection.vendor == "sqlite" else "database.sqlite3")).touch()
    assert upgrade.emptied() == ""  # the copy of another kind of database, from before a move
    (folder / ("database.sqlite3" if connection.vendor == "sqlite" else "database.dump")).touch()
    assert "it was in use" in upgrade.emptied()


def fails(*_: Any, **__: Any) -> None:
    raise Refused("psql is not installed.")


def test_a_copy_that_cannot_be_put_back_is_named_with_the_ways_out(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unfinished.begin(unfinished.UPGRADE, home / "copy")
    monkeypatch.setattr(upgrade, "put_back", fails)
    with pytest.raises(Refused) as refusal:
        upgrade._go_back(home / "copy", "ValueError: old rows")
    for text in ("ValueError: old rows", "psql is not installed", "manage.py upgrade", f"restore {home / 'copy'}"):
        assert text in str(refusal.value)
    assert unfinished.begun() is not None


@pytest.mark.parametrize("manifest", ["", '{"files": {"database.dump": {"sha256": "another"}}}'])
def test_an_upgrade_whose_copy_is_gone_or_broken_goes_on_from_where_it_stopped(
    home: Path, monkeypatch: pytest.MonkeyPatch, manifest: str
) -> None:
    copy = home / "copy"
    if manifest:
        copy.mkdir()
        (copy / "manifest.json").write_text(manifest)
        (copy / "database.dump").write_text("half")
    unfinished.begin(unfinished.UPGRADE, copy)
    monkeypatch.setattr(upgrade, "put_back", fails)
    upgrade._undo_killed()
    assert unfinished.begun() is None


def test_nobody_may_write_from_before_the_copy_until_an_upgrade_has_ended(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copied(name: str) -> Path:
        assert unfinished.begun() is not None
        raise OSError(name)

    monkeypatch.setattr(upgrade, "_others", list)
    monkeypatch.setattr(upgrade, "copy_before_upgrade", copied)
    with pytest.raises(OSError, match="before-upgrade"):
        upgrade._migrate_or_go_back()
    assert unfinished.begun() is None


def test_an_upgrade_does_not_go_over_a_restore_that_is_unfinished(home: Path) -> None:
    unfinished.begin(unfinished.RESTORE, home / "all.tar.gz")
    with pytest.raises(Refused, match=f"restore {home}/all.tar.gz"):
        upgrade._undo_killed()


def test_the_next_copy_sorts_last_even_if_the_clock_was_set_back(home: Path) -> None:
    ahead = home / "backups" / "before-upgrade-99991231T000000"
    ahead.mkdir(parents=True)
    assert upgrade._name() > ahead.name


@pytest.mark.django_db
def test_what_is_unfinished_in_another_database_stops_nobody(home: Path) -> None:
    unfinished.begin(unfinished.UPGRADE, home / "copy")
    about = json.loads((home / "unfinished.json").read_text())
    (home / "unfinished.json").write_text(json.dumps(about | {"database": "sqlite another.sqlite3"}))
    assert unfinished.begun() is None


@pytest.mark.django_db
def test_doctor_names_leftovers_and_archives_in_the_clear(home: Path, settings: Any) -> None:
    assert doctor._leftovers().well
    (home / "backup-1").mkdir()
    assert (doctor._leftovers().well, str(home / "backup-1") in doctor._leftovers().text) == (False, True)
    with unfinished.alone("backup"):
        assert doctor._leftovers().well  # they may be those of the one under way
        backup.sweep_leftovers()
        assert (home / "backup-1").exists()
    backup.sweep_leftovers()
    assert not (home / "backup-1").exists()

    assert doctor._archives().well
    (home / "backups").mkdir()
    (home / "backups" / "old.tar.gz").write_bytes(b"\x1f\x8b clear")
    (home / "backups" / "new.tar.gz").write_bytes(encrypted(b"wells"))
    assert doctor._archives().well
    settings.BACKUP_KEY = KEY
    assert (doctor._archives().well, doctor._archives().text) == (False, "not encrypted: old.tar.gz")


def test_a_file_that_an_archive_brought_names_no_draft(home: Path) -> None:
    """The draft of an archive is deleted: only a backup's own note may name it."""
    precious = home / "precious"
    precious.write_text("kept")
    (home / "restore-1").mkdir()
    (home / "restore-1" / backup.DRAFT).write_text(str(precious))
    backup.remove_leftovers()
    assert precious.exists()
