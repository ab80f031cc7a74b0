"""Every command as a person or a script runs it: exit codes, one JSON document, refusals that name what there is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django.db
import pytest
from django.core.management import ManagementUtility

from annotation.formats import FORMATS
from annotation.models import Batch, Dataset, Project, User
from tests.conftest import records, write_records
from tests.pure.formats.samples import CSV, WORKED

ROOT = Path(__file__).resolve().parent.parent
FRESH = pytest.mark.django_db  # migrated, without a user or a project


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document that stdout holds."""
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`manage.py ...` as from a shell, on the test's connection."""
    monkeypatch.setattr(django.db.connections, "close_all", lambda: None)

    def ended(*arguments: object) -> Ended:
        capsys.readouterr()
        code = 0
        try:
            ManagementUtility(["manage.py", *map(str, arguments)]).execute()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ended(code, out, err)

    return ended


def judgments(path: Path, *workers: str) -> Path:
    rows = [
        {"dataset": "wells", "item": k, "worker": w, "answer": {"text": f"Tower {k}", "support": [0, 1]}}
        for w in workers
        for k in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def wells(run: Run, tmp_path: Path, db: None) -> Path:
    """The file of a dataset `wells` in the default project, imported by command."""
    file = write_records(tmp_path / "wells.jsonl")
    assert run("import_dataset", file, "--format", "jsonl", "--name", "wells").code == 0
    return file


@pytest.fixture
def study(run: Run, wells: Path) -> Path:
    """A launched batch `study` over `wells`."""
    assert run("create_batch", "study", "--task", "answer", "--dataset", "wells", "--assignments", 2).code == 0
    return wells


@FRESH
def test_the_commands_take_a_file_from_import_to_export(run: Run, tmp_path: Path) -> None:
    file = write_records(tmp_path / "wells.jsonl")
    imported = run("import_dataset", file, "--format", "jsonl", "--name", "wells", "--licence", "CC0", "--json")
    assert (imported.code, imported.document["accepted"], imported.err) == (0, 4, "")
    made = run("create_batch", "study", "--task", "answer", "--dataset", "wells", "--assignments", 2, "--json")
    assert (made.code, made.document["hits"]) == (0, 4)
    assert made.document["warnings"] == [
        "Needs 2 different annotators, you have 0. HITs stay unfinished until more join."
    ]
    assert made.document["warnings"][0] in made.err
    read = run("import_judgments", "study", judgments(tmp_path / "j.jsonl", "a", "b"), "--json")
    assert (read.code, read.document) == (0, {"read": 8, "accepted": 8, "already_there": False})
    scored = run("score_batch", "study", "--json")
    assert (scored.code, scored.err) == (0, "")
    assert scored.document["datasets"]["wells"]["answer"]["human_score"]["em"]["value"] == 1
    out = run("export_judgments", "study", "--format", "csv", "--out", tmp_path / "j.csv", "--json")
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
    assert (again.code, again.out) == (0, "Nothing to do: this dataset holds the same file already.\n")
    file = judgments(tmp_path / "j.jsonl", "a", "b")
    assert run("import_judgments", "study", file).out == "8 lines read, 8 judgments stored.\n"
    assert run("import_judgments", "study", file).out.startswith("Nothing to do")
    scored = run("score_batch", "study")
    assert "wells: 4 questions, 0 excluded; scorer musique/1, support by paragraph" in scored.out
    assert "human_score" in scored.out


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
    assert set(FORMATS) == {*WORKED, "csv"}


def refused(ended: Ended, *texts: str) -> None:
    """Exit 1 with the reason on stderr and, where JSON was asked for, in the one document too."""
    assert ended.code == 1
    for text in texts:
        assert text in ended.err
    if ended.out:
        assert texts[0] in ended.document["refused"] or texts[0] in json.dumps(ended.document)


@FRESH
def test_an_unknown_name_is_refused_with_those_there_are(run: Run, study: Path, tmp_path: Path) -> None:
    out = ["--out", tmp_path / "x", "--json"]
    refused(run("export_dataset", "towers", "--format", "jsonl", *out), "no dataset towers", "There are: wells.")
    refused(run("export_judgments", "trial", "--format", "csv", *out), "no batch trial", "There are: study.")
    refused(run("score_batch", "trial", "--json"), "no batch trial")
    refused(run("import_judgments", "trial", study), "no batch trial")
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
    refused(run("create_batch", "b", *made, "--option", "colour=true"), "no option 'colour'", "yes_no")
    refused(run("create_batch", "b", *made, "--option", "support=maybe"), "option support must be bool, not 'maybe'")
    refused(run("create_batch", "b", *made, "--option", "sentences=true", "--json"), "nothing to launch")
    assert [batch.slug for batch in Batch.objects.all()] == ["study"]


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
def test_a_batch_that_was_not_launched_has_no_scores(run: Run, wells: Path) -> None:
    from annotation.flow.batching import create_batch

    project = Project.objects.get()
    create_batch(project, "draft", task="answer", datasets=list(project.datasets.all()), guide="")
    refused(run("score_batch", "draft", "--json"), "was not launched yet")
    refused(run("import_judgments", "draft", wells), "Launch the batch first")


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
    ["export_judgments", "study", "--format", "xml", "--out", "x"],
    ["import_judgments", "study"],
    ["import_judgments", "study", "/no/such/file"],
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
    "judgments": ["import_judgments", "study", "{file}"],
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
@pytest.mark.parametrize("reader", READERS)
def test_a_bad_file_is_refused_in_words_by_every_command(run: Run, study: Path, tmp_path: Path, reader: str) -> None:
    for name, file in bad_files(tmp_path).items():
        arguments = [a.format(file=file, good=study) for a in READERS[reader]]
        ended = run(*arguments, "--json")
        assert ended.code == 1, name
        assert ended.document["refused"], name
        assert ended.err.strip(), name
    assert [dataset.slug for dataset in Dataset.objects.all()] == ["wells"]
    assert Dataset.objects.get().prediction_sets.count() == 0
    assert Batch.objects.get().collections.count() == 0


@FRESH
def test_a_refused_import_lists_its_flaws_where_they_can_be_read(run: Run, tmp_path: Path) -> None:
    broken = records(3)
    del broken[1]["question"]
    file = tmp_path / "w.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in broken))
    command = ["import_dataset", file, "--format", "jsonl", "--name", "wells"]
    told = run(*command)
    refused(told, "1 of 3 records cannot be stored", "error: line 2 (id well-1), question:")
    document = run(*command, "--json").document
    assert (document["read"], document["accepted"], document["skipped"]) == (3, 2, 1)
    assert document["flaws"][0]["place"] == "line 2"
    assert run(*command, "--skip-bad", "--json").document["accepted"] == 2


@FRESH
@pytest.mark.parametrize("place", ["{folder}", "{folder}/none/x", "{folder}/wells.jsonl/x", ".", "", "/dev/null"])
def test_a_place_that_cannot_be_written_is_refused(run: Run, study: Path, place: str) -> None:
    out = place.format(folder=study.parent)
    for command in (["export_dataset", "wells", "--format", "jsonl"], ["export_judgments", "study", "--format", "csv"]):
        refused(run(*command, "--out", out, "--json"), "cannot be written")
    assert [file.name for file in study.parent.iterdir()] == ["wells.jsonl"]


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


def test_a_database_that_was_not_migrated_is_told_in_words(tmp_path: Path) -> None:
    file = write_records(tmp_path / "wells.jsonl")
    commands = [
        f"import_dataset {file} --format jsonl --name wells",
        "create_batch b --task answer --dataset wells",
        f"import_judgments b {file}",
        "score_batch b",
        f"export_dataset wells --format jsonl --out {tmp_path}/x",
        f"export_judgments b --format csv --out {tmp_path}/x",
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


def test_a_shell_sees_the_exit_codes_and_a_document_alone_on_stdout(tmp_path: Path) -> None:
    environment = {"DATABASE_URL": f"sqlite:///{tmp_path}/new.sqlite3", "HOPSCRIBE_VAR": str(tmp_path / "var")}
    assert shell("migrate", "--verbosity", 0, **environment).returncode == 0
    file = write_records(tmp_path / "wells.jsonl")
    done = shell("import_dataset", file, "--format", "jsonl", "--name", "wells", "--json", **environment)
    assert (done.returncode, json.loads(done.stdout)["accepted"], done.stderr) == (0, 4, "")
    gone = shell("score_batch", "study", "--json", **environment)
    assert (gone.returncode, list(json.loads(gone.stdout))) == (1, ["refused"])
    wrong = shell("score_batch", "--json", **environment)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "Traceback" not in gone.stderr + wrong.stderr
