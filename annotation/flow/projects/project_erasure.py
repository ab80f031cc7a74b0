"""Erasing a deleted project in small steps; after a crash the next sweep continues.

A project's rows are found by the models' foreign keys, so that no new table is forgotten. The ledger stays with the
rows it refers to: accounts, payouts, and anonymised paid workers.
"""

import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotation import discovery
from annotation.flow.errors import Refused, is_database_unavailable
from annotation.flow.projects import recycle_bin
from annotation.models import Account, Entry, Erasure, Job, Payout, PayoutLine, Project, Worker
from annotation.models.project import random_key, worker_id
from annotation.recruitment import marketplaces

CHUNK = 200  # rows per transaction
SECONDS = 10  # per sweep, because the process has other work to do
STAYS = {Project, Erasure, Account, Entry, Payout, PayoutLine, Worker}  # as far as the ledger refers to them
OF_PERSON = ["user", "external_id", "public_id", "country", "subdivision", "adult", "active"]
OF_PERSON += ["consented_at", "erased_at"]
Rows = type[models.Model]
log = logging.getLogger(__name__)


@transaction.atomic
def begin(project: Project) -> bool:
    """Erase a deleted project's name and texts, and leave the rest to the sweep; False if that was done before.

    Raises Refused if something still needs the project.
    """
    # Lock: an owner may restore the project at the same time.
    row = Project.everything.select_for_update(no_key=True).filter(pk=project.pk, removed_at__isnull=False).first()
    if row is None or Erasure.objects.filter(project=row).exists():
        return False
    if reason := recycle_bin.what_keeps_project(row) or marketplaces().keep_project(row):
        raise Refused(reason)
    Erasure.objects.create(project=row)
    nobody = f"erased-{secrets.token_hex(8)}"
    row.slug, row.title, row.consent, row.webhook_kinds, row.wage_floor = nobody, nobody, "", "", None
    row.pseudonym_key = random_key()  # from now on nobody can link pseudonyms to workers
    row.save()
    log.info("project %s is erased", row.pk)
    return True


def clear_due(*, seconds: float = SECONDS) -> None:
    """Begin erasing projects whose time in the bin is over, and continue erasures under way. A sweep.

    A failure in one project does not delay the others.
    """
    over = Project.everything.filter(removed_at__lt=Now() - recycle_bin.KEPT_FOR, erasure__isnull=True)
    for project in over.order_by("?")[:20]:
        with _apart(project), contextlib.suppress(Refused):  # its owners see the reason when they try
            begin(project)
    # repeated, because an import under way may create its dataset after the first pass
    Erasure.objects.filter(ended_at__isnull=False, project__datasets__isnull=False).update(ended_at=None)
    until = time.monotonic() + seconds
    for erasure in Erasure.objects.filter(ended_at__isnull=True).select_related("project").order_by("begun_at"):
        with _apart(erasure.project):
            for _step in _steps(erasure):
                if time.monotonic() > until:
                    return


@contextlib.contextmanager
def _apart(project: Project) -> Iterator[None]:
    """Log errors, so that the next sweep tries again; only an unreachable database ends this one."""
    try:
        yield
    except Exception as error:
        if is_database_unavailable(error):
            raise
        log.exception("erasing project %s failed and is tried again", project.pk)


def _steps(erasure: Erasure) -> Iterator[int]:
    """Erase everything in steps; yields the number of rows of each, after waiting as long as it took."""
    project = erasure.project
    erasing = (_Erase(project, model, path) for model, path in models_to_erase())
    acts: list[Callable[[], int]] = [_Detach(project), *erasing, _Anonymise(project), partial(_delete_project, project)]
    for act in acts:
        while True:
            began = time.monotonic()
            with transaction.atomic():
                # Lock: two processes that erase the same project take turns, step by step.
                rows = Erasure.objects.select_for_update(no_key=True)
                open_erasure = rows.filter(pk=erasure.pk, ended_at__isnull=True)
                if open_erasure.first() is None:  # another process finished first
                    return
                if taken := act():
                    open_erasure.update(rows=F("rows") + taken)
            if not taken:
                break
            yield taken
            time.sleep(time.monotonic() - began)  # so that pages get half of the database's time at least


