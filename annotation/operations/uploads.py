"""Uploaded files: their maximum size, and the folder where they wait for the job that reads them."""

import os
import secrets
import shutil
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

KEPT_FOR = 24 * 3600  # seconds


def too_large(request: HttpRequest) -> bool:
    """Whether the request's body exceeds the maximum size of uploads."""
    return _length(request.META.get("CONTENT_LENGTH")) > settings.UPLOAD_LIMIT


def _length(text: Any) -> int:
    return int(text) if str(text or "").isdigit() else 0


class UploadLimitHandler(FileUploadHandler):
    """An upload handler that discards files of a body that is too large, so that the disk stays free; views say why."""

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *args: Any, **kwargs: Any) -> None:
        self.refused = content_length > settings.UPLOAD_LIMIT

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self.refused:
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def keep(upload: "UploadedFile[Any]") -> Path:
    """Store an uploaded file for a job; a large one is moved instead of copied."""
    path = _new_path()
    if hasattr(upload, "temporary_file_path"):
        shutil.move(upload.temporary_file_path(), path)
        path.chmod(0o600)
        upload.close()  # else it looks for itself, and complains, whenever it is collected
        return path
    draft = path.with_suffix(".part")  # which no backup takes
    draft.touch(mode=0o600, exist_ok=False)
    with draft.open("wb") as out:
        for block in upload.chunks():
            out.write(block)
    return draft.rename(path)


def adopt(file: Path) -> str:
    """Move a file to the uploads; returns its name there."""
    path = _new_path()
    shutil.move(file, path)
    path.chmod(0o600)
    os.utime(path)
    return path.name


def _new_path() -> Path:
    """Where a file may be put; files older than a day, whose check or refusal nobody acted on, are deleted."""
    folder = Path(settings.MEDIA_ROOT)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path in folder.iterdir():
        if path.is_file() and path.stat().st_mtime < time.time() - KEPT_FOR:
            path.unlink(missing_ok=True)
    return folder / secrets.token_hex(16)
