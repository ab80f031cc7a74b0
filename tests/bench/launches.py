"""CPU of a launch; how long an answer holds SQLite's write lock: `python -m tests.bench.launches FILE` prints JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from unittest.mock import patch

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402

from annotation.flow.batches import batch_launch  # noqa: E402
from annotation.flow.data.dataset_import import import_dataset  # noqa: E402
from annotation.models import Project  # noqa: E402
from tests.bench.inside import cpu  # noqa: E402
from tests.flow.acting import draft, newcomer, take  # noqa: E402
from tests.marketplaces.test_frame import fields  # noqa: E402

RESPONSES, WARM = 200, 20


def main() -> None:
    settings.ALLOWED_HOSTS.append("testserver")
    project = Project.objects.create(slug="launches", title="Launches", consent="We keep what you answer.")
    import_dataset(project, Path(sys.argv[1]), format="jsonl", name="twenty")
    batch = draft(project, "twenty-1", project.datasets.get(slug="twenty"), assignments_per_hit=3)
    seconds = cpu(lambda: batch_launch.launch(batch))
    found = {"launch": 1000 * seconds / batch.hits.count()}
    if connection.vendor == "sqlite":
        worker, client = newcomer(project, "ann"), Client()
        client.force_login(worker.user)
        take(worker, batch)
        held: list[float] = []
        for _ in range(WARM + RESPONSES):
            row = worker.assignments.select_related("hit", "batch").get(state="accepted")
            body = fields(row)
            with _locked(held):
                assert client.post(reverse("submit", args=[row.public_id]), body).status_code == 303
        found["lock"] = median(held[-RESPONSES:])
    print(json.dumps(found))


@contextmanager
def _locked(held: list[float]) -> Iterator[None]:
    """Note the milliseconds from the end of each BEGIN IMMEDIATE to that of its COMMIT; an answer has one."""
    began: list[float] = []
    begin, commit = connection._start_transaction_under_autocommit, connection._commit

    def beginning() -> None:
        begin()
        began.append(time.perf_counter())

    def committing() -> None:
        commit()
        held.append(1000 * (time.perf_counter() - began.pop()))

    named = {"_start_transaction_under_autocommit": beginning, "_commit": committing}
    with patch.multiple(connection, **named):
        yield
    assert not began


if __name__ == "__main__":
    main()
