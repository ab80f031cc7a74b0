"""Batches over the API: drafts by the words of the launching page, launching by a job, moving, their guides."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import jobs
from annotation.flow.people import qualification_types
from annotation.models import Batch, Job, Project, User
from tests.api.calling import caller, fields_at_fault, member
from tests.conftest import records
from tests.flow.acting import take
from tests.flow.batches.test_task_fit import PLAIN, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(alice: Any) -> Any:
    return caller(alice)


def test_a_draft_is_written_changed_and_launched(api: Any, dataset: Any, bob: Any, project: Any) -> None:
    made = api.post("batches/", title="Wells again", task="answer", datasets=["wells"], people=[bob.pseudonym])
    assert made.status_code == 201, made.content
    result = made.json()
    assert (result["name"], result["state"], result["people"]) == ("wells-again", "draft", [bob.pseudonym])
    assert result["instructions"]["version"] == 1
    assert result["meeting"] == "one"
    assert result["paid"] is False
    assert made["Location"].endswith("/api/v1/projects/wells/batches/wells-again/")

    options = {name: value for name, value in result["options"].items() if isinstance(value, bool)}
    one = next(iter(options))
    changed = api.patch("batches/wells-again/", assignments_per_hit=2, people=[], options={one: not options[one]})
    assert changed.status_code == 200, changed.content
    result = changed.json()
    assert (result["assignments_per_hit"], result["people"]) == (2, [])
    assert result["options"][one] is not options[one]

    quoted = api.post("batches/wells-again/quote/")
    assert quoted.status_code == 202
    assert quoted["Location"].endswith(f"/jobs/{quoted.json()['id']}/")
    assert api.post("batches/wells-again/launch/").status_code == 202
    jobs.run_due_work()
    result = api.get("batches/wells-again/").json()
    assert (result["state"], result["size"], result["counts"]["places"]) == ("open", 4, 8)
    assert api.post("batches/wells-again/launch/").status_code == 409
    assert api.delete("batches/wells-again/").status_code == 409


def test_a_draft_asks_as_many_as_its_task_proposes(api: Any, dataset: Any) -> None:
    result = {one["name"]: one["assignments_per_hit"] for one in api.get("tasks/").json()["results"]}
    assert (result["answer"], result["compose"], result["subquestions"]) == (3, 1, 1)
    made = api.post("batches/", title="Composed", task="compose", datasets=["wells"]).json()
    assert made["assignments_per_hit"] == 1
    assert api.patch("batches/composed/", task="answer").json()["assignments_per_hit"] == 3
    assert api.patch("batches/composed/", assignments_per_hit=2).json()["assignments_per_hit"] == 2
    assert api.patch("batches/composed/", task="compose").json()["assignments_per_hit"] == 2


def test_a_draft_can_be_discarded_and_sent_twice_under_a_key(api: Any, dataset: Any, project: Any) -> None:
    wish = {"title": "Once", "task": "answer", "datasets": ["wells"]}
    first, again = api.post("batches/", key="k1", **wish), api.post("batches/", key="k1", **wish)
    assert first.json() == again.json()
    assert again["Idempotent-Replayed"] == "true"
    assert project.batches.count() == 1
    assert fields_at_fault(api.post("batches/", **wish)) == {"name"}
    assert api.delete("batches/once/").status_code == 204
    assert api.get("batches/once/").status_code == 404
    assert api.get("batches/").json()["results"] == []
    assert api.post("batches/once/restore/").json()["name"] == "once"


def test_a_limit_per_worker_is_set_changed_and_lifted(api: Any, dataset: Any) -> None:
    made = api.post("batches/", title="Limited", task="answer", datasets=["wells"], most_per_worker=3).json()
    assert made["most_per_worker"] == 3
    assert api.patch("batches/limited/", seed=4).json()["most_per_worker"] == 3
    assert api.patch("batches/limited/", most_per_worker=None).json()["most_per_worker"] is None
    assert fields_at_fault(api.patch("batches/limited/", most_per_worker=0)) == {"most_per_worker"}


def test_what_is_wrong_is_named_by_its_field(api: Any, dataset: Any) -> None:
    good = {"title": "T", "task": "answer", "datasets": ["wells"]}
    for wish, fields in [
        ({}, {"title", "task", "datasets"}),
        (good | {"datasets": ["nothing"]}, {"datasets"}),
        (good | {"assignment_per_hit": 2}, {"assignment_per_hit"}),
        (good | {"assignments_per_hit": 0, "sample": 0}, {"assignments_per_hit", "sample"}),
        (good | {"options": {"unknown": 1}}, {"options.unknown"}),
        (good | {"people": ["nobody"]}, {"people"}),
        (good | {"marketplace": "mturk"}, {"marketplace"}),
        (good | {"paid": True}, {"reward"}),
        (good | {"reward": "0.255"}, {"reward"}),
        (good | {"name": "new"}, {"name"}),
        (good | {"checks": {"datasets": ["gone"]}}, {"checks.datasets"}),
        (good | {"requirements": [{"type": "unknown", "comparator": "Exists"}]}, {"requirements.0.type"}),
    ]:
        assert fields_at_fault(api.post("batches/", **wish)) == fields, wish


def test_pay_requirements_and_checks_come_back_as_they_were_sent(api: Any, dataset: Any, project: Any) -> None:
    type = qualification_types.create_type(project, "Good reader", description="Reads well.")
    wish = {
        "title": "Paid",
        "task": "answer",
        "datasets": ["wells"],
        "paid": True,
        "reward": "0.25",
        "auto_approve_days": 3,
        "expected_minutes": 2.0,
        "requirements": [{"type": type.public_id, "comparator": "In", "values": [80, 90], "guard": "Accept"}],
        "checks": {"datasets": ["wells"], "percent": 10.0, "warn_below_percent": 60.0},
    }
    result = api.post("batches/", **wish).json()
    plain = {name: value for name, value in wish.items() if name != "checks"}
    assert {name: result[name] for name in plain} == plain
    assert result["checks"]["percent"] == 10
    assert result["checks"]["pause_below_percent"] is None
    again = api.patch("batches/paid/", sample=2).json()
    assert {name: again[name] for name in plain} == plain
    assert again["checks"] == result["checks"]
    assert api.patch("batches/paid/", requirements=[], paid=False).json()["requirements"] == []


def test_of_a_launched_batch_only_some_things_change(api: Any, batch: Any, bob: Any) -> None:
    changed = api.patch("batches/wells-1/", title="Wells, first", people=[bob.public_id], instructions="Read twice.")
    assert changed.status_code == 200, changed.content
    result = changed.json()
    assert (result["title"], result["instructions"]["version"], result["people"]) == (
        "Wells, first",
        2,
        [bob.pseudonym],
    )
    assert result["shows_scores"] is False
    assert result["counts_pasting"] is False
    assert api.patch("batches/wells-1/", shows_scores=True).json()["shows_scores"] is True
    assert api.patch("batches/wells-1/", title="Wells").json()["shows_scores"] is True
    assert fields_at_fault(api.patch("batches/wells-1/", sample=3, title="No")) == {"sample"}
    assert api.put("batches/wells-1/instructions/", text="Read thrice.").json()["version"] == 3
    assert [row["version"] for row in api.get("batches/wells-1/instructions/").json()["results"]] == [3, 2, 1]


def test_moves_happen_at_once_and_twice_is_once(api: Any, batch: Any) -> None:
    assert api.post("batches/wells-1/pause/").json()["state"] == "paused"
    assert api.post("batches/wells-1/pause/").json()["state"] == "paused"
    assert api.post("batches/wells-1/resume/").json()["state"] == "open"
    assert api.post("batches/wells-1/close/").json()["state"] == "closed"
    refused = api.post("batches/wells-1/pause/")
    assert refused.status_code == 409
    assert "closed" in refused.json()["detail"]
    assert api.post("batches/wells-1/add-assignments/", only_disagreeing=True).status_code == 202
    assert fields_at_fault(api.post("batches/wells-1/gather/", name="new")) == {"name"}
    gathered = api.post("batches/wells-1/gather/", name="aggregates", least=2)
    assert Job.objects.get(public_id=gathered.json()["id"]).arguments["least"] == 2


def test_the_list_is_narrowed_and_costs_the_same_for_one_and_many(api: Any, batch: Any, dataset: Any) -> None:
    def asked() -> int:
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert api.get("batches/").status_code == 200
        return len(found)

    asked()
    before = asked()
    for k in range(3):
        api.post("batches/", title=f"More {k}", task="answer", datasets=["wells"])
    assert asked() == before
    assert [row["name"] for row in api.get("batches/", state="open").json()["results"]] == ["wells-1"]
    assert len(api.get("batches/", dataset="wells", task="answer").json()["results"]) == 4
    assert api.get("batches/", dataset="towers").json()["results"] == []
    assert fields_at_fault(api.get("batches/", state="odd")) == {"state"}
    assert {row["name"] for row in api.get("tasks/").json()["results"]} >= {"answer", "compose"}


def test_others_may_only_look_or_not_even_that(batch: Any, project: Any, alice: Any) -> None:
    reviewer = member(project, "rita", "reviewer")
    assert reviewer.get("batches/").status_code == 200
    for path in ("quote", "launch", "pause", "resume", "close", "top-up"):
        assert reviewer.post(f"batches/wells-1/{path}/").status_code == 403
    assert reviewer.patch("batches/wells-1/", title="No").status_code == 403
    assert caller(alice, scope="read").post("batches/wells-1/pause/").status_code == 403
    elsewhere = Project.objects.create(slug="springs", title="Springs")
    stranger = member(elsewhere, "dave", "owner")
    stranger.base = "/api/v1/projects/wells/"
    assert stranger.get("batches/wells-1/").status_code == 404
    own = caller(User.objects.get(username="dave"), "springs")
    assert own.get("batches/wells-1/").status_code == 404
    assert own.post("batches/wells-1/close/").status_code == 404


def test_more_of_the_same_is_a_draft(api: Any, project: Any, dataset: Any) -> None:
    api.post("batches/", title="Study", task="answer", datasets=["wells"], sample=1, assignments_per_hit=2)
    api.post("batches/study/launch/")
    jobs.run_due_work()
    made = api.post("batches/study/clone/", key="c")
    assert (made.status_code, made.json()["name"], made.json()["state"]) == (201, "study-2", "draft")
    assert api.post("batches/study/clone/", key="c").json() == made.json()
    named = api.post("batches/study/clone/", name="again", title="Study, again").json()
    assert (named["name"], named["title"], named["assignments_per_hit"]) == ("again", "Study, again", 2)
    assert api.post("batches/study/clone/", name="again").status_code == 409
    assert api.post("batches/study/clone/", name="new").status_code == 422
    (left,) = api.get("batches/study/next/").json()["results"]
    assert left == {"dataset": "wells", "items": 4, "asked": 1, "held": 0, "left": 3}
    draft = api.post("batches/study/next/", count=2).json()
    assert (draft["sample"], draft["unseen_only"], draft["state"]) == (2, True, "draft")
    assert fields_at_fault(api.post("batches/study/next/", count=0, name="new")) == {"count", "name"}


def test_chosen_hits_are_given_to_chosen_annotators_and_taken_back(api: Any, batch: Any, bob: Any) -> None:
    first, second = (row["id"] for row in api.get(f"batches/{batch.slug}/hits/", limit=2).json()["results"])
    where = f"batches/{batch.slug}/given/"
    assert api.post(where, hits=[second], workers=[bob.pseudonym]).json() == {"reserved": 1, "skipped": {}}
    result = api.post(where, hits=[second, first], workers=[bob.public_id]).json()
    assert result == {"reserved": 1, "skipped": {"already": 1}}
    row = take(bob, Batch.objects.get())
    assert row.hit.public_id == second
    rows = {one["hit"]: one for one in api.get(where).json()["results"]}
    assert {hit: (one["worker"], one["state"]) for hit, one in rows.items()} == {
        second: (bob.pseudonym, "accepted"), first: (bob.pseudonym, "waiting")
    }  # fmt: skip
    assert api.post(f"{where}take-back/", given=[one["id"] for one in rows.values()]).json() == {"changed": 1}
    wrong = api.post(where, hits=[first, "none"], workers=["nobody"])
    assert fields_at_fault(wrong) == {"hits.1"}
    assert fields_at_fault(api.post(where, hits=[first], workers=["nobody"])) == {"workers.0"}


def test_a_task_that_can_ask_about_nothing_is_refused_by_its_field(api: Any, project: Any, tmp_path: Any) -> None:
    stored(project, tmp_path, [record | PLAIN for record in records(3)], "plain")
    refused = api.post("batches/", title="Compose", task="compose", datasets=["plain"])
    assert refused.status_code == 422
    assert fields_at_fault(refused) == {"task"}
    assert "Requires a decomposition into hops of one of the six shapes" in refused.content.decode()
    assert not Batch.everything.exists()
    needs = {row["name"]: row["needs"] for row in api.get("tasks/").json()["results"]}
    assert needs["sufficiency"].startswith("Requires a question with exactly two paragraphs")
