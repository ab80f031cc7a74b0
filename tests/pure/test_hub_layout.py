"""Which files of a repository on the Hub hold which split."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.pure.data.hub_layout import CONVERTED, Unclear, chosen, hub_name, layout

SHARDS = ["distractor/train-00000-of-00002.parquet", "distractor/train-00001-of-00002.parquet"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([*SHARDS, "fullwiki/test-00000-of-00001.parquet"], {"distractor": {"train": SHARDS}}),
        (["a_v1.0_train.jsonl", "a_v1.0_dev.jsonl"], {"default": {"validation": ["a_v1.0_dev.jsonl"]}}),
        (["data/gold-00000-of-00001.parquet"], {"default": {"gold": ["data/gold-00000-of-00001.parquet"]}}),
        (["train/1.json.gz", "train/2.json.gz"], {"default": {"train": ["train/1.json.gz", "train/2.json.gz"]}}),
        (["all.jsonl", "trainee.jsonl"], {"default": {"train": ["all.jsonl", "trainee.jsonl"]}}),
        (["test.parquet", "test.csv", "test.json"], {"default": {"test": ["test.json"]}}),
        (["README.md", ".cache/train.json", "dataset_infos.json", "../train.json", "/etc/train.json"], {}),
    ],
)
def test_names_tell_configs_and_splits(files: list[str], found: dict[str, dict[str, list[str]]]) -> None:
    read = layout(files)
    assert {config: {split: read[config][split] for split in splits} for config, splits in found.items()} == found
    assert bool(read) == bool(found)


def test_the_hubs_own_conversion_has_a_folder_for_each() -> None:
    files = ["plain/train/0000.parquet", "plain/validation/0000.parquet"]
    assert layout(files, revision=CONVERTED) == {"plain": {"train": files[:1], "validation": files[1:]}}


@pytest.mark.parametrize(
    ("data_files", "splits"),
    [
        ("a/*.json", {"train": ["a/1.json", "a/2.json"]}),
        ("a", {"train": ["a/1.json", "a/2.json", "a/b/3.json"]}),
        ("**/3.json", {"train": ["a/b/3.json"]}),
        (["a/1.json", "a/b/*"], {"train": ["a/1.json", "a/b/3.json"]}),
        ([{"split": "dev", "path": ["a/[0-9].json"]}], {"dev": ["a/1.json", "a/2.json"]}),
        ([{"split": "dev", "path": "*" * 9}], {}),
    ],
)
def test_a_card_lists_them_by_patterns(data_files: Any, splits: dict[str, list[str]]) -> None:
    files = ["a/1.json", "a/2.json", "a/b/3.json", "c/4.json"]
    other = {"config_name": "other", "data_dir": "c"}
    expected = ({"own": splits} if splits else {}) | {"other": {"train": ["c/4.json"]}}
    assert layout(files, [{"config_name": "own", "data_files": data_files}, other]) == expected


def test_what_is_asked_for_is_found_by_the_words_of_either_side() -> None:
    found = layout(["big/dev.json", "big/test.json", "default/train.json"])
    assert chosen(found, "big", "dev") == ("big", "validation", ["big/dev.json"])
    assert chosen(found, "", "") == ("default", "train", ["default/train.json"])
    assert chosen(found, "big", "big/test.json") == ("big", "big/test.json", ["big/test.json"])
    assert chosen(found, "", "test", default="big")[2] == ["big/test.json"]
    with pytest.raises(Unclear, match=r"several splits\. Choose one of test, validation"):
        chosen(found, "big", "")


@pytest.mark.parametrize("text", ["wells", "a/b/c", "hf:a/b@", "a/b@../c", "a/..b", "a/b@-x", "a b/c", ""])
def test_other_texts_name_no_dataset(text: str) -> None:
    with pytest.raises(Unclear, match="hf:OWNER/NAME"):
        hub_name(text)


def test_a_name_has_a_revision_or_none() -> None:
    assert str(hub_name(" hf:lab/wells-2.0@refs/convert/parquet")) == "hf:lab/wells-2.0@refs/convert/parquet"
    assert hub_name("lab/wells").revision == ""
