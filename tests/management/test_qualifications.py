"""Qualifications by command: granting from a file, and requiring them of a batch's annotators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.people import qualification_types
from annotation.flow.projects.projects import project_named
from annotation.models import Batch, Qualification
from annotation.pure.people import requirements
from tests.flow.acting import newcomer
from tests.management.conftest import Run, refused


@pytest.fixture
def kind(db: None) -> Any:
    return qualification_types.create_type(project_named(), "Round 2", description="From the second round.")


@pytest.fixture
def people(kind: Any) -> list[Any]:
    return [newcomer(project_named(), name) for name in ("ann", "ben")]


def test_a_file_of_scores_is_granted(run: Run, kind: Any, people: list[Any], tmp_path: Path) -> None:
    ann, ben = people
    file = tmp_path / "scores.csv"
    file.write_text(f"worker,value\n{ann.pseudonym},80\n{ben.public_id},71\n")
    dry = run("grant_qualification", "Round 2", file, "--dry-run", "--json")
    assert dry.document == {"read": 2, "changed": 2, "dry_run": True}
    assert not Qualification.objects.exists()
    assert "2 scores changed" in run("grant_qualification", kind.public_id, file, "--reason", "Autumn").out
    assert dict(Qualification.objects.values_list("worker", "value")) == {ann.pk: 80, ben.pk: 71}
    assert run("grant_qualification", "Round 2", file, "--json").document["changed"] == 0


def test_a_bad_line_is_named_and_nothing_granted(run: Run, kind: Any, people: list[Any], tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text(f"{people[0].pseudonym},80\n{people[1].pseudonym},many\n")
    refused(run("grant_qualification", "Round 2", file), "line 2, value: 'many' is not a whole number")
    assert not Qualification.objects.exists()


def test_a_name_that_is_not_there_is_refused_with_those_that_are(run: Run, kind: Any, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("x,1\n")
    refused(run("grant_qualification", "Round 3", file), "There are: Round 2")


def test_a_batch_requires_what_the_command_says(run: Run, wells: Path, kind: Any) -> None:
    asked = ["--require", "Round 2 >= 80", "--require", "country in US-CA,DE", "--guard", "PreviewAndAccept"]
    ended = run("create_batch", "study", "--task", "answer", "--dataset", "wells", *asked)
    assert ended.code == 0
    guard = {"guard": "PreviewAndAccept"}
    places = [{"country": "US", "subdivision": "CA"}, {"country": "DE"}]
    assert Batch.objects.get().requirements == [
        {"type": kind.public_id, "comparator": "GreaterThanOrEqualTo", "values": [80]} | guard,
        {"type": requirements.LOCALE, "comparator": "In", "locales": places} | guard,
    ]


@pytest.mark.parametrize("what", ["Round 3 >= 80", "Round 2 >=", "Round 2 >= many", "approved = 1 2", "country < US"])
def test_a_requirement_that_cannot_be_makes_no_batch(run: Run, wells: Path, kind: Any, what: str) -> None:
    refused(run("create_batch", "study", "--task", "answer", "--dataset", "wells", "--require", what))
    assert not Batch.objects.exists()
