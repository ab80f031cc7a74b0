"""boto3 at our endpoint: over loopback, or handed to Django in the test's own transaction, which is quicker."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from django.test import Client

from annotation.flow.money import ledger
from annotation.models import Member, Project, User
from annotation.mturk_api.flow import access_keys

SESSION = boto3.Session()  # reads the service's model once
INSIDE = "http://testserver/mturk/"


class Inside:
    """A botocore HTTP session that asks Django itself instead of the network."""

    def __init__(self, **extra: Any) -> None:
        self.extra, self.seen = extra, []

    def send(self, request: Any) -> AWSResponse:
        address = urlsplit(request.url)
        headers = {
            name: value.decode() if isinstance(value, bytes) else str(value) for name, value in request.headers.items()
        }
        response = Client(raise_request_exception=False).generic(
            request.method,
            address.path + (f"?{address.query}" if address.query else ""),
            request.body or b"",
            content_type=headers.pop("Content-Type", "application/octet-stream"),
            headers=headers | {"Host": address.netloc},
            **self.extra,
        )
        self.seen.append(response)
        return AWSResponse(request.url, response.status_code, dict(response.headers), Raw(response.content))

    def close(self) -> None:
        pass


class Raw:
    """A body as botocore reads it."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def stream(self, *_: Any, **__: Any) -> Any:
        yield self.content


def mturk(key: Any, *, endpoint: str = INSIDE, secret: str = "") -> Any:
    """A boto3 client that signs with the key."""
    client = SESSION.client(
        "mturk",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=key.key_id,
        aws_secret_access_key=secret or key.secret,
        config=Config(retries={"total_max_attempts": 1}),
    )
    if endpoint == INSIDE:
        client._endpoint.http_session = Inside()
    return client


def requester(name: str = "rita", *, balance: str = "10000.00") -> Any:
    """An access key of a new requester with a project and a balance."""
    user = User.objects.create_user(name, password="a long enough phrase")
    project = Project.objects.create(slug=name, title=f"Project of {name}", sign_up=Project.SignUp.ANY_ACCOUNT)
    Member.objects.create(project=project, user=user)
    ledger.deposit(project, Decimal(balance), key="first")
    return access_keys.make(project, user)
