"""Grants of a qualification to many workers: from a file, by a rule; and undoing the last such step."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import Avg, Count, F, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation import models
from annotation.flow.errors import Conflict, Refused
from annotation.flow.people import qualification_types
from annotation.flow.projects import audit_log
from annotation.formats.cells import all_lines
from annotation.models import Batch, Project, Qualification, QualificationChange, QualificationType, User, Worker
from annotation.pure.people.requirements import LARGEST, SMALLEST

GRANTED = Qualification.State.GRANTED
SHOWN_FLAWS = 20
MOST_ROWS = 100_000
HEADERS = (("worker", "workerid", "pseudonym", "participant"), ("value", "score"))  # of worker, of value


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one worker's score by a grant; `before` is None if they hold none."""

    worker: Worker
    before: int | None
    value: int


@dataclass(frozen=True, slots=True)
class Flaw:
    """An error in a file: line, field, and what to do."""

    line: int
    field: str
    problem: str


class BadFile(Refused):
    """Nothing of the file was granted; `flaws` has the first errors, `total` their number."""

    def __init__(self, flaws: list[Flaw]) -> None:
        self.flaws, self.total = flaws[:SHOWN_FLAWS], len(flaws)
        lines = [_("line %(line)s, %(field)s: %(problem)s") % asdict(flaw) for flaw in self.flaws]
        more = self.total - len(self.flaws)
        super().__init__("\n".join([*lines, _("… and %(n)s more") % {"n": more}] if more else lines))


def people_by_name(project: Project) -> dict[str, Worker]:
    """The project's workers by each name that requesters may use: pseudonym and worker id."""
    found: dict[str, Worker] = {}
    for worker in project.workers.order_by("pk"):
        worker.project = project
        found[worker.pseudonym] = found[worker.public_id] = worker
    return found


def read_file(project: Project, content: bytes | Iterable[str]) -> dict[Worker, int]:
    """Read scores from a table of worker (pseudonym or worker ID) and value, with or without a header. Raises BadFile.

    With a header, the columns may stand anywhere. All lines are checked before anything is returned.
    """
    known = people_by_name(project)
    wanted: dict[Worker, int] = {}
    flaws: list[Flaw] = []
    for number, name, value in _rows(content, flaws):
        worker = known.get(name)
        if worker is None:
            problem = _("%(name)s is not a worker of this project: give a pseudonym or a worker ID")
            flaws.append(Flaw(number, "worker", problem % {"name": name[:40]}))
        elif worker in wanted:
            flaws.append(Flaw(number, "worker", _("appears twice in the file; keep one of the lines")))
        elif (score := parse_integer(value)) is None:
            problem = _("%(value)s is not a whole number of at most ten digits")
            flaws.append(Flaw(number, "value", problem % {"value": repr(value[:20])}))
        else:
            wanted[worker] = score
    if not wanted and not flaws:
        flaws.append(Flaw(1, "worker", _("the file is empty: write one line worker,value per worker")))
    if flaws:
        raise BadFile(flaws)
    return wanted


def _rows(content: bytes | Iterable[str], flaws: list[Flaw]) -> Iterator[tuple[int, str, str]]:
    """(line, worker, value) of each line with both."""
    places: list[int] = []
    for number, cells, wrong in all_lines(content):
        if number > MOST_ROWS:
            flaws.append(Flaw(number, "worker", _("exceeds the maximum number of lines: split the file")))
            return
        if wrong:
            flaws.append(Flaw(number, "worker", wrong))
        elif not places and (places := _header(cells)):
            continue
        elif places and len(cells) > max(places):
            yield number, cells[places[0]], cells[places[1]]
        elif len(filled := [cell for cell in cells if cell]) == 2:
            yield number, filled[0], filled[1]
        else:
            flaws.append(Flaw(number, "value", _("write two columns, worker,value")))


def _header(cells: Sequence[str]) -> list[int]:
    """The places of worker and value in a line that names them; else []."""
    plain = [re.sub(r"[^a-z]", "", cell.lower()) for cell in cells]
    found = [next((at for at, name in enumerate(plain) if name in names), -1) for names in HEADERS]
    return found if min(found) >= 0 else []


def parse_integer(text: str) -> int | None:
    """A text as an integer, also one that a spreadsheet wrote as 90.0 or 90,0; else None, as for 1,000: it may be 1."""
    digits = re.fullmatch(r"([+-]?[0-9]{1,10})(?:[.,](?!000$)0+)?", text)
    return int(digits[1]) if digits and SMALLEST <= int(digits[1]) <= LARGEST else None


def plan(type: QualificationType, wanted: Mapping[Worker, int]) -> list[Change]:
    """The changes of granting `wanted`, one per worker; without workers who already hold their score."""
    rows = Qualification.objects.filter(type=type, state=GRANTED, worker__in=[worker.pk for worker in wanted])
    now = dict(rows.values_list("worker", "value"))
    changes = [Change(worker, now.get(worker.pk), value) for worker, value in wanted.items()]
    return [change for change in changes if change.before != change.value]


@transaction.atomic
def grant_all(
    type: QualificationType,
    wanted: Mapping[Worker, int],
    *,
    source: str,
    reason: str = "",
    user: User | None = None,
) -> int:
    """Grant all scores or, raising Refused, none; returns how many changed."""
    with _one_step("granted", type, source=source):
        changes = plan(type, wanted)
        for change in changes:
            qualification_types.grant(type, change.worker, change.value, source=source, reason=reason, user=user)
    return len(changes)


