"""Rounds and rules over the API: from the draft to the grants that are taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation import jobs
from annotation.flow.people import qualification_types
from annotation.models import Batch, Qualification, QualificationRound, QualificationType
from tests.api.calling import caller, fields_at_fault, member
from tests.flow.acting import dataset_of, submit, take
from tests.flow.people.test_qualification_rounds import wrong

pytestmark = pytest.mark.django_db
RULE = [{"figure": "answer_f1", "value": 0.75, "comparator": ">", "dataset": ""}]


@pytest.fixture
def api(alice: Any) -> Any:
    return caller(alice)


@pytest.fixture
def pool(project: Any, tmp_path: Path) -> Any:
    return dataset_of(project, tmp_path, name="pool", size=8)


def wish(**other: Any) -> dict[str, Any]:
    return {"title": "Readers", "task": "answer", "datasets": ["pool"], "per_worker": 3, "grants": "Careful"} | other


def worked_through(worker: Any, batch: Batch, *, right: bool) -> None:
    while row := take(worker, batch):
        submit(row, None if right else wrong(row), key=f"k{row.pk}")


def test_a_round_from_its_draft_to_grants_that_are_taken_back(api: Any, pool: Any, bob: Any, carol: Any) -> None:
    made = api.post("rounds/", key="r", **wish(rule=RULE, seconds=3600))
    assert made.status_code == 201, made.content
    assert api.post("rounds/", key="r", **wish(rule=RULE, seconds=3600)).json() == made.json()
    one = made["Location"].removeprefix(api.base)
    result = api.get(one).json()
    assert result == made.json()
    assert (result["state"], result["per_worker"], result["attempts"], result["rule"]) == ("draft", 3, 1, RULE)
    assert next(chance["skill"] for chance in result["chances"]) == 0.6
    kind = QualificationType.objects.get(name="Careful")
    assert result["grants"] == kind.public_id
    changed = api.patch(one, per_worker=4, closes_at="2030-01-31T23:59:00Z", grants=kind.public_id, reward="0.10")
    assert (changed.json()["per_worker"], changed.json()["seconds"]) == (4, 3600)
    assert api.get("batches/readers/").json()["reward"] == "0.10"
    assert api.patch(one, reward=None, per_worker=3).status_code == 200
    assert api.post("batches/readers/launch/").status_code == 202
    jobs.run_due_work()
    assert api.patch(one, per_worker=2).status_code == 409
    batch = Batch.objects.get(slug="readers")
    worked_through(bob, batch, right=True)
    worked_through(carol, batch, right=False)
    passed = {row["worker"]: row["passed"] for row in api.get(f"{one}results/").json()["results"]}
    assert passed == {bob.pseudonym: True, carol.pseudonym: False}
    granted = api.post(f"{one}grant/").json()
    assert granted["changed"] == 1
    held = Qualification.objects.filter(state=Qualification.State.GRANTED)
    assert list(held.values_list("worker", "value")) == [(bob.pk, 100)]
    assert api.post(f"{one}grant/").json() == {"changed": 0, "step": 0}
    assert api.post(f"{one}undo/", step=granted["step"] + 1).status_code == 409
    assert api.post(f"{one}undo/", step=granted["step"]).json() == {"changed": 1, "step": 0}
    assert not held.exists()
    assert [api.post(f"{one}grant/", mark=mark).json()["changed"] for mark in (1.0, 0.0)] == [0, 1]
    assert api.post("batches/readers/close/").json()["state"] == "closed"


def test_a_round_proposes_its_rule_and_its_judge(api: Any, pool: Any) -> None:
    result = api.post("rounds/", **wish()).json()
    assert (result["grading"], [clause["figure"] for clause in result["rule"]]) == ("gold", ["answer_f1", "support_f1"])
    result = api.patch("rounds/readers/", grading="requester").json()
    assert [clause["figure"] for clause in result["rule"]] == ["judged"]


def test_what_a_round_cannot_be_is_said(api: Any, pool: Any) -> None:
    assert fields_at_fault(api.post("rounds/")) == {"title", "task", "datasets", "per_worker", "grants"}
    assert fields_at_fault(api.post("rounds/", **wish(sample=3, checks={}))) == {"sample", "checks"}
    assert fields_at_fault(api.post("rounds/", **wish(rule=[{"figure": "luck", "value": 0.5}]))) == {"rule"}
    assert fields_at_fault(api.post("rounds/", **wish(rule=[{"figure": "answer_f1", "value": 2}]))) == {"rule.0.value"}
    too_many = api.post("rounds/", **wish(per_worker=9))
    assert too_many.status_code == 409
    assert "8 items" in too_many.json()["detail"]
    assert not QualificationRound.objects.exists()
    assert not Batch.objects.exists()
    assert not QualificationType.objects.exists()


def test_reviewers_look_at_rounds_and_grant_nothing(api: Any, project: Any, pool: Any) -> None:
    api.post("rounds/", **wish())
    rita = member(project, "rita", "reviewer")
    assert rita.get("rounds/readers/").status_code == 200
    assert [rita.post(f"rounds/{act}").status_code for act in ("", "readers/grant/", "readers/undo/")] == [403] * 3


def test_a_rule_over_batches_is_looked_at_first_and_then_grants(api: Any, batch: Any, bob: Any, carol: Any) -> None:
    kind = qualification_types.create_type(batch.project, "Busy", description="Works.")
    for worker, answers in ((bob, 2), (carol, 1)):
        for _k in range(answers):
            submit(take(worker, batch))
    where = f"qualifications/{kind.public_id}/scores/"
    rule = {"batches": [batch.slug], "figure": "submitted", "least": 2}
    looked = api.post(f"{where}rule/", **rule, dry_run=True).json()
    change = {"worker": bob.pseudonym, "before": None, "value": 2}
    assert looked == {"changed": 0, "step": 0, "changes": [change]}
    assert api.get(where).json()["results"] == []
    done = api.post(f"{where}rule/", **rule).json()
    assert (done["changed"], done["changes"]) == (1, [change])
    assert [(row["worker"], row["value"]) for row in api.get(where).json()["results"]] == [(bob.pseudonym, 2)]
    assert api.post(f"{where}undo/", step=done["step"]).json()["changed"] == 1
    assert api.get(where).json()["results"] == []
    again = api.post(where, scores=[{"worker": carol.pseudonym, "value": 9}]).json()
    assert api.post(f"{where}undo/", step=again["step"]).json()["changed"] == 1
    wrong = api.post(f"{where}rule/", batches=["nothing"], figure="luck", least=-1)
    assert fields_at_fault(wrong) == {"figure", "least"}
    assert fields_at_fault(api.post(f"{where}rule/", **rule | {"batches": ["nothing"]})) == {"batches.0"}


def test_a_round_draws_from_a_pool_and_a_launch_says_what_it_holds(api: Any, pool: Any) -> None:
    output = api.post("rounds/", **wish(pool=5)).json()
    assert (output["pool"], output["items"]) == (5, {"pool": 5})
    assert api.patch("rounds/readers/", pool=None).json()["items"] == {"pool": 8}
    assert api.patch("rounds/readers/", pool=4, seed=2).json()["items"] == {"pool": 4}
    assert api.patch("rounds/readers/", seed=3).json()["pool"] == 4
    assert api.patch("rounds/readers/", pool=2).status_code == 409
    api.post("batches/readers/launch/")
    api.post("batches/", title="Study", task="answer", datasets=["pool"], sample=6)
    job = api.post("batches/study/launch/").json()
    jobs.run_due_work()
    result = api.get(f"jobs/{job['id']}/").json()["result"]
    assert (result["asked"], result["hits"]) == (6, 4)
    assert result["left_out"] == [
        {"dataset": "pool", "items": 2, "why": "Reserved for the qualification round readers."},
    ]
