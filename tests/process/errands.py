"""A publisher and a payer that are killed: `python -m tests.process.errands PLAN`; prints what came of it as JSON.

Everything is made ready once; then each run is forked, and killed by SIGKILL at a random instant, as often as the plan
says, before one may finish. So a death costs no start of an interpreter.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import django

django.setup()

from django.db import connections as databases  # noqa: E402

from annotation.flow.batches import batch_launch  # noqa: E402
from annotation.flow.data import dataset_import  # noqa: E402
from annotation.flow.money import ledger  # noqa: E402
from annotation.flow.people import consent  # noqa: E402
from annotation.flow.projects import projects  # noqa: E402
from annotation.flow.review import assignment_approval  # noqa: E402
from annotation.flow.work import next_assignment, submissions  # noqa: E402
from annotation.marketplaces.flow import connections, payments, publications  # noqa: E402
from annotation.marketplaces.flow.connections import Patience  # noqa: E402
from annotation.marketplaces.models import Arrival, Connection, Publication  # noqa: E402
from annotation.models import Assignment, Payment, Worker  # noqa: E402
from tests.batches import create_batch  # noqa: E402
from tests.conftest import answer_to, write_records  # noqa: E402


def launch(plan: dict[str, Any]) -> None:
    """A batch of so many HITs on the marketplace; nothing of it is there yet."""
    project = projects.project_named("default")
    consent.fill_in(project, contact="ada@example.org", ethics="board 7")
    with tempfile.TemporaryDirectory() as folder:
        records = write_records(Path(folder) / "records.jsonl", plan["hits"])
        dataset_import.import_dataset(project, records, format="jsonl", name="records")
    ledger.deposit(project, Decimal(100_000), key="start")
    there = {"endpoint_url": plan["url"], "worker_origin": plan["url"], "key_id": plan["key_id"]}
    connection = connections.add(project, "there", preset="other", secret=plan["secret"], **there)
    batch = create_batch(
        project,
        "killed",
        task="answer",
        datasets=list(project.datasets.all()),
        instructions="Answer.",
        assignments_per_hit=1,
        reward=Decimal("0.10"),
        marketplace=connection,
    )
    batch_launch.launch(batch)


def owe(plan: dict[str, Any]) -> None:
    """Everybody whom the plan names (`done`: [HIT, assignment, worker] there) did a HIT, and earned a bonus."""
    for hit, assignment, name in plan["done"]:
        row = Publication.objects.select_related("hit__batch__project", "connection").get(external_id=hit)
        batch, there = row.hit.batch, row.connection
        external = f"{there.pk}:{name}"
        worker, _new = Worker.objects.get_or_create(project=batch.project, external_id=external)
        ours = next_assignment.accept_hit(next_assignment.join_batch(worker, batch), row.hit)
        assert ours is not None
        submissions.submit(ours, answer_to(ours), key=f"0.{ours.pk}", base=0, active_seconds=1)
        about = {"publication": row, "connection": there, "remote_state": "Submitted"}
        Arrival.objects.create(assignment=ours, external_assignment=assignment, external_worker=name, **about)
        mine = Assignment.objects.select_related("batch__project", "hit").get(pk=ours.pk)
        assignment_approval.approve(mine)
        assignment_approval.add_payment(
            mine, Payment.Kind.BONUS, Decimal("0.07"), key=f"bonus-{mine.pk}", reason="Thanks."
        )


def publish(patience: Patience) -> None:
    there = Connection.objects.get()
    while Publication.objects.unsent().exists():
        publications.send_due(there, patience=patience)
        time.sleep(0.01)  # what was not due may be by now


def pay(patience: Patience) -> None:
    there = Connection.objects.get()
    while Payment.objects.unsettled().exists():
        payments.send_due(there, patience=patience)
        time.sleep(0.01)  # what was not due may be by now


def killed(errand: Callable[[Patience], None], plan: dict[str, Any]) -> int:
    """Let the errand be run and killed; how often it was alive when it was. The last run may finish."""
    patience, rng, deaths = _patience(plan), Random(plan["seed"]), 0
    for _death in range(plan["kills"]):
        run = _forked(errand, patience)
        time.sleep(rng.uniform(0, plan["longest_life"]))  # it is killed at a moment by chance
        os.kill(run, signal.SIGKILL)
        deaths += os.waitstatus_to_exitcode(os.waitpid(run, 0)[1]) == -signal.SIGKILL
    left = os.waitstatus_to_exitcode(os.waitpid(_forked(errand, patience), 0)[1])
    assert left == 0, f"the last run of {errand.__name__} ended with {left}"
    return deaths


def _forked(errand: Callable[[Patience], None], patience: Patience) -> int:
    databases.close_all()  # a connection must not be shared with a child
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    try:
        errand(patience)
    except BaseException as broken:
        print(f"{errand.__name__}: {broken!r}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def _patience(plan: dict[str, Any]) -> Patience:
    times = {name: timedelta(seconds=plan["patience"][name]) for name in ("memory", "lag", "lease", "rest")}
    return Patience(timeout=5.0, rate=1e6, first_delay=0.1, longest_delay=1.0, **times)


def states(rows: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for state in rows.values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found


VERBS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "launch": launch,
    "publish": lambda plan: killed(publish, plan),
    "owe": owe,
    "pay": lambda plan: killed(pay, plan),
}

if __name__ == "__main__":
    for line in sys.stdin:
        wish = json.loads(line)
        came = VERBS[wish["verb"]](wish)
        result = {"came": came, "publications": states(Publication.objects), "payments": states(Payment.objects)}
        print(json.dumps(result), flush=True)
