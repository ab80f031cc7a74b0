"""Hidden gold: items with known answers among the others, and the rule that warns and pauses workers.

Its HITs (`Hit.check_item`) are outside the queue: every worker may get each of them once. Where a
marketplace assigns HITs itself, they are among the others, with as many assignments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest, Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.data.lineage import is_altered
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds
from annotation.flow.projects import audit_log
from annotation.flow.projects.request_context import acting
from annotation.models import Assignment, Batch, Dataset, Feedback, Hit, Item, Participation, Worker
from annotation.pure.batches import lifecycle
from annotation.pure.data.example import Example
from annotation.pure.people.round_draw import checks_to_come, is_hidden_gold
from annotation.recruitment import has_gold_among_hits
from annotation.registry import task_type
from annotation.tasktype import capabilities
from annotation.tasktype.capabilities import Enterable

MOST_SHARE = 0.5
MOST_CHECKS = 1000  # of hidden gold in a batch
EXACT = 1000  # HITs; beyond, the number to come is computed from the share


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule on a worker's mean grade in hidden gold: after `after` responses warn or pause below a limit, if set."""

    after: int = 5
    warn_below: float | None = None
    pause_below: float | None = None


def read_rule(stored: dict[str, Any]) -> Rule:
    """Parse a rule; an empty one never warns. Raises Refused."""
    rule = Rule(**{name: stored.get(name, getattr(Rule(), name)) for name in ("after", "warn_below", "pause_below")})
    marks = [mark for mark in (rule.warn_below, rule.pause_below) if mark is not None]
    if type(rule.after) is not int or rule.after < 1:
        raise Refused(_("Give the number of graded items after which the rule applies: at least one."))
    if any(type(mark) not in (int, float) or not 0 < mark <= 1 for mark in marks):
        raise Refused(_("A threshold must be above 0 and at most 100 percent."))
    if rule.warn_below is not None and rule.pause_below is not None and rule.pause_below > rule.warn_below:
        raise Refused(_("The warning threshold must not be lower than the threshold for a pause."))
    return rule


def check(rule: Rule, share: float, datasets: Collection[Dataset], *, purpose: str | None) -> None:
    """Raise Refused for hidden gold that cannot work."""
    if not 0 <= share <= MOST_SHARE:
        raise Refused(_("At most half of the assignments can be hidden gold."))
    read_rule(asdict(rule))
    if share and not datasets:
        raise Refused(_("Choose a dataset for the hidden gold."))
    if share and purpose == Batch.Purpose.QUALIFICATION:
        raise Refused(_("Hidden gold is only for production batches."))


def check_settings(batch: Batch) -> None:
    """Raise Refused, before the launch, for hidden gold that cannot work."""
    check(read_rule(batch.check_rule), batch.check_share, batch.checks.all(), purpose=batch.purpose)


def items_of(batch: Batch) -> list[int]:
    """Keys of items for hidden gold: items of the batch's check datasets that are not in its own HITs."""
    if not batch.check_share:
        return []
    held = Item.objects.usable().filter(dataset__checked=batch).order_by("dataset__slug", "position")
    found = list(held.exclude(hits__batch=batch).values_list("pk", flat=True))
    is_among = has_gold_among_hits(batch)
    if len(found) > MOST_CHECKS or is_among:
        most = len(found) if is_among else MOST_CHECKS
        found = Random(f"{batch.seed}/checks").sample(found, most)
    return found


def checks_needed(batch: Batch, hits: int) -> int:
    """The maximum number of HITs of hidden gold beside `hits` others: all, because every worker may get each.

    Only the share of the batch where a marketplace chooses a worker's next HIT.
    """
    return batch_funds.checks_among(batch, hits) if has_gold_among_hits(batch) else MOST_CHECKS


def lacking(batch: Batch) -> list[str]:
    """A warning if a launched batch on a marketplace has less hidden gold than was asked for; else empty."""
    if not (has_gold_among_hits(batch) and batch.launched_at):
        return []
    made, wanted = batch.hits.filter(check_item=True).count(), checks_needed(batch, batch.size)
    if made >= wanted:
        return []
    text = ngettext(
        "Hidden gold is %(made)s instead of %(wanted)s HIT: no more items with known answers are available.",
        "Hidden gold is %(made)s instead of %(wanted)s HITs: no more items with known answers are available.",
        wanted,
    )
    return [text % {"made": made, "wanted": wanted}]


def may_pause(batch: Batch) -> bool:
    """Whether the batch's rule can pause a worker."""
    return bool(batch.check_share) and read_rule(batch.check_rule).pause_below is not None


