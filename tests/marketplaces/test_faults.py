"""Every fault of the network against every operation: nothing is done twice, and nothing raises what is not ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from annotation.marketplaces.base import AlreadyThere, Bonus, Denied, Endpoint, Gone, Offer, Terms, TryAgain, WrongState
from annotation.marketplaces.mturk.marketplace import MTurk
from annotation.marketplaces.mturk.protocol import external_question
from tests.marketplaces.fake_mturk import FakeMTurk
from tests.marketplaces.faulty_network import FAULTS, FaultyNetwork

TERMS = Terms("Wells", "Which tower?", "", Decimal("0.40"), 600, 3600)
FUTURE = datetime(2033, 5, 18, tzinfo=UTC)


@pytest.fixture(scope="module")
def sky() -> Iterator[tuple[FakeMTurk, FaultyNetwork, MTurk]]:
    """A marketplace, the network before it, and a client that calls through it."""
    with FakeMTurk() as elsewhere, FaultyNetwork(elsewhere.port, share=0.0, silence=0.3) as network:
        yield elsewhere, network, client_for(network)


def client_for(network: FaultyNetwork, *, timeout: float = 10.0) -> MTurk:
    return MTurk(Endpoint(network.url, "us-east-1", "AKIATEST", "a test's own secret", timeout=timeout))


def offer(type_id: str, token: str) -> Offer:
    return Offer(
        type_id=type_id, annotation=f"mark:{token}", token=token, url="https://x/?a=1&b=2", places=2, lifetime=99
    )


def prepared(elsewhere: FakeMTurk, client: MTurk, name: str) -> tuple[str, str]:
    """A HIT and an assignment of it that was submitted."""
    kind = elsewhere.answer("CreateHITType", {"Title": "Wells"})["HITTypeId"]
    wish = {"HITTypeId": kind, "MaxAssignments": 2, "Question": "", "RequesterAnnotation": "", "LifetimeInSeconds": 99}
    hit = elsewhere.answer("CreateHITWithHITType", wish)["HIT"]["HITId"]
    return hit, elsewhere.submit(hit, "ANNA")


OPERATIONS: dict[str, Callable[[MTurk, str, str, str], Any]] = {
    "ensure_type": lambda client, hit, work, name: client.ensure_type(TERMS),
    "publish": lambda client, hit, work, name: client.publish(offer("3TYPE000001", name)),
    "look": lambda client, hit, work, name: client.look(hit),
    "list_hits": lambda client, hit, work, name: list(client.list_hits()),
    "extend": lambda client, hit, work, name: client.extend(hit, 5, token=name),
    "expire": lambda client, hit, work, name: client.expire(hit, FUTURE),
    "assignments": lambda client, hit, work, name: list(client.assignments(hit)),
    "approve": lambda client, hit, work, name: client.approve(work),
    "reject": lambda client, hit, work, name: client.reject(work, text="No."),
    "pay_bonus": lambda client, hit, work, name: client.pay_bonus(
        Bonus("ANNA", work, Decimal("0.10"), "Well asked.", name, name)
    ),
    "has_bonus": lambda client, hit, work, name: client.has_bonus(work, name),
    "ensure_qualification": lambda client, hit, work, name: client.ensure_qualification(name, "Round 2"),
    "grant": lambda client, hit, work, name: client.grant(client.ensure_qualification("kept", "K"), "ANNA", 80),
    "revoke": lambda client, hit, work, name: client.revoke(client.ensure_qualification("kept", "K"), name),
    "message": lambda client, hit, work, name: client.message(["ANNA"], "Hello", "We liked it."),
    "balance": lambda client, hit, work, name: client.balance(),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_fault_is_told_as_one_and_the_next_try_does_it_once(
    sky: tuple[FakeMTurk, FaultyNetwork, MTurk], operation: str, fault: str
) -> None:
    elsewhere, network, client = sky
    name = f"{operation}{fault.replace(' ', '')}".replace("_", "")
    hit, work = prepared(elsewhere, client, name)
    act = OPERATIONS[operation]
    network.faults, network.share = [fault], 1.0
    first = client_for(network, timeout=0.1) if fault == "silence after" else client
    with pytest.raises(TryAgain) as met:
        act(first, hit, work, name)
    assert met.value.throttled == (fault in {"throttled", "too many"})
    network.share = 0.0
    with suppress(*([AlreadyThere] if operation in {"publish", "pay_bonus"} else [])):
        act(client, hit, work, name)
    assert _done(elsewhere, operation, hit, work, name) == 1


def _done(elsewhere: FakeMTurk, operation: str, hit: str, work: str, name: str) -> int:
    """How often that was done which must be done once; 1 for what only looks, or is the same twice."""
    if operation == "publish":
        return sum(one["RequesterAnnotation"] == f"mark:{name}" for one in elsewhere.hits.values())
    if operation == "pay_bonus":
        return sum(bonus["AssignmentId"] == work for bonus in elsewhere.bonuses)
    if operation == "ensure_qualification":
        return sum(row["Name"] == name for row in elsewhere.qualifications.values())
    if operation == "extend":
        return int(elsewhere.hits[hit]["MaxAssignments"] == 5)
    if operation == "approve":
        return int(elsewhere.assignments[work]["approvals"])
    return int(elsewhere.assignments[work]["AssignmentStatus"] == "Rejected") if operation == "reject" else 1


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_run_of_faults_ends_in_one_effect(
    sky: tuple[FakeMTurk, FaultyNetwork, MTurk], operation: str, seed: int
) -> None:
    elsewhere, _weather, _client = sky
    with FaultyNetwork(elsewhere.port, share=0.5, faults=FAULTS, seed=seed, silence=0.3) as network:
        client = client_for(network, timeout=0.2)
        name = f"{operation}{seed}".replace("_", "")
        hit, work = prepared(elsewhere, client, name)
        for _try in range(40):
            try:
                OPERATIONS[operation](client, hit, work, name)
            except TryAgain:
                continue
            except AlreadyThere:
                break
            break
        assert _done(elsewhere, operation, hit, work, name) == 1


def test_an_unknown_hit_and_assignment_are_gone(sky: tuple[FakeMTurk, FaultyNetwork, MTurk]) -> None:
    client = sky[2]
    with pytest.raises(Gone):
        client.look("3NOBODY")
    with pytest.raises(Gone):
        client.approve("3NOBODY")


def test_what_was_decided_otherwise_is_a_wrong_state(sky: tuple[FakeMTurk, FaultyNetwork, MTurk]) -> None:
    elsewhere, _weather, client = sky
    _hit, work = prepared(elsewhere, client, "wrong")
    client.approve(work)
    client.approve(work)
    with pytest.raises(WrongState):
        client.reject(work, text="No.")


def test_what_boto3_itself_refuses_is_a_definite_no(sky: tuple[FakeMTurk, FaultyNetwork, MTurk]) -> None:
    with pytest.raises(Denied):
        sky[2].expire(None, FUTURE)  # type: ignore[arg-type]


def test_the_address_is_escaped_in_the_question() -> None:
    assert "<ExternalURL>https://x/?a=1&amp;b=2</ExternalURL>" in external_question("https://x/?a=1&b=2")


def test_nothing_is_taken_from_the_environment(
    sky: tuple[FakeMTurk, FaultyNetwork, MTurk], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    profile = tmp_path / "config"
    profile.write_text("[profile odd]\nregion = eu-west-9\nendpoint_url = http://127.0.0.1:9\n")
    for name, value in {
        "AWS_PROFILE": "odd",
        "AWS_CONFIG_FILE": str(profile),
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ENDPOINT_URL_MTURK": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "AWS_MAX_ATTEMPTS": "9",
    }.items():
        monkeypatch.setenv(name, value)
    place = Endpoint(sky[0].url, "us-east-1", "AKIAOTHER", "another secret of a test", timeout=1.0)
    assert MTurk(place).balance().available == Decimal("10000.00")
    assert "another secret" not in repr(place)


def test_a_guarded_client_does_not_call_inside_the_house(sky: tuple[FakeMTurk, FaultyNetwork, MTurk]) -> None:
    elsewhere = sky[0]
    before = len(elsewhere.calls)
    for host in ("127.0.0.1", "localhost"):
        place = Endpoint(
            f"http://{host}:{elsewhere.port}/", "us-east-1", "AKIATEST", "a test's own", guarded=True, timeout=1.0
        )
        with pytest.raises(Denied, match="inside this network"):
            MTurk(place).balance()
    assert len(elsewhere.calls) == before
