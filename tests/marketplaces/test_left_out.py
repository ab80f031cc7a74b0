"""Responses of visits that do not count are used nowhere: not in figures, files, or results."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from unittest.mock import patch

import pytest

from annotation.flow.data import response_files
from annotation.flow.money.ledger import Overdrawn
from annotation.flow.reports import batch_scores, methods_facts, score_looks
from annotation.flow.reports.participation import participation
from annotation.flow.review import results_dataset
from annotation.flow.work import grading
from annotation.flow.work.submitted_responses import submitted_answers
from annotation.marketplaces.flow import visit_decisions, visits
from annotation.models import Batch
from annotation.pure.reports.participation_flow import RESPONSES
from tests.long_forms import first
from tests.marketplaces.panel import Participant, study_of

pytestmark = pytest.mark.django_db


def used(batch: Batch) -> dict[str, int]:
    """How many responses each of our figures and files uses."""
    hits = list(batch.hits.all())
    batch_scores.score_batch(batch)
    report = batch_scores.cached_report(batch)
    assert report is not None
    results = results_dataset.responses_by_hit(batch, hits).values()
    return {
        "scores": sum(map(len, submitted_answers(batch, hits).values())),
        "looks": score_looks.responses(batch),
        "methods": methods_facts.facts_of(batch, report).answers,
        "file": response_files.revisions_of(batch).count(),
        "flow": participation(batch)[RESPONSES][-1][1],
        "results": sum(one.is_standing for rows in results for one in rows),
    }


@pytest.mark.parametrize("how", first(1, ["rejected", "returned"]))
def test_neither_figures_nor_files_use_what_was_rejected_or_returned(project: Any, dataset: Any, how: str) -> None:
    study = study_of(project, dataset, hits=3, assignments_per_hit=2)
    ann, bea = Participant(study, "ann"), Participant(study, "bea")
    ann.work(3)
    bea.work(3 if how == "rejected" else 2)
    assert set(used(study.batch).values()) == {6 if how == "rejected" else 5}
    before = batch_scores.version_key(study.batch)
    if how == "rejected":
        visit_decisions.reject(bea.visit, text="Nothing was read.", category="", user=None)
    else:
        bea.go("/visit/leave/", post=True)
    assert batch_scores.version_key(study.batch) != before
    assert set(used(study.batch).values()) == {3}
    assert grading.agreements_by_time(study.batch, ann.visit.worker_id) == []


def test_they_are_not_used_even_while_the_budget_cannot_buy_others(project: Any, dataset: Any) -> None:
    study = study_of(project, dataset, hits=3, assignments_per_hit=1)
    bea = Participant(study, "bea")
    bea.work(3)
    with patch("annotation.flow.batches.add_assignments.ask_again", side_effect=Overdrawn(Decimal(1), Decimal(0))):
        visit_decisions.reject(bea.visit, text="Nothing was read.", category="", user=None)
    assert bea.visit.assignments.filter(freed_at=None).count() == 3
    assert set(used(study.batch).values()) == {0}
    assert visits.sweep() == 0
    assert bea.visit.assignments.filter(freed_at=None).count() == 0
