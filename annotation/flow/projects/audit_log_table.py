"""The audit log for pages and CSV: filtered, with readable texts."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.lists import ListFilter
from annotation.models import Assignment, AuditEntry, Batch, Dataset, Hit, Invite, Project, User, clock
from annotation.pure.review import gold_corrections, review_state
from annotation.pure.setting_fields import setting
from annotation.pure.text.spreadsheet import csv_text, guarded
from annotation.registry import kinds

COLUMNS = ["time", "person", "login", "how", "act", "kind", "key", "name", "batch", "details"]

ACTS = {  # labels of recorded acts, whose own names stay: entries are never changed
    "created": gettext_noop("created"),
    "imported": gettext_noop("imported"),
    "pushed": gettext_noop("pushed"),
    "derived": gettext_noop("derived"),
    "made": gettext_noop("created"),
    "launched": gettext_noop("launched"),
    "preregistered": gettext_noop("preregistered"),
    "paused": gettext_noop("paused"),
    "resumed": gettext_noop("resumed"),
    "closed": gettext_noop("closed"),
    "topped up": gettext_noop("assignments added"),
    "scores opened": gettext_noop("scores opened before all responses were in"),
    "gold opened": gettext_noop("gold and names opened before adjudicating"),
    "guide changed": gettext_noop("instructions changed"),
    "settings changed": gettext_noop("settings changed"),
    "visit approved": gettext_noop("visit approved"),
    "visit part": gettext_noop("a part of a visit's reward paid"),
    "visit rejected": gettext_noop("visit rejected"),
    "visit return": gettext_noop("return of a visit requested"),
    "judgments imported": gettext_noop("responses imported"),
    "predictions imported": gettext_noop("a model's predictions imported"),
    "predictions deleted": gettext_noop("a model's predictions deleted"),
    "model asked": gettext_noop("items sent to a model"),
    "model paused": gettext_noop("model paused"),
    "model answered": gettext_noop("model answered"),
    "removed": gettext_noop("removed"),
    "restored": gettext_noop("restored"),
    "erased": gettext_noop("erased"),
    "drawn": gettext_noop("sampled for review"),
    "reviewed": gettext_noop("reviewed"),
    "adjudicated": gettext_noop("adjudicated"),
    "adjudication withdrawn": gettext_noop("adjudication withdrawn"),
    "gold decided": gettext_noop("gold decided"),
    "voided": gettext_noop("HIT excluded"),
    "approved": gettext_noop("approved"),
    "rejected": gettext_noop("rejected"),
    "bonus paid": gettext_noop("bonus paid"),
    "decided": gettext_noop("unclear bonus decided"),
    "noted": gettext_noop("difference with the marketplace noted"),
    "pay list paid": gettext_noop("pay list marked as paid"),
    "raised": gettext_noop("raised to the wage floor"),
    "granted": gettext_noop("granted"),
    "revoked": gettext_noop("revoked"),
    "refused": gettext_noop("refused"),
    "undone": gettext_noop("undone"),
    "blocked": gettext_noop("blocked"),
    "unblocked": gettext_noop("unblocked"),
    "deactivated": gettext_noop("deactivated"),
    "reactivated": gettext_noop("reactivated"),
    "consent withdrawn": gettext_noop("consent withdrawn"),
    "invited": gettext_noop("invited"),
    "joined": gettext_noop("joined"),
    "role changed": gettext_noop("role changed"),
    "password link made": gettext_noop("password link made"),
    "put in": gettext_noop("deposited"),
    "taken out": gettext_noop("withdrawn"),
    "paid out": gettext_noop("paid out"),
    "payout failed": gettext_noop("payout failed"),
    "payout read": gettext_noop("payout file imported"),
    "keys changed": gettext_noop("keys changed"),
    "exported": gettext_noop("exported"),
    "gave": gettext_noop("HITs assigned"),
    "took back": gettext_noop("HITs unassigned"),
    "edited": gettext_noop("edited"),
    "retired": gettext_noop("archived or deactivated"),
    "brought back": gettext_noop("restored"),
    "study draft": gettext_noop("study back to draft"),
    "study active": gettext_noop("study to be published"),
    "study paused": gettext_noop("study to be paused"),
    "study stopped": gettext_noop("study to be stopped"),
}
KINDS = {
    "project": gettext_noop("project"),
    "dataset": gettext_noop("dataset"),
    "batch": gettext_noop("batch"),
    "hit": gettext_noop("HIT"),
    "answer": gettext_noop("response"),
    "annotator": gettext_noop("worker"),
    "member": gettext_noop("member"),
    "invite": gettext_noop("invite link"),
    "qualification": gettext_noop("qualification"),
    "marketplace": gettext_noop("marketplace"),
    "key": gettext_noop("access key"),
    "token": gettext_noop("API token"),
    "payout": gettext_noop("payout"),
    "experiment": gettext_noop("experiment"),
    "bridge": gettext_noop("broken bridge"),
    "webhook": gettext_noop("webhook"),
    "study": gettext_noop("study"),
    "comment": gettext_noop("comment"),
}
DETAILS = {
    "n": gettext_noop("responses"),
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
    "how": gettext_noop("method"),
    "note": gettext_noop("note"),
    "places": gettext_noop("assignments"),
    "days": gettext_noop("days"),
    "version": gettext_noop("version"),
    "workers": gettext_noop("workers"),
    "wage_floor": gettext_noop("minimum hourly wage"),
    "fees": gettext_noop("fees"),
    "kinds": gettext_noop("events"),
    "active": gettext_noop("active"),
    "model": gettext_noop("model"),
    "host": gettext_noop("host"),
    "prompt": gettext_noop("prompt"),
    "calls": gettext_noop("requests"),
    "cost": gettext_noop("cost in dollars"),
    "consent_changed": gettext_noop("consent text changed"),
    "licence": gettext_noop("licence"),
    "ethics": gettext_noop("ethics approval"),
    "consent": gettext_noop("consent"),
    "source": gettext_noop("source"),
}
DECISIONS = {
    review_state.ACCEPTED: gettext_noop("accepted"),
    review_state.EDITED: gettext_noop("edited"),
    review_state.RETURNED: gettext_noop("changes requested"),
    review_state.DISCARDED: gettext_noop("excluded"),
    review_state.REOPENED: gettext_noop("withdrawn"),
    gold_corrections.ALIAS: gettext_noop("another correct answer"),
    gold_corrections.CORRECTION: gettext_noop("gold corrected"),
    gold_corrections.STANDS: gettext_noop("gold kept"),
}
WORDS: dict[str, Callable[[Any], str]] = {  # how to display details; others are shown as they are
    "decision": lambda value: _(DECISIONS.get(value, value)),
    "role": lambda value: str(dict(Invite.Role.choices).get(value, value)),
    "before": lambda value: str(dict(Invite.Role.choices).get(value, value)),
    "task": lambda value: _(dict(kinds()).get(value, value)),
    "amount": lambda value: f"{Decimal(value):.2f}",
}


@dataclass(frozen=True)
class LogFilter(ListFilter):
    """Filters of the log."""

    order = ("-at", "-pk")
    size = 25

    person: str = setting("", help="A user's number or name; `none`: nobody.", length=150)
    act: str = setting("", label=gettext_noop("Action"), length=30, column="act")
    kind: str = setting("", label=gettext_noop("Object"), choices={kind: kind for kind in sorted(KINDS)}, column="kind")
    batch: str = setting("", length=100, column="batch")
    since: date | None = setting(None, label=gettext_noop("From"), help="The first day, in UTC.")
    until: date | None = setting(None, label=gettext_noop("to (UTC)"), help="The last day, in UTC.")


@dataclass(frozen=True, slots=True)
class Row:
    """A line as text. `who` is empty if no person did it.

    `page` is "batch", "dataset", "annotator" or "hit" if its object has a page, with `leads` in the URL.
    """

    entry: AuditEntry
    act: str
    who: str
    kind: str
    name: str
    page: str
    leads: str
    details: str


def entries(project: Project, wanted: LogFilter) -> QuerySet[AuditEntry]:
    """Matching lines, latest first."""
    rows = AuditEntry.objects.filter(clock.within_days("at", wanted.since, wanted.until), project=project)
    if wanted.person == "none":
        rows = rows.filter(user__isnull=True)
    elif wanted.person.isdecimal():
        rows = rows.filter(user=int(wanted.person[:18]))
    elif wanted.person:
        rows = rows.filter(user__username=wanted.person)
    return wanted.narrow(project, rows.select_related("user"))


def choices(project: Project) -> dict[str, list[Any]]:
    """Values to filter by with their labels, as far as the log has them."""
    rows = AuditEntry.objects.filter(project=project).order_by()
    found = {name: sorted(set(rows.values_list(name, flat=True).distinct())) for name in ("act", "kind", "batch")}
    people = User.objects.filter(pk__in=rows.values("user").distinct()).order_by("display_name", "username")
    return {
        "person": [*((person.pk, str(person)) for person in people), ("none", _("no person"))],
        "act": [(act, act_label(act)) for act in found["act"]],
        "kind": [(kind, _kind(kind)) for kind in found["kind"]],
        "batch": [(name, name) for name in found["batch"] if name],
    }


def act_label(act: str) -> str:
    """The action's label in the reader's language."""
    return _(ACTS.get(act, act))


def display_rows(project: Project, some: Iterable[AuditEntry]) -> list[Row]:
    """Lines as text; workers appear by pseudonym, members by the name of their account."""
    lines = list(some)
    members = User.objects.in_bulk([int(line.key) for line in lines if line.kind == "member"])
    pages = _pages(project, lines)
    return [
        Row(
            entry=line,
            act=act_label(line.act),
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
    """URL arguments of the objects' pages, by kind and key, if they exist."""
    keys = {kind: [line.key for line in lines if line.kind == kind] for kind in ("annotator", "hit", "answer")}
    batches = Batch.objects.filter(project=project)
    answers = Assignment.objects.filter(batch__in=batches, public_id__in=keys["answer"])
    hits = Hit.objects.filter(batch__in=batches, public_id__in=keys["hit"])
    datasets = Dataset.objects.whole().filter(project=project)
    workers = project.workers.filter(pk__in=keys["annotator"])
    return {
        **{("batch", slug): slug for slug in batches.values_list("slug", flat=True)},
        **{("dataset", slug): slug for slug in datasets.values_list("slug", flat=True)},
        **{("annotator", str(pk)): str(pk) for pk in workers.values_list("pk", flat=True)},
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


def as_csv(project: Project, wanted: LogFilter) -> Iterator[str]:
    """Matching lines as CSV, escaped against formulas in spreadsheets."""
    yield csv_text([COLUMNS])
    lines = entries(project, wanted).iterator(chunk_size=500)
    while some := list(islice(lines, 500)):
        yield csv_text(_cells(project, some))


def _cells(project: Project, lines: list[AuditEntry]) -> Iterator[list[str]]:
    for row in display_rows(project, lines):
        line = row.entry
        login = line.user.username if line.user else ""
        details = json.dumps(line.details, ensure_ascii=False) if line.details else ""
        texts = [row.who, login, line.via, line.act, line.kind, line.key, row.name, line.batch, details]
        yield [line.at.isoformat(), *(guarded(text) for text in texts)]
