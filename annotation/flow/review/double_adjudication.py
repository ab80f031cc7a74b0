"""Two requesters' independent decisions on a HIT: neither is shown or changes anything before both are there.

If both lead to the same aggregated response, or both exclude the HIT, it is decided. If not, anybody's next decision is
final; that person sees both.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.db.models import Count
from django.utils.translation import gettext as _

from annotation.flow.errors import Conflict
from annotation.flow.projects import audit_log
from annotation.flow.review import review_decisions
from annotation.models import Adjudication, Batch, Hit, User
from annotation.registry import task_type
from annotation.tasktype import JSON, TaskType, capabilities

EDITED = Adjudication.Decision.EDITED


def decisions_on(hits: Collection[int]) -> defaultdict[int, list[Adjudication]]:
    """The independent decisions on current responses, by HIT, oldest first, in one query."""
    found: defaultdict[int, list[Adjudication]] = defaultdict(list)
    rows = Adjudication.objects.current().filter(hit__in=hits).select_related("assignment__batch__project")
    for row in rows.order_by("pk"):
        found[row.hit_id].append(row)
    return found


def own(decisions: Collection[Adjudication], user: User) -> Adjudication | None:
    """The user's decision; None: they have not decided."""
    return next((row for row in decisions if row.adjudicator_id == user.pk), None)


def settle(made: Adjudication, *, saw_both: bool) -> bool:
    """Add a decision to those on its HIT; True if it is to be carried out: it is final, or agrees with the other.

    Call it in a transaction. `saw_both`: its author saw the decisions of two others, who disagree. Of two that agree,
    the decision gets the cause that both name, or the only one that was named.
    Raises Conflict and Refused like `review_decisions.choose`.
    """
    rows = review_decisions.locked_responses(made.hit_id)  # so that two who decide at once see each other's decision
    if made.assignment is not None:
        text = made.text if made.decision == EDITED else None
        review_decisions.check_choice(rows, made.assignment, made.revision, text)
    there = decisions_on([made.hit_id])[made.hit_id]
    if len(there) >= 2:
        if not saw_both:
            raise Conflict(_("Two requesters have decided on this HIT in the meantime. Please look at it again."))
        return True
    values = {name: getattr(made, name) for name in ("decision", "assignment", "revision", "text", "reason", "cause")}
    Adjudication.objects.update_or_create(hit=made.hit, adjudicator=made.adjudicator, defaults=values)
    audit_log.record("adjudicated", made.hit)
    there = decisions_on([made.hit_id])[made.hit_id]
    if len(there) != 2 or not _agree(task_type(made.hit.batch.task), made.hit.payload, there):
        return False
    named = {row.cause for row in there if row.cause}
    made.cause = named.pop() if len(named) == 1 else ""
    return True


@transaction.atomic
def withdraw(hit: Hit, user: User) -> bool:
    """Withdraw the user's decision while the other one is missing; False if there is none."""
    review_decisions.locked_responses(hit.pk)
    there = decisions_on([hit.pk])[hit.pk]
    found = own(there, user) if len(there) < 2 else None
    if found is None:
        return False
    found.delete()
    audit_log.record("adjudication withdrawn", hit)
    return True


def agreement(batch: Batch) -> tuple[int, int]:
    """(HITs on which two requesters agreed, HITs on which two decided), independently."""
    current = Adjudication.objects.current().filter(hit__batch=batch, hit__check_item=False)
    twice = current.order_by().values("hit").annotate(n=Count("pk")).filter(n=2)
    hits = Hit.objects.in_bulk(list(twice.values_list("hit", flat=True)))
    task, by_hit = task_type(batch.task), decisions_on(hits)
    return sum(_agree(task, hits[pk].payload, by_hit[pk]) for pk in hits), len(hits)


def _agree(task: TaskType, payload: JSON, two: Collection[Adjudication]) -> bool:
    first, second = (_result(task, payload, row) for row in two)
    return bool(first == second)


def _result(task: TaskType, payload: JSON, made: Adjudication) -> Any:
    """The aggregated response that the decision leads to; None: none, or it was erased."""
    standings = review_decisions.responses_with_reviews([made.assignment] if made.assignment else [])
    if not standings:
        return None
    standing = standings[0]
    value = review_decisions.value(standing, payload)
    if made.decision == EDITED:
        value = capabilities.edited(task, payload, standing.answer.answer, made.text)
    return task.aggregate(payload, [{**value, "accepted": True}])
