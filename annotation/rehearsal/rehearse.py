"""Rehearse a batch: copy it, play the copy in a process of its own, throw the copy away, keep the forecast."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotation.flow import choosing
from annotation.flow.refusal import Refused
from annotation.models import Batch
from annotation.pure.rehearsing import Crowd
from annotation.registry import task_type
from annotation.rehearsal import copying
from annotation.tasktype import TaskType

MOST_HITS = 100  # of the batch, unless more are wished: a rehearsal takes a minute, not an hour
MOST_WORKERS = 1000


def rehearse(
    batch: Batch,
    *,
    crowd: Crowd,
    workers: int,
    seed: int = 0,
    hits: int = MOST_HITS,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """The forecast for a batch, launched or not, as JSON (`pure.rehearsing.Forecast`), with what was rehearsed.

    Nothing of it touches the batch or its project. Raises Refused where the task type cannot be imitated, nothing
    would be launched, or the play ended badly.
    """
    if type(task_type(batch.task)).imitate is TaskType.imitate:
        raise Refused(_("This task cannot be rehearsed: nothing is known of what people would answer."))
    if not 1 <= workers <= MOST_WORKERS or hits < 1:
        raise Refused(_("A rehearsal takes from 1 to %(most)s workers and at least one HIT.") % {"most": MOST_WORKERS})
    with tempfile.TemporaryDirectory(prefix="rehearsal-", dir=settings.VAR) as name:
        folder = Path(name)
        taken = copying.write_copy(batch, folder, most=hits)
        if not taken:
            raise Refused(choosing.nothing_to_ask(choosing.select(batch).left_out))
        wish = {"crowd": asdict(crowd), "workers": workers, "seed": seed, "wanted": _wanted(batch)}
        (folder / "wish.json").write_text(json.dumps(wish))
        found = _played(folder, tell)
    if "error" in found:
        raise Refused(_("Nobody answered anything in the rehearsal. Give it more workers, or a more willing crowd."))
    return {**found, "crowd": asdict(crowd), "seed": seed, "hits": taken, "of": _hits(batch), "batch": batch.slug}


def _hits(batch: Batch) -> int:
    return batch.size or len(choosing.queue(batch))


def _wanted(batch: Batch) -> int:
    counted = batch.hits.filter(check_item=False).aggregate(n=Sum("wanted"))["n"] if batch.size else None
    return counted or max(1, _hits(batch) * batch.assignments_per_hit)


def _played(folder: Path, tell: Callable[[int, int], None]) -> dict[str, Any]:
    """Run the play and hand its progress on. What it printed otherwise is kept only where it fails."""
    static = Path(settings.STATIC_ROOT)
    if static.is_dir():
        (folder / "static").symlink_to(static)
    command = [sys.executable, "-m", "annotation.rehearsal", str(folder)]
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
                    tell(int(done), int(total))
        except BaseException:
            process.terminate()
            raise
    if process.returncode or not (folder / "result.json").exists():
        last = (folder / "errors").read_text().strip().splitlines()[-1:]
        raise Refused(_("The rehearsal broke off: %(why)s") % {"why": " ".join(last) or process.returncode})
    found: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return found


def _environment(folder: Path) -> dict[str, str]:
    """That of an installation of its own: another database, another key, no broker, no way out."""
    ours = ("ALLOWED_HOSTS", "HTTPS", "SECRET_KEY", "CELERY_BROKER_URL", "PUBLIC_URL", "BIND", "PORT", "WEB_WORKERS")
    plain = {name: value for name, value in os.environ.items() if name not in ours}
    return plain | {
        "HOPSCRIBE_VAR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'play.sqlite3'}",
        "SECRET_KEY": secrets.token_urlsafe(64),
        "DJANGO_SETTINGS_MODULE": "annotation.settings",
        "WEB_WORKERS": "1",
        "PYTHONWARNINGS": "ignore",
    }
