"""This app's implementation of `annotation.recruitment.Marketplaces`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from annotation.flow.errors import Refused
from annotation.marketplaces.flow import connections, erasure
from annotation.marketplaces.models import Arrival, BatchMarketplace, Connection
from annotation.models import Batch, Project, User, Worker
from annotation.operations.doctor import Finding
from annotation.recruitment import Marketplace, Marketplaces


class Published(Marketplaces):
    """Batches are published through a project's connections."""

    def available(self, project: Project) -> Sequence[Marketplace]:
        return list(project.connections.order_by("name"))

    def check_open(self, marketplace: Marketplace) -> None:
        connections.refuse_closed(_connection(marketplace))

    def of(self, batch: Batch) -> Marketplace:
        found: Connection = batch.marketplace.connection
        return found

    def choose(self, batch: Batch, marketplace: Marketplace | None) -> None:
        if batch.pk is None:
            batch.on_marketplace = marketplace is not None
            BatchMarketplace(batch=batch, connection=marketplace)  # sets batch.marketplace, also for an unsaved batch
        elif marketplace is None:
            BatchMarketplace.objects.filter(batch=batch).delete()
        else:
            batch.marketplace, _made = BatchMarketplace.objects.update_or_create(
                batch=batch, defaults={"connection": marketplace}
            )

    def joined(self, batches: QuerySet[Batch]) -> QuerySet[Batch]:
        return batches.select_related("marketplace__connection")

    def send(self, batch: Batch, *, user: User | None = None) -> None:
        from annotation.marketplaces.jobs import send_batch

        send_batch(batch, user=user)

    def keep_project(self, project: Project) -> str:
        return erasure.keeps_project(project)

    def keep_worker(self, worker: Worker) -> bool:
        return erasure.keeps_worker(worker)

    def forget_worker(self, worker: Worker, *, nobody: str) -> None:
        Arrival.objects.filter(assignment__worker=worker).update(external_worker=nobody)

    def findings(self) -> Iterator[Finding]:
        return map(_finding, Connection.objects.select_related("project").order_by("pk"))


def _connection(marketplace: Marketplace) -> Connection:
    assert isinstance(marketplace, Connection)
    return marketplace


def _finding(place: Connection) -> Finding:
    part = f"marketplace {place.project.slug}/{place.name}"
    try:
        funds = connections.check(place)
    except Refused as refusal:
        return Finding(part, False, str(refusal), "Look at the project's page of marketplaces: endpoint and keys.")
    return Finding(part, True, f"answers; ${funds.available} available")
