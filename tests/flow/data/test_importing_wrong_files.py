"""A file of which most is wrong is not read to its end; one with many wrong records among more good ones is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data import dataset_import
from annotation.flow.data.dataset_import import ImportRefused, import_dataset
from tests.conftest import write_records
from tests.flow.data.test_dataset_import import lines, nothing_is_left

pytestmark = pytest.mark.django_db


def test_a_file_of_which_most_is_wrong_is_not_read_to_its_end(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset_import, "MOST_WRONG", 10)
    file = lines(tmp_path / "w.jsonl", [{"id": 1}] * 500)
    for given in ({}, {"skip_bad": True}, {"dry_run": True}):
        stopped = "11 of the first 11 records cannot be stored. The import stopped there, and nothing was imported."
        with pytest.raises(ImportRefused, match=stopped) as refused:
            import_dataset(project, file, format="jsonl", name="wrong", **given)
        assert refused.value.report["read"] == 11
    assert nothing_is_left()


def test_many_wrong_records_among_more_good_ones_are_left_out(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset_import, "MOST_WRONG", 10)
    found = [json.loads(line) for line in write_records(tmp_path / "g.jsonl", 40).read_text().splitlines()]
    mixed = [row for good in found for row in (good, {"id": 1})][:-1]
    report = import_dataset(project, lines(tmp_path / "m.jsonl", mixed), format="jsonl", name="mixed", skip_bad=True)
    assert (report["accepted"], report["skipped"]) == (40, 39)
