"""Erased responses are gone from every page and file; that there was one stays, with the decisions on it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from annotation.flow.data import response_files
from annotation.flow.people import worker_erasure
from annotation.flow.reports import batch_scores
from annotation.flow.review import review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.flow.work import next_assignment
from annotation.models import Assignment, AuditEntry, ProblemReport, WorkerResponse
from annotation.pure.review import review_state
from tests.conftest import answer_to
from tests.flow.acting import submit, take

pytestmark = pytest.mark.postgresql(reason="a trigger keeps responses from being changed")
SAID = "the far shore"  # by the worker, and by no text of the data


@pytest.fixture
def erased(batch: Any, bob: Any) -> Assignment:
    row = take(bob, batch)
    assert row is not None
    submit(row, answer_to(row) | {"kind": "typed", "text": SAID})
    row.refresh_from_db()
    decision = Decision(review_state.DISCARDED, {}, reason="The participant withdrew.")
    review_decisions.decide(row, row.revision, decision, reviewer=None)
    Assignment.objects.filter(pk=row.pk).update(draft={"note": "mine"})
    assert worker_erasure.erase(Assignment.objects.filter(pk=row.pk)) == 1
    row.refresh_from_db()
    return row


def test_the_content_is_gone_and_the_decision_stays(erased: Assignment) -> None:
    assert not WorkerResponse.objects.filter(assignment=erased).exists()
    assert (erased.state, erased.draft, erased.reviews.count()) == ("submitted", None, 1)
    assert worker_erasure.erase(Assignment.objects.filter(pk=erased.pk)) == 0
    assert AuditEntry.objects.filter(act="erased").count() == 1


def test_pages_files_and_figures_lack_it(erased: Assignment, batch: Any, alice: Any, bob: Any, carol: Any) -> None:
    other = next_assignment.accept_hit(next_assignment.join_batch(carol, batch), erased.hit)
    assert other is not None
    submit(other)
    batch_scores.score_batch(batch)
    assert response_files.revisions_of(batch).count() == 1
    browser, here = Client(), f"/projects/{batch.project.slug}/batches/{batch.slug}/"
    browser.force_login(alice)
    paths = ["", "hits/", f"hits/{erased.hit.public_id}/", "adjudicate/", "workers/", "report/"]
    paths += [f"workers/{bob.pk}/"]
    for path in paths:
        page = browser.get(here + path, follow=True)
        assert page.status_code == 200, path
        assert SAID not in page.content.decode(), path
    listed = json.loads(browser.get(f"/api/v1/projects/{batch.project.slug}/assignments/").content)
    rows = {row["id"]: row["answer"] for row in listed["results"]}
    assert rows[erased.public_id] is None


def test_its_worker_sees_no_response_of_theirs(erased: Assignment, bob: Any) -> None:
    browser = Client()
    browser.force_login(bob.user)
    for path in (f"/assignments/{erased.public_id}/", "/work/history/", "/work/"):
        page = browser.get(path, follow=True)
        assert page.status_code == 200, path
        assert SAID not in page.content.decode(), path


def test_what_a_problem_report_says_is_erased_whatever_another_says(batch: Any, bob: Any) -> None:
    row = take(bob, batch)
    assert row is not None
    for text in ("", "My name is in the text."):
        ProblemReport.objects.create(assignment=row, reason="other", text=text)
    own = Assignment.objects.filter(pk=row.pk)
    assert (worker_erasure.erase(own), worker_erasure.erase(own)) == (1, 0)
    assert [report.text for report in row.problem_reports.all()] == ["", ""]
