"""An upgrade that is killed before each of its steps: `python -m tests.process.upgrade_deaths SHARE`; prints JSON.

SHARE: every how many-th step is tried; always those where something begins or ends.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402

from annotation.operations import upgrade  # noqa: E402
from tests.process.kill_points import KILLED, RAISED, copies, life, state  # noqa: E402


def tried(before: dict[str, Any], last: int) -> tuple[list[str], str]:
    """Kill an upgrade at this step and call it again; (what is wrong, the refusal)."""
    code, _found, _names = life(upgrade.bring_up_to_date, last=last)
    if code != KILLED:
        return [f"was not killed but ended with {code}: {_found}"], ""
    code, refusal, _names = life(upgrade.bring_up_to_date)
    if code != RAISED or "is as it was before it" not in str(refusal):
        return [f"the next call ended with {code}: {refusal}"], ""
    code, after, _names = life(state)
    wrong = [] if after == before else [f"the database differs in {differences(before, after)}"]
    wrong += ["something is unfinished"] if (Path(settings.VAR) / "unfinished.json").exists() else []
    return wrong, str(refusal)


def differences(before: dict[str, Any], after: Any) -> list[str]:
    if not isinstance(after, dict):
        return [str(after)]
    parts = [part for part in before if before[part] != after[part]]
    return parts + [name for name, found in before["rows"].items() if after["rows"].get(name) != found]


def chosen(names: list[str], share: int) -> list[int]:
    """Every `share`-th step, and the first of each kind."""
    kinds = {" ".join(name.split()[:2]).replace(str(settings.VAR), ""): n for n, name in reversed([*enumerate(names)])}
    return sorted({*(n + 1 for n in kinds.values()), *range(1, len(names) + 1, share)})


def main(share: int) -> dict[str, Any]:
    before = life(state)[1]
    refused = life(upgrade.bring_up_to_date)
    points = chosen(refused[2], share) if share else [len(refused[2]) * part // 8 for part in (4, 6, 7, 8)]
    wrong = {}
    for point in points:
        if found := tried(before, point)[0]:
            wrong[f"{point} {refused[2][point - 1]}"] = found
        for copy in copies()[:-3]:  # a soak would fill the disk
            shutil.rmtree(Path(settings.VAR) / "backups" / copy, ignore_errors=True)
    left = copies()
    os.environ["NEWER_BREAKS"] = ""
    done = life(upgrade.bring_up_to_date)
    return {"steps": len(refused[2]), "points": len(points), "wrong": wrong, "copies": left, "done": done[:2]}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
