"""Every command as a person or a script runs it: exit codes, and one JSON document on stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copyfile

import pytest

from annotation.formats import FORMATS
from annotation.models import Batch, Dataset, Project, User
from tests.conftest import records, write_records
from tests.management.conftest import Run, refused
from tests.pure.formats.samples import CSV, WORKED

ROOT = Path(__file__).resolve().parent.parent.parent
FRESH = pytest.mark.django_db  # migrated, without a user or a project


def responses(path: Path, *workers: str) -> Path:
    rows = [
        {"dataset": "wells", "item": k, "worker": w, "answer": {"text": f"Tower {k}", "support": [0, 1]}}
        for w in workers
        for k in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@FRESH
def test_the_commands_take_a_file_from_import_to_export(run: Run, tmp_path: Path) -> None:
    file = write_records(tmp_path / "wells.jsonl")
    imported = run("import_dataset", file, "--format", "jsonl", "--name", "wells", "--licence", "CC0", "--json")
    assert (imported.code, imported.document["accepted"], imported.err) == (0, 4, "")
    batch = ("create_batch", "study", "--task", "answer", "--dataset", "wells", "--assignments", 2, "--json")
    refused(run(*batch), "The consent text that workers accept is not finished.")
    made = run(*batch, "--contact", "Ada, ada@example.org", "--ethics", "board 7")
    assert "Ethics approval: board 7" in Project.objects.get().consent
    assert (made.code, made.document["hits"]) == (0, 4)
    assert made.document["warnings"] == ["You need 2 workers and have 0."]
    assert made.document["warnings"][0] in made.err
    read = run("import_responses", "study", responses(tmp_path / "j.jsonl", "a", "b"), "--json")
    assert (read.code, read.document) == (
        0,
        {"read": 8, "accepted": 8, "warnings": 0, "flaws": [], "already_there": False},
    )
    scored = run("score_batch", "study", "--json")
    assert (scored.code, scored.err) == (0, "")
    assert scored.document["datasets"]["wells"]["answer"]["human_score"]["em"]["value"] == 1
    out = run("export_responses", "study", "--format", "csv", "--out", tmp_path / "j.csv", "--json")
    assert (out.code, out.document["records"]) == (0, 8)
    out = run("export_dataset", "wells", "--format", "jsonl", "--out", tmp_path / "out.jsonl", "--json")
    assert (out.code, out.document["records"]) == (0, 4)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert lines == records(4)
    assert not User.objects.exists()
    assert Project.objects.get().slug == "default"


@FRESH
def test_without_json_a_person_reads_the_same(run: Run, study: Path, tmp_path: Path) -> None:
    again = run("import_dataset", study, "--format", "jsonl", "--name", "wells")
    assert (again.code, again.out) == (0, "Nothing to do: this file is already imported under this name.\n")
    file = responses(tmp_path / "j.jsonl", "a", "b")
    assert run("import_responses", "study", file).out == "8 lines read, 8 responses stored.\n"
    assert run("import_responses", "study", file).out.startswith("Nothing to do")
    scored = run("score_batch", "study")
    assert "wells: 4 questions, 0 excluded; scorer musique/1, support by paragraph" in scored.out
    assert "Human score" in scored.out


@FRESH
def test_predictions_are_evaluated_and_attached(run: Run, wells: Path, tmp_path: Path) -> None:
    gold, guess = tmp_path / "gold.jsonl", tmp_path / "guess.jsonl"
    record = WORKED["musique"][0]
    gold.write_text(json.dumps(record) + "\n")
    said = {
        "id": record["id"],
        "predicted_answer": "tin",
        "predicted_support_idxs": [0, 2],
        "predicted_answerable": True,
    }
    guess.write_text(json.dumps(said) + "\n")
    scored = run("evaluate", "--format", "musique", "--gold", gold, "--predictions", guess, "--json")
    assert (scored.code, scored.document["answer_f1"]) == (0, 1.0)
    guess.write_text(json.dumps(said | {"id": "well-0"}) + "\n")
    ours = ["import_predictions", "wells", guess, "--format", "musique", "--model", "reader", "--json"]
    assert run(*ours).document == {"read": 1, "accepted": 1, "missing": 3, "already_there": False}
    assert run(*ours).document["already_there"] is True
    guess.write_text(json.dumps(said | {"id": "well-1"}) + "\n")
    assert run(*ours).code == 1


@FRESH
def test_the_other_commands_end_well_on_an_empty_database(run: Run) -> None:
    assert run("sweep", "--json").document == {"jobs": 0}
    made = run("create_account", "ada", "--role", "annotator", "--password", "seven wells in a row", "--json")
    assert (made.code, made.document["role"]) == (0, "annotator")
    assert User.objects.get().check_password("seven wells in a row")
    assert run("create_account", "ADA").code == 1
    assert run("create_account", "bo b").code == 1
    assert run("create_account", "bob", "--password", "short").code == 1
    assert "password: " in run("create_account", "bob").out


@FRESH
@pytest.mark.parametrize("name", [*WORKED, "csv"])
def test_every_format_goes_in_and_out_by_command(run: Run, tmp_path: Path, name: str) -> None:
    file = tmp_path / "in"
    file.write_text(CSV if name == "csv" else json.dumps(WORKED[name]), newline="")
    dry = run("import_dataset", file, "--format", name, "--name", "d", "--dry-run", "--json")
    assert dry.code == 0
    assert not Dataset.objects.exists()
    assert run("import_dataset", file, "--format", name, "--name", "d", "--json").document == dry.document
    assert run("export_dataset", "d", "--format", name, "--out", tmp_path / "out", "--json").code == 0
    assert run("import_dataset", tmp_path / "out", "--format", name, "--name", "again").code == 0
    first, again = (Dataset.objects.get(slug=slug).items.order_by("position") for slug in ("d", "again"))
    assert [item.example for item in first] == [item.example for item in again]
    assert set(FORMATS) >= {*WORKED, "csv"}


@FRESH
def test_options_of_the_task_reach_the_batch(run: Run, wells: Path) -> None:
    made = ["--task", "answer", "--dataset", "wells", "--option", "yes_no=true", "--option", "support=false"]
    more = ["--title", "Wells, again", "--minutes", "2.5", "--meeting", "apart", "--purpose", "qualification"]
    assert run("create_batch", "b", *made, *more, "--seed", 7, "--sample", 2).code == 0
    batch = Batch.objects.get()
    assert (batch.options["yes_no"], batch.options["support"], batch.size) == (True, False, 2)
    assert (batch.title, batch.expected_seconds, batch.meeting) == ("Wells, again", 150, "apart")
    assert (batch.purpose, batch.seed) == ("qualification", 7)


@FRESH
def test_an_odd_name_of_a_file_is_printed_as_far_as_it_can_be(run: Run, wells: Path, tmp_path: Path) -> None:
    odd = tmp_path / "o\udcfft.jsonl"
    made = run("export_dataset", "wells", "--format", "jsonl", "--out", odd, "--json")
    assert made.code == 0
    assert made.document["out"] == str(odd)
    assert run("import_dataset", odd, "--format", "jsonl", "--name", "odd").code == 0
    assert "\\udcff" in run("export_dataset", "wells", "--format", "jsonl", "--out", odd).out


def shell(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """`manage.py ...` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", ROOT / "manage.py", *map(str, arguments)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


