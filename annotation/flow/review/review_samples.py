"""Samples of responses for review: seeded draws per worker, the queue that they make, and its progress."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.lists import ListFilter, worker_setting
from annotation.flow.projects import audit_log
from annotation.models import Assignment, Batch, Review, ReviewSample, SampledAssignment, User, Worker
from annotation.models.assignment import random_seed
from annotation.pure.review import review_state
from annotation.pure.setting_fields import setting

SIZE, MOST = 15, 500  # responses per worker in a draw: default and maximum


@dataclass(slots=True)
class Coverage:
    """Counts of a worker's submitted and reviewed responses: in this batch, and in all counted batches."""

    worker: Worker
    submitted: int = 0
    drawn: int = 0  # or reviewed without having been drawn
    read: int = 0
    states: Counter[str] = field(default_factory=Counter)  # of drawn responses, as annotation.pure.review.review_state
    submitted_since: int = 0
    drawn_since: int = 0
    read_since: int = 0

    @property
    def taken(self) -> int:
        """The number of accepted responses, edited or not."""
        return sum(self.states[state] for state in review_state.TAKEN)

    @property
    def left(self) -> int:
        """The number of responses of this batch that were not drawn yet."""
        return self.submitted - self.drawn


@dataclass(frozen=True, slots=True)
class QueuedResponse:
    """A response in the queue."""

    pk: int
    public_id: str
    worker: int
    state: str


@transaction.atomic
def draw(
    batch: Batch, *, size: int = SIZE, worker: Worker | None = None, seed: int | None = None, user: User | None = None
) -> ReviewSample:
    """Draw up to `size` responses of each worker that were neither drawn nor reviewed before.

    The queue goes worker by worker, because a worker's habits show when their responses are read together; the order of
    workers and of each one's responses is random. Raises Refused if nothing is left.
    """
    if not 1 <= size <= MOST:
        raise Refused(_("Draw between 1 and %(most)s responses of each worker.") % {"most": MOST})
    # Lock: two draws at once would take the same responses, and the draws are numbered.
    Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    seed = random_seed() if seed is None else seed
    chosen = _chosen(batch, size, worker, seed)
    if not chosen:
        raise Refused(_("All submitted responses have been drawn already."))
    last = batch.review_samples.aggregate(last=Max("number"))["last"] or 0
    made = ReviewSample.objects.create(
        batch=batch, number=last + 1, seed=seed, size=size, worker=worker, created_by=user
    )
    SampledAssignment.objects.bulk_create(
        SampledAssignment(sample=made, assignment_id=pk, position=k) for k, pk in enumerate(chosen)
    )
    audit_log.record("drawn", batch, number=len(chosen))
    return made


def _chosen(batch: Batch, size: int, worker: Worker | None, seed: int) -> list[int]:
    """Keys of assignments in the order of review. The draw of one worker does not depend on the others."""
    rows = batch.assignments.submitted().filter(sampled__isnull=True, hit__check_item=False)
    if worker is not None:
        rows = rows.filter(worker=worker)
    decided = {place.pk for place in queue(batch) if place.state in review_state.DECIDED}
    by_worker: defaultdict[int, list[int]] = defaultdict(list)
    for pk, worker_id in rows.order_by("pk").values_list("pk", "worker"):
        if pk not in decided:
            by_worker[worker_id].append(pk)
    order = sorted(by_worker)
    Random(seed).shuffle(order)
    chosen = []
    for worker_id in order:
        keys = by_worker[worker_id]
        chosen += Random(f"{seed}/{worker_id}").sample(keys, min(size, len(keys)))
    return chosen


