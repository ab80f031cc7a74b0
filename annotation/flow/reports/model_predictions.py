"""Models' predictions for a batch's task: which there are, and their import from a file, all or nothing."""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TextIO

from django.db import transaction
from django.db.models import Count, Max, QuerySet, Sum
from django.utils.translation import gettext as _

from annotation.flow.batches.batch_launch import SHOWING, prepared
from annotation.flow.batches.suggestions import models_of
from annotation.flow.data.dataset_import import SHOWN_FLAWS
from annotation.flow.data.item_writer import ImportRefused, LineFlaws, OnProgress, no_progress
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.flow.review.response_import import checked_answer, flaw_of, line_of
from annotation.formats.base import Unreadable, ended
from annotation.formats.cells import is_table
from annotation.formats.mapped import decoded_rows
from annotation.formats.streams import Row, unreadable
from annotation.models import Batch, BatchModel, Dataset, Hit, Item, ModelPrediction
from annotation.models.fields import to_text
from annotation.registry import task_type
from annotation.tasktype import JSON, Rated

CHUNK = 500
COLUMNS = ("run", "answer", "confidence", "cost")


def models_with_counts(batch: Batch) -> QuerySet[Any]:
    """The batch's models with `items` and `runs` (how many), and `cost` (US dollars; None if it is not known)."""
    made = {name: Count(f"predictions__{name[:-1]}", distinct=True) for name in ("items", "runs")}
    return batch.models.annotate(**made, cost=Sum("predictions__cost"))


def version_of(batch: Batch) -> list[Any]:
    """Values that change when predictions for the batch are stored or deleted."""
    found = ModelPrediction.objects.filter(model__batch=batch).aggregate(last=Max("pk"), count=Count("pk"))
    return [found["last"], found["count"]]


def payloads_of(batch: Batch, items: Iterable[int]) -> dict[int, dict[str, Any]]:
    """By item what workers are, or would be, shown: of its HIT, else prepared as at the launch; unusable ones not."""
    keys, task = list(items), task_type(batch.task)
    found = dict(Hit.objects.filter(batch=batch, item__in=keys).values_list("item", "payload"))
    options = task.options(batch.options)
    others = Item.every.filter(pk__in=[key for key in keys if key not in found]).select_related("dataset")
    for item in others.defer("dataset__report", "dataset__features"):
        if (payload := prepared(batch, item, item.example, options)) is not None:
            found[item.pk] = payload
    return found


@transaction.atomic
def store_predictions(batch: Batch, model: str, rows: Iterable[Mapping[str, Any]], *, asked: bool = False) -> int:
    """Store checked predictions and return how many are new; those that are there already change nothing.

    Each row: `item` (key), `run` (from 1) and `answer` as `checked_answer` returned it; perhaps `confidence`, `cost`.
    `asked`: by a run that asks the model. Raises Refused if the model has another answer to an item in the same run, if
    one name would have both asked and imported predictions, and if the draft was changed since the rows were checked.
    """
    # Lock: two imports of the same model would each find nothing stored. The bin's batches can be restored.
    now = Batch.everything.select_for_update(no_key=True).get(pk=batch.pk)
    if any(getattr(now, name) != getattr(batch, name) for name in SHOWING):
        raise Refused(_("This batch was changed in the meantime, so nothing was stored. Try again."))
    found, _made = BatchModel.objects.get_or_create(batch=batch, name=model, defaults={"asked": asked})
    if found.asked != asked:
        text = _("%(model)s was asked here; predictions made elsewhere need another name.")
        raise Refused(text % {"model": model})
    source, stored = iter(rows), 0
    while some := list(islice(source, CHUNK)):
        there = found.predictions.filter(item__in={row["item"] for row in some})
        known = {(item, run): answer for item, run, answer in there.values_list("item", "run", "answer")}
        new = []
        for row in some:
            place = row["item"], row["run"]
            if place not in known:
                known[place] = row["answer"]
                new.append(ModelPrediction(model=found, item_id=row["item"], **{k: row.get(k) for k in COLUMNS}))
            elif known[place] != row["answer"]:
                text = _(
                    "%(model)s already has another prediction for an item in run %(run)s. "
                    "Use another run number or another name."
                )
                raise Refused(text % {"model": model, "run": row["run"]})
        stored += len(ModelPrediction.objects.bulk_create(new))
    return stored


