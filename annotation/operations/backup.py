"""Backup of the database and the uploads into one archive, and restore into an empty installation.

Secrets in it are encrypted with SECRET_KEY, which is not included: keep the key elsewhere.
"""

import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.models import Job

MANIFEST, SQLITE, POSTGRES, UPLOADS = "manifest.json", "database.sqlite3", "database.dump", "uploads"
WHOLE = ["--no-owner", "--exit-on-error", "--single-transaction"]
BLOCK = 1 << 20
KEPT, EVERY = 24, 3600  # of the copies that an installation on SQLite makes of itself, and seconds between them


def back_up(out: Path) -> dict[str, Any]:
    """Write an archive, or nothing on failure; returns {"database", "uploads", "bytes", "left_out"}.

    The site stays in use meanwhile. Jobs add and remove uploads, so uploads are linked before the database is copied,
    and those added since then afterwards. `left_out` lists uploads that a job needs and that are gone.
    """
    with tempfile.TemporaryDirectory(prefix="backup-", dir=settings.VAR) as name:
        folder = Path(name).resolve()  # places inside of it are compared with it
        held = folder / UPLOADS
        _hold_uploads(held)
        wanted = _wanted()
        database = dump(folder)
        _hold_uploads(held)
        wanted |= _wanted()
        files = [(database.name, database), *_files(held)]
        digests = {path: {"sha256": _sha256(file), "bytes": file.stat().st_size} for path, file in files}
        manifest = {"made_at": timezone.now().isoformat(), "engine": connection.vendor, "files": digests}
        draft = out.with_name(f".{out.name}.part")
        try:
            with draft.open("wb") as raw, tarfile.open(fileobj=raw, mode="w:gz", compresslevel=6) as archive:
                text = json.dumps(manifest, indent=1).encode()
                head = tarfile.TarInfo(MANIFEST)
                head.size, head.mode = len(text), 0o600
                archive.addfile(head, io.BytesIO(text))
                for path, file in files:
                    archive.add(file, arcname=path, recursive=False)
            with draft.open("rb+") as raw:
                os.fsync(raw.fileno())
            draft.chmod(0o600)
            draft.replace(out)
        finally:
            draft.unlink(missing_ok=True)
    left_out = sorted(wanted - {path.removeprefix(f"{UPLOADS}/") for path, _file in files})
    counts = {"uploads": len(files) - 1, "bytes": out.stat().st_size}
    return {"database": connection.vendor, **counts, "left_out": left_out}


def dump(folder: Path) -> Path:
    """Write a copy of the database into the folder."""
    if connection.vendor == "sqlite":
        return _vacuum_into(folder / SQLITE)
    _run(["pg_dump", "--format=custom", "--no-owner", "--file", str(folder / POSTGRES), "--dbname", _url()])
    return folder / POSTGRES


def _vacuum_into(file: Path) -> Path:
    """Write a consistent, compact copy of the SQLite database while others write."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(file)])
    file.chmod(0o600)
    return file


def _hold_uploads(folder: Path) -> None:
    """Link or copy every upload into the folder, so that it is kept if a job removes the original."""
    for path, file in _files(Path(settings.MEDIA_ROOT)):
        place = folder / path.removeprefix(f"{UPLOADS}/")
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError, FileExistsError):  # removed since it was listed; held already
            _link_or_copy(file, place)


def _link_or_copy(file: Path, place: Path) -> None:
    try:
        os.link(file, place)
    except OSError:
        with file.open("rb") as source, place.open("xb") as target:
            shutil.copyfileobj(source, target, BLOCK)


def _wanted() -> set[str]:
    """Uploads that unfinished jobs still have to read, relative to the uploads' folder."""
    jobs = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    root = Path(settings.MEDIA_ROOT)
    return {file.relative_to(root).as_posix() for job in jobs for file in job.files if file.is_relative_to(root)}


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """(path in the archive, file) of the uploads in a folder, without those still being written."""
    for file in sorted(root.rglob("*")) if root.is_dir() else ():
        if file.is_file() and not file.is_symlink() and file.suffix != ".part":
            yield f"{UPLOADS}/{file.relative_to(root).as_posix()}", file