def is_on_demand(hit: Hit, batch: Batch) -> bool:
    """Whether the HIT is hidden gold that makes room for each worker who gets it."""
    return hit.check_item and not has_gold_among_hits(batch)


def is_over(hit: Hit) -> bool:
    """Whether hidden gold on a marketplace is no longer needed, because all other HITs are done."""
    standing = Hit.objects.filter(batch=hit.batch_id, excluded_at__isnull=True, check_item=False)
    return hit.check_item and not standing.filter(done__lt=F("wanted")).exists()


def drawn(participation: Participation) -> list[Hit]:
    """Hidden gold for the worker's next assignment, in a seeded order; empty if it is to be an ordinary HIT."""
    batch = participation.batch
    number = Assignment.objects.filter(worker=participation.worker_id, batch=batch).count()
    if not is_hidden_gold(batch.check_share, seed=batch.seed, worker=participation.worker_id, number=number):
        return []
    found = list(unseen(participation).order_by("pk").only("pk", "group_key", "ticket"))
    Random(f"{batch.seed}/{participation.worker_id}/{number}").shuffle(found)
    return found


def unseen(participation: Participation) -> QuerySet[Hit]:
    """Hidden gold that the worker never had."""
    own = {"worker": participation.worker_id, "batch": participation.batch_id}
    assigned = Assignment.objects.filter(hit__check_item=True, **own)
    standing = Hit.objects.filter(batch=participation.batch_id, check_item=True, excluded_at__isnull=True)
    return standing.exclude(pk__in=assigned.values("hit"))


def to_come(participation: Participation, left: int) -> int:
    """The number of hidden gold HITs that the worker will get with the `left` other HITs."""
    batch = participation.batch
    if not batch.check_share or not left:
        return 0
    number = Assignment.objects.filter(worker=participation.worker_id, batch=batch).count()
    return reckoned(participation, number=number, left=left, checks=unseen(participation).count())


def offered(participation: Participation) -> int:
    """The number of assignments the worker can do in total: the batch's HITs and the hidden gold among them."""
    batch = participation.batch
    if not batch.check_share:
        return batch.size
    checks = batch.hits.filter(check_item=True).count()
    return batch.size + reckoned(participation, number=0, left=batch.size, checks=checks)


def reckoned(participation: Participation, *, number: int, left: int, checks: int) -> int:
    """The number of hidden gold HITs, of `checks` unseen ones, among the worker's next `left` other HITs.

    `number`: the assignments that they have had in the batch.
    """
    batch = participation.batch
    if left > EXACT:
        return min(checks, round(left * batch.check_share / (1 - batch.check_share)))
    draw = {"seed": batch.seed, "worker": participation.worker_id, "number": number}
    return checks_to_come(batch.check_share, left=left, checks=checks, **draw)


def graded(batch: Batch, worker: Worker | int) -> QuerySet[Assignment]:
    """The worker's submitted hidden gold, oldest first."""
    rows = Assignment.objects.filter(batch=batch, worker=worker, state=lifecycle.SUBMITTED, hit__check_item=True)
    return rows.filter(grade__isnull=False).order_by("submitted_at", "pk")


def judge(row: Assignment) -> str:
    """Apply the rule after a response was graded, in its transaction; returns "", "warned" or "paused"."""
    rule = read_rule(row.batch.check_rule)
    participation = Participation.objects.get(batch=row.batch_id, worker=row.worker_id)
    rows = _counting(participation, graded(row.batch, row.worker_id))
    grades = [grade for grade in rows.values_list("grade", flat=True) if grade is not None]
    if len(grades) < rule.after:
        return ""
    mean = sum(grades) / len(grades)
    if rule.pause_below is not None and mean < rule.pause_below:
        if not Participation.objects.filter(pk=participation.pk, paused_at__isnull=True).update(paused_at=Now()):
            return ""
        with acting(audit_log.Via.CLOCK):  # an action of the rule, not of the worker who submitted
            audit_log.record("paused", row.worker, batch=row.batch)
        return "paused"
    if rule.warn_below is not None and mean < rule.warn_below and _may_warn(row, participation, rule.after):
        _warn(row, grades)
        return "warned"
    return ""