@transaction.atomic
def revoke_all(
    type: QualificationType, workers: Iterable[Worker], *, reason: str = "", user: User | None = None
) -> int:
    """Revoke the qualification from these workers; returns how many held it."""
    with _one_step("revoked", type):
        return sum(qualification_types.revoke(type, worker, reason=reason, user=user) for worker in workers)


@contextmanager
def _one_step(act: str, type: QualificationType, **details: Any) -> Iterator[None]:
    """Make the changes inside one step: one line in the log, and one time, by which `last_step` recognises them."""
    # Lock until the step is complete; `last_step` relies on consecutive changes.
    QualificationType.objects.select_for_update(no_key=True).get(pk=type.pk)
    changes = QualificationChange.objects.filter(qualification__type=type)
    before = changes.order_by("-pk").values_list("pk", flat=True).first() or 0
    with audit_log.together(act, type, **details):
        yield
    changes.filter(pk__gt=before).update(created_at=models.clock.now())


def last_step(type: QualificationType) -> list[QualificationChange]:
    """The changes of the last step, oldest first; empty if it was an undo."""
    rows = QualificationChange.objects.filter(qualification__type=type)
    last = rows.order_by("-pk").first()
    if last is None or last.source == "undo":
        return []
    same = rows.filter(created_at=last.created_at, source=last.source, author=last.author)
    return list(same.select_related("qualification__worker__project").order_by("pk"))


def undoable(type: QualificationType) -> int:
    """The key for undoing the last step; 0 if there is none."""
    step = last_step(type)
    return step[-1].pk if step else 0


@transaction.atomic
def undo(type: QualificationType, *, through: int, user: User | None = None) -> int:
    """Undo the last step, which ended with the change `through`; everybody gets their former score back.

    Raises Refused if something else was granted or revoked since.
    """
    with _one_step("undone", type):
        step = last_step(type)
        if not step or step[-1].pk != through:
            raise Refused(_("Qualifications were granted or revoked in the meantime, so nothing was undone."))
        for change in step:
            _take_back(type, change, user)
    return len(step)


def _take_back(type: QualificationType, change: QualificationChange, user: User | None) -> None:
    held = change.qualification
    earlier = held.changes.filter(pk__lt=change.pk).order_by("-pk").first()
    if earlier is not None and earlier.state == GRANTED:
        qualification_types.grant(type, held.worker, earlier.value, source="undo", user=user)
    elif change.state == GRANTED:
        qualification_types.revoke(type, held.worker, source="undo", user=user)


FIGURES = {
    "grade": gettext_lazy("mean grade against gold, in percent"),
    "agreement": gettext_lazy("mean agreement on their HITs, in percent, as of the last report"),
    "approval": gettext_lazy("share of their reviewed assignments that was approved, in percent"),
    "approved": gettext_lazy("number of approved assignments"),
    "submitted": gettext_lazy("number of submitted assignments"),
}


def figures_of(batches: Sequence[Batch], figure: str) -> dict[Worker, int]:
    """The figure of each worker with responses in the batches, rounded down to an integer."""
    rows = models.Assignment.objects.submitted().filter(batch__in=[batch.pk for batch in batches])
    measure = {
        "grade": 100 * Avg("grade"),
        "agreement": 100 * Avg(1 - F("hit__disagreement")),
        "approval": 100.0 * Count("pk", filter=Q(approval="approved")) / Count("pk", filter=~Q(approval="")),
        "approved": Count("pk", filter=Q(approval="approved")),
        "submitted": Count("pk"),
    }
    if figure == "approval":
        rows = rows.exclude(approval="")
    counted = rows.order_by().values("worker").annotate(figure=measure[figure]).filter(figure__isnull=False)
    found = dict(counted.values_list("worker", "figure"))
    people = Worker.objects.select_related("project").filter(pk__in=found).order_by("pk")
    return {worker: int(found[worker.pk] + 1e-9) for worker in people}


def by_rule(
    batches: Sequence[Batch], figure: str, *, least: int, answers: int = 1, value: int | None = None
) -> dict[Worker, int]:
    """Scores for workers who reached `least` with at least `answers` responses: `value`, or the figure itself."""
    done = figures_of(batches, "submitted")
    reached = figures_of(batches, figure)
    return {
        worker: reading if value is None else value
        for worker, reading in reached.items()
        if reading >= least and done[worker] >= answers
    }


def holders(type: QualificationType) -> Any:
    """Grants of the qualification with their workers, highest score first."""
    rows = Qualification.objects.filter(type=type, state=GRANTED)
    return rows.select_related("worker__project").order_by("-value", "pk")


def waiting(type: QualificationType) -> Any:
    """Open requests, oldest first."""
    rows = type.requests.filter(state="pending").select_related("worker__project")
    return rows.order_by("submitted_at", "pk")


@transaction.atomic
def decide(
    requests: Iterable[models.QualificationRequest], *, grants: bool, value: int | None, reason: str, user: User | None
) -> int:
    """Grant (with `value`, or the test's score) or reject requests; returns how many were still open."""
    done = 0
    for row in requests:
        try:
            if grants:
                qualification_types.accept_request(row, value=value, user=user)
            else:
                qualification_types.reject_request(row, reason=reason)
        except Conflict:  # another requester decided first
            continue
        done += 1
    return done