def _sha256(file: Path) -> str:
    with file.open("rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


def restore(archive: Path) -> dict[str, Any]:
    """Restore an archive into the configured database and uploads' folder.

    Raises Refused if the archive is incomplete or from another kind of database, or the target is not empty.
    """
    with tempfile.TemporaryDirectory(prefix="restore-", dir=settings.VAR) as name:
        folder = Path(name).resolve()  # places inside of it are compared with it
        manifest = _unpacked(archive, folder)
        if manifest["engine"] != connection.vendor:
            text = _(
                "The backup is from %(there)s, but DATABASE_URL names %(here)s. Restore it there, then run "
                "copy_database."
            )
            raise Refused(text % {"there": manifest["engine"], "here": connection.vendor})
        if connection.introspection.table_names() or any(_files(Path(settings.MEDIA_ROOT))):
            raise Refused(_("The target is not empty. Name an empty database and an empty HOPSCRIBE_VAR."))
        _fill(folder)
        if (folder / UPLOADS).is_dir():
            shutil.copytree(folder / UPLOADS, settings.MEDIA_ROOT, dirs_exist_ok=True)
    return {"made_at": manifest["made_at"], "uploads": len(manifest["files"]) - 1}


def _unpacked(archive: Path, folder: Path) -> dict[str, Any]:
    broken = _("%(file)s is not a complete backup.") % {"file": archive.name}
    try:
        with tarfile.open(archive, "r:gz") as packed:
            _lay_out(packed, folder)
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        wrong = [path for path, entry in manifest["files"].items() if _sha256(folder / path) != entry["sha256"]]
    except (tarfile.TarError, EOFError, ValueError, KeyError, FileNotFoundError, FileExistsError) as failure:
        raise Refused(f"{broken} {failure}".strip()) from None
    if wrong:
        raise Refused(f"{broken} {_('Changed')}: {', '.join(wrong[:5])}")
    return manifest


def _lay_out(packed: tarfile.TarFile, folder: Path) -> None:
    """Extract regular files, none outside the folder. (The first releases of Python 3.11 lack extractall's filter.)"""
    for member in packed:
        place = Path(os.path.normpath(folder / member.name))
        content = packed.extractfile(member) if member.isreg() else None
        if content is None or not place.is_relative_to(folder):
            raise tarfile.ExtractError(member.name)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with content, place.open("xb") as out:
            place.chmod(0o600)
            shutil.copyfileobj(content, out, BLOCK)


def _fill(folder: Path) -> None:
    if connection.vendor == "sqlite":
        target = Path(settings.DATABASES["default"]["NAME"])
        connection.close()
        for rest in ("-wal", "-shm"):
            target.with_name(target.name + rest).unlink(missing_ok=True)
        shutil.move(folder / SQLITE, target)
        return
    _run(["pg_restore", *WHOLE, "--dbname", _url(), str(folder / POSTGRES)])


def put_back(folder: Path) -> None:
    """Replace the database by the copy in the folder."""
    if connection.vendor == "sqlite":
        with tempfile.TemporaryDirectory(prefix="restore-", dir=settings.VAR) as name:
            shutil.copy(folder / SQLITE, name)
            _fill(Path(name))
        return
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"DROP TABLE {connection.ops.quote_name(table)} CASCADE")
    connection.close()
    _run(["pg_restore", "--clean", "--if-exists", *WHOLE, "--dbname", _url(), str(folder / POSTGRES)])


def _url() -> str:
    """The database as PostgreSQL's programs take it, without the password, which goes into the environment."""
    parameters = connection.get_connection_params()
    names = {"dbname": "dbname", "user": "user", "host": "host", "port": "port"}
    return " ".join(f"{key}='{parameters[name]}'" for key, name in names.items() if parameters.get(name))


def _run(command: list[str]) -> None:
    password = str(connection.get_connection_params().get("password") or "")
    environment = os.environ | ({"PGPASSWORD": password} if password else {})
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        text = _("%(program)s is not installed. It is part of the PostgreSQL client.") % {"program": command[0]}
        raise Refused(text) from None
    if done.returncode:
        raise Refused(f"{command[0]}: {done.stderr.strip()[-500:]}")


def keep_copies() -> Path | None:
    """On SQLite, copy the database each hour to HOPSCRIBE_VAR/backups, keeping 24; returns the new file, if due."""
    if connection.vendor != "sqlite" or connection.settings_dict["NAME"].startswith("file:"):
        return None
    folder = Path(settings.VAR) / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    made = sorted(folder.glob("hopscribe-*.sqlite3"))
    now = timezone.now()
    if made and now.timestamp() - made[-1].stat().st_mtime < EVERY:
        return None
    draft = folder / f".{os.getpid()}.part"
    draft.unlink(missing_ok=True)
    _vacuum_into(draft)
    final = folder / f"hopscribe-{now:%Y%m%dT%H%M%S}.sqlite3"
    draft.replace(final)
    for old in made[: max(0, len(made) + 1 - KEPT)]:
        old.unlink(missing_ok=True)
    return final
