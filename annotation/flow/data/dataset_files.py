"""Export of datasets: complete or not at all, the same bytes for the same rows."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from wsgiref.util import FileWrapper
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.utils.translation import gettext as _

from annotation.flow.data.dataset_import import file_digest
from annotation.flow.data.lineage import refuse_hidden_gold
from annotation.flow.errors import Refused
from annotation.formats import FORMATS
from annotation.formats.base import CannotWrite, Parted
from annotation.models import Dataset
from annotation.pure.data.example import Example

BLOCK = 1 << 16


def examples_of(dataset: Dataset, *, archived: bool = False) -> Iterator[Example]:
    """The dataset's current examples in order, read in chunks; archived ones only on request."""
    rows = dataset.items.all() if archived else dataset.items.usable()
    contents = rows.order_by("position").values_list("content", flat=True)
    for content in contents.iterator(chunk_size=200):
        yield Example.from_json(content)


def export_dataset(dataset: Dataset, path: Path, *, format: str, archived: bool = False) -> dict[str, Any]:
    """Write a dataset to `path`, completely or not at all; returns {"records", "sha256"}."""
    return whole_file(path, lambda out: _write_dataset(dataset, out, format, archived))


def stream_dataset(dataset: Dataset, format: str, *, archived: bool = False) -> Iterator[bytes]:
    """The exported file in blocks. Raises Refused before the first block."""
    return blocks_of(lambda out: _write_dataset(dataset, out, format, archived))


def _write_dataset(dataset: Dataset, out: BinaryIO, format: str, archived: bool) -> int:
    with refusing(dataset, format):
        return FORMATS[format].write(examples_of(dataset, archived=archived), out)


@contextmanager
def refusing(dataset: Dataset, format: str) -> Iterator[None]:
    """Turn errors of a format's writer into Refused, with the item and the reason."""
    refuse_hidden_gold([dataset])
    try:
        yield
    except CannotWrite as impossible:
        text = _("%(name)s cannot be written as %(format)s: %(why)s")
        raise Refused(text % {"name": dataset.slug, "format": format, "why": impossible}) from None


def whole_file(path: Path, write: Callable[[BinaryIO], int]) -> dict[str, Any]:
    """Write a temporary file beside the target, fsync, then rename, so that the target is never incomplete."""
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            raise OSError(0, _("it is not a file"))
        return _replaced(target, write)
    except OSError as broken:
        raise Refused(_("%(path)s cannot be written: %(why)s") % {"path": path, "why": broken.strerror}) from None


def _replaced(target: Path, write: Callable[[BinaryIO], int]) -> dict[str, Any]:
    draft = target.parent / f".{secrets.token_hex(8)}.part"  # beside it: `replace` is atomic on one file system only
    with draft.open("xb") as out:
        try:
            records = write(out)
            out.flush()
            os.fsync(out.fileno())  # on the disk before it has the name, so that a crash leaves the former file whole
            digest = file_digest(draft)
            draft.replace(target)
        except BaseException:
            draft.unlink()
            raise
    return {"records": records, "sha256": digest}


def blocks_of(write: Callable[[BinaryIO], int]) -> Iterator[bytes]:
    with tempfile.TemporaryFile() as file:
        write(file)
        file.flush()
        kept = os.fdopen(os.dup(file.fileno()), "rb")
    kept.seek(0)
    return _Blocks(kept, BLOCK)


class _Blocks(FileWrapper):
    """An iterator of a file's blocks, closed at the end, or by the response, which may read none (HEAD)."""

    def __next__(self) -> bytes:
        try:
            return super().__next__()
        except StopIteration:
            self.close()
            raise


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
