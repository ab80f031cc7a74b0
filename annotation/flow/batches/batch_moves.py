"""How batches go on: resumed, with more workers, closed, made a dataset."""

from itertools import islice

from django.db.models import Q

from annotation.flow.batches import batch_launch, workers_needed
from annotation.flow.projects.overview import subject_of
from annotation.models import Batch, Project
from annotation.pure.batches.next_step import NextStep


def batch_moves(project: Project, batch: Batch | None = None) -> list[NextStep]:
    """What moves this batch on, or the project's batches: resume, invite workers, close, create a dataset.

    Of a project only the batch that lacks most workers invites some, who serve the others too, and only the newest of
    those without a dataset asks for one.
    """
    found: list[NextStep] = []
    launched = project.batches.filter(launched_at__isnull=False, round__isnull=True, by_program=False)
    rows = [batch] if batch else list(launched.order_by("-created_at", "-pk"))
    with_places = _with_places([row for row in rows if row.state == Batch.State.OPEN])
    missing: dict[int, int] = {}
    if with_places:
        missing = {batch.pk: batch_launch.workers_missing(batch)} if batch else workers_needed.missing_by_batch(project)
    neediest = max(rows, key=lambda row: missing.get(row.pk, 0), default=None)
    for row in rows:
        if row.state == Batch.State.PAUSED:
            found.append(NextStep("resume", 1, subject_of(row)))
        elif row == neediest and row.pk in with_places and missing.get(row.pk):
            people = workers_needed.able_workers(project)
            found.append(NextStep("invite", missing[row.pk], subject_of(row) | {"people": people}))
        elif row.state == Batch.State.OPEN and row.pk not in with_places:
            found.append(NextStep("close", 1, subject_of(row)))
    closed = [row for row in rows if row.state == Batch.State.CLOSED]
    if closed:
        with_dataset = {lineage.get("batch") for lineage in project.datasets.values_list("lineage", flat=True)}
        done = (row for row in closed if row.slug not in with_dataset)
        found += [NextStep("create_dataset", 1, subject_of(row)) for row in islice(done, 1)]
    return found


def _with_places(batches: list[Batch]) -> set[int]:
    """Keys of the batches that have HITs for workers; those of a qualification round are made for each worker."""
    rows = Batch.objects.filter(pk__in=[batch.pk for batch in batches]) if batches else Batch.objects.none()
    return set(workers_needed.with_open_hits(rows, Q(round__isnull=False)).values_list("pk", flat=True))
