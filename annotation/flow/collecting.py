"""Judgments that were collected elsewhere, read from a file into a batch: all or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.assigning import free_place
from annotation.flow.filling import STALE, ImportRefused, Told, silent
from annotation.flow.importing import SHOWN_FLAWS, file_digest
from annotation.flow.line_flaws import LineFlaws
from annotation.formats.base import Unreadable, ended
from annotation.formats.streams import Row, line_rows, opened
from annotation.models import Answer, Assignment, Batch, Collection, Hit, Worker
from annotation.pure import lifecycle
from annotation.registry import task_type
from annotation.tasktype import CannotTake, TaskType

CHUNK = 200


@dataclass(frozen=True, slots=True)
class Judgment:
    """A line of the file, on one of the batch's HITs."""

    line: int
    place: str  # "line 12"
    hit_id: int
    worker: str
    answer: Any


def import_judgments(batch: Batch, path: Path, *, name: str = "", tell: Told = silent) -> dict[str, Any]:
    """Read a JSONL file of {"dataset", "item", "worker", "answer"}; returns {"read", "accepted", "warnings", ...}.

    `name`: how people call the file. Every line is checked before any is stored; the judgments show only when all
    are in. The same file again changes nothing. Raises ImportRefused with file, line, field and fix.
    """
    digest = file_digest(path)
    if Collection.objects.filter(batch=batch, sha256=digest, ready=True).exists():
        return {"read": 0, "accepted": 0, "warnings": 0, "flaws": [], "already_there": True}
    if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        raise ImportRefused(_("Launch the batch first: judgments belong to its HITs."), {})
    _clear_dead(batch)
    if Collection.objects.filter(batch=batch, sha256=digest).exists():
        raise ImportRefused(_being_read(), {})
    checked = _check_all(batch, path, name or path.name)
    total = checked["accepted"]
    collection = _begin(batch, digest, name or path.name)
    try:
        _store_all(collection, path, total, tell)
        with transaction.atomic():
            _mark(collection, ready=True, size=total)
            recording.record("judgments imported", batch, number=total)
    except BaseException:
        remove_collection(collection)
        raise
    return {**checked, "already_there": False}


def _clear_dead(batch: Batch) -> None:
    """Take out what an import that died has left: nobody sees it, and it holds places."""
    unready = batch.collections.filter(ready=False).annotate(last=Max("assignments__submitted_at"))
    dead = Q(last__lt=Now() - STALE) | Q(last__isnull=True, created_at__lt=Now() - STALE)
    for collection in unready.filter(dead):
        remove_collection(collection)


def _begin(batch: Batch, digest: str, name: str) -> Collection:
    plain = name.encode("utf-8", "replace").decode()[:255]
    try:
        with transaction.atomic():
            return Collection.objects.create(batch=batch, sha256=digest, file_name=plain)
    except IntegrityError:
        raise ImportRefused(_being_read(), {}) from None


def _being_read() -> str:
    return _("This file is being read right now. Wait a minute, then try again.")


def _check_all(batch: Batch, path: Path, name: str) -> dict[str, Any]:
    """Read every line; returns {"read", "accepted", "warnings", "flaws"}. Raises ImportRefused."""
    reader = _Reader(batch)
    try:
        total = sum(len(chunk) for chunk in reader.judgments(path))
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
        text = _("%(name)s holds no judgment. Write one JSON object a line, with dataset, item, worker and answer.")
        raise ImportRefused(text % {"name": name}, report)
    del report["errors"]
    return {**report, "accepted": total}


def line_of(row: Row) -> int:
    return int(row.place.removeprefix("line "))


