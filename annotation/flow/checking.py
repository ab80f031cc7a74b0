"""Hidden gold: items with known answers among the others, and the rule that warns and pauses by them.

A batch's checks are HITs of their own (`Hit.check_item`) outside the queue: everybody may get each of them once. On a
marketplace, which gives HITs out itself, they are HITs among the others, with as many places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest, Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow import recording, reserving
from annotation.flow.refusal import Refused
from annotation.models import Assignment, Batch, Dataset, Feedback, Hit, Item, Seat, Worker
from annotation.pure import lifecycle
from annotation.pure.round_draw import checks_to_come, is_check

MOST_SHARE = 0.5
MOST_CHECKS = 1000  # HITs of hidden gold in a batch
EXACT = 1000  # HITs: beyond, the checks to come are reckoned by their share


@dataclass(frozen=True, slots=True)
class Rule:
    """On the mean grade of a worker's checks: once `after` are answered, warn or pause below a mark; None: never."""

    after: int = 5
    warn_below: float | None = None
    pause_below: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {"after": self.after, "warn_below": self.warn_below, "pause_below": self.pause_below}


def read_rule(stored: dict[str, Any]) -> Rule:
    """A rule from JSON at rest or from outside; an empty one never warns. Raises Refused."""
    rule = Rule(**{name: stored.get(name, getattr(Rule(), name)) for name in ("after", "warn_below", "pause_below")})
    marks = [mark for mark in (rule.warn_below, rule.pause_below) if mark is not None]
    if type(rule.after) is not int or rule.after < 1:
        raise Refused(_("Say after how many checks the rule begins: at least one."))
    if any(type(mark) not in (int, float) or not 0 < mark <= 1 for mark in marks):
        raise Refused(_("A mark for checks lies above 0 and is at most 100 percent."))
    if rule.warn_below is not None and rule.pause_below is not None and rule.pause_below > rule.warn_below:
        raise Refused(_("Warn before you pause: the mark for a warning must not be lower than that for a pause."))
    return rule


def check_settings(batch: Batch) -> None:
    """Raises Refused for checks that cannot work, before the batch is launched."""
    if not 0 <= batch.check_share <= MOST_SHARE:
        raise Refused(_("At most half of the assignments can be hidden checks."))
    read_rule(batch.check_rule)
    if batch.check_share and not batch.checks.exists():
        raise Refused(_("Choose a dataset to take the hidden checks from."))
    if batch.check_share and batch.purpose == Batch.Purpose.QUALIFICATION:
        raise Refused(_("Hidden checks are for production batches."))


@transaction.atomic
def set_up(batch: Batch, *, datasets: Sequence[Dataset], share: float, rule: Rule) -> None:
    """Let a draft have checks from these datasets. Raises Refused for what cannot work."""
    batch.check_share, batch.check_rule = share, rule.as_json() if share else {}
    draft = Batch.objects.filter(pk=batch.pk, state=Batch.State.DRAFT)
    if not draft.update(check_share=batch.check_share, check_rule=batch.check_rule):
        raise Refused(_("This batch was launched, so its hidden checks stay as they are."))
    batch.checks.set(datasets)
    check_settings(batch)


def items_of(batch: Batch) -> list[int]:
    """The items to make hidden checks of: those of the batch's check datasets that it does not ask about itself."""
    if not batch.check_share:
        return []
    held = Item.objects.usable().filter(dataset__checked=batch).order_by("dataset__slug", "position")
    found = list(held.exclude(hits__batch=batch).values_list("pk", flat=True))
    if len(found) > MOST_CHECKS or batch.connection_id:
        most = len(found) if batch.connection_id else MOST_CHECKS
        found = Random(f"{batch.seed}/checks").sample(found, most)
    return found


