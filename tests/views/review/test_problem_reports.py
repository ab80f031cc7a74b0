"""What annotators report, and deciding on it."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.review import problem_reports
from annotation.models import ProblemReport
from tests.views.console import at, take


@pytest.fixture
def problem_report(bob: Any, batch: Any) -> ProblemReport:
    return problem_reports.report_problem(take(bob, batch), reason="several_answers", text="Two <towers> stand there")


def test_the_queue_shows_reason_text_and_item(client: Any, alice: Any, problem_report: ProblemReport) -> None:
    client.force_login(alice)
    html = client.get(at("problem-reports")).content.decode()
    assert "Several answers are right" in html
    assert "Two &lt;towers&gt; stand there" in html
    assert at("hit", problem_report.assignment.hit.public_id) in html


def test_keeping_closes_the_report_and_leaves_the_item(client: Any, alice: Any, problem_report: ProblemReport) -> None:
    client.force_login(alice)
    client.post(at("problem-report-keep", problem_report.pk))
    problem_report.refresh_from_db()
    assert problem_report.state == "kept"
    assert problem_report.assignment.hit.excluded_at is None
    for open_ones in ("", "?show=", "?show=anything"):
        assert client.get(at("problem-reports") + open_ones).context["page"].paginator.count == 0
    assert client.get(at("problem-reports") + "?show=decided").context["page"].paginator.count == 1


def test_voiding_takes_the_item_out_for_the_reported_reason(
    client: Any, alice: Any, problem_report: ProblemReport
) -> None:
    client.force_login(alice)
    client.post(at("problem-report-exclude", problem_report.pk))
    problem_report.refresh_from_db()
    hit = problem_report.assignment.hit
    assert problem_report.state == "excluded"
    assert hit.exclusion_reason == "Several answers are right: Two <towers> stand there"


@pytest.mark.parametrize("decision", ["problem-report-keep", "problem-report-exclude"])
def test_a_decision_can_be_undone(client: Any, alice: Any, problem_report: ProblemReport, decision: str) -> None:
    client.force_login(alice)
    client.post(at(decision, problem_report.pk))
    client.post(at("problem-report-reopen", problem_report.pk))
    problem_report.refresh_from_db()
    assert (problem_report.state, problem_report.decided_at) == ("open", None)
    assert problem_report.assignment.hit.excluded_at is None


def test_a_decided_report_is_not_decided_again(client: Any, alice: Any, problem_report: ProblemReport) -> None:
    client.force_login(alice)
    client.post(at("problem-report-keep", problem_report.pk))
    client.post(at("problem-report-exclude", problem_report.pk))
    problem_report.refresh_from_db()
    assert problem_report.state == "kept"
    assert problem_report.assignment.hit.excluded_at is None


@pytest.mark.parametrize("decision", ["problem-report-keep", "problem-report-exclude", "problem-report-reopen"])
def test_only_requesters_decide_and_only_by_posting(
    client: Any, alice: Any, bob: Any, problem_report: ProblemReport, decision: str
) -> None:
    client.force_login(bob.user)
    assert client.post(at(decision, problem_report.pk)).status_code == 404
    client.force_login(alice)
    assert client.get(at(decision, problem_report.pk)).status_code == 405
