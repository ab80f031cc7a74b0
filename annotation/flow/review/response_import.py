"""Import of responses that were collected elsewhere, from a file into a batch: all or nothing."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.data.dataset_import import SHOWN_FLAWS, file_digest
from annotation.flow.data.item_writer import STALE, ImportRefused, LineFlaws, OnProgress, no_progress
from annotation.flow.projects import audit_log
from annotation.flow.work.leases import reopen_hit
from annotation.formats.base import Unreadable, ended
from annotation.formats.cells import is_table
from annotation.formats.mapped import decoded_rows
from annotation.formats.streams import Row, unreadable
from annotation.models import Assignment, Batch, Hit, ResponseImport, Worker, WorkerResponse
from annotation.pure.batches import lifecycle
from annotation.pure.data.column_mapping import truth_of
from annotation.registry import task_type
from annotation.tasktype import InvalidResponse, TaskType

CHUNK = 200


@dataclass(frozen=True, slots=True)
class ImportedResponse:
    """A line of the file, with one of the batch's HITs."""

    line: int
    place: str  # "line 12"
    hit_id: int
    worker: str
    answer: Any


def import_responses(batch: Batch, path: Path, *, name: str = "", progress: OnProgress = no_progress) -> dict[str, Any]:
    """Import a file of {"dataset", "item", "worker", "answer"}, JSON or a table; returns {"read", "accepted", …}.

    A batch with one dataset needs no "dataset". `name`: the file's display name. Every line is validated before any is
    stored; responses become visible only when all are stored. Importing the same file again changes nothing. Raises
    ImportRefused with file, line, field and fix.
    """
    digest = file_digest(path)
    if ResponseImport.objects.filter(batch=batch, sha256=digest, ready=True).exists():
        return {"read": 0, "accepted": 0, "warnings": 0, "flaws": [], "already_there": True}
    if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        raise ImportRefused(_("Launch the batch first: responses belong to its HITs."), {})
    _clear_dead(batch)
    if ResponseImport.objects.filter(batch=batch, sha256=digest).exists():
        raise ImportRefused(_being_read(), {})
    checked = _check_all(batch, path, name or path.name)
    total = checked["accepted"]
    response_import = _begin(batch, digest, name or path.name)
    try:
        _store_all(response_import, path, total, progress)
        with transaction.atomic():
            _mark(response_import, ready=True, size=total)
            Hit.objects.filter(pk__in=response_import.assignments.order_by().values("hit")).note_change()
            audit_log.record("judgments imported", batch, number=total)
    except BaseException:  # half an import shows nothing, but has taken places from workers
        remove_import(response_import)
        raise
    return {**checked, "already_there": False}


def _clear_dead(batch: Batch) -> None:
    """Remove the rows of an import that died: they are invisible, but count towards HITs."""
    unready = batch.imports.filter(ready=False).annotate(last=Max("assignments__submitted_at"))
    dead = Q(last__lt=Now() - STALE) | Q(last__isnull=True, created_at__lt=Now() - STALE)
    for response_import in unready.filter(dead):
        remove_import(response_import)


def _begin(batch: Batch, digest: str, name: str) -> ResponseImport:
    plain = name.encode("utf-8", "replace").decode()[:255]
    try:
        with transaction.atomic():
            return ResponseImport.objects.create(batch=batch, sha256=digest, file_name=plain)
    except IntegrityError:  # the constraint decides, because two may import the same file at once
        raise ImportRefused(_being_read(), {}) from None


def _being_read() -> str:
    return _("This file is being imported right now. Wait a minute, then try again.")


def _check_all(batch: Batch, path: Path, name: str) -> dict[str, Any]:
    """Check every line; returns {"read", "accepted", "warnings", "flaws"}. Raises ImportRefused."""
    reader = _Reader(batch)
    try:
        total = sum(len(chunk) for chunk in reader.responses(path))
    except Unreadable as unreadable:
        text = _("%(name)s cannot be read: %(flaw)s")
        raise ImportRefused(text % {"name": name, "flaw": unreadable.flaw}, reader.report()) from None
    report = reader.report()
    if reader.flaws.errors:
        text = _("%(name)s: %(count)s of the lines cannot be stored, so nothing was imported. First: %(flaw)s")
        first = report["flaws"][0]
        flaw = f"{first['place']}, {first['field']}: {ended(first['wrong'])} {ended(first['fix'])}"
        raise ImportRefused(text % {"name": name, "count": reader.flaws.errors, "flaw": flaw}, report)
    if not total:
        text = _(
            "%(name)s contains no responses. Write one JSON object per line, with dataset, item, worker and answer."
        )
        raise ImportRefused(text % {"name": name}, report)
    del report["errors"]
    return {**report, "accepted": total}


def line_of(row: Row) -> int:
    return int(row.place.rpartition(" ")[2])


