"""Imported Mechanical Turk worker IDs: workers who have not joined yet, for blocks and qualifications.

A worker who had such an ID states it before their first HIT, and takes over its blocks and qualifications.
"""

import re
from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.formats.cells import all_lines
from annotation.models import Project, Worker

PREFIX = "mturk:"  # prefix of `Worker.external_id` until they have come
ID = re.compile(r"A[A-Z0-9]{5,63}")
HEADERS = {"workerid", "worker id", "worker", "worker_id"}
MOST = 100_000
SHOWN = 20
KEPT = ("user", "country", "subdivision", "adult", "consented_version", "consented_at", "active")


def import_ids(project: Project, content: bytes | Iterable[str]) -> dict[str, int]:
    """Create a worker for each ID, one per line or in a column of a table; returns {"read", "added", "known"}.

    The column is the one that is named so, else the first.

    All or nothing: raises Refused with the lines that have no ID.
    """
    found, wrong = _read(content)
    if wrong:
        shown = "; ".join(wrong[:SHOWN]) + (" …" if len(wrong) > SHOWN else "")
        text = _("There is no Mechanical Turk worker ID (A, followed by capital letters and digits) in %(lines)s.")
        raise Refused(text % {"lines": shown})
    if not found:
        raise Refused(_("The text contains no worker IDs."))
    if len(found) > MOST:
        text = _("At most %(most)s worker IDs are allowed at once; you gave %(n)s.")
        raise Refused(text % {"most": MOST, "n": len(found)})
    with transaction.atomic():
        known = set(project.workers.filter(public_id__in=found).values_list("public_id", flat=True))
        new = [Worker(project=project, external_id=PREFIX + one, public_id=one) for one in found if one not in known]
        Worker.objects.bulk_create(new, ignore_conflicts=True)
        audit_log.record("imported", project, workers=len(new))
    return {"read": len(found), "added": len(new), "known": len(found) - len(new)}


def _read(content: bytes | Iterable[str]) -> tuple[list[str], list[str]]:
    """The IDs without repetitions, and the errors, one per line."""
    found: dict[str, None] = {}
    wrong: list[str] = []
    place = -1
    for number, cells, problem in all_lines(content):
        if place < 0 and any(cell.lower() in HEADERS for cell in cells):
            place = next(at for at, cell in enumerate(cells) if cell.lower() in HEADERS)
            continue
        if place < 0 and not problem and all(ID.fullmatch(cell) for cell in cells if cell):
            found.update(dict.fromkeys(filter(None, cells)))  # a line may list several
            continue
        name = problem or (cells[max(place, 0)] if max(place, 0) < len(cells) else "")
        if not name:
            continue
        if ID.fullmatch(name):
            found[name] = None
        else:
            wrong.append(_("line %(line)s: %(text)s") % {"line": number, "text": repr(name[:40])})
    return list(found), wrong


def are_awaited(project: Project) -> bool:
    """Whether some of the imported workers have not joined yet."""
    return project.workers.filter(external_id__startswith=PREFIX, user=None).exists()


def may_claim(worker: Worker) -> bool:
    """Whether the worker has done nothing here yet, so that they can still become an imported one."""
    return not worker.assignments.exists() and not worker.qualifications.exists() and not hasattr(worker, "block")


def claim(worker: Worker, name: str) -> Worker:
    """Move the worker's account to the imported worker of this ID; returns that worker.

    Raises Refused if the project has no such unclaimed worker, or this worker has already worked here.
    """
    unknown = Refused(_("This project does not know this worker ID, or somebody has linked it already."))
    text = _(
        "You have already started to work here. Write to the requester, who can transfer your earlier work to you."
    )
    too_late = Refused(text)
    kept: dict[str, Any] = {name: getattr(worker, name) for name in KEPT}
    try:
        with transaction.atomic():
            # Lock: the worker must not get a first assignment while the accounts are merged.
            Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
            awaited = worker.project.workers.filter(external_id=PREFIX + name, user=None)
            found = awaited.first()
            if found is None:
                raise unknown
            if not may_claim(worker):
                raise too_late
            worker.delete()
            if not awaited.filter(pk=found.pk).update(**kept, external_id=None):
                raise unknown
            found.refresh_from_db()
            audit_log.record("joined", found)
    except (ProtectedError, IntegrityError):
        raise too_late from None
    return found
