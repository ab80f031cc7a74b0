"""Backup of the database and the uploads into one archive, and the copies that an installation makes of itself.

Secrets in them are encrypted with SECRET_KEY, which is not included: keep the key elsewhere.
"""

import contextlib
import gzip
import hashlib
import io
import json
import os
import shutil
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
from annotation.operations.archive_encryption import EncryptedWriter
from annotation.operations.database_dump import dump, rows_ever, rows_ever_in, vacuum_into
from annotation.operations.unfinished import alone, sync, write_whole

MANIFEST, UPLOADS = "manifest.json", "uploads"
DRAFT = "draft"  # in a backup's own folder: where its archive is being written
BLOCK = 1 << 20
SHORTEST_KEY = 20  # characters of BACKUP_KEY
KEPT, EVERY = 24, 3600  # of the copies that an installation on SQLite makes of itself, and seconds between them


def back_up(out: Path) -> dict[str, Any]:
    """Write an archive, or nothing on failure; returns {"database", "uploads", "bytes", "left_out", "encrypted"}.

    The site stays in use meanwhile. Jobs add and remove uploads, so uploads are linked before the database is copied,
    and those added since then afterwards. `left_out` lists uploads that a job needs and that are gone.
    """
    if 0 < len(settings.BACKUP_KEY) < SHORTEST_KEY:
        raise Refused(_("BACKUP_KEY is too short. Set at least %(least)s characters.") % {"least": SHORTEST_KEY})
    with alone("backup"), own_folder("backup-") as folder:
        held = folder / UPLOADS
        _hold_uploads(held)
        wanted = _wanted()
        database = dump(folder)
        _hold_uploads(held)
        wanted |= _wanted()
        files = {database.name: database} | dict(uploads_in(held))
        draft = out.with_name(f".{out.name}.part").absolute()
        write_whole(folder / DRAFT, os.fsencode(draft))
        draft.unlink(missing_ok=True)
        try:
            _pack(draft, manifest_of(files), files)
            draft.replace(out)
        finally:
            draft.unlink(missing_ok=True)
        sync(out.absolute().parent)
    left_out = sorted(wanted - {path.removeprefix(f"{UPLOADS}/") for path in files})
    counts = {"uploads": len(files) - 1, "bytes": out.stat().st_size}
    return {"database": connection.vendor, **counts, "left_out": left_out, "encrypted": bool(settings.BACKUP_KEY)}


def manifest_of(files: dict[str, Path]) -> dict[str, Any]:
    """What a copy consists of: {"made_at", "engine", "rows_ever", "files": {path: {"sha256", "bytes"}}}."""
    digests = {path: {"sha256": sha256(file), "bytes": file.stat().st_size} for path, file in files.items()}
    about = {"made_at": timezone.now().isoformat(), "engine": connection.vendor, "rows_ever": rows_ever()}
    return {**about, "files": digests}


def _pack(draft: Path, manifest: dict[str, Any], files: dict[str, Path]) -> None:
    draft.touch(mode=0o600, exist_ok=False)
    with draft.open("wb") as raw:
        sink: Any = EncryptedWriter(raw, settings.BACKUP_KEY) if settings.BACKUP_KEY else raw
        with gzip.GzipFile("", "wb", 6, sink) as packed, tarfile.open(fileobj=packed, mode="w|") as archive:
            text = json.dumps(manifest, indent=1).encode()
            head = tarfile.TarInfo(MANIFEST)
            head.size, head.mode = len(text), 0o600
            archive.addfile(head, io.BytesIO(text))
            for path, file in files.items():
                archive.add(file, arcname=path, recursive=False)
        if settings.BACKUP_KEY:
            sink.finish()
        raw.flush()
        os.fsync(raw.fileno())


@contextlib.contextmanager
def own_folder(prefix: str) -> Iterator[Path]:
    """A private folder in HOPSCRIBE_VAR, removed at the end. Those that killed processes left are removed first."""
    remove_leftovers()
    with tempfile.TemporaryDirectory(prefix=prefix, dir=settings.VAR) as name:
        yield Path(name).resolve()  # places inside of it are compared with it


def leftovers() -> list[Path]:
    """What killed backups and restores left, or those under way have not removed yet; drafts of archives last."""
    home = Path(settings.VAR)
    noted = [Path(os.fsdecode(note.read_bytes())) for note in home.glob(f"backup-*/{DRAFT}")]
    folders = [folder for name in ("backup-*", "restore-*") for folder in home.glob(name) if folder.is_dir()]
    found = [*sorted(folders), *(home / "backups").glob(".*.part"), *(draft for draft in noted if draft.exists())]
    return list(dict.fromkeys(found))