def _counting(participation: Participation, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    return rows.filter(submitted_at__gt=participation.checked_from) if participation.checked_from else rows


def warnings_of(batch: Batch, worker: Worker | int) -> QuerySet[Feedback]:
    """The rule's warnings to the worker: feedback without an author."""
    return Feedback.objects.filter(batch=batch, worker=worker, author__isnull=True, assignment__isnull=True)


def _may_warn(row: Assignment, participation: Participation, after: int) -> bool:
    """Whether to warn: once, and again only after as many further responses."""
    last = warnings_of(row.batch, row.worker_id).order_by("-created_at").first()
    since = _counting(participation, graded(row.batch, row.worker_id))
    return last is None or since.filter(submitted_at__gt=last.created_at).count() >= after


def _warn(row: Assignment, grades: Sequence[float]) -> None:
    text = _(
        "Some items of this batch have known answers. You have done %(n)s of them so far and scored "
        "%(share)s percent. Please read the instructions again and take enough time for each item. All your "
        "following responses count too. If you think that an item is wrong, report it or write to us."
    )
    words = text % {"n": len(grades), "share": round(100 * sum(grades) / len(grades))}
    Feedback.objects.create(worker_id=row.worker_id, batch=row.batch, text=words)


def is_paused(worker: Worker, batch: Batch) -> bool:
    """Whether the rule paused the worker in this batch; no query for a batch without hidden gold."""
    if not batch.check_share:
        return False
    return Participation.objects.filter(batch=batch, worker=worker, paused_at__isnull=False).exists()


def paused(batch: Batch) -> list[Participation]:
    """Participations of paused workers."""
    if not batch.check_share:
        return []
    rows = Participation.objects.filter(batch=batch, paused_at__isnull=False).select_related("worker__project")
    return list(rows.order_by("paused_at", "pk"))


@transaction.atomic
def let_go_on(participation: Participation, *, text: str = "") -> bool:
    """Let a paused worker continue; the rule restarts with their next hidden gold. False if they were not paused."""
    stopped = Participation.objects.filter(pk=participation.pk, paused_at__isnull=False)
    if not stopped.update(paused_at=None, checked_from=Now()):
        return False
    words = text.strip() or _("The requester has reviewed your work, and you can continue. Thank you for waiting.")
    Feedback.objects.create(worker_id=participation.worker_id, batch_id=participation.batch_id, text=words)
    audit_log.record("resumed", participation.worker, batch=participation.batch)
    return True


def rows_without_checks(batch: Batch, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """The assignments without those of hidden gold; unchanged if the batch has none."""
    return rows.filter(hit__check_item=False) if batch.check_share else rows


def hits_without_checks(batch: Batch) -> QuerySet[Hit]:
    """The batch's HITs without those of hidden gold."""
    return batch.hits.filter(check_item=False) if batch.check_share else batch.hits.all()


def add_wanted_assignment(hit: Hit) -> bool:
    """Add an assignment to a HIT on demand; `wanted` grows with it, so that the HIT is never in the queue."""
    not_expired = Q(closes_at__isnull=True) | Q(closes_at__gt=Now())
    rows = Hit.objects.filter(not_expired, pk=hit.pk, excluded_at__isnull=True)
    return bool(rows.update(live=F("live") + 1, wanted=Greatest(F("wanted"), F("live") + F("done") + 1)))


SHOWN = 3


@dataclass(slots=True)
class GoldEntry:
    """What was found of a batch's items: how many have such gold, and the first of them as text."""

    task: str
    count: int = 0
    shown: list[str] = field(default_factory=list)
    _lacks_answers: Callable[[Dataset], bool] = field(default_factory=lambda: cache(is_altered))  # as an ablation does

    def look(self, item: Item, payload: dict[str, Any], gold: Example) -> None:
        """Count the item of a prepared HIT, if workers cannot enter its gold."""
        lacks_answers = self._lacks_answers(item.dataset)
        if not lacks_answers and not capabilities.enterable(task_type(self.task), payload, gold):
            self.count += 1
            if len(self.shown) < SHOWN:
                words = " / ".join(gold.answers[:3]) if gold.answerable is not False else _("no answer")
                self.shown.append(f"“{words[:80]}” ({item.source_id[:60]})")

    @property
    def problem(self) -> str:
        """Why a launch stops, with the ways out; "" if it does not."""
        task = task_type(self.task)
        if not (self.count and isinstance(task, Enterable)):
            return ""
        text = ngettext(
            "Workers cannot enter the gold answer of %(n)s item: %(shown)s.",
            "Workers cannot enter the gold answers of %(n)s items, such as %(shown)s.",
            self.count,
        )
        return f"{text % {'n': self.count, 'shown': ', '.join(self.shown)}} {_(task.ways_out)}"
