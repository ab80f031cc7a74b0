"""Links that Prolific signed: who may begin a visit with them, and who may not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256, SHA512
from django.test import Client
from prolific_emulator import link_tokens, submissions
from prolific_emulator.server import Emulator, Exchange
from prolific_emulator.world import World

from annotation.marketplaces.base import Denied, Endpoint
from annotation.marketplaces.flow import studies
from annotation.marketplaces.models import Connection, Visit
from annotation.marketplaces.prolific import link_tokens as checked
from annotation.marketplaces.prolific.marketplace import Prolific
from tests.marketplaces.prolific.panel import Panel
from tests.prolific_emulator import interface
from tests.prolific_emulator.conftest import SPEC, TOKEN

pytestmark = pytest.mark.django_db
KEYS = "/.well-known/study/jwks.json"
AGAIN = "Open the study again from there."


class Signed:
    """A study whose links are signed: `link` is a new participant's, `fetches` how often the keys were read."""

    def __init__(self, panel: Panel) -> None:
        self.panel, self.world = panel, panel.emulator.world
        self.world.signs_links = True
        self.exchanges: list[Exchange] = []
        panel.emulator.watch = self.exchanges.append
        client = Prolific(Endpoint(panel.emulator.url, "", "", TOKEN, options=(("signed_links", "yes"),)))
        spec = replace(SPEC, token="signed", url=studies.arrival_url(panel.study), places=50)
        panel.there = panel.study.external_id = client.create_study(spec)
        client.publish(panel.there)
        panel.study.save()

    @property
    def fetches(self) -> int:
        return [each.template for each in self.exchanges].count(KEYS)

    def link(self, who: str = "a" * 24) -> str:
        with self.world.lock:
            one = submissions.reserve(self.world, self.world.studies[self.panel.there], who)
            return submissions.start(self.world, one)

    def forged(self, **claims: Any) -> str:
        """A link whose token the service signed over other claims; `prolific` adds to its own."""
        link = self.link()
        given = {name: value for name, value in parse_qsl(urlsplit(link).query) if name != "prolific_token"}
        ((kid, key),) = self.world.signing_keys.items()
        own = given | {"workspace_id": self.world.workspace} | claims.pop("prolific", {})
        right = {"iss": checked.ISSUER, "exp": time.time() + 100, "aud": link, "sub": given["SESSION_ID"]}
        return with_token(link, link_tokens.token(key, kid, right | claims | {"prolific": own}))


def query_of(link: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(link).query, keep_blank_values=True))


def with_token(link: str, token: str) -> str:
    return f"{link.partition('?')[0]}?{urlencode(query_of(link) | {'prolific_token': token})}"


def open_link(link: str, browser: Client | None = None) -> tuple[int, str]:
    parts = urlsplit(link)
    page = (browser or Client()).get(f"{parts.path}?{parts.query}")
    return page.status_code, page.content.decode()


@pytest.fixture
def signed(panel: Panel) -> Iterator[Signed]:
    checked._known.clear()  # ports are used again
    made = Signed(panel)
    yield made
    checked._known.clear()
    if interface.is_here():
        assert [said for each in made.exchanges for said in interface.violations(each)] == []


def test_a_signed_link_begins_a_visit_and_the_submission_is_still_asked_for(signed: Signed) -> None:
    link = signed.link()
    assert "prolific_token=" in link
    assert open_link(link)[0] == 303
    assert (Visit.objects.get().external_id, signed.fetches) == (query_of(link)["SESSION_ID"], 1)
    over = signed.link("b" * 24)
    with signed.world.lock:
        submissions.return_(signed.world, signed.world.submissions[query_of(over)["SESSION_ID"]])
    assert "over on the marketplace" in open_link(over)[1]
    assert (Visit.objects.count(), signed.fetches) == (1, 1)


def without_token(link: str) -> str:
    query = {name: value for name, value in query_of(link).items() if name != "prolific_token"}
    return f"{link.partition('?')[0]}?{urlencode(query)}"


def test_a_link_without_a_token_is_checked_by_the_submission_alone(signed: Signed) -> None:
    assert open_link(without_token(signed.link()))[0] == 303
    assert signed.fetches == 0


def test_where_links_are_signed_nobody_can_take_the_token_off(signed: Signed) -> None:
    Connection.objects.update(options={"signed_links": "yes"})
    link = signed.link()
    status, page = open_link(without_token(link))
    assert (status, AGAIN in page, Visit.objects.count()) == (403, True, 0)
    assert open_link(link)[0] == 303


def test_a_token_that_is_signed_with_another_key_is_refused(signed: Signed) -> None:
    link = signed.link()
    token = query_of(link)["prolific_token"]
    (kid,) = signed.world.signing_keys
    stranger = link_tokens.renew_key(World(seed=6))
    wrong = link_tokens.token(stranger, kid, checked._json(token.split(".")[1]))
    status, text = open_link(with_token(link, wrong))
    assert (status, AGAIN in text, Visit.objects.count()) == (403, True, 0)
    assert open_link(link)[0] == 303


