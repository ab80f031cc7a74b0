"""Restore of every kind of copy that we make: archives, the hourly copies of SQLite, and those before an upgrade.

Uploads come first and the database last, in one transaction; `unfinished` holds what a killed restore had begun.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import tarfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.operations import unfinished
from annotation.operations.archive_encryption import MAGIC, DecryptedReader, NotDecrypted
from annotation.operations.backup import BLOCK, MANIFEST, UPLOADS, link_or_copy, own_folder, sha256, uploads_in
from annotation.operations.database_dump import POSTGRES, SQLITE, load

SQLITE_FILE, PG_DUMP = b"SQLite format 3\0", b"PGDMP"
ENGINES = {SQLITE: "sqlite", POSTGRES: "postgresql"}
BROKEN = (tarfile.TarError, EOFError, ValueError, KeyError, FileNotFoundError, FileExistsError, sqlite3.DatabaseError)


def restore(copy: Path) -> dict[str, Any]:
    """Restore a copy into the configured database and uploads' folder; the same again finishes one that was killed.

    Returns {"made_at", "uploads"}; copies of the database alone leave the uploads as they are. Raises Refused if the
    copy is incomplete or from another kind of database, or the target is not empty.
    """
    copy = copy.absolute()
    with unfinished.alone("backup"), unfinished.allowed(), own_folder("restore-") as folder:
        manifest = _unpacked(copy, folder)
        _refuse_other_engine(manifest["engine"])
        digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
        if not _is_filled(manifest, digest):
            unfinished.begin(unfinished.RESTORE, copy, digest=digest)
            _put_uploads(folder)
            load(_database_in(folder if (folder / MANIFEST).exists() else copy, manifest))
        unfinished.end()
    return {"made_at": manifest["made_at"], "uploads": len(manifest["files"]) - 1}


def put_back(copy: Path) -> None:
    """Replace the database by a copy from before an upgrade, completely or not at all. Raises Refused."""
    load(_database_in(copy, _checked(copy)), replacing=True)


def is_whole(copy: Path) -> bool:
    """Whether the folder is a complete copy from before an upgrade."""
    try:
        return copy.is_dir() and bool(_checked(copy))
    except Refused:
        return False


def _database_in(folder: Path, manifest: dict[str, Any]) -> Path:
    """The copied database, in the folder or itself the copy."""
    if not folder.is_dir():
        return folder
    return next(folder / name for name in ENGINES if name in manifest["files"])


def _refuse_other_engine(there: str) -> None:
    if there != connection.vendor:
        text = _(
            "The backup is from %(there)s, but DATABASE_URL names %(here)s. Restore it there, then run copy_database."
        )
        raise Refused(text % {"there": there, "here": connection.vendor})


def _is_filled(manifest: dict[str, Any], digest: str) -> bool:
    """Whether only the end of a killed restore of this copy is missing. Raises Refused if the target is not empty."""
    begun = unfinished.begun() or {}
    is_ours = begun.get("what") == unfinished.RESTORE
    if connection.introspection.table_names():
        if is_ours and begun["digest"] == digest:
            return True
        raise Refused(_("The target is not empty. Name an empty database and an empty HOPSCRIBE_VAR."))
    uploads = Path(settings.MEDIA_ROOT)
    if not is_ours and len(manifest["files"]) > 1 and any(uploads_in(uploads)):
        raise Refused(_("The target is not empty. Name an empty database and an empty HOPSCRIBE_VAR."))
    if is_ours and begun["digest"] != digest and uploads.is_dir():
        shutil.rmtree(uploads)  # what there is comes from the other copy, whose restore is given up
    return False


def _put_uploads(folder: Path) -> None:
    for path, file in uploads_in(folder / UPLOADS):
        link_or_copy(file, Path(settings.MEDIA_ROOT) / path.removeprefix(f"{UPLOADS}/"))


def _unpacked(copy: Path, folder: Path) -> dict[str, Any]:
    """The manifest of any kind of copy, once its files are as it says. Those of an archive are then in the folder."""
    if copy.is_dir():
        return _checked(copy)
    with copy.open("rb") as raw:
        head = raw.read(len(MAGIC))
    try:
        if head.startswith(SQLITE_FILE):
            return _manifest_of(copy, SQLITE)
        if head.startswith(PG_DUMP):
            return _manifest_of(copy, POSTGRES)
        with copy.open("rb") as raw, tarfile.open(fileobj=_plain(raw, head), mode="r|gz") as packed:
            _lay_out(packed, folder)
    except NotDecrypted:
        text = _("%(file)s was made with another BACKUP_KEY, or was changed or cut off since.")
        raise Refused(text % {"file": copy.name}) from None
    except BROKEN as failure:
        raise _incomplete(copy, str(failure)) from None
    return _checked(folder, named=copy)


def _plain(raw: IO[bytes], head: bytes) -> Any:
    if head != MAGIC:
        return raw
    if not settings.BACKUP_KEY:
        raise Refused(_("This archive is encrypted. Set BACKUP_KEY to the key that it was made with."))
    raw.seek(len(MAGIC))
    return DecryptedReader(raw, settings.BACKUP_KEY)


def _incomplete(copy: Path, why: str) -> Refused:
    text = _("%(file)s is not a complete backup.") % {"file": copy.name}
    return Refused(f"{text} {why}".strip())


def _checked(folder: Path, *, named: Path | None = None) -> dict[str, Any]:
    """The manifest in the folder, if every file is as it says. A folder of an earlier release has none."""
    named = named or folder
    try:
        if named is folder and not (folder / MANIFEST).exists():
            found = next(folder / name for name in ENGINES if (folder / name).exists())
            return _manifest_of(found, found.name)
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        wrong = [path for path, entry in manifest["files"].items() if sha256(folder / path) != entry["sha256"]]
    except StopIteration:
        raise _incomplete(named, "") from None
    except BROKEN as failure:
        raise _incomplete(named, str(failure)) from None
    if wrong:
        raise _incomplete(named, f"{_('Changed')}: {', '.join(wrong[:5])}")
    return manifest


def _manifest_of(file: Path, name: str) -> dict[str, Any]:
    """A manifest for a copy of the database that has none. Raises sqlite3.DatabaseError if SQLite finds it damaged."""
    if name == SQLITE:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as opened:
            for (told,) in opened.execute("PRAGMA quick_check"):
                if told != "ok":
                    raise sqlite3.DatabaseError(told)
    made_at = datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat()
    return {"made_at": made_at, "engine": ENGINES[name], "files": {name: {"sha256": sha256(file)}}}


def _lay_out(packed: tarfile.TarFile, folder: Path) -> None:
    """Extract regular files, none outside the folder. (The first releases of Python 3.11 lack extractall's filter.)"""
    for member in packed:
        place = Path(os.path.normpath(folder / member.name))
        content = packed.extractfile(member) if member.isreg() else None
        if content is None or not place.is_relative_to(folder):
            raise tarfile.ExtractError(member.name)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.touch(mode=0o600, exist_ok=False)
        with content, place.open("wb") as out:
            shutil.copyfileobj(content, out, BLOCK)
