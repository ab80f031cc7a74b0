"""What a lab's server does about its studies, over and over: `python -m tests.process.panel_worker SEED PAUSE`.

It publishes, reads, decides and pays, as the sweeps do, without their pauses; the requester approves everything.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from random import Random

import django

django.setup()

from django.db import OperationalError  # noqa: E402

from annotation.flow.review import assignment_approval  # noqa: E402
from annotation.marketplaces.flow import bonuses, studies, study_events, study_sync, visit_decisions, visits  # noqa: E402
from annotation.marketplaces.flow.connections import Patience  # noqa: E402
from annotation.marketplaces.models import Connection, Visit, VisitBonus  # noqa: E402
from annotation.models import Assignment, Payment  # noqa: E402

NOW = timedelta(0)
QUICK = Patience(
    lag=NOW,
    lease=timedelta(seconds=3),
    timeout=2.0,
    rate=1e6,
    first_delay=0.05,
    longest_delay=0.5,
    most_failures=10**6,
    rest=NOW,
)


def decide(rng: Random) -> dict[str, int]:
    """The requester: approves visits that are back, pays some responses a bonus, and looks at unclear bonuses."""
    counts = Counter[str]()
    for visit in Visit.objects.filter(state="done", decision="", remote_state="awaiting"):
        counts["approved"] += visit_decisions.approve(visit, user=None)
        for row in Assignment.objects.filter(visited__visit=visit, state="submitted"):
            if rng.random() < 0.7:
                key = f"bonus-{row.pk}"
                assignment_approval.add_payment(row, Payment.Kind.BONUS, Decimal("0.25"), key=key)
                counts["bonus"] += 1
    for bonus in VisitBonus.objects.filter(state=VisitBonus.State.UNCLEAR).select_related(
        "visit__study__batch__project"
    ):
        new = Counter(bonus.seen) - Counter(bonus.before)
        counts["unclear"] += bonuses.decide(bonus, was_paid=bool(new[str(bonus.amount)]))
    return dict(counts)


def main() -> None:
    study_sync.OFTEN = study_sync.SELDOM = bonuses.LOOK_EVERY = timedelta(seconds=0.3)
    connection, rng = Connection.objects.get(kind="prolific"), Random(int(sys.argv[1]))
    pause = float(sys.argv[2])
    acts: list[Callable[[], object]] = [visits.sweep, study_events.sweep]
    for send in (studies.send_due, study_sync.sync_due, visit_decisions.send_due, bonuses.send_due):
        acts.append(lambda send=send: send(connection, patience=QUICK, seconds=5))  # type: ignore[misc]
    acts.append(lambda: decide(rng))
    while True:
        for act in acts:
            with suppress(OperationalError):  # SQLite was busy: next round
                act()
        time.sleep(pause)  # how often the sweeps run


if __name__ == "__main__":
    sys.exit(main())
