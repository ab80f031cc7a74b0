"""Authentication by AWS Signature Version 4: signed again with botocore's own signer, and compared.

botocore is loaded with the first request.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from annotation.mturk_api.calls import RequestError

SERVICE = "mturk-requester"
SKEW = timedelta(minutes=15)
MUST_BE_SIGNED = {"host", "x-amz-date", "x-amz-target"}
AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256\s+Credential=(?P<key_id>[\w-]{1,128})/(?P<day>\d{8})/(?P<region>[a-z0-9-]{1,40})/"
    r"(?P<service>[a-z0-9-]{1,40})/aws4_request\s*,\s*SignedHeaders=(?P<headers>[a-z0-9;_-]{1,2000})\s*,\s*"
    r"Signature=(?P<signature>[0-9a-f]{64})\s*"
)


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed request. `headers` have lower-case names; `host` is as the client sent it."""

    method: str
    path: str  # as sent, with its prefix
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Claim:
    """The contents of the Authorization header, not verified yet."""

    key_id: str
    region: str
    service: str
    headers: frozenset[str]
    signature: str


@cache
def _signer() -> Any:
    """A class: a signer of exactly the headers that the client signed."""
    from botocore.auth import SigV4Auth
    from botocore.compat import HTTPHeaders

    class Signer(SigV4Auth):
        def headers_to_sign(self, request: Any) -> Any:
            headers = HTTPHeaders()
            for name, value in request.headers.items():
                headers[name.lower()] = value
            return headers

    return Signer


def claim(request: Signed, *, now: datetime, service: str = SERVICE) -> Claim:
    """Parse the Authorization header. Raises RequestError for a missing, malformed or expired signature."""
    header = request.headers.get("authorization", "")
    if not header:
        raise RequestError("Missing Authentication Token", kind="MissingAuthenticationTokenException")
    found = AUTHORIZATION.fullmatch(header.strip())
    if not found:
        raise refused("The Authorization header is not a signature of AWS Signature Version 4 as we read it.")
    if found["service"] != service:
        raise refused(f"Credential should be scoped to correct service: '{service}'.")
    signed = frozenset(found["headers"].split(";"))
    unsigned = sorted(MUST_BE_SIGNED - signed)
    if unsigned:
        raise refused(f"These headers must be signed: {', '.join(unsigned)}.")
    _be_fresh(request.headers.get("x-amz-date", ""), found["day"], now)
    return Claim(found["key_id"], found["region"], service, signed, found["signature"])


def _be_fresh(stamp: str, day: str, now: datetime) -> None:
    try:
        at = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise refused("The X-Amz-Date header must look like 20261120T234046Z.") from None
    if stamp[:8] != day:
        raise refused("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP.")
    if abs(now - at) > SKEW:
        clock = now.strftime("%Y%m%dT%H%M%SZ")
        raise refused(f"Signature expired: {stamp} is more than 15 minutes from {clock}, the time of this server.")


def refused(reason: str) -> RequestError:
    """Response to a malformed signature."""
    return RequestError(reason, kind="InvalidSignatureException")


def verify(request: Signed, claimed: Claim, secret: str) -> None:
    """Raise RequestError unless the request, body included, was signed with this secret."""
    digest = hashlib.sha256(request.body).hexdigest()
    stated = request.headers.get("x-amz-content-sha256")
    matches = stated is None or hmac.compare_digest(stated.encode(), digest.encode())
    if not (hmac.compare_digest(_signature(request, claimed, secret), claimed.signature) and matches):
        raise refused(
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method."
        )


def _signature(request: Signed, claimed: Claim, secret: str) -> str:
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    headers = {name: request.headers.get(name, "") for name in claimed.headers}
    address = f"https://{request.headers.get('host', '')}{request.path}"
    made = AWSRequest(
        method=request.method,
        url=f"{address}?{request.query}" if request.query else address,
        headers=headers,
        data=request.body,
    )
    made.context["timestamp"] = request.headers["x-amz-date"]
    signer = _signer()(Credentials(claimed.key_id, secret), claimed.service, claimed.region)
    return str(signer.signature(signer.string_to_sign(made, signer.canonical_request(made)), made))