class _Reader:
    """Reads lines against the HITs of a batch, a chunk at a time, and collects errors."""

    def __init__(self, batch: Batch) -> None:
        self.flaws = LineFlaws(SHOWN_FLAWS)
        self.read = 0
        self._batch = batch
        self._found: list[tuple[int, dict[str, Any]]] = []  # of this chunk
        self._task: TaskType = task_type(batch.task)
        hits = batch.hits.values_list("item__dataset__slug", "item__position", "pk")
        self._hits: dict[tuple[str, Any], int] = {(slug, position): pk for slug, position, pk in hits.iterator()}
        slugs = batch.datasets.values_list("slug", flat=True)
        self._only = slugs[0] if len(slugs) == 1 else None  # what a line without a dataset is about
        self._twice: set[tuple[str, str]] = set()  # ids of more than one item
        self._knows_ids = self._is_table = False
        here = batch.assignments.filter(worker__external_id__isnull=False)
        self._seen = set(here.values_list("hit_id", "worker__external_id"))

    def report(self) -> dict[str, Any]:
        """The report so far."""
        flaws = [flaw.as_json() for flaw in self.flaws.shown()]
        return {"read": self.read, "errors": self.flaws.errors, "warnings": self.flaws.warnings, "flaws": flaws}

    def responses(self, path: Path) -> Iterator[list[ImportedResponse]]:
        """The valid lines of each chunk. Raises Unreadable, also midway."""
        if path.is_dir():
            raise unreadable("it is a folder", "Give one file")
        rows, self._is_table = decoded_rows(path), is_table(path)
        while some := list(islice(rows, CHUNK)):
            self.read += len(some)
            yield self._completed([j for row in some if (j := self._response(row)) is not None])
            for number, flaw in sorted(self._found, key=itemgetter(0)):
                self.flaws.add(line=number, **flaw)
            self._found = []

    def _completed(self, responses: list[ImportedResponse]) -> list[ImportedResponse]:
        """Responses that fit their HITs, in the form that the task stores."""
        payloads = dict(Hit.objects.filter(pk__in={j.hit_id for j in responses}).values_list("pk", "payload"))
        fit = []
        for response in responses:
            answer, found = checked_answer(self._task, payloads[response.hit_id], response.answer)
            for details in found:
                self._flaw(response.line, **details)
            if answer is not None:
                fit.append(ImportedResponse(response.line, response.place, response.hit_id, response.worker, answer))
        return fit

    def _response(self, row: Row) -> ImportedResponse | None:
        if fault := row.error:
            return self._flaw(line_of(row), fault.field, wrong=fault.wrong, fix=fault.fix)
        if not isinstance(row.value, dict):
            return self._flaw(line_of(row), "line", wrong="not a JSON object", fix="Write one JSON object a line")
        if truth_of(row.value.get("current")) is False:  # exports contain earlier revisions too
            return None
        hit_id, worker = self._hit(row, row.value), row.value.get("worker")
        if hit_id is None:
            return None
        if not isinstance(worker, str) or not 0 < len(worker) <= 200:
            fix = "Name the worker: text of 1 to 200 characters"
            return self._flaw(line_of(row), "worker", wrong="no worker", fix=fix)
        if (hit_id, worker) in self._seen:
            wrong, fix = "%(worker)r has a response to this item already", "Keep one response for each worker and item"
            return self._flaw(line_of(row), "worker", wrong=wrong, fix=fix, values={"worker": worker})
        self._seen.add((hit_id, worker))
        return ImportedResponse(line_of(row), row.place, hit_id, worker, row.value.get("answer"))

    def _hit(self, row: Row, record: dict[str, Any]) -> int | None:
        dataset, item = record.get("dataset"), record.get("item")
        if dataset in (None, ""):
            dataset = self._only
        if not isinstance(dataset, str) or isinstance(item, bool) or not isinstance(item, int | str):
            fix = "Give the dataset's name and the item's 0-based position or id"
            return self._flaw(line_of(row), "dataset, item", wrong="not a name and a position or an id", fix=fix)
        if isinstance(item, str):
            self._learn_ids()
            if (
                self._is_table
                and (dataset, item) not in self._hits
                and (number := re.fullmatch(r"([0-9]{1,9})(?:\.0+)?", item))
            ):
                item = int(number[1])  # a position, as tables write it
        if (dataset, item) in self._twice:
            wrong, fix = "several items of %(dataset)r have the id %(item)r", "Give the item's 0-based position"
            return self._flaw(line_of(row), "item", wrong=wrong, fix=fix, values={"dataset": dataset, "item": item})
        hit_id = self._hits.get((dataset, item))
        if hit_id is None:
            values = {"item": item if isinstance(item, int) else repr(item), "dataset": dataset}
            wrong, fix = "item %(item)s of %(dataset)r is not in the batch", "Use an item that the batch holds"
            return self._flaw(line_of(row), "item", wrong=wrong, fix=fix, values=values)
        return hit_id

    def _learn_ids(self) -> None:
        """Index items by id too, once a line needs it."""
        if self._knows_ids:
            return
        self._knows_ids = True
        for slug, name, pk in self._batch.hits.values_list("item__dataset__slug", "item__source_id", "pk").iterator():
            if self._hits.setdefault((slug, name), pk) != pk:
                self._twice.add((slug, name))

    def _flaw(self, number: int, about: str, **details: Any) -> None:
        self._found.append((number, flaw_of(about, **details)))


