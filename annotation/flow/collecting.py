"""Judgments that were collected elsewhere, read from a file into a batch: all or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
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
from annotation.formats.base import Flaw, Unreadable
from annotation.formats.streams import Row, line_rows, opened
from annotation.models import Answer, Assignment, Batch, Collection, Hit, Worker
from annotation.pure import lifecycle
from annotation.registry import task_type
from annotation.tasktype import TaskType

CHUNK = 200


@dataclass(frozen=True, slots=True)
class Judgment:
    """A line of the file, on one of the batch's HITs."""

    number: int
    place: str  # "line 12"
    hit_id: int
    worker: str
    answer: Any


def import_judgments(batch: Batch, path: Path, *, tell: Told = silent) -> dict[str, Any]:
    """Read a JSONL file of {"dataset", "item", "worker", "answer"}; returns {"read", "accepted", ...}.

    Every line is checked before any is stored; the judgments show only when all are in. The same file again
    changes nothing. Raises ImportRefused with line, field and fix.
    """
    digest = file_digest(path)
    if Collection.objects.filter(batch=batch, sha256=digest, ready=True).exists():
        return {"read": 0, "accepted": 0, "already_there": True}
    if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        raise ImportRefused(_("Launch the batch first: judgments belong to its HITs."), {})
    _clear_dead(batch)
    if Collection.objects.filter(batch=batch, sha256=digest).exists():
        raise ImportRefused(_being_read(), {})
    total = _check_all(batch, path)
    collection = _begin(batch, digest, path)
    try:
        _store_all(collection, path, total, tell)
        with transaction.atomic():
            _mark(collection, ready=True, size=total)
            recording.record("judgments imported", batch, number=total)
    except BaseException:
        remove_collection(collection)
        raise
    return {"read": total, "accepted": total, "already_there": False}


def _clear_dead(batch: Batch) -> None:
    """Take out what an import that died has left: nobody sees it, and it holds places."""
    unready = batch.collections.filter(ready=False).annotate(last=Max("assignments__submitted_at"))
    dead = Q(last__lt=Now() - STALE) | Q(last__isnull=True, created_at__lt=Now() - STALE)
    for collection in unready.filter(dead):
        remove_collection(collection)


def _begin(batch: Batch, digest: str, path: Path) -> Collection:
    name = path.name.encode("utf-8", "replace").decode()[:255]
    try:
        with transaction.atomic():
            return Collection.objects.create(batch=batch, sha256=digest, file_name=name)
    except IntegrityError:
        raise ImportRefused(_being_read(), {}) from None


def _being_read() -> str:
    return _("This file is being read right now. Wait a minute, then try again.")


def _check_all(batch: Batch, path: Path) -> int:
    reader = _Reader(batch)
    try:
        total = sum(len(chunk) for chunk in reader.judgments(path))
    except Unreadable as unreadable:
        text = _("The file cannot be read: %(flaw)s")
        raise ImportRefused(text % {"flaw": unreadable.flaw}, reader.report()) from None
    if reader.errors:
        text = _("%(count)s of the lines cannot be stored, so nothing was imported. First: %(flaw)s")
        raise ImportRefused(text % {"count": reader.errors, "flaw": reader.flaws[0]}, reader.report())
    if not total:
        raise ImportRefused(_("The file holds no judgment."), reader.report())
    return total


class _Reader:
    """Reads lines against the HITs of a batch, a chunk at a time; keeps what is wrong with them."""

    def __init__(self, batch: Batch) -> None:
        self.flaws: list[Flaw] = []  # the first SHOWN_FLAWS, in order of the lines
        self.errors = 0
        self.read = 0
        self._found: list[tuple[int, Flaw]] = []  # of this chunk
        self._task: TaskType = task_type(batch.task)
        hits = batch.hits.values_list("item__dataset__slug", "item__position", "pk")
        self._hits = {(slug, position): pk for slug, position, pk in hits.iterator()}
        here = batch.assignments.filter(worker__external_id__isnull=False)
        self._seen = set(here.values_list("hit_id", "worker__external_id"))

    def report(self) -> dict[str, Any]:
        """What was found so far, for a refusal."""
        return {"read": self.read, "errors": self.errors, "flaws": [asdict(flaw) for flaw in self.flaws]}

    def judgments(self, path: Path) -> Iterator[list[Judgment]]:
        """The good lines of each chunk of lines. Raises Unreadable, also midway."""
        with opened(path) as stream:
            rows = line_rows(stream)
            while some := list(islice(rows, CHUNK)):
                self.read += len(some)
                yield self._completed([j for row in some if (j := self._judgment(row)) is not None])
                self._tidy()

    def _tidy(self) -> None:
        """Count the chunk's flaws and keep the first ones in order of their lines."""
        self.errors += len(self._found)
        in_order = [flaw for _number, flaw in sorted(self._found, key=lambda found: found[0])]
        self.flaws += in_order[: SHOWN_FLAWS - len(self.flaws)]
        self._found = []

    def _completed(self, judgments: list[Judgment]) -> list[Judgment]:
        """Those whose answers fit their HITs, as the task stores them."""
        payloads = dict(Hit.objects.filter(pk__in={j.hit_id for j in judgments}).values_list("pk", "payload"))
        fit = []
        for judgment in judgments:
            try:
                answer = self._task.complete(payloads[judgment.hit_id], judgment.answer)
            except ValueError as unfit:
                fix = "See the answer's fields in the requesters' guide"
                self._flaw(judgment.number, judgment.place, "answer", wrong=str(unfit), fix=fix)
            else:
                fit.append(Judgment(judgment.number, judgment.place, judgment.hit_id, judgment.worker, answer))
        return fit

    def _judgment(self, row: Row) -> Judgment | None:
        if row.faults:
            fault = row.faults[0]
            return self._flaw(row.number, row.place, fault.field, wrong=fault.wrong, fix=fault.fix)
        if not isinstance(row.value, dict):
            fix = "Write one JSON object a line"
            return self._flaw(row.number, row.place, "line", wrong="not a JSON object", fix=fix)
        hit_id, worker = self._hit(row, row.value), row.value.get("worker")
        if hit_id is None:
            return None
        if not isinstance(worker, str) or not 0 < len(worker) <= 200:
            fix = "Name the worker: text of 1 to 200 characters"
            return self._flaw(row.number, row.place, "worker", wrong="no worker", fix=fix)
        if (hit_id, worker) in self._seen:
            wrong, fix = f"{worker!r} judged this item before", "Keep one judgment for each worker and item"
            return self._flaw(row.number, row.place, "worker", wrong=wrong, fix=fix)
        self._seen.add((hit_id, worker))
        return Judgment(row.number, row.place, hit_id, worker, row.value.get("answer"))

    def _hit(self, row: Row, record: dict[str, Any]) -> int | None:
        dataset, position = record.get("dataset"), record.get("item")
        if not isinstance(dataset, str) or isinstance(position, bool) or not isinstance(position, int):
            fix = "Give the dataset's name and the item's 0-based position"
            return self._flaw(row.number, row.place, "dataset, item", wrong="not a name and a position", fix=fix)
        hit_id = self._hits.get((dataset, position))
        if hit_id is None:
            wrong = f"item {position} of {dataset!r} is not in the batch"
            return self._flaw(row.number, row.place, "item", wrong=wrong, fix="Use an item that the batch holds")
        return hit_id

    def _flaw(self, number: int, place: str, field: str, *, wrong: str, fix: str) -> None:
        self._found.append((number, Flaw("error", place, "", field, wrong, fix)))


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
