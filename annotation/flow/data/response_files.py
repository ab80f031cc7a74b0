"""Export of the responses to a batch: the same bytes for the same rows.

A download is streamed while it is written: with a million responses that takes a minute, and nobody should wait for the
first byte. If it breaks off, so does the connection. A file is complete or not there at all.
"""

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from django.db import connection, transaction
from django.db.models import ExpressionWrapper, F, Field, Func, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from annotation.flow.data import response_columns
from annotation.flow.data.dataset_files import BLOCK, whole_file
from annotation.flow.data.response_columns import PROBABILITY, JudgedItems, listed
from annotation.flow.errors import Refused
from annotation.formats.base import INSTALL_PARQUET
from annotation.models import Batch, WorkerResponse
from annotation.models.fields import to_text
from annotation.pure.batches import lifecycle
from annotation.pure.setting_fields import digests
from annotation.pure.text.spreadsheet import HARMLESS, guarded
from annotation.recruitment import used
from annotation.registry import task_type
from annotation.tasktype import Rated, capabilities

CHUNK = 1000
Rows = Iterable[dict[str, Any]]
Writer = Callable[[Rows, Sequence[str]], Iterator[bytes]]


def export_responses(
    batch: Batch, path: Path, *, format: str, ids_only: bool = False, long: bool = False
) -> dict[str, Any]:
    """Write every revision of every response of a batch, or (`long`) every value; returns {"records", "sha256"}."""

    def write(out: BinaryIO) -> int:
        rows = _Counted(_rows_of(batch, ids_only, long))
        for block in _blocks(_pieces(batch, rows, format, ids_only, long)):
            out.write(block)
        return rows.count

    return whole_file(path, write)


def stream_responses(batch: Batch, format: str, *, ids_only: bool = False, long: bool = False) -> Iterator[bytes]:
    """The exported file in blocks, as they are written. Raises Refused before the first block."""
    if format == "parquet":
        _check_parquet()
    return _blocks(_in_one_snapshot(_pieces(batch, _rows_of(batch, ids_only, long), format, ids_only, long)))


def _rows_of(batch: Batch, ids_only: bool, long: bool) -> Rows:
    return ratings_of(batch) if long else responses_of(batch, ids_only=ids_only)


def jsonl_lines(rows: Rows) -> Iterator[bytes]:
    """Rows as JSON lines, in blocks as they are written."""
    return _blocks(_jsonl(rows, []))


