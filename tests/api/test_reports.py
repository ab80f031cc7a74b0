"""Reports, rehearsals and rounds over the API."""

from __future__ import annotations

from typing import Any

import pytest

from annotation import jobs
from annotation.flow.people import qualification_types
from annotation.flow.reports import batch_scores, score_looks
from annotation.models import AuditEntry, Job, Project, QualificationRound
from tests.api.calling import caller, fields_at_fault, member
from tests.flow import acting

pytestmark = pytest.mark.django_db
REPORT = "batches/wells-1/report/"


@pytest.fixture
def api(alice: Any) -> Any:
    return caller(alice)


def test_a_report_is_computed_by_a_job_and_told_as_values_and_tables(
    api: Any, batch: Any, bob: Any, carol: Any, project: Any
) -> None:
    assert api.get(REPORT).json() == {"computed_at": None, "fresh": False, "tables": [], "content": None}
    acting.answer_all(bob, batch)
    rita = member(project, "rita", "reviewer")
    assert rita.post(f"{REPORT}refresh/").status_code == 202
    assert rita.post(f"{REPORT}refresh/", hops=2).status_code == 202
    jobs.run_due_work()
    result = rita.get(REPORT).json()
    assert result["fresh"] is True
    assert result["content"]["datasets"]["wells"]["n"] == 4
    first = result["tables"][0]
    assert all(len(row) == len(first["columns"]) for row in first["rows"])
    assert rita.get(REPORT, hops=2).json()["computed_at"] is not None
    assert rita.get(REPORT, hops=3).json()["computed_at"] is None
    assert fields_at_fault(rita.get(REPORT, hops="x", since="soon")) == {"hops", "since"}
    for format in ("csv", "md", "tex"):
        assert rita.get(f"{REPORT}tables/{first['name']}/{format}/").status_code == 200
    assert rita.get(f"{REPORT}tables/{first['name']}/pdf/").status_code == 404
    assert rita.get(f"{REPORT}tables/none/csv/").status_code == 404
    acting.answer_all(carol, batch)
    assert rita.get(REPORT).json()["fresh"] is False
    stranger = member(Project.objects.create(slug="springs", title="Springs"), "dave", "owner")
    stranger.base = api.base
    assert stranger.get(REPORT).status_code == 404


def test_scores_that_are_sent_before_all_responses_are_in_are_a_look(api: Any, batch: Any, bob: Any) -> None:
    def looks() -> list[int]:
        return [row.details["n"] for row in AuditEntry.objects.filter(act=score_looks.LOOK).order_by("pk")]

    acting.answer_all(bob, batch)
    assert api.get(REPORT).json()["content"] is None
    assert looks() == []
    batch_scores.score_batch(batch)
    assert api.get(f"{REPORT}tables/none/csv/").status_code == 404
    assert api.get(REPORT, hops=3).json()["content"] is None
    assert looks() == []
    assert api.get(f"{REPORT}tables/human-performance/csv/").status_code == 200
    assert looks() == [4]
    assert api.get(REPORT).json()["content"] is not None
    assert looks() == [4]


@pytest.mark.app("dry_run")
def test_a_dry_run_is_asked_for_with_a_crowd(api: Any, batch: Any, project: Any) -> None:
    where = "batches/wells-1/dry-run/"
    sent = api.post(where, workers=5, crowd={"skill": 0.9})
    assert sent.status_code == 202
    arguments = Job.objects.get(public_id=sent.json()["id"]).arguments
    assert (arguments["workers"], arguments["crowd"]["skill"], arguments["crowd"]["hours"]) == (5, 0.9, 2.0)
    assert fields_at_fault(api.post(where, workers=0, crowd={"odd": 1})) == {"workers", "crowd.odd"}
    assert fields_at_fault(api.post(where, crowd={"lazy": 0.9, "spam": 0.9})) == {"crowd"}
    assert member(project, "rita", "reviewer").post(where).status_code == 403


def test_rounds_are_listed_with_their_results(api: Any, project: Any, dataset: Any, bob: Any) -> None:
    type = qualification_types.create_type(project, "Reader", description="Reads.")
    draft = acting.draft(project, "round-1", dataset, purpose="qualification")
    rule = [{"figure": "grade", "dataset": "", "comparator": ">=", "value": 0.5}]
    QualificationRound.objects.create(batch=draft, per_worker=2, rule=rule, grants=type)
    assert fields_at_fault(api.patch("batches/round-1/", sample=0)) == {"sample"}
    assert api.patch("batches/round-1/", sample=1).status_code == 409
    rows = api.get("rounds/").json()["results"]
    assert [(row["batch"], row["grants"], row["rule"]) for row in rows] == [("round-1", type.public_id, rule)]
    assert api.get("rounds/round-1/results/").json()["results"] == []
    assert api.get("rounds/wells-1/results/").status_code == 404
