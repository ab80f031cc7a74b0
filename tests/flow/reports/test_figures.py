"""Figures are about what workers submitted: whatever requesters decide, only voiding takes an answer out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data import dataset_import
from annotation.flow.errors import Conflict, Refused
from annotation.flow.reports import batch_scores, comparisons
from annotation.flow.review import adjudication, assignment_approval, gold_in_doubt, problem_reports, review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.flow.work import grading, submissions
from annotation.models import Assignment, Batch, Hit, Review, WorkerResponse
from annotation.pure.reports.participation_flow import RESPONSES
from annotation.pure.reports.report_values import tables_of
from annotation.pure.reports.tables import title_of
from annotation.pure.review import gold_corrections
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, HitWithResponses, capabilities
from tests.batches import create_batch
from tests.conftest import answer_to
from tests.flow import acting
from tests.flow.scored import worked
from tests.long_forms import first

__all__ = ["worked"]
pytestmark = pytest.mark.django_db

JSON = dict[str, Any]
TASKS = Path(__file__).resolve().parent.parent.parent.parent / "tasks"
KINDS = [
    "answer", "answerability", "sufficiency", "coreference", "choose", "compose", "subquestions", "solvability",
    "cloze",
]  # fmt: skip


# What a report must say, from the rows of answers alone


def latest(hit: Hit) -> list[WorkerResponse]:
    rows = WorkerResponse.objects.filter(assignment__hit=hit).select_related("assignment").order_by("revision")
    last = {row.assignment_id: row for row in rows}
    return sorted(last.values(), key=lambda row: (row.assignment.submitted_at, row.assignment_id))


def raw(batch: Batch) -> list[HitWithResponses]:
    found = []
    for hit in batch.hits.select_related("item__dataset").order_by("pk"):
        given = [
            GivenResponse(batch.project.pseudonym(row.assignment.worker_id), row.answer, row.active_seconds)
            for row in latest(hit)
        ]
        source = hit.item.dataset
        found.append(
            HitWithResponses(
                hit.public_id,
                source.slug,
                source.format,
                hit.item.example,
                hit.payload,
                tuple(given),
                excluded=hit.exclusion_reason if hit.excluded_at else "",
                wanted=hit.wanted,
            )
        )
    return found


def expected(batch: Batch) -> JSON:
    """The reports over raw answers: as they are, against corrected gold, and with voided HITs."""
    task, rows = task_type(batch.task), raw(batch)

    def report(some: list[HitWithResponses]) -> JSON:
        return dict(task.report(some, task.options(batch.options), seed=batch.seed))

    found = report(rows)
    changed = {row.hit.public_id: row for row in gold_in_doubt.changes(batch).values()}
    if changed:
        found["corrected"] = report(
            [
                replace(
                    row,
                    example=gold_corrections.corrected(row.example, changed[row.hit].decision, changed[row.hit].text),
                )
                if row.hit in changed
                else row
                for row in rows
            ]
        )
    if excluded := [row for row in rows if row.excluded]:
        found["with_excluded"] = report([replace(row, excluded="") for row in rows])
        found["excluded"] = [["Broken", len(excluded), sum(len(row.given) for row in excluded)]]
    return found


def check_all_figures(batch: Batch) -> None:
    """The report, the HITs' scores, comparisons and workers' figures are those of the raw answers."""
    content = batch_scores.score_batch(batch)
    content.pop("progress")
    content.pop("own_answers", None)
    placed = sum(row[1] for table in content.pop("by_position")[-1:] for row in table["rows"])
    assert placed == batch.assignments.filter(state="submitted", hit__excluded_at=None).count()
    assert content.pop("counts")["responses"] == placed
    assert sum(rows["responses"] for rows in content.pop("rows").values()) == placed
    assert content.pop("flow")[RESPONSES][-1][1] == placed
    assert {row[0] - 1 for table in content.pop("differing") for row in table["rows"]} <= set(
        batch.hits.filter(excluded_at=None, disagreement__gt=0).values_list("item__position", flat=True)
    )
    assert content == expected(batch)
    task, project = task_type(batch.task), batch.project
    grades: dict[str, dict[int, float]] = {}
    alike: dict[str, dict[int, float]] = {}
    for hit in batch.hits.select_related("item"):
        answers = [(project.pseudonym(row.assignment.worker_id), row.answer) for row in latest(hit)]
        assert hit.disagreement == pytest.approx(task.differences(hit.payload, [said for _who, said in answers]))
        if hit.excluded_at:
            continue
        for k, (who, said) in enumerate(answers):
            others = [other for j, (_who, other) in enumerate(answers) if j != k]
            if others:
                shares = [1 - task.differences(hit.payload, [said, other]) for other in others]
                alike.setdefault(who, {})[hit.item_id] = fmean(shares)
            if task.gradable(hit.payload, hit.item.example):
                grades.setdefault(who, {})[hit.item_id] = task.grade(hit.payload, said, hit.item.example)
        marks = [grades[who][hit.item_id] for who, _said in answers if hit.item_id in grades.get(who, {})]
        assert hit.score == (pytest.approx(fmean(marks)) if marks else None)
    people = [worker.pseudonym for worker in project.workers.all()]
    for one in comparisons.answerers(batch, people, [])[1:]:
        assert one.scores == pytest.approx(grades.get(one.key, {}))
        assert one.agreements == pytest.approx(alike.get(one.key, {}))
    for worker in project.workers.all():
        own = alike.get(worker.pseudonym, {})
        assert sorted(grading.agreements(batch, worker.pk)) == pytest.approx(sorted(own.values()))


# Decisions, at random


def launched(project: Any, folder: Path, kind: str, case: JSON) -> Batch:
    items = [case["example"] | {"id": f"item-{k}", "group": ""} for k in range(3)]
    if kind == "sufficiency":
        items = [case["example"]]
    file = folder / "case.jsonl"
    file.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))
    dataset_import.import_dataset(project, file, format="jsonl", name="case")
    batch = create_batch(
        project, "case", task=kind, datasets=list(project.datasets.all()), instructions="Read.",
        options=case["options"], assignments_per_hit=3, meeting="free",
    )  # fmt: skip
    batch_launch.launch(batch)
    for k in range(3):
        worker = acting.newcomer(project, f"worker-{k}")
        while row := acting.take(worker, batch):
            acting.submit(row, _some_answer(batch, row.hit, case, Random(f"{k}/{row.hit.item.position}")))
    return batch


def _some_answer(batch: Batch, hit: Hit, case: JSON, rng: Random) -> JSON:
    task = task_type(batch.task)
    made = [capabilities.imitate(task, hit.payload, hit.item.example, rng, right=right) for right in (True, False)]
    known = [answer for answer in made if answer is not None and not task.check(hit.payload, answer)]
    return dict(rng.choice([*case["answers"], *known]))


def act(batch: Batch, case: JSON, rng: Random, alice: Any) -> None:
    """One decision of a requester, or a change of a worker's."""
    row = rng.choice(list(batch.assignments.submitted().select_related("hit__item", "batch__project").order_by("pk")))
    answer = row.current.answer if row.current else {}
    text = capabilities.review(task_type(batch.task), row.hit.payload, answer)["text"]
    edited = Decision("edited", {}, text=(batch.project.datasets.get().items.first().example.answers or (text,))[0])
    acts = [
        lambda: review_decisions.decide(row, row.revision, Decision("accepted", {}), reviewer=alice),
        lambda: review_decisions.decide(row, row.revision, edited, reviewer=alice),
        lambda: review_decisions.decide(row, row.revision, Decision("discarded", {}, reason="No."), reviewer=alice),
        lambda: review_decisions.decide(row, row.revision, Decision("returned", {}, reason="Again."), reviewer=alice),
        lambda: review_decisions.choose(row, row.revision, reviewer=alice),
        lambda: review_decisions.choose(row, row.revision, reviewer=alice, text=edited.text),
        lambda: adjudication.undo(row.hit, reviewer=alice),
        lambda: assignment_approval.reject(row, text="No.", user=alice),
        lambda: assignment_approval.approve(row, user=alice),
        lambda: problem_reports.exclude(row.hit, reason="Broken"),
        lambda: problem_reports.restore(row.hit),
        lambda: _revise(batch, row, case, rng),
        *[lambda one=one: gold_in_doubt.decide(
            Hit.objects.get(pk=one.pk), rng.choice(["correction", "alias", "stands"]), text=one.text, reviewer=alice
        ) for one in gold_in_doubt.doubts(batch) if gold_in_doubt.is_detectable(batch)],
    ]  # fmt: skip
    try:
        rng.choice(acts)()
    except (Refused, Conflict, NotImplementedError):
        return