class _Detach:
    """Clear the ledger's foreign keys to anything but its own rows and workers."""

    def __init__(self, project: Project) -> None:
        named = Q(batch__isnull=False) | Q(assignment__isnull=False) | Q(created_by__isnull=False) | ~Q(note="")
        self.rows, self.last = Entry.objects.filter(named, project=project).order_by("pk"), 0
        self.payouts = Payout.objects.filter(project=project, created_by__isnull=False)

    def __call__(self) -> int:
        keys = list(self.rows.filter(pk__gt=self.last).values_list("pk", flat=True)[:CHUNK])
        if not keys:
            return self.payouts.update(created_by=None)
        Entry.objects.filter(pk__in=keys).update(batch=None, assignment=None, created_by=None, note="")
        self.last = keys[-1]
        return len(keys)


class _Erase:
    """Delete the rows of one model that belong to the project, including those that managers hide."""

    def __init__(self, project: Project, model: Rows, path: str) -> None:
        self.model = model
        self.rows: QuerySet[Any] = QuerySet(model).filter(**{path: project})
        self.ties = [field.name for field in model._meta.concrete_fields if field.related_model is model]

    def __call__(self) -> int:
        keys = list(self.rows.values_list("pk", flat=True)[:CHUNK])
        some: QuerySet[Any] = QuerySet(self.model).filter(pk__in=keys)
        if self.model is Job:
            for job in some:
                _remove_files(job)
        if keys:
            for tie in self.ties:  # protecting rows that go with this one come first
                QuerySet(self.model).filter(**{f"{tie}__in": keys}).update(**{tie: None})
            some.delete()
        return len(keys)


class _Anonymise:
    """Anonymise workers; delete those that the ledger does not refer to."""

    def __init__(self, project: Project) -> None:
        paid = Exists(Entry.objects.filter(worker=OuterRef("pk")))
        listed = Exists(PayoutLine.objects.filter(worker=OuterRef("pk")))
        workers = Worker.objects.filter(project=project)
        self.others = workers.exclude(paid | listed)
        self.known = workers.exclude(user=None, external_id__startswith="erased-", consented_at=None)

    def __call__(self) -> int:
        if keys := list(self.others.values_list("pk", flat=True)[:CHUNK]):
            Worker.objects.filter(pk__in=keys).delete()
            return len(keys)
        some = list(self.known[:CHUNK])
        for worker in some:
            worker.user, worker.external_id = None, f"erased-{secrets.token_hex(8)}"
            worker.public_id = worker_id()
            worker.country = worker.subdivision = ""
            worker.adult = worker.active = False
            worker.consented_at, worker.erased_at = None, Now()
        Worker.objects.bulk_update(some, OF_PERSON)
        return len(some)


def _delete_project(project: Project) -> int:
    """The last step: delete a project without money; of others the ledger stays.

    If rows were added since their table was emptied, the next sweep starts over.
    """
    if any(QuerySet(model).filter(**{path: project}).exists() for model, path in models_to_erase()):
        return 0
    if Entry.objects.filter(project=project).exists() or Payout.objects.filter(project=project).exists():
        Erasure.objects.filter(project=project).update(ended_at=Now())
    else:
        Project.everything.filter(pk=project.pk).delete()
    return 0


def _remove_files(job: Job) -> None:
    """Delete the uploads that a job was to read."""
    for path in job.files:
        if path.parent == Path(settings.MEDIA_ROOT):
            path.unlink(missing_ok=True)


@cache
def models_to_erase() -> tuple[tuple[Rows, str], ...]:
    """(model, path from it to its project) of all that is to be erased; referring models first."""
    known = discovery.models()
    paths: dict[Any, str] = {Project: ""}
    for nullable in (False, True):  # prefer a path over required foreign keys to one over nullable ones
        while found := _next_ways(known, paths, nullable=nullable):
            paths |= found
    order = TopologicalSorter({model: _points_to(model) & paths.keys() for model in paths})
    last_first = [model for model in reversed(list(order.static_order())) if model not in STAYS]
    return tuple((model, paths[model]) for model in last_first)


def _next_ways(known: list[Rows], paths: dict[Any, str], *, nullable: bool) -> dict[Any, str]:
    """Paths of models that have none yet, through a model that has one."""
    found: dict[Any, str] = {}
    for model in (model for model in known if model not in paths):
        for field in model._meta.concrete_fields:
            if field.related_model in paths and (nullable or not field.null) and model not in found:
                found[model] = "__".join(filter(None, [field.name, paths[field.related_model]]))
    return found


def _points_to(model: Rows) -> set[Any]:
    return {field.related_model for field in model._meta.concrete_fields if field.related_model} - {model}
