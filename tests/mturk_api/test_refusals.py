"""What each operation on HITs and assignments refuses, in the words and with the codes that clients match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from annotation.models import QualificationType
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.worker_acts import HIT, QUESTION, TERMS, accept, later, pass_time, submit, work, worker

NOBODY = "3NOBODY"


@pytest.fixture
def key(db: None) -> Any:
    return requester()


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


def refusal(call: Callable[[], Any]) -> tuple[str, str, str]:
    """(type, message, code) of what a call is refused with."""
    with pytest.raises(ClientError) as refused:
        call()
    result = refused.value.response
    assert result["ResponseMetadata"]["HTTPStatusCode"] == 400
    code = result.get("TurkErrorCode", "")
    return result["Error"]["Code"], result["Error"]["Message"], code.removeprefix("AWS.MechanicalTurk.")


def hit_of(client: Any, **more: Any) -> str:
    return str(client.create_hit(**HIT | more)["HIT"]["HITId"])


ASKED = {"LifetimeInSeconds": 60, "Question": QUESTION}
MORE = {"NumberOfAdditionalAssignments": 1}


@pytest.mark.parametrize(
    ("operation", "members", "code"),
    [
        ("get_hit", {"HITId": NOBODY}, "HITDoesNotExist"),
        ("update_expiration_for_hit", {"HITId": NOBODY, "ExpireAt": 0}, "HITDoesNotExist"),
        ("create_additional_assignments_for_hit", {"HITId": NOBODY} | MORE, "HITDoesNotExist"),
        ("update_hit_review_status", {"HITId": NOBODY}, "HITDoesNotExist"),
        ("update_hit_type_of_hit", {"HITId": NOBODY, "HITTypeId": NOBODY}, "HITDoesNotExist"),
        ("delete_hit", {"HITId": NOBODY}, "HITDoesNotExist"),
        ("list_assignments_for_hit", {"HITId": NOBODY}, "HITDoesNotExist"),
        ("list_reviewable_hits", {"HITTypeId": NOBODY}, "HITTypeDoesNotExist"),
        ("list_hits_for_qualification_type", {"QualificationTypeId": NOBODY}, "QualificationTypeDoesNotExist"),
        ("create_hit_with_hit_type", {"HITTypeId": NOBODY} | ASKED, "HITTypeDoesNotExist"),
        ("get_assignment", {"AssignmentId": NOBODY}, "AssignmentDoesNotExist"),
        ("approve_assignment", {"AssignmentId": NOBODY}, "AssignmentDoesNotExist"),
        ("reject_assignment", {"AssignmentId": NOBODY, "RequesterFeedback": ""}, "AssignmentDoesNotExist"),
        ("get_file_upload_url", {"AssignmentId": NOBODY, "QuestionIdentifier": "q"}, "AssignmentDoesNotExist"),
    ],
)  # fmt: skip
def test_what_does_not_exist(client: Any, operation: str, members: dict[str, Any], code: str) -> None:
    kind, message, result = refusal(lambda: getattr(client, operation)(**members))
    assert (kind, result) == ("RequestError", code)
    assert "does not exist" in message


def test_a_message_ends_with_the_time(client: Any) -> None:
    _kind, message, _code = refusal(lambda: client.get_hit(HITId=NOBODY))
    stamp = message.rpartition(" (")[2]
    assert abs(int(stamp.removesuffix(")")) / 1000 - timezone.now().timestamp()) < 3600


def test_a_token_is_used_once_by_either_way_of_making_a_hit(client: Any) -> None:
    hit_id = hit_of(client, UniqueRequestToken="mine")
    made = client.create_hit_type(**TERMS)["HITTypeId"]
    for call in (
        lambda: hit_of(client, UniqueRequestToken="mine"),
        lambda: client.create_hit_with_hit_type(
            HITTypeId=made, LifetimeInSeconds=60, Question=QUESTION, UniqueRequestToken="mine"
        ),
    ):
        kind, message, code = refusal(call)
        assert (kind, code) == ("RequestError", "HITAlreadyExists")
        assert message.startswith(f'The HIT with ID "{hit_id}" already exists.')
    assert client.list_hits()["NumResults"] == 1


def test_a_token_of_an_extension_is_used_once_and_names_the_request(client: Any) -> None:
    hit_id = hit_of(client)
    more = {"HITId": hit_id, "NumberOfAdditionalAssignments": 1, "UniqueRequestToken": "more-1"}
    client.create_additional_assignments_for_hit(**more)
    _kind, message, code = refusal(lambda: client.create_additional_assignments_for_hit(**more))
    assert "more-1" in message
    assert code == "AssignmentAlreadyExists"
    assert client.get_hit(HITId=hit_id)["HIT"]["MaxAssignments"] == 2


def test_nine_assignments_do_not_become_ten(client: Any) -> None:
    few, many = hit_of(client, MaxAssignments=8), hit_of(client, MaxAssignments=10)
    client.create_additional_assignments_for_hit(HITId=few, NumberOfAdditionalAssignments=1)
    _kind, _message, code = refusal(
        lambda: client.create_additional_assignments_for_hit(HITId=few, NumberOfAdditionalAssignments=1)
    )
    assert code == "InvalidMaximumAssignmentsIncrease"
    client.create_additional_assignments_for_hit(HITId=many, NumberOfAdditionalAssignments=5)


def test_only_a_reviewable_hit_is_deleted_and_only_once(key: Any, client: Any) -> None:
    hit_id = hit_of(client)
    may = "This operation can be called with a status of: Reviewing, Reviewable"
    kind, message, code = refusal(lambda: client.delete_hit(HITId=hit_id))
    assert (kind, code) == ("RequestError", "InvalidHITState")
    assert message.startswith(f"This HIT is currently in the state 'Assignable'.  {may}")
    row = accept(worker(key.project, "bob"), hit_id)
    assert "in the state 'Unassignable'" in refusal(lambda: client.delete_hit(HITId=hit_id))[1]
    submit(row)
    assert "in the state 'Reviewable'" in refusal(lambda: client.delete_hit(HITId=hit_id))[1]
    client.reject_assignment(AssignmentId=row.public_id, RequesterFeedback="No.")
    client.delete_hit(HITId=hit_id)
    assert "currently in the state 'Disposed'" in refusal(lambda: client.delete_hit(HITId=hit_id))[1]
    approve = {"AssignmentId": row.public_id, "OverrideRejection": True}
    assert "status of: Submitted" in refusal(lambda: client.approve_assignment(**approve))[1]
    for call in (
        lambda: client.update_expiration_for_hit(HITId=hit_id, ExpireAt=later(60)),
        lambda: client.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1),
        lambda: client.update_hit_review_status(HITId=hit_id),
        lambda: client.update_hit_type_of_hit(
            HITId=hit_id, HITTypeId=client.create_hit_type(**TERMS | {"Reward": "2"})["HITTypeId"]
        ),
    ):
        assert "currently in the state 'Disposed'" in refusal(call)[1]


def test_only_a_reviewable_hit_is_marked(client: Any) -> None:
    hit_id = hit_of(client)
    _kind, message, code = refusal(lambda: client.update_hit_review_status(HITId=hit_id))
    assert message.startswith("This HIT is currently in the state 'Assignable'.")
    assert code == "InvalidHITState"
    client.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    for revert, status in ((False, "Reviewing"), (False, "Reviewing"), (True, "Reviewable")):
        client.update_hit_review_status(HITId=hit_id, Revert=revert)
        assert client.get_hit(HITId=hit_id)["HIT"]["HITStatus"] == status


def test_an_expiration_comes_no_earlier_but_now(client: Any) -> None:
    hit_id = hit_of(client)
    assert "earlier time" in refusal(lambda: client.update_expiration_for_hit(HITId=hit_id, ExpireAt=later(60)))[1]
    until = later(7200)
    for _time in range(2):
        client.update_expiration_for_hit(HITId=hit_id, ExpireAt=until)
    result = client.get_hit(HITId=hit_id)["HIT"]["Expiration"]
    assert abs(result - until).total_seconds() < 0.002
    client.update_expiration_for_hit(HITId=hit_id, ExpireAt=result)
    far = later(366 * 24 * 3600)
    assert "31536000" in refusal(lambda: client.update_expiration_for_hit(HITId=hit_id, ExpireAt=far))[1]


def test_an_assignment_is_decided_once(key: Any, client: Any) -> None:
    hit_id = hit_of(client, MaxAssignments=3)
    bob, carol, dan = (worker(key.project, name) for name in ("bob", "carol", "dan"))
    approved, rejected, going = work(bob, hit_id), work(carol, hit_id), accept(dan, hit_id)
    client.approve_assignment(AssignmentId=approved.public_id)
    client.reject_assignment(AssignmentId=rejected.public_id, RequesterFeedback="No.")
    for row in (approved, going):
        for override in (False, True):
            call = {"AssignmentId": row.public_id, "OverrideRejection": override}
            kind, message, code = refusal(lambda call=call: client.approve_assignment(**call))
            assert (kind, code) == ("RequestError", "InvalidAssignmentState")
            assert message.startswith("This operation can be called with a status of: Submitted (")
    assert "of: Submitted" in refusal(lambda: client.approve_assignment(AssignmentId=rejected.public_id))[1]
    for row in (approved, rejected, going):
        call = {"AssignmentId": row.public_id, "RequesterFeedback": ""}
        assert "of: Submitted" in refusal(lambda call=call: client.reject_assignment(**call))[1]
    _kind, message, _code = refusal(lambda: client.get_assignment(AssignmentId=going.public_id))
    assert message.startswith("This operation can be called with a status of: Reviewable,Approved,Rejected")


def test_a_rejection_is_overridden_for_thirty_days(key: Any, client: Any) -> None:
    hit_id = hit_of(client, MaxAssignments=2)
    rows = [work(worker(key.project, name), hit_id) for name in ("bob", "carol")]
    for row in rows:
        client.reject_assignment(AssignmentId=row.public_id, RequesterFeedback="No.")
    pass_time(29 * 24 * 3600)
    client.approve_assignment(AssignmentId=rows[0].public_id, OverrideRejection=True)
    pass_time(24 * 3600)
    call = {"AssignmentId": rows[1].public_id, "OverrideRejection": True}
    assert "of: Submitted" in refusal(lambda: client.approve_assignment(**call))[1]


def test_files_are_answers_no_more(key: Any, client: Any) -> None:
    row = work(worker(key.project, "bob"), hit_of(client))
    kind, message, _code = refusal(
        lambda: client.get_file_upload_url(AssignmentId=row.public_id, QuestionIdentifier="q")
    )
    assert kind == "RequestError"
    assert "deprecated" in message


def test_layouts_do_not_exist_here(client: Any) -> None:
    layout = HIT | {"HITLayoutId": "3LAYOUT"}
    assert refusal(lambda: client.create_hit(**layout))[0] == "InvalidParameterCombinationError"
    del layout["Question"]
    assert refusal(lambda: client.create_hit(**layout))[2] == "HITLayoutDoesNotExist"
    del layout["HITLayoutId"]
    assert "must be provided" in refusal(lambda: client.create_hit(**layout))[1]


def test_a_broken_question_is_told_as_the_service_told_it(client: Any) -> None:
    broken = QUESTION.replace("&amp;", "&")
    kind, message, _code = refusal(lambda: client.create_hit(**HIT | {"Question": broken}))
    assert kind == "ParameterValidationError"
    assert message.startswith("There was an error parsing the XML question or answer data in your request.")


def test_requirements_name_types_that_exist(key: Any, client: Any) -> None:
    own = QualificationType.objects.create(project=key.project, name="Seen it")
    foreign = QualificationType.objects.create(project=requester("otto").project, name="Seen it")

    def asked(type_id: str) -> list[dict[str, Any]]:
        return [{"QualificationTypeId": type_id, "Comparator": "DoesNotExist", "ActionsGuarded": "PreviewAndAccept"}]

    hit = client.create_hit(**HIT, QualificationRequirements=asked(own.public_id))["HIT"]
    assert hit["QualificationRequirements"] == [asked(own.public_id)[0] | {"RequiredToPreview": True}]
    listed = client.list_hits_for_qualification_type(QualificationTypeId=own.public_id)
    assert [row["HITId"] for row in listed["HITs"]] == [hit["HITId"]]
    _kind, _message, code = refusal(
        lambda: client.create_hit(**HIT, QualificationRequirements=asked(foreign.public_id))
    )
    assert code == "QualificationTypeDoesNotExist"
    both = [asked(own.public_id)[0] | {"RequiredToPreview": False}]
    kind, message, _code = refusal(lambda: client.create_hit(**HIT, QualificationRequirements=both))
    assert kind == "InvalidParameterCombinationError"
    assert "ActionsGuarded, RequiredToPreview" in message