class _Reader:
    """Reads lines against the HITs of a batch, a chunk at a time; keeps what is wrong with them."""

    def __init__(self, batch: Batch) -> None:
        self.flaws = LineFlaws(SHOWN_FLAWS)
        self.read = 0
        self._batch = batch
        self._found: list[tuple[int, dict[str, Any]]] = []  # of this chunk
        self._task: TaskType = task_type(batch.task)
        hits = batch.hits.values_list("item__dataset__slug", "item__position", "pk")
        self._hits: dict[tuple[str, Any], int] = {(slug, position): pk for slug, position, pk in hits.iterator()}
        self._twice: set[tuple[str, str]] = set()  # ids that several items have
        self._knows_ids = False
        here = batch.assignments.filter(worker__external_id__isnull=False)
        self._seen = set(here.values_list("hit_id", "worker__external_id"))

    def report(self) -> dict[str, Any]:
        """What was found so far."""
        flaws = [flaw.as_json() for flaw in self.flaws.shown()]
        return {"read": self.read, "errors": self.flaws.errors, "warnings": self.flaws.warnings, "flaws": flaws}

    def judgments(self, path: Path) -> Iterator[list[Judgment]]:
        """The good lines of each chunk of lines. Raises Unreadable, also midway."""
        with opened(path) as stream:
            rows = line_rows(stream)
            while some := list(islice(rows, CHUNK)):
                self.read += len(some)
                yield self._completed([j for row in some if (j := self._judgment(row)) is not None])
                self._tidy()

    def _tidy(self) -> None:
        """Count the chunk's flaws in the order of their lines."""
        for number, flaw in sorted(self._found, key=lambda found: found[0]):
            self.flaws.add(line=number, **flaw)
        self._found = []

    def _completed(self, judgments: list[Judgment]) -> list[Judgment]:
        """Those whose answers fit their HITs, as the task stores them."""
        payloads = dict(Hit.objects.filter(pk__in={j.hit_id for j in judgments}).values_list("pk", "payload"))
        fit = []
        for judgment in judgments:
            payload = payloads[judgment.hit_id]
            try:
                answer = self._task.complete(payload, judgment.answer)
            except CannotTake as unfit:
                about, told = unfit.problem, {"wrong": unfit.problem.message, "values": unfit.problem.values}
                self._flaw(judgment.line, f"answer.{about.field}", fix=self._guide(), **told)
            except ValueError as unfit:
                self._flaw(judgment.line, "answer", wrong=str(unfit), fix=self._guide())
            else:
                self._warn(judgment.line, payload, answer)
                fit.append(Judgment(judgment.line, judgment.place, judgment.hit_id, judgment.worker, answer))
        return fit

    def _guide(self) -> str:
        return f"The fields of its answer stand in docs/judgments.md under {self._task.kind}"

    def _warn(self, number: int, payload: dict[str, Any], answer: dict[str, Any]) -> None:
        """What a worker would have had to give a reason for."""
        for problem in self._task.check(payload, answer):
            if problem.warning:
                told = {"wrong": problem.message, "values": problem.values, "severity": "warning"}
                self._flaw(number, f"answer.{problem.field}", fix="It is stored as it is", **told)
                return

    def _judgment(self, row: Row) -> Judgment | None:
        if row.faults:
            fault = row.faults[0]
            return self._flaw(line_of(row), fault.field, wrong=fault.wrong, fix=fault.fix)
        if not isinstance(row.value, dict):
            return self._flaw(line_of(row), "line", wrong="not a JSON object", fix="Write one JSON object a line")
        if row.value.get("current") is False:  # an export holds earlier revisions too
            return None
        hit_id, worker = self._hit(row, row.value), row.value.get("worker")
        if hit_id is None:
            return None
        if not isinstance(worker, str) or not 0 < len(worker) <= 200:
            fix = "Name the worker: text of 1 to 200 characters"
            return self._flaw(line_of(row), "worker", wrong="no worker", fix=fix)
        if (hit_id, worker) in self._seen:
            wrong, fix = "%(worker)r judged this item before", "Keep one judgment for each worker and item"
            return self._flaw(line_of(row), "worker", wrong=wrong, fix=fix, values={"worker": worker})
        self._seen.add((hit_id, worker))
        return Judgment(line_of(row), row.place, hit_id, worker, row.value.get("answer"))

    def _hit(self, row: Row, record: dict[str, Any]) -> int | None:
        dataset, item = record.get("dataset"), record.get("item")
        if not isinstance(dataset, str) or isinstance(item, bool) or not isinstance(item, int | str):
            fix = "Give the dataset's name and the item's 0-based position or id"
            return self._flaw(line_of(row), "dataset, item", wrong="not a name and a position or an id", fix=fix)
        if isinstance(item, str):
            self._learn_ids()
        if (dataset, item) in self._twice:
            wrong, fix = "several items of %(dataset)r have the id %(item)r", "Give the item's 0-based position"
            return self._flaw(line_of(row), "item", wrong=wrong, fix=fix, values={"dataset": dataset, "item": item})
        hit_id = self._hits.get((dataset, item))
        if hit_id is None:
            told = {"item": item if isinstance(item, int) else repr(item), "dataset": dataset}
            wrong, fix = "item %(item)s of %(dataset)r is not in the batch", "Use an item that the batch holds"
            return self._flaw(line_of(row), "item", wrong=wrong, fix=fix, values=told)
        return hit_id

    def _learn_ids(self) -> None:
        """Find items by their ids too, once a line asks for it."""
        if self._knows_ids:
            return
        self._knows_ids = True
        for slug, name, pk in self._batch.hits.values_list("item__dataset__slug", "item__source_id", "pk").iterator():
            if self._hits.setdefault((slug, name), pk) != pk:
                self._twice.add((slug, name))

    def _flaw(
        self,
        number: int,
        about: str,
        *,
        wrong: str,
        fix: str,
        values: Mapping[str, Any] | None = None,
        severity: str = "error",
    ) -> None:
        told = {"severity": severity, "about": about, "wrong": wrong, "fix": fix, "values": values or {}}
        self._found.append((number, told))


