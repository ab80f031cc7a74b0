"""The Python client against a server: the README's notebook as it stands there, and what else it can do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from hopscribe_client import Hopscribe, HopscribeError, JobFailed, Problem

from annotation.flow.projects import api_tokens
from annotation.jobs import run_due_work
from annotation.models import ApiRequest, Dataset
from tests.conftest import records, write_records

ROOT = Path(__file__).resolve().parent.parent.parent


def notebook() -> str:
    """The block of Python under "A whole study"."""
    section = (ROOT / "docs/client.md").read_text().partition("## A whole study")[2].partition("\n## ")[0]
    found = re.search(r"```python\n(.*?)```", section, re.S)
    assert found
    return found[1]


@pytest.mark.soak
def test_the_study_of_the_guide_runs_as_it_stands_there(
    town: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "dev.jsonl", 6)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(notebook(), "docs/client.md", "exec"), names)
    result = capsys.readouterr().out
    assert "open: 8 of 8 answers, 0 in work" in result
    assert "Human" in result
    assert len(names["responses"]) == 8
    assert (tmp_path / "responses.parquet").read_bytes()[:4] == b"PAR1"
    lines = (tmp_path / "verified.jsonl").read_text().splitlines()
    assert len(lines) == 4
    assert set(json.loads(lines[0])["answers"]) < {f"Tower {k}" for k in range(6)}


def test_datasets_are_brought_in_read_derived_and_removed(hopscribe: Hopscribe, tmp_path: Path) -> None:
    made = hopscribe.datasets.add(iter(records(120)), name="wells", licence="CC0")
    assert (made.size, made.facts["licence"], str(made)) == (120, "CC0", "<Dataset wells: 120 items>")
    again = hopscribe.datasets.add(records(120), name="wells")
    assert again.facts["created_at"] == made.facts["created_at"], "the same content under the same name"
    assert [item["id"] for item in made.items()] == [f"well-{k}" for k in range(120)], "more than a page"
    assert len(made.items(q="year 11?").to_list()) == 1
    parts = made.derive("splits", name="parts", seed=7)
    assert sum(part.size for part in parts) <= 120
    assert {part.name for part in parts} < {one.name for one in hopscribe.datasets}
    assert made.document("card", tmp_path / "card.md").read_text().startswith("---")
    assert parts[0].remove().kind == "remove_dataset"
    assert any(way["how"] == "splits" for way in hopscribe.datasets.derivations())


def test_records_and_files_of_own_columns_are_mapped(hopscribe: Hopscribe, tmp_path: Path) -> None:
    rows = [{"q": "Who dug it?", "ans": "Mara", "passage_1": "Mara dug it.", "passage_2": "The inn is old."}]
    own = {"question": "q", "answer": "ans", "paragraph": ["passage_*"]}
    made = hopscribe.datasets.add(rows, name="mine", map=own)
    assert [item["question"] for item in made.items()] == ["Who dug it?"]
    assert made.facts["features"]["paragraphs"] == {"2": 1}
    (tmp_path / "table.csv").write_text("\n".join([",".join(rows[0]), ",".join(rows[0].values())]))
    assert hopscribe.datasets.add(tmp_path / "table.csv", name="table", map=own).size == 1


def test_what_the_server_refuses_is_an_exception_that_says_why(hopscribe: Hopscribe, tmp_path: Path) -> None:
    with pytest.raises(Problem) as refused:
        hopscribe.batches.create("x", task="answer", datasets=["missing"])
    assert refused.value.status == 422
    assert [error["field"] for error in refused.value.errors] == ["datasets"]
    with pytest.raises(Problem, match="404"):
        hopscribe.datasets["missing"]
    with pytest.raises(JobFailed) as failed:
        hopscribe.datasets.add([{"id": "1", "question": 7}], name="bad")
    assert failed.value.job.result["flaws"][0]["field"] == "question"
    with pytest.raises(Problem, match="404"):
        hopscribe.datasets["wells"].export("nonsense", tmp_path / "file")
    assert list(tmp_path.iterdir()) == [], "no half of a file"


def test_a_batch_is_changed_paused_topped_up_closed_and_discarded(hopscribe: Hopscribe) -> None:
    hopscribe.datasets.add(records(2), name="wells")
    batch = hopscribe.batches.create("One", task="answer", datasets=["wells"], assignments_per_hit=1)
    assert batch.change(title="First").facts["title"] == "First"
    with pytest.raises(TimeoutError, match="draft"):
        list(batch.watch(every=0.05, timeout=0.1))
    assert batch.launch().pause().state == "paused"
    assert [progress.finished for progress in batch.resume().watch(every=0.1, timeout=10)][-1]
    assert batch.add_assignments().progress.places == 4
    assert [progress.done for progress in batch.watch(every=0.1, timeout=10)][-1] == 4
    assert batch.close().state == "closed"
    assert {hit["dataset"] for hit in batch.hits()} == {"wells"}
    hopscribe.batches.create("Two", task="answer", datasets=["wells"]).discard()
    assert [one.name for one in hopscribe.batches] == [batch.name]
    assert {job.state for job in hopscribe.jobs.list(kind="launch_batch")} == {"done"}


def test_a_round_holds_its_pool_and_a_launch_says_what_is_missing(hopscribe: Hopscribe) -> None:
    wells = hopscribe.datasets.add(records(5), name="wells")
    readers = hopscribe.batches.create_round(
        "Readers", task="answer", datasets=[wells], per_worker=2, grants="Careful", pool=3
    )
    assert readers.launch().launched["hits"] == 3
    assert len(readers.hits().to_list()) == 3
    batch = hopscribe.batches.create("Study", task="answer", datasets=[wells], sample=4, assignments_per_hit=1)
    result = batch.launch().launched
    assert (result["asked"], result["hits"]) == (4, 2)
    assert result["left_out"] == [
        {"dataset": "wells", "items": 2, "why": "Reserved for the qualification round readers."}
    ]


@pytest.mark.soak
def test_frames_have_the_same_columns_everywhere(hopscribe: Hopscribe) -> None:
    hopscribe.datasets.add(records(2), name="wells")
    batch = hopscribe.batches.create("One", task="answer", datasets=["wells"], assignments_per_hit=2).launch()
    list(batch.watch(every=0.1, timeout=10))
    rows = batch.responses()
    frames = [list(rows.to_pandas().columns), rows.to_polars().columns, rows.to_dataset().column_names]
    assert frames[0] == frames[1] == frames[2]
    assert sorted(rows.to_polars()["answer.text"].to_list()) == sorted(rows.to_pandas()["answer.text"])
    assert rows.to_dataset()[0]["answer.support"] == rows.to_list()[0]["answer"]["support"]
    assert batch.aggregates().to_polars().height == 2


@pytest.mark.app("webhooks")
def test_webhooks_are_added_tested_and_removed(hopscribe: Hopscribe) -> None:
    made = hopscribe.webhooks.add("http://127.0.0.1:45997/", kinds=["job"], note="ours")
    first = made.secret
    assert first.startswith("whsec_")
    assert made.rotate().secret != first
    made.test()
    (sent,) = made.deliveries(state="due")
    assert sent["type"] == "webhook.test"
    assert made.send_again(sent)["tries"] == 0
    assert made.change(active=False).facts["active"] is False
    assert [one.facts["note"] for one in hopscribe.webhooks] == ["ours"]
    made.remove()
    assert list(hopscribe.webhooks) == []


def test_a_models_predictions_are_imported_listed_and_deleted(hopscribe: Hopscribe, tmp_path: Path) -> None:
    hopscribe.datasets.add(records(2), name="wells")
    batch = hopscribe.batches.create("One", task="answer", datasets=["wells"]).launch()
    file = tmp_path / "judged.jsonl"
    file.write_text(json.dumps({"item": 1, "answer": {"text": "Tower 1", "support": [0]}, "cost": 0.5}))
    assert batch.import_predictions(file, model="judge")["accepted"] == 1
    assert [(row["name"], row["items"], row["cost"]) for row in batch.models()] == [("judge", 1, "0.50000000")]
    file.write_text(json.dumps({"item": 7, "answer": {"text": "Tower 1", "support": [0]}}))
    with pytest.raises(JobFailed, match="line 1, item: the dataset has no item 7"):
        batch.import_predictions(file, model="other")
    batch.delete_predictions("judge")
    assert list(batch.models()) == []
    with pytest.raises(HopscribeError, match="one has no predictions of judge"):
        batch.delete_predictions("judge")


@pytest.mark.app("studies")
def test_the_client_launches_a_study_and_reads_its_figures(
    project: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _token, text = api_tokens.make(alice)
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)  # as Django's own test client
    site = httpx.WSGITransport(app=WSGIHandler())
    hopscribe = Hopscribe("http://testserver", text, "wells", transport=site, pause=lambda _seconds: run_due_work())
    study = hopscribe.studies["musique-full-answerability"]
    with pytest.raises(Problem, match=r"musique_full_v1\.0_dev\.jsonl"):
        study.launch()
    consent = {"contact": "Ada, ada@example.org", "ethics": "board 7, no. 12"}
    run = study.launch("pilot", small=True, seed=1, scale=0.1, **consent)
    assert repr(run) == "<StudyRun pilot of musique-full-answerability>"
    assert run.facts == study.run("pilot").facts
    assert set(run.batches) == {"labels"}
    assert [row["ours"] for row in run.report()] == [None]
    assert study.refresh().facts["runs"] == ["pilot"]
    assert study.name in {one.name for one in hopscribe.studies}


def test_every_write_carries_a_key(hopscribe: Hopscribe) -> None:
    hopscribe.datasets.add(records(2), name="wells")
    hopscribe.batches.create("One", task="answer", datasets=["wells"])
    assert ApiRequest.objects.count() == 2
    assert Dataset.objects.count() == 1


def test_what_a_notebook_shows_of_things_says_what_they_are(hopscribe: Hopscribe, tmp_path: Path) -> None:
    wells = hopscribe.datasets.add(records(2), name="wells")
    batch = hopscribe.batches.create("One", task="answer", datasets=[wells])
    shown = [hopscribe, hopscribe.datasets, hopscribe.batches, hopscribe.jobs, hopscribe.webhooks, batch.responses()]
    assert not any("object at 0x" in repr(one) for one in shown)
    assert repr(batch.responses()).startswith("<Rows: responses of one;")
    with pytest.raises(JobFailed, match="question"):
        hopscribe.datasets.add([{"id": "1", "question": 7}], name="bad")
    with pytest.raises(Problem, match=r"404 Not Found: .* \(GET /api/v1/projects/wells/batches/none/\)"):
        hopscribe.batches["none"]
    with pytest.raises(HopscribeError, match="jsonl, csv, parquet, qrels, not as xlsx"):
        batch.export(tmp_path / "j.xlsx")
    with pytest.raises(Problem, match=r"one of: .*answer.*compose"):
        hopscribe.batches.create("Two", task="anser", datasets=[wells])


@pytest.mark.soak
def test_what_has_no_method_of_its_own_is_called_by_its_path(hopscribe: Hopscribe) -> None:
    wells = hopscribe.datasets.add(records(4), name="wells")
    assert wells.change(licence="CC0").facts["licence"] == "CC0"
    batch = hopscribe.batches.create("One", task="answer", datasets=[wells], sample=1, assignments_per_hit=1).launch()
    assert batch.clone(title="Again").facts["title"] == "Again"
    assert batch.next(2, name="more").facts["sample"] == 2
    assert {row["name"] for row in hopscribe.batches.tasks()} > {"answer", "compose"}
    workers = hopscribe.rows("workers/", active=True).to_list()
    assert len(workers) == 2
    blocked = hopscribe.call("post", f"workers/{workers[0]['id']}/block/", {"reason": "Guesses."})
    assert blocked["block_reason"] == "Guesses."
    assert hopscribe.call("GET", "workers/", blocked=True)["results"] == [blocked]
    assert ApiRequest.objects.filter(status=200).exists()


def test_a_plan_is_asked_what_it_can_find(hopscribe: Hopscribe) -> None:
    found = hopscribe.power(items=115, workers=30, first=0.8, second=0.75, seed=3)
    assert (found["responses"], found["seed"]) == (690, 3)
    assert "the same 115 items" in found["text"]
    with pytest.raises(Problem, match="at least 6 workers"):
        hopscribe.power(items=115, workers=4)


def test_a_batch_is_preregistered_before_its_first_response(hopscribe: Hopscribe) -> None:
    wells = hopscribe.datasets.add(records(2), name="wells")
    batch = hopscribe.batches.create("One", task="answer", datasets=[wells])
    with pytest.raises(Problem, match="404"):
        batch.preregistration()
    made = batch.preregister(hypotheses="Longer is harder.", analysis="A paired test.")
    assert batch.preregistration() == made
    assert made["document"]["hypotheses"] == "Longer is harder."
