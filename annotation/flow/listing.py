"""HITs of MTurk's protocol: a HIT type is a batch of the task `external`, a HIT an item of it with a listing.

What lies under a HIT type (its dataset) is made with its first HIT. No step depends on how many HITs there are.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from annotation.flow import holding, ledger, notifying
from annotation.models import Batch, Dataset, Hit, HitType, Item, Listing, Project, User, clock
from annotation.models.project import wire_id
from annotation.pure.example import Example

TASK = "external"


@dataclass(frozen=True, slots=True)
class Terms:
    """What makes a HIT type: the same terms are the same type. `requirements` as in Batch.requirements."""

    title: str
    description: str
    reward: Decimal
    duration: int  # seconds for an assignment
    keywords: str = ""
    auto_approval: int = 2_592_000  # seconds after submission
    requirements: tuple[dict[str, Any], ...] = ()

    @property
    def digest(self) -> str:
        """The same for the same terms, in whatever order the requirements stand."""
        told = asdict(self) | {"reward": f"{self.reward:.2f}"}
        told["requirements"] = sorted(json.dumps(row, sort_keys=True) for row in self.requirements)
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Wish:
    """One HIT as its requester asks for it. `question` is the XML; policies as the protocol writes them."""

    question: str
    lifetime: int  # seconds
    places: int = 1
    annotation: str = ""
    assignment_policy: dict[str, Any] | None = None
    hit_policy: dict[str, Any] | None = None
    public_id: str = field(default_factory=wire_id)


def hit_type_of(project: Project, terms: Terms, *, user: User | None = None) -> HitType:
    """The project's HIT type of these terms, made on first use."""
    found = HitType.objects.filter(project=project, digest=terms.digest).select_related("batch").first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            return _make_type(project, terms, user)
    except IntegrityError:  # somebody else made it just now
        return HitType.objects.select_related("batch").get(project=project, digest=terms.digest)


def _make_type(project: Project, terms: Terms, user: User | None) -> HitType:
    public_id = wire_id()
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
        disjoint=False,
        state=Batch.State.OPEN,
        launched_at=clock.now(),
        created_by=user,
    )
    return HitType.objects.create(batch=batch, project=project, public_id=public_id, digest=terms.digest)


@transaction.atomic
def list_hit(hit_type: HitType, wish: Wish) -> Listing:
    """Put a HIT before the workers and set aside what it may come to. Raises Overdrawn; nothing has changed then."""
    batch = hit_type.batch
    Batch.objects.filter(pk=batch.pk).update(next_ticket=F("next_ticket") + 1, size=F("size") + 1)
    ticket = Batch.objects.values_list("next_ticket", flat=True).get(pk=batch.pk) - 1
    hit = Hit.objects.create(
        batch=batch,
        item=item_for(batch, wish.public_id),
        public_id=wish.public_id,
        group_key=wish.public_id,
        payload={"question": wish.question},
        ticket=ticket,
        wanted=wish.places,
        reward=batch.reward,
        closes_at=clock.now() + timedelta(seconds=wish.lifetime),
    )
    amount = wish.places * holding.cost(hit)
    listing = Listing.objects.create(
        hit=hit,
        project_id=hit_type.project_id,
        annotation=wish.annotation,
        first_places=wish.places,
        held=amount,
        moves=1,
        due_at=hit.closes_at,
        assignment_policy=wish.assignment_policy,
        hit_policy=wish.hit_policy,
        created_at=clock.now(),
    )
    ledger.hold(batch, amount, key=f"listing/{listing.pk}/0")
    notifying.tell(notifying.CREATED, hit)
    return listing


def item_for(batch: Batch, public_id: str) -> Item:
    """The item behind a HIT: a row of the batch's dataset that says no more than the batch's title."""
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
