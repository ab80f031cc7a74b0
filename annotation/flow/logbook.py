"""The log of a project as rows for people: narrowed down, in words, and as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import Assignment, AuditEntry, Batch, Dataset, Hit, Invite, Project, User
from annotation.pure import doubt, reading
from annotation.pure.spreadsheet import guarded
from annotation.registry import kinds

COLUMNS = ["time", "person", "login", "how", "act", "kind", "key", "name", "batch", "details"]

ACTS = [  # as verbs record them; here for those who translate
    gettext_noop("created"), gettext_noop("imported"), gettext_noop("derived"), gettext_noop("made"),
    gettext_noop("launched"), gettext_noop("paused"), gettext_noop("resumed"), gettext_noop("closed"),
    gettext_noop("topped up"), gettext_noop("guide changed"), gettext_noop("settings changed"),
    gettext_noop("judgments imported"), gettext_noop("removed"), gettext_noop("restored"), gettext_noop("erased"),
    gettext_noop("drawn"), gettext_noop("reviewed"), gettext_noop("adjudicated"), gettext_noop("gold decided"),
    gettext_noop("voided"), gettext_noop("approved"), gettext_noop("rejected"), gettext_noop("bonus paid"),
    gettext_noop("raised"), gettext_noop("granted"), gettext_noop("revoked"), gettext_noop("refused"),
    gettext_noop("undone"), gettext_noop("blocked"), gettext_noop("unblocked"), gettext_noop("deactivated"),
    gettext_noop("reactivated"), gettext_noop("invited"), gettext_noop("joined"), gettext_noop("role changed"),
    gettext_noop("password link made"), gettext_noop("put in"), gettext_noop("taken out"), gettext_noop("paid out"),
    gettext_noop("payout failed"), gettext_noop("payout read"), gettext_noop("keys changed"), gettext_noop("exported"),
    gettext_noop("gave"), gettext_noop("took back"), gettext_noop("edited"), gettext_noop("retired"),
    gettext_noop("brought back"),
]  # fmt: skip
KINDS = {
    "project": gettext_noop("project"),
    "dataset": gettext_noop("dataset"),
    "batch": gettext_noop("batch"),
    "hit": gettext_noop("HIT"),
    "answer": gettext_noop("answer"),
    "annotator": gettext_noop("worker"),
    "member": gettext_noop("member"),
    "invite": gettext_noop("invite link"),
    "qualification": gettext_noop("qualification"),
    "marketplace": gettext_noop("marketplace"),
    "key": gettext_noop("access key"),
    "token": gettext_noop("API token"),
    "payout": gettext_noop("payout"),
    "webhook": gettext_noop("webhook"),
}
DETAILS = {
    "number": gettext_noop("number"),
    "amount": gettext_noop("dollars"),
    "item": gettext_noop("item number"),
    "items": gettext_noop("items"),
    "hits": gettext_noop("HITs"),
    "role": gettext_noop("role"),
    "before": gettext_noop("before"),
    "decision": gettext_noop("decision"),
    "reason": gettext_noop("reason"),
    "qualification": gettext_noop("qualification"),
    "value": gettext_noop("score"),
    "format": gettext_noop("format"),
    "task": gettext_noop("task"),
    "file": gettext_noop("file"),
    "how": gettext_noop("how"),
    "note": gettext_noop("note"),
    "places": gettext_noop("places"),
    "days": gettext_noop("days"),
    "version": gettext_noop("version"),
    "workers": gettext_noop("workers"),
    "wage_floor": gettext_noop("lowest wage an hour"),
    "kinds": gettext_noop("events"),
    "active": gettext_noop("active"),
    "consent_changed": gettext_noop("consent text changed"),
    "licence": gettext_noop("licence"),
    "source": gettext_noop("where it comes from"),
}
DECISIONS = {
    reading.ACCEPTED: gettext_noop("accepted"),
    reading.EDITED: gettext_noop("edited"),
    reading.RETURNED: gettext_noop("returned"),
    reading.DISCARDED: gettext_noop("discarded"),
    reading.REOPENED: gettext_noop("taken back"),  # as `doubt.REOPENED`
    doubt.ALIAS: gettext_noop("one more right answer"),
    doubt.CORRECTION: gettext_noop("gold corrected"),
    doubt.STANDS: gettext_noop("gold stands"),
}
WORDS: dict[str, Callable[[Any], str]] = {  # of a detail, how its value is said; others stand as they are
    "decision": lambda value: _(DECISIONS.get(value, value)),
    "role": lambda value: str(dict(Invite.Role.choices).get(value, value)),
    "before": lambda value: str(dict(Invite.Role.choices).get(value, value)),
    "task": lambda value: _(dict(kinds()).get(value, value)),
    "amount": lambda value: f"{Decimal(value):.2f}",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the log is to be shown; `person` is a user's number, or `none` for what nobody did by hand."""

    person: str = ""
    act: str = ""
    kind: str = ""
    batch: str = ""
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line in words. `who` is empty where no person did it.

    `page` is "batch", "dataset", "annotator" or "hit" where its object has one, `leads` what stands in its address.
    """

    entry: AuditEntry
    who: str
    kind: str
    name: str
    page: str
    leads: str
    details: str


def entries(project: Project, wanted: Wanted) -> QuerySet[AuditEntry]:
    """The lines that are wanted, the latest first."""
    rows = AuditEntry.objects.filter(project=project).select_related("user")
    narrowed = {"act": wanted.act, "kind": wanted.kind, "batch": wanted.batch}
    rows = rows.filter(**{column: value for column, value in narrowed.items() if value})
    if wanted.person == "none":
        rows = rows.filter(user__isnull=True)
    elif wanted.person.isdecimal():
        rows = rows.filter(user=int(wanted.person[:18]))
    if wanted.since:
        rows = rows.filter(at__gte=_midnight(wanted.since))
    if wanted.until and wanted.until < date.max:
        rows = rows.filter(at__lt=_midnight(wanted.until + timedelta(days=1)))
    return rows.order_by("-at", "-pk")


def _midnight(day: date) -> datetime:
    """Days begin in UTC, as in reports (annotation/flow/cutting.py)."""
    return datetime.combine(day, time(), UTC)


def choices(project: Project) -> dict[str, list[Any]]:
    """What the log can be narrowed by: {"people": Users, "acts", "kinds": [(kind, label)], "batches": names}."""
    rows = AuditEntry.objects.filter(project=project).order_by()
    found = {name: sorted(set(rows.values_list(name, flat=True).distinct())) for name in ("act", "kind", "batch")}
    return {
        "people": list(User.objects.filter(pk__in=rows.values("user").distinct()).order_by("display_name", "username")),
        "acts": [(act, _(act)) for act in found["act"]],
        "kinds": [(kind, _kind(kind)) for kind in found["kind"]],
        "batches": [name for name in found["batch"] if name],
    }


def told(project: Project, some: Iterable[AuditEntry]) -> list[Row]:
    """Lines in words; annotators go by pseudonyms, members by the names of their accounts."""
    lines = list(some)
    members = User.objects.in_bulk([int(line.key) for line in lines if line.kind == "member"])
    pages = _pages(project, lines)
    return [
        Row(
            entry=line,
            who=str(line.user) if line.user else "",
            kind=_kind(line.kind),
            name=_name(project, line, members),
            page="hit" if line.kind == "answer" else line.kind,
            leads=pages.get((line.kind, line.key), ""),
            details=_in_words(line.details),
        )
        for line in lines
    ]


def _pages(project: Project, lines: list[AuditEntry]) -> dict[tuple[str, str], str]:
    """What stands in the address of an object's page, by kind and key, where it has one."""
    keys = {kind: [line.key for line in lines if line.kind == kind] for kind in ("annotator", "hit", "answer")}
    batches = Batch.objects.filter(project=project)
    answers = Assignment.objects.filter(batch__in=batches, public_id__in=keys["answer"])
    hits = Hit.objects.filter(batch__in=batches, public_id__in=keys["hit"])
    return {
        **{("batch", slug): slug for slug in batches.values_list("slug", flat=True)},
        **{
            ("dataset", slug): slug
            for slug in Dataset.objects.whole().filter(project=project).values_list("slug", flat=True)
        },
        **{
            ("annotator", str(pk)): str(pk)
            for pk in project.workers.filter(pk__in=keys["annotator"]).values_list("pk", flat=True)
        },
        **{("hit", key): key for key in hits.values_list("public_id", flat=True)},
        **{("answer", key): hit for key, hit in answers.values_list("public_id", "hit__public_id")},
    }


