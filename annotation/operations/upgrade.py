"""Bring the database up to this release: alone, after a copy, and back to the copy if a migration fails.

An upgrade that was killed is undone by the next call, from the copy; nobody writes in between (`unfinished`).
"""

import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation.flow.errors import Refused
from annotation.operations import unfinished
from annotation.operations.backup import copies_folder, copy_before_upgrade, prune, rows_given
from annotation.operations.database_dump import end_orphans, refuse_without_programs
from annotation.operations.open_files import processes_using
from annotation.operations.replaced_migrations import too_old
from annotation.operations.restore import is_whole, put_back

KEPT = 3  # copies of the last upgrades


def release() -> str:
    """The installed release, "" in a checkout."""
    try:
        return "" if settings.CHECKOUT else version("hopscribe")
    except PackageNotFoundError:
        return ""


def bring_up_to_date() -> dict[str, Any]:
    """Apply the missing migrations; returns {"migrations": how many, "copy": of the database before, "" if it was new}.

    Raises Refused if others use the database, if it was emptied or is too old, or if a migration failed; then the
    database is as it was before.
    """
    with unfinished.alone("upgrade"), unfinished.allowed():
        _undo_killed()
        if why := too_old(connection):
            raise Refused(why)
        missing = _missing()
        copy = ""
        if missing and not _is_new():
            _refuse_others()
            copy = str(_migrate_or_go_back())
        elif missing:
            if why := emptied():
                raise Refused(why)
            call_command("migrate", interactive=False, verbosity=0)
        unfinished.write_whole(_note(), f"{release()}\n{unfinished.database_name()}\n".encode())
        return {"migrations": missing, "copy": copy}


def _undo_killed() -> None:
    """Put back the copy of an upgrade that was killed; without a whole one, go on from where it stopped."""
    begun = unfinished.begun()
    if begun is None:
        return
    if begun["what"] != unfinished.UPGRADE:
        raise Refused(str(unfinished.Unfinished(begun)))
    if is_whole(copy := Path(begun["copy"])):
        end_orphans()
        _refuse_others()
        put_back(copy)
    unfinished.end()


def _is_new() -> bool:
    return "annotation_project" not in connection.introspection.table_names()


def emptied() -> str:
    """Why the empty database cannot be that of a new site, and the way out; "" if it can, or is not empty."""
    if not _is_new():
        return ""
    copies = _copies()
    noted = _note().read_text().splitlines() if _note().exists() else []
    engine = ".sqlite3" if connection.vendor == "sqlite" else ".dump"
    is_known = noted[1:] == [unfinished.database_name()] if len(noted) > 1 else bool(noted)
    if not is_known and (noted or not any(_is_of(engine, copy) for copy in copies)):
        return ""
    fullest = max(copies, key=rows_given, default="FILE")
    return (
        f"The database is empty, but it was in use: {settings.VAR} is the home of a site with data. Restore a copy: "
        f"{settings.PROGRAM} restore {fullest}. For a new site, set HOPSCRIBE_VAR to another folder."
    )


def _copies() -> list[Path]:
    """The copies in this home, newest first."""
    folder = Path(settings.VAR) / "backups"
    found = [path for pattern in ("before-upgrade-*", "hopscribe-*") for path in folder.glob(pattern)]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def _is_of(engine: str, copy: Path) -> bool:
    return copy.suffix == engine or (copy.is_dir() and any(copy.glob(f"*{engine}")))


def _missing() -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _note() -> Path:
    """The file that says which release the database was last brought up to."""
    return Path(settings.VAR) / "release"


def _refuse_others() -> None:
    """What others write between the copy and a failure would be lost."""
    for _attempt in range(5):  # a process that has just ended is listed for a moment longer
        others = _others()
        if not others:
            return
        time.sleep(0.3)
    raise Refused(f"Stop the web server and its workers first. The database is open in {', '.join(others)}.")


def _others() -> list[str]:
    if connection.vendor == "sqlite":
        return processes_using(Path(str(connection.settings_dict["NAME"])))
    with connection.cursor() as cursor:
        cursor.execute(  # PostgreSQL's own autovacuum is listed with the database it is in, too
            "SELECT pid, application_name FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return [f"session {pid} {name}".strip() for pid, name in cursor.fetchall()]


def _migrate_or_go_back() -> Path:
    """Copy the database and migrate it; put the copy back if that fails. Returns the copy's folder."""
    refuse_without_programs()
    folder = copies_folder() / _name()
    unfinished.begin(unfinished.UPGRADE, folder)  # first: what somebody writes after the copy could be lost
    try:
        _refuse_others()
        copy_before_upgrade(folder.name)
    except BaseException:  # nothing was changed
        unfinished.end()
        raise
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except BaseException as failure:  # also at Ctrl-C: half a migration must not stay
        why = f"{type(failure).__name__}: {failure}".strip()
        _go_back(folder, why)
        if not isinstance(failure, Exception):
            raise
        raise Refused(
            f"The upgrade failed, and the database is as it was before it: {why}. To go on working, {_way_back()}. "
            f"A copy of the database is in {folder}; into an empty database it goes by: "
            f"{settings.PROGRAM} restore {folder}"
        ) from failure
    unfinished.end()
    prune(sorted(copies_folder().glob("before-upgrade-*")), KEPT)
    return folder


def _name() -> str:
    """A name for the copy that sorts behind those of before, even if the clock was set back."""
    name = time.strftime("before-upgrade-%Y%m%dT%H%M%S", time.gmtime())
    last = max((path.name for path in copies_folder().glob("before-upgrade-*")), default="")
    return name if name > last else f"{last}+"  # the newest sorts last, also if the clock was set back


def _go_back(folder: Path, why: str) -> None:
    try:
        put_back(folder)
    except Exception as failure:
        raise Refused(
            f"The upgrade failed: {why}. The copy of the database from before it could not be put back: {failure}. "
            f"Nobody can use the database until it is. Mend the reason, then run {settings.PROGRAM} upgrade, which "
            f"puts the copy back first; or restore it into an empty database: {settings.PROGRAM} restore {folder}"
        ) from failure
    unfinished.end()


def _way_back() -> str:
    before = _note().read_text().partition("\n")[0] if _note().exists() else ""
    return f'pip install "hopscribe=={before}"' if before else "install the release before"
