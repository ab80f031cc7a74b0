"""Commands that are killed at any point leave nothing that they, or the next sweep, do not take up."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.process.installation import Installation

COMMANDS = ["create_batch", "make_payout", "back_up", "restore"]


def killed(first: Installation, command: str, share: int) -> int:
    """Kill the command at every `share`-th step; the number of steps that were tried."""
    found = json.loads(first.run(["-m", "tests.process.command_deaths", command, str(share)]))
    assert found["wrong"] == {}
    return int(found["points"])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_was_killed_is_taken_up(install: Callable[..., Installation], command: str) -> None:
    assert killed(install(), command, 9) > 1


@pytest.mark.soak
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_was_killed_before_any_of_its_steps_is_taken_up(
    install: Callable[..., Installation], command: str
) -> None:
    assert killed(install(), command, 1) > 15