def _blocks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    held, size = list[bytes](), 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _in_one_snapshot(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """In a transaction on PostgreSQL, where a cursor outside one is filled before its first row.

    The transaction may be idle for longer than others, while a slow client takes what it was sent.
    """
    if connection.vendor != "postgresql":
        yield from pieces
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '10min'")
        yield from pieces


def _pieces(batch: Batch, rows: Rows, format: str, ids_only: bool, long: bool) -> Iterator[bytes]:
    task = task_type(batch.task)
    drawn = [*([PROBABILITY] if batch.is_by_confidence else ()), *(ARM if batch.suggest else ())]
    if long:
        return WRITERS[format](rows, [*LONG, *drawn])
    measures = None if ids_only else list(capabilities.measures(task))
    columns = columns_of(measures) + (list(DRAW) if batch.experiment_id is not None else [])
    columns += [*drawn, *digests(task.Options, batch.options)]
    if isinstance(task, Rated):
        columns += [RATING + name for name in task.criteria_of(task.options(batch.options))]
    return WRITERS[format](rows, columns)


class _Counted:
    """Rows with the number of those that were read."""

    def __init__(self, rows: Rows) -> None:
        self._rows, self.count = rows, 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self._rows:
            self.count += 1
            yield row


class TimeText(Func):
    """A time as `time_text` has it, written by the database, which takes less than to read it."""

    arity, template, output_field = 1, "replace(substr(%(expressions)s || '.000', 1, 23), ' ', 'T') || 'Z'", TextField()

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        text = """to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
        return self.as_sql(compiler, connection, template=text)


STORED = {  # annotations for FIELDS
    "text": Cast("answer", TextField()),  # as it is stored
    "accepted": TimeText("assignment__accepted_at"),
    "submitted": TimeText("created_at"),
    # of no type, so that Django reads them as they come: numbers on SQLite
    "is_late": ExpressionWrapper(F("assignment__late"), Field()),
    "does_count": ExpressionWrapper(F("assignment__counts"), Field()),
    "is_suggested": ExpressionWrapper(F("assignment__suggested"), Field()),
}
# Of a revision, in the order in which `responses` takes them.
FIELDS = ["assignment__public_id", "assignment__hit_id", "assignment__worker_id", "revision", "assignment__revision"]
FIELDS += ["text", "instructions_version", "assignment__ticket", "accepted", "submitted", "active_seconds"]
FIELDS += ["is_late", "does_count", "is_suggested"]


class StoredJSON(str):
    """A JSON text that a file takes as it is; `value`: what it says."""

    @cached_property
    def value(self) -> Any:
        return _decoded(self)[0]


_decoded = json.JSONDecoder().raw_decode  # without looking for blanks, which what is stored never begins with


def responses_of(batch: Batch, *, ids_only: bool = False) -> Iterator[dict[str, Any]]:
    """Every revision as a row: pseudonym, response, time, versions of item and instructions.

    Unless `ids_only`, each row has the columns of JudgedItems on its item.
    """
    found = revisions_of(batch).order_by("pk").annotate(**STORED)
    rows = found.values_list(*FIELDS).iterator(chunk_size=CHUNK)
    items, names = JudgedItems(batch, ids_only=ids_only), dict[int, str]()
    while some := list(islice(rows, CHUNK)):
        yield from responses(batch, some, names, items)


LONG = ["dataset", "item", "item_id", "hit", "worker", "revision", "current", "criterion", "element", "element_id"]
LONG += ["value", "asked", "seconds", "submitted_at", "excluded"]


def ratings_of(batch: Batch) -> Iterator[dict[str, Any]]:
    """Every value of every revision as a row of LONG. Raises Refused for a task without criteria."""
    task = task_type(batch.task)
    if not isinstance(task, Rated):
        raise Refused(_("The responses of this task are no ratings by criteria."))
    items, names = JudgedItems(batch), dict[int, str]()
    rows = revisions_of(batch).order_by("pk").annotate(**STORED).values_list(*FIELDS).iterator(chunk_size=CHUNK)
    while some := list(islice(rows, CHUNK)):
        for values, row in zip(some, responses(batch, some, names, items), strict=True):
            kept = {name: row[name] for name in (*LONG, PROBABILITY, *ARM) if name in row}
            kept |= {"seconds": row["active_seconds"]}
            yield from (kept | rated for rated in task.values(items.of(values[1]).payload, row["answer"].value))


def responses(
    batch: Batch, rows: list[tuple[Any, ...]], names: dict[int, str], items: JudgedItems
) -> Iterator[dict[str, Any]]:
    """Revisions' FIELDS as rows of a file, each with its answer as `StoredJSON`; `names` caches pseudonyms."""
    items.read(values[1] for values in rows)
    draws, suggestions = draws_of(batch), _suggestions(batch, {values[1] for values in rows})
    for assignment, hit, worker, revision, last, text, version, ticket, accepted, submitted, *given in rows:
        seconds, late, counts, suggested = given
        answer, known = StoredJSON(text), items.of(hit)
        if worker not in names:
            names[worker] = batch.project.pseudonym(worker)
        yield {
            "batch": batch.slug,
            "assignment": assignment,
            **known.names,
            "worker": names[worker],
            "revision": revision,
            "current": revision == last,
            "answer": answer,
            "instructions_version": version,
            "ticket": ticket,
            "accepted_at": accepted,
            "submitted_at": submitted,
            "active_seconds": seconds,
            "late": bool(late),
            "surplus": not counts,
            **known.exclusion,
            **items.columns(known, answer),
            **draws.get(worker, {}),
            **(_arm(suggested, suggestions.get(hit)) if batch.suggest else {}),
        }


DRAW = ("experiment", "arm_position", "draw_seed")  # columns of an arm's responses, after all others


ARM = ("arm", "suggestion")  # columns of a batch that shows suggestions: "blind" or "suggested", and what was shown


def _arm(suggested: bool | None, suggestion: Any) -> dict[str, Any]:
    """Arm "" where the item has no suggestion; a response to it is blind, too."""
    arm = "" if suggested is None else "suggested" if suggested else "blind"
    return {"arm": arm, "suggestion": suggestion if suggested else None}


def _suggestions(batch: Batch, hits: Collection[int]) -> dict[int, Any]:
    return dict(batch.hits.filter(pk__in=hits).values_list("pk", "suggestion")) if batch.suggest else {}


def draws_of(batch: Batch) -> dict[int, dict[str, Any]]:
    """DRAW of each worker who drew this arm, by key; no query for a batch that is none."""
    if batch.experiment is None:
        return {}
    rows = batch.experiment.draws.values_list("worker", "order", "seed")
    name = batch.experiment.slug
    return {
        worker: {"experiment": name, "arm_position": order.index(batch.pk) + 1, "draw_seed": seed}
        for worker, order, seed in rows
        if batch.pk in order
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


def _jsonl(rows: Rows, columns: Sequence[str]) -> Iterator[bytes]:
    return ((_line(row) + "\n").encode() for row in rows)


def _line(row: dict[str, Any]) -> str:
    answer = row.get("answer")
    if not isinstance(answer, StoredJSON):
        return to_text(row)
    row["answer"] = None
    # in a text of JSON every quotation mark is escaped, so that the first place found is that of the key
    return to_text(row).replace('"answer":null', f'"answer":{answer}', 1)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """The row for a table: the response's text and support as columns, the complete response and lists as JSON."""
    if row.get("suggestion") is not None:
        row["suggestion"] = listed(row["suggestion"])
    if "answer" not in row:  # of `ratings_of`
        return row | {name: None if row[name] is None else _text(row[name]) for name in ("element_id", "value")}
    answer = row["answer"].value
    fields = answer if isinstance(answer, dict) else {}
    row["answer_kind"], row["answer_text"] = str(fields.get("kind", "")), str(fields.get("text", ""))
    row["support"] = listed(fields.get("support", []))
    if "gold" in row:
        for name in LISTS:
            row[name] = None if row[name] is None else row[name].text
        for name, value in (row.pop("score") or {}).items():
            row[SCORE + name] = value
    if "kind" not in fields:  # ratings, by criterion
        row |= {RATING + name: None if value is None else _text(value) for name, value in fields.items()}
    row["answer"] = str(row["answer"])
    return row


def _text(value: Any) -> str:
    return value if isinstance(value, str) else listed(value)


RATING = "rating_"  # prefix of a criterion's column
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


def _csv(rows: Rows, columns: Sequence[str]) -> Iterator[bytes]:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    flat, blank, width = map(_flat, rows), dict.fromkeys(columns), len(columns)
    while chunk := list(islice(flat, CHUNK)):
        # only texts can be read as formulas; the writer leaves the cell of None empty
        cells = (
            [
                v if type(v) is not str or v[:1] in HARMLESS else guarded(v)
                for v in islice((blank | row).values(), width)
            ]
            for row in chunk
        )
        writer.writerows(cells)
        yield _taken(text)
    yield _taken(text)


def _taken(text: io.StringIO) -> bytes:
    """What was written, which is taken away."""
    block = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return block


class _Sink(io.BytesIO):
    """A file of which what was written can be taken away, while positions go on."""

    taken = 0

    def tell(self) -> int:
        return self.taken + super().tell()

    def take(self) -> bytes:
        block = self.getvalue()
        self.taken += len(block)
        self.seek(0)
        self.truncate()
        return block


def _check_parquet() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        text = _("Parquet needs a package that is not installed. Run %(command)s on the server.")
        raise Refused(text % {"command": INSTALL_PARQUET}) from None


def _parquet(rows: Rows, columns: Sequence[str]) -> Iterator[bytes]:
    _check_parquet()
    import pyarrow as pa
    import pyarrow.json as pj
    import pyarrow.parquet as pq

    pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own keeps 10 MB more
    whole_numbers = ["item", "element", "hops", "revision", "instructions_version", "ticket"]
    kinds = dict.fromkeys([*whole_numbers, "arm_position", "draw_seed"], pa.int64())
    kinds |= dict.fromkeys(["current", "late", "surplus", "excluded", "answerable", "asked"], pa.bool_())
    scores = [name for name in columns if name.startswith(SCORE)]
    kinds |= dict.fromkeys(["active_seconds", "seconds", *scores], pa.float64())
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    flat, out = map(_flat, rows), _Sink()
    with pq.ParquetWriter(out, schema, store_schema=False) as writer:  # no Arrow schema (base64) beside Parquet's own
        while chunk := list(islice(flat, CHUNK)):
            # as lines of JSON, because pyarrow looks for pandas (50 MB) before it takes a Python list
            lines = "\n".join(map(to_text, chunk)).encode()
            whole = pj.ReadOptions(use_threads=False, block_size=len(lines) + 1)
            table = pj.read_json(
                io.BytesIO(lines), whole, pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
            )
            writer.write_table(table.select(columns))
            yield out.take()
    yield out.take()


WRITERS: dict[str, Writer] = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}
MEDIA = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