def wanted_beside(batch: Batch, hits: int) -> int:
    """How many HITs of hidden gold at most go with so many others: all that can be, as everybody may get each of them.

    On a marketplace their share of the batch: there nobody can say whose next HIT is one.
    """
    return reserving.checks_among(batch, hits) if batch.connection_id else MOST_CHECKS


def lacking(batch: Batch) -> list[str]:
    """Says so when a launched batch on a marketplace has less hidden gold than was asked for; else nothing."""
    if not (batch.check_share and batch.connection_id and batch.launched_at):
        return []
    made, wanted = batch.hits.filter(check_item=True).count(), wanted_beside(batch, batch.size)
    if made >= wanted:
        return []
    text = ngettext(
        "Hidden gold is %(made)s of the %(wanted)s HIT that its share comes to: no more answers are known.",
        "Hidden gold is %(made)s of the %(wanted)s HITs that its share comes to: no more answers are known.",
        wanted,
    )
    return [text % {"made": made, "wanted": wanted}]


def may_pause(batch: Batch) -> bool:
    """Whether the batch's rule can stop a worker."""
    return bool(batch.check_share) and read_rule(batch.check_rule).pause_below is not None


def is_over(hit: Hit) -> bool:
    """Whether a check of a batch on a marketplace is to be given out no more: all ordinary work is done."""
    standing = Hit.objects.filter(batch=hit.batch_id, voided_at__isnull=True, check_item=False)
    return hit.check_item and not standing.filter(done__lt=F("wanted")).exists()


def drawn(seat: Seat) -> list[Hit]:
    """The checks for the worker's next assignment, in a seeded order; none where it is to be an ordinary one."""
    batch = seat.batch
    number = Assignment.objects.filter(worker=seat.worker_id, batch=batch).count()
    if not is_check(batch.check_share, seed=batch.seed, worker=seat.worker_id, number=number):
        return []
    found = list(unseen(seat).order_by("pk").only("pk", "group_key", "ticket"))
    Random(f"{batch.seed}/{seat.worker_id}/{number}").shuffle(found)
    return found


def unseen(seat: Seat) -> QuerySet[Hit]:
    """The checks that the worker never had."""
    mine = Assignment.objects.filter(worker=seat.worker_id, batch=seat.batch_id, hit__check_item=True)
    standing = Hit.objects.filter(batch=seat.batch_id, check_item=True, voided_at__isnull=True)
    return standing.exclude(pk__in=mine.values("hit"))


def to_come(seat: Seat, left: int) -> int:
    """How many checks will come to the worker with the `left` ordinary HITs."""
    batch = seat.batch
    if not batch.check_share or not left:
        return 0
    number = Assignment.objects.filter(worker=seat.worker_id, batch=batch).count()
    return _reckoned(seat, number=number, left=left, checks=unseen(seat).count())


def offered(seat: Seat) -> int:
    """How many assignments the worker could do in all: the batch's HITs and the checks that come with them."""
    batch = seat.batch
    if not batch.check_share:
        return batch.size
    checks = batch.hits.filter(check_item=True).count()
    return batch.size + _reckoned(seat, number=0, left=batch.size, checks=checks)


def _reckoned(seat: Seat, *, number: int, left: int, checks: int) -> int:
    batch = seat.batch
    if left > EXACT:
        return min(checks, round(left * batch.check_share / (1 - batch.check_share)))
    return checks_to_come(
        batch.check_share, seed=batch.seed, worker=seat.worker_id, number=number, left=left, checks=checks
    )


def graded(batch: Batch, worker: Worker | int) -> QuerySet[Assignment]:
    """The worker's submitted checks, oldest first."""
    rows = Assignment.objects.filter(batch=batch, worker=worker, state=lifecycle.SUBMITTED, hit__check_item=True)
    return rows.filter(grade__isnull=False).order_by("submitted_at", "pk")


