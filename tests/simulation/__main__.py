"""`python -m tests.simulation --seed 1 --steps 2000`: a history that the seed decides, its digest, what it violates."""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import sys
from pathlib import Path

if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets is chance, too
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])

sys.path.append(str(Path(__file__).parents[2] / "prolific-emulator"))
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.simulation.settings"
import django

django.setup()

from tests.simulation.coverage import never_met  # noqa: E402
from tests.simulation.run import stage  # noqa: E402
from tests.simulation.shrinking import Shrinking, in_child  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--faults", type=float, default=0.005, help="share of steps at which something breaks")
    parser.add_argument("--every", type=int, default=200, help="steps between two looks at all invariants")
    parser.add_argument("--long", action="store_true", help="do not look for the shortest history that fails")
    parser.add_argument("--trials", type=int, default=60, help="replays at most for looking for it")
    parser.add_argument("--history", action="store_true", help="print every act")
    parser.add_argument("--plant", default="", metavar="FAULT", help="a fault of tests/simulation/planted.py")
    parser.add_argument("--cuts", action="store_true", help="on PostgreSQL, waits are cancelled and connections cut")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    settings = {"faults": options.faults, "every": options.every}
    with stage(options.seed, plant=options.plant) as begun:
        begun.scheduler.cuts = options.cuts
        result = in_child(begun.scheduler, lambda: begun.play(options.steps, **settings))
        if options.history:
            print("\n".join(result.history))
        print("\n".join(f"{count:6} {kind}" for kind, count in sorted({**result.met, **result.moved}.items())))
        print("never met:", ", ".join(never_met(result)) or "nothing")
        print(result.counts)
        if result.wrong and not options.long:
            to_the_end = len(result.turns) == options.steps
            shrinking = Shrinking(begun, settings, result, to_the_end=to_the_end, most=options.trials)
            shortest = shrinking.shortest()
            print(
                f"The shortest history found that fails, of {len(shortest.turns)} steps, in {shrinking.trials} trials:"
            )
            print("\n".join(shortest.history))
            print("WRONG in it:", shortest.wrong[0])
    if result.wrong:
        print(f"after {len(result.turns)} steps:")
    for wrong in result.wrong:
        print("WRONG:", wrong)
    digest = hashlib.sha256("\n".join(result.history).encode()).hexdigest()
    print(f"seed {options.seed}, {options.steps} steps, {len(result.history)} acts: {digest}")
    return bool(result.wrong)


if __name__ == "__main__":
    sys.exit(main())
