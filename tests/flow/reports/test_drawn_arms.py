"""What a draw leaves in files and texts: exported responses, the methods paragraph, the preregistration."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import experiments
from annotation.flow.data import response_files
from annotation.flow.reports import methods_facts, preregistration
from annotation.flow.review.response_import import import_responses
from annotation.flow.work import arm_draws
from annotation.models import ArmDraw, Batch, Experiment, Project
from annotation.pure.reports.methods import in_words
from tests.flow.acting import answer_all, dataset_of, launched, newcomer, take

pytestmark = pytest.mark.django_db


def joined(project: Project, folder: Path, each: str) -> Experiment:
    """Two arms of two HITs; Ada submits all that she gets, Ben begins and submits nothing."""
    arms = [
        launched(project, name, dataset_of(project, folder, name=f"items-{name}", size=2), assignments_per_hit=4)
        for name in ("plain", "hints")
    ]
    made = experiments.join(project, "study", arms, each=each, title="Answer questions")
    ada, ben = newcomer(project, "ada"), newcomer(project, "ben")
    arm: Batch | None = arm_draws.begin(ada, made)
    while arm is not None:
        answer_all(ada, arm)
        arm = arm_draws.next_arm(ada, arm)
    first = arm_draws.begin(ben, made)
    assert first is not None
    assert take(ben, first) is not None
    return made


def file_of(batch: Batch, format: str) -> str:
    return b"".join(response_files.stream_responses(batch, format)).decode()


def test_the_draw_stands_beside_each_exported_response(project: Project, tmp_path: Path) -> None:
    made = joined(project, tmp_path, "order")
    draw = ArmDraw.objects.get(worker__user__username="ada")
    for position, key in enumerate(draw.order, start=1):
        arm = Batch.objects.get(pk=key)
        wanted = {"experiment": "study", "arm_position": position, "draw_seed": draw.seed}
        lines = [json.loads(line) for line in file_of(arm, "jsonl").splitlines()]
        assert [{name: line[name] for name in wanted} for line in lines] == [wanted] * 2
        table = list(csv.DictReader(io.StringIO(file_of(arm, "csv"))))
        assert {row["arm_position"] for row in table} == {str(position)}
        assert {row["draw_seed"] for row in table} == {str(draw.seed)}
    assert made.arms.count() == 2


def test_files_of_other_batches_are_as_they_were(project: Project, tmp_path: Path) -> None:
    plain = launched(project, "alone", dataset_of(project, tmp_path, name="items", size=2))
    answer_all(newcomer(project, "ada"), plain)
    with CaptureQueriesContext(connection) as asked:
        text = file_of(plain, "jsonl") + file_of(plain, "csv")
    assert "arm_position" not in text
    assert not [query for query in asked if "armdraw" in query["sql"]]


def test_exported_responses_of_an_arm_can_be_imported_elsewhere(project: Project, tmp_path: Path) -> None:
    joined(project, tmp_path, "one")
    arm = ArmDraw.objects.get(worker__user__username="ada").arm
    (tmp_path / "out.jsonl").write_text(file_of(arm, "jsonl"))
    again = launched(project, "again", *arm.datasets.all(), assignments_per_hit=4)
    assert import_responses(again, tmp_path / "out.jsonl")["accepted"] == 2


def test_the_methods_paragraph_says_how_workers_came_to_their_arm(project: Project, tmp_path: Path) -> None:
    made = joined(project, tmp_path, "one")
    arm = ArmDraw.objects.get(worker__user__username="ada").arm
    text = in_words(methods_facts.facts_of(arm, None))
    [other] = made.arms.exclude(pk=arm.pk)
    counts = {arm.slug: "1/1", other.slug: "1/0"}
    listing = "; ".join(f"{name} {counts[name]}" for name in ("plain", "hints"))
    assert (
        f"assigned at random to one of 2 arms, so that all fill evenly; this is the arm {arm.slug}. Annotators who "
        f"began / who submitted a response: {listing}." in text
    )


def test_the_methods_paragraph_says_at_which_position_an_arm_was_done(project: Project, tmp_path: Path) -> None:
    joined(project, tmp_path, "order")
    first = Batch.objects.get(pk=ArmDraw.objects.get(worker__user__username="ada").order[0])
    text = in_words(methods_facts.facts_of(first, None))
    assert "2 arms, one after the other in an order drawn at random from a Latin square" in text
    assert "As first, second, … arm it was begun / answered by this many annotators: 1/1; 0/0." in text


def test_a_preregistration_lists_the_experiment(project: Project, tmp_path: Path) -> None:
    alone = launched(project, "alone", dataset_of(project, tmp_path, name="items", size=2))
    assert preregistration.settings_of(alone)["experiment"] == "none"
    made = joined(project, tmp_path, "order")
    arm = made.arms.first()
    assert arm is not None
    assert preregistration.settings_of(arm)["experiment"] == {
        "name": "study",
        "each": "order",
        "arms": ["plain", "hints"],
    }