EACH = """
import sys
from django.core.management import ManagementUtility
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "annotation.settings"
for line in sys.stdin.read().splitlines():
    try:
        ManagementUtility(["manage.py", *line.split(" ")]).execute()
    except SystemExit as end:
        print(end.code, flush=True)
"""


@pytest.mark.soak
def test_a_database_that_was_not_migrated_is_told_in_words(tmp_path: Path) -> None:
    file = write_records(tmp_path / "wells.jsonl")
    commands = [
        f"import_dataset {file} --format jsonl --name wells",
        "create_batch b --task answer --dataset wells",
        f"import_responses b {file}",
        "score_batch b",
        f"export_dataset wells --format jsonl --out {tmp_path}/x",
        f"export_responses b --format csv --out {tmp_path}/x",
        f"import_predictions wells {file} --format musique --model m",
        "create_account ada",
        "sweep",
    ]
    environment = {"DATABASE_URL": f"sqlite:///{tmp_path}/empty.sqlite3", "HOPSCRIBE_VAR": str(tmp_path / "var")}
    ended = subprocess.run(
        [sys.executable, "-c", EACH],
        input="\n".join(commands),
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ended.stdout.split() == ["1"] * len(commands)
    assert ended.stderr.count("Run: manage.py migrate") == len(commands)
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "x").exists()


def test_whoever_reads_only_the_beginning_gets_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)  # as `| head` does once it has enough
    ended = subprocess.run(
        [sys.executable, ROOT / "manage.py", "help"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_a_shell_sees_the_exit_codes_and_a_document_alone_on_stdout(tmp_path: Path, migrated: Path) -> None:
    database = f"sqlite:///{copyfile(migrated, tmp_path / 'new.sqlite3')}"
    environment = {"DATABASE_URL": database, "HOPSCRIBE_VAR": str(tmp_path / "var")}
    file = write_records(tmp_path / "wells.jsonl")
    done = shell("import_dataset", file, "--format", "jsonl", "--name", "wells", "--json", **environment)
    assert (done.returncode, json.loads(done.stdout)["accepted"], done.stderr) == (0, 4, "")
    gone = shell("score_batch", "study", "--json", **environment)
    assert (gone.returncode, list(json.loads(gone.stdout))) == (1, ["refused"])
    wrong = shell("score_batch", "--json", **environment)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "Traceback" not in gone.stderr + wrong.stderr
