"""Copies of the whole database: a SQLite file, or a dump of pg_dump. To load one is a single transaction."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from typing import IO, Any, cast

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused

SQLITE, POSTGRES = "database.sqlite3", "database.dump"
PROGRAMS = ("pg_dump", "pg_restore", "psql")
LOADING = "hopscribe load"  # what PostgreSQL calls the session that puts a copy back
# Everything of ours in the schema, but nothing of an extension, nor what goes with its table, as a key's sequence.
# What a failed upgrade added is not in its copy.
DROPS = """
SET client_min_messages = warning;
BEGIN;
DO $$ DECLARE statement text; BEGIN
    FOR statement IN
        SELECT format('DROP %s IF EXISTS %I.%I CASCADE', k.word, n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN (VALUES ('r', 'TABLE'), ('p', 'TABLE'), ('v', 'VIEW'), ('m', 'MATERIALIZED VIEW'), ('S', 'SEQUENCE'))
            AS k (kind, word) ON k.kind = c.relkind
        WHERE n.nspname = current_schema() AND NOT EXISTS (
            SELECT FROM pg_depend d
            WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('e', 'i', 'a'))
        UNION ALL
        SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure)
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = current_schema() AND NOT EXISTS (
            SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    LOOP EXECUTE statement; END LOOP;
END $$;
"""


def dump(folder: Path) -> Path:
    """Write a copy of the database into the folder, while others use it; readable by its owner only from the start."""
    if connection.vendor == "sqlite":
        return vacuum_into(folder / SQLITE)
    refuse_without_programs()
    file = folder / POSTGRES
    file.touch(mode=0o600, exist_ok=False)
    _run(["pg_dump", "--format=custom", "--no-owner", "--file", str(file), "--dbname", _url()])
    return file


def vacuum_into(file: Path) -> Path:
    """Write a consistent, compact copy of the SQLite database while others write."""
    file.touch(mode=0o600, exist_ok=False)  # VACUUM INTO takes an empty file
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(file)])
    return file


def load(file: Path, *, replacing: bool = False) -> None:
    """Fill the empty database with the copy, or replace all that it holds: completely, or not at all."""
    refuse_without_programs()
    if connection.vendor == "sqlite":
        connection.close()
        _load_sqlite(file, Path(settings.DATABASES["default"]["NAME"]))
    else:
        _load_postgres(file, *((DROPS, f"--schema={_schema()}") if replacing else ("BEGIN;\n",)))


def _load_sqlite(file: Path, target: Path) -> None:
    """By SQLite's backup, which is one transaction of the target: killed, it is rolled back."""
    if not target.exists():
        target.touch(mode=0o600)
    source = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(target)) as into:
        source.backup(into)


def _load_postgres(file: Path, head: str, *only: str) -> None:
    """Feed psql the statements of the dump, and COMMIT only if pg_restore wrote all of them; else psql rolls back."""
    psql = ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname", _url()]
    script = ["pg_restore", "--no-owner", "--no-comments", *only, "--file=-", str(file)]  # superusers alone may comment
    written = False
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complaints:
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": said, "bufsize": 0}
        with subprocess.Popen(psql, env=_environment() | {"PGAPPNAME": LOADING}, **pipes) as into:
            pipe = cast("IO[bytes]", into.stdin)
            with contextlib.suppress(BrokenPipeError):  # psql has ended, and its return code says so
                pipe.write(head.encode())
                written = subprocess.run(script, stdout=pipe, stderr=complaints, check=False).returncode == 0
                pipe.write(b"COMMIT;\n" if written else b"ROLLBACK;\n")
        if into.returncode or not written:
            raise Refused(_last(said) or _last(complaints))


def _schema() -> str:
    """The schema of our tables. It is asked by a connection that is closed: an open one would hold locks."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        name = str(cursor.fetchone()[0])
    connection.close()
    return name


def _last(said: IO[bytes]) -> str:
    said.seek(0)
    return said.read().decode(errors="replace").strip()[-500:]


def end_orphans() -> None:
    """End sessions of a killed process that still put a copy back, and would roll it back only at its end."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND application_name = %s",
                [LOADING],
            )


def rows_ever() -> int:
    """How many keys the database has given to rows: never fewer later, whatever is deleted, unless it was emptied."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            return _keys_given(cursor)
        cursor.execute("SELECT coalesce(sum(last_value), 0) FROM pg_sequences WHERE schemaname = current_schema()")
        return int(cursor.fetchone()[0])


def rows_ever_in(file: Path) -> int:
    """The same of a copy of SQLite's; 0 if it is not whole."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            return _keys_given(copy.cursor())
    except sqlite3.DatabaseError:
        return 0


def _keys_given(cursor: Any) -> int:
    cursor.execute("SELECT coalesce(sum(seq), 0) FROM sqlite_sequence")
    return int(cursor.fetchone()[0])


def refuse_without_programs() -> None:
    """Raise Refused if a program of PostgreSQL's client is missing: better before anything has begun."""
    if connection.vendor == "postgresql":
        for name in PROGRAMS:
            if shutil.which(name) is None:
                text = _("%(program)s is not installed. It is part of the PostgreSQL client.") % {"program": name}
                raise Refused(text)


def _url() -> str:
    """The database as PostgreSQL's programs take it, without the password, which goes into the environment."""
    parameters = connection.get_connection_params()
    names = {"dbname": "dbname", "user": "user", "host": "host", "port": "port"}
    return " ".join(f"{key}='{parameters[name]}'" for key, name in names.items() if parameters.get(name))


def _environment() -> dict[str, str]:
    password = str(connection.get_connection_params().get("password") or "")
    return os.environ | ({"PGPASSWORD": password} if password else {})


def _run(command: list[str]) -> None:
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"{command[0]}: {done.stderr.strip()[-500:]}")
