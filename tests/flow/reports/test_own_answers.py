"""Evidence that answers are people's own: what a report says of copied errors, pasting, speed and absences."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.people import worker_erasure
from annotation.flow.reports import batch_scores
from annotation.flow.review import problem_reports
from annotation.flow.work import submissions
from annotation.models import Assignment, Batch, Project, Worker, WorkerResponse
from annotation.pure.people.consent_text import COUNTING
from annotation.pure.reports.report_values import table_of, tables_of
from annotation.pure.reports.tables import cell_text, note_of, title_of
from tests.conftest import answer_to, records
from tests.flow.acting import launched, newcomer, take
from tests.flow.data.test_predictions import predictions
from tests.flow.scored import imported, opened, say, worked

__all__ = ["worked"]
pytestmark = pytest.mark.django_db
SIZE, WRONG = 40, ["the mill", "the river", "Ana Brook", "a bridge"]
COUNTS = {"pasted": 30, "entered": 40, "away": 2, "away_seconds": 90}


def rows(content: dict[str, Any], name: str) -> list[list[str]]:
    table = table_of(content, name)
    assert table is not None
    return [[cell_text(cell) for cell in row] for row in table["rows"]]


@pytest.fixture
def copied(project: Project, tmp_path: Path) -> Batch:
    """Five workers who make mistakes of their own, and one who gives the answers of a model that is always wrong."""
    batch = opened(project, imported(project, tmp_path, "wells", records(SIZE)))
    rng, said = random.Random(2), {}
    model = {k: rng.choice(WRONG) for k in range(SIZE)}
    for k in range(SIZE):
        own = [rng.choice([*WRONG, f"Tower {k}"]) for _worker in range(5)]
        given = [(f"own-{name}", text, [0, 1]) for name, text in enumerate(own)]
        said["wells", k] = [*given, ("copier", model[k] if k < 25 else f"Tower {k}", [0, 1])]
    say(batch, tmp_path, said)
    file = predictions(tmp_path, {f"well-{k}": text for k, text in model.items()})
    batch_scores.import_predictions(batch.datasets.get(), file, format="musique", model="always wrong")
    return batch


def pseudonym(batch: Batch, name: str) -> str:
    worker = Worker.objects.get(project=batch.project, user__username=name)
    return batch.project.pseudonym(worker.pk)


def marked(content: dict[str, Any]) -> list[str]:
    return list(content["own_answers"]["marked"])


def test_who_gives_a_models_wrong_answers_is_marked_and_scores_stand_with_and_without_them(
    copied: Batch,
) -> None:
    content = batch_scores.score_batch(copied)
    [name] = marked(content)
    [row] = rows(content, "own-answers-workers")
    assert row[:4] == [name, "same errors", "25", "always wrong"]
    assert row[4] == "25/25"
    assert row[6] == "< 0.001"
    by_model, by_worker = rows(content, "own-answers")
    assert by_model[0] == "always wrong"
    assert by_model[5] == "< 0.001"
    assert by_worker[0] == "another worker"
    everybody, without = rows(content, "own-answers-scores")
    assert everybody[:3] == ["wells", "with all workers", str(SIZE)]
    assert without[:3] == ["wells", "without the marked workers", str(SIZE)]
    assert everybody[4] != without[4]
    headline = content["datasets"]["wells"]["answer"]["human_score"]
    assert everybody[4:6] == [cell_text(headline["em"]), cell_text(headline["f1"])]


def test_nothing_is_decided_by_it(copied: Batch) -> None:
    before = list(Assignment.objects.order_by("pk").values_list("state", "approval", "counts"))
    batch_scores.score_batch(copied)
    assert list(Assignment.objects.order_by("pk").values_list("state", "approval", "counts")) == before


def test_without_a_marked_worker_the_report_says_so_and_has_no_second_score(worked: Batch) -> None:
    content = batch_scores.score_batch(worked)
    table = table_of(content, "own-answers")
    assert table is not None
    assert title_of(table) == "Evidence that answers are people’s own"
    assert "No worker is marked, so there is no second human score without them." in note_of(table)
    assert "No response should be rejected because of this alone." in note_of(table)
    assert not [each["name"] for each in tables_of(content) if each["name"].startswith("own-answers-")]


def test_variants_of_the_right_answer_are_no_errors(project: Project, tmp_path: Path) -> None:
    batch = opened(project, imported(project, tmp_path, "wells", records(20)))
    say(batch, tmp_path, {("wells", k): [(w, "the white Tower", [0]) for w in "abc"] for k in range(20)})
    assert batch_scores.score_batch(batch)["own_answers"]["tests"][-1]["n"] == 0


def test_excluded_hits_say_nothing(copied: Batch) -> None:
    for hit in copied.hits.filter(item__position__lt=12):
        problem_reports.exclude(hit, reason="broken")
    content = batch_scores.score_batch(copied)
    assert marked(content) == []


@pytest.fixture
def counting(project: Project, tmp_path: Path) -> Batch:
    """An open batch that counts pasting, in a project whose consent text says so."""
    project.consent = f"We keep answers.\n\n{COUNTING}"
    project.save()
    dataset = imported(project, tmp_path, "wells", records(12))
    return launched(project, "counting", dataset, counts_pasting=True)


def work(
    worker: Worker, batch: Batch, number: int, *, seconds: float = 60, counts: dict[str, int] | None = None
) -> None:
    """Submit right answers to so many HITs."""
    for _hit in range(number):
        row = take(worker, batch)
        assert row is not None
        submissions.submit(row, answer_to(row), key="0.k", base=0, active_seconds=seconds, page_counts=counts)


def test_who_pastes_from_elsewhere_or_answers_faster_than_reading_is_marked(counting: Batch) -> None:
    project = counting.project
    work(newcomer(project, "pasting"), counting, 10, counts=COUNTS)
    work(newcomer(project, "fast"), counting, 10, seconds=6, counts=dict.fromkeys(COUNTS, 0))
    work(newcomer(project, "slow"), counting, 10, seconds=7.5, counts=dict.fromkeys(COUNTS, 0))
    content = batch_scores.score_batch(counting)
    assert set(marked(content)) == {pseudonym(counting, "pasting"), pseudonym(counting, "fast")}
    found = {row[0]: row for row in rows(content, "own-answers-workers")}
    pasting, hasty = found[pseudonym(counting, "pasting")], found[pseudonym(counting, "fast")]
    assert pasting[1] == "pasting"
    assert pasting[-4:] == ["0/10", "300 (75 %)", "20", "15"]
    assert hasty[1] == "speed"
    assert hasty[-4] == "10/10"
    assert pseudonym(counting, "slow") not in found


@pytest.mark.parametrize("number", [2, 9])
def test_a_few_fast_responses_mark_nobody(counting: Batch, number: int) -> None:
    """Two of ten, or nine of nine: a screen reader at a high speed is no sign."""
    worker = newcomer(counting.project, "listener")
    work(worker, counting, number, seconds=3)
    if number < 3:
        work(worker, counting, 10 - number)
    assert marked(batch_scores.score_batch(counting)) == []


def test_leaving_the_page_is_shown_and_marks_nobody(counting: Batch) -> None:
    away = {"pasted": 0, "entered": 10, "away": 3, "away_seconds": 600}
    work(newcomer(counting.project, "away"), counting, 10, counts=away)
    content = batch_scores.score_batch(counting)
    assert marked(content) == []
    [row] = rows(content, "own-answers-workers")
    assert row[-3:] == ["0", "30", "100"]


def test_counts_are_added_up_over_revisions_and_erased_with_the_responses(counting: Batch) -> None:
    worker = newcomer(counting.project, "twice")
    work(worker, counting, 1, counts=COUNTS)
    row = Assignment.objects.get(worker=worker)
    again = {"key": "1.k", "base": 1, "active_seconds": 1.0}
    submissions.submit(row, answer_to(row) | {"support": [0]}, **again, page_counts=COUNTS)
    content = batch_scores.score_batch(counting)
    assert content["own_answers"]["workers"][0]["counts"] == {name: 2 * number for name, number in COUNTS.items()}
    worker_erasure.erase(Assignment.objects.filter(pk=row.pk))
    assert not WorkerResponse.objects.filter(page_counts__isnull=False).exists()


def test_a_batch_that_does_not_count_reads_no_counts(worked: Batch) -> None:
    with CaptureQueriesContext(connection) as queries:
        content = batch_scores.score_batch(worked)
    assert not [each["sql"] for each in queries if "page_counts" in each["sql"] and "IS NOT NULL" in each["sql"]]
    assert content["own_answers"]["counted"] is False


def test_a_part_of_a_batch_has_no_evidence(worked: Batch) -> None:
    content = batch_scores.score_batch(worked, part=BatchPart(dataset="wells"))
    assert "own_answers" not in content