@transaction.atomic
def delete_predictions(batch: Batch, model: str) -> int:
    """Erase a model's predictions for the batch, and its run here with the calls; returns their number.

    Raises Refused for an unknown model, and for the one by whose confidence the batch's items were drawn.
    """
    # Lock: in the order of a run that stores an answer, so that neither waits for the other.
    Batch.everything.select_for_update(no_key=True).get(pk=batch.pk)
    found = BatchModel.objects.filter(batch=batch, name=model).first()
    if found and found.drew_up_to is not None:
        text = _("The items of %(batch)s were drawn by the confidence of %(model)s, so its predictions stay.")
        raise Refused(text % {"batch": batch.slug, "model": model})
    if found is None:
        names = ", ".join(models_of(batch)) or _("none")
        text = _("%(batch)s has no predictions of %(model)s. Models with predictions: %(names)s.")
        raise Refused(text % {"batch": batch.slug, "model": model, "names": names})
    number = found.predictions.count()
    found.delete()
    audit_log.record("predictions deleted", batch, model=model, number=number)
    return number


Group = list[tuple[int, JSON]]  # lines of one prediction: number and record
MOST_RUN = 1_000_000
MOST_COST = Decimal(100_000)  # US dollars of one call


def import_predictions(
    batch: Batch, dataset: Dataset, path: Path, *, model: str, name: str = "", progress: OnProgress = no_progress
) -> dict[str, Any]:
    """Import a file of {"item", "answer"} and perhaps "run", "confidence" and "cost"; for ratings also plain columns.

    Items may be any of the dataset. Each answer is checked as a worker's response to what the batch shows of its item.
    Returns {"read", "accepted", "already_there", "flaws", …}. Raises ImportRefused with file, line, field and fix.
    """
    check_not_launching(batch)
    if not batch.datasets.filter(pk=dataset.pk).exists():
        raise ImportRefused(_("%(dataset)s is not a dataset of this batch.") % {"dataset": dataset.slug}, {})
    name, reader = name or path.name, _Reader(batch, dataset)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as checked:
        try:
            total = reader.check_all(path, checked, progress)
        except Unreadable as wrong:
            text = _("%(name)s cannot be read: %(flaw)s") % {"name": name, "flaw": wrong.flaw}
            raise ImportRefused(text, reader.report()) from None
        report = reader.report()
        if reader.flaws.errors:
            first = report["flaws"][0]
            flaw = f"{first['place']}, {first['field']}: {ended(first['wrong'])} {ended(first['fix'])}"
            text = _("%(name)s: %(count)s of the lines cannot be stored, so nothing was imported. First: %(flaw)s")
            raise ImportRefused(text % {"name": name, "count": reader.flaws.errors, "flaw": flaw}, report)
        if not total:
            text = _("%(name)s contains no predictions. Write one JSON object per line, with item and answer.")
            raise ImportRefused(text % {"name": name}, report)
        checked.seek(0)
        try:
            with transaction.atomic():
                stored = store_predictions(batch, model, map(json.loads, checked))
                if stored:
                    audit_log.record("predictions imported", batch, model=model, number=stored)
        except Refused as refused:
            raise ImportRefused(str(refused), report) from None
    return {**report, "accepted": stored, "already_there": not stored}


def check_not_launching(batch: Batch) -> None:
    """Raise ImportRefused while the batch is being launched."""
    if batch.state == Batch.State.LAUNCHING:
        raise ImportRefused(_("This batch is being launched. Try again once it is live."), {})


