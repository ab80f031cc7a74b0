"""Exports: every record comes out as it went in, judgments tell no name, files are whole or not there."""

from __future__ import annotations

import csv
import gzip
import html
import io
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow.parquet
import pytest

from annotation.flow.data import dataset_files, response_files
from annotation.flow.data.dataset_files import export_dataset
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.response_files import export_responses
from annotation.flow.errors import Refused
from annotation.flow.review import problem_reports
from annotation.flow.review.response_import import import_responses
from annotation.formats import FORMATS
from annotation.formats.base import Unreadable
from annotation.models import Batch, Dataset, WorkerResponse
from annotation.pure.data.example import Example
from annotation.registry import task_type
from annotation.tasktype import capabilities
from tests.conftest import answer_to
from tests.flow.acting import answer_all, submit, take
from tests.flow.review.test_response_import import lines, response
from tests.pure.formats.samples import CSV, WORKED, value_of
from tests.pure.formats.test_round_trips import REAL
from tests.shared_data import shared_data

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="rows are read through a cursor of the server")]


def through_the_database(project: Any, file: Path, name: str, folder: Path) -> bytes:
    """What an export writes of an import of a file."""
    import_dataset(project, file, format=name, name="trip")
    out = folder / "out"
    report = export_dataset(Dataset.objects.whole().get(slug="trip"), out, format=name)
    assert report["records"] > 0
    return out.read_bytes()


@pytest.mark.parametrize("name", WORKED)
def test_worked_records_come_out_of_the_database_equal(project: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "in").write_text(json.dumps(WORKED[name]))
    assert value_of(through_the_database(project, tmp_path / "in", name, tmp_path)) == WORKED[name]


def test_a_table_comes_out_of_the_database_byte_for_byte(project: Any, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(CSV.encode())
    assert through_the_database(project, tmp_path / "in", "csv", tmp_path) == CSV.encode()


@pytest.mark.parametrize(("file", "name"), REAL.items())
def test_real_records_come_out_of_the_database_equal(project: Any, tmp_path: Path, file: str, name: str) -> None:
    path = shared_data(file)
    assert value_of(through_the_database(project, path, name, tmp_path)) == value_of(path.read_bytes())


def test_a_format_that_cannot_hold_a_dataset_is_refused_and_leaves_the_old_file(dataset: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("before")
    with pytest.raises(Refused, match="wells cannot be written as csv: Example well-0"):
        export_dataset(dataset, out, format="csv")
    assert out.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".part")] == []
    with pytest.raises(Refused):
        dataset_files.stream_dataset(dataset, "csv")


class BreaksOff:
    """A format whose writing fails after some bytes."""

    def __init__(self, failure: type[BaseException]) -> None:
        self.failure = failure

    def write(self, examples: Iterable[Example], out: BinaryIO) -> int:
        out.write(b"half of it")
        raise self.failure


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_midway_leaves_no_file(
    dataset: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
) -> None:
    monkeypatch.setitem(FORMATS, "jsonl", BreaksOff(failure))  # type: ignore[arg-type]
    folder = tmp_path / "empty"
    folder.mkdir()
    with pytest.raises(failure):
        export_dataset(dataset, folder / "out.jsonl", format="jsonl")
    assert list(folder.iterdir()) == []


