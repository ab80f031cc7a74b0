"""Authentication: who may call, what is refused before any operation sees it, and in which words."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.test import Client
from django.utils import timezone

from annotation.models import AccessKey, Member, Project, SecondFactor, User
from annotation.mturk_api import calls
from annotation.mturk_api.flow import access_keys
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.worker_acts import HIT

TARGET = "MTurkRequesterServiceV20170117."


@pytest.fixture
def key(db: None) -> Any:
    return requester()


def signed(
    key: Any, body: bytes, *, operation: str = "GetAccountBalance", at: Any = None, **more: Any
) -> dict[str, str]:
    """Headers signed by hand as AWS's documentation describes it, without botocore."""
    stamp = (at or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
    path, secret = more.pop("path", "/mturk/"), more.pop("secret", key.secret)
    service = more.pop("service", "mturk-requester")
    headers = {
        "content-type": "application/x-amz-json-1.1",
        "host": "testserver",
        "x-amz-date": stamp,
        "x-amz-target": TARGET + operation,
    } | more.pop("headers", {})
    names = sorted(set(headers) - more.pop("unsigned", set()))
    canonical = "\n".join(
        ["POST", path, "", *(f"{n}:{headers[n]}" for n in names), "", ";".join(names), hashlib.sha256(body).hexdigest()]
    )
    scope = f"{stamp[:8]}/us-east-1/{service}/aws4_request"
    to_sign = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    secret_key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        secret_key = hmac.new(secret_key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(secret_key, to_sign.encode(), hashlib.sha256).hexdigest()
    credential = f"Credential={key.key_id}/{scope}"
    result = f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={';'.join(names)}, Signature={signature}"
    return headers | {"authorization": result}


def post(headers: dict[str, str], body: bytes = b"{}", path: str = "/mturk/") -> tuple[int, dict[str, Any], Any]:
    headers = dict(headers)
    kind = headers.pop("content-type", "application/x-amz-json-1.1")
    response = Client(raise_request_exception=False).post(path, body, content_type=kind, headers=headers)
    return response.status_code, json.loads(response.content), response


def test_a_signed_request_is_answered(key: Any) -> None:
    answer = mturk(key).get_account_balance()
    assert answer["AvailableBalance"] == "10000.00"
    assert answer["ResponseMetadata"]["RequestId"]


def test_an_endpoint_without_its_last_slash_is_the_same(key: Any) -> None:
    status, result, _response = post(signed(key, b"{}", path="/mturk"), path="/mturk")
    assert (status, result) == (200, {"AvailableBalance": "10000.00"})


def test_a_signature_made_by_hand_is_as_good(key: Any) -> None:
    status, result, response = post(signed(key, b"{}"))
    assert (status, result) == (200, {"AvailableBalance": "10000.00"})
    assert response["Content-Type"] == "application/x-amz-json-1.1"
    assert response["x-amzn-RequestId"]
    assert "sessionid" not in response.cookies


def test_whatever_is_changed_after_signing_is_noticed(key: Any) -> None:
    good = signed(key, b"{}")
    other = requester("otto")
    attacks = {
        "body": (good, b'{"a": 1}'),
        "target": (good | {"x-amz-target": TARGET + "ListHITs"}, b"{}"),
        "secret": (signed(key, b"{}", secret="guessed"), b"{}"),
        "path": (signed(key, b"{}", path="/"), b"{}"),
        "key": (good | {"authorization": good["authorization"].replace(key.key_id, other.key_id)}, b"{}"),
        "payload hash": (signed(key, b"{}", headers={"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}), b"{}"),
        "service": (signed(key, b"{}", service="s3"), b"{}"),
        "target not signed": (signed(key, b"{}", unsigned={"x-amz-target"}), b"{}"),
        "early": (signed(key, b"{}", at=datetime.now(UTC) + timedelta(minutes=16)), b"{}"),
        "late": (signed(key, b"{}", at=datetime.now(UTC) - timedelta(minutes=16)), b"{}"),
        "no signature": (good | {"authorization": "Basic abc"}, b"{}"),
        "no date": (good | {"x-amz-date": "yesterday"}, b"{}"),
    }
    for name, (headers, body) in attacks.items():
        status, result, _response = post(headers, body)
        assert (status, result["__type"]) == (400, "InvalidSignatureException"), name
    for minutes in (-14, 14):
        assert post(signed(key, b"{}", at=datetime.now(UTC) + timedelta(minutes=minutes)))[0] == 200


def test_who_has_no_key_is_told_so(key: Any) -> None:
    good = signed(key, b"{}")
    assert post({k: v for k, v in good.items() if k != "authorization"})[1]["__type"] == (
        "MissingAuthenticationTokenException"
    )
    stranger = AccessKey(project=key.project, user=key.user, key_id="HOPSNOBODY", secret="x")
    assert post(signed(stranger, b"{}"))[1]["__type"] == "UnrecognizedClientException"


def test_a_key_that_was_revoked_or_whose_owner_left_opens_nothing(key: Any) -> None:
    client = mturk(key)
    Member.objects.filter(project=key.project).delete()
    with pytest.raises(ClientError, match="UnrecognizedClientException"):
        client.get_account_balance()
    Member.objects.create(project=key.project, user=key.user)
    client.get_account_balance()
    assert access_keys.revoke(key)
    assert not access_keys.revoke(key)
    with pytest.raises(ClientError, match="UnrecognizedClientException"):
        client.get_account_balance()


def test_where_two_factors_are_asked_a_key_of_who_has_one_opens_nothing(key: Any) -> None:
    Project.objects.filter(pk=key.project_id).update(two_factor=True)
    with pytest.raises(ClientError, match="UnrecognizedClientException"):
        mturk(key).get_account_balance()
    SecondFactor.objects.create(user=key.user, secret="00" * 20)
    mturk(key).get_account_balance()


def test_the_last_use_of_a_key_is_noted_but_not_with_each_call(key: Any) -> None:
    client = mturk(key)
    client.get_account_balance()
    first = AccessKey.objects.get(pk=key.pk).last_used_at
    assert first is not None
    client.get_account_balance()
    assert AccessKey.objects.get(pk=key.pk).last_used_at == first
    AccessKey.objects.update(last_used_at=timezone.now() - timedelta(hours=1))
    client.get_account_balance()
    assert AccessKey.objects.get(pk=key.pk).last_used_at >= first


def test_what_is_no_request_of_the_protocol_is_refused(key: Any) -> None:
    assert post(signed(key, b"{}", operation="DropTables"))[1]["__type"] == "UnknownOperationException"
    other = signed(key, b"{}", headers={"x-amz-target": "OtherService.GetAccountBalance"})
    assert post(other)[1]["__type"] == "UnknownOperationException"
    for body in (b"[]", b"{", b'{"MaxResults": NaN}', b"\xff", b"[" * 100_000):
        assert post(signed(key, body), body)[1]["__type"] == "SerializationException"
    status, result, _response = post(signed(key, b"{}"), b"x" * 1_000_001)
    assert (status, result["__type"]) == (413, "RequestEntityTooLargeException")


def test_a_defect_of_ours_tells_nothing_of_the_inside(key: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("the secret recipe")

    monkeypatch.setitem(calls.OPERATIONS, "GetAccountBalance", broken)
    client = mturk(key)
    with pytest.raises(client.exceptions.ServiceFault) as fault:
        client.get_account_balance()
    assert fault.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
    assert "recipe" not in str(fault.value)


def test_a_browser_is_told_what_this_address_is_once_signed_in(db: None) -> None:
    client = Client()
    assert client.get("/mturk/").status_code == 302
    client.force_login(User.objects.create_user("ana"))
    page = client.get("/mturk/")
    assert page.status_code == 200
    assert 'endpoint_url="http://testserver/mturk/"' in page.content.decode()


def test_an_effect_and_its_token_are_one(key: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from annotation.mturk_api.flow import hit_creation

    def broken(*_: Any) -> Any:
        raise RuntimeError("half-way")

    client = mturk(key)
    with monkeypatch.context() as patch:
        patch.setattr(hit_creation.ledger, "transfer", broken)
        with pytest.raises(client.exceptions.ServiceFault):
            client.create_hit(**HIT, UniqueRequestToken="once")
    client.create_hit(**HIT, UniqueRequestToken="once")
    assert client.list_hits()["NumResults"] == 1
