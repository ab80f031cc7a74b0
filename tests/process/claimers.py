"""One process of the verb hammer: `python -m tests.process.claimers PLAN`; prints what it was told as JSON.

Claims, holds the next HIT and submits for its workers in turn until nothing is left, straight through the verbs. At
random a worker's tab is closed, killed or left open instead. With a broken claim of tests/process/broken.py it only
claims.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from copy import copy
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

django.setup()

from django.db import IntegrityError, OperationalError  # noqa: E402

from annotation.flow.errors import Conflict  # noqa: E402
from annotation.flow.work import next_assignment, prefetch, submissions  # noqa: E402
from annotation.models import Participation, PrefetchedHit  # noqa: E402
from tests.process.broken import CLAIMS  # noqa: E402

ANSWER = {"kind": "typed", "text": "", "support": []}


def work(participation: Participation, result: Counter[str], acks: list[list[str]]) -> bool:
    """One claim and its submission; False when nothing is left for this worker."""
    assignment = next_assignment.claim(participation)
    if assignment is None:
        return False
    result["claims"] += 1
    result["held"] += prefetch.hold(participation) is not None
    if fate := random.choices(["", "closed", "killed", "open"], [7, 1, 1, 1])[0]:
        result[fate] += 1
        if fate == "closed":
            next_assignment.let_go(worker=participation.worker, batch=participation.batch)
        return True  # the next tab goes on with the assignment
    key = f"0.{os.getpid()}.{result['claims']}"
    answer = ANSWER | {"text": key}
    try:
        seat = random.choice([None, copy(participation)])
        receipt = submissions.submit(
            assignment, answer, key=key, base=0, active_seconds=0.0, participation=seat, ahead=True
        )
    except Conflict:  # the worker's other tab was first
        result["conflicts"] += 1
    else:
        acks.append([receipt.assignment, key, key])
    return True


def work_brokenly(participation: Participation, result: Counter[str], claim: str) -> bool:
    try:
        found = CLAIMS[claim](participation)
    except IntegrityError:
        return True
    result["claims"] += found is not None
    return found is not None


def main(plan: dict[str, Any]) -> dict[str, Any]:
    prefetch.LASTS = timedelta(seconds=plan["held_seconds"])
    participations = list(
        Participation.objects.filter(worker__in=plan["workers"]).select_related("batch").order_by("pk")
    )
    result: Counter[str] = Counter()
    acks: list[list[str]] = []
    print("ready", flush=True)
    sys.stdin.readline()  # all begin together, however long each took to start
    began = time.monotonic()
    while participations:
        for participation in list(participations):
            try:
                broken = plan.get("claim")
                left = work_brokenly(participation, result, broken) if broken else work(participation, result, acks)
            except OperationalError as locked:
                result[f"locked: {locked}"] += 1
                continue
            if not left and not PrefetchedHit.objects.exists():  # else it may be let go
                participations.remove(participation)
    return {"told": result, "acks": acks, "seconds": time.monotonic() - began}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text()))))
