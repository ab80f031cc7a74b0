"""Export in formats of several files: as a folder, complete or not at all, or as one ZIP file."""

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.utils.translation import gettext as _

from annotation.flow.data.dataset_files import blocks_of, examples_of, refusing
from annotation.flow.data.dataset_import import file_digest
from annotation.flow.errors import Refused
from annotation.formats import FORMATS
from annotation.formats.base import Parted
from annotation.models import Dataset

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date in ZIP; constant, so that the same rows give the same bytes


def parted(format: str) -> Parted | None:
    """The format if its release has several files, else None."""
    kind = FORMATS[format]
    return kind if isinstance(kind, Parted) else None


def wants_folder(path: Path, format: str) -> bool:
    """Whether to export a folder: `path` is one, or has no suffix."""
    return parted(format) is not None and (path.is_dir() or not path.suffix)


def export_folder(dataset: Dataset, folder: Path, *, format: str) -> dict[str, Any]:
    """Write the files of a format into a folder, all or none; returns {"records", "sha256": name -> digest}."""
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{secrets.token_hex(4)}", dir=folder) as draft:
            files, records = _written(dataset, Path(draft), format)
            digests = {file.name: file_digest(file) for file in files}
            for file in files:
                file.replace(folder / file.name)
    except OSError as broken:
        raise Refused(_("%(path)s cannot be written: %(why)s") % {"path": folder, "why": broken.strerror}) from None
    return {"records": records, "sha256": digests}


def stream_folder(dataset: Dataset, format: str) -> Iterator[bytes]:
    """The same files as one ZIP file, in blocks. Raises Refused before the first block."""
    return blocks_of(lambda out: _zipped(dataset, out, format))


def _zipped(dataset: Dataset, out: BinaryIO, format: str) -> int:
    with tempfile.TemporaryDirectory() as draft, ZipFile(out, "w") as archive:
        files, records = _written(dataset, Path(draft), format)
        for file in files:
            entry = ZipInfo(file.name, EPOCH)
            entry.compress_type = ZIP_DEFLATED
            with file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as into:
                shutil.copyfileobj(source, into)
    return records


def _written(dataset: Dataset, folder: Path, format: str) -> tuple[list[Path], int]:
    kind = parted(format)
    if kind is None:
        raise TypeError(f"{format} is one file")
    files = [folder / name for name in kind.parts]
    with ExitStack() as opened, refusing(dataset, format):
        outs = [opened.enter_context(file.open("wb")) for file in files]
        records = kind.write_parts(examples_of(dataset), outs)
    return files, records
