"""MuSiQue's two qualification rounds as they were: answers against gold, and compositions that a requester judges."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.flow.people import qualification_types, round_results
from annotation.flow.review import review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.flow.work import next_assignment, submissions
from annotation.models import Assignment, QualificationRound
from tests.flow.acting import dataset_of, newcomer, participation_of
from tests.flow.compositions import composed
from tests.flow.people.test_qualification_rounds import made, work_through

pytestmark = pytest.mark.django_db

MUSIQUE = [
    {"figure": name, "dataset": "each", "comparator": ">", "value": 0.75} for name in ("answer_f1", "support_f1")
]


def musique_answers(project: Any, tmp_path: Path, *, workers: int) -> QualificationRound:
    """§3: 25 questions over three datasets; answer and support F1 > 75 on every one of them."""
    names = ("hotpotqa", "musique", "2wiki")
    three = [dataset_of(project, tmp_path, name=name, size=40) for name in names]
    found = made(project, *three, per_worker=25, rule=MUSIQUE)
    for k in range(workers):
        work_through(newcomer(project, f"w{k}"), found, right=(0.5, 0.85, 1.0)[k % 3], rng=Random(k))
    return found


def check_answers(found: QualificationRound, workers: int) -> None:
    results = round_results.results(found)
    assert len(results) == workers
    for result in results:
        figures = [value for name, value in result.figures.items() if "f1/" in name]
        assert len(figures) == 6
        assert result.passed is (min(figures) > 0.75)
    passed = [result for result in results if result.passed]
    assert 0 < len(passed) < workers
    assert {result.worker for result in passed} == set(round_results.grants(found, None))


def test_musiques_round_of_answers_runs_as_written(project: Any, tmp_path: Path) -> None:
    check_answers(musique_answers(project, tmp_path, workers=3), 3)


@pytest.mark.soak
def test_musiques_round_of_answers_runs_with_fifteen_workers(project: Any, tmp_path: Path) -> None:
    check_answers(musique_answers(project, tmp_path, workers=15), 15)


def musique_compositions(project: Any, tmp_path: Path, alice: Any, *, workers: int, best: int) -> QualificationRound:
    """§1: everybody composes 20 questions, the requester judges each of them, and the best are chosen."""
    pool = dataset_of(project, tmp_path, name="graphs", size=60)
    rule = [{"figure": "judged", "value": 0.8}]
    found = made(project, pool, task="compose", per_worker=20, rule=rule, grading="requester")
    for k in range(workers):
        composer, good = newcomer(project, f"c{k}"), 16 if k < best else 15
        participation = participation_of(composer, found.batch)
        for number in range(20):
            row = next_assignment.claim(participation)
            assert row is not None
            words = f"Which tower stands beside well {row.hit_id}?"
            submissions.submit(row, composed(words), key=f"0.{row.pk}", base=0, active_seconds=30)
            points = {"correct": True, "coherent": number < good}
            review_decisions.decide(row, 1, Decision("accepted", points), reviewer=alice)
    return found


def check_compositions(found: QualificationRound, alice: Any, *, workers: int, best: int) -> None:
    results = round_results.results(found)
    assert [result.passed for result in results] == [True] * best + [False] * (workers - best)
    assert {len(result.cells) for result in results} == {20}
    assert results[0].figures["judged"] == 0.8
    assert results[0].figures["correct"] == 1
    wanted = round_results.grants(found, None)
    assert set(wanted.values()) == {80}
    assert round_results.grant(found, wanted, reason="chosen", user=alice) == best
    assert len(qualification_types.held(results[0].worker, types={found.grants.public_id})) == 1


@pytest.mark.soak
def test_musiques_round_of_compositions_runs_as_written(project: Any, tmp_path: Path, alice: Any) -> None:
    found = musique_compositions(project, tmp_path, alice, workers=3, best=1)
    check_compositions(found, alice, workers=3, best=1)


@pytest.mark.soak
def test_a_hundred_compose_twenty_each_and_seventeen_are_chosen(project: Any, tmp_path: Path, alice: Any) -> None:
    found = musique_compositions(project, tmp_path, alice, workers=100, best=17)
    check_compositions(found, alice, workers=100, best=17)


def test_nothing_is_known_before_all_is_judged(project: Any, tmp_path: Path, alice: Any) -> None:
    found = musique_compositions(project, tmp_path, alice, workers=1, best=1)
    row = Assignment.objects.first()
    assert row is not None
    review_decisions.undo(row, reviewer=alice)
    (result,) = round_results.results(found)
    assert (result.score, result.passed) == (None, None)
    assert [cell.state for cell in result.cells].count("waiting") == 1
    assert round_results.grants(found, None) == {}
