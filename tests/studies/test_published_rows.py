"""The rows of every study's published.csv: which figures are primary, and which are not measured."""

from __future__ import annotations

import re
from typing import Any

import pytest

from annotation.models import Project
from annotation.studies import folders, report
from annotation.studies.launch import begin
from annotation.studies.models import StudyRun
from tests.long_forms import first
from tests.studies.rounds import work_through_rounds
from tests.studies.test_studies import launched, project

__all__ = ["project"]  # the fixture

MODELS = re.compile(r"\b(EE|1-Para|C-only|DFGN|DecompRC|CogQA|XLNet|Baseline|BERT)\b")  # in the names of their figures
WITHOUT_OURS = {  # figures of people that no batch of the study can measure, and why
    "Accuracy: is the question complex?": "one-step questions would come with one paragraph, which gives them away",
    "Accuracy: simple questions recognised": "the same",
    "Accuracy: decomposition": "the paper's abstract does not say when a decomposition is right",
}


@pytest.mark.parametrize("name", folders.names())
def test_only_figures_of_models_are_not_measured_unless_a_reason_is_known(name: str) -> None:
    figures = folders.read(name).published
    unlinked = {row.figure for row in figures if not row.batch and not MODELS.search(row.figure)}
    assert unlinked <= WITHOUT_OURS.keys()
    assert not [row.figure for row in figures if row.batch and row.figure in WITHOUT_OURS]


@pytest.mark.parametrize("name", sorted({*folders.names()} - {"subqa-1000"}))
def test_a_study_of_people_marks_primary_figures_and_says_why(name: str) -> None:
    folder = folders.read(name)
    assert [row for row in folder.published if row.primary]
    assert "**Primary figure" in folder.readme


PASSED = [("musique-human-score", 7 / 15), ("musique-composition", 17 / 100), ("musique-table-4", 7 / 15)]


@pytest.mark.parametrize(("name", "wanted"), PASSED)
@pytest.mark.django_db
def test_a_paper_says_what_share_passed_a_round(name: str, wanted: float, project: Project) -> None:
    run = begin(project, folders.read(name), {"small": True})
    assert passed(run)["paper"]["value"] == pytest.approx(wanted, abs=5e-4)


def passed(run: StudyRun) -> dict[str, Any]:
    [row] = [row for row in report.compute(run) if row["figure"].startswith("Workers who passed")]
    return row


@pytest.mark.parametrize("name", first(1, [name for name, _wanted in PASSED]))
@pytest.mark.django_db
def test_the_share_who_passed_a_round_stands_beside_the_papers(name: str, project: Project, alice: Any) -> None:
    run = launched(project, name)
    assert passed(run)["note"] == "no results yet"
    for right in (True, False):
        work_through_rounds(run, alice, right=right)
    found = passed(run)["ours"]
    assert (found["value"], found["n"]) == (0.5, 2)
    assert 0 < found["low"] < 0.5 < found["high"] < 1
