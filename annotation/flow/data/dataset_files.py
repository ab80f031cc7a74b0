"""Export of datasets and responses: streamed, complete or not at all, the same bytes for the same rows."""

import csv
import io
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO
from wsgiref.util import FileWrapper

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from annotation.flow.data import response_columns
from annotation.flow.data.dataset_import import file_digest
from annotation.flow.data.lineage import refuse_hidden_gold
from annotation.flow.data.response_columns import JudgedItems
from annotation.flow.errors import Refused
from annotation.formats import FORMATS
from annotation.formats.base import INSTALL_PARQUET, CannotWrite
from annotation.models import Batch, Dataset, WorkerResponse
from annotation.models.fields import to_text
from annotation.pure.batches import lifecycle
from annotation.pure.data.example import Example
from annotation.pure.text.spreadsheet import guarded
from annotation.recruitment import used
from annotation.registry import task_type
from annotation.tasktype import capabilities

CHUNK = 1000
BLOCK = 1 << 16
Writer = Callable[[Iterable[dict[str, Any]], BinaryIO, list[str]], int]


def examples_of(dataset: Dataset, *, archived: bool = False) -> Iterator[Example]:
    """The dataset's current examples in order, read in chunks; archived ones only on request."""
    rows = dataset.items.all() if archived else dataset.items.usable()
    contents = rows.order_by("position").values_list("content", flat=True)
    for content in contents.iterator(chunk_size=200):
        yield Example.from_json(content)


def export_dataset(dataset: Dataset, path: Path, *, format: str, archived: bool = False) -> dict[str, Any]:
    """Write a dataset to `path`, completely or not at all; returns {"records", "sha256"}."""
    return whole_file(path, lambda out: _write_dataset(dataset, out, format, archived))


def export_responses(batch: Batch, path: Path, *, format: str, ids_only: bool = False) -> dict[str, Any]:
    """Write every revision of every response of a batch; returns {"records", "sha256"}."""
    return whole_file(path, lambda out: _write_responses(batch, out, format, ids_only))


def stream_dataset(dataset: Dataset, format: str, *, archived: bool = False) -> Iterator[bytes]:
    """The exported file in blocks. Raises Refused before the first block."""
    return blocks_of(lambda out: _write_dataset(dataset, out, format, archived))


def stream_responses(batch: Batch, format: str, *, ids_only: bool = False) -> Iterator[bytes]:
    """The exported file in blocks. Raises Refused before the first block."""
    return blocks_of(lambda out: _write_responses(batch, out, format, ids_only))


def _write_responses(batch: Batch, out: BinaryIO, format: str, ids_only: bool) -> int:
    measures = None if ids_only else list(capabilities.measures(task_type(batch.task)))
    return WRITERS[format](responses_of(batch, ids_only=ids_only), out, columns_of(measures))


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
    draft = target.parent / f".{secrets.token_hex(8)}.part"
    with draft.open("xb") as out:
        try:
            records = write(out)
            out.flush()
            os.fsync(out.fileno())
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


ANSWER = Cast("answer", TextField())  # as it is stored
FIELDS = {
    "assignment__public_id": "assignment",
    "assignment__hit_id": "hit",
    "assignment__worker_id": "worker",
    "revision": "revision",
    "assignment__revision": "last",
    "text": "answer",
    "instructions_version": "version",
    "assignment__ticket": "ticket",
    "assignment__accepted_at": "accepted_at",
    "created_at": "created_at",
    "active_seconds": "seconds",
    "assignment__late": "late",
    "assignment__counts": "counts",
}


class StoredJSON(str):
    """A JSON text that a file takes as it is; `value`: what it says."""

    @cached_property
    def value(self) -> Any:
        return json.loads(self)


def responses_of(batch: Batch, *, ids_only: bool = False) -> Iterator[dict[str, Any]]:
    """Every revision as a row: pseudonym, response, time, versions of item and instructions.

    Unless `ids_only`, each row has the columns of JudgedItems on its item.
    """
    found = revisions_of(batch).order_by("pk").annotate(text=ANSWER)
    rows = found.values_list(*FIELDS).iterator(chunk_size=CHUNK)
    items, names = JudgedItems(batch, ids_only=ids_only), dict[int, str]()
    while some := list(islice(rows, CHUNK)):
        yield from responses(batch, some, names, items)


def responses(
    batch: Batch, rows: list[tuple[Any, ...]], names: dict[int, str], items: JudgedItems
) -> Iterator[dict[str, Any]]:
    """Revisions' FIELDS as rows of a file, each with its answer as `StoredJSON`; `names` caches pseudonyms."""
    items.read(values[1] for values in rows)
    for given in (dict(zip(FIELDS.values(), values, strict=True)) for values in rows):
        hit, worker, answer = given["hit"], given["worker"], StoredJSON(given["answer"])
        if worker not in names:
            names[worker] = batch.project.pseudonym(worker)
        yield {
            "batch": batch.slug,
            "assignment": given["assignment"],
            **items.names(hit),
            "worker": names[worker],
            "revision": given["revision"],
            "current": given["revision"] == given["last"],
            "answer": answer,
            "instructions_version": given["version"],
            "ticket": given["ticket"],
            "accepted_at": time_text(given["accepted_at"]),
            "submitted_at": time_text(given["created_at"]),
            "active_seconds": given["seconds"],
            "late": given["late"],
            "surplus": not given["counts"],
            **items.exclusion(hit),
            **items.columns(hit, answer),
        }