def queue(batch: Batch, *, worker: int | None = None) -> list[QueuedResponse]:
    """Drawn responses, draw by draw, then those reviewed without having been drawn; three queries."""
    reviewed = Review.objects.filter(assignment__batch=batch).values("assignment")
    rows = batch.assignments.submitted().filter(hit__check_item=False)
    rows = rows.filter(Q(sampled__isnull=False) | Q(pk__in=reviewed))
    if worker is not None:
        rows = rows.filter(worker=worker)
    drawn, undrawn = [], []
    fields = ("pk", "public_id", "worker", "revision", "sampled__sample__number", "sampled__position")
    decisions = _decisions(rows)
    for pk, public_id, worker_id, revision, number, position in rows.values_list(*fields):
        place = QueuedResponse(pk, public_id, worker_id, review_state.state_of(decisions[pk], revision))
        if number is not None:
            drawn.append((number, position, place))
        elif place.state != review_state.UNREAD:
            undrawn.append(place)
    in_order = [place for _number, _position, place in sorted(drawn, key=lambda entry: entry[:2])]
    return in_order + sorted(undrawn, key=lambda place: place.pk)


def _decisions(rows: QuerySet[Assignment]) -> defaultdict[int, list[tuple[int, str]]]:
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    made = Review.objects.filter(assignment__in=rows.order_by().values("pk")).order_by("pk")
    for pk, revision, decision in made.values_list("assignment", "revision", "decision"):
        found[pk].append((revision, decision))
    return found


def earlier(batch: Batch) -> list[Batch]:
    """The project's earlier batches of the same task, oldest first."""
    if batch.launched_at is None:
        return []
    launched = batch.project.batches.filter(task=batch.task, launched_at__lte=batch.launched_at).exclude(pk=batch.pk)
    return list(launched.order_by("launched_at", "pk"))


def coverage(batch: Batch, *, since: Batch | None = None) -> list[Coverage]:
    """Coverage per worker of the batch, least reviewed first. Figures `_since` count all batches from `since` on."""
    found = _counted(batch)
    before = earlier(batch)
    counted = before[before.index(since) :] if since in before else []
    for other in [*counted, batch]:
        for worker_id, row in (found if other.pk == batch.pk else _counted(other)).items():
            if worker_id in found:
                found[worker_id].submitted_since += row.submitted
                found[worker_id].drawn_since += row.drawn
                found[worker_id].read_since += row.read
    return sorted(found.values(), key=lambda row: (row.read_since / row.submitted_since, row.worker.pk))


def _counted(batch: Batch) -> dict[int, Coverage]:
    rows = batch.assignments.submitted().filter(hit__check_item=False)
    submitted = Counter(rows.order_by("pk").values_list("worker", flat=True))
    workers = Worker.objects.select_related("project").in_bulk(submitted)
    found = {pk: Coverage(worker=workers[pk], submitted=count) for pk, count in submitted.items()}
    for place in queue(batch):
        row = found[place.worker]
        row.drawn += 1
        row.states[place.state] += 1
        row.read += place.state in review_state.DECIDED
    return found


def next_waiting(places: list[QueuedResponse], after: str) -> QueuedResponse | None:
    """The next response to review after the public id `after`, wrapping around."""
    here = next((k for k, place in enumerate(places) if place.public_id == after), -1)
    turned = places[here + 1 :] + places[: here + 1]
    return next((place for place in turned if place.state in review_state.WAITING and place.public_id != after), None)


SHOWS = {
    "waiting": review_state.WAITING,
    "decided": review_state.DECIDED,
    **{state: {state} for state in sorted(review_state.DECIDED)},
    review_state.REPAIRED: {review_state.REPAIRED},
    review_state.CHANGED: {review_state.CHANGED},
    "all": review_state.WAITING | review_state.DECIDED,
}


@dataclass(frozen=True)
class ReviewFilter(ListFilter):
    """Filters of responses to review; pages have them in the order of the draws."""

    order = ("pk",)

    show: str = setting("waiting", choices={show: show for show in SHOWS})
    worker: str = worker_setting("worker__in")


def shown(places: Iterable[QueuedResponse], show: str) -> list[QueuedResponse]:
    """Places of the queue that are shown so: waiting, decided, of one state, or all."""
    return [place for place in places if place.state in SHOWS[show]]
