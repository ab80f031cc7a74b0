"""The command `prolific-emulator`: exit code 0: ended; 1: the address cannot be used; 2: wrong usage."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from prolific_emulator import participants
from prolific_emulator.faults import Faults
from prolific_emulator.server import Emulator
from prolific_emulator.world import World


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted; print the endpoint first, and how many studies and submissions there were at the end."""
    options = parser().parse_args(arguments)
    slow = timedelta(seconds=options.slow)
    has = {"signs_links": options.signed_links, "pays_parts": options.partial_payment}
    world = World(options.token, options.seed, approval_delay=slow, bonus_delay=slow, **has)
    faults = Faults(options.faults, options.faults, seed=options.seed)
    try:
        opened = Emulator(world, faults, bind=options.bind)
    except OSError as broken:
        sys.exit(f"{':'.join(map(str, options.bind))}: {broken.strerror or broken}")
    with opened as emulator:
        facts = {"endpoint": emulator.url, "token": world.token, "workspace": world.workspace}
        show(facts, as_json=options.json)
        with suppress(KeyboardInterrupt):
            serve(emulator, options.participants)
    with world.lock:
        show({"studies": len(world.studies), "submissions": len(world.submissions)}, as_json=options.json)


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    own = argparse.ArgumentParser(
        "prolific-emulator",
        description="Serve an emulated Prolific: its API, its participants' pages, and simulated participants.",
    )
    add = own.add_argument
    add("--bind", type=address, default="127.0.0.1:8300", help="HOST:PORT (default: 127.0.0.1:8300)")
    add("--token", default="emulator", help="the API token that it accepts (default: emulator)")
    add("--seed", type=int, default=0, help="of ids, participants and faults")
    add("--faults", type=share, default=0.0, help="share of requests that go wrong, from 0 to 1")
    add("--participants", type=int, default=0, help="simulated participants for each new study")
    add("--slow", type=float, default=0.0, help="seconds that approvals and bonuses take")
    add("--signed-links", action="store_true", help="sign the links of studies that ask for it")
    add("--partial-payment", action="store_true", help="allow payment of a part of the reward")
    add("--json", action="store_true", help="print JSON documents on stdout")
    return own


def show(facts: dict[str, Any], *, as_json: bool) -> None:
    """Print facts, and at once: whoever waits for the endpoint may read from a pipe."""
    lines = "\n".join(f"{key}: {value}" for key, value in facts.items())
    sys.stdout.write((json.dumps(facts, indent=1) if as_json else lines) + "\n")
    sys.stdout.flush()


def serve(emulator: Emulator, number: int) -> None:
    """Send so many participants to each study that becomes active, until the emulator ends."""
    visited: set[str] = set()
    while not emulator.ended(0.5):
        with emulator.world.lock:
            new = {name for name, study in emulator.world.studies.items() if study["status"] == "ACTIVE"} - visited
        for name in new if number else ():
            participants.send(emulator.world, name, number)
        visited |= new


def address(text: str) -> tuple[str, int]:
    """HOST:PORT."""
    host, _colon, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"give HOST:PORT, such as 127.0.0.1:8300, not {text!r}")
    return host.strip("[]"), int(port)


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"give a number from 0 to 1, not {text!r}")
    return value


if __name__ == "__main__":
    main()
