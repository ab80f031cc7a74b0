"""What is pushed opens with Arrow and with `datasets`, whatever the format, and comes back the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.json
import pytest
import yaml

from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports.hub_push import Push, push
from annotation.models import Dataset
from annotation.pure.data import hub_layout
from tests.hub.double import TOKEN, Hub
from tests.long_forms import first
from tests.pure.formats.samples import JSONL, WORKED, encoded

pytestmark = pytest.mark.django_db
FORMATS = [name for name in WORKED if name not in {"race", "squad"}] + ["race", "squad"]


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch, hub: Hub) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)


def pushed(project: Any, hub: Hub, tmp_path: Path, name: str) -> Path:
    """A folder with what a push of the worked records of a format sends."""
    file = tmp_path / "records"
    file.write_bytes(encoded(WORKED[name]))
    import_dataset(project, file, format=name, name="isle")
    push(Dataset.objects.get(slug="isle"), Push("hf:lab/isle", name))
    folder = tmp_path / "repository"
    for path, content in hub.repositories["lab/isle"].files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def card_of(folder: Path) -> dict[str, Any]:
    return dict(yaml.safe_load((folder / "README.md").read_text().split("---")[1]))


@pytest.mark.parametrize("name", FORMATS)
def test_arrow_opens_what_is_pushed_and_it_comes_back_the_same(
    project: Any, hub: Hub, tmp_path: Path, name: str
) -> None:
    folder = pushed(project, hub, tmp_path, name)
    [split] = card_of(folder)["configs"][0]["data_files"]
    before = [item.example for item in Dataset.objects.get().items.order_by("position")]
    assert pyarrow.json.read_json(folder / split["path"]).num_rows == len(before)
    import_dataset(project, folder / split["path"], format="jsonl", name="back")
    after = [item.example for item in Dataset.objects.get(slug="back").items.order_by("position")]
    assert [example.as_json() | {"extra": None} for example in after] == [
        example.as_json() | {"extra": None} for example in before
    ]


@pytest.mark.parametrize("name", first(1, ["hotpotqa", "jsonl", "2wikimultihopqa", "musique", "race", "squad"]))
def test_datasets_loads_what_is_pushed(
    project: Any, hub: Hub, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    loaded = datasets.load_dataset(str(pushed(project, hub, tmp_path, name)), cache_dir=str(tmp_path / "cache"))
    [split] = loaded.values()
    assert split["question"] == [item.question for item in Dataset.objects.get().items.order_by("position")]


def test_the_card_types_every_column_as_datasets_does() -> None:
    datasets = pytest.importorskip("datasets")
    stated = yaml.safe_load("\n".join(hub_layout.features()))["dataset_info"]["features"]
    assert datasets.Features._from_yaml_list(stated)._to_yaml_list() == stated


def test_rows_with_and_without_gold_have_the_same_columns(project: Any, hub: Hub, tmp_path: Path) -> None:
    file = tmp_path / "records"
    rows = [JSONL | {"id": str(k), "group": "", "answer_set": [["tin", "Sn"], ["lead"]] if k else None} for k in (0, 1)]
    file.write_bytes(encoded(rows))
    import_dataset(project, file, format="jsonl", name="isle")
    push(Dataset.objects.get(), Push("hf:lab/isle", "jsonl"))
    (tmp_path / "isle.jsonl").write_bytes(hub.repositories["lab/isle"].files["isle.jsonl"])
    table = pyarrow.json.read_json(tmp_path / "isle.jsonl")
    assert table["answer_set"].to_pylist() == [[], [["tin", "Sn"], ["lead"]]]
    assert table.column_names == list(hub_layout.row_of(Dataset.objects.get().items.first().example))  # type: ignore[union-attr]
