"""Start a dry run: copy the batch, run the copy in a process of its own, keep only the forecast."""

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core import serializers
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotation import jobs, recruitment
from annotation.dry_run.forecast import WorkerModel
from annotation.flow.batches import batch_launch, item_selection
from annotation.flow.batches.settings import SETTINGS
from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.models import (
    Batch,
    Dataset,
    Instructions,
    Item,
    Job,
    Project,
    QualificationRound,
    QualificationType,
    User,
)
from annotation.pure.setting_fields import KEPT
from annotation.registry import task_type
from annotation.tasktype import Simulated
from annotation.templatetags.language_tags import in_language

FILE = "batch.json"
BUDGET = Decimal(10) ** 9  # enough for any batch
STRIPPED = {  # removed from the copy: workers, marketplaces, requesters' decisions, and what its launch sets again
    "created_by": None,
    "on_marketplace": False,
    "root": None,
    "workers": [],
    "source_batches": [],
    "experiment": None,
    "size": 0,
    "next_ticket": 0,
    "launched_at": None,
    **{one.name: one.dry_run for one in SETTINGS.values() if one.dry_run is not KEPT},
}


def write_copy(batch: Batch, folder: Path, *, most: int) -> int:
    """Write the copy's file, with at most so many of the batch's items; returns the number of items.

    The copy has no people, no requirements and no marketplace, and a pseudonym key of its own.
    """
    chosen = _items(batch, most)
    datasets = Dataset.objects.filter(models.Q(batches=batch) | models.Q(checked=batch)).distinct()
    checks = Item.objects.filter(dataset__checked=batch).exclude(dataset__batches=batch)
    grants = QualificationType.objects.filter(rounds__batch=batch)
    rows: list[Iterable[models.Model]] = [
        [batch.project],
        datasets,
        Item.objects.filter(pk__in=chosen),
        checks[:most],
        [batch],
        batch.instructions_versions.all(),
        grants,
        QualificationRound.objects.filter(batch=batch),
    ]
    fees = recruitment.fees_of(batch)
    found = [_stripped(row, fees) for group in rows for row in serializers.serialize("python", group)]
    (folder / FILE).write_text(json.dumps(found, cls=DjangoJSONEncoder))
    return len(chosen)


def _items(batch: Batch, most: int) -> list[int]:
    if batch.size:
        return list(batch.hits.filter(check_item=False).order_by("pk").values_list("item_id", flat=True)[:most])
    return item_selection.selected_keys(batch)[:most]


def _stripped(row: dict[str, Any], fees: str) -> dict[str, Any]:
    kept = {name: STRIPPED.get(name, value) for name, value in row["fields"].items()}
    if row["model"] == "annotation.project":
        kept["pseudonym_key"], kept["fees"], kept["consent"] = "0" * 64, fees, ""
    if row["model"] == "annotation.batch":
        kept["state"] = Batch.State.DRAFT
    return {**row, "fields": kept}


def load_copy(folder: Path) -> Batch:
    """Fill an empty database from the file and launch the batch in it."""
    for loaded in serializers.deserialize("python", json.loads((folder / FILE).read_text())):
        loaded.save()
    batch = Batch.objects.get()
    ledger.deposit(Project.objects.get(), BUDGET, key="dry-run")
    if not Instructions.objects.exists():
        Instructions.objects.create(batch=batch, version=1, text="Dry run.")
    batch_launch.launch(batch)
    return batch


MOST_HITS = 100  # of the batch, by default: a dry run takes a minute, not an hour
MOST_WORKERS = 1000


def dry_run(
    batch: Batch,
    *,
    crowd: WorkerModel,
    workers: int,
    seed: int = 0,
    hits: int = MOST_HITS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """The forecast for a batch, launched or not, as JSON (`forecast.Forecast`), with what was simulated.

    The batch and its project are not touched. Raises Refused if the task cannot be simulated, the launch would create
    no HITs, or the process failed.
    """
    if not isinstance(task_type(batch.task), Simulated):
        raise Refused(_("A dry run is not possible for this task: there is no model of how workers would respond."))
    if not 1 <= workers <= MOST_WORKERS or hits < 1:
        raise Refused(_("A dry run needs 1 to %(most)s workers and at least one HIT.") % {"most": MOST_WORKERS})
    with tempfile.TemporaryDirectory(prefix="dry-run-", dir=settings.VAR) as name:
        folder = Path(name)
        taken = write_copy(batch, folder, most=hits)
        if not taken:
            raise Refused(item_selection.nothing_to_ask(item_selection.select(batch).left_out))
        terms = {"crowd": asdict(crowd), "workers": workers, "seed": seed, "wanted": _wanted(batch)}
        (folder / "terms.json").write_text(json.dumps(terms))
        found = _played(folder, progress)
    if "error" in found:
        raise Refused(_("The dry run produced no responses. Add workers, or choose workers who return less."))
    return {**found, "crowd": asdict(crowd), "seed": seed, "hits": taken, "of": _hits(batch), "batch": batch.slug}


def _hits(batch: Batch) -> int:
    return batch.size or len(item_selection.selected_keys(batch))


def _wanted(batch: Batch) -> int:
    counted = batch.hits.filter(check_item=False).aggregate(n=Sum("wanted"))["n"] if batch.size else None
    return counted or max(1, _hits(batch) * batch.most_assignments)


def _played(folder: Path, progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Run the process and pass its progress on. Its other output is kept only if it fails."""
    static = Path(settings.STATIC_ROOT)
    if static.is_dir():
        (folder / "static").symlink_to(static)
    command = [sys.executable, "-m", "annotation.dry_run", str(folder)]
    with (
        (folder / "errors").open("w+") as errors,
        subprocess.Popen(
            command, cwd=settings.ROOT, env=_environment(folder), stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            for line in process.stdout or ():
                done, _space, total = line.partition(" ")
                if done.isdigit() and total.strip().isdigit():
                    progress(int(done), int(total))
        except BaseException:  # also if the job is stopped: the process would go on alone
            process.terminate()
            raise
    if process.returncode or not (folder / "result.json").exists():
        last = (folder / "errors").read_text().strip().splitlines()[-1:]
        raise Refused(_("The dry run stopped: %(why)s") % {"why": " ".join(last) or process.returncode})
    return cast(dict[str, Any], json.loads((folder / "result.json").read_text()))


def _environment(folder: Path) -> dict[str, str]:
    """The environment of an isolated installation: another database and key, no broker, no marketplaces."""
    own = ("ALLOWED_HOSTS", "HTTPS", "SECRET_KEY", "CELERY_BROKER_URL", "PUBLIC_URL", "BIND", "PORT", "WEB_WORKERS")
    plain = {name: value for name, value in os.environ.items() if name not in own}
    return plain | {
        "HOPSCRIBE_VAR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'play.sqlite3'}",
        "SECRET_KEY": secrets.token_urlsafe(64),
        "DJANGO_SETTINGS_MODULE": "annotation.settings",
        "WEB_WORKERS": "1",
        "PYTHONWARNINGS": "ignore",
    }


def enqueue(batch: Batch, terms: dict[str, Any], *, user: User | None) -> Job:
    """Queue the job of a dry run; `terms`: workers, hits, seed and crowd."""
    title = _("Dry run of %(batch)s with %(workers)s simulated workers")
    return jobs.enqueue_once(
        "dry_run_batch",
        project=batch.project,
        title=title % {"batch": in_language(batch.title), "workers": terms["workers"]},
        arguments={"batch": batch.pk, **terms},
        user=user,
    )
