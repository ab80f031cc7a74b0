"""Creating HITs of the MTurk API: a HIT type is a batch of the task `external`, a HIT an item of it with a listing.

The dataset of a HIT type is created with its first HIT. The cost does not depend on the number of HITs.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from annotation.flow.money import ledger
from annotation.models import Batch, Dataset, Hit, Item, Project, User, clock
from annotation.models.project import mturk_id
from annotation.mturk_api.flow import hit_funds, notification_events
from annotation.mturk_api.models import HitType, Listing
from annotation.pure.data.example import Example

TASK = "external"


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
    found = HitType.objects.filter(project=project, digest=terms.digest).select_related("batch").first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            return _make_type(project, terms, user)
    except IntegrityError:  # created by another request at the same time
        return HitType.objects.select_related("batch").get(project=project, digest=terms.digest)


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


@transaction.atomic
def list_hit(hit_type: HitType, wanted: HitRequest) -> Listing:
    """Create a HIT and set its cost aside. Raises Overdrawn, changing nothing."""
    batch = hit_type.batch
    Batch.objects.filter(pk=batch.pk).update(next_ticket=F("next_ticket") + 1, size=F("size") + 1)
    ticket = Batch.objects.values_list("next_ticket", flat=True).get(pk=batch.pk) - 1
    hit = Hit.objects.create(
        batch=batch,
        item=item_for(batch, wanted.public_id),
        public_id=wanted.public_id,
        group_key=wanted.public_id,
        payload={"question": wanted.question},
        ticket=ticket,
        wanted=wanted.places,
        reward=batch.reward,
        closes_at=clock.now() + timedelta(seconds=wanted.lifetime),
    )
    amount = wanted.places * hit_funds.cost(hit)
    listing = Listing.objects.create(
        hit=hit,
        project_id=hit_type.project_id,
        annotation=wanted.annotation,
        first_places=wanted.places,
        held=amount,
        moves=1,
        due_at=hit.closes_at,
        assignment_policy=wanted.assignment_policy,
        hit_policy=wanted.hit_policy,
        created_at=clock.now(),
    )
    ledger.hold(batch, amount, key=f"listing/{listing.pk}/0")
    notification_events.record_event(notification_events.CREATED, hit)
    return listing


def item_for(batch: Batch, public_id: str) -> Item:
    """The item of a HIT: a row of the batch's dataset with only the batch's title as its content."""
    dataset = _dataset(batch)
    Dataset.objects.filter(pk=dataset.pk).update(size=F("size") + 1)
    size = Dataset.objects.values_list("size", flat=True).get(pk=dataset.pk)
    example = Example(id=public_id, question=batch.title, paragraphs=())
    return Item.objects.create(
        dataset=dataset,
        position=size - 1,
        source_id=public_id,
        group_key=public_id,
        question=batch.title,
        content=example.as_json(),
    )


def _dataset(batch: Batch) -> Dataset:
    found = batch.datasets.first()
    if found is None:
        found = Dataset.objects.create(
            project_id=batch.project_id,
            slug=batch.slug,
            state=Dataset.State.READY,
            format="jsonl",
            sha256=hashlib.sha256(batch.slug.encode()).hexdigest(),
            source=batch.title,
            created_by_id=batch.created_by_id,
        )
        batch.datasets.add(found)
    return found
