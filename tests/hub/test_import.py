"""`import_dataset hf:…` and the same on the page, against the double of the Hub."""

from __future__ import annotations

import io
import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation import jobs
from annotation.models import Dataset, Job
from tests.conftest import records
from tests.hub.double import TOKEN, Commit, Hub
from tests.long_forms import first
from tests.management.conftest import Run, refused

pytestmark = pytest.mark.django_db

CARD = """---
license: cc-by-sa-4.0
configs:
- config_name: deep
  default: true
  data_files:
  - split: train
    path: "deep/part-*"
  - split: validation
    path: deep/checked.jsonl
- config_name: flat
  data_files: flat/*
---
# Wells
"""


def lines(first: int, last: int) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records(last)[first:])


def parquet(rows: list[dict[str, Any]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


HOTPOT = {
    "id": "5a",
    "question": "Who dug the well?",
    "answer": "Mara",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": {"title": ["Well"], "sent_id": [0]},
    "context": {"title": ["Well", "Inn"], "sentences": [["Mara dug it."], ["The inn is old."]]},
}


@pytest.fixture
def lab(hub: Hub) -> Hub:
    """A Hub with a dataset of two configs, one of whose splits has two files."""
    files = {
        "README.md": CARD.encode(),
        "deep/part-0.jsonl": lines(0, 2),
        "deep/part-1.jsonl": lines(2, 5),
        "deep/checked.jsonl": lines(5, 6),
        "flat/all.jsonl": lines(0, 1),
        ".gitattributes": b"*.parquet filter=lfs\n",
    }
    hub.add("lab/wells", files)
    return hub


def test_a_split_becomes_a_dataset_with_its_revision_and_licence(lab: Hub, run: Run, tmp_path: Path) -> None:
    sha = lab.repositories["lab/wells"].commits[-1].sha
    ended = run("import_dataset", "hf:lab/wells", "--split", "train", "--name", "wells")
    assert (ended.code, ended.err) == (0, "")
    assert "5 records read, 5 accepted" in ended.out
    assert f"config deep, split train, at revision {sha}" in ended.out
    dataset = Dataset.objects.get()
    assert (dataset.size, dataset.format, dataset.licence) == (5, "jsonl", "cc-by-sa-4.0")
    assert dataset.source == f"{lab.address}/datasets/lab/wells/tree/{sha}"
    files = ["deep/part-0.jsonl", "deep/part-1.jsonl"]
    whence = {"repository": "lab/wells", "revision": sha, "config": "deep", "split": "train", "files": files}
    assert dataset.report["hub"] == whence
    documents = ["--out", tmp_path / "wells.jsonl", "--datasheet", tmp_path / "sheet.md"]
    assert run("export_dataset", "wells", "--format", "jsonl", *documents).code == 0
    sheet = (tmp_path / "sheet.md").read_text()
    assert f"/tree/{sha}" in sheet
    assert "cc-by-sa-4.0" in sheet
    again = run("import_dataset", "hf:lab/wells", "--split", "train", "--name", "wells", "--json")
    assert again.document["already_there"]


def test_an_older_revision_is_had_by_its_name(lab: Hub, run: Run) -> None:
    wells = lab.repositories["lab/wells"]
    first = wells.commits[-1].sha
    wells.commits.append(Commit("shorten", {**wells.files, "deep/checked.jsonl": lines(0, 3)}))
    asked = ["--split", "dev", "--name"]  # which the Hub calls validation
    assert run("import_dataset", "hf:lab/wells", *asked, "newest", "--json").document["accepted"] == 3
    assert run("import_dataset", f"hf:lab/wells@{first[:8]}", *asked, "older", "--json").document["accepted"] == 1
    assert Dataset.objects.get(slug="older").report["hub"]["revision"] == first


@pytest.mark.parametrize(
    ("name", "more", "texts"),
    [
        ("hf:lab/wells", [], ["hf:lab/wells: it has several splits. Choose one of train, validation."]),
        ("hf:lab/wells", ["--split", "test"], ["it has no split test. Choose one of train, validation."]),
        ("hf:lab/wells", ["--config", "odd"], ["it has no config odd. Choose one of deep, flat."]),
        ("hf:lab/wells@v9", [], ["/datasets/lab/wells has no revision v9."]),
        ("hf:lab/none", [], ["/datasets/lab/none does not exist, or is private", "HF_TOKEN"]),
        (
            "hf:lab/code",
            [],
            ["try its revision refs/convert/parquet"],
        ),
        ("hf:lab/odd", [], ["No known format has the columns of hf:lab/odd: a. Map them", "hotpotqa", "musique"]),
        ("hf:lab/locked", [], ["hf:lab/locked is gated. Accept its conditions at http", "HF_TOKEN"]),
        ("hf:wells", [], ["'hf:wells' is no dataset of the Hub. Write hf:OWNER/NAME"]),
    ],
)
def test_what_cannot_be_imported_is_refused_with_the_reason(
    lab: Hub, run: Run, name: str, more: list[str], texts: list[str]
) -> None:
    lab.add("lab/code", {"wells.py": b"raise SystemExit\n"})
    lab.add("lab/odd", {"train.jsonl": b'{"a": 1}\n'})
    lab.add("lab/locked", {"train.jsonl": lines(0, 1)}, gated=True)
    refused(run("import_dataset", name, "--name", "wells", *more), *texts)
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    ("status", "text"), [(429, "too many requests"), (500, "The Hub answered 500"), (403, "The token may not do this")]
)
def test_a_hub_that_fails_is_named(lab: Hub, run: Run, status: int, text: str) -> None:
    lab.fails_with = status
    refused(run("import_dataset", "hf:lab/wells", "--name", "wells"), text)


def test_a_hub_out_of_reach_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    refused(run("import_dataset", "hf:lab/wells", "--name", "w"), "The Hub at http://127.0.0.1:9 cannot be reached")


def test_a_missing_library_is_named_with_its_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    refused(run("import_dataset", "hf:lab/wells", "--name", "w"), 'pip install "hopscribe[hub]"')


def test_a_private_dataset_needs_the_token_which_nothing_keeps(
    lab: Hub, run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lab.repositories["lab/wells"].private = True
    asked = ["import_dataset", "hf:lab/wells", "--config", "flat", "--name", "own"]
    refused(run(*asked), "is private")
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    refused(run(*asked), "The Hub does not accept the token")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with caplog.at_level(logging.DEBUG):
        ended = run(*asked)
    assert ended.code == 0
    assert {token for _, _, token in lab.requests[-3:]} == {TOKEN}
    assert TOKEN not in caplog.text + ended.out + ended.err + json.dumps(Dataset.objects.values()[0], default=str)


def test_files_without_a_card_are_told_by_their_names_and_columns_by_their_look(hub: Hub, run: Run) -> None:
    rows = [HOTPOT | {"id": str(k)} for k in range(3)]
    files = {
        "distractor/train-00000-of-00002.parquet": parquet(rows[:2]),
        "distractor/train-00001-of-00002.parquet": parquet(rows[2:]),
        "fullwiki/test-00000-of-00001.parquet": parquet(rows[:1]),
    }
    hub.add("lab/hotpot", files)
    ended = run("import_dataset", "hf:lab/hotpot", "--config", "distractor", "--name", "hotpot")
    assert ended.code == 0
    dataset = Dataset.objects.get()
    assert (dataset.format, dataset.size, dataset.licence) == ("hotpotqa", 3, "")
    assert dataset.items.first().example.answer == "Mara"


SQUAD = {
    "id": "5b",
    "title": "Wells",
    "context": "Mara dug the well of Farrow.",
    "question": "Who dug it?",
    "answers": {"text": ["Mara", "Mara"], "answer_start": [0, 0]},
}
MUSIQUE = {
    "id": "2hop__1_2",
    "paragraphs": {
        "idx": [0, 1],
        "title": ["Well", "Inn"],
        "paragraph_text": ["Mara dug it.", "The inn is old."],
        "is_supporting": [True, False],
    },
    "question": "Who dug the well?",
    "question_decomposition": {
        "id": [1, 2],
        "question": ["Which well?", "Who dug #1?"],
        "answer": ["it", "Mara"],
        "paragraph_support_idx": [None, 0],
    },
    "answer": "Mara",
    "answer_aliases": [],
    "answerable": True,
}
EVIDENCES = {"fact": ["Well", "Mara"], "relation": ["digger", "born in"], "entity": ["Mara", "Farrow"]}
TRIPLES = [["Well", "digger", "Mara"], ["Mara", "born in", "Farrow"]]
TWOWIKI = {key: value for key, value in HOTPOT.items() if key != "level"} | {"evidences": EVIDENCES}
PACKED = {
    "_id": "5c",
    "type": "bridge",
    "question": "Who dug the well?",
    "context": json.dumps([["Well", ["Mara dug it."]], ["Inn", ["The inn is old."]]]),
    "supporting_facts": json.dumps([["Well", 0]]),
    "evidences": json.dumps(TRIPLES),
    "answer": "Mara",
}


@pytest.mark.parametrize(
    ("row", "format", "release"),
    [
        (SQUAD, "squad", {"context": SQUAD["context"]}),
        (SQUAD | {"answers": {"text": [], "answer_start": []}}, "squad", {"is_impossible": True}),
        (HOTPOT, "hotpotqa", {"context": HOTPOT["context"]}),
        (MUSIQUE, "musique", {"question": "Who dug #1?", "is_supporting": True}),
        (TWOWIKI, "2wikimultihopqa", {"evidences": TRIPLES}),
        (PACKED, "2wikimultihopqa", {"evidences": TRIPLES, "supporting_facts": [["Well", 0]]}),
    ],
)
def test_column_layouts_of_the_hub_are_recognised_from_it_and_in_files(
    hub: Hub, run: Run, tmp_path: Path, row: dict[str, Any], format: str, release: dict[str, Any]
) -> None:
    hub.add("lab/rows", {"data/train-00000-of-00001.parquet": parquet([row])})
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    for name, source in (("there", "hf:lab/rows"), ("here", tmp_path / "rows.jsonl")):
        assert run("import_dataset", source, "--name", name, "--json").document["format"] == format
        example = Dataset.objects.get(slug=name).items.get().example
        assert example.answers == (() if "is_impossible" in release else ("Mara",))
        assert example.answerable is (False if "is_impossible" in release else row.get("answerable"))
        assert example.paragraphs[0].text.startswith("Mara dug")
        out = tmp_path / name
        assert run("export_dataset", name, "--format", format, "--out", out).code == 0
        for key, value in release.items():
            assert f'"{key}": {json.dumps(value)}' in out.read_text()
        assert run("import_dataset", out, "--name", f"{name}-again", "--json").document["format"] == format
    assert Dataset.objects.get(slug="here-again").items.get().question == row["question"]


@pytest.mark.parametrize("kind", first(1, ["parquet", "csv", "jsonl"]))
def test_several_files_of_a_split_are_read_in_order(hub: Hub, run: Run, kind: str) -> None:
    rows = [{"q": f"Who dug well {k}?", "ans": "Mara", "text": f"Mara dug well {k}."} for k in range(30)]
    write: dict[str, Any] = {
        "csv": lambda some: "\n".join(["q,ans,text", *(",".join(row.values()) for row in some)]).encode(),
        "jsonl": lambda some: "\n".join(map(json.dumps, some)).encode(),
        "parquet": parquet,
    }
    parts = {f"data/train-{k:05}-of-00012.{kind}": write[kind](rows[3 * k : 3 * k + 3]) for k in range(10)}
    hub.add("lab/own", parts)
    refused(run("import_dataset", "hf:lab/own", "--name", "own"), "--map question=q --map answer=ans")
    suggested = run("import_dataset", "hf:lab/own", "--map", "suggest", "--json").document["suggested"]
    maps = [word for each in suggested for word in ("--map", each)]
    assert run("import_dataset", "hf:lab/own", "--name", "own", *maps).code == 0
    items = Dataset.objects.get().items.order_by("position")
    assert [item.question for item in items] == [row["q"] for row in rows]


def test_the_page_maps_the_columns_of_a_dataset_of_the_hub(
    hub: Hub, client: Any, alice: Any, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    hub.add("lab/own", {"train.csv": b"q,ans,text\nWho dug it?,Mara,Mara dug the well.\n"})
    client.force_login(alice)
    page = client.post(reverse("dataset-new", args=PAGE), {"hub": "hf:lab/own"}).url
    jobs.run_due_work()
    hub.repositories["lab/own"].commits.append(Commit("change", {"train.csv": b"q,ans,text\n"}))
    job = client.get(page)
    assert "Map the columns" in job.content.decode()
    mapping = client.get(job.context["columns_address"])
    assert "Map the columns of hf:lab/own" in mapping.content.decode()
    chosen = {f"column-{k}": role for k, role in enumerate(("question", "answer", "paragraph"))}
    client.post(job.context["columns_address"], chosen | {"import": "1"})
    jobs.run_due_work()
    dataset = Dataset.objects.get()
    assert (dataset.size, dataset.report["hub"]["repository"]) == (1, "lab/own")
    assert dataset.report["mapping"]["columns"]["question"] == ["q"]


def test_options_of_the_hub_are_none_of_a_file(run: Run, wells: Any) -> None:
    ended = run("import_dataset", wells, "--split", "train", "--name", "again")
    assert ended.code == 2
    assert "hf:OWNER/NAME" in ended.err
    assert run("import_dataset", wells, "--name", "again", "--json").document["format"] == "jsonl"


PAGE = ["wells"]


def test_the_page_imports_a_public_dataset_by_a_job(lab: Hub, client: Any, alice: Any) -> None:
    client.force_login(alice)
    form = {"hub": "lab/wells", "config": "deep", "split": "train"}
    response = client.post(reverse("dataset-new", args=PAGE), form)
    assert (response.status_code, response.url) == (303, reverse("job", args=["wells", Job.objects.get().public_id]))
    assert jobs.run_due_work() == 1
    assert Dataset.objects.get().slug == "wells-deep-train"
    assert "Your dataset is ready: 5 items" in client.get(response.url).content.decode()


def test_the_page_uses_no_token_of_the_server(
    lab: Hub, client: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.repositories["lab/wells"].private = True
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    client.force_login(alice)
    page = client.post(reverse("dataset-new", args=PAGE), {"hub": "hf:lab/wells"}, follow=True).redirect_chain[0][0]
    jobs.run_due_work()
    assert {token for _, _, token in lab.requests} == {""}
    assert "use the command on the server" in client.get(page).content.decode()


def test_what_was_checked_is_what_is_imported(lab: Hub, client: Any, alice: Any) -> None:
    client.force_login(alice)
    form = {"hub": "hf:lab/wells", "split": "validation", "dry_run": "on", "name": "checked"}
    client.post(reverse("dataset-new", args=PAGE), form)
    jobs.run_due_work()
    wells = lab.repositories["lab/wells"]
    wells.commits.append(Commit("lengthen", {**wells.files, "deep/checked.jsonl": lines(0, 3)}))
    job = Job.objects.get()
    assert not Dataset.objects.exists()
    client.post(reverse("job-import", args=["wells", job.public_id]))
    jobs.run_due_work()
    assert Dataset.objects.get().size == 1


def test_a_dataset_beyond_the_limit_of_uploads_is_not_downloaded(
    lab: Hub, client: Any, alice: Any, settings: Any
) -> None:
    client.force_login(alice)
    client.post(reverse("dataset-new", args=PAGE), {"hub": "lab/wells", "split": "train"})
    settings.UPLOAD_LIMIT = 100
    jobs.run_due_work()
    assert "Import them on the server" in Job.objects.get().error
    assert not [path for _, path, _ in lab.requests if "/resolve/" in path]


@pytest.mark.parametrize(
    ("form", "field", "text"),
    [
        ({}, "file", "Choose a file, or name a dataset of the Hub."),
        ({"hub": "wells"}, "hub", "hf:OWNER/NAME"),
        ({"hub": "lab/wells", "file": "both"}, "file", "either"),
    ],
)
def test_a_form_without_one_source_is_refused_beside_the_field(
    client: Any, alice: Any, form: dict[str, Any], field: str, text: str
) -> None:
    client.force_login(alice)
    if "file" in form:
        form = form | {"file": io.BytesIO(lines(0, 1))}
    response = client.post(reverse("dataset-new", args=PAGE), form)
    assert response.status_code == 422
    assert text in response.context["form"].errors[field][0]
    assert not Job.objects.exists()


def test_a_server_without_the_library_says_so_beside_the_field(
    client: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    client.force_login(alice)
    response = client.post(reverse("dataset-new", args=PAGE), {"hub": "lab/wells"})
    assert response.context["form"].errors["hub"] == [
        'The Hugging Face Hub needs a package that is not installed. Run pip install "hopscribe[hub]" on the server.'
    ]
