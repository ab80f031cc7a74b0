"""Drafts: a preview of the launch, sample HITs, changed settings, and removal after a refused launch."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow.batches import batch_launch, item_selection, task_fit, workers_needed
from annotation.flow.batches.estimates import HitCount, quick_count
from annotation.flow.batches.parsing import name_taken
from annotation.flow.batches.settings import COLUMNS_THAT_CHANGE, BatchSettings
from annotation.flow.batches.suggestions import models_of
from annotation.flow.errors import Refused
from annotation.flow.people import consent, round_attempts
from annotation.flow.projects import audit_log
from annotation.models import Batch, Dataset, Hit, Instructions, Item, Project, User, Worker
from annotation.recruitment import marketplaces
from annotation.registry import task_type

LOOK_AHEAD = 20  # items read at a time while looking for usable ones


@dataclass(frozen=True, slots=True)
class Plan:
    """Effort that a launch asks of workers. `people` may work; `share` is one worker's part of the hours."""

    count: HitCount
    assignments_per_hit: int
    expected_seconds: int
    people: int
    left_out: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]  # about the task's options and the draw
    doubts: tuple[str, ...]
    wanted: int  # different workers whom the batch needs
    missing: int  # workers who must join

    @property
    def hits(self) -> int:
        return self.count.hits

    @property
    def responses(self) -> int:
        return self.hits * self.assignments_per_hit

    @property
    def responses_between(self) -> tuple[int, int]:
        return self.count.low * self.assignments_per_hit, self.count.high * self.assignments_per_hit

    @property
    def hours(self) -> float:
        return self.responses * self.expected_seconds / 3600

    @property
    def minutes(self) -> int:
        return max(1, round(60 * self.hours))

    @property
    def hours_between(self) -> tuple[float, ...]:
        return tuple(responses * self.expected_seconds / 3600 for responses in self.responses_between)

    @property
    def share(self) -> float:
        return self.hours / max(1, self.people)


def plan(
    batch: Batch, count: HitCount, *, datasets: Sequence[Dataset] | None = None, workers: Sequence[Worker] = ()
) -> Plan:
    """The effort of launching a draft, stored or not, whose HITs were counted."""
    people = sum(w.active for w in workers) if workers else workers_needed.able_workers(batch.project)
    held = batch.datasets.all() if datasets is None else datasets
    together = 1
    if batch.meeting == Batch.Meeting.ONE and not item_selection.takes_singles(batch):
        together = workers_needed.largest_group(Item.objects.filter(dataset__in=held).values("group_key"))
    wanted = max(batch.most_assignments * together, workers_needed.by_limit(batch, count.hits))
    return Plan(
        count=count,
        assignments_per_hit=batch.most_assignments,
        expected_seconds=batch.expected_seconds,
        people=people,
        left_out=tuple(item_selection.rows_of(count.left_out)),
        warnings=(*task_fit.warnings(held, task_type(batch.task), batch.options), *count.warnings),
        doubts=tuple(workers_needed.lack_of_people(people, wanted=wanted)),
        wanted=wanted,
        missing=0 if workers else max(0, wanted - people),
    )


def plan_of(batch: Batch) -> Plan:
    """The effort of a stored batch."""
    return plan(batch, quick_count(batch), workers=list(batch.workers.all()))


def create_batch(project: Project, settings: BatchSettings, *, user: User | None = None) -> Batch:
    """Create a batch as a draft, which workers do not see before its launch. Raises Refused for a taken name."""
    try:
        with transaction.atomic():
            batch = Batch.objects.create(project=project, created_by=user, **settings.columns())
            _connect(batch, settings)
            Instructions.objects.create(batch=batch, version=1, text=settings.instructions, created_by=user)
            audit_log.record("created", batch, task=settings.task)
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        raise Refused(name_taken(settings.name)) from None
    return batch


@transaction.atomic
def change_batch(batch: Batch, settings: BatchSettings, *, user: User | None = None) -> Batch:
    """Store settings that were parsed for this batch: of a draft all, of a launched batch those that may change.

    Raises Refused for a name that is taken, for a draft that was launched in the meantime, and for another task, other
    options, another seed or fewer datasets of a draft for which models have predictions.
    """
    columns = settings.columns()
    _check_predictions(batch, settings, columns)
    if batch.state != Batch.State.DRAFT:
        columns = {name: columns[name] for name in COLUMNS_THAT_CHANGE}
        audit_log.record("settings changed", batch)
    try:
        with transaction.atomic():
            rows = Batch.objects.filter(pk=batch.pk)
            draft = rows.filter(state=Batch.State.DRAFT) if batch.state == Batch.State.DRAFT else rows
            changed = draft.update(**columns)
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        raise Refused(name_taken(settings.name)) from None
    if not changed:
        raise Refused(_("This batch was launched in the meantime, so its settings were not changed."))
    batch.refresh_from_db()
    if batch.state == Batch.State.DRAFT:
        _connect(batch, settings)
    batch.workers.set(settings.people)
    batch_launch.change_instructions(batch, settings.instructions, user=user)
    return batch


