"""Workers through boto3: blocked, let in again, written to."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.notifications import worker_messages
from annotation.flow.people import mturk_ids, qualification_types
from annotation.models import Message
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.refusals import refused
from tests.mturk_api.worker_acts import HIT, work, worker


@pytest.fixture
def key(db: None) -> Any:
    return requester()


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


def test_a_block_keeps_out_until_it_is_taken_back(client: Any, key: Any) -> None:
    bob = worker(key.project, "bob")
    for reason in ("Spam.", "Much spam."):
        assert set(client.create_worker_block(WorkerId=bob.public_id, Reason=reason)) == {"ResponseMetadata"}
    assert qualification_types.is_blocked(bob)
    result = client.list_worker_blocks()
    assert result["WorkerBlocks"] == [{"WorkerId": bob.public_id, "Reason": "Much spam."}]
    for _time in range(2):  # who is not blocked stays so
        assert set(client.delete_worker_block(WorkerId=bob.public_id, Reason="Sorry.")) == {"ResponseMetadata"}
    assert not qualification_types.is_blocked(bob)
    assert client.list_worker_blocks()["NumResults"] == 0


def test_blocks_come_in_pages_and_are_the_requesters_own(client: Any, key: Any) -> None:
    stranger = mturk(requester("other"))
    people = [worker(key.project, f"w{k}").public_id for k in range(5)]
    for public_id in people:
        client.create_worker_block(WorkerId=public_id, Reason="Spam.")
    pages = client.get_paginator("list_worker_blocks").paginate(PaginationConfig={"PageSize": 2})
    assert [row["WorkerId"] for page in pages for row in page["WorkerBlocks"]] == people
    assert stranger.list_worker_blocks()["NumResults"] == 0
    for call in (stranger.create_worker_block, stranger.delete_worker_block):
        assert "WorkerId is invalid." in refused(call, WorkerId=people[0], Reason="Mine.")
    assert "Reason must not be empty" in refused(client.create_worker_block, WorkerId=people[0], Reason=" ")


def test_letters_reach_those_whose_work_was_decided_on(client: Any, key: Any) -> None:
    hit = client.create_hit(**HIT, MaxAssignments=4)["HIT"]["HITId"]
    bob, carol, dan, erin = (worker(key.project, name) for name in ("bob", "carol", "dan", "erin"))
    client.approve_assignment(AssignmentId=work(bob, hit).public_id)
    client.reject_assignment(AssignmentId=work(carol, hit).public_id, RequesterFeedback="No.")
    client.approve_assignment(AssignmentId=work(erin, hit).public_id)
    work(dan, hit)
    type(erin).objects.filter(pk=erin.pk).update(active=False)
    ids = [row.public_id for row in (bob, carol, dan, erin, bob)]
    result = client.notify_workers(Subject="Next week", MessageText="There is more.", WorkerIds=[*ids, "ANOBODY"])
    failures = {row["WorkerId"]: row["NotifyWorkersFailureCode"] for row in result["NotifyWorkersFailureStatuses"]}
    assert failures == {dan.public_id: "HardFailure", "ANOBODY": "HardFailure", erin.public_id: "SoftFailure"}
    assert {row.worker for row in Message.objects.all()} == {bob, carol}
    letter = worker_messages.unread(bob).get()
    assert (letter.subject, letter.text, letter.author) == ("Next week", "There is more.", key.user)


def test_letters_to_other_requesters_workers_fail_in_band(client: Any, key: Any) -> None:
    stranger = mturk(requester("other"))
    hit = client.create_hit(**HIT)["HIT"]["HITId"]
    bob = worker(key.project, "bob")
    client.approve_assignment(AssignmentId=work(bob, hit).public_id)
    result = stranger.notify_workers(Subject="Come", MessageText="To us.", WorkerIds=[bob.public_id])
    assert result["NotifyWorkersFailureStatuses"][0]["NotifyWorkersFailureMessage"] == "WorkerId is invalid."
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"WorkerIds": ["AB"] * 101}, "WorkerIds must name"),
        ({"WorkerIds": []}, "WorkerIds must name"),
        ({"WorkerIds": ["bob"]}, "regular expression"),
        ({"Subject": "s" * 201}, "Subject must have"),
        ({"Subject": " "}, "Subject must have"),
        ({"MessageText": "t" * 4097}, "MessageText must have"),
        ({"MessageText": "\n"}, "MessageText must have"),
    ],
)
def test_a_wrong_letter_is_not_sent(client: Any, members: dict[str, Any], text: str) -> None:
    right = {"Subject": "Next week", "MessageText": "There is more.", "WorkerIds": ["ANOBODY"]}
    assert text in refused(client.notify_workers, **(right | members))


def test_ids_carried_over_from_mechanical_turk_are_blocked_and_qualified(client: Any, key: Any) -> None:
    known = "A2SUAM7RRIALLY"
    assert "WorkerId is invalid." in refused(client.create_worker_block, WorkerId=known, Reason="Spam.")
    mturk_ids.import_ids(key.project, [known])
    client.create_worker_block(WorkerId=known, Reason="Spam.")
    assert client.list_worker_blocks()["WorkerBlocks"] == [{"WorkerId": known, "Reason": "Spam."}]
    type = client.create_qualification_type(Name="Level", Description="A level.", QualificationTypeStatus="Active")
    level = type["QualificationType"]["QualificationTypeId"]
    client.associate_qualification_with_worker(QualificationTypeId=level, WorkerId=known, IntegerValue=7)
    score = client.get_qualification_score(QualificationTypeId=level, WorkerId=known)
    assert score["Qualification"]["IntegerValue"] == 7
    failed = client.notify_workers(Subject="Hello", MessageText="There.", WorkerIds=[known])
    assert failed["NotifyWorkersFailureStatuses"][0]["WorkerId"] == known
