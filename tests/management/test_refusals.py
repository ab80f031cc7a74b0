"""What a command refuses, it refuses in words that name what there is, with exit code 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.formats import FORMATS
from annotation.models import Batch, Dataset, Project
from tests.batches import create_batch
from tests.conftest import records, write_records
from tests.long_forms import first
from tests.management.conftest import Run, refused

FRESH = pytest.mark.django_db  # migrated, without a user or a project


@FRESH
def test_an_unknown_name_is_refused_with_those_there_are(run: Run, study: Path, tmp_path: Path) -> None:
    out = ["--out", tmp_path / "x", "--json"]
    refused(run("export_dataset", "towers", "--format", "jsonl", *out), "no dataset towers", "There are: wells.")
    refused(run("export_responses", "trial", "--format", "csv", *out), "no batch trial", "There are: study.")
    refused(run("score_batch", "trial", "--json"), "no batch trial")
    refused(run("import_responses", "trial", study), "no batch trial")
    refused(run("import_predictions", "towers", study, "--format", "squad", "--model", "m"), "no dataset towers")
    more = ["--task", "answer", "--dataset", "wells", "--dataset", "towers"]
    refused(run("create_batch", "b", *more), "no dataset towers", "There are: wells.")
    Project.objects.create(slug="mills", title="Mills")
    refused(run("score_batch", "study", "--project", "mills"), "no batch study in project mills. There are: none.")
    refused(run("score_batch", "study", "--project", "mils"), "no project mils. There are: default, mills.")
    assert not (tmp_path / "x").exists()


@FRESH
def test_a_dataset_that_is_not_whole_does_not_exist(run: Run, wells: Path, tmp_path: Path) -> None:
    Dataset.objects.update(state="importing")
    refused(run("export_dataset", "wells", "--format", "jsonl", "--out", tmp_path / "x"), "There are: none.")


@FRESH
def test_a_name_that_is_taken_and_an_option_there_is_not_are_refused(run: Run, study: Path, tmp_path: Path) -> None:
    other = write_records(tmp_path / "other.jsonl", 5)
    refused(run("import_dataset", other, "--format", "jsonl", "--name", "wells", "--json"), "wells is taken")
    made = ["--task", "answer", "--dataset", "wells"]
    refused(run("create_batch", "study", *made), "study is taken by another batch")
    refused(run("create_batch", "b", *made, "--option", "colour=true"), "colour: There is no such option", "yes_no")
    refused(run("create_batch", "b", *made, "--option", "support=maybe"), "options.support: Give true or false.")
    refused(run("create_batch", "b", *made, "--option", "sentences=true", "--json"), "nothing to launch")
    assert [batch.slug for batch in Batch.objects.all()] == ["study"]


@FRESH
def test_a_batch_that_was_not_launched_has_no_scores(run: Run, wells: Path) -> None:

    project = Project.objects.get()
    create_batch(project, "draft", task="answer", datasets=list(project.datasets.all()), instructions="")
    refused(run("score_batch", "draft", "--json"), "has not been launched yet")
    refused(run("import_responses", "draft", wells), "Launch the batch first")


@FRESH
def test_a_launch_that_was_taken_over_is_left_to_whoever_took_it(
    run: Run, wells: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotation.flow.batches import batch_launch
    from annotation.management.json_command import JSONCommand

    def taken_over(self: JSONCommand, what: str) -> batch_launch.OnProgress:
        return lambda done, total: batch_launch.launch(Batch.objects.get()) and None

    monkeypatch.setattr(JSONCommand, "progress_printer", taken_over)
    made = ["--task", "answer", "--dataset", "wells", "--json"]
    refused(run("create_batch", "b", *made), "Another process took over the launch of b")
    assert (Batch.objects.get().state, Batch.objects.get().hits.count()) == ("open", 4)


def bad_files(folder: Path) -> dict[str, Path]:
    contents = {
        "empty": b"",
        "blank": b" \n\n",
        "binary": bytes(range(256)) * 40,
        "packed": b"\x1f\x8b\x08\x00 broken",
        "utf16": '{"id": 1}'.encode("utf-16"),
        "cut": b'[{"id": "a", "question": "Wh',
        "text": b"Which tower stands beside the well?\n",
        "number": b"7\n",
        "parquet": b"PAR1 and nothing else",
        "deep": b"[" * 100_000,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    odd = folder / "n\udcffme"
    odd.write_bytes(b"{}")
    found = {name: folder / name for name in contents} | {"folder": folder / "folder", "odd name": odd}
    memory = Path("/proc/self/mem")  # there, may be opened, and cannot be read
    return found | ({"unreadable": memory} if memory.exists() else {})


READERS = {
    **{f"import {name}": ["import_dataset", "{file}", "--format", name, "--name", "bad"] for name in FORMATS},
    "responses": ["import_responses", "study", "{file}"],
    **{
        f"predictions {name}": ["import_predictions", "wells", "{file}", "--format", name, "--model", "m"]
        for name in ("hotpotqa", "musique", "squad")
    },
    **{
        f"{role} {name}": ["evaluate", "--format", name, *pair]
        for name in ("hotpotqa", "musique", "squad")
        for role, pair in {
            "gold": ["--gold", "{file}", "--predictions", "{good}"],
            "guess": ["--gold", "{good}", "--predictions", "{file}"],
        }.items()
    },
}


@FRESH
@pytest.mark.parametrize("reader", first(8, READERS))
def test_a_bad_file_is_refused_in_words_by_every_command(run: Run, study: Path, tmp_path: Path, reader: str) -> None:
    for name, file in bad_files(tmp_path).items():
        arguments = [a.format(file=file, good=study) for a in READERS[reader]]
        ended = run(*arguments, "--json")
        assert ended.code == 1, name
        assert ended.document["refused"], name
        assert ended.err.strip(), name
    assert [dataset.slug for dataset in Dataset.objects.all()] == ["wells"]
    assert Dataset.objects.get().prediction_sets.count() == 0
    assert Batch.objects.get().imports.count() == 0


@FRESH
def test_a_refused_import_lists_its_flaws_where_they_can_be_read(run: Run, tmp_path: Path) -> None:
    broken = records(3)
    del broken[1]["question"]
    file = tmp_path / "w.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in broken))
    command = ["import_dataset", file, "--format", "jsonl", "--name", "wells"]
    result = run(*command)
    refused(result, "1 of 3 records cannot be stored", "error: line 2 (id well-1), question:")
    document = run(*command, "--json").document
    assert (document["read"], document["accepted"], document["skipped"]) == (3, 2, 1)
    assert document["flaws"][0]["place"] == "line 2"
    assert run(*command, "--skip-bad", "--json").document["accepted"] == 2


@FRESH
@pytest.mark.parametrize("place", ["{folder}", "{folder}/none/x", "{folder}/wells.jsonl/x", ".", "", "/dev/null"])
def test_a_place_that_cannot_be_written_is_refused(run: Run, study: Path, place: str) -> None:
    out = place.format(folder=study.parent)
    for command in (["export_dataset", "wells", "--format", "jsonl"], ["export_responses", "study", "--format", "csv"]):
        refused(run(*command, "--out", out, "--json"), "cannot be written")
    assert [file.name for file in study.parent.iterdir()] == ["wells.jsonl"]
