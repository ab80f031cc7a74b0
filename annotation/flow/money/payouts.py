"""Payouts: files of the amounts that the built-in marketplace owes its workers, for the lab to pay.

A payout moves the amounts owed from the workers' accounts into its own. A paid line leaves the project; a failed one is
owed to its worker again, and is part of the next payout.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.projects import audit_log
from annotation.formats.cells import all_lines
from annotation.models import Account, Payout, PayoutLine, Project, User, Worker
from annotation.models.money import OUTSIDE
from annotation.pure.text.spreadsheet import csv_text, guarded

COLUMNS = ["payout", "worker_id", "pseudonym", "name", "email", "amount", "state", "reference"]
NEEDED = ["payout", "worker_id", "amount", "state"]
LONGEST = 5_000_000  # bytes of an imported payout file
OPEN, PAID, FAILED = PayoutLine.State.OPEN, PayoutLine.State.PAID, PayoutLine.State.FAILED


class FileRefused(Refused):
    """Nothing of the file was imported. `report`: {"errors": [{"line", "field", "problem"}]}."""

    def __init__(self, errors: list[dict[str, object]]) -> None:
        self.report = {"errors": errors}
        first = errors[0]
        text = _("Nothing was changed. Line %(line)s, %(field)s: %(problem)s") % first
        more = len(errors) - 1
        super().__init__(text if not more else text + " " + _("(and %(more)s more)") % {"more": more})


@transaction.atomic
def make_payout(project: Project, *, user: User | None = None) -> Payout:
    """Create a payout of everything that is owed. Raises Refused if nothing is owed."""
    ledger.lock(project)  # two payouts at once would contain the same money twice
    owed = _owed(project)
    if not owed:
        raise Refused(_("Nobody is owed anything, so there is nothing to pay."))
    last = Payout.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0
    payout = Payout.objects.create(project=project, number=last + 1, created_by=user)
    for worker, amount in owed:
        PayoutLine.objects.create(payout=payout, worker=worker, amount=amount)
        about = {"worker": worker, "created_by": user, "note": _("payout %(number)s") % {"number": payout.number}}
        key = f"payout/{payout.number}/{worker.pk}"
        ledger.move(project, ledger.owed_to(worker.pk), _account(payout), amount, kind="payout", key=key, **about)
    audit_log.record("made", payout, number=len(owed), amount=str(sum(amount for _worker, amount in owed)))
    return payout


def _account(payout: Payout) -> str:
    return f"payout/{payout.number}"


def _owed(project: Project) -> list[tuple[Worker, Decimal]]:
    accounts = Account.objects.filter(project=project, name__startswith="worker/", balance__gt=0)
    balances = {int(name.partition("/")[2]): balance for name, balance in accounts.values_list("name", "balance")}
    workers = Worker.objects.filter(project=project).in_bulk(balances)
    return [(workers[pk], balances[pk]) for pk in sorted(balances) if pk in workers]


def lines_of(payout: Payout) -> list[PayoutLine]:
    """The payout's lines in order, with their workers and accounts."""
    rows = payout.lines.select_related("worker__user", "worker__project", "payout")
    return list(rows.order_by("pk"))


def sums(lines: Iterable[PayoutLine]) -> dict[str, Decimal]:
    """{"total", "open", "paid", "failed"}: dollars of the lines by state."""
    found = {state: Decimal(0) for state in ("total", *PayoutLine.State.values)}
    for line in lines:
        found[line.state] += line.amount
        found["total"] += line.amount
    return found


def as_csv(payout: Payout) -> str:
    """The payout as a CSV file, which can be completed and imported again.

    It contains names and emails, so it is for requesters only.
    """
    rows = [COLUMNS]
    for line in lines_of(payout):
        worker = line.worker
        name, email = (str(worker.user), worker.user.email) if worker.user else (worker.external_id or "", "")
        texts = [worker.public_id, worker.pseudonym, name, email]
        rows.append([str(payout.number), *map(guarded, texts), str(line.amount), line.state, guarded(line.reference)])
    return "\ufeff" + csv_text(rows)  # a byte order mark, so that Excel reads it as UTF-8


@transaction.atomic
def decide(line: PayoutLine, to: str, *, reference: str = "", user: User | None = None) -> bool:
    """Record that a line was paid, or that paying it failed; False if that was recorded before.

    A failed line is owed again and cannot be paid by this payout any more. Raises Refused for that.
    """
    ledger.lock(line.payout.project)
    if line.move(to, since=(OPEN,), reference=reference[:200], decided_at=Now()):
        _settle(line, user)
        audit_log.record(PAID_OUT[to], line.payout, amount=str(line.amount))
        return True
    line.refresh_from_db()
    if line.state != to:
        raise Refused(_decided(line))
    return False


