"""Every fault against every operation of the client: it is told as one, and what must be done once is done once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

import pytest
from prolific_emulator import submissions
from prolific_emulator.faults import KINDS, TOO_MANY
from prolific_emulator.server import Emulator
from prolific_emulator.world import Submission, World

from annotation.marketplaces.base import AlreadyThere, TryAgain
from annotation.marketplaces.prolific.marketplace import Prolific
from tests.prolific_emulator.conftest import SPEC, TOKEN, client_for
from tests.prolific_emulator.test_marketplace import REASON

Case = tuple[Emulator, Prolific, Submission]
OPERATIONS: dict[str, Callable[[Prolific, Submission, str], object]] = {
    "create_study": lambda client, one, name: client.create_study(replace(SPEC, token=name)),
    "study": lambda client, one, name: client.study(one.study),
    "pause": lambda client, one, name: client.pause(one.study),
    "set_places": lambda client, one, name: client.set_places(one.study, 9),
    "submission": lambda client, one, name: client.submission(one.id),
    "submissions": lambda client, one, name: list(client.submissions(one.study)),
    "approve": lambda client, one, name: client.approve([one.id]),
    "reject": lambda client, one, name: client.reject(one.id, reason=REASON, category="OTHER"),
    "request_return": lambda client, one, name: client.request_return(one.id, reason="No."),
    "prepare_bonuses": lambda client, one, name: client.prepare_bonuses(one.study, [(one.id, Decimal("0.10"))]),
    "ensure_group": lambda client, one, name: client.ensure_group(name),
    "message": lambda client, one, name: client.message([one.participant], one.study, "Hello."),
    "subscriptions": lambda client, one, name: list(client.subscriptions()),
    "balance": lambda client, one, name: client.balance(),
}


@pytest.fixture
def case() -> Iterator[Case]:
    with Emulator(World(token=TOKEN, seed=3)) as emulator:
        client = client_for(emulator)
        study = client.create_study(SPEC)
        client.publish(study)
        with emulator.world.lock:
            one = submissions.reserve(emulator.world, emulator.world.studies[study], "b" * 24)
            submissions.start(emulator.world, one)
            submissions.complete(emulator.world, one, "CODE0")
        yield emulator, client, one


@pytest.mark.parametrize("fault", KINDS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_fault_is_told_as_one_and_the_next_try_does_it_once(case: Case, operation: str, fault: str) -> None:
    emulator, client, one = case
    emulator.faults.kinds, emulator.faults.share = (fault,), 1.0
    with pytest.raises(TryAgain) as met:
        OPERATIONS[operation](client, one, "named")
    assert met.value.throttled == (fault == TOO_MANY)
    emulator.faults.share = 0.0
    with suppress(AlreadyThere):
        OPERATIONS[operation](client, one, "named")
    names = [study["internal_name"].split()[-1] for study in emulator.world.studies.values()]
    assert names.count("named") == (operation == "create_study")
    assert one.approvals == (operation == "approve")
    groups = [group["name"] for group in emulator.world.groups.values()]
    assert groups == (["named"] if operation == "ensure_group" else [])


def test_no_error_shows_the_token(case: Case) -> None:
    emulator, client, _one = case
    for fault in KINDS:
        emulator.faults.kinds, emulator.faults.share = (fault,), 1.0
        with pytest.raises(TryAgain) as met:
            client.balance()
        assert TOKEN not in f"{met.value} {met.value!r}"
