"""Creating HITs of the MTurk API: a HIT type is a batch of the task `external`, a HIT an item of it with a listing.

The dataset of a HIT type is created with its first HIT. The cost does not depend on the number of HITs.
"""

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any, cast

from django.db import IntegrityError, connection, transaction
from django.db.models import CharField, Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat

from annotation.flow.money import ledger
from annotation.models import Account, Batch, Dataset, Hit, Item, Project, User, clock
from annotation.models.compiled import compiled
from annotation.models.project import mturk_id
from annotation.mturk_api.flow import hit_funds, notifications, request_tokens
from annotation.mturk_api.models import HitType, Listing
from annotation.pure.data.example import Example

TASK = "external"
FAMILY = "hit"  # of the tokens


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a HIT type: equal terms are the same type. `requirements` as in Batch.requirements."""

    title: str
    description: str
    reward: Decimal
    duration: int  # seconds for an assignment
    keywords: str = ""
    auto_approval: int = 2_592_000  # seconds after submission
    requirements: tuple[dict[str, Any], ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of the terms, independent of the order of the requirements."""
        content = asdict(self) | {"reward": f"{self.reward:.2f}"}
        content["requirements"] = sorted(json.dumps(row, sort_keys=True) for row in self.requirements)
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class HitRequest:
    """A HIT as requested. `question` is the XML; policies as in the API."""

    question: str
    lifetime: int  # seconds
    places: int = 1
    annotation: str = ""
    assignment_policy: dict[str, Any] | None = None
    hit_policy: dict[str, Any] | None = None
    public_id: str = field(default_factory=mturk_id)


def hit_type_of(project: Project, terms: Terms, *, user: User | None = None) -> HitType:
    """The project's HIT type of these terms, created on first use."""
    found = _with_digest(project.pk, terms.digest)
    if not found:
        with suppress(IntegrityError), transaction.atomic():  # created by another request at the same time
            _make_type(project, terms, user)
        found = _with_digest(project.pk, terms.digest)
    return _of_project(found[0], project)


def hit_type_with(project: Project, public_id: str) -> HitType | None:
    """The project's HIT type of that id, or None."""
    return next((_of_project(found, project) for found in _with_public_id(project.pk, public_id)), None)


def _of_project(hit_type: HitType, project: Project) -> HitType:
    hit_type.project = hit_type.batch.project = project
    hit_type.batch.hit_type = hit_type
    return hit_type


@compiled
def _with_digest(project: int, digest: str) -> QuerySet[HitType]:
    return _types().filter(project=project, digest=digest)


@compiled
def _with_public_id(project: int, public_id: str) -> QuerySet[HitType]:
    return _types().filter(project=project, public_id=public_id)


def _types() -> QuerySet[HitType]:
    """HIT types with all that `list_hit` needs; the keys are None before the type's first HIT."""
    accounts = Account.objects.filter(project=OuterRef("project"))
    held = accounts.filter(name=Concat(Value("held/"), Cast(OuterRef("batch"), CharField())))
    datasets = Dataset.objects.filter(batches=OuterRef("batch"))
    return HitType.objects.select_related(
        "batch", "notification"
    ).annotate(  # type: ignore[no-redef]  # see HitType
        available_key=Subquery(accounts.filter(name=ledger.AVAILABLE).values("pk")),
        held_key=Subquery(held.values("pk")),
        dataset_key=Subquery(datasets.order_by("pk").values("pk")[:1]),
    )


def _make_type(project: Project, terms: Terms, user: User | None) -> HitType:
    public_id = mturk_id()
    batch = Batch.objects.create(
        project=project,
        slug=public_id.lower(),
        title=terms.title,
        description=terms.description,
        keywords=terms.keywords,
        task=TASK,
        reward=terms.reward,
        duration=terms.duration,
        auto_approval=terms.auto_approval,
        requirements=list(terms.requirements),
        assignments_per_hit=1,
        meeting=Batch.Meeting.FREE,
        fresh_only=False,
        same_order=True,
        disjoint=False,
        state=Batch.State.OPEN,
        launched_at=clock.now(),
        by_program=True,
        created_by=user,
    )
    return HitType.objects.create(batch=batch, project=project, public_id=public_id, digest=terms.digest)


