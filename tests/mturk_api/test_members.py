"""What the service's model says of members that boto3 does not check, and the documented limits, are held to."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from annotation.mturk_api import service
from annotation.mturk_api.calls import RequestError
from annotation.mturk_api.models import HitType
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.worker_acts import HIT, QUESTION, TERMS

TYPE = "00000000000000000040"
LOCALE = "00000000000000000071"
YEAR = 31_536_000


def requirement(**members: Any) -> dict[str, Any]:
    return {"QualificationRequirements": [{"QualificationTypeId": TYPE, "Comparator": "EqualTo"} | members]}


def locale(**members: Any) -> dict[str, Any]:
    return requirement(QualificationTypeId=LOCALE, **members)


UNFIT: list[tuple[str, dict[str, Any], str]] = [
    ("get_hit", {"HITId": "dud-x"}, r"'dud-x' at 'hITId'.*pattern: \^\[A-Z0-9\]\+\$"),
    ("get_hit", {"HITId": "A\n"}, "regular expression"),
    ("get_hit", {"HITId": "A" * 65}, "length less than or equal to 64"),
    ("list_hits", {"MaxResults": 101}, "value less than or equal to 100"),
    ("list_hits", {"NextToken": "x" * 256}, "length less than or equal to 255"),
    ("list_hits", {"NextToken": "nonsense"}, "NextToken"),
    ("list_reviewable_hits", {"Status": "Assignable"}, r"enum value set: \[Reviewable, Reviewing\]"),
    ("list_assignments_for_hit", {"HITId": "A", "AssignmentStatuses": ["Returned"]}, "assignmentStatuses.1.member"),
    ("create_additional_assignments_for_hit", {"HITId": "A", "NumberOfAdditionalAssignments": 0}, "from 1"),
    ("create_hit", {"UniqueRequestToken": "x" * 65}, "length less than or equal to 64"),
    ("create_hit", {"Reward": "-1"}, "pattern"),
    ("create_hit", {"Reward": "0.255"}, "pattern"),
    ("create_hit", {"Reward": ".25"}, "pattern"),
    ("create_hit", {"Reward": "1e3"}, "pattern"),
    ("create_hit", {"Reward": "1" + "0" * 300}, "at most 999999.99"),
    ("create_hit", {"Title": " "}, "Title must not be empty"),
    ("create_hit", {"Title": "x" * 129}, "at most 128"),
    ("create_hit", {"Title": "a\x00b"}, "XML 1.0"),
    ("create_hit", {"Description": "x" * 2001}, "at most 2000"),
    ("create_hit", {"Keywords": "x" * 1001}, "at most 1000"),
    ("create_hit", {"RequesterAnnotation": "x" * 256}, "at most 255"),
    ("create_hit", {"Question": "<a>" + "é" * 32_768 + "</a>"}, "at most 65535 bytes"),
    ("create_hit", {"LifetimeInSeconds": 29}, "from 30"),
    ("create_hit", {"LifetimeInSeconds": YEAR + 1}, "to 31536000"),
    ("create_hit", {"LifetimeInSeconds": 10**30}, "fits its type"),
    ("create_hit", {"AssignmentDurationInSeconds": 29}, "from 30"),
    ("create_hit", {"AutoApprovalDelayInSeconds": -1}, "from 0"),
    ("create_hit", {"AutoApprovalDelayInSeconds": 2_592_001}, "to 2592000"),
    ("create_hit", {"MaxAssignments": 0}, "from 1"),
    ("create_hit", {"MaxAssignments": 10**9 + 1}, "to 1000000000"),
    ("create_hit", {"HITReviewPolicy": {"PolicyName": "Mine"}}, "HITReviewPolicy"),
    ("create_hit", requirement(Comparator="Like", IntegerValues=[1]), "enum value set"),
    ("create_hit", requirement(ActionsGuarded="Look", IntegerValues=[1]), "enum value set"),
    ("create_hit", requirement(QualificationTypeId="x", IntegerValues=[1]), "x does not exist"),
    ("create_hit", requirement(), "exactly one value"),
    ("create_hit", requirement(Comparator="Exists", IntegerValues=[1]), "takes no values"),
    ("create_hit", requirement(Comparator="In", IntegerValues=list(range(16))), "at most 15"),
    ("create_hit", requirement(LocaleValues=[{"Country": "US"}]), "only the Locale"),
    ("create_hit", locale(LocaleValues=[{"Country": "USA"}]), "length less than or equal to 2"),
    ("create_hit", locale(Comparator="LessThan", LocaleValues=[{"Country": "US"}]), "cannot be compared"),
    ("create_hit", locale(Comparator="In", LocaleValues=[{"Country": "US"}] * 31), "at most 30"),
    (
        "create_hit",
        {"QualificationRequirements": requirement(IntegerValues=[1])["QualificationRequirements"] * 11},
        "at most 10",
    ),
]


@pytest.mark.django_db
def test_what_is_unfit_is_refused_with_its_rule() -> None:
    client = mturk(requester())
    for operation, members, rule in UNFIT:
        given = HIT | members if operation == "create_hit" else members
        with pytest.raises(ClientError, match=f"(?s){rule}") as refused:
            getattr(client, operation)(**given)
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert refused.value.response["Error"]["Code"] in {"ParameterValidationError", "RequestError"}
    assert not HitType.objects.exists()


def read(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    model = service.operation_model(operation)
    assert model is not None
    return service.read(model, request)


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("GetHIT", {}),
        ("GetHIT", {"HITId": None}),
        ("GetHIT", {"HITId": 5}),
        ("GetHIT", {"HITId": "A", "Colour": "red"}),
        ("ListHITs", {"MaxResults": 0}),
        ("ListHITs", {"MaxResults": True}),
        ("ListHITs", {"MaxResults": 1.5}),
        ("ListHITs", {"NextToken": ""}),
        ("UpdateHITReviewStatus", {"HITId": "A", "Revert": 1}),
        ("UpdateExpirationForHIT", {"HITId": "A", "ExpireAt": "soon"}),
        ("UpdateExpirationForHIT", {"HITId": "A", "ExpireAt": {}}),
        ("UpdateExpirationForHIT", {"HITId": "A", "ExpireAt": 1e18}),
        ("UpdateExpirationForHIT", {"HITId": "A", "ExpireAt": True}),
    ],
)
def test_what_boto3_would_not_even_send_is_refused_too(operation: str, request_: dict[str, Any]) -> None:
    with pytest.raises(RequestError) as refused:
        read(operation, request_)
    assert refused.value.kind == "ParameterValidationError"


@pytest.mark.parametrize("at", [0, 1420070400, 1795217268.646011, "1795217268.646011", "2026-11-20T23:27:48Z"])
def test_a_time_may_be_written_in_many_ways(at: object) -> None:
    result = read("UpdateExpirationForHIT", {"HITId": "A", "ExpireAt": at})["ExpireAt"]
    assert result.tzinfo is not None
    assert result.year in {1970, 2015, 2026}


def test_what_we_answer_is_held_to_the_model() -> None:
    model = service.operation_model("GetAccountBalance")
    assert model is not None
    for wrong in ({"Balance": "1"}, {"AvailableBalance": 5}, {"AvailableBalance": "a lot"}):
        with pytest.raises(ValueError, match="does not have"):
            service.write(model, wrong, checked=True)


@pytest.mark.django_db
def test_members_come_back_as_the_service_gave_them() -> None:
    client = mturk(requester())
    for result, shown in (("0.3", "0.30"), ("1", "1.00"), ("2.", "2.00"), ("0.05", "0.05")):
        assert client.create_hit(**HIT | {"Reward": result})["HIT"]["Reward"] == shown
    hit = client.create_hit(**HIT)["HIT"]
    assert "RequesterAnnotation" not in hit
    assert "Keywords" not in hit
    assert hit["QualificationRequirements"] == []
    assert (hit["MaxAssignments"], hit["AutoApprovalDelayInSeconds"]) == (1, 2_592_000)
    assert abs(hit["CreationTime"] - timezone.now()) < timedelta(hours=1)
    assert len(hit["HITId"]) == 30


@pytest.mark.django_db
def test_the_same_terms_are_the_same_type() -> None:
    key = requester()
    client = mturk(key)
    first = client.create_hit_type(**TERMS)["HITTypeId"]
    both = [
        {"QualificationTypeId": TYPE, "Comparator": "GreaterThan", "IntegerValues": [5]},
        {"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": [{"Country": "DE"}]},
    ]
    same = [TERMS, TERMS | {"Reward": "00.250"[1:5]}, TERMS | {"Keywords": "", "QualificationRequirements": []}]
    same.append(TERMS | {"AutoApprovalDelayInSeconds": 2_592_000})
    assert {client.create_hit_type(**terms)["HITTypeId"] for terms in same} == {first}
    assert client.create_hit(**TERMS, LifetimeInSeconds=60, Question=QUESTION)["HIT"]["HITTypeId"] == first
    other = [TERMS | {"Title": "Else"}, TERMS | {"Reward": "0.26"}, TERMS | {"QualificationRequirements": both}]
    found = {client.create_hit_type(**terms)["HITTypeId"] for terms in other}
    assert len(found | {first}) == 4
    turned = TERMS | {"QualificationRequirements": [both[1] | {"ActionsGuarded": "Accept"}, both[0]]}
    assert client.create_hit_type(**turned)["HITTypeId"] in found
    assert mturk(requester("otto")).create_hit_type(**TERMS)["HITTypeId"] not in found | {first}