def _decided(line: PayoutLine) -> str:
    words = {
        PAID: _("this line was already recorded as paid"),
        FAILED: _("this line was already recorded as failed, and the amount is owed again"),
    }
    return words[PayoutLine.State(line.state)]


def _settle(line: PayoutLine, user: User | None) -> None:
    payout, worker = line.payout, line.worker
    paid = line.state == PAID
    target, kind = (OUTSIDE, "paid_out") if paid else (ledger.owed_to(worker.pk), "payout_failed")
    about = {"worker": worker, "created_by": user, "note": line.reference}
    key = f"payout/{payout.number}/{worker.pk}/{line.state}"
    ledger.move(payout.project, _account(payout), target, line.amount, kind=kind, key=key, **about)


@dataclass(frozen=True, slots=True)
class _LineUpdate:
    line: PayoutLine
    state: str
    reference: str


PAID_OUT: dict[str, str] = {PayoutLine.State.PAID: "paid out", PayoutLine.State.FAILED: "payout failed"}


@transaction.atomic
def reconcile(project: Project, content: bytes, *, user: User | None = None) -> dict[str, int]:
    """Import a completed payout file: settle the lines marked paid or failed. All or nothing.

    The same file again changes nothing. Returns {"paid", "failed", "open", "unchanged"}. Raises FileRefused.
    """
    ledger.lock(project)  # as `decide` does: no line changes between the check of the file and its last line
    errors: list[dict[str, object]] = []
    updates = _read(project, content, errors)
    if errors:
        raise FileRefused(errors)
    counts = {"paid": 0, "failed": 0, "open": 0, "unchanged": 0}
    with audit_log.together("payout read", project):
        for update in updates:
            if update.state == OPEN:
                counts["open"] += 1
            elif decide(update.line, update.state, reference=update.reference, user=user):
                counts[update.state] += 1
            else:
                counts["unchanged"] += 1
    return counts


def _error(line: int, field: str, problem: str) -> dict[str, object]:
    return {"line": line, "field": field, "problem": problem}


def _read(project: Project, content: bytes, errors: list[dict[str, object]]) -> list[_LineUpdate]:
    if len(content) > LONGEST:
        raise FileRefused([_error(1, "file", _("is too large; a payout file has one line per worker"))])
    table = all_lines(content)
    _number, header, wrong = next(table, (1, list[str](), ""))
    if wrong:
        raise FileRefused([_error(1, "file", wrong)])
    names = [name.lower() for name in header]
    errors += [_error(1, name, _("the column is missing")) for name in NEEDED if name not in names]
    if errors:
        return []
    lines = PayoutLine.objects.filter(payout__project=project).select_related("payout__project", "worker")
    known = {(str(line.payout.number), line.worker.public_id): line for line in lines}
    seen: set[int] = set()
    updates = []
    for number, cells, wrong in table:
        if wrong:
            errors.append(_error(number, "file", wrong))
        elif update := _update(known, dict(zip(names, cells, strict=False)), number, seen, errors):
            updates.append(update)
    return updates


def _update(
    known: dict[tuple[str, str], PayoutLine],
    cells: dict[str, str],
    number: int,
    seen: set[int],
    errors: list[dict[str, object]],
) -> _LineUpdate | None:
    """The request of a row; None, with an error added, if it is invalid."""
    line = known.get((cells.get("payout", ""), cells.get("worker_id", "")))
    if line is None:
        problem = _("no payout of this project has this worker; keep both columns as downloaded")
        errors.append(_error(number, "worker_id", problem))
        return None
    update = _LineUpdate(line, cells.get("state", "").lower(), cells.get("reference", ""))
    if wrong := _wrong(update, cells, again=line.pk in seen):
        errors.append(_error(number, *wrong))
        return None
    seen.add(line.pk)
    return update


def _wrong(update: _LineUpdate, cells: dict[str, str], *, again: bool) -> tuple[str, str] | None:
    """(field, problem) of a row."""
    line = update.line
    if again:
        return "worker_id", _("this worker appears twice in the file; keep one line")
    if _amount(cells.get("amount", "")) != line.amount:
        text = _("the amount of this line is %(amount)s; amounts cannot be changed here")
        return "amount", text % {"amount": line.amount}
    if update.state not in PayoutLine.State.values:
        return "state", _("write open, paid or failed")
    if len(update.reference) > 200 or "\0" in update.reference:
        return "reference", _("at most 200 characters are allowed")
    if update.state not in {OPEN, line.state} and line.state != OPEN:
        return "state", _decided(line)
    return None


def _amount(text: str) -> Decimal | None:
    try:
        return Decimal(text.replace("$", "").replace(",", "." if text.count(",") == 1 and "." not in text else ""))
    except InvalidOperation:
        return None
