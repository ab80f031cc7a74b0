"""Files as other programs write them, and files that are none: each line of table.tsv says what becomes of one.

`make soak PART=strangers` runs them alone. To try another file, put it into files/ and add a line.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import Unmapped, import_dataset, recognised
from annotation.flow.data.item_writer import ImportRefused, in_words
from annotation.flow.errors import Refused
from annotation.flow.people import bulk_grants, mturk_ids
from annotation.flow.review.response_import import import_responses
from annotation.models import Worker
from annotation.scorers import READERS
from annotation.scorers.base import BadRecords
from tests.batches import create_batch

pytestmark = [pytest.mark.django_db, pytest.mark.strangers]
HERE = Path(__file__).parent
with (HERE / "table.tsv").open(encoding="utf-8", newline="") as lines:
    TABLE = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['brought to']}-{row['file']}")
def test_a_file_is_read_or_refused_as_the_table_says(project: Any, dataset: Any, row: dict[str, str]) -> None:
    door = row["brought to"]
    bring = DOORS.get(door) or predictions(door.removeprefix("predictions of "))
    try:
        happened = bring(project, HERE / "files" / row["file"])
    except (Refused, BadRecords) as refusal:
        happened = f"refused: {refusal}"
    wanted = row["what happens"]
    assert happened.startswith("refused: ") is wanted.startswith("refused: "), happened
    assert "0x" not in happened
    for part in wanted.removeprefix("refused: ").split("; "):
        assert part in happened


def test_every_file_has_a_line() -> None:
    assert {file.name for file in (HERE / "files").iterdir()} == {row["file"] for row in TABLE}


def to_datasets(project: Any, path: Path) -> str:
    terms: dict[str, Any] = {"format": "jsonl", "name": "brought", "skip_bad": True}
    try:
        terms["format"] = recognised(path, path.name, file_name=path.name)
    except Unmapped as unmapped:
        if unmapped.mapping is None:
            raise
        terms["mapping"] = unmapped.mapping
    try:
        report = import_dataset(project, path, **terms)
    except ImportRefused as refused:
        raise Refused("\n".join([str(refused), *map(in_words, refused.report.get("flaws", ()))])) from None
    counts = "{read} read, {accepted} accepted, {skipped} skipped".format(**report)
    examples = [item.example for item in project.datasets.get(slug="brought").items.order_by("position")]
    assert len(examples) == report["accepted"] == report["read"] - report["skipped"]
    answers = f"answers {', '.join(answer for each in examples[:1] for answer in each.answers)}"
    texts = [paragraph.text for each in examples for paragraph in each.paragraphs]
    names = [f"kept {name}" for name in report.get("kept", ())]
    return "\n".join(
        [counts, *map(in_words, report["flaws"]), answers, *texts, *names, ", ".join(report.get("kept", ()))]
    )


def to_scores(project: Any, path: Path) -> str:
    for name in ("ADA", "BEN"):
        Worker.objects.create(project=project, external_id=name, public_id=name)
    found = bulk_grants.read_file(project, path.read_bytes())
    return f"{len(found)} workers: {', '.join(map(str, sorted(found.values())))}"


def to_ids(project: Any, path: Path) -> str:
    return "{read} read, {added} added".format(**mturk_ids.import_ids(project, path.read_bytes()))


def to_responses(project: Any, path: Path) -> str:
    terms: dict[str, Any] = {"datasets": [project.datasets.get()], "instructions": "Read."}
    batch = create_batch(project, "study", task="answer", **terms)
    batch_launch.launch(batch)
    return "{read} read, {accepted} accepted".format(**import_responses(batch, path))


def predictions(format: str) -> Callable[[Any, Path], str]:
    def read(_project: Any, path: Path) -> str:
        found = list(READERS[format].read_predictions(path))
        return f"{len(found)} predictions: {', '.join(str(each.answer) for each in found)}"

    return read


DOORS: dict[str, Callable[[Any, Path], str]] = {
    "dataset": to_datasets,
    "scores": to_scores,
    "worker ids": to_ids,
    "responses": to_responses,
}
