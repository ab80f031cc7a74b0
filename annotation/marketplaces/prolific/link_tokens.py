"""The token that Prolific adds to a participant's link where the workspace has it: a JWT signed with RS256.

Its keys are public, and kept for a while by this process.
"""

import base64
import binascii
import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from annotation.marketplaces import base
from annotation.marketplaces.prolific.client import Client, member
from annotation.marketplaces.study_base import Ticket
from annotation.pure.net.addresses import origin_of

KEY_SET: Final = "/.well-known/study/jwks.json"
ISSUER: Final = "https://www.prolific.com"
SKEW: Final = 30  # seconds by which clocks may differ
KEPT: Final = 12 * 3600.0  # seconds; they ask for at least daily
PAUSE: Final = 20.0  # seconds between two fetches, whatever keys tokens name
LONGEST: Final = 4096
KEY_BITS: Final = range(2048, 8193)
SHA256_INFO: Final = bytes.fromhex("3031300d060960864801650304020105000420")  # of PKCS #1, before the digest


class PublicKey(NamedTuple):
    """An RSA key: modulus and exponent."""

    n: int
    e: int


@dataclass(frozen=True, slots=True)
class _KeySet:
    keys: Mapping[str, PublicKey]
    at: float = field(default_factory=time.monotonic)


_known: dict[str, _KeySet] = {}  # by the address of the API


def check(token: str, ticket: Ticket, *, url: str, workspace: str, now: datetime, client: Client) -> None:
    """Check that Prolific signed this arrival at our `url` just now. Raises Denied, and TryAgain without the keys."""
    if len(token) > LONGEST:
        raise base.Denied("the token is too long")
    try:
        signed, _dot, signature = token.rpartition(".")
        head, payload = map(_json, signed.split("."))
        sealed = _bytes(signature)
    except (ValueError, RecursionError):
        raise base.Denied("the token cannot be read") from None
    if head.get("alg") != "RS256" or not isinstance(head.get("kid"), str):
        raise base.Denied("the token is not signed with RS256")
    if not is_signed(signed.encode(), sealed, _key(head["kid"], client)):
        raise base.Denied("the token's signature is wrong")
    _check_claims(payload, ticket, url=url, workspace=workspace, now=now)


def is_signed(signed: bytes, signature: bytes, key: PublicKey) -> bool:
    """Whether it is the key's signature: RSASSA-PKCS1-v1_5 with SHA-256, compared with the one encoding there is."""
    size, number = (key.n.bit_length() + 7) // 8, int.from_bytes(signature)
    info = SHA256_INFO + hashlib.sha256(signed).digest()
    encoded = b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info
    return len(signature) == size and number < key.n and pow(number, key.e, key.n).to_bytes(size) == encoded


def _check_claims(claims: dict[str, Any], ticket: Ticket, *, url: str, workspace: str, now: datetime) -> None:
    """`aud` and `sub` too: whoever makes a study chooses the parameters of its link, and has them signed."""
    expires, audience, named = claims.get("exp"), claims.get("aud"), claims.get("prolific")
    if not isinstance(expires, int | float) or not isinstance(audience, str) or not isinstance(named, dict):
        raise base.Denied("the token lacks a claim")
    if not now.timestamp() <= expires + SKEW:
        raise base.Denied("the token has expired")
    wanted = {"PROLIFIC_PID": ticket.participant, "STUDY_ID": ticket.study, "SESSION_ID": ticket.submission}
    if workspace:
        wanted["workspace_id"] = workspace
    if (
        claims.get("iss") != ISSUER
        or claims.get("sub") != ticket.submission
        or origin_of(audience.partition("?")[0]) != origin_of(url)
        or any(named.get(name) != value for name, value in wanted.items())
    ):
        raise base.Denied("the token is of another visit")


def _key(kid: str, client: Client) -> PublicKey:
    """The key of that id; an unknown one is looked for anew."""
    known = _known.get(client.origin)
    age = time.monotonic() - known.at if known else KEPT
    if known is None or age >= KEPT or (kid not in known.keys and age >= PAUSE):
        rows = member(client.get(KEY_SET), "keys")
        known = _known[client.origin] = _KeySet(dict(filter(None, map(_public_key, rows))))
    if kid not in known.keys:
        raise base.Denied("the token's key is unknown")
    return known.keys[kid]


def _public_key(row: Any) -> tuple[str, PublicKey] | None:
    """(id, key) of a JSON Web Key; None for what is no usable RSA key."""
    try:
        if row["kty"] != "RSA":
            return None
        key = PublicKey(*(int.from_bytes(_bytes(row[name])) for name in PublicKey._fields))
        kid = str(row["kid"])
    except (TypeError, KeyError, ValueError):
        return None
    return (kid, key) if key.n.bit_length() in KEY_BITS and key.e % 2 and 2 < key.e < 1 << 32 else None


def _json(part: str) -> dict[str, Any]:
    found = json.loads(_bytes(part))
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _bytes(part: str) -> bytes:
    """base64url without padding. Raises ValueError."""
    try:
        return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except binascii.Error as wrong:
        raise ValueError(str(wrong)) from None