def _revise(batch: Batch, row: Assignment, case: JSON, rng: Random) -> None:
    new = _some_answer(batch, row.hit, case, rng)
    if submissions.may_change(row):
        acting.submit(row, new, key=f"{row.revision}.form", base=row.revision)


@pytest.mark.parametrize("seed", first(1, range(3)))
@pytest.mark.parametrize("kind", first(1, KINDS))
def test_no_decision_of_a_requester_moves_a_figure(
    kind: str, seed: int, project: Any, alice: Any, tmp_path: Path
) -> None:
    entries = json.loads((TASKS / kind / "examples.json").read_text())
    case = entries[seed % len(entries)]
    batch = launched(project, tmp_path, kind, case)
    rng = Random(f"{kind}/{seed}")
    check_all_figures(batch)
    for _round in range(3):
        for _act in range(8):
            act(batch, case, rng, alice)
        check_all_figures(batch)
    assert Review.objects.exists()


# By hand


def test_gold_that_a_requester_writes_in_adjudication_moves_no_figure(
    project: Any, tmp_path: Path, alice: Any, worked: Batch
) -> None:
    """Three wrong answers are tied; the requester settles the item with the gold."""
    before = batch_scores.score_batch(worked)
    hit = worked.hits.get(item__position=1)
    row = hit.assignments.order_by("pk")[1]
    review_decisions.choose(row, row.revision, reviewer=alice, text="Tower 1")
    _standing, answer = review_decisions.answers_taking_part([hit])[hit.pk][1]
    assert answer["text"] == "Tower 1"
    assert batch_scores.score_batch(worked) == before


