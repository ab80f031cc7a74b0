"""An upgrade is made alone and from a copy; one that fails leaves the database as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from annotation.operations.database_dump import LOADING
from annotation.operations.replaced_migrations import REVISION
from tests.process.installation import ROOT, Installation

NEWER = {"DJANGO_SETTINGS_MODULE": "tests.process.newer.settings"}
TITLES = "from annotation.models import *; print(sorted(Project.objects.values_list('title', flat=True)))"


def test_an_upgrade_that_fails_leaves_the_database_as_it_was_and_one_that_does_not_keeps_a_copy(
    install: Callable[..., Installation],
) -> None:
    first = install()
    first.world("build", "hits=2", "assignments=1", "workers=1")
    before, titles = first.world("audit"), first.manage("shell", "-c", TITLES)
    (first.var / "release").write_text("0.0.9")
    first.environment |= NEWER | {"NEWER_BREAKS": "1"}
    with pytest.raises(AssertionError, match=r"as it was before it: ValueError: this release cannot(?s:.*)==0\.0\.9"):
        first.manage("upgrade")
    assert "newer" not in first.manage("showmigrations", "newer").replace("newer\n", "").replace("[ ]", "")
    first.environment["DJANGO_SETTINGS_MODULE"] = "annotation.settings"
    assert first.world("audit") == before
    assert first.manage("shell", "-c", TITLES) == titles

    first.environment |= NEWER | {"NEWER_BREAKS": ""}
    done = json.loads(first.manage("upgrade", "--json"))
    assert done["migrations"] == 2
    assert list(Path(done["copy"]).glob("database.*"))
    assert "upgraded" in first.manage("shell", "-c", TITLES)
    assert json.loads(first.manage("upgrade", "--json")) == {"migrations": 0, "copy": ""}


BEFORE = """
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
recorder = MigrationRecorder(connection)
for (app, name), migration in MigrationLoader(None).disk_migrations.items():
    if name.startswith("0001_squashed"):
        for gone in [(app, name), *migration.replaces]:
            recorder.record_unapplied(*gone)
        for replaced in migration.replaces[:{applied}]:
            recorder.record_applied(*replaced)
"""


def test_a_database_at_the_last_of_the_replaced_migrations_is_up_to_date_and_one_before_it_is_refused(
    install: Callable[..., Installation],
) -> None:
    first = install()
    first.world("build", "hits=2", "assignments=1", "workers=1")
    data = first.world("audit")
    first.manage("shell", "--no-imports", "-c", BEFORE.format(applied=1))
    with pytest.raises(AssertionError, match=f"older revision of Hopscribe(.|\n)*with revision {REVISION} first"):
        first.manage("upgrade")
    assert first.world("audit") == data
    first.manage("shell", "--no-imports", "-c", BEFORE.format(applied=2))
    assert json.loads(first.manage("upgrade", "--json")) == {"migrations": 0, "copy": ""}
    first.manage("migrate", "--check")
    first.environment |= NEWER
    assert json.loads(first.manage("upgrade", "--json"))["migrations"] == 2
    assert first.world("audit") == data


@pytest.mark.soak
def test_an_upgrade_waits_until_nobody_else_uses_the_database(install: Callable[..., Installation]) -> None:
    first = install()
    first.start_web(workers=1)
    first.environment |= NEWER
    with pytest.raises(AssertionError, match="Stop the web server and its workers first"):
        first.manage("upgrade")
    first.kill_web()
    assert json.loads(first.manage("upgrade", "--json"))["migrations"] == 2


@pytest.mark.soak
def test_two_that_start_at_once_on_a_new_home_migrate_it_once(tmp_path: Path, static: Path) -> None:
    first = Installation(tmp_path, f"sqlite:///{tmp_path / 'new.sqlite3'}", static=static, ready=True)
    command = [sys.executable, "-m", "hopscribe", "upgrade", "--home", str(tmp_path), "--json"]
    started = [
        subprocess.Popen(command, cwd=ROOT, env=first.environment, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    found = sorted(json.loads(process.communicate(timeout=120)[0])["migrations"] for process in started)
    assert found[0] == 0
    assert found[1] > 0


def killed(first: Installation, share: int) -> dict[str, Any]:
    first.world("build", "hits=2", "assignments=1", "workers=1")
    first.environment |= NEWER | {"NEWER_BREAKS": "1"}
    found: dict[str, Any] = json.loads(first.run(["-m", "tests.process.upgrade_deaths", str(share)]))
    return found


def test_an_upgrade_killed_on_its_way_forward_or_back_is_undone_by_the_next_call(
    install: Callable[..., Installation],
) -> None:
    found = killed(install(), 0)
    assert found["wrong"] == {}
    assert found["done"][0] == 0, found["done"]
    assert found["done"][1]["migrations"] == 2


@pytest.mark.soak
def test_an_upgrade_killed_before_any_of_its_steps_is_undone_by_the_next_call(
    install: Callable[..., Installation],
) -> None:
    found = killed(install(), 1)
    assert found["wrong"] == {}
    assert found["points"] == found["steps"] > 20


BEGUN = """
from annotation.operations import backup, unfinished
unfinished.begin(unfinished.UPGRADE, backup.copy_before_upgrade("before-upgrade-1"))
"""


def test_what_a_killed_upgrade_left_running_on_postgresql_is_ended(on_postgresql: str, tmp_path: Path) -> None:
    first = Installation(tmp_path, on_postgresql, static=tmp_path, ready=True)
    first.manage("shell", "--no-imports", "-c", BEGUN)
    with psycopg.connect(on_postgresql, application_name=LOADING) as orphan:
        orphan.execute("LOCK TABLE annotation_project")
        try:
            assert json.loads(first.manage("upgrade", "--json")) == {"migrations": 0, "copy": ""}
        finally:
            first.close()
        with pytest.raises(psycopg.OperationalError):
            orphan.execute("SELECT 1")


@pytest.mark.parametrize("share", [pytest.param(25, marks=pytest.mark.soak), 400])
def test_a_copy_is_put_back_on_postgresql_in_one_transaction(on_postgresql: str, tmp_path: Path, share: int) -> None:
    first = Installation(tmp_path, on_postgresql, static=tmp_path, ready=True)
    try:
        first.world("build", "hits=2", "assignments=1", "workers=1")
        found = json.loads(first.run(["-m", "tests.process.psql_deaths", str(share)]))
    finally:
        first.close()
    assert found["wrong"] == {}
    assert found["statements"] > 500
