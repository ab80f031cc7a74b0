"""Erasing a deleted project for good, in small steps: killed at any instant, the next round goes on where it stopped.

What hangs on a project is read off the models, so that no new table is forgotten. Moves of money stay, and what they
name: accounts, payouts and the workers that were paid, as numbers under which nobody is known any more.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.flow import discarding, settling
from annotation.flow.refusal import Refused, is_away
from annotation.models import (
    AccessKey,
    Account,
    Batch,
    Entry,
    Erasure,
    Job,
    Payout,
    PayoutLine,
    Project,
    Publication,
    Worker,
    clock,
)
from annotation.models.project import random_key, worker_id

CHUNK = 200  # rows a transaction
SECONDS = 10  # of a round: whoever runs it has other things to do
STAYS = {Project, Erasure, Account, Entry, Payout, PayoutLine, Worker}  # as far as money asks for it
OF_PERSON = [
    *("user", "external_id", "public_id", "country", "subdivision"),
    *("adult", "active", "consented_at", "erased_at"),
]
Rows = type[models.Model]
log = logging.getLogger(__name__)


@transaction.atomic
def begin(project: Project) -> bool:
    """Take a deleted project's name and texts for good, and leave the rest to the sweep; False where that was done.

    Raises Refused where something still needs it.
    """
    row = Project.everything.select_for_update(no_key=True).filter(pk=project.pk, removed_at__isnull=False).first()
    if row is None or Erasure.objects.filter(project=row).exists():
        return False
    if reason := discarding.what_keeps_project(row) or _what_marketplaces_keep(row):
        raise Refused(reason)
    Erasure.objects.create(project=row)
    nobody = f"erased-{secrets.token_hex(8)}"
    row.slug, row.title, row.consent, row.webhook_kinds, row.wage_floor = nobody, nobody, "", "", None
    row.pseudonym_key = random_key()  # whose pseudonym was whose, nobody can find out any more
    row.save()
    log.info("project %s is erased", row.pk)
    return True


def _what_marketplaces_keep(project: Project) -> str:
    """Why the keys of its marketplaces are still needed; empty where they are not."""
    shut = AccessKey.objects.filter(project__removed_at__isnull=False)  # they open nothing, what they made is closed
    abroad = Batch.everything.filter(project=project, connection__isnull=False)
    abroad = abroad.exclude(connection__key_id__in=shut.values("key_id"))
    end = max((_may_last_until(batch) for batch in abroad), default=clock.now())
    if end <= clock.now():
        return ""
    text = _(
        "Its HITs are still open on a marketplace, or rejections wait to be sent there. Both end as soon as the "
        "marketplace answers, so try again in a few minutes; should it never answer, after %(day)s."
    )
    return text % {"day": f"{timezone.localtime(end):%Y-%m-%d}"}


def _may_last_until(batch: Batch) -> datetime:
    """When even a marketplace that cannot be reached has ended what it has of the batch, by its own clock.

    An assignment may be taken in a HIT's last moment, sent in at its own end, and be decided by nobody.
    """
    mine = Publication.objects.filter(hit__batch=batch)
    looked_at = Q(state=Publication.State.PUBLISHED, due_at__isnull=False)
    rejected = settling.rejections().filter(publication__hit__batch=batch)
    rows = mine.filter(looked_at | Q(pk__in=rejected.values("publication"))).values_list("closes_at", "remote")
    # an end that was made earlier counts only once the marketplace knows of it
    ends = [max(closes_at.timestamp(), told.get("expires_at") or 0.0) for closes_at, told in rows.iterator()]
    last = timedelta(seconds=max(ends, default=0.0) + batch.lease_seconds + (batch.auto_approval or 0))
    return datetime.fromtimestamp(0, UTC) + last


def clear_due(*, seconds: float = SECONDS) -> None:
    """Begin with the projects whose time in the bin is over, and go on with those begun. A sweep.

    One that fails keeps no other from being erased.
    """
    over = Project.everything.filter(removed_at__lt=Now() - discarding.KEPT_FOR, erasure__isnull=True)
    for project in over.order_by("?")[:20]:
        with _apart(project), contextlib.suppress(Refused):  # its owners are told why when they try
            begin(project)
    # an import that was under way may reserve its dataset after all else was gone
    Erasure.objects.filter(ended_at__isnull=False, project__datasets__isnull=False).update(ended_at=None)
    until = time.monotonic() + seconds
    for erasure in Erasure.objects.filter(ended_at__isnull=True).select_related("project").order_by("begun_at"):
        with _apart(erasure.project):
            for _step in _steps(erasure):
                if time.monotonic() > until:
                    return


@contextlib.contextmanager
def _apart(project: Project) -> Iterator[None]:
    """Log what fails, for the next round to try again; only a database that is away ends this one."""
    try:
        yield
    except Exception as error:
        if is_away(error):
            raise
        log.exception("erasing project %s failed and is tried again", project.pk)


def _steps(erasure: Erasure) -> Iterator[int]:
    """Erase everything, step by step; yields after each how many rows it took, when others had as long a turn."""
    project = erasure.project
    acts = [_Detach(project), *(_Erase(project, model, path) for model, path in hanging()), _Anonymise(project)]
    for act in [*acts, _Leave(project)]:
        while True:
            began = time.monotonic()
            with transaction.atomic():
                mine = Erasure.objects.select_for_update(no_key=True).filter(pk=erasure.pk, ended_at__isnull=True)
                if mine.first() is None:  # somebody else was done first
                    return
                if taken := act():
                    mine.update(rows=F("rows") + taken)
            if not taken:
                break
            yield taken
            time.sleep(time.monotonic() - began)


class _Detach:
    """Let moves of money name nothing but each other and who was paid."""

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
    """Delete the rows of one model that hang on the project, managers that hide some notwithstanding."""

    def __init__(self, project: Project, model: Rows, path: str) -> None:
        self.model, self.rows = model, QuerySet(model).filter(**{path: project})
        self.ties = [field.name for field in model._meta.concrete_fields if field.related_model is model]

    def __call__(self) -> int:
        keys = list(self.rows.values_list("pk", flat=True)[:CHUNK])
        some = QuerySet(self.model).filter(pk__in=keys)
        if self.model is Job:
            for job in some:
                _remove_files(job)
        if keys:
            for tie in self.ties:  # what came of a row and goes along with it would protect it
                QuerySet(self.model).filter(**{f"{tie}__in": keys}).update(**{tie: None})
            some.delete()
        return len(keys)


class _Anonymise:
    """Forget who the workers are; those that no money names go altogether."""

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


class _Leave:
    """The last step: nothing is left of a project without money, of another one its books.

    Where something came to hang on it since its table was emptied, the next round begins anew.
    """

    def __init__(self, project: Project) -> None:
        self.project = project

    def __call__(self) -> int:
        if any(QuerySet(model).filter(**{path: self.project}).exists() for model, path in hanging()):
            return 0
        if Entry.objects.filter(project=self.project).exists() or Payout.objects.filter(project=self.project).exists():
            Erasure.objects.filter(project=self.project).update(ended_at=Now())
        else:
            Project.everything.filter(pk=self.project.pk).delete()
        return 0


def _remove_files(job: Job) -> None:
    """The uploads that a job was to read."""
    for path in job.files:
        if path.parent == Path(settings.MEDIA_ROOT):
            path.unlink(missing_ok=True)


@cache
def hanging() -> tuple[tuple[Rows, str], ...]:
    """(model, the way from it to its project) of all that hangs on projects and does not stay; what points first."""
    known = list(apps.get_app_config("annotation").get_models(include_auto_created=True))
    paths: dict[Any, str] = {Project: ""}
    for nullable in (False, True):  # a way that every row has goes before one that some have
        while found := _next_ways(known, paths, nullable=nullable):
            paths |= found
    order = TopologicalSorter({model: _points_to(model) & paths.keys() for model in paths})
    last_first = [model for model in reversed(list(order.static_order())) if model not in STAYS]
    return tuple((model, paths[model]) for model in last_first)


def _next_ways(known: list[Rows], paths: dict[Any, str], *, nullable: bool) -> dict[Any, str]:
    """Ways of models that have none yet, by a row that has one."""
    found: dict[Any, str] = {}
    for model in (model for model in known if model not in paths):
        for field in model._meta.concrete_fields:
            if field.related_model in paths and (nullable or not field.null) and model not in found:
                found[model] = "__".join(filter(None, [field.name, paths[field.related_model]]))
    return found


def _points_to(model: Rows) -> set[Any]:
    return {field.related_model for field in model._meta.concrete_fields if field.related_model} - {model}
