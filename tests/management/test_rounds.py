"""Rounds and hidden gold by command."""

from __future__ import annotations

import re
from typing import Any

import pytest

from annotation.models import Batch, Qualification, QualificationRound
from tests.flow.acting import dataset_of
from tests.flow.people.test_qualification_rounds import work_through
from tests.management.conftest import Run

pytestmark = pytest.mark.django_db
NEW = [
    "create_qualification_round",
    "round",
    "--task",
    "answer",
    "--dataset",
    "wells",
    "--per-worker",
    "2",
    "--grants",
    "Readers",
]


def test_a_round_is_made_reported_and_granted_by(run: Run, project: Any, dataset: Any, bob: Any) -> None:
    result = run(
        *NEW, "--clause", "answer_f1>75@each", "--clause", "support_f1>=75", "--project", "wells", "--json"
    ).document
    assert result["hits"] == 4
    assert result["rule"][0] == {"figure": "answer_f1", "dataset": "each", "comparator": ">", "value": 0.75}
    assert 0 < result["chances"]["85"]["passes"] < result["chances"]["95"]["passes"] < 1
    work_through(bob, QualificationRound.objects.get())
    report = run("qualification_round_report", "round", "--grant", "--project", "wells", "--json").document
    assert (report["workers"][0]["score"], report["granted"]) == (1.0, 1)
    assert report["chosen"] == [{"worker": bob.pseudonym, "value": 100}]
    assert Qualification.objects.get().value == 100
    ended = run("qualification_round_report", "round", "--mark", "100", "--project", "wells")
    assert (ended.code, "chosen: 0" in ended.out) == (0, True)  # nobody is above it
    assert "2/2  score 100.0 %, passed" in ended.out
    assert re.search(r"At 80 %: 1 would pass; expected answer_f1 \d\d\.\d % \[.+ %, .+ %\], support_f1", ended.out)


def test_a_round_can_stay_a_draft(run: Run, dataset: Any) -> None:
    run(*NEW, "--attempts", "2", "--time-limit", "30", "--ends", "2099-01-31", "--draft", "--project", "wells")
    found = QualificationRound.objects.get()
    assert (found.batch.state, found.attempts, found.seconds, found.closes_at.year) == ("draft", 2, 1800, 2099)


def test_hidden_gold_is_mixed_into_a_batch(run: Run, dataset: Any, project: Any, tmp_path: Any) -> None:
    dataset_of(project, tmp_path, name="known", size=3)
    batch = ["create_batch", "b", "--task", "answer", "--dataset", "wells", "--project", "wells"]
    run(*batch, "--checks", "known", "--check-share", "20", "--check-after", "3", "--warn-below", "80")
    made = Batch.objects.get()
    assert (made.size, made.hits.count(), made.check_share) == (4, 7, 0.2)
    assert made.check_rule == {"after": 3, "warn_below": 0.8, "pause_below": None}


@pytest.mark.parametrize(
    "arguments",
    [
        [*NEW, "--clause", "answer_f1"],
        [*NEW, "--clause", "answer_f1>175"],
        [*NEW, "--ends", "soon"],
        [*NEW, "--attempts", "0"],
        ["qualification_round_report", "round", "--mark", "x"],
        ["qualification_round_report"],
    ],
)
def test_wrong_usage_ends_with_2(run: Run, dataset: Any, arguments: list[str]) -> None:
    ended = run(*arguments, "--project", "wells")
    assert (ended.code, ended.out) == (2, "")
    assert not Batch.objects.exists()


def test_refusals_end_with_1_and_leave_nothing(run: Run, dataset: Any, batch: Any) -> None:
    assert run(*NEW, "--attempts", "3", "--project", "wells").code == 1
    assert run(*NEW, "--clause", "judged>=80", "--project", "wells").code == 1
    assert run("qualification_round_report", "wells-1", "--project", "wells").code == 1
    assert Batch.objects.count() == 1


def test_a_round_holds_its_pool_and_a_batch_afterwards_says_what_is_missing(
    run: Run, dataset: Any, project: Any, tmp_path: Any
) -> None:
    dataset_of(project, tmp_path, name="more", size=9)
    made = run(*NEW, "--dataset", "more", "--pool", "3", "--seed", "4", "--project", "wells", "--json").document
    assert (made["pool"], made["hits"], made["warnings"]) == ({"more": 3, "wells": 3}, 6, [])
    batch = ["create_batch", "--task", "answer", "--dataset", "wells", "--dataset", "more", "--project", "wells"]
    ended = run(*batch, "study", "--sample", "3")
    assert ended.out.splitlines() == [
        "batch: study",
        "asked: 6",
        "hits: 4",
        "left out: 2 of wells. Reserved for the qualification round round.",
    ]
    shared = run(*batch, "shared", "--sample", "3", "--no-disjoint", "--json").document
    assert (shared["asked"], shared["hits"], shared["left_out"]) == (6, 6, [])


def test_a_round_without_a_pool_warns_that_it_holds_everything(run: Run, dataset: Any) -> None:
    ended = run(*NEW, "--project", "wells")
    assert "uses every item of wells" in ended.err
    lines = ended.out.splitlines()
    assert lines[3:6] == ["pool: 4 items of wells", "to pass: Answer F1 above 75", "to pass: Support F1 above 75"]
    assert all(re.fullmatch(r"A worker .* passes in \d+( to \d+)? of 100 cases\.", line) for line in lines[6:])


def test_what_is_kept_apart_can_be_said(run: Run, dataset: Any) -> None:
    batch = ["create_batch", "study", "--task", "answer", "--dataset", "wells", "--project", "wells"]
    run(*batch, "--no-fresh-only", "--no-disjoint", "--unseen-only")
    made = Batch.objects.get()
    assert (made.fresh_only, made.disjoint, made.unseen_only) == (False, False, True)
    run(*NEW, "--no-fresh-only", "--no-disjoint", "--draft", "--project", "wells")
    made = QualificationRound.objects.get().batch
    assert (made.fresh_only, made.disjoint) == (False, False)