def judge(row: Assignment) -> str:
    """Apply the batch's rule after a check was graded; "", "warned" or "paused". In the submission's transaction."""
    rule = read_rule(row.batch.check_rule)
    seat = Seat.objects.get(batch=row.batch_id, worker=row.worker_id)
    grades = list(_counting(seat, graded(row.batch, row.worker_id)).values_list("grade", flat=True))
    if len(grades) < rule.after:
        return ""
    mean = sum(grades) / len(grades)
    if rule.pause_below is not None and mean < rule.pause_below:
        if not Seat.objects.filter(pk=seat.pk, paused_at__isnull=True).update(paused_at=Now()):
            return ""
        with recording.acting(recording.Via.CLOCK):  # the rule's act, not that of whoever submitted
            recording.record("paused", row.worker, batch=row.batch)
        return "paused"
    if rule.warn_below is not None and mean < rule.warn_below and _may_warn(row, seat, rule.after):
        _warn(row, grades)
        return "warned"
    return ""


def _counting(seat: Seat, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    return rows.filter(submitted_at__gt=seat.checked_from) if seat.checked_from else rows


def warnings_of(batch: Batch, worker: Worker | int) -> QuerySet[Feedback]:
    """What the rule told the worker: feedback that nobody signed."""
    return Feedback.objects.filter(batch=batch, worker=worker, author__isnull=True, assignment__isnull=True)


def _may_warn(row: Assignment, seat: Seat, after: int) -> bool:
    """One warning, and another only after as many checks again."""
    last = warnings_of(row.batch, row.worker_id).order_by("-created_at").first()
    since = _counting(seat, graded(row.batch, row.worker_id))
    return last is None or since.filter(submitted_at__gt=last.created_at).count() >= after


def _warn(row: Assignment, grades: Sequence[float]) -> None:
    text = _(
        "Some items of this batch have answers that are known already. Of %(n)s of them that you answered so far, "
        "yours earned %(share)s percent. Please read the guide once more, and take the time that an item needs; "
        "your next answers count just as much. If you think that the items are wrong, report them or write to us."
    )
    words = text % {"n": len(grades), "share": round(100 * sum(grades) / len(grades))}
    Feedback.objects.create(worker_id=row.worker_id, batch=row.batch, text=words)


def is_paused(worker: Worker, batch: Batch) -> bool:
    """Whether the rule stopped the worker in this batch; no query for a batch without checks."""
    if not batch.check_share:
        return False
    return Seat.objects.filter(batch=batch, worker=worker, paused_at__isnull=False).exists()


def paused(batch: Batch) -> list[Seat]:
    """The seats of those whom the rule stopped."""
    if not batch.check_share:
        return []
    rows = Seat.objects.filter(batch=batch, paused_at__isnull=False).select_related("worker__project")
    return list(rows.order_by("paused_at", "pk"))


@transaction.atomic
def let_go_on(seat: Seat, *, text: str = "") -> bool:
    """Let a paused worker go on; the rule begins anew with their next checks. False when they were not paused."""
    stopped = Seat.objects.filter(pk=seat.pk, paused_at__isnull=False)
    if not stopped.update(paused_at=None, checked_from=Now()):
        return False
    words = text.strip() or _("The requester looked at your work and lets you go on. Thank you for waiting.")
    Feedback.objects.create(worker_id=seat.worker_id, batch_id=seat.batch_id, text=words)
    recording.record("resumed", seat.worker, batch=seat.batch)
    return True


def rows_without_checks(batch: Batch, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Assignments but those on hidden gold; as they are where the batch has none."""
    return rows.filter(hit__check_item=False) if batch.check_share else rows


def make_place(hit: Hit) -> bool:
    """Give a HIT out that asks for whoever comes: it wants as many as came, and so never stands in the queue."""
    lasting = Q(closes_at__isnull=True) | Q(closes_at__gt=Now())
    rows = Hit.objects.filter(lasting, pk=hit.pk, voided_at__isnull=True)
    return bool(rows.update(live=F("live") + 1, wanted=Greatest(F("wanted"), F("live") + F("done") + 1)))