def _check_predictions(batch: Batch, settings: BatchSettings, columns: dict[str, Any]) -> None:
    """Refuse what would make a draft's predictions answers to something else."""
    # Lock: a model could be asked, or predictions imported, at the same time.
    now = Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    names = models_of(now)
    if now.state != Batch.State.DRAFT or not names:
        return
    lost = set(now.datasets.values_list("pk", flat=True)) - {dataset.pk for dataset in settings.datasets}
    if lost or any(getattr(now, name) != columns[name] for name in batch_launch.SHOWING):
        text = _(
            "Models have predictions for this draft (%(models)s), so its task, options, seed and datasets stay as they "
            "are. Create another batch, or delete the predictions first."
        )
        raise Refused(text % {"models": ", ".join(names)})


def _connect(batch: Batch, settings: BatchSettings) -> None:
    """Store what is no column of a draft, and the contact and ethics approval in the project's consent text."""
    marketplaces().choose(batch, settings.marketplace)
    batch.datasets.set(settings.datasets)
    batch.workers.set(settings.people)
    batch.checks.set(settings.checks.datasets)
    consent.fill_in(batch.project, contact=settings.contact, ethics=settings.ethics)


def samples(batch: Batch, count: int = 3, *, start: int = 0, datasets: Sequence[Dataset] | None = None) -> list[Hit]:
    """HITs from position `start` on as workers will see them; a draft's are made on the spot and not stored.

    `datasets`: instead of the batch's own, for an unsaved one.
    """
    if batch.launched_at is not None:
        rows = batch.hits.filter(check_item=False).select_related("item__dataset").order_by("pk")
        return list(rows[start : start + count])
    keys = item_selection.select(batch, datasets).keys
    places = range(0, len(keys), LOOK_AHEAD)
    chunks = (batch_launch.hits_of(batch, keys[at : at + LOOK_AHEAD], ticket=at) for at in places)
    return list(islice(chain.from_iterable(chunks), start, start + count))


def sample_of(batch: Batch, item_id: int) -> Hit | None:
    """The HIT of one item, stored or, for a draft, unsaved; None if the batch does not ask about it."""
    if batch.launched_at is not None:
        return batch.hits.filter(item__in=Item.every.filter(pk=item_id)).first()  # None if no item has this key
    held = Item.objects.filter(pk=item_id, dataset__batches=batch)
    return next(batch_launch.hits_of(batch, [item_id], ticket=0), None) if held.exists() else None


OWN = {"id", "batch", "slug", "state", "created_at", "next_ticket", "picked"}  # columns that are no settings


def left_by_killed(project: Project, name: str, make: Callable[[str], Batch], *, launching: bool) -> Batch | None:
    """The batch of this name that a killed command left as a draft or, with `launching`, in launch; None without one.

    `make` creates one of a name, and is undone again: only a batch with the same settings is taken up, and only one
    that no account created. Raises Refused if that in launch has other settings.
    """
    states = [Batch.State.DRAFT, *([Batch.State.LAUNCHING] if launching else [])]
    left = project.batches.filter(slug=name, state__in=states, created_by=None, by_program=False).first()
    if left is None:
        return None
    with transaction.atomic():
        is_same = _settings_of(make(f"{name[:80]}-{secrets.token_hex(6)}")) == _settings_of(left)
        transaction.set_rollback(True)
    if is_same or left.state == Batch.State.DRAFT:
        return left if is_same else None
    text = _("The batch %(name)s was created with other settings, and its launch was interrupted. Choose another name.")
    raise Refused(text % {"name": name})


def _settings_of(batch: Batch) -> dict[str, Any]:
    batch = Batch.everything.get(pk=batch.pk)  # as stored
    rows = [row for row in (batch, round_attempts.round_of(batch)) if row is not None]
    fields = [(row, field) for row in rows for field in row._meta.concrete_fields if field.name not in OWN]
    found = {f"{field.model.__name__}.{field.name}": getattr(row, field.attname) for row, field in fields}
    held = {name: set(getattr(batch, name).values_list("pk", flat=True)) for name in ("datasets", "workers", "checks")}
    return {**found, **held, "instructions": batch.instructions.text}


@transaction.atomic
def discard_failed_launch(batch: Batch) -> bool:
    """Delete a draft that was only created to be launched, and a qualification created with it; False otherwise.

    A draft for which models have predictions is kept.
    """
    # Lock: another process may be launching the draft.
    found = Batch.objects.select_for_update(no_key=True).filter(pk=batch.pk, state=Batch.State.DRAFT).first()
    if found is None or found.models.exists():
        return False
    round = round_attempts.round_of(found)
    audit_log.record("removed", found)
    Batch.objects.filter(pk=found.pk).delete()
    if round is not None:
        type = round.grants
        used = type.rounds.exists() or type.qualifications.exists() or type.requests.exists()
        if type.created_at >= found.created_at and not used:
            audit_log.record("removed", type)
            type.delete()
    return True
