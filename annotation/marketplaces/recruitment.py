"""This app's implementation of `annotation.recruitment.Marketplaces`."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.marketplaces.flow import connections, demographics, payments, studies, visit_states, visits
from annotation.marketplaces.kinds import kinds
from annotation.marketplaces.models import (
    Arrival,
    BatchMarketplace,
    Connection,
    Demographic,
    Difference,
    PanelStudy,
    Publication,
    Visit,
)
from annotation.marketplaces.study_base import Status
from annotation.models import AccessKey, Assignment, Batch, Participation, Project, User, Worker, clock
from annotation.pure.batches import lifecycle
from annotation.recruitment import Finding, Marketplace, Marketplaces


class PublishingMarketplaces(Marketplaces):
    """Batches are published through a project's connections."""

    def available(self, project: Project) -> Sequence[Marketplace]:
        return list(project.connections.order_by("name"))

    def check_open(self, marketplace: Marketplace) -> None:
        connections.refuse_closed(_connection(marketplace))

    def of(self, batch: Batch) -> Marketplace:
        return batch.marketplace.connection

    def choose(self, batch: Batch, marketplace: Marketplace | None) -> None:
        if batch.pk is None:
            batch.on_marketplace = marketplace is not None
            BatchMarketplace(batch=batch, connection=marketplace)  # sets batch.marketplace, also for an unsaved batch
        elif marketplace is None:
            BatchMarketplace.objects.filter(batch=batch).delete()
        else:
            chosen = {"connection": marketplace}
            batch.marketplace, _made = BatchMarketplace.objects.update_or_create(batch=batch, defaults=chosen)

    def joined(self, batches: QuerySet[Batch]) -> QuerySet[Batch]:
        return batches.select_related("marketplace__connection")

    def send(self, batch: Batch, *, user: User | None = None) -> None:
        from annotation.marketplaces.jobs import send_batch

        if not studies.is_study(batch):  # a study stays a draft until the requester publishes it
            send_batch(batch, user=user)

    def assigns_hits(self, batch: Batch) -> bool:
        return not studies.is_study(batch)

    def demographics(self, batch: Batch) -> Sequence[dict[str, Any]]:
        study = PanelStudy.objects.filter(batch=batch).select_related("batch").first()
        return demographics.tables(study) if study else ()

    def admits(self, worker: Worker, batch: Batch) -> bool:
        return visits.live_visit(worker, batch) is not None

    def may_take(self, worker: Worker, batch: Batch) -> bool:
        return worker.user_id is None or visits.may_take(worker, batch)

    def most_offered(self, participation: Participation) -> int | None:
        return visits.most_offered(participation.worker_id, participation.batch)

    def beyond_hits(self, batch: Batch) -> Decimal:
        return studies.screen_outs_left(batch)

    def used(self, responses: QuerySet[Assignment]) -> QuerySet[Assignment]:
        left_out = visit_states.is_left_out("visited__visit__")
        return responses.exclude(Q(visited__freed_at__isnull=False) | left_out)

    def keep_project(self, project: Project) -> str:
        return keeps_project(project)

    def keep_worker(self, worker: Worker) -> bool:
        # the marketplace identifies their work by their id only
        rows = Arrival.objects.filter(assignment__worker=worker, assignment__state=lifecycle.SUBMITTED)
        closed = Q(publication__state=Publication.State.FAILED)
        unsent = Visit.objects.filter(~visit_states.is_told_no_more(), worker=worker, sent_at=None).exclude(decision="")
        undecided = Visit.objects.filter(worker=worker, state=Visit.State.DONE, decision="")
        undecided = undecided.exclude(visit_states.is_left_out(), ~Q(remote_state=Status.AWAITING))
        undecided = undecided.exclude(remote_state=Status.SCREENED_OUT)
        if unsent.exists() or undecided.exists():
            return True
        return rows.exclude(remote_state__in=["Approved", "Rejected"]).exclude(closed).exists()

    def forget_worker(self, worker: Worker, *, nobody: str) -> None:
        Arrival.objects.filter(assignment__worker=worker).update(external_worker=nobody)
        for visit in Visit.objects.filter(worker=worker).order_by("pk"):
            gone = {"participant": nobody, "external_id": f"{nobody}-{visit.pk}", "remote": {}}
            Visit.objects.filter(pk=visit.pk).update(**gone)
            Difference.objects.filter(visit=visit).update(about=gone["external_id"])
        self.forget_demographics(worker)

    def forget_demographics(self, worker: Worker) -> None:
        Demographic.objects.filter(worker=worker).delete()

    def findings(self) -> Iterator[Finding]:
        called = [name for name, kind in kinds().items() if kind.offers("balance")]
        return map(_finding, Connection.objects.filter(kind__in=called).select_related("project").order_by("pk"))


def _connection(marketplace: Marketplace) -> Connection:
    assert isinstance(marketplace, Connection)
    return marketplace


def _finding(connection: Connection) -> Finding:
    part = f"marketplace {connection.project.slug}/{connection.name}"
    try:
        funds = connections.check(connection)
    except Refused as refusal:
        return Finding(part, False, str(refusal), "Look at the project's page of marketplaces: endpoint and keys.")
    return Finding(part, True, f"answers; ${funds.available} available")


def keeps_project(project: Project) -> str:
    """The reason why the project's marketplace keys are still needed, or ""."""
    # keys of deleted projects are invalid, and their batches closed
    shut = AccessKey.objects.filter(project__removed_at__isnull=False)
    abroad = Batch.everything.filter(project=project, on_marketplace=True)
    abroad = abroad.exclude(marketplace__connection__key_id__in=shut.values("key_id"))
    end = max((_may_last_until(batch) for batch in abroad), default=clock.now())
    if end <= clock.now():
        return ""
    text = _(
        "Its HITs are still open on a marketplace, or the marketplace has not received all rejections. Try "
        "again in a few minutes. If the marketplace does not respond, this becomes possible after %(day)s."
    )
    return text % {"day": f"{timezone.localtime(end):%Y-%m-%d}"}


def _may_last_until(batch: Batch) -> datetime:
    """The time by which the marketplace has ended all of the batch's HITs by its own clock, even if unreachable.

    An assignment may be accepted in a HIT's last moment, submitted at its own end, and decided automatically.
    """
    publications = Publication.objects.filter(hit__batch=batch)
    looked_at = Q(state=Publication.State.PUBLISHED, due_at__isnull=False)
    rejected = payments.rejections().filter(publication__hit__batch=batch)
    rows = publications.filter(looked_at | Q(pk__in=rejected.values("publication"))).values_list("closes_at", "remote")
    # an earlier end counts only once the marketplace has been told
    ends = [max(closes_at.timestamp(), remote.get("expires_at") or 0.0) for closes_at, remote in rows.iterator()]
    last = timedelta(seconds=max(ends, default=0.0) + batch.lease_seconds + (batch.auto_approval or 0))
    return datetime.fromtimestamp(0, UTC) + last