def _kind(kind: str) -> str:
    return _(KINDS[kind]) if kind in KINDS else kind


def _name(project: Project, line: AuditEntry, members: dict[int, User]) -> str:
    if line.kind == "annotator":
        return project.pseudonym(int(line.key))[:8]
    if line.kind == "member":
        person = members.get(int(line.key))
        return str(person) if person else _("a deleted account")
    return line.name or (line.key[:8] if line.kind in {"hit", "answer"} else line.key)


def _in_words(details: dict[str, Any]) -> str:
    known = [(name, value) for name, value in details.items() if name in DETAILS and value not in ("", None, [])]
    return " · ".join(f"{_(DETAILS[name])}: {WORDS.get(name, _plain)(value)}" for name, value in known)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def as_csv(project: Project, wanted: Wanted) -> Iterator[str]:
    """The lines that are wanted as CSV; what people wrote cannot run in a spreadsheet."""
    yield _csv([COLUMNS])
    lines: list[AuditEntry] = []
    for line in entries(project, wanted).iterator(chunk_size=500):
        lines.append(line)
        if len(lines) == 500:
            yield _csv(_cells(project, lines))
            lines = []
    yield _csv(_cells(project, lines))


def _cells(project: Project, lines: list[AuditEntry]) -> Iterator[list[str]]:
    for row in told(project, lines):
        line = row.entry
        login = line.user.username if line.user else ""
        details = json.dumps(line.details, ensure_ascii=False) if line.details else ""
        texts = [row.who, login, line.via, line.act, line.kind, line.key, row.name, line.batch, details]
        yield [line.at.isoformat(), *(guarded(text) for text in texts)]


def _csv(rows: Iterable[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()
