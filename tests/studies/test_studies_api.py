"""Studies over the API and by the client: listed, shown, launched, compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.people import consent
from annotation.jobs import run_due_work
from annotation.models import Project
from annotation.studies import folders, report
from annotation.studies.models import StudyRun
from tests.api.calling import caller, fields_at_fault, member
from tests.studies.test_studies import own_study, responses

pytestmark = pytest.mark.django_db
NAME = "musique-full-answerability"


@pytest.fixture
def api(alice: Any, project: Project) -> Any:
    consent.fill_in(project, contact="Ada, ada@example.org", ethics="board 7, no. 12")
    return caller(alice)


def test_studies_are_listed_and_shown(api: Any) -> None:
    listed = api.get("studies/").json()["results"]
    assert [row["name"] for row in listed] == folders.names()
    one = api.get(f"studies/{NAME}/").json()
    assert one["published"][0]["paper"] == {
        "value": 0.9,
        "n": 50,
        "place": "Section 6.1, 45 of 50, p. 546",
        "quoted_from": "",
    }
    assert one["data"] == [
        {
            "name": "questions",
            "file": "musique_full_v1.0_dev.jsonl",
            "is_there": False,
            "where": one["data"][0]["where"],
        }
    ]
    assert "What we chose" in one["readme"]
    assert (one["runs"], one["broken"]) == ([], "")
    assert api.get("studies/none/").status_code == 404


def test_a_study_is_launched_by_a_job_and_compared(api: Any, project: Project, tmp_path: Path) -> None:
    refused = api.post(f"studies/{NAME}/launch/")
    assert refused.status_code == 409
    assert "musique_full_v1.0_dev.jsonl" in refused.json()["detail"]
    assert fields_at_fault(api.post(f"studies/{NAME}/launch/", scale=20, seed=-1, x=1)) == {"x"}
    assert fields_at_fault(api.post(f"studies/{NAME}/launch/", scale=20, seed=-1)) == {"scale", "seed"}
    terms = {"run": "pilot", "small": True, "seed": 2, "scale": 0.5}
    job = api.post(f"studies/{NAME}/launch/", key="a", **terms)
    assert job.status_code == 202
    assert api.post(f"studies/{NAME}/launch/", key="a", **terms).json() == job.json()
    run_due_work()
    result = api.get(f"jobs/{job.json()['id']}/").json()["result"]
    assert (result["run"], result["datasets"]["drawn"], result["batches"]) == ("pilot", 50, {"labels": 25})
    assert api.get(f"studies/{NAME}/").json()["runs"] == ["pilot"]
    address = f"studies/{NAME}/runs/pilot/"
    found = api.get(address).json()
    assert (found["seed"], found["scale"], found["small"]) == (2, 0.5, True)
    assert found["batches"] == {"labels": "pilot-labels"}
    assert [row["note"] for row in found["figures"]] == ["no responses yet"]
    run = StudyRun.objects.get()
    report.take_responses(run, responses(run, tmp_path))
    assert api.post("batches/pilot-labels/report/refresh/").status_code == 202
    run_due_work()
    [row] = api.get(address).json()["figures"]
    assert (row["ours"]["n"], row["note"]) == (result["batches"]["labels"], "its interval is not up to date")
    assert api.post(f"{address}scores/").status_code == 202
    run_due_work()
    [row] = api.get(address).json()["figures"]
    assert (row["note"], row["why"]) == ("", "fewer than seven people")
    assert row["difference"]["value"] == pytest.approx(row["ours"]["value"] - 0.9)
    assert api.get("studies/musique-human-score/runs/pilot/").status_code == 404
    assert api.post(f"studies/{NAME}/launch/", run="pilot", small=True, seed=3).status_code == 409


def test_who_may_see_a_study_may_not_always_launch_it(api: Any, project: Project) -> None:
    rita = member(project, "rita", "reviewer")
    assert rita.get(f"studies/{NAME}/").status_code == 200
    assert rita.post(f"studies/{NAME}/launch/", small=True).status_code == 403
    assert not StudyRun.objects.exists()


def test_a_broken_study_is_listed_with_its_error(api: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = own_study(tmp_path)
    (root / "mine" / "study.yaml").write_text("title: Mine\n")
    monkeypatch.setattr(folders, "root", lambda: root)
    [row] = api.get("studies/").json()["results"]
    assert row["broken"].startswith("studies/mine/study.yaml: paper: write a text")
    assert api.get("studies/mine/").status_code == 404
