"""Wrong usage ends with exit code 2 and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.models import Batch, Dataset
from tests.conftest import write_records
from tests.management.conftest import Run

FRESH = pytest.mark.django_db  # migrated, without a user or a project


IMPORT = ["import_dataset", "{file}", "--format", "jsonl"]
WRONG_USAGE = [
    ["import_dataset"],
    [*IMPORT],
    [*IMPORT, "--name", "two words"],
    [*IMPORT, "--name", "n" * 101],
    [*IMPORT, "--name", "é"],
    [*IMPORT, "--name", "w", "--project", "a b"],
    [*IMPORT, "--name", "w", "--licence", "l" * 201],
    [*IMPORT, "--name", "w", "--licence", "\udcff"],
    [*IMPORT, "--name", "w", "--source", "s" * 501],
    ["import_dataset", "{file}", "--format", "docx", "--name", "w"],
    ["import_dataset", "/no/such/file", "--format", "jsonl", "--name", "w"],
    ["import_dataset", "{file}/below", "--format", "jsonl", "--name", "w"],
    ["import_dataset", "n" * 5000, "--format", "jsonl", "--name", "w"],
    ["create_batch", "b", "--task", "answer"],
    ["create_batch", "b", "--task", "sing", "--dataset", "wells"],
    *(
        ["create_batch", "b", "--task", "answer", "--dataset", "wells", *more]
        for more in (
            ["--assignments", "0"],
            ["--assignments", "-3"],
            ["--assignments", "1e3"],
            ["--assignments", "9" * 20],
            ["--sample", "0"],
            ["--sample", "9" * 5000],
            ["--seed", "9" * 30],
            ["--seed", "x"],
            ["--minutes", "nan"],
            ["--minutes", "inf"],
            ["--minutes", "-1"],
            ["--minutes", "0"],
            ["--minutes", "x"],
            ["--title", "t" * 201],
            ["--meeting", "never"],
            ["--option", "support"],
            ["--option", "=true"],
            ["--option", "support=true", "--option", "support=false"],
        )
    ),
    ["export_dataset", "wells", "--format", "docx", "--out", "x"],
    ["export_dataset", "wells", "--format", "jsonl"],
    ["export_responses", "study", "--format", "xml", "--out", "x"],
    ["import_responses", "study"],
    ["import_responses", "study", "/no/such/file"],
    ["import_predictions", "wells", "{file}", "--format", "race", "--model", "m"],
    ["import_predictions", "wells", "{file}", "--format", "squad", "--model", "m" * 201],
    ["evaluate", "--format", "race", "--gold", "{file}", "--predictions", "{file}"],
    ["evaluate", "--format", "squad", "--gold", "{file}"],
    ["create_account", "a" * 151],
    ["create_account", "ada", "--role", "king"],
    ["score_batch"],
    ["score_batch", "a b"],
]


@FRESH
@pytest.mark.parametrize("arguments", WRONG_USAGE, ids=lambda a: " ".join(a)[:60].encode("ascii", "replace").decode())
def test_wrong_usage_ends_with_2_and_changes_nothing(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    file = write_records(tmp_path / "wells.jsonl")
    ended = run(*(argument.format(file=file) for argument in arguments))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.strip()
    assert not Dataset.objects.exists()
    assert not Batch.objects.exists()
