"""Worker IDs of Mechanical Turk, carried over: each is a worker who has not arrived yet, for blocks and qualifications.

Whoever had the ID there names it here before their first HIT, and takes over what was prepared for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.refusal import Refused
from annotation.models import Project, Worker

PREFIX = "mturk:"  # of `Worker.external_id`, until they arrive
ID = re.compile(r"A[A-Z0-9]{5,63}")
HEADERS = {"workerid", "worker id", "worker"}
MOST = 100_000
SHOWN = 20
KEPT = ("user", "country", "subdivision", "adult", "consented_version", "consented_at", "active")


def import_ids(project: Project, lines: Iterable[str]) -> dict[str, int]:
    """Make a worker of each ID, one a line or in the first column of a CSV; {"read", "added", "known"}.

    All or nothing: raises Refused naming the lines that hold no ID.
    """
    found, wrong = _read(lines)
    if wrong:
        shown = "; ".join(wrong[:SHOWN]) + (" …" if len(wrong) > SHOWN else "")
        text = _("No worker ID of Mechanical Turk (A, then capital letters and digits) in %(lines)s.")
        raise Refused(text % {"lines": shown})
    if not found:
        raise Refused(_("There are no worker IDs in it."))
    if len(found) > MOST:
        raise Refused(_("At most %(most)s worker IDs at once; there are %(n)s.") % {"most": MOST, "n": len(found)})
    with transaction.atomic():
        known = set(project.workers.filter(public_id__in=found).values_list("public_id", flat=True))
        new = [Worker(project=project, external_id=PREFIX + one, public_id=one) for one in found if one not in known]
        Worker.objects.bulk_create(new, ignore_conflicts=True)
        recording.record("imported", project, workers=len(new))
    return {"read": len(found), "added": len(new), "known": len(found) - len(new)}


def _read(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """The IDs, each once, and what is wrong, a line each."""
    found: dict[str, None] = {}
    wrong: list[str] = []
    for number, line in enumerate(lines, 1):
        name = line.split(",")[0].strip().strip('"').strip("\ufeff ")
        if not name or (number == 1 and name.lower() in HEADERS):
            continue
        if ID.fullmatch(name):
            found[name] = None
        else:
            wrong.append(_("line %(line)s: %(text)s") % {"line": number, "text": repr(name[:40])})
    return list(found), wrong


def are_awaited(project: Project) -> bool:
    """Whether some of the imported workers have not arrived yet."""
    return project.workers.filter(external_id__startswith=PREFIX, user=None).exists()


def may_claim(worker: Worker) -> bool:
    """Whether the worker has done nothing here yet, so that they can still become the one who was imported."""
    return not worker.assignments.exists() and not worker.qualifications.exists() and not hasattr(worker, "block")


def claim(worker: Worker, name: str) -> Worker:
    """Make the worker's account that of the imported worker of this ID; returns that one.

    Raises Refused where no such worker is awaited in the project, or where this one has done something already.
    """
    unknown = Refused(_("This project knows no such worker ID, or somebody took it already."))
    kept: dict[str, Any] = {name: getattr(worker, name) for name in KEPT}
    try:
        with transaction.atomic():
            Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
            awaited = worker.project.workers.filter(external_id=PREFIX + name, user=None)
            found = awaited.first()
            if found is None:
                raise unknown
            if not may_claim(worker):
                raise _too_late()
            worker.delete()
            if not awaited.filter(pk=found.pk).update(**kept, external_id=None):
                raise unknown
            found.refresh_from_db()
            recording.record("joined", found)
    except (ProtectedError, IntegrityError):
        raise _too_late() from None
    return found


def _too_late() -> Refused:
    return Refused(_("You have begun to work here already. Write to the requester, who can give you what you had."))
