"""The temporary copy of a batch: its rows in a file, and its launch in a database of its own."""

import json
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core import serializers
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from annotation import recruitment
from annotation.flow.batches import batch_launch, item_selection
from annotation.flow.batches.settings import SETTINGS
from annotation.flow.money import ledger
from annotation.models import Batch, Dataset, Instructions, Item, Project, QualificationRound, QualificationType
from annotation.pure.setting_fields import KEPT

FILE = "batch.json"
BUDGET = Decimal(10) ** 9  # enough for any batch
STRIPPED = {  # removed from the copy: workers, marketplaces, requesters' decisions, and what its launch sets again
    "created_by": None,
    "on_marketplace": False,
    "root": None,
    "workers": [],
    "source_batches": [],
    "experiment": None,
    "size": 0,
    "next_ticket": 0,
    "launched_at": None,
    **{one.name: one.dry_run for one in SETTINGS.values() if one.dry_run is not KEPT},
}


def write_copy(batch: Batch, folder: Path, *, most: int) -> int:
    """Write the copy's file, with at most so many of the batch's items; returns the number of items.

    The copy has no people, no requirements and no marketplace, and a pseudonym key of its own.
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
        batch.instructions_versions.all(),
        grants,
        QualificationRound.objects.filter(batch=batch),
    ]
    fees = recruitment.fees_of(batch)
    found = [_stripped(row, fees) for group in rows for row in serializers.serialize("python", group)]
    (folder / FILE).write_text(json.dumps(found, cls=DjangoJSONEncoder))
    return len(chosen)


def _items(batch: Batch, most: int) -> list[int]:
    if batch.size:
        return list(batch.hits.filter(check_item=False).order_by("pk").values_list("item_id", flat=True)[:most])
    return item_selection.selected_keys(batch)[:most]


def _stripped(row: dict[str, Any], fees: str) -> dict[str, Any]:
    kept = {name: STRIPPED.get(name, value) for name, value in row["fields"].items()}
    if row["model"] == "annotation.project":
        kept["pseudonym_key"], kept["fees"], kept["consent"] = "0" * 64, fees, ""
    if row["model"] == "annotation.batch":
        kept["state"] = Batch.State.DRAFT
    return {**row, "fields": kept}


def load_copy(folder: Path) -> Batch:
    """Fill an empty database from the file and launch the batch in it."""
    for loaded in serializers.deserialize("python", json.loads((folder / FILE).read_text())):
        loaded.save()
    batch = Batch.objects.get()
    ledger.deposit(Project.objects.get(), BUDGET, key="dry-run")
    if not Instructions.objects.exists():
        Instructions.objects.create(batch=batch, version=1, text="Dry run.")
    batch_launch.launch(batch)
    return batch