def list_hit(hit_type: HitType, wanted: HitRequest, *, token: str = "") -> Listing:
    """Create a HIT and set its cost aside; the listing is as from `hit_funds.with_hit_state`.

    `token`: the request's UniqueRequestToken. Raises Spent and Overdrawn, changing nothing. Rows that other requests
    change too (the batch, last the accounts) are locked as late as possible.
    """
    if not (hit_type.held_key and hit_type.dataset_key):
        _equip(hit_type)
    batch = hit_type.batch
    with transaction.atomic():
        if token:
            request_tokens.spend(hit_type.project, FAMILY, token, result=wanted.public_id)
        made = _insert(hit_type, wanted)
        keys: dict[str, Any] = {"available": hit_type.available_key, "held": hit_type.held_key}
        ledger.hold_new(batch, made.held, key=f"listing/{made.pk}/0", **keys)
    return made


def _insert(hit_type: HitType, wanted: HitRequest) -> Listing:
    batch = hit_type.batch
    hit = Hit(
        batch=batch,
        public_id=wanted.public_id,
        group_key=wanted.public_id,
        payload={"question": wanted.question},
        wanted=wanted.places,
        reward=batch.reward,
        closes_at=clock.now() + timedelta(seconds=wanted.lifetime),
    )
    listing = Listing(
        project=hit_type.project,
        annotation=wanted.annotation,
        first_places=wanted.places,
        held=wanted.places * hit_funds.cost(hit),
        moves=1,
        due_at=hit.closes_at,
        assignment_policy=wanted.assignment_policy,
        hit_policy=wanted.hit_policy,
    )
    listing.expired, listing.completed = False, 0  # as of any new one
    hit.ticket = take_ticket(batch.pk)
    listing.created_at = clock.now()  # behind the lock, so that lists grow at their end
    hit.item = _item(hit_type, wanted.public_id, position=hit.ticket)
    hit.save(force_insert=True)
    listing.hit = hit
    listing.save(force_insert=True)
    if hasattr(hit_type, "notification"):
        notifications.record_event_for(hit_type.notification, notifications.CREATED, hit)
    return listing


TAKE_TICKET = """
    UPDATE annotation_batch SET next_ticket = next_ticket + 1, size = size + 1 WHERE id = %s RETURNING next_ticket - 1
"""


def take_ticket(batch: int) -> int:
    """The next ticket of the batch's queue, for one HIT more. Locks the batch: tickets become visible in order."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE_TICKET, [batch])
        return int(cursor.fetchone()[0])


def _item(hit_type: HitType, public_id: str, *, position: int) -> Item:
    """The item of a HIT: a row of the batch's dataset with only the batch's title as its content."""
    title = hit_type.batch.title
    return Item.every.create(
        dataset_id=cast(int, hit_type.dataset_key),
        position=position,
        source_id=public_id,
        group_key=public_id,
        question=title,
        content=Example(id=public_id, question=title, paragraphs=()).as_json(),
    )


def _equip(hit_type: HitType) -> None:
    """Create the dataset and the accounts that a type's HITs need, before its first one."""
    hit_type.dataset_key = dataset_of(hit_type.batch).pk
    names = ledger.AVAILABLE, ledger.held_for(hit_type.batch)
    hit_type.available_key, hit_type.held_key = map(ledger.accounts(hit_type.project, *names).__getitem__, names)


def dataset_of(batch: Batch) -> Dataset:
    """The dataset of a HIT type's items, created on first use. `count_items` keeps its size."""
    columns = {
        "state": Dataset.State.READY,
        "format": "jsonl",
        "sha256": hashlib.sha256(batch.slug.encode()).hexdigest(),
        "source": batch.title,
        "created_by_id": batch.created_by_id,
    }
    found = batch.datasets.first()
    if found is None:
        found, _made = Dataset.objects.get_or_create(project_id=batch.project_id, slug=batch.slug, defaults=columns)
        batch.datasets.add(found)
    return found


def count_items() -> int:
    """Bring the sizes of HIT types' datasets up to date, each its batch's; returns how many. Safe to run twice.

    A sweep, so that creating a HIT need not lock one more row.
    """
    batch = Batch.everything.filter(datasets=OuterRef("pk"), by_program=True)
    outdated = Dataset.objects.filter(Exists(batch.exclude(size=OuterRef("size"))))
    return outdated.update(size=Subquery(batch.values("size")[:1]))
