"""Which HITs are open and whose gold is in doubt, kept in their rows: to work it out, every response is read.

A change of responses or of decisions on them raises the HIT's `changes` (`HitQuerySet.note_change`); until `concluded`
is as much, what is kept may be out of date. A sweep works that out and keeps it; a page works out a few HITs for itself
and keeps nothing, since looking changes nothing.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.flow.review import review_decisions
from annotation.flow.work import across_batches
from annotation.flow.work.submitted_responses import submitted_answers
from annotation.models import Batch, Hit, WorkerResponse
from annotation.models.compiled import compiled
from annotation.registry import task_type
from annotation.tasktype import JSON, RelatedResponses, TaskType, capabilities

NOTHING_DUE = Q(room__lte=0, live=0)  # no further response is expected
CHUNK = 200
AT_ONCE = 40  # HITs that a page works out before it shows what is kept
SECONDS = 5  # of a sweep


def changed(batch: Batch) -> QuerySet[Hit]:
    """HITs whose conclusions must be computed; of an open batch from the second response on, or if no more are due."""
    return batch.hits.filter(_changed(closed=batch.state == Batch.State.CLOSED))


def _changed(*, closed: bool) -> Q:
    due = Q(concluded__lt=F("changes"), excluded_at__isnull=True, check_item=False, done__gt=0)
    return due if closed else due & (Q(done__gt=1) | NOTHING_DUE)


def catch_up(batch: Batch, *, most: int | None = None) -> bool:
    """Compute and store the conclusions of changed HITs, of `most` at most; True if none is left."""
    keys, complete = _first(batch, most)
    for start in range(0, len(keys), CHUNK):
        save_conclusions(batch, keys[start : start + CHUNK])
    return complete


def _first(batch: Batch, most: int | None) -> tuple[list[int], bool]:
    """Keys of changed HITs, at most `most`; and whether that is all."""
    # in the order of the index of such HITs: PostgreSQL thinks that they are many, and would look for them everywhere
    rows = changed(batch).order_by("done", "room", "live")
    keys = list(rows.values_list("pk", flat=True)[: None if most is None else most + 1])
    return keys[:most], most is None or len(keys) <= most


def catch_up_all() -> None:
    """Compute and store the conclusions of changed HITs in all batches, for some seconds."""
    end = time.monotonic() + SECONDS
    for batch in _behind():
        while not catch_up(batch, most=CHUNK):
            if time.monotonic() > end:
                return


@compiled
def _behind() -> QuerySet[Batch]:
    """Batches with changed HITs, which is asked every few seconds."""
    behind = Q(state=Batch.State.CLOSED) & _any(closed=True) | ~Q(state=Batch.State.CLOSED) & _any(closed=False)
    return Batch.objects.filter(behind, launched_at__isnull=False, by_program=False).select_related("project")


def _any(*, closed: bool) -> Q:
    return Q(Exists(Hit.objects.filter(_changed(closed=closed), batch=OuterRef("pk"))))


@dataclass(frozen=True, slots=True)
class Conclusion:
    """`open_kind`: why the result is open (None: it is not). `standing`: how many responses take part."""

    open_kind: str | None
    standing: int
    in_doubt: bool
    concluded: int  # the `changes` of the HIT that it is about


@dataclass(frozen=True, slots=True)
class UnsavedConclusions:
    """Conclusions worked out just now, which HITs' rows do not have yet; `complete` if no other HIT changed."""

    by_hit: Mapping[int, Conclusion]
    complete: bool = True

    def is_open(self) -> Q:
        """HITs that are to be adjudicated."""
        return self._where(Q(open_kind__isnull=False), [pk for pk, c in self.by_hit.items() if c.open_kind is not None])

    def is_in_doubt(self) -> Q:
        """HITs whose gold is in doubt."""
        return self._where(Q(in_doubt=True), [pk for pk, c in self.by_hit.items() if c.in_doubt])

    def _where(self, kept: Q, now: list[int]) -> Q:
        return kept & ~Q(pk__in=self.by_hit) | Q(pk__in=now) if self.by_hit else kept

    def put_into(self, hit: Hit) -> None:
        """Let the HIT have what is known now; it is not saved."""
        for name, value in asdict(self.by_hit[hit.pk]).items() if hit.pk in self.by_hit else ():
            setattr(hit, name, value)


SAVED_ONLY = UnsavedConclusions({})  # nothing but what is kept


def fresh(batch: Batch, *, most: int | None = None) -> UnsavedConclusions:
    """The conclusions of changed HITs, of `most` at most, computed and not stored."""
    keys, complete = _first(batch, most)
    return UnsavedConclusions(compute_conclusions(batch, keys), complete)


def save_conclusions(batch: Batch, keys: Collection[int]) -> None:
    """Keep the conclusions on these HITs, except where a change comes meanwhile."""
    alike: defaultdict[Conclusion, list[int]] = defaultdict(list)
    for pk, conclusion in compute_conclusions(batch, keys).items():
        alike[conclusion].append(pk)
    for conclusion, some in alike.items():
        Hit.objects.filter(pk__in=some, changes=conclusion.concluded).update(**asdict(conclusion))


def compute_conclusions(batch: Batch, keys: Collection[int]) -> dict[int, Conclusion]:
    """The conclusions on these HITs."""
    hits = list(Hit.objects.filter(pk__in=keys).select_related("item"))
    for hit in hits:
        hit.batch = batch
    task, found = task_type(batch.task), {}
    standings = review_decisions.responses_with_reviews_of(hits)
    answers_by_hit, submitted = review_decisions.taking_part(hits, standings), _submitted(batch, hits, standings)
    elsewhere = across_batches.elsewhere(batch, hits)
    for hit in hits:
        answers = [answer for _standing, answer in answers_by_hit[hit.pk]]
        kind = _open_kind(task, hit, answers, elsewhere.get(hit.pk, ())) if answers else ""
        doubt = capabilities.doubt(task, hit.payload, [row.answer for row in submitted[hit.pk]], hit.item.example)
        found[hit.pk] = Conclusion(kind or None, len(answers), bool(doubt), hit.changes)
    return found


def _submitted(
    batch: Batch, hits: Collection[Hit], standings: Sequence[review_decisions.ResponseWithReview]
) -> Mapping[int, list[WorkerResponse]]:
    """As `submitted_answers`, from what was read already."""
    if batch.on_marketplace:  # which may leave some out
        return submitted_answers(batch, hits)
    found: defaultdict[int, list[WorkerResponse]] = defaultdict(list)
    for standing in standings:
        found[standing.assignment.hit_id].append(standing.answer)
    return found


def _open_kind(task: TaskType, hit: Hit, answers: Sequence[JSON], elsewhere: Sequence[RelatedResponses]) -> str:
    """The reason why the result is open; "" if it is clear or a requester accepted one response."""
    if sum(bool(answer.get("accepted")) for answer in answers) == 1:
        return ""
    aggregate = review_decisions.aggregate(task, hit.payload, answers)
    if not task.unsettled(aggregate):
        return capabilities.opened_by(task, aggregate, hit.item.example, elsewhere)
    return review_decisions.kind_of(aggregate)