def remove_leftovers() -> None:
    for path in reversed(leftovers()):  # a draft before the folder that names it
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def sweep_leftovers() -> None:
    """Remove what killed backups and restores left, unless one is under way. A sweep: safe to run twice."""
    if leftovers():
        with contextlib.suppress(Refused), alone("backup", patience=0):
            remove_leftovers()


def _hold_uploads(folder: Path) -> None:
    """Link or copy every upload into the folder, so that it is kept if a job removes the original."""
    for path, file in uploads_in(Path(settings.MEDIA_ROOT)):
        with contextlib.suppress(FileNotFoundError):  # removed since it was listed
            link_or_copy(file, folder / path.removeprefix(f"{UPLOADS}/"))


def link_or_copy(file: Path, place: Path) -> None:
    """Put a private file there, whole or not at all; one that is there already stays."""
    if place.exists():
        return
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.link(file, place)
    except OSError:
        draft = place.with_name(f"{place.name}.part")  # which no backup takes
        with file.open("rb") as source:
            draft.unlink(missing_ok=True)
            draft.touch(mode=0o600, exist_ok=False)
            with draft.open("wb") as target:
                shutil.copyfileobj(source, target, BLOCK)
        draft.replace(place)


def _wanted() -> set[str]:
    """Uploads that unfinished jobs still have to read, relative to the uploads' folder."""
    jobs = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    root = Path(settings.MEDIA_ROOT)
    return {file.relative_to(root).as_posix() for job in jobs for file in job.files if file.is_relative_to(root)}


def uploads_in(root: Path) -> Iterator[tuple[str, Path]]:
    """(path in the archive, file) of the uploads in a folder, without those still being written."""
    for file in sorted(root.rglob("*")) if root.is_dir() else ():
        if file.is_file() and not file.is_symlink() and file.suffix != ".part":
            yield f"{UPLOADS}/{file.relative_to(root).as_posix()}", file


def sha256(file: Path) -> str:
    with file.open("rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


def copy_before_upgrade(name: str) -> Path:
    """Copy the database into a folder of this name in HOPSCRIBE_VAR/backups, complete or not at all."""
    folder = copies_folder() / name
    draft = folder.with_name(f".{name}.part")
    with alone("backup"):
        remove_leftovers()
        draft.mkdir(mode=0o700)
        file = dump(draft)
        sync(file)
        write_whole(draft / MANIFEST, json.dumps(manifest_of({file.name: file})).encode())
        draft.replace(folder)
    sync(folder.parent)
    return folder


def copies_folder() -> Path:
    folder = Path(settings.VAR) / "backups"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def keep_copies() -> Path | None:
    """On SQLite, copy the database each hour to HOPSCRIBE_VAR/backups, keeping 24; returns the new file, if due."""
    if connection.vendor != "sqlite" or connection.settings_dict["NAME"].startswith("file:"):
        return None
    folder, now = copies_folder(), timezone.now()
    made = sorted(folder.glob("hopscribe-*.sqlite3"))
    if made and now.timestamp() - made[-1].stat().st_mtime < EVERY:
        return None
    with contextlib.suppress(Refused), alone("backup", patience=0):
        remove_leftovers()
        draft = vacuum_into(folder / f".{os.getpid()}.part")
        final = draft.replace(folder / f"hopscribe-{now:%Y%m%dT%H%M%S}.sqlite3")
        prune([*made, final], KEPT)
        return final
    return None


def prune(copies: list[Path], kept: int) -> None:
    """Delete all but the last copies (oldest first), but none that so many later ones cannot replace.

    A copy of a database that was emptied in between, or restored from an older one, replaces none of before.
    """
    given = [rows_given(copy) for copy in copies]
    for place, copy in enumerate(copies):
        if sum(later >= given[place] for later in given[place + 1 :]) >= kept:
            shutil.rmtree(copy) if copy.is_dir() else copy.unlink(missing_ok=True)


def rows_given(copy: Path) -> float:
    """How many keys the copied database had given to rows; infinite if only PostgreSQL could say."""
    if not copy.is_dir():
        return rows_ever_in(copy)
    try:
        return int(json.loads((copy / MANIFEST).read_text())["rows_ever"])
    except (OSError, ValueError, KeyError):  # of an earlier release, or not whole
        files = list(copy.iterdir())
        return max((float("inf") if file.suffix == ".dump" else rows_ever_in(file) for file in files), default=0)
