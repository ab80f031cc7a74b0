"""The throw-away copy of a batch: its rows in a file, and the same batch launched anew in a database of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core import serializers
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from annotation.flow import batching, choosing, ledger
from annotation.models import Batch, Dataset, Guide, Item, Project, QualificationType, Round

FILE = "batch.json"
BUDGET = Decimal(10) ** 9  # the copy's play money
STRIPPED = {  # what the copy does without: people, marketplaces, what others decided, what it will do itself
    "created_by": None,
    "connection": None,
    "root": None,
    "workers": [],
    "requirements": [],
    "fresh_only": False,
    "disjoint": False,
    "sample": None,
    "size": 0,
    "next_ticket": 0,
    "launched_at": None,
}


def write_copy(batch: Batch, folder: Path, *, most: int) -> int:
    """Write what the copy needs, with at most so many of the batch's items; how many items it has.

    The copy has no people, no requirements and no marketplace; its pseudonym key is its own.
    """
    chosen = _items(batch, most)
    datasets = Dataset.objects.filter(models.Q(batches=batch) | models.Q(checked=batch)).distinct()
    checks = Item.objects.filter(dataset__checked=batch).exclude(dataset__batches=batch)
    grants = QualificationType.objects.filter(rounds__batch=batch)
    rows: list[Iterable[models.Model]] = [
        [batch.project],
        datasets,
        Item.objects.filter(pk__in=chosen),
        checks[:most],
        [batch],
        batch.guides.all(),
        grants,
        Round.objects.filter(batch=batch),
    ]
    fees = batch.connection.fees if batch.connection else batch.project.fees
    found = [_stripped(row, fees) for group in rows for row in serializers.serialize("python", group)]
    (folder / FILE).write_text(json.dumps(found, cls=DjangoJSONEncoder))
    return len(chosen)


def _items(batch: Batch, most: int) -> list[int]:
    if batch.size:
        return list(batch.hits.filter(check_item=False).order_by("pk").values_list("item_id", flat=True)[:most])
    return choosing.queue(batch)[:most]


def _stripped(row: dict[str, Any], fees: str) -> dict[str, Any]:
    kept = {name: STRIPPED.get(name, value) for name, value in row["fields"].items()}
    if row["model"] == "annotation.project":
        kept["pseudonym_key"], kept["fees"] = "0" * 64, fees
    if row["model"] == "annotation.batch":
        kept["state"] = Batch.State.DRAFT
    return {**row, "fields": kept}


def load_copy(folder: Path) -> Batch:
    """Fill an empty database from the file and launch the batch in it."""
    for loaded in serializers.deserialize("python", json.loads((folder / FILE).read_text())):
        loaded.save()
    batch = Batch.objects.get()
    ledger.deposit(Project.objects.get(), BUDGET, key="rehearsal")
    if not Guide.objects.exists():
        Guide.objects.create(batch=batch, version=1, text="Rehearsal.")
    batching.launch(batch)
    return batch
