"""A run's conclusions: from primary figures, of people and items, the same on the page, in the terminal and the API."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.jobs import run_due_work
from annotation.models import Project
from annotation.pure.statistics.worker_intervals import label_units, spread
from annotation.registry import task_type
from annotation.studies import folders, report
from annotation.studies.launch import batches_of
from annotation.studies.models import StudyRun
from tests.api.calling import caller
from tests.studies.test_studies import launched, own_study, project, responses, with_figures

__all__ = ["project"]  # the fixture
pytestmark = pytest.mark.django_db

EM = "datasets.{}.answer.average.em"
FIGURES = [
    f"Whole,20,percent,100,T 1,,,,,whole,{EM},yes,",
    f"Withheld at least,99,percent,100,T 1,,,,,withheld,{EM},yes,at least",
    f"Whole minus withheld,10,percent,,T 1,,,,,whole - withheld,{EM},yes,",
    f"Without n,20,percent,,T 1,,,,,whole,{EM},yes,",
    f"Beside,20,percent,100,T 1,,,,,whole,{EM},,",
    "Questions,100,count,,T 1,,,,,whole,datasets.{}.n,,",
    "A model,50,percent,100,T 1,,,,,,,,",
]


@pytest.fixture
def run(project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> StudyRun:
    """A run whose whole contexts are answered by people who are mostly right, 9 of them."""
    root = own_study(tmp_path, study="min-2019-withheld")
    monkeypatch.setattr(folders, "root", lambda: root)
    with_figures(root, *FIGURES)
    return launched(project, "mine", scale=0.1)


def rows_of(run: StudyRun, *, look: bool = True) -> dict[str, dict[str, Any]]:
    return {row["figure"]: row for row in report.compute(run, look=look)}


def test_a_run_concludes_from_its_primary_figures_only(run: StudyRun, tmp_path: Path) -> None:
    report.take_responses(run, responses(run, tmp_path, people=9))
    rows = rows_of(run)
    assert {name: row["conclusion"] or row["why"] or row["note"] for name, row in rows.items()} == {
        "Whole": "different from the paper",
        "Withheld at least": "the paper's bound does not hold",
        "Whole minus withheld": "different from 0",
        "Without n": "the paper gives no n",
        "Beside": "",
        "Questions": "",
        "A model": "not measured by this study's responses",
    }
    assert rows["Beside"]["difference"] == rows["Whole"]["difference"]
    assert rows["Whole minus withheld"]["ours"]["value"] == pytest.approx(
        rows["Whole"]["ours"]["value"] - rows["Withheld at least"]["ours"]["value"]
    )
    assert (rows["Questions"]["ours"]["low"], rows["Questions"]["difference"]["low"]) == (None, None)


def test_its_intervals_are_over_people_and_items(run: StudyRun, tmp_path: Path) -> None:
    report.take_responses(run, responses(run, tmp_path, people=9))
    batch = batches_of(run)["whole"]
    task = task_type(batch.task)
    labels = []
    for hit in batch.hits.select_related("item"):
        given = [(row.worker_id, row.responses.last().answer) for row in hit.assignments.all()]  # type: ignore[attr-defined]
        labels.append({str(who): task.grade(hit.payload, answer, hit.item.example) for who, answer in given})
    known = spread(label_units(labels, lambda some: sum(map(float, some)) / len(some)))
    assert known is not None
    own = rows_of(run)["Whole"]["ours"]
    assert (own["value"], own["low"], own["high"]) == pytest.approx(
        (known.value, known.figure().low, known.figure().high)
    )


def test_of_fewer_than_seven_people_nothing_is_concluded(run: StudyRun, tmp_path: Path) -> None:
    report.take_responses(run, responses(run, tmp_path))
    rows = rows_of(run)
    assert {rows[name]["why"] for name in ("Whole", "Withheld at least", "Whole minus withheld")} == {
        "fewer than seven people"
    }
    assert rows["Whole"]["ours"]["low"] is None


def test_figures_that_are_not_up_to_date_say_so_until_the_scores_are_calculated(
    run: StudyRun, project: Project, alice: Any, tmp_path: Path
) -> None:
    report.take_responses(run, responses(run, tmp_path, people=9))
    run_due_work()  # the batches' own reports
    row = rows_of(run, look=False)["Whole"]
    assert (row["ours"]["low"], row["why"]) == (None, "its interval is not up to date")
    assert row["note"] == row["why"]
    client = Client()
    client.force_login(alice)
    page = reverse("study", args=[project.slug, "mine"])
    assert "Calculate the scores" in client.get(page).content.decode()
    client.post(reverse("study-scores", args=[project.slug, "mine", run.slug]))
    run_due_work()
    run.refresh_from_db()
    row = rows_of(run, look=False)["Whole"]
    assert (row["conclusion"], row["note"]) == ("different from the paper", "")
    assert "Calculate the scores" not in client.get(page).content.decode()


def test_page_terminal_and_api_say_the_same(
    run: StudyRun, project: Project, alice: Any, tmp_path: Path, capsys: Any
) -> None:
    report.take_responses(run, responses(run, tmp_path, people=9))
    call_command("study", "report", run.slug)
    told = capsys.readouterr().out
    run.refresh_from_db()
    found = caller(alice, project.slug).get(f"studies/mine/runs/{run.slug}/").json()
    assert found["family"] == 4
    client = Client()
    client.force_login(alice)
    page = html.unescape(client.get(reverse("study", args=[project.slug, "mine"])).content.decode())
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    for row in found["figures"]:
        if not row["ours"]:
            continue
        said = report.concluded(row)
        interval = report.interval(row["ours"], row["unit"])
        for text in (told, page):
            assert said in text
            assert interval in text
    for text in (told, page):
        assert "4 figures that were marked as primary before there were responses" in text
        assert "their annotators taken to differ as ours do" in text
        assert "more than chance" not in text
        assert "at least 99.0" in text
