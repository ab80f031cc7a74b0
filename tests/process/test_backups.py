"""Dump, wipe, restore, compare: a backup holds everything, and what is no whole one is refused."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.process.installation import Installation


def elsewhere(first: Installation, cluster: Any, database: str, folder: Path) -> None:
    """Give the installation a home in the folder with its SECRET_KEY alone, and an empty database."""
    folder.mkdir()
    shutil.copyfile(first.var / "secret-key", folder / "secret-key")
    on_sqlite = database.startswith("sqlite")
    url = f"sqlite:///{folder / 'hopscribe.sqlite3'}" if on_sqlite else cluster.create(f"hopscribe_{uuid4().hex}")
    first.environment |= {"HOPSCRIBE_VAR": str(folder), "DATABASE_URL": str(url)}


def test_a_restored_installation_is_the_one_that_was_backed_up(
    install: Callable[..., Installation], cluster: Any, database: str, tmp_path: Path
) -> None:
    first = install()
    first.world("build", "hits=20", "assignments=2", "workers=2")
    (first.var / "uploads").mkdir(exist_ok=True)
    (first.var / "uploads" / "notes.txt").write_text("kept")
    before, file = first.world("audit"), tmp_path / "all.tar.gz"
    first.manage("back_up", "--out", str(file))
    with pytest.raises(AssertionError, match="The target is not empty"):
        first.manage("restore", str(file))

    empty = tmp_path / "empty"
    elsewhere(first, cluster, database, empty)
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(file.read_bytes()[:-500])
    with pytest.raises(AssertionError, match="is not a complete backup"):
        first.manage("restore", str(cut))
    first.manage("restore", str(file))
    assert first.world("audit") == before
    assert (empty / "uploads" / "notes.txt").read_text() == "kept"
    assert file.stat().st_mode & 0o077 == 0


def test_an_installation_on_sqlite_copies_itself_an_hour_after_its_last_copy_and_keeps_24(
    install: Callable[..., Installation], database: str
) -> None:
    if not database.startswith("sqlite"):
        pytest.skip("only SQLite is copied each hour")
    first = install()
    folder = first.var / "backups"
    folder.mkdir()
    made = [folder / f"hopscribe-20260101T{hour:02}0000.sqlite3" for hour in range(24)]
    for copy, hours in zip(made, range(24, 0, -1), strict=True):
        copy.touch()
        os.utime(copy, (time.time() - hours * 3600, time.time() - hours * 3600))
    os.utime(made[-1], (time.time() - 600, time.time() - 600))
    first.manage("sweep")
    assert sorted(folder.iterdir()) == made
    os.utime(made[-1], (time.time() - 3700, time.time() - 3700))
    first.manage("sweep")
    *kept, new = sorted(folder.iterdir())
    assert kept == made[1:]
    with closing(sqlite3.connect(new)) as copied:
        assert copied.execute("SELECT count(*) FROM annotation_project").fetchone() == (0,)


CHURN = """
import sys, time
from pathlib import Path
folder, until = Path(sys.argv[1]), time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    for n in range(200):
        draft = folder / f"{n}.part"
        draft.write_text("x" * 50_000)
        draft.rename(folder / f"{n}")
    for n in range(200):
        (folder / f"{n}").unlink()
"""
POST = """
from annotation.models import Job, Project
from django.db.models.functions import Now
for name in ("kept", "gone"):
    path = f"{UPLOADS}/{name}"
    Job.objects.create(project=Project.objects.first(), kind="import_dataset", title=name, due_at=Now(),
                       arguments={"path": path})
"""


@pytest.mark.soak
def test_a_backup_is_whole_while_uploads_come_and_go_and_names_what_it_lacks(
    install: Callable[..., Installation], cluster: Any, database: str, tmp_path: Path
) -> None:
    first = install()
    first.world("build", "hits=20", "assignments=2", "workers=2")
    uploads = first.var / "uploads"
    uploads.mkdir(exist_ok=True)
    (uploads / "kept").write_text("kept")
    first.manage("shell", "--no-imports", "-c", f"UPLOADS = {str(uploads)!r}\n{POST}")
    churn = first.spawn([sys.executable, "-c", CHURN, str(uploads), "60"], log="churn.log")
    try:
        for n in range(2):
            result = json.loads(first.manage("back_up", "--json", "--out", str(tmp_path / f"{n}.tar.gz")))
            assert result["left_out"] == ["gone"]
    finally:
        churn.kill()
        churn.wait()
    assert not list(first.var.glob("backup-*"))

    empty = tmp_path / "empty"
    elsewhere(first, cluster, database, empty)
    first.manage("restore", str(tmp_path / "1.tar.gz"))
    assert (empty / "uploads" / "kept").read_text() == "kept"
    assert not (empty / "uploads" / "gone").exists()


def test_every_kind_of_copy_that_we_make_is_restored(
    install: Callable[..., Installation], cluster: Any, database: str, tmp_path: Path
) -> None:
    first = install()
    first.world("build", "hits=2", "assignments=1", "workers=1")
    before = first.world("audit")
    first.environment["DJANGO_SETTINGS_MODULE"] = "tests.process.newer.settings"
    copies = [Path(json.loads(first.manage("upgrade", "--json"))["copy"])]
    first.environment["DJANGO_SETTINGS_MODULE"] = "annotation.settings"
    copies += [next(copies[0].glob("database.*"))]
    if database.startswith("sqlite"):
        first.manage("sweep")
        copies += first.var.glob("backups/hopscribe-*.sqlite3")
    first.environment["BACKUP_KEY"] = "a key of more than twenty characters"
    copies += [tmp_path / "sealed.tar.gz"]
    made = json.loads(first.manage("back_up", "--json", "--out", str(copies[-1])))
    assert made["encrypted"]
    assert b"annotation" not in copies[-1].read_bytes()
    for number, copy in enumerate(copies):
        elsewhere(first, cluster, database, tmp_path / f"empty-{number}")
        first.manage("restore", str(copy))
        assert first.world("audit") == before, copy

    elsewhere(first, cluster, database, tmp_path / "other")
    first.environment["BACKUP_KEY"] = "another key of more than twenty characters"
    with pytest.raises(AssertionError, match="was made with another BACKUP_KEY"):
        first.manage("restore", str(copies[-1]))
    del first.environment["BACKUP_KEY"]
    with pytest.raises(AssertionError, match="This archive is encrypted"):
        first.manage("restore", str(copies[-1]))