def test_gold_is_in_doubt_by_what_workers_said_and_not_by_what_a_requester_wrote(
    batch: Batch, bob: Any, carol: Any, alice: Any
) -> None:
    for worker in (bob, carol):
        while row := acting.take(worker, batch):
            acting.submit(row, answer_to(row) | {"kind": "typed", "text": "The far shore"})
    before = gold_in_doubt.doubts(batch)
    assert len(before) == 4
    row = batch.assignments.first()
    review_decisions.choose(row, row.revision, reviewer=alice, text=row.hit.item.example.answers[0])
    assert gold_in_doubt.doubts(batch) == before


def test_a_report_counts_what_was_excluded_and_has_the_figures_with_and_without(worked: Batch) -> None:
    content = batch_scores.score_batch(worked)
    tables = {table["name"]: table for table in tables_of(content)}
    assert tables["excluded"]["rows"] == [["Two towers stand there", 1, 2]]
    rows = tables["with-excluded"]["rows"]
    assert [(row[0], row[1]["text"], *row[2:4]) for row in rows] == [
        ("wells", "without the excluded HITs", 3, 3), ("wells", "with the excluded HITs", 4, 3),
    ]  # fmt: skip
    without, counting = (row[4]["value"] for row in rows)
    assert without == content["datasets"]["wells"]["answer"]["human_score"]["f1"]["value"]
    assert counting == pytest.approx((3 * without + 1) / 4)
    problem_reports.restore(worked.hits.get(item__position=3))
    again = {table["name"] for table in tables_of(batch_scores.score_batch(worked))}
    assert again & {"excluded", "with-excluded"} == set()


def test_other_tasks_have_their_tables_with_what_was_excluded_too(project: Any, tmp_path: Path) -> None:
    case = json.loads((TASKS / "coreference" / "examples.json").read_text())[0]
    batch = launched(project, tmp_path, "coreference", case)
    problem_reports.exclude(batch.hits.first(), reason="Broken")
    tables = {table["name"]: table for table in tables_of(batch_scores.score_batch(batch))}
    edges = len(batch.hits.first().payload["edges"])
    assert tables["excluded"]["rows"] == [["Broken", 1, 3]]
    assert title_of(tables["with-excluded-verdicts"]) == "Aggregated labels (with the excluded HITs)"
    counted = [sum(row[1] for row in tables[name]["rows"]) for name in ("verdicts", "with-excluded-verdicts")]
    assert counted == [2 * edges, 3 * edges]
