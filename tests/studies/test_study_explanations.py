"""A study's page explains its tables, with the HITs that count in each of its batches."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from annotation.pure.reports.tables import table
from annotation.studies import analysis, report
from annotation.studies.launch import batches_of
from tests.studies.test_studies import launched, project, responses

__all__ = ["project"]
pytestmark = pytest.mark.django_db


def test_a_run_is_explained_beside_the_paper_and_leads_to_the_hits_that_count(
    project: Project, alice: Any, tmp_path: Path
) -> None:
    run = launched(project, "musique-full-answerability")
    report.take_responses(run, responses(run, tmp_path))
    client = Client()
    client.force_login(alice)
    [shown] = client.get(reverse("study", args=[project.slug, run.study])).context["runs"]
    [batch] = batches_of(run).values()
    [rows] = shown["why"]["rows"]
    answered = {row.hit_id for row in batch.assignments.submitted()}
    assert client.get(rows["url"]).context["page"].paginator.count == len(answered) > 0


@pytest.mark.soak
def test_the_tables_of_an_analysis_are_explained(project: Project, alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run = launched(project, "human-dire")
    made = table("dire", "Disconnected reasoning: people and models", ["", "Questions"], [["D", 3]])
    monkeypatch.setattr(analysis, "current", lambda _run: {"tables": [made]})
    client = Client()
    client.force_login(alice)
    page = client.get(reverse("study", args=[project.slug, run.study]))
    [shown] = page.context["runs"]
    assert [one["why"]["source"] for one in shown["tables"]] == ["DiRe (Trivedi et al. 2020), §3.2"]
    assert [rows["text"] for rows in shown["why"]["rows"]] == list(batches_of(run))
    ids = re.findall(r' id="(why-[^"]+)"', page.content.decode())
    assert len(ids) == len(set(ids)) == 2