def test_a_full_disk_is_a_refusal_and_leaves_no_file(
    dataset: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(dataset_files.os, "fsync", full)
    folder = tmp_path / "empty"
    folder.mkdir()
    with pytest.raises(Refused, match="No space left on device"):
        export_dataset(dataset, folder / "out.jsonl", format="jsonl")
    assert list(folder.iterdir()) == []


def unwritable(folder: Path) -> list[Path]:
    folder.mkdir()
    (folder / "file").write_text("x")
    long_name = folder / ("n" * 300)
    return [folder, Path(), folder / "none" / "x", folder / "file" / "x", long_name, Path("/dev/null")]


@pytest.mark.parametrize("place", range(6))
def test_a_place_that_cannot_be_written_is_refused(dataset: Any, tmp_path: Path, place: int) -> None:
    with pytest.raises(Refused, match="cannot be written"):
        export_dataset(dataset, unwritable(tmp_path / "place")[place], format="jsonl")
    assert Path("/dev/null").is_char_device()
    assert [file.name for file in (tmp_path / "place").iterdir()] == ["file"]


def test_a_link_still_leads_to_its_file_afterwards(dataset: Any, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "real.jsonl")
    export_dataset(dataset, tmp_path / "link", format="jsonl")
    assert (tmp_path / "link").is_symlink()
    assert len((tmp_path / "folder" / "real.jsonl").read_text().splitlines()) == 4


def test_the_streamed_file_is_the_written_file(batch: Any, dataset: Any, bob: Any, tmp_path: Path) -> None:
    answer_all(bob, batch)
    export_dataset(dataset, tmp_path / "d", format="jsonl")
    assert b"".join(dataset_files.stream_dataset(dataset, "jsonl")) == (tmp_path / "d").read_bytes()
    for kind in response_files.WRITERS:
        report = export_responses(batch, tmp_path / kind, format=kind)
        assert b"".join(response_files.stream_responses(batch, kind)) == (tmp_path / kind).read_bytes()
        assert report["records"] == 4


@pytest.mark.parametrize("kind", response_files.WRITERS)
def test_a_download_begins_before_all_responses_are_read(
    batch: Any, bob: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_all(bob, batch)
    read = []
    asked = response_files.responses

    def counted(*args: Any) -> Any:
        read.append(args)
        return asked(*args)

    monkeypatch.setattr(response_files, "responses", counted)
    monkeypatch.setattr(response_files, "CHUNK", 1)
    monkeypatch.setattr(response_files, "BLOCK", 1)
    blocks = response_files.stream_responses(batch, kind)
    next(blocks)
    assert len(read) <= 1
    assert b"".join(blocks)
    assert len(read) == 4


@pytest.fixture
def told(batch: Batch, bob: Any, carol: Any, tmp_path: Path) -> Batch:
    """Judgments of all sorts: revised, late, surplus, from a file, on a voided item, with hostile text."""
    answer_all(bob, batch, most=3)
    first = batch.assignments.order_by("pk").first()
    assert first is not None
    submit(first, answer_to(first) | {"support": [1]}, key="1.again", base=1)
    answer_all(carol, batch, most=2)
    import_responses(batch, lines(tmp_path / "j.jsonl", [response(k, "eve@mail.example", "=1+1") for k in range(4)]))
    problem_reports.exclude(first.hit, reason="=broken")
    returned = take(carol, batch)
    assert returned is not None
    return batch


def rows_of(batch: Batch, kind: str, folder: Path) -> list[dict[str, Any]]:
    out = folder / f"responses.{kind}"
    export_responses(batch, out, format=kind)
    if kind == "jsonl":
        return [json.loads(line) for line in out.read_text().split("\n")[:-1]]
    if kind == "csv":
        return list(csv.DictReader(io.StringIO(out.read_bytes().decode(), newline="")))
    return list(pyarrow.parquet.read_table(out).to_pylist())


def test_every_revision_is_a_row_with_its_times_and_versions(told: Batch, tmp_path: Path, bob: Any) -> None:
    rows = rows_of(told, "jsonl", tmp_path)
    assert len(rows) == WorkerResponse.objects.count() == 3 + 1 + 2 + 4
    revised = [row for row in rows if row["revision"] == 2 or not row["current"]]
    assert [(row["revision"], row["current"], row["worker"]) for row in revised] == [
        (1, False, bob.pseudonym),
        (2, True, bob.pseudonym),
    ]
    assert [row["answer"]["support"] for row in revised] == [[0, 1], [1]]
    row = rows[0]
    assert row["batch"] == "wells-1"
    assert row["dataset"] == "wells"
    assert row["dataset_sha256"] == Dataset.objects.get().sha256
    assert row["item_id"] == f"well-{row['item']}"
    assert row["instructions_version"] == 1
    assert row["active_seconds"] == 12.5
    assert row["accepted_at"].endswith("Z")
    assert row["accepted_at"] <= row["submitted_at"]
    assert {(r["excluded"], r["exclusion_reason"]) for r in rows} == {(False, ""), (True, "=broken")}
    assert sum(r["surplus"] for r in rows) == 2


@pytest.mark.parametrize("kind", response_files.WRITERS)
def test_responses_carry_pseudonyms_and_no_name_of_anybody(
    told: Batch, tmp_path: Path, kind: str, bob: Any, carol: Any
) -> None:
    from annotation.models import User

    for worker in (bob, carol):  # names too long to stand in a random id by chance
        named = {"username": f"{worker.user}-username", "display_name": f"{worker.user}-shown-name"}
        User.objects.filter(pk=worker.user_id).update(email=f"{worker.user}@mail.example", **named)
    rows = rows_of(told, kind, tmp_path)
    assert {row["worker"] for row in rows} == {worker.pseudonym for worker in told.project.workers.all()}
    content = (tmp_path / f"responses.{kind}").read_bytes()
    for name in ("-username", "-shown-name", "eve@mail", "mail.example", told.project.pseudonym_key):
        assert name.encode() not in content
    assert {len(row["worker"]) for row in rows} == {16}


def test_a_pseudonym_joins_nothing_across_projects(bob: Any) -> None:
    from annotation.models import Project

    other = Project.objects.create(slug="mills", title="Mills")
    assert other.pseudonym(bob.pk) != bob.pseudonym


def test_the_table_and_the_columns_say_what_the_lines_say(told: Batch, tmp_path: Path) -> None:
    told_lines = rows_of(told, "jsonl", tmp_path)
    for kind in ("csv", "parquet"):
        rows = rows_of(told, kind, tmp_path)
        measures = ["answer_f1", "answer_em", "support_f1", "support_em"]
        assert list(rows[0]) == response_files.columns_of([*measures, "loose", "strict"])
        assert [json.loads(row["answer"]) for row in rows] == [row["answer"] for row in told_lines]
        assert [str(row["current"]) for row in rows] == [str(row["current"]) for row in told_lines]
        assert [int(row["item"]) for row in rows] == [row["item"] for row in told_lines]
        assert [json.loads(row["support"]) for row in rows] == [row["answer"]["support"] for row in told_lines]
        assert [row["question"] for row in rows] == [row["question"] for row in told_lines]
        assert [json.loads(row["gold"]) for row in rows] == [row["gold"] for row in told_lines]
        scores = [[float(row[f"score_{name}"]) for name in measures] for row in rows]
        assert scores == [[row["score"][name] for name in measures] for row in told_lines]
    assert rows[-1]["answer_text"] == "=1+1"


def test_responses_say_what_was_asked_and_how_well_it_was_answered(batch: Batch, bob: Any, tmp_path: Path) -> None:
    answer_all(bob, batch)
    rows = rows_of(batch, "jsonl", tmp_path)
    assert {row["item"] for row in rows} == {0, 1, 2, 3}
    for row in rows:
        assert row["question"] == f"Which tower stands beside the well that Ana Brook dug in year {row['item']}?"
        assert (row["gold"], row["gold_support"]) == ([f"Tower {row['item']}"], [0, 1])
        assert (row["dataset"], row["hops"], row["shape"], row["answerable"]) == ("wells", 2, "", None)
        assert row["score"] == {"answer_f1": 1.0, "answer_em": 1.0, "support_f1": 1.0, "support_em": 1.0}


def test_scores_are_the_same_without_the_texts_of_paragraphs(told: Batch, tmp_path: Path) -> None:
    task = task_type(told.task)
    for row in rows_of(told, "jsonl", tmp_path):
        hit = told.hits.select_related("item__dataset").get(public_id=row["hit"])
        gold, format = hit.item.example, hit.item.dataset.format
        assert gold.paragraphs
        assert row["score"] == capabilities.measure(task, hit.payload, row["answer"], gold, format=format)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_an_option_leaves_out_what_items_say(told: Batch, tmp_path: Path, kind: str) -> None:
    out = tmp_path / f"ids.{kind}"
    response_files.export_responses(told, out, format=kind, ids_only=True)
    assert {"question", "gold", "hops"} <= set(rows_of(told, kind, tmp_path)[0])
    content = out.read_bytes()
    assert b"gold" not in content
    assert b"Ana Brook" not in content


def test_a_table_runs_nothing_in_a_spreadsheet_and_keeps_numbers_numbers(told: Batch, tmp_path: Path) -> None:
    rows = rows_of(told, "csv", tmp_path)
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r", "\n")]
    assert {row["answer_text"] for row in rows} >= {"'=1+1"}
    assert {row["exclusion_reason"] for row in rows} == {"", "'=broken"}
    assert {float(row["active_seconds"]) for row in rows} == {12.5, 0.0}


def test_what_is_under_way_or_not_yet_whole_stays_out(batch: Batch, bob: Any, tmp_path: Path) -> None:
    from annotation.models import ResponseImport

    assert take(bob, batch) is not None
    import_responses(batch, lines(tmp_path / "j.jsonl", [response(k, "eve") for k in range(4)]))
    ResponseImport.objects.update(ready=False)
    assert rows_of(batch, "jsonl", tmp_path) == []
    assert rows_of(batch, "csv", tmp_path) == []
    assert rows_of(batch, "parquet", tmp_path) == []


def test_without_its_package_parquet_names_the_command_that_installs_it(
    told: Batch, alice: Any, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_responses(told, tmp_path / "a.parquet", format="parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    command = 'pip install "hopscribe[parquet]"'
    with pytest.raises(Refused, match=re.escape(command)):
        export_responses(told, tmp_path / "b.parquet", format="parquet")
    with pytest.raises(Unreadable, match=re.escape(command)):
        list(FORMATS["hotpotqa"].read(tmp_path / "a.parquet"))
    client.force_login(alice)
    page = client.get(f"/projects/wells/batches/{told.slug}/export/parquet/", follow=True)
    assert html.escape(command) in page.text


@pytest.mark.parametrize("kind", response_files.WRITERS)
def test_the_same_rows_give_the_same_bytes(told: Batch, tmp_path: Path, kind: str) -> None:
    first = export_responses(told, tmp_path / "1", format=kind)
    second = export_responses(told, tmp_path / "2", format=kind)
    assert first == second
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_lines_keep_every_character(batch: Batch, bob: Any, tmp_path: Path) -> None:
    text = "=1\t\u2028 \u202e \U0001f469\u200d\U0001f680 e\u0301 \x7f\\\"'"
    assignment = take(bob, batch)
    assert assignment is not None
    submit(assignment, {"kind": "typed", "text": text, "support": [0], "facts": []})
    for kind in response_files.WRITERS:
        row = rows_of(batch, kind, tmp_path)[0]
        answer = row["answer"] if kind == "jsonl" else json.loads(row["answer"])
        assert answer["text"] == text


def test_an_export_of_a_packed_import_is_plain_and_equal(project: Any, tmp_path: Path) -> None:
    packed = tmp_path / "in.gz"
    packed.write_bytes(gzip.compress(json.dumps(WORKED["musique"]).encode()))
    assert value_of(through_the_database(project, packed, "musique", tmp_path)) == WORKED["musique"]


def test_times_of_responses_are_cut_to_milliseconds(batch: Batch, bob: Any) -> None:
    while row := take(bob, batch):
        submit(row)
    text, stored = response_files.time_text, WorkerResponse.objects.order_by("pk").select_related("assignment")
    times = [(text(row.assignment.accepted_at), text(row.created_at)) for row in stored]
    assert len(times) == batch.size
    found = response_files.responses_of(batch)
    assert [(row["accepted_at"], row["submitted_at"]) for row in found] == times
