"""Formats of several files: a folder of them or nothing, one ZIP file on the page, and back in again."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.flow.data import dataset_files, dataset_import
from annotation.flow.errors import Refused
from annotation.models import Dataset
from annotation.scorers.subqa import SubQA
from tests.browser.sub_questions import FERRY_QUESTION, ORGAN_QUESTION

NAMES = ["dev_ori.json", "dev_sub1.json", "dev_sub2.json"]


@pytest.fixture
def dataset(project: Any, tmp_path: Path) -> Dataset:
    file = tmp_path / "organ.jsonl"
    file.write_text(json.dumps(replace(ORGAN_QUESTION, facts=((1, 0), (2, 0))).as_json()) + "\n")
    dataset_import.import_dataset(project, file, format="jsonl", name="organ")
    return Dataset.objects.get(slug="organ")


def test_a_folder_that_went_out_comes_in_again_with_the_same_bytes(dataset: Dataset, tmp_path: Path) -> None:
    folder, again = tmp_path / "subqa", tmp_path / "again"
    written = dataset_files.export_folder(dataset, folder, format="subqa")
    assert written["records"] == 1
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    dataset_import.import_dataset(dataset.project, folder, format="subqa", name="back")
    assert dataset_files.export_folder(Dataset.objects.get(slug="back"), again, format="subqa") == written


def test_what_cannot_be_written_leaves_the_folder_as_it_was(project: Any, dataset: Dataset, tmp_path: Path) -> None:
    folder = tmp_path / "subqa"
    dataset_files.export_folder(dataset, folder, format="subqa")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    file = tmp_path / "ferry.jsonl"
    file.write_text(json.dumps(replace(FERRY_QUESTION, facts=((0, 0),)).as_json()) + "\n")
    dataset_import.import_dataset(project, file, format="jsonl", name="ferry")
    with pytest.raises(Refused, match="3 sub-questions"):
        dataset_files.export_folder(Dataset.objects.get(slug="ferry"), folder, format="subqa")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_folder_is_gold_of_the_evaluation(dataset: Dataset, tmp_path: Path) -> None:
    gold, said = tmp_path / "gold", tmp_path / "said"
    dataset_files.export_folder(dataset, gold, format="subqa")
    said.mkdir()
    for name, answer in zip(NAMES, ("Quillhaven", "Tamsin", "Quillhaven"), strict=True):
        (said / name).write_text(json.dumps({"organ": answer}))
    figures = SubQA().evaluate(gold, said)
    assert figures["n"] == 1
    assert [figures[part]["em"] for part in ("q", "sub1", "sub2")] == [100.0, 0.0, 100.0]


@pytest.mark.parametrize(("name", "folder"), [("out", True), ("out.json", False)])
def test_a_name_without_an_ending_is_a_folder(dataset: Dataset, tmp_path: Path, name: str, folder: bool) -> None:
    out = tmp_path / name
    call_command("export_dataset", "organ", project=dataset.project.slug, format="subqa", out=out)
    assert out.is_dir() == folder


def test_the_page_gives_the_same_files_as_one_zip(dataset: Dataset, alice: Any, client: Any, tmp_path: Path) -> None:
    client.force_login(alice)
    address = reverse("dataset-export", args=[dataset.project.slug, "organ", "subqa"])
    response = client.get(address + "?folder")
    content = b"".join(response.streaming_content)
    assert 'filename="organ.subqa.zip"' in response["Content-Disposition"]
    dataset_files.export_folder(dataset, tmp_path / "subqa", format="subqa")
    with ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == NAMES
        assert all(archive.read(name) == (tmp_path / "subqa" / name).read_bytes() for name in NAMES)
    assert b"".join(client.get(address + "?folder").streaming_content) == content
    assert client.get(address.replace("/subqa/", "/jsonl/") + "?folder").status_code == 404
