"""Qualifications through boto3: types, who holds them, who asks for them."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_types
from annotation.models import QualificationRequest, QualificationType
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.refusals import refused
from tests.mturk_api.worker_acts import worker

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
TEST = (
    f'<QuestionForm xmlns="{SCHEMAS}2017-11-06/QuestionForm.xsd"><Question>'
    "<QuestionIdentifier>q1</QuestionIdentifier><QuestionContent><Text>Which?</Text></QuestionContent>"
    "<AnswerSpecification><SelectionAnswer><Selections>"
    "<Selection><SelectionIdentifier>a</SelectionIdentifier><Text>This</Text></Selection>"
    "<Selection><SelectionIdentifier>b</SelectionIdentifier><Text>That</Text></Selection>"
    "</Selections></SelectionAnswer></AnswerSpecification></Question></QuestionForm>"
)
KEY = (
    f'<AnswerKey xmlns="{SCHEMAS}2005-10-01/AnswerKey.xsd"><Question><QuestionIdentifier>q1</QuestionIdentifier>'
    "<AnswerOption><SelectionIdentifier>a</SelectionIdentifier><AnswerScore>10</AnswerScore></AnswerOption>"
    "</Question></AnswerKey>"
)
PLAIN = {"Description": "Knows wells.", "QualificationTypeStatus": "Active"}


@pytest.fixture
def key(db: None) -> Any:
    return requester()


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


@pytest.fixture
def stranger(db: None) -> Any:
    return mturk(requester("other"))


def made(client: Any, name: str = "Wells", **more: Any) -> str:
    return str(
        client.create_qualification_type(Name=name, **(PLAIN | more))["QualificationType"]["QualificationTypeId"]
    )


def test_a_type_comes_back_as_it_was_made(client: Any) -> None:
    terms = {"Keywords": "a, b", "RetryDelayInSeconds": 60, "AutoGranted": True, "AutoGrantedValue": 7}
    result = client.create_qualification_type(Name="Wells", **PLAIN, **terms)["QualificationType"]
    assert result | PLAIN | terms == result
    assert (result["Name"], result["IsRequestable"]) == ("Wells", True)
    assert (
        client.get_qualification_type(QualificationTypeId=result["QualificationTypeId"])["QualificationType"] == result
    )


def test_a_type_with_a_test_keeps_its_xml(client: Any) -> None:
    type_id = made(client, Test=TEST, AnswerKey=KEY, TestDurationInSeconds=300)
    result = client.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]
    assert (result["Test"], result["AnswerKey"], result["TestDurationInSeconds"]) == (TEST, KEY, 300)
    assert result["AutoGranted"] is False


def test_a_name_is_used_once_by_a_requester(client: Any, stranger: Any) -> None:
    made(client)
    text = refused(client.create_qualification_type, code="QualificationTypeAlreadyExists", Name="Wells", **PLAIN)
    assert text.startswith(
        "You have already created a QualificationType with this name. A QualificationType's name must be unique "
        "among all of the QualificationTypes created by the same user."
    )
    assert made(stranger)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"Name": " "}, "Name must have"),
        ({"Name": "n" * 201}, "Name must have"),
        ({"Keywords": "k" * 1001}, "Keywords"),
        ({"RetryDelayInSeconds": -1}, "RetryDelayInSeconds"),
        ({"QualificationTypeStatus": "Sleeping"}, "enum value set"),
        ({"Test": TEST}, "TestDurationInSeconds must be specified"),
        ({"Test": TEST, "TestDurationInSeconds": 0}, "TestDurationInSeconds must be from"),
        ({"AnswerKey": KEY}, "Test must be specified"),
        ({"Test": TEST, "TestDurationInSeconds": 9, "AutoGranted": True}, "cannot be used together"),
        ({"Test": "<a>", "TestDurationInSeconds": 9}, "There was an error parsing the XML question or answer data"),
        ({"Test": KEY, "TestDurationInSeconds": 9}, "There was an error parsing the XML"),
        ({"Test": TEST, "TestDurationInSeconds": 9, "AnswerKey": TEST}, "There was an error parsing the XML"),
    ],
)
def test_a_type_with_wrong_terms_is_not_made(client: Any, more: dict[str, Any], text: str) -> None:
    assert text in refused(client.create_qualification_type, **({"Name": "Wells"} | PLAIN | more))
    assert not QualificationType.objects.exists()


def test_a_type_is_changed_in_what_is_given(client: Any) -> None:
    type_id = made(client, Test=TEST, AnswerKey=KEY, TestDurationInSeconds=300)
    named = {"QualificationTypeId": type_id}
    result = client.update_qualification_type(**named, Description="Knows more.", RetryDelayInSeconds=5)
    assert result["QualificationType"]["Description"] == "Knows more."
    assert result["QualificationType"]["AnswerKey"] == KEY
    result = client.update_qualification_type(**named, Test=TEST, TestDurationInSeconds=9)["QualificationType"]
    assert "AnswerKey" not in result, "a new test without a key has none"
    assert (result["TestDurationInSeconds"], result["RetryDelayInSeconds"]) == (9, 5)
    assert "Test must be specified" in refused(client.update_qualification_type, **named, TestDurationInSeconds=3)
    assert "cannot be used together" in refused(client.update_qualification_type, **named, AutoGranted=True)
    assert client.update_qualification_type(**named)["QualificationType"] == result


def test_a_deleted_type_is_gone_and_its_name_is_free(client: Any, key: Any) -> None:
    type_id = made(client)
    asked = qualification_types.request(QualificationType.objects.get(), worker(key.project, "bob"))
    for _time in range(2):
        answer = client.delete_qualification_type(QualificationTypeId=type_id)
        assert set(answer) == {"ResponseMetadata"}
    asked.refresh_from_db()
    assert asked.state == "rejected"
    assert "does not exist" in refused(
        client.get_qualification_type, code="QualificationTypeDoesNotExist", QualificationTypeId=type_id
    )
    assert made(client) != type_id


def names(client: Any, **members: Any) -> list[str]:
    pages = client.get_paginator("list_qualification_types").paginate(**members, PaginationConfig={"PageSize": 2})
    return [type["Name"] for page in pages for type in page["QualificationTypes"]]


def test_types_are_found_by_their_words(client: Any, stranger: Any) -> None:
    for name in ("Deep wells", "High towers", "Wells and towers"):
        made(client, name)
    made(client, "Sleeping wells", QualificationTypeStatus="Inactive")
    made(stranger, "Wells of others")
    own = {"MustBeRequestable": False, "MustBeOwnedByCaller": True}
    assert names(client, **own) == ["Deep wells", "High towers", "Wells and towers", "Sleeping wells"]
    assert names(client, **own, Query="HIGH tow") == ["High towers"]
    assert names(client, **own, Query="tow wells knows") == ["High towers", "Wells and towers"]
    assert "Sleeping wells" not in names(client, MustBeRequestable=True)
    everything = names(client, MustBeRequestable=False)
    assert everything[:6] == [
        "Masters (sandbox)",
        "Masters",
        "Worker_NumberHITsApproved",
        "Worker_Locale",
        "Worker_Adult",
        "Worker_PercentAssignmentsApproved",
    ]
    assert everything[6:] == names(client, **own)
    assert names(client, MustBeRequestable=False, Query="locale") == ["Worker_Locale"]


def test_types_of_the_system_are_read_by_everybody(client: Any) -> None:
    result = client.get_qualification_type(QualificationTypeId="00000000000000000071")["QualificationType"]
    assert (result["Name"], result["IsRequestable"]) == ("Worker_Locale", False)
    locale = {"QualificationTypeId": "00000000000000000071"}
    assert "does not exist" in refused(client.update_qualification_type, **locale, Description="mine")


def test_a_qualification_is_given_changed_and_taken_away(client: Any, key: Any) -> None:
    bob = worker(key.project, "bob")
    pair = {"QualificationTypeId": made(client), "WorkerId": bob.public_id}
    assert set(client.associate_qualification_with_worker(**pair)) == {"ResponseMetadata"}
    first = client.get_qualification_score(**pair)["Qualification"]
    assert (first["IntegerValue"], first["Status"]) == (1, "Granted")
    client.associate_qualification_with_worker(**pair, IntegerValue=-5, SendNotification=False)
    assert client.get_qualification_score(**pair)["Qualification"]["IntegerValue"] == -5
    assert worker_messages.unread(bob).count() == 1, "the second time was silent"
    client.disassociate_qualification_from_worker(**pair, Reason="Too many wells.")
    assert worker_messages.unread(bob).last().text == "Too many wells."
    text = refused(client.get_qualification_score, code="InvalidQualificationState", **pair)
    assert "operation can be called with a status of: Granted" in text
    refused(client.disassociate_qualification_from_worker, code="InvalidQualificationState", **pair)


def test_the_same_grant_twice_tells_the_worker_once(client: Any, key: Any) -> None:
    bob = worker(key.project, "bob")
    pair = {"QualificationTypeId": made(client), "WorkerId": bob.public_id}
    for _time in range(2):
        client.associate_qualification_with_worker(**pair, IntegerValue=3)
    assert worker_messages.unread(bob).count() == 1


def test_scores_of_nobody_say_so_in_the_words_that_clients_know(client: Any, stranger: Any, key: Any) -> None:
    bob, type_id = worker(key.project, "bob"), made(client)
    pair = {"QualificationTypeId": type_id, "WorkerId": bob.public_id}
    assert "does not exist" in refused(client.get_qualification_score, code="QualificationDoesNotExist", **pair)
    assert "does not exist" in refused(stranger.get_qualification_score, code="QualificationTypeDoesNotExist", **pair)
    for nobody in ("bob", "ANOBODY"):
        text = refused(client.get_qualification_score, **(pair | {"WorkerId": nobody}))
        assert "does not exist" not in text
        assert "operation can be called with a status of: Granted" not in text
    assert "does not exist" in refused(client.disassociate_qualification_from_worker, **pair)
    foreign = {"QualificationTypeId": made(stranger), "WorkerId": bob.public_id}
    assert "WorkerId is invalid." in refused(stranger.associate_qualification_with_worker, **foreign)


def test_workers_with_a_type_come_in_pages(client: Any, key: Any) -> None:
    type_id = made(client)
    people = [worker(key.project, f"w{k}").public_id for k in range(5)]
    for public_id in people:
        client.associate_qualification_with_worker(QualificationTypeId=type_id, WorkerId=public_id)
    client.disassociate_qualification_from_worker(QualificationTypeId=type_id, WorkerId=people[3])
    pages = client.get_paginator("list_workers_with_qualification_type")

    def who(**more: Any) -> list[str]:
        found = pages.paginate(QualificationTypeId=type_id, **more, PaginationConfig={"PageSize": 2})
        return [held["WorkerId"] for page in found for held in page["Qualifications"]]

    assert who() == who(Status="Granted") == [*people[:3], people[4]]
    assert who(Status="Revoked") == [people[3]]
    page = client.list_workers_with_qualification_type(QualificationTypeId=type_id, MaxResults=100)
    assert page["NumResults"] == 4
    last = client.list_workers_with_qualification_type(QualificationTypeId=type_id, NextToken=page["NextToken"])
    assert (last["NumResults"], last["Qualifications"], "NextToken" in last) == (0, [], False)


def test_requests_wait_and_are_decided_on(client: Any, stranger: Any, key: Any) -> None:
    made(client)
    type = QualificationType.objects.get()
    bob, carol = (worker(key.project, name) for name in ("bob", "carol"))
    asked = [qualification_types.request(type, who).public_id for who in (bob, carol)]
    listed = client.list_qualification_requests(QualificationTypeId=type.public_id)
    assert [row["QualificationRequestId"] for row in listed["QualificationRequests"]] == asked
    assert listed["QualificationRequests"][0]["WorkerId"] == bob.public_id
    assert "Test" not in listed["QualificationRequests"][0]
    assert stranger.list_qualification_requests()["NumResults"] == 0
    client.accept_qualification_request(QualificationRequestId=asked[0], IntegerValue=42)
    client.reject_qualification_request(QualificationRequestId=asked[1], Reason="Not yet.")
    assert client.list_qualification_requests()["NumResults"] == 0
    held = client.get_qualification_score(QualificationTypeId=type.public_id, WorkerId=bob.public_id)
    assert held["Qualification"]["IntegerValue"] == 42
    assert QualificationRequest.objects.get(public_id=asked[1]).reason == "Not yet."
    for decide in (client.accept_qualification_request, client.reject_qualification_request):
        refused(decide, code="InvalidQualificationRequestState", QualificationRequestId=asked[0])
    refused(
        stranger.accept_qualification_request,
        code="QualificationRequestDoesNotExist",
        QualificationRequestId=asked[0],
    )


def test_requests_of_all_types_come_in_pages(client: Any, key: Any) -> None:
    for k in range(3):
        made(client, f"Type {k}")
    bob = worker(key.project, "bob")
    asked = [qualification_types.request(type, bob).public_id for type in QualificationType.objects.order_by("pk")]
    pages = client.get_paginator("list_qualification_requests").paginate(PaginationConfig={"PageSize": 1})
    assert [row["QualificationRequestId"] for page in pages for row in page["QualificationRequests"]] == asked
