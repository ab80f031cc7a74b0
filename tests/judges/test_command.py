"""`ask_model`: what it says before anything is sent, what it stores, and what a kill costs."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from decimal import Decimal
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.flow.reports.model_predictions import import_predictions
from annotation.judges.models import ModelRun
from tests.batches import create_batch
from tests.conftest import write_records
from tests.judges.conftest import RUBRIC
from tests.judges.double import Double, running
from tests.long_forms import first
from tests.process.installation import Installation, kill

ENDPOINT = ("--model", "oracle-1", "--price-in", "2.5", "--price-out", "10", "--most-cost", "5")


def run(*arguments: str, double: Double) -> tuple[str, str]:
    """What the command prints on stdout and stderr."""
    out, err = StringIO(), StringIO()
    given = ("--project", "wells", "--endpoint", double.url, *arguments)
    call_command("ask_model", *given, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_dry_run_prints_three_prompts_and_the_estimate_and_sends_nothing(rated: Any, double: Double) -> None:
    type(rated.datasets.get()).objects.update(licence="CC-BY-4.0", file_name="wells.test.jsonl")
    out, _err = run("--batch", "rated", *ENDPOINT, "--dry-run", double=double)
    assert out.count('"role": "user"') == 3
    fields = "fields:   paragraphs, question"
    for said in ("127.0.0.1", "oracle-1", fields, "4 (4 requests", "CC-BY-4.0", "at most $", "test split"):
        assert said in out, said
    assert not double.requests
    assert not ModelRun.objects.exists()


def test_a_dry_run_leaves_no_draft_and_no_other_ceiling(
    project: Any, rated: Any, double: Double, tmp_path: Path
) -> None:
    run("--batch", "rated", *ENDPOINT, "--yes", double=double)
    before = ModelRun.objects.values().get()
    run("--batch", "rated", *ENDPOINT, "--most-calls", "7", "--dry-run", double=double)
    assert ModelRun.objects.values().get() == before
    file = tmp_path / "rubric.json"
    file.write_text(json.dumps(RUBRIC | {"title": "Another rubric"}))
    given = ("--dataset", "wells", "--task", "rate", "--rubric", str(file), *ENDPOINT, "--dry-run")
    out, _err = run(*given, double=double)
    assert out.count('"role": "user"') == 3
    assert project.batches.count() == 1


def test_nothing_is_sent_without_a_yes(rated: Any, double: Double) -> None:
    with pytest.raises(CommandError, match="--yes"):
        run("--batch", "rated", *ENDPOINT, double=double)
    assert not double.requests
    out, _err = run("--batch", "rated", *ENDPOINT, "--yes", double=double)
    assert "answered: 4" in out
    assert "state: done" in out


def test_a_dataset_is_asked_with_a_rubric_by_way_of_a_draft(
    project: Any, dataset: Any, double: Double, tmp_path: Path
) -> None:
    file = tmp_path / "rubric.json"
    file.write_text(json.dumps(RUBRIC))
    given = ("--dataset", "wells", "--task", "rate", "--rubric", str(file), *ENDPOINT, "--yes")
    run(*given, double=double)
    run(*given, double=double)
    assert [batch.state for batch in project.batches.all()] == ["draft"]
    assert len(double.requests) == 4
    file.write_text(json.dumps(RUBRIC | {"title": "Another rubric"}))
    run(*given, double=double)
    assert project.batches.count() == 2


def test_the_answers_are_written_as_lines_that_can_be_imported(
    rated: Any, project: Any, dataset: Any, double: Double, tmp_path: Path
) -> None:
    file = tmp_path / "answers.jsonl"
    run("--batch", "rated", *ENDPOINT, "--samples", "2", "--yes", "--out", str(file), double=double)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(row["item"], row["run"]) for row in rows] == [(item, run) for item in range(4) for run in (1, 2)]
    other = create_batch(project, "other", task="rate", datasets=[dataset], options={"rubric": RUBRIC})
    assert import_predictions(other, dataset, file, model="oracle-1")["accepted"] == 8


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "either --batch or --dataset"),
        (("--batch", "rated", "--task", "rate"), "go with --dataset"),
        (("--dataset", "wells"), "needs --task"),
        (("--batch", "none"), "There is no batch none"),
        (("--batch", "rated", "--price-in", "NaN"), "dollars"),
        (("--batch", "rated", "--temperature", "3"), "0 to 2"),
    ],
)
def test_wrong_usage_says_what_to_give(arguments: tuple[str, ...], says: str, rated: Any, double: Double) -> None:
    with pytest.raises(CommandError, match=says):
        run(*arguments, "--model", "m", "--most-calls", "1", double=double)


@pytest.mark.parametrize("seed", first(1, range(6)))
def test_killed_and_restarted_each_item_is_stored_once_and_the_ceiling_kept(
    seed: int, tmp_path: Path, migrated: Path
) -> None:
    rng, size, kills = Random(seed), 40, 3
    shutil.copy(migrated, tmp_path / "hopscribe.sqlite3")
    place = Installation(tmp_path, f"sqlite:///{tmp_path / 'hopscribe.sqlite3'}", static=tmp_path / "none", ready=True)
    place.environment["MODEL_ENDPOINTS"] = "127.0.0.1"
    rubric = tmp_path / "rubric.json"
    rubric.write_text(json.dumps(RUBRIC))
    write_records(tmp_path / "wells.jsonl", size)
    double = Double({"429": 0.05, "500": 0.05, "prose": 0.05, "no-usage": 0.1}, seed=seed)
    with running(double):
        place.manage("import_dataset", str(tmp_path / "wells.jsonl"), "--name", "wells", "--format", "jsonl")
        command = ["manage.py", "ask_model", "--dataset", "wells", "--task", "rate", "--yes"]
        command += ["--rubric", str(rubric), "--endpoint", double.url, "--concurrency", "4", *ENDPOINT]
        for _time in range(kills):
            process = place.spawn([sys.executable, *command], log="killed.log")
            for _call in range(rng.randint(1, size // kills)):
                if process.poll() is None:
                    double.arrived.acquire(timeout=30)
            kill(process)
        place.run(command)
    place.close()
    with sqlite3.connect(tmp_path / "hopscribe.sqlite3") as database:
        settled = "state IN ('answered', 'misfit', 'refused')"
        [(n, items)] = database.execute(
            f"SELECT COUNT(*), COUNT(DISTINCT item_id) FROM judges_modelcall WHERE {settled}"
        )
        [(stored,)] = database.execute("SELECT COUNT(*) FROM annotation_modelprediction")
        [(answered,)] = database.execute("SELECT COUNT(*) FROM judges_modelcall WHERE state = 'answered'")
        [(lost,)] = database.execute("SELECT COUNT(*) FROM judges_modelcall WHERE state = 'lost'")
        [(spent, made, state)] = database.execute("SELECT spent, calls_made, state FROM judges_modelrun")
        [(cost, calls)] = database.execute("SELECT SUM(cost), COUNT(*) FROM judges_modelcall")
    assert (n, items, state) == (size, size, "done")
    assert stored == answered
    assert lost <= 4 * kills, "at most as many as were under way are repeated"
    assert len(double.requests) <= made == calls
    assert Decimal(str(spent)) <= 5
    assert spent == pytest.approx(cost)
