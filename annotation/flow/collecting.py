"""Judgments that were collected elsewhere, read from a file into a batch: all or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.importing import ImportRefused, Told, file_digest, silent
from annotation.formats.base import Flaw
from annotation.models import Answer, Assignment, Batch, Collection, Hit, Worker
from annotation.pure import lifecycle
from annotation.registry import task_type
from annotation.tasktype import TaskType

CHUNK = 200
SHOWN_FLAWS = 200


@dataclass(frozen=True, slots=True)
class Judgment:
    line: int
    hit_id: int
    worker: str
    answer: dict[str, Any]


def import_judgments(batch: Batch, path: Path, *, tell: Told = silent) -> dict[str, Any]:
    """Read a JSONL file of {"dataset", "item", "worker", "answer"}; returns {"read", "accepted", ...}.

    Every line is checked before any is stored; the judgments show only when all are in. The same file again
    changes nothing. Raises ImportRefused with line, field and fix.
    """
    digest = file_digest(path)
    before = Collection.objects.filter(batch=batch, sha256=digest).first()
    if before and before.ready:
        return {"read": 0, "accepted": 0, "already_there": True}
    if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        raise ImportRefused(_("Launch the batch first: judgments belong to its HITs."), {})
    if before:
        remove_collection(before)
    total = _check_all(batch, path)
    collection = Collection.objects.create(batch=batch, sha256=digest, file_name=path.name[:255])
    try:
        _store_all(collection, path, total, tell)
    except BaseException:
        remove_collection(collection)
        raise
    Collection.objects.filter(pk=collection.pk).update(ready=True)
    return {"read": total, "accepted": total, "already_there": False}


def _check_all(batch: Batch, path: Path) -> int:
    reader = _Reader(batch)
    total = sum(1 for _judgment in reader.judgments(path))
    if reader.flaws:
        text = _("%(count)s of the lines cannot be stored, so nothing was imported. First: %(flaw)s")
        report = {
            "read": reader.read,
            "errors": len(reader.flaws),
            "flaws": [_json(f) for f in reader.flaws[:SHOWN_FLAWS]],
        }
        raise ImportRefused(text % {"count": len(reader.flaws), "flaw": reader.flaws[0]}, report)
    if not total:
        raise ImportRefused(_("The file holds no judgment."), {"read": 0})
    return total


def _json(flaw: Flaw) -> dict[str, str]:
    return {name: getattr(flaw, name) for name in Flaw.__slots__}


class _Reader:
    """Reads lines against the HITs of a batch; keeps what is wrong with them."""

    def __init__(self, batch: Batch) -> None:
        self.flaws: list[Flaw] = []
        self.read = 0
        self._batch = batch
        self._task: TaskType = task_type(batch.task)
        hits = batch.hits.values_list("item__dataset__slug", "item__position", "pk")
        self._hits = {(slug, position): pk for slug, position, pk in hits.iterator()}
        here = batch.assignments.filter(worker__external_id__isnull=False)
        self._seen = set(here.values_list("hit_id", "worker__external_id"))

    def judgments(self, path: Path) -> Iterator[Judgment]:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                self.read += 1
                judgment = self._judgment(number, line)
                if judgment is not None:
                    yield judgment

    def _judgment(self, number: int, line: bytes) -> Judgment | None:
        try:
            record = json.loads(line.decode("utf-8-sig"), parse_constant=_no_constant)
        except (ValueError, RecursionError) as broken:
            return self._flaw(number, "line", f"not JSON ({broken})", "Write one JSON object a line")
        if not isinstance(record, dict):
            return self._flaw(number, "line", "not a JSON object", "Write one JSON object a line")
        hit_id = self._hit(number, record)
        worker = record.get("worker")
        if not isinstance(worker, str) or not worker or len(worker) > 200 or "\0" in worker:
            return self._flaw(number, "worker", "no worker", "Name the worker: text of 1 to 200 characters")
        if hit_id is None or self._is_double(number, hit_id, worker):
            return None
        answer = self._answer(number, hit_id, record.get("answer"))
        return None if answer is None else Judgment(number, hit_id, worker, answer)

    def _hit(self, number: int, record: dict[str, Any]) -> int | None:
        dataset, position = record.get("dataset"), record.get("item")
        if not isinstance(dataset, str) or isinstance(position, bool) or not isinstance(position, int):
            return self._flaw(
                number,
                "dataset, item",
                "not a name and a position",
                "Give the dataset's name and the item's 0-based position",
            )
        hit_id = self._hits.get((dataset, position))
        if hit_id is None:
            return self._flaw(
                number,
                "item",
                f"item {position} of {dataset!r} is not in the batch",
                "Use an item that the batch holds",
            )
        return hit_id

    def _is_double(self, number: int, hit_id: int, worker: str) -> bool:
        if (hit_id, worker) in self._seen:
            self._flaw(
                number,
                "worker",
                f"{worker!r} judged this item before",
                "Keep one judgment for each worker and item",
            )
            return True
        self._seen.add((hit_id, worker))
        return False

    def _answer(self, number: int, hit_id: int, answer: Any) -> dict[str, Any] | None:
        payload = Hit.objects.values_list("payload", flat=True).get(pk=hit_id)
        try:
            complete = self._task.complete(payload, answer)
        except ValueError as unfit:
            return self._flaw(number, "answer", str(unfit), "See the answer's fields in the requesters' guide")
        return complete

    def _flaw(self, number: int, field: str, wrong: str, fix: str) -> None:
        self.flaws.append(Flaw("error", f"line {number}", "", field, wrong, fix))


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _store_all(collection: Collection, path: Path, total: int, tell: Told) -> None:
    chunk: list[Judgment] = []
    done = 0
    for judgment in _Reader(collection.batch).judgments(path):
        chunk.append(judgment)
        if len(chunk) == CHUNK:
            _store(collection, chunk)
            done += len(chunk)
            tell(done, total)
            chunk = []
    _store(collection, chunk)


@transaction.atomic
def _store(collection: Collection, chunk: list[Judgment]) -> None:
    batch = collection.batch
    names = {judgment.worker for judgment in chunk}
    Worker.objects.bulk_create(
        [Worker(project=batch.project, external_id=name) for name in sorted(names)], ignore_conflicts=True
    )
    workers = dict(batch.project.workers.filter(external_id__in=names).values_list("external_id", "pk"))
    groups = dict(Hit.objects.filter(pk__in={j.hit_id for j in chunk}).values_list("pk", "group_key"))
    assignments = [
        Assignment(
            batch=batch,
            hit_id=judgment.hit_id,
            worker_id=workers[judgment.worker],
            collection=collection,
            group_key=groups[judgment.hit_id],
            state=lifecycle.SUBMITTED,
            counts=bool(Hit.objects.open().filter(pk=judgment.hit_id).update(done=F("done") + 1)),
            lease_until=Now() + timedelta(0),
            submitted_at=Now(),
            revision=1,
        )
        for judgment in chunk
    ]
    stored = Assignment.objects.bulk_create(assignments)
    Answer.objects.bulk_create(_answer_row(*pair) for pair in zip(stored, chunk, strict=True))


def _answer_row(assignment: Assignment, judgment: Judgment) -> Answer:
    return Answer(assignment=assignment, revision=1, key=f"line {judgment.line}", digest="", answer=judgment.answer)


def remove_collection(collection: Collection) -> None:
    """Take a collection's judgments out again, with the places that they took."""
    while some := list(collection.assignments.values_list("pk", "hit_id", "counts")[:CHUNK]):
        keys = [pk for pk, _hit, _counts in some]
        with transaction.atomic():
            Answer.objects.filter(assignment__in=keys).delete()
            Assignment.objects.filter(pk__in=keys).delete()
            for _pk, hit_id, counts in some:
                if counts:
                    Hit.objects.filter(pk=hit_id).update(done=F("done") - 1)
    collection.delete()