def revisions_of(batch: Batch) -> QuerySet[WorkerResponse]:
    """Every revision of every submitted response that may be used, without hidden gold and imports under way."""
    rows = WorkerResponse.objects.filter(assignment__batch=batch, assignment__state=lifecycle.SUBMITTED)
    if batch.on_marketplace:
        rows = rows.filter(assignment__in=used(batch, batch.assignments.submitted()).values("pk"))
    rows = rows.exclude(assignment__response_import__ready=False)
    return rows.filter(assignment__hit__check_item=False) if batch.check_share else rows


def time_text(moment: datetime) -> str:
    """A time as in files: UTC, to the millisecond."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _write_jsonl(rows: Iterable[dict[str, Any]], out: BinaryIO, columns: list[str]) -> int:
    count = 0
    for row in rows:
        out.write(_line(row).encode() + b"\n")
        count += 1
    return count


def _line(row: dict[str, Any]) -> str:
    answer = row.get("answer")
    if not isinstance(answer, StoredJSON):
        return to_text(row)
    # in a text of JSON every quotation mark is escaped, so that the first place found is that of the key
    return to_text(row | {"answer": None}).replace('"answer":null', f'"answer":{answer}', 1)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row for a table: the response's text and support as columns, the complete response and lists as JSON."""
    answer = row["answer"].value
    fields = answer if isinstance(answer, dict) else {}
    columns = {f"answer_{name}": str(fields.get(name, "")) for name in ("kind", "text")}
    columns["support"] = json.dumps(fields.get("support", []))
    if "gold" in row:
        columns |= {name: None if row[name] is None else _listed(row[name]) for name in LISTS}
        columns |= {SCORE + name: value for name, value in (row["score"] or {}).items()}
    return row | columns | {"answer": str(row["answer"])}


_listed = json.JSONEncoder(ensure_ascii=False).encode
LISTS = ("gold", "gold_set", "gold_support")
SCORE = "score_"  # prefix of a measure's column
COLUMNS = ["batch", "assignment", "hit", "dataset", "dataset_sha256", "item", "item_id", "worker", "revision"]
COLUMNS += ["current", "instructions_version", "ticket", "accepted_at", "submitted_at", "active_seconds"]
COLUMNS += ["late", "surplus", "exclusion_reason", "excluded", "answer_kind", "answer_text", "support", "answer"]


def columns_of(measures: Iterable[str] | None) -> list[str]:
    """The columns of a table of responses; with `measures` also the columns on items."""
    if measures is None:
        return COLUMNS
    return [*COLUMNS, *response_columns.COLUMNS, *(SCORE + name for name in measures)]


def _write_csv(rows: Iterable[dict[str, Any]], out: BinaryIO, columns: list[str]) -> int:
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=False)
    writer = csv.writer(text)
    writer.writerow(columns)
    count = 0
    for row in map(_flat, rows):
        # only texts can be read as formulas; the writer leaves the cell of None empty
        writer.writerow([guarded(value) if isinstance(value, str) else value for value in map(row.get, columns)])
        count += 1
    text.flush()
    text.detach()
    return count


def _write_parquet(rows: Iterable[dict[str, Any]], out: BinaryIO, columns: list[str]) -> int:
    try:
        import pyarrow as pa
        import pyarrow.json as pj
        import pyarrow.parquet as pq
    except ImportError:
        text = _("Parquet needs a package that is not installed. Run %(command)s on the server.")
        raise Refused(text % {"command": INSTALL_PARQUET}) from None

    kinds = dict.fromkeys(["item", "hops", "revision", "instructions_version", "ticket"], pa.int64())
    kinds |= dict.fromkeys(["current", "late", "surplus", "excluded", "answerable"], pa.bool_())
    scores = [name for name in columns if name.startswith(SCORE)]
    kinds |= dict.fromkeys(["active_seconds", *scores], pa.float64())
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    count, flat = 0, map(_flat, rows)
    with pq.ParquetWriter(out, schema, store_schema=False) as writer:  # no Arrow schema (base64) beside Parquet's own
        while chunk := list(islice(flat, CHUNK)):
            # as lines of JSON, because pyarrow looks for pandas (50 MB) before it takes a Python list
            lines = "\n".join(to_text({name: row.get(name) for name in columns}) for row in chunk).encode()
            whole = pj.ReadOptions(use_threads=False, block_size=len(lines) + 1)
            table = pj.read_json(io.BytesIO(lines), whole, pj.ParseOptions(explicit_schema=schema))
            writer.write_table(table.select(columns))
            count += len(chunk)
    return count


WRITERS: dict[str, Writer] = {"jsonl": _write_jsonl, "csv": _write_csv, "parquet": _write_parquet}
MEDIA = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
