"""Every operation of botocore's model is served, and what clients match in errors stands in ours word by word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.flow.people import qualification_types
from annotation.models import QualificationType
from annotation.mturk_api import service
from annotation.mturk_api.endpoint import OPERATIONS
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.refusals import refused
from tests.mturk_api.worker_acts import HIT, accept, work, worker

TYPE = {"Name": "Wells", "Description": "Knows wells.", "QualificationTypeStatus": "Active"}


def test_all_39_operations_of_the_model_are_registered() -> None:
    assert sorted(OPERATIONS) == sorted(service.model().operation_names)
    assert len(OPERATIONS) == 39


def approved_twice(client: Any, bob: Any, hit: str) -> str:
    row = work(bob, hit)
    client.approve_assignment(AssignmentId=row.public_id)
    return refused(client.approve_assignment, code="InvalidAssignmentState", AssignmentId=row.public_id)


def rejected_when_approved(client: Any, bob: Any, hit: str) -> str:
    row = work(bob, hit)
    client.approve_assignment(AssignmentId=row.public_id)
    feedback = {"AssignmentId": row.public_id, "RequesterFeedback": ""}
    return refused(client.reject_assignment, code="InvalidAssignmentState", **feedback)


def deleted_under_work(client: Any, bob: Any, hit: str) -> str:
    accept(bob, hit)
    return refused(client.delete_hit, code="InvalidHITState", HITId=hit)


def deleted_twice(client: Any, bob: Any, hit: str) -> str:
    client.update_expiration_for_hit(HITId=hit, ExpireAt=0)
    client.delete_hit(HITId=hit)
    return refused(client.delete_hit, code="InvalidHITState", HITId=hit)


def hit_with_a_used_token(client: Any, bob: Any, hit: str) -> str:
    made = client.create_hit(**HIT, UniqueRequestToken="t")["HIT"]["HITId"]
    text = refused(client.create_hit, code="HITAlreadyExists", **HIT, UniqueRequestToken="t")
    assert made in text
    return text.replace(made, "<HITId>")


def bonus_with_a_used_token(client: Any, bob: Any, hit: str) -> str:
    pair = {"WorkerId": bob.public_id, "AssignmentId": work(bob, hit).public_id}
    bonus = {**pair, "BonusAmount": "0.01", "Reason": "Thanks.", "UniqueRequestToken": "t"}
    client.send_bonus(**bonus)
    return refused(client.send_bonus, **bonus)


def bonus_beyond_the_budget(client: Any, bob: Any, hit: str) -> str:
    pair = {"WorkerId": bob.public_id, "AssignmentId": work(bob, hit).public_id}
    return refused(client.send_bonus, code="InsufficientFunds", **pair, BonusAmount="99999", Reason="Thanks.")


def hit_beyond_the_budget(client: Any, bob: Any, hit: str) -> str:
    return refused(client.create_hit, code="InsufficientFunds", **(HIT | {"Reward": "99999"}))


def type_made_twice(client: Any, bob: Any, hit: str) -> str:
    client.create_qualification_type(**TYPE)
    return refused(client.create_qualification_type, code="QualificationTypeAlreadyExists", **TYPE)


def score_of_nobody(client: Any, bob: Any, hit: str) -> str:
    type_id = client.create_qualification_type(**TYPE)["QualificationType"]["QualificationTypeId"]
    return refused(client.get_qualification_score, QualificationTypeId=type_id, WorkerId=bob.public_id)


def score_that_was_revoked(client: Any, bob: Any, hit: str) -> str:
    type_id = client.create_qualification_type(**TYPE)["QualificationType"]["QualificationTypeId"]
    type = QualificationType.objects.get(public_id=type_id)
    qualification_types.grant(type, bob, 1, source="hand")
    qualification_types.revoke(type, bob)
    return refused(client.get_qualification_score, QualificationTypeId=type_id, WorkerId=bob.public_id)


def unknown_hit(client: Any, bob: Any, hit: str) -> str:
    return refused(client.get_hit, code="HITDoesNotExist", HITId="3NOTHING")


def unknown_assignment(client: Any, bob: Any, hit: str) -> str:
    return refused(client.get_assignment, code="AssignmentDoesNotExist", AssignmentId="3NOTHING")


def unsubmitted_assignment(client: Any, bob: Any, hit: str) -> str:
    return refused(client.get_assignment, AssignmentId=accept(bob, hit).public_id)


def unblocking_nobody(client: Any, bob: Any, hit: str) -> str:
    return refused(client.delete_worker_block, WorkerId="ANOBODY")


def broken_question(client: Any, bob: Any, hit: str) -> str:
    return refused(client.create_hit, **(HIT | {"Question": "<ExternalQuestion>&</ExternalQuestion>"}))


POOR = "This Requester has insufficient funds in their account to complete this transaction."
STATES = "This operation can be called with a status of: Reviewing, Reviewable"
GOLDEN: list[tuple[Callable[..., str], str]] = [
    (approved_twice, "This operation can be called with a status of: Submitted"),
    (rejected_when_approved, "This operation can be called with a status of: Submitted"),
    (deleted_under_work, f"This HIT is currently in the state 'Unassignable'.  {STATES}"),
    (deleted_twice, f"This HIT is currently in the state 'Disposed'.  {STATES}"),
    (hit_with_a_used_token, 'The HIT with ID "<HITId>" already exists.'),
    (bonus_with_a_used_token, 'The idempotency token "t" has already been processed.'),
    (bonus_beyond_the_budget, POOR),
    (hit_beyond_the_budget, POOR),
    (
        type_made_twice,
        "You have already created a QualificationType with this name. A QualificationType's name must be unique "
        "among all of the QualificationTypes created by the same user.",
    ),
    (score_of_nobody, "does not exist"),
    (score_that_was_revoked, "operation can be called with a status of: Granted"),
    (unknown_hit, "does not exist"),
    (unknown_assignment, "does not exist"),
    (unsubmitted_assignment, "This operation can be called with a status of: Reviewable,Approved,Rejected"),
    (unblocking_nobody, "WorkerId is invalid."),
    (broken_question, "There was an error parsing the XML question or answer data in your request."),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("act", "text"), GOLDEN, ids=lambda value: getattr(value, "__name__", ""))
def test_an_error_says_what_clients_look_for(act: Callable[..., str], text: str) -> None:
    key = requester()
    client = mturk(key)
    hit = client.create_hit(**HIT)["HIT"]["HITId"]
    result = act(client, worker(key.project, "bob"), hit)
    assert text in result
    assert result.rpartition(" (")[2].rstrip(")").isdigit(), "the time in ms at the end"
