"""Batches: list, create, change, launch, pause, close and continue them."""

from collections.abc import Callable
from typing import Any, cast

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.batches.serializers import (
    BatchSerializer,
    DraftInput,
    InstructionsSerializer,
    NewDraftInput,
    OneBatchSerializer,
)
from annotation.api.operations import QueuedSerializer, action, operation
from annotation.api.pagination import SinglePage
from annotation.api.serializers import JSON, Input
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.batches import add_items, batch_drafts, batch_launch, batch_progress
from annotation.flow.batches.parsing import parse
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds
from annotation.flow.people import consent, round_attempts
from annotation.flow.projects import recycle_bin
from annotation.flow.review import results_dataset
from annotation.flow.setting_values import validate_unreserved
from annotation.models import Batch, Job
from annotation.pure.batches import lifecycle
from annotation.recruitment import marketplaces


class AddAssignmentsInput(Input):
    """The HITs that get one more assignment."""

    EXAMPLE = {"only_disagreeing": True}

    only_disagreeing = serializers.BooleanField(
        default=False, help_text="Only finished HITs whose responses differ; else every finished HIT."
    )


class ResultsDatasetInput(Input):
    """The dataset to create from the results."""

    EXAMPLE = {"name": "verified", "least": 2}

    name = serializers.SlugField(max_length=100, validators=[validate_unreserved])
    least = serializers.IntegerField(
        default=0, min_value=0, max_value=1000, help_text="Keep an item only if at least this many responses agree."
    )
    keep = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=1000,
        help_text="Of ratings: keep an item only if they fulfil this, such as `faithful >= 3 and multihop == yes`.",
    )


class InstructionsInput(Input):
    """The text of the next version of the instructions, in Markdown."""

    EXAMPLE = {"text": "# What to do\n\nRead the question, then the paragraphs."}

    text = serializers.CharField(max_length=100_000, trim_whitespace=False)


class CloneInput(Input):
    """The name of the new draft; by default the next free one after the batch's."""

    EXAMPLE = {"name": "second-study"}

    name = serializers.SlugField(max_length=100, required=False, validators=[validate_unreserved])
    title = serializers.CharField(max_length=200, required=False)


class NextInput(Input):
    """The number of new items."""

    EXAMPLE = {"count": 100, "name": "next-hundred"}

    count = serializers.IntegerField(min_value=1, max_value=10**9, help_text="How many items of each dataset, at most.")
    name = serializers.SlugField(max_length=100, required=False, validators=[validate_unreserved])


class RemainingSerializer(serializers.Serializer):
    """How many items of a dataset the task was asked about, and how many are left."""

    dataset = serializers.CharField(source="dataset.slug")
    items = serializers.IntegerField()
    asked = serializers.IntegerField()
    held = serializers.IntegerField(help_text="Items that a qualification round or another batch reserves.")
    left = serializers.IntegerField(help_text="Items that a new batch can draw.")


