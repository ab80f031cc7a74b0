"""Serve an emulated Prolific, to try a study before paying for it."""

import argparse
from contextlib import suppress
from datetime import timedelta
from typing import Any

from annotation.management.json_command import JSONCommand
from annotation.prolific_emulator import participants
from annotation.prolific_emulator.faults import Faults
from annotation.prolific_emulator.server import Emulator
from annotation.prolific_emulator.world import World


class Command(JSONCommand):
    help = "Serve an emulated Prolific: its API, its participants' pages, and simulated participants."

    def add(self, parser: Any) -> None:
        parser.add_argument(
            "--bind", type=address, default="127.0.0.1:8300", help="HOST:PORT (default: 127.0.0.1:8300)"
        )
        parser.add_argument("--token", default="emulator", help="the API token that it accepts (default: emulator)")
        parser.add_argument("--seed", type=int, default=0, help="of ids, participants and faults")
        parser.add_argument("--faults", type=share, default=0.0, help="share of requests that go wrong, from 0 to 1")
        parser.add_argument("--participants", type=int, default=0, help="simulated participants for each new study")
        parser.add_argument("--slow", type=float, default=0.0, help="seconds that approvals and bonuses take")
        parser.add_argument("--signed-links", action="store_true", help="sign the links of studies that ask for it")
        parser.add_argument("--partial-payment", action="store_true", help="allow payment of a part of the reward")

    def act(self, **options: Any) -> dict[str, Any]:
        slow = timedelta(seconds=options["slow"])
        has = {"signs_links": options["signed_links"], "pays_parts": options["partial_payment"]}
        world = World(options["token"], options["seed"], approval_delay=slow, bonus_delay=slow, **has)
        faults = Faults(options["faults"], options["faults"], seed=options["seed"])
        with Emulator(world, faults, bind=options["bind"]) as emulator:
            self._show(
                {"endpoint": emulator.url, "token": world.token, "workspace": world.workspace}, as_json=options["json"]
            )
            self.stdout.flush()
            with suppress(KeyboardInterrupt):
                self._serve(emulator, options["participants"])
        with world.lock:
            return {"studies": len(world.studies), "submissions": len(world.submissions)}

    def _serve(self, emulator: Emulator, number: int) -> None:
        visited: set[str] = set()
        while not emulator.ended(0.5):
            with emulator.world.lock:
                new = {name for name, study in emulator.world.studies.items() if study["status"] == "ACTIVE"} - visited
            for name in new if number else ():
                participants.send(emulator, name, number)
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