def test_an_expired_token_is_refused_except_in_the_browser_in_which_the_visit_began(signed: Signed) -> None:
    late = signed.link()
    browser = Client()
    assert open_link(late, browser)[0] == 303
    signed.world.turn(timedelta(minutes=-3))
    ((kid, key),) = signed.world.signing_keys.items()
    claims = checked._json(query_of(late)["prolific_token"].split(".")[1]) | {"exp": time.time() - 60}
    old = with_token(late, link_tokens.token(key, kid, claims))
    status, text = open_link(old)
    assert (status, AGAIN in text) == (403, True)
    assert open_link(old, browser)[0] == 303
    assert open_link(signed.link("b" * 24))[0] == 403
    signed.world.turn(timedelta(minutes=3))
    assert open_link(signed.link("c" * 24))[0] == 303
    assert Visit.objects.count() == 2


@pytest.mark.parametrize(
    "claims",
    [
        {"prolific": {"PROLIFIC_PID": "e" * 24}},
        {"prolific": {"STUDY_ID": "e" * 24}},
        {"prolific": {"SESSION_ID": "e" * 24}},
        {"prolific": {"workspace_id": "e" * 24}},
        {"sub": "e" * 24},
        {"aud": "https://elsewhere.example/visit/?PROLIFIC_PID=x"},
        {"iss": "https://elsewhere.example"},
        {"exp": None},
        {"exp": float("nan")},
        {"aud": None},
    ],
    ids=str,
)
def test_a_token_of_something_else_is_refused(signed: Signed, claims: dict[str, Any]) -> None:
    status, text = open_link(signed.forged(**claims))
    assert (status, AGAIN in text, Visit.objects.count()) == (403, True, 0)


def test_the_ids_of_another_participant_beside_ones_own_token_are_refused(signed: Signed) -> None:
    own, other = signed.link(), signed.link("b" * 24)
    assert open_link(with_token(other, query_of(own)["prolific_token"]))[0] == 403
    assert open_link(own)[0] == 303


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "é.é.é", "W1tb.W1tb.W1tb", "e30.e30.", "[" * 9000])
def test_what_is_no_token_is_refused_without_reading_keys(signed: Signed, token: str) -> None:
    assert open_link(with_token(signed.link(), token))[0] == 403
    assert signed.fetches == 0


@pytest.mark.parametrize("algorithm", ["none", "HS256", "RS512"])
def test_no_other_algorithm_is_accepted(signed: Signed, algorithm: str) -> None:
    link = signed.link()
    ((kid, key),) = signed.world.signing_keys.items()
    claims = checked._json(query_of(link)["prolific_token"].split(".")[1])
    assert open_link(with_token(link, link_tokens.token(key, kid, claims, algorithm=algorithm)))[0] == 403


def test_a_new_key_is_read_once_and_unknown_ones_cause_no_more_than_one_fetch_in_a_while(
    signed: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_link(signed.link())[0] == 303
    link_tokens.renew_key(signed.world)
    first, second = signed.link("b" * 24), signed.link("c" * 24)
    assert (open_link(first)[0], signed.fetches) == (403, 1)
    with monkeypatch.context() as later:
        later.setattr(checked, "PAUSE", 0.0)
        assert [open_link(link)[0] for link in (first, second)] == [303, 303]
    assert signed.fetches == 2
    signed.world.signing_keys = {"unknown": link_tokens.renew_key(World(seed=6))}
    wrong = signed.link("d" * 24)
    signed.world.signing_keys = {}
    assert [open_link(wrong)[0] for _again in range(3)] == [403] * 3
    assert signed.fetches == 2


def test_without_the_keys_the_participant_is_asked_to_try_again(signed: Signed, emulator: Emulator) -> None:
    link = signed.link()
    emulator.faults.share = 1.0
    status, text = open_link(link)
    assert (status, "could not ask the marketplace" in text, Visit.objects.count()) == (503, True, 0)


def test_a_workspace_without_signed_links_refuses_a_study_that_asks_for_them(
    signed: Signed, make_client: Callable[..., Prolific]
) -> None:
    signed.world.signs_links = False
    with pytest.raises(Denied, match="not available to your workspace"):
        make_client("yes").create_study(replace(SPEC, token="asks"))
    assert make_client("").create_study(replace(SPEC, token="plain"))


def test_signatures_are_those_of_an_independent_implementation() -> None:
    pair = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    numbers, text = pair.private_numbers(), b"head.payload"
    theirs = pair.sign(text, PKCS1v15(), SHA256())
    key = checked.PublicKey(numbers.public_numbers.n, 65537)
    assert checked.is_signed(text, theirs, key)
    assert not checked.is_signed(b"head.payloae", theirs, key)
    assert not checked.is_signed(text, b"\x00" + theirs, key)
    assert not checked.is_signed(text, (int.from_bytes(theirs) + key.n).to_bytes(257), key)
    assert not checked.is_signed(text, pair.sign(text, PKCS1v15(), SHA512()), key)
    assert link_tokens.SigningKey(key.n, numbers.d).sign(text) == theirs
    ours = link_tokens.new_key(Random(1))
    rsa.RSAPublicNumbers(65537, ours.n).public_key().verify(ours.sign(text), text, PKCS1v15(), SHA256())


@pytest.fixture
def make_client(emulator: Emulator) -> Callable[..., Prolific]:
    return lambda wish: Prolific(Endpoint(emulator.url, "", "", TOKEN, options=(("signed_links", wish),)))