class BatchViewSet(ResourceViewSet):
    """The batches of a project."""

    serializer_class = OneBatchSerializer
    list_serializer_class = BatchSerializer
    lookup_field, lookup_url_kwarg = "slug", "batch"
    row: Batch

    def get_queryset(self) -> Any:
        """Batches that are not deleted, or, to restore one, all."""
        rows = Batch.everything if "restore" in self.action_map.values() else Batch.objects
        return marketplaces().joined(rows.filter(project=self.project).select_related("project"))

    def prepare(self, rows: list[Any]) -> list[Any]:
        counts = batch_progress.counts_by_batch(rows)
        for batch in rows:
            batch.project, batch.counts = self.project, counts[batch.pk]
            if not self.operation.many:
                batch.pay = batch_funds.batch_money(batch)
        return rows

    @operation(query=batch_progress.BatchFilter)
    def list(self, wanted: batch_progress.BatchFilter) -> Any:
        """List batches, newest first, with their counts."""
        return wanted.narrow(self.project, self.get_queryset()).prefetch_related("datasets", "checks", "workers")

    @operation(takes=NewDraftInput, location="batches/{0.slug}/")
    def create(self, data: JSON) -> Batch:
        """Create a draft; workers see it only after its launch."""
        return self._stored(batch_drafts.create_batch(self.project, parse(self.project, data), user=self.request.user))

    @operation()
    def retrieve(self) -> None:
        """One batch with its counts, money and instructions."""

    @operation(takes=DraftInput)
    def partial_update(self, data: JSON) -> Batch:
        """Change a draft, or of a launched batch its title, expected time, people, requirements and instructions."""
        if self.row.state == Batch.State.DRAFT and round_attempts.round_of(self.row) is not None:
            text = _("This batch is a qualification round. Change its settings on its page or with changeRound.")
            raise Refused(text)
        settings = parse(self.project, data, batch=self.row)
        return self._stored(batch_drafts.change_batch(self.row, settings, user=self.request.user))

    def _stored(self, batch: Batch) -> Batch:
        return cast(Batch, self.get_queryset().get(pk=batch.pk))

    @operation(id="discardBatch")
    def destroy(self) -> None:
        """Delete a draft or a closed batch; it can be restored from the bin."""
        recycle_bin.remove_batch(self.row)

    @action()
    def restore(self) -> None:
        """Restore a deleted batch."""
        recycle_bin.restore_batch(self.row)

    def _enqueue(self, kind: str, title: str, **arguments: Any) -> Job:
        """Queue a job on the batch."""
        title %= {"batch": self.row.title, **arguments}
        return self.enqueue(kind, title, {"batch": self.row.pk, **arguments})

    @action(gives=QueuedSerializer)
    def quote(self) -> Job:
        """Compute the cost of a draft from all its items; the amounts are in the job's result."""
        return self._enqueue("quote_batch", _("Quote for %(batch)s"))

    @action(gives=QueuedSerializer)
    def launch(self) -> Job:
        """Launch a draft in a job: create its HITs, set money aside, open it."""
        if self.row.state not in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
            raise Refused(_("This batch is already launched."))
        consent.check_finished(self.row.project)
        consent.check_paragraphs(self.row)
        return self._enqueue("launch_batch", _("Launch %(batch)s"))

    @action(takes=AddAssignmentsInput, gives=QueuedSerializer, id="addAssignments")
    def add_assignments(self, data: JSON) -> Job:
        """Add one assignment to each finished HIT, or to those whose responses differ."""
        return self._enqueue("add_assignments", _("Add assignments to %(batch)s"), base=self.row.next_ticket, **data)

    @action(takes=ResultsDatasetInput, gives=QueuedSerializer, id="createResultsDataset")
    def create_dataset(self, data: JSON) -> Job:
        """Create a dataset from the results of the batch, in a job."""
        arguments = {name: value for name, value in data.items() if value}
        results_dataset.selector_of(self.row, arguments.get("keep", ""))
        return self._enqueue("create_results_dataset", _("Create %(name)s from the results of %(batch)s"), **arguments)

    def _move(self, verb: Callable[[Batch], bool], to: str) -> None:
        """Change the batch's state at once; nothing happens if it is already so."""
        if not verb(self.row) and self.row.state != to:
            self.row.refresh_from_db()
            if self.row.state != to:
                text = _("This is not possible while the batch is %(state)s.")
                raise Refused(text % {"state": self.row.get_state_display()})

    @action()
    def pause(self) -> None:
        """Pause a batch: no new assignments, but those under way can be finished."""
        self._move(batch_launch.pause, lifecycle.PAUSED)

    @action()
    def resume(self) -> None:
        """Resume a paused or closed batch."""
        self._move(batch_launch.resume, lifecycle.OPEN)

    @action()
    def close(self) -> None:
        """Close a batch: no new assignments, and responses can no longer be changed."""
        self._move(batch_launch.close, lifecycle.CLOSED)

    @action("get", many=True, pages=SinglePage, gives=InstructionsSerializer, id="listInstructionsVersions")
    def instructions(self) -> Any:
        """Every version of the instructions, newest first."""
        return self.row.instructions_versions.order_by("-version")

    @instructions.mapping.put
    @operation(takes=InstructionsInput, gives=InstructionsSerializer, id="writeInstructions")
    def write_instructions(self, data: JSON) -> Any:
        """Create the next version of the instructions; workers read it before they continue."""
        text = data["text"].replace("\r\n", "\n")
        return batch_launch.change_instructions(self.row, text, user=self.request.user)

    @action(takes=CloneInput, status=201, location="batches/{0.slug}/")
    def clone(self, data: JSON) -> Batch:
        """Create a draft with all settings of this batch, including those of a qualification round."""
        return self._stored(add_items.clone(self.row, user=self.request.user, **data))

    @action("get", "next", many=True, pages=SinglePage, gives=RemainingSerializer, id="listRemainingItems")
    def remaining_items(self) -> Any:
        """How many items of each dataset this task was asked about, and how many are left."""
        return add_items.remaining(self.row)

    @remaining_items.mapping.post
    @operation(takes=NextInput, status=201, location="batches/{0.slug}/", id="continueBatch")
    def continue_batch(self, data: JSON) -> Batch:
        """Create a draft like this batch for items that were not asked about yet; its launch draws them."""
        name = data.get("name", "")
        return self._stored(add_items.next_items(self.row, data["count"], name=name, user=self.request.user))
