"""CPU of items that are rated, inside an installation: `python -m tests.bench.rating_items FILE` prints JSON.

In one process without a server; an item of each shape in turns, so that all see the same machine.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.parse import urlencode

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402

from annotation.flow.batches import batch_launch  # noqa: E402
from annotation.flow.data import dataset_import  # noqa: E402
from annotation.flow.people import consent  # noqa: E402
from annotation.flow.projects import projects  # noqa: E402
from annotation.flow.work import next_assignment  # noqa: E402
from annotation.models import Assignment, Dataset, Participation, User, Worker  # noqa: E402
from annotation.registry import form_class, task_type  # noqa: E402
from annotation.tasktype import capabilities  # noqa: E402
from tests.batches import create_batch  # noqa: E402
from tests.bench.ratings import DONE, SHAPES, WARM  # noqa: E402

FORM = "application/x-www-form-urlencoded"


class Sitting:
    """A worker who does one batch; each item is a draft, which brings the next one, and the response."""

    def __init__(self, worker: Worker, dataset: Dataset, task: str, options: dict[str, Any]) -> None:
        self._batch = create_batch(
            dataset.project,
            f"{task}-{id(options)}",
            task=task,
            datasets=[dataset],
            options=options,
            instructions="Read.",
        )
        batch_launch.launch(self._batch)
        self._client = Client(HTTP_HOST="localhost")
        self._client.force_login(worker.user)
        joined = next_assignment.join_batch(worker, self._batch)
        next_assignment.read_instructions(joined, version=1)
        Participation.objects.filter(pk=joined.pk).update(practised=99)
        self._place = self._client.post(f"/work/batches/{self._batch.pk}/start/")["Location"]
        self._page = self._client.get(self._place).content.decode()
        self._release = re.findall(r'data-release="([^"]*)"', self._page)[0]
        self.times: list[float] = []

    def item(self) -> None:
        """Do one item; the server's CPU is kept."""
        body, drafted = self._fields(), {"X-Release": self._release, "X-Prefetch": ""}
        began = time.process_time()
        ahead = self._client.post(f"{self._place}draft/", body + "&version=0", content_type=FORM, headers=drafted)
        between = time.process_time()
        if "X-Item" not in ahead:
            raise RuntimeError(f"{self._batch.task} {len(self.times)}: {ahead.status_code} {ahead.content[:500]!r}")
        following = ahead["X-Item"]
        shown = {"X-Release": self._release, "X-Next": following.split("/")[2]}
        again = time.process_time()
        reply = self._client.post(f"{self._place}submit/", body, content_type=FORM, headers=shown)
        self.times.append(between - began + time.process_time() - again)
        if reply.status_code != 204:
            raise RuntimeError(f"{self._batch.task}: {reply.status_code} {reply.content[:500]!r}")
        self._place, self._page = following, ahead.content.decode()

    def _fields(self) -> str:
        row = Assignment.objects.select_related("hit__item").get(public_id=self._place.split("/")[2])
        task, payload = task_type(self._batch.task), row.hit.payload
        answer = capabilities.imitate(task, payload, row.hit.item.example, Random(row.pk), right=True)
        shown = capabilities.arrange(task, payload, Random(row.seed))
        key = re.findall(r'name="key" value="([^"]*)"', self._page)[0]
        fields = form_class(self._batch.task)(shown).posted(answer)
        return urlencode({"key": key, "active_seconds": "1", **fields}, doseq=True)


def main(file: Path) -> dict[str, float]:
    """Seconds of CPU of an item by shape, the median."""
    settings.ALLOWED_HOSTS = ["localhost"]
    project = projects.project_named("default")
    consent.fill_in(project, contact="ada@example.org", ethics="board 7")
    dataset_import.import_dataset(project, file, format="jsonl", name="twenty")
    few = file.with_name("two.jsonl")
    records = map(json.loads, file.read_text().splitlines())
    two = [each | {"paragraphs": [each["paragraphs"][k] for k in (0, 3)], "supports": [0, 1]} for each in records]
    few.write_text("".join(json.dumps(each) + "\n" for each in two))
    dataset_import.import_dataset(project, few, format="jsonl", name="two")
    sittings = {}
    for name, (task, options, wide) in SHAPES.items():
        user = User.objects.create_user(f"worker-{len(sittings)}")  # nobody gets an item twice in a project
        worker = Worker.objects.create(project=project, user=user, consented_version=project.consent_version)
        sittings[name] = Sitting(worker, project.datasets.get(slug="twenty" if wide else "two"), task, options)
    for _ in range(DONE):
        for sitting in sittings.values():
            sitting.item()
    return {name: median(sitting.times[WARM:]) for name, sitting in sittings.items()}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