def flaw_of(about: str, **details: Any) -> dict[str, Any]:
    """A flaw of a line. `details`: `wrong` and `fix`; `values` of `wrong`, and `severity`, if not an error."""
    return {"severity": "error", "about": about, "values": {}, **details}


def checked_answer(task: TaskType, payload: Any, given: Any) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """A response made elsewhere in the form that the task stores, None if it does not fit, and its flaws.

    A flaw is an error, or a warning of what a worker would have had to explain.
    """
    fix = f"The fields of its answer stand in tasks/{task.kind}/README.md"
    try:
        answer = task.complete(payload, given)
    except InvalidResponse as invalid:
        about, details = invalid.problem, {"wrong": invalid.problem.message, "values": invalid.problem.values}
        return None, [flaw_of(f"answer.{about.field}", fix=fix, **details)]
    except ValueError as invalid:
        return None, [flaw_of("answer", wrong=str(invalid), fix=fix)]
    for problem in task.check(payload, answer):
        if problem.warning:
            details = {"wrong": problem.message, "values": problem.values, "severity": "warning"}
            return answer, [flaw_of(f"answer.{problem.field}", fix="It is stored as it is", **details)]
    return answer, []


def _store_all(response_import: ResponseImport, path: Path, total: int, progress: OnProgress) -> None:
    done = 0
    for chunk in _Reader(response_import.batch).responses(path):
        _store(response_import, chunk)
        done += len(chunk)
        progress(done, total)
    if done != total:
        raise ImportRefused(_("The file changed during the import, so nothing was imported."), {})


@transaction.atomic
def _store(response_import: ResponseImport, chunk: list[ImportedResponse]) -> None:
    batch = response_import.batch
    _mark(response_import, ready=False)
    workers = _workers(batch, {response.worker for response in chunk})
    places = _take_places(chunk)
    now = Batch.objects.annotate(now=Now()).values_list("now", flat=True).get(pk=batch.pk)
    assignments = [
        Assignment(
            batch=batch,
            hit_id=response.hit_id,
            worker_id=workers[response.worker],
            response_import=response_import,
            group_key=group,
            state=lifecycle.SUBMITTED,
            counts=counts,
            lease_until=now,
            submitted_at=now,
            revision=1,
        )
        for response, (group, counts) in zip(chunk, places, strict=True)
    ]
    stored = Assignment.objects.bulk_create(assignments)
    WorkerResponse.objects.bulk_create(
        WorkerResponse(assignment=row, revision=1, key=response.place, digest="", answer=response.answer)
        for row, response in zip(stored, chunk, strict=True)
    )


def _mark(response_import: ResponseImport, **columns: Any) -> None:
    """Touch the collection by a guarded update. Raises ImportRefused if another import removed it as dead."""
    if not ResponseImport.objects.filter(pk=response_import.pk, ready=False).update(**columns):
        text = _("The import stopped responding and was cancelled. Start it again.")
        raise ImportRefused(text, {})


def _workers(batch: Batch, names: Iterable[str]) -> dict[str, int]:
    """Primary keys of workers by their names in the source; new ones are created."""
    new = [Worker(project=batch.project, external_id=name) for name in sorted(names)]
    Worker.objects.bulk_create(new, ignore_conflicts=True)
    there = batch.project.workers.filter(external_id__in=names).values_list("external_id", "pk")
    return {name: pk for name, pk in there if name}


def _take_places(chunk: list[ImportedResponse]) -> list[tuple[str, bool]]:
    """Each response's group and whether it counts: in the order of the file, as many as the HITs ask for."""
    # Lock: workers claim the same assignments; by key, so that two imports cannot deadlock.
    wanted = Hit.objects.select_for_update(no_key=True).filter(pk__in={j.hit_id for j in chunk}).order_by("pk")
    hits = {hit.pk: hit for hit in wanted.only("pk", "group_key", "room", "excluded_at")}
    taken: Counter[int] = Counter()
    places = []
    for response in chunk:
        hit = hits[response.hit_id]
        counts = hit.excluded_at is None and taken[hit.pk] < hit.room
        taken[hit.pk] += counts
        places.append((hit.group_key, counts))
    for number in sorted(set(taken.values()) - {0}):
        some = [pk for pk, count in taken.items() if count == number]
        Hit.objects.filter(pk__in=some).update(done=F("done") + number)
    return places


def remove_import(response_import: ResponseImport) -> None:
    """Remove an import's responses; their HITs are offered again."""
    while some := list(response_import.assignments.values_list("pk", "hit_id", "counts")[:CHUNK]):
        keys = [pk for pk, _hit, _counts in some]
        with transaction.atomic():
            WorkerResponse.objects.filter(assignment__in=keys).delete()
            Assignment.objects.filter(pk__in=keys).delete()
            for _pk, hit_id, counts in some:
                if counts:
                    reopen_hit(hit_id, done=F("done") - 1)
            Hit.objects.filter(pk__in=[hit_id for _pk, hit_id, _counts in some]).note_change()
    ResponseImport.objects.filter(pk=response_import.pk).delete()
