"""Reviews and adjudications over the API."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import batch_launch
from annotation.flow.money import ledger
from annotation.flow.projects import overview
from annotation.flow.review import review_samples
from annotation.models import BatchActivity, Feedback, Project
from annotation.pure.people import roles
from tests.api.calling import caller, fields_at_fault, member
from tests.batches import create_batch
from tests.conftest import answer_to
from tests.flow import acting

pytestmark = pytest.mark.django_db
REVIEWS = "batches/writing/reviews/"


@pytest.fixture
def api(project: Any) -> Any:
    return member(project, "rita", roles.REVIEWER)


@pytest.fixture
def writing(project: Any, dataset: Any, bob: Any) -> Any:
    """A batch whose answers are read; bob answered twice."""
    ledger.deposit(project, Decimal(100), key="budget")
    pay = {"auto_approval": 3600}
    made = create_batch(project, "writing", task="compose", datasets=[dataset], instructions="Write.", **pay)
    batch_launch.launch(made)
    for k in range(2):
        row = acting.take(bob, made)
        acting.submit(row, {"question": f"Which tower stands beside the well of year {k}?", "discard": ""})
    return made


def test_answers_are_drawn_listed_and_decided_on(api: Any, writing: Any, bob: Any) -> None:
    assert api.get(REVIEWS).json()["results"] == []
    assert api.post(f"{REVIEWS}draw/", size=1).json() == {"number": 1, "drawn": 1}
    assert fields_at_fault(api.post(f"{REVIEWS}draw/", size=0, worker="x")) == {"size"}
    with CaptureQueriesContext(connection) as one:
        api.get(REVIEWS)
    api.post(f"{REVIEWS}draw/", worker=bob.pseudonym)
    with CaptureQueriesContext(connection) as two:
        api.get(REVIEWS)
    assert len(two) == len(one)
    rows = api.get(REVIEWS, worker=bob.pseudonym).json()["results"]
    assert {(row["state"], row["worker"]) for row in rows} == {("unread", bob.pseudonym)}

    first, second = (f"{REVIEWS}{row['assignment']}/" for row in rows)
    assert fields_at_fault(api.post(first, decision="edited", revision=1)) == {"text"}
    assert fields_at_fault(api.post(first, decision="discarded", revision=1, reason=" ")) == {"reason"}
    assert fields_at_fault(api.post(first, decision="accepted", revision=1, marks={"odd": True})) == {"marks.odd"}
    late = api.post(first, decision="accepted", revision=7)
    assert (late.status_code, late.json()["retry"]) == (409, True)
    result = api.post(first, decision="accepted", revision=1, seen=0).json()
    assert result["state"] == "accepted"
    assert result["last"] > 0
    assert all(result["marks"].values())
    assert api.post(first, decision="returned", revision=1, reason="Shorter.", seen=0).status_code == 409
    assert api.post(f"{first}undo/").json()["state"] == "unread"
    assert api.post(f"{first}undo/").status_code == 409
    returned = api.post(second, decision="returned", revision=1, reason="Shorter.").json()
    assert (returned["state"], returned["reason"]) == ("returned", "Shorter.")
    assert len(api.get(REVIEWS, show="returned").json()["results"]) == 1
    assert api.post(f"{first}feedback/", text="Well done.").status_code == 201
    assert Feedback.objects.get().worker == bob
    assert api.get(first).json()["text"].startswith("Which tower")


def test_only_whoever_may_pay_approves_with_a_review(api: Any, writing: Any, alice: Any) -> None:
    review_samples.draw(writing)
    where = f"{REVIEWS}{api.get(REVIEWS).json()['results'][0]['assignment']}/"
    assert api.post(where, decision="accepted", revision=1, approve=True).status_code == 403
    assert fields_at_fault(api.post(where, decision="discarded", revision=1, reason="X", approve=True)) == {"approve"}
    done = caller(alice).post(where, decision="accepted", revision=1, approve=True)
    assert done.status_code == 200, done.json()
    assert done.json()["state"] == "accepted"


def test_a_task_without_reading_has_no_reviews_and_strangers_see_none(batch: Any, api: Any, writing: Any) -> None:
    assert api.get("batches/wells-1/reviews/").status_code == 404
    stranger = member(Project.objects.create(slug="springs", title="Springs"), "dave", "owner")
    stranger.base = api.base
    assert stranger.get(REVIEWS).status_code == 404


def test_what_people_leave_open_is_settled_and_taken_back(api: Any, batch: Any, bob: Any, carol: Any) -> None:
    acting.answer_all(bob, batch)
    while row := acting.take(carol, batch):
        acting.submit(row, answer_to(row) | {"kind": "typed", "text": f"somewhere else {row.pk}"})
    open_ones = api.get("batches/wells-1/adjudications/").json()["results"]
    assert {(one["kind"], one["answers"]) for one in open_ones} == {("tied", 2)}
    where = f"batches/wells-1/adjudications/{open_ones[0]['hit']}/"
    overview.count_open(batch)
    work = api.get(f"batches/wells-1/hits/{open_ones[0]['hit']}/").json()["assignments"]
    assert fields_at_fault(api.post(where, assignment="none", revision=1)) == {"assignment"}
    assert api.post(where, assignment=work[1]["id"], revision=5).status_code == 409
    assert fields_at_fault(api.post(where, assignment=work[1]["id"], revision=1, cause="mood")) == {"cause"}
    result = api.post(where, assignment=work[1]["id"], revision=1, cause="slip").json()
    assert (result["settled"], result["aggregate"]["adjudicated"], result["cause"]) == (True, True, "slip")
    assert len(api.get("batches/wells-1/adjudications/").json()["results"]) == len(open_ones) - 1
    assert BatchActivity.objects.get().to_adjudicate == len(open_ones) - 1  # what the project's home tells
    undone = api.post(f"{where}undo/").json()
    assert (undone["settled"], undone["cause"]) == (False, "")
    assert BatchActivity.objects.get().to_adjudicate == len(open_ones)
    assert api.post(f"{where}undo/").status_code == 409


def test_two_requesters_adjudicate_independently(api: Any, batch: Any, alice: Any, bob: Any, carol: Any) -> None:
    acting.answer_all(bob, batch)
    while row := acting.take(carol, batch):
        acting.submit(row, answer_to(row) | {"kind": "typed", "text": "somewhere else"})
    other = caller(alice)
    assert other.patch("batches/wells-1/", two_adjudicators=True).json()["two_adjudicators"] is True
    overview.count_open(batch)
    listed = api.get("batches/wells-1/adjudications/").json()["results"]
    hit = listed[0]["hit"]
    where = f"batches/wells-1/adjudications/{hit}/"
    first, second = (row["id"] for row in api.get(f"batches/wells-1/hits/{hit}/").json()["assignments"])
    assert api.post(where, assignment=first, revision=1).json()["settled"] is False
    assert hit not in [one["hit"] for one in api.get("batches/wells-1/adjudications/").json()["results"]]
    assert other.get("batches/wells-1/adjudications/").json()["results"] == listed
    assert other.post(where, assignment=second, revision=1).json()["settled"] is False
    assert api.get("batches/wells-1/adjudications/").json()["results"][0] == listed[0] | {"both_decided": True}
    assert BatchActivity.objects.get().to_adjudicate == len(listed)
    assert other.post(where, assignment=first, revision=1).status_code == 409
    assert other.post(where, assignment=first, revision=1, saw_both=True).json()["settled"] is True
    assert BatchActivity.objects.get().to_adjudicate == len(listed) - 1