class _Reader:
    """Checks the lines of a file against the items of a dataset, some at a time."""

    def __init__(self, batch: Batch, dataset: Dataset) -> None:
        self.flaws = LineFlaws(SHOWN_FLAWS)
        self.read = 0
        self._batch, self._size = batch, dataset.size
        self._task, self._is_table = task_type(batch.task), False
        self._runs: Counter[int] = Counter()
        self._given: set[tuple[int, int]] = set()
        self._by_position = dict(dataset.items.usable().values_list("position", "pk").iterator())
        hits = Hit.objects.filter(batch=batch, check_item=False, item__dataset=dataset)
        self._by_position |= dict(hits.values_list("item__position", "item").iterator())  # as people saw the item
        self._by_id: dict[str, int] = {}
        self._twice: set[str] = set()
        for source_id, position in dataset.items.values_list("source_id", "position").iterator():
            if position in self._by_position:
                key = self._by_position[position]
                if self._by_id.setdefault(source_id, key) != key:
                    self._twice.add(source_id)

    def report(self) -> JSON:
        return {
            "read": self.read,
            "warnings": self.flaws.warnings,
            "flaws": [flaw.as_json() for flaw in self.flaws.shown()],
        }

    def check_all(self, path: Path, checked: TextIO, progress: OnProgress) -> int:
        """Write what `store_predictions` takes, a line each; returns their number. Raises Unreadable, also midway."""
        if path.is_dir():
            raise unreadable("it is a folder", "Give one file")
        self._is_table, total = is_table(path), 0
        groups = self._groups(decoded_rows(path))
        while some := list(islice(groups, CHUNK)):
            placed = [(group, item) for group in some if (item := self._item(group[0])) is not None]
            payloads = payloads_of(self._batch, {item for _group, item in placed})
            for group, item in placed:
                if (row := self._prediction(group, item, payloads.get(item))) is not None:
                    checked.write(to_text(row) + "\n")
                    total += 1
            progress(self.read, max(self._size, self.read))
        return total

    def _groups(self, rows: Iterator[Row]) -> Iterator[Group]:
        """The lines of each prediction: several where a table has a line for each element."""
        for _same, some in groupby(self._records(rows), lambda one: _shared(*one)):
            yield list(some)

    def _records(self, rows: Iterator[Row]) -> Iterator[tuple[int, JSON]]:
        for row in rows:
            self.read += 1
            if fault := row.error:
                self._flaw(line_of(row), fault.field, wrong=fault.wrong, fix=fault.fix)
            elif not isinstance(row.value, dict):
                self._flaw(line_of(row), "line", wrong="not a JSON object", fix="Write one JSON object a line")
            else:
                yield line_of(row), row.value

    def _item(self, first: tuple[int, JSON]) -> int | None:
        line, record = first
        item = record.get("item")
        if isinstance(item, bool) or not isinstance(item, int | str):
            fix = "Give the item's 0-based position or id"
            return self._flaw(line, "item", wrong="not a position or an id", fix=fix)
        if item in self._twice:
            fix = "Give the item's 0-based position"
            return self._flaw(line, "item", wrong="several items have the id %(item)r", fix=fix, values={"item": item})
        found = self._by_id.get(item) if isinstance(item, str) else self._by_position.get(item)
        if found is None and self._is_table and re.fullmatch(r"[0-9]{1,9}", str(item)):
            found = self._by_position.get(int(item))
        if found is None:
            wrong, fix = "the dataset has no item %(item)r", "Use the position or id of an item of the dataset"
            return self._flaw(line, "item", wrong=wrong, fix=fix, values={"item": item})
        return int(found)

    def _prediction(self, group: Group, item: int, payload: JSON | None) -> JSON | None:
        line, record = group[0]
        if payload is None:
            fix = "Leave this item out"
            return self._flaw(line, "item", wrong="the batch's task cannot use this item", fix=fix)
        self._runs[item] += 1
        row: dict[str, Any] = {"item": item, "run": self._runs[item]}
        if record.get("run") not in (None, ""):
            run = _number(record["run"])
            if run is None or not 1 <= run <= MOST_RUN or run != int(run):
                fix = "Number the runs from 1, or leave it out"
                return self._flaw(line, "run", wrong="not a whole number from 1", fix=fix)
            row["run"] = int(run)
        if (item, row["run"]) in self._given:
            fix = "Keep one line for each item and run"
            return self._flaw(line, "run", wrong="this item has a prediction of this run already", fix=fix)
        self._given.add((item, row["run"]))
        for field, most, fix in (
            ("confidence", Decimal(1), "Give a number from 0 to 1, or leave it out"),
            ("cost", MOST_COST, f"Give US dollars from 0 to {MOST_COST}, or leave it out"),
        ):
            if record.get(field) not in (None, ""):
                number = _number(record[field])
                if number is None or not 0 <= number <= most:
                    return self._flaw(line, field, wrong="not a number in the range", fix=fix)
                row[field] = str(round(number, 8)) if field == "cost" else float(number)
        answer = self._answer(group, payload)
        return None if answer is None else {**row, "answer": answer}

    def _answer(self, group: Group, payload: JSON) -> JSON | None:
        line, record = group[0]
        given = record.get("answer")
        if "answer" not in record:
            if not isinstance(self._task, Rated):
                return self._flaw(line, "answer", wrong="no answer", fix="Give the response as an object")
            try:
                given = self._task.of_columns(payload, [each for _line, each in group])
            except ValueError as wrong:
                return self._flaw(line, "answer", wrong=str(wrong), fix="Give a column for each criterion")
        answer, found = checked_answer(self._task, payload, given)
        for details in found:
            self.flaws.add(line=line, **details)
        return answer

    def _flaw(self, line: int, about: str, **details: Any) -> None:
        self.flaws.add(line=line, **flaw_of(about, **details))


def _shared(line: int, record: JSON) -> Any:
    """What the lines of one prediction share: item and run of an element's; any other line stands by itself."""
    is_whole = record.get("element") in (None, "")
    return line if is_whole else (str(record.get("item")), str(record.get("run")))


def _number(value: Any) -> Decimal | None:
    """A finite number, also one of a table's cell."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
