"""HITs, assignments, judgments and verdicts over the API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import jobs
from annotation.flow.batches import batch_launch
from annotation.flow.reports import batch_scores
from annotation.flow.review import problem_reports
from annotation.models import Job, Project
from tests.api.calling import caller, fields_at_fault, member
from tests.flow.acting import answer_all, submit, take

pytestmark = pytest.mark.django_db
HITS = "batches/wells-1/hits/"


@pytest.fixture
def api(alice: Any) -> Any:
    return caller(alice)


@pytest.fixture
def done(batch: Any, bob: Any, carol: Any) -> Any:
    """Bob answered everything, Carol two, and one is under her hands."""
    answer_all(bob, batch)
    answer_all(carol, batch, most=2)
    take(carol, batch)
    return batch


def queries(api: Any, path: str) -> int:
    api.get(path)
    with CaptureQueriesContext(connection) as found:
        assert api.get(path).status_code == 200
    return len(found)


def test_hits_are_listed_by_what_is_asked_and_shown_whole(api: Any, done: Any) -> None:
    rows = api.get(HITS).json()["results"]
    assert len(rows) == 4
    assert {row["dataset"] for row in rows} == {"wells"}
    assert len(api.get(HITS, state="done").json()["results"]) == 2
    assert len(api.get(HITS, state="open", hops=2, dataset="wells").json()["results"]) == 2
    assert api.get(HITS, hops=3).json()["results"] == api.get(HITS, checks="true").json()["results"] == []
    assert fields_at_fault(api.get(HITS, state="odd", disagreement="2")) == {"state", "disagreement"}

    ready = api.get(HITS, state="done").json()["results"][0]["id"]
    result = api.get(f"{HITS}{ready}/").json()
    assert result["example"]["answers"]
    assert result["payload"]["paragraphs"]
    assert result["aggregate"]["settled"]
    assert [work["state"] for work in result["assignments"]] == ["submitted"] * 2
    assert result["assignments"][0]["answer"]["text"].startswith("Tower")
    first = api.get(HITS, limit=3).json()
    assert len(first["results"]) == 3
    assert len(api.client.get(first["next"]).json()["results"]) == 1


def test_disagreement_is_told_once_all_responses_are_in(api: Any, done: Any) -> None:
    batch_scores.score_batch(done)
    assert {row["disagreement"] for row in api.get(HITS).json()["results"]} == {None}
    assert api.get(HITS, disagreement="0").json()["results"] == []
    batch_launch.close(done)
    assert {row["disagreement"] for row in api.get(HITS, state="done").json()["results"]} == {0.0}
    assert len(api.get(HITS, disagreement="0").json()["results"]) == 4  # with those that have one response


def test_a_hit_is_excluded_with_a_reason_and_restored(api: Any, done: Any, project: Any, alice: Any) -> None:
    one = api.get(HITS).json()["results"][0]["id"]
    assert fields_at_fault(api.post(f"{HITS}{one}/exclude/")) == {"reason"}
    result = api.post(f"{HITS}{one}/exclude/", reason="Two towers.").json()
    assert (result["state"], result["exclusion_reason"]) == ("excluded", "Two towers.")
    assert api.post(f"{HITS}{one}/restore/").json()["excluded_at"] is None
    assert member(project, "rita", "reviewer").post(f"{HITS}{one}/exclude/", reason="No.").status_code == 200
    assert caller(alice, scope="read").post(f"{HITS}{one}/restore/").status_code == 403
    elsewhere = Project.objects.create(slug="springs", title="Springs")
    foreign = member(elsewhere, "dave", "owner")
    assert foreign.get(f"{HITS}{one}/").status_code == 404
    assert foreign.get("assignments/").json()["results"] == []


def test_assignments_are_narrowed_and_cost_the_same_for_few_and_many(api: Any, done: Any, bob: Any, carol: Any) -> None:
    rows = api.get("assignments/", batch="wells-1").json()["results"]
    assert len(rows) == 7
    assert {row["worker"] for row in rows} == {bob.pseudonym, carol.pseudonym}
    assert len(api.get("assignments/", worker=carol.pseudonym, state="submitted").json()["results"]) == 2
    assert len(api.get("assignments/", worker=bob.public_id).json()["results"]) == 4
    assert api.get("assignments/", worker="nobody").json()["results"] == []
    assert api.get("assignments/", since="2999-01-01T00:00:00Z").json()["results"] == []
    one = rows[0]["id"]
    assert api.get(f"assignments/{one}/").json() == rows[0]
    assert api.get("assignments/none/").status_code == 404
    for path in ("assignments/", HITS, "batches/wells-1/aggregates/", "batches/wells-1/responses/"):
        assert queries(api, f"{path}?limit=1") == queries(api, path), path


def test_responses_and_aggregates_come_as_lists_and_as_files(api: Any, done: Any, bob: Any) -> None:
    rows = api.get("batches/wells-1/responses/").json()["results"]
    assert len(rows) == 6
    assert {row["current"] for row in rows} == {True}
    file = api.get("batches/wells-1/responses/export/jsonl/")
    assert [json.loads(line) for line in b"".join(file.streaming_content).splitlines()] == rows
    assert {(row["dataset"], row["hops"], row["shape"]) for row in rows} == {("wells", 2, "")}
    assert all(row["question"] and row["gold"] for row in rows)
    bare = api.get("batches/wells-1/responses/?ids_only=true").json()["results"]
    file = api.get("batches/wells-1/responses/export/jsonl/?ids_only=true")
    assert [json.loads(line) for line in b"".join(file.streaming_content).splitlines()] == bare
    dropped = set(rows[0]) - set(bare[0])
    assert dropped == {"question", "gold", "gold_set", "as_of"} | {
        "gold_support",
        "answerable",
        "hops",
        "shape",
        "pair",
        "score",
    }
    result = api.client.get(f"{api.base}batches/wells-1/responses/export/csv/", headers={"accept": "text/csv"})
    assert b"".join(result.streaming_content).startswith(b"batch,assignment")
    assert api.get("batches/wells-1/responses/export/xlsx/").status_code == 404
    aggregates = api.get("batches/wells-1/aggregates/").json()["results"]
    assert [(row["answers"], row["kind"], row["excluded"]) for row in aggregates].count((2, "span", False)) == 2
    file = api.get("batches/wells-1/aggregates/export/jsonl/")
    assert [json.loads(line) for line in b"".join(file.streaming_content).splitlines()] == aggregates


def test_responses_of_others_are_taken_in_by_a_job(api: Any, batch: Any, bob: Any, project: Any) -> None:
    submit(taken := take(bob, batch))
    answer = taken.responses.get().answer
    line = {"dataset": "wells", "item": taken.hit.item.position, "worker": "W1", "answer": answer}
    body = (json.dumps(line) + "\n").encode()
    path = f"{api.base}batches/wells-1/responses/"
    sent = api.client.post(path, body, content_type="application/octet-stream")
    assert sent.status_code == 202, sent.content
    jobs.run_due_work()
    assert Job.objects.get(public_id=sent.json()["id"]).result["accepted"] == 1
    form = {"file": SimpleUploadedFile("more.jsonl", body)}
    assert api.client.post(path, form).status_code == 202
    assert fields_at_fault(api.client.post(path, b"", content_type="application/octet-stream")) == {"file"}
    assert member(project, "rita", "reviewer").client.post(path, form).status_code == 403


def test_responses_are_narrowed_by_time_and_by_worker(api: Any, done: Any, carol: Any) -> None:
    where = "batches/wells-1/responses/"
    rows = api.get(where).json()["results"]
    later = api.get(where, since=rows[3]["submitted_at"]).json()["results"]
    assert later == [row for row in rows if row["submitted_at"] >= rows[3]["submitted_at"]]
    assert len(api.get(where, worker=carol.pseudonym).json()["results"]) == 2
    assert api.get(where, worker="nobody").json()["results"] == []
    assert fields_at_fault(api.get(where, since="yesterday")) == {"since"}


def test_reports_of_problems_are_listed_and_decided(api: Any, batch: Any, bob: Any, project: Any) -> None:
    row = take(bob, batch)
    noted = problem_reports.report_problem(row, reason="unclear", text="Which tower?")
    where = "batches/wells-1/problem-reports/"
    (result,) = api.get(where, state="open").json()["results"]
    assert (result["id"], result["hit"], result["assignment"]) == (noted.pk, row.hit.public_id, row.public_id)
    assert (result["worker"], result["reason"], result["text"]) == (bob.pseudonym, "unclear", "Which tower?")
    one = f"{where}{noted.pk}/"
    assert [api.post(f"{one}keep/").json()["state"] for _twice in range(2)] == ["kept"] * 2
    assert api.get(where, state="open").json()["results"] == []
    assert api.post(f"{one}reopen/").json()["decided_at"] is None
    api.post(f"{HITS}{row.hit.public_id}/exclude/", reason="Unclear.")
    assert api.get(where).json()["results"][0]["state"] == "excluded"
    assert api.post(f"{one}keep/").status_code == 409
    assert api.post(f"{one}reopen/").json()["state"] == "open"
    assert api.get(f"{HITS}{row.hit.public_id}/").json()["state"] == "open"
    before = queries(api, where)
    problem_reports.report_problem(take(bob, batch), reason="broken", text="")
    assert queries(api, where) == before
    assert member(project, "rita", "reviewer").get(where).status_code == 200


def test_the_log_is_read_by_those_who_run_the_project(api: Any, batch: Any, bob: Any, project: Any) -> None:
    api.post(f"workers/{bob.pseudonym}/block/", reason="Guesses.")
    api.post("batches/wells-1/pause/")
    lines = api.get("log/").json()["results"]
    assert [(one["act"], one["kind"], one["via"]) for one in lines[:2]] == [
        ("paused", "batch", "api"), ("blocked", "annotator", "api")
    ]  # fmt: skip
    assert (lines[0]["key"], lines[0]["batch"], lines[1]["name"]) == ("wells-1", "wells-1", bob.pseudonym[:8])
    assert [one["act"] for one in api.get("log/", kind="annotator", since="2020-01-01").json()["results"]] == [
        "blocked"
    ]
    assert len(api.get("log/", until="9999-12-31").json()["results"]) == len(lines)
    assert fields_at_fault(api.get("log/", kind="weather", since="x")) == {"kind", "since"}
    assert member(project, "rita", "reviewer").get("log/").status_code == 403
