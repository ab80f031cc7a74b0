"""The keys of the emulated service, and the token that it adds to a participant's link."""

import base64
import hashlib
import json
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from prolific_emulator.routing import Call, Reply, operation
from prolific_emulator.world import Submission, World

ISSUER = "https://www.prolific.com"
LIFETIME = 120  # seconds
EXPONENT, PRIME_BITS, SIZE = 65537, 1024, 256  # of keys; SIZE in bytes
SHA256_INFO = bytes.fromhex("3031300d060960864801650304020105000420")  # of PKCS #1, before the digest


class SigningKey(NamedTuple):
    """An RSA key from the emulator's seed, so nobody's secret: modulus and private exponent."""

    n: int
    d: int

    def sign(self, text: bytes) -> bytes:
        """RSASSA-PKCS1-v1_5 with SHA-256."""
        info = SHA256_INFO + hashlib.sha256(text).digest()
        encoded = b"\x00\x01" + b"\xff" * (SIZE - len(info) - 3) + b"\x00" + info
        return pow(int.from_bytes(encoded), self.d, self.n).to_bytes(SIZE)


def new_key(rng: Random) -> SigningKey:
    return _key(rng.getrandbits(64))


@lru_cache(maxsize=16)  # worlds of one seed have the same key, and to find its primes takes a third of a second
def _key(seed: int) -> SigningKey:
    rng = Random(seed)
    p, q = _prime(rng), _prime(rng)
    return SigningKey(p * q, pow(EXPONENT, -1, (p - 1) * (q - 1)))


def _prime(rng: Random) -> int:
    """A number that passes Fermat's test (for random numbers of this size as good as a proof)."""
    while True:
        number = rng.getrandbits(PRIME_BITS) | 3 << (PRIME_BITS - 2) | 1  # two such have a product of SIZE bytes
        small = all(number % each for each in range(3, 2000, 2))
        if small and number % EXPONENT != 1 and pow(2, number - 1, number) == 1:
            return number


def renew_key(world: World) -> SigningKey:
    """Sign with a new key from now on; the former ones are gone."""
    key = new_key(world.rng)
    world.signing_keys = {world.new_id(): key}
    return key


def signed(world: World, one: Submission, url: str, given: dict[str, str]) -> str:
    """The link with a token over its parameters."""
    if not world.signing_keys:
        renew_key(world)
    ((kid, key),) = world.signing_keys.items()
    at = int(world.now().timestamp())
    claims = {"iss": ISSUER, "iat": at, "exp": at + LIFETIME, "aud": url, "sub": one.id}
    claims["prolific"] = given | {"workspace_id": world.workspace}
    return f"{url}{'&' if '?' in url else '?'}prolific_token={token(key, kid, claims)}"


def token(key: SigningKey, kid: str, claims: dict[str, Any], *, algorithm: str = "RS256") -> str:
    """A JSON Web Token."""
    parts = [json.dumps(part).encode() for part in ({"alg": algorithm, "kid": kid, "typ": "JWT"}, claims)]
    text = ".".join(map(_text, parts))
    return f"{text}.{_text(key.sign(text.encode()))}"


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@operation("GET", "/.well-known/study/jwks.json")
def key_set(call: Call) -> Reply:
    return Reply(200, {"keys": [_public(kid, key) for kid, key in call.world.signing_keys.items()]})


def _public(kid: str, key: SigningKey) -> dict[str, Any]:
    n, e = _text(key.n.to_bytes(SIZE)), _text(EXPONENT.to_bytes(3))
    return {"kty": "RSA", "kid": kid, "alg": "RS256", "n": n, "e": e, "use": "sig", "key_ops": ["verify"]}