def _store_all(collection: Collection, path: Path, total: int, tell: Told) -> None:
    done = 0
    for chunk in _Reader(collection.batch).judgments(path):
        _store(collection, chunk)
        done += len(chunk)
        tell(done, total)
    if done != total:
        raise ImportRefused(_("The file changed while it was read, so nothing was imported."), {})


@transaction.atomic
def _store(collection: Collection, chunk: list[Judgment]) -> None:
    batch = collection.batch
    _mark(collection, ready=False)
    workers = _workers(batch, {judgment.worker for judgment in chunk})
    places = _take_places(chunk)
    now = Batch.objects.annotate(now=Now()).values_list("now", flat=True).get(pk=batch.pk)
    assignments = [
        Assignment(
            batch=batch,
            hit_id=judgment.hit_id,
            worker_id=workers[judgment.worker],
            collection=collection,
            group_key=group,
            state=lifecycle.SUBMITTED,
            counts=counts,
            lease_until=now,
            submitted_at=now,
            revision=1,
        )
        for judgment, (group, counts) in zip(chunk, places, strict=True)
    ]
    stored = Assignment.objects.bulk_create(assignments)
    Answer.objects.bulk_create(_answer_row(*pair) for pair in zip(stored, chunk, strict=True))


def _mark(collection: Collection, **columns: Any) -> None:
    """A guarded update of the collection being filled. Raises ImportRefused when another import cleared it away."""
    if not Collection.objects.filter(pk=collection.pk, ready=False).update(**columns):
        text = _("The import stood still so long that it was taken for dead and cleared away. Start it again.")
        raise ImportRefused(text, {})


def _workers(batch: Batch, names: Iterable[str]) -> dict[str, int]:
    """The keys of workers by the names that their source gave them; new ones are made."""
    new = [Worker(project=batch.project, external_id=name) for name in sorted(names)]
    Worker.objects.bulk_create(new, ignore_conflicts=True)
    return dict(batch.project.workers.filter(external_id__in=names).values_list("external_id", "pk"))


def _take_places(chunk: list[Judgment]) -> list[tuple[str, bool]]:
    """Each judgment's group and whether it counts, in the order of the file: as many as the HITs have room for."""
    wanted = Hit.objects.select_for_update(no_key=True).filter(pk__in={j.hit_id for j in chunk}).order_by("pk")
    hits = {hit.pk: hit for hit in wanted.only("pk", "group_key", "room", "voided_at")}
    taken: Counter[int] = Counter()
    places = []
    for judgment in chunk:
        hit = hits[judgment.hit_id]
        counts = hit.voided_at is None and taken[hit.pk] < hit.room
        taken[hit.pk] += counts
        places.append((hit.group_key, counts))
    for number in sorted(set(taken.values()) - {0}):
        some = [pk for pk, count in taken.items() if count == number]
        Hit.objects.filter(pk__in=some).update(done=F("done") + number)
    return places


def _answer_row(assignment: Assignment, judgment: Judgment) -> Answer:
    return Answer(assignment=assignment, revision=1, key=judgment.place, digest="", answer=judgment.answer)


def remove_collection(collection: Collection) -> None:
    """Take a collection's judgments out again; the places that they took are offered again."""
    while some := list(collection.assignments.values_list("pk", "hit_id", "counts")[:CHUNK]):
        keys = [pk for pk, _hit, _counts in some]
        with transaction.atomic():
            Answer.objects.filter(assignment__in=keys).delete()
            Assignment.objects.filter(pk__in=keys).delete()
            for _pk, hit_id, counts in some:
                if counts:
                    free_place(hit_id, done=F("done") - 1)
    Collection.objects.filter(pk=collection.pk).delete()
