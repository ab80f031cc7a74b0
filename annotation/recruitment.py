"""Where a batch's workers come from: the built-in marketplace, or one on which an app publishes the batch.

The engine calls `marketplaces()` and imports no such app. It checks `Batch.on_marketplace` first, so that a batch on
the built-in marketplace needs no query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from django.db.models import QuerySet
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from annotation.models import Assignment, Batch, Participation, Project, User, Worker


@dataclass(frozen=True, slots=True)
class Finding:
    """What `doctor` says of one part. `mend` says what to do if it is not well."""

    part: str
    well: bool
    text: str
    mend: str = ""


class Marketplace(Protocol):
    """A marketplace of a project; `fees` is one of `pricing.SCHEDULES`."""

    pk: int
    name: str
    fees: str

    @property
    def label(self) -> str:
        """Its name with its kind."""


class Marketplaces:
    """The interface of the app that publishes batches; these defaults apply if no such app is installed."""

    def available(self, project: Project) -> Sequence[Marketplace]:
        """The project's marketplaces, by name."""
        return ()

    def check_open(self, marketplace: Marketplace) -> None:
        """Raise Refused if nothing can be published any more."""

    def of(self, batch: Batch) -> Marketplace:
        """The marketplace of a batch whose `on_marketplace` is set."""
        raise LookupError(_("No installed app publishes batches on marketplaces."))

    def choose(self, batch: Batch, marketplace: Marketplace | None) -> None:
        """Publish a draft there, or on the built-in marketplace; an unsaved batch is only changed in memory."""

    def joined(self, batches: QuerySet[Batch]) -> QuerySet[Batch]:
        """The same rows, with their marketplaces loaded."""
        return batches

    def send(self, batch: Batch, *, user: User | None = None) -> None:
        """Publish what is waiting of a launched batch, in a job."""

    def assigns_hits(self, batch: Batch) -> bool:
        """Whether the batch's marketplace chooses each worker's next HIT; otherwise our pages do."""
        return True

    def demographics(self, batch: Batch) -> Sequence[dict[str, Any]]:
        """Tables of what the marketplace told of the batch's workers, without small groups."""
        return ()

    def admits(self, worker: Worker, batch: Batch) -> bool:
        """Whether a worker with an account here works on this batch of a marketplace now, on the ordinary pages."""
        return False

    def may_take(self, worker: Worker, batch: Batch) -> bool:
        """Whether a worker sent by the marketplace may take another HIT; asked while their participation is locked."""
        return True

    def most_offered(self, participation: Participation) -> int | None:
        """The most assignments that the worker has and gets there; None for no limit."""
        return None

    def beyond_hits(self, batch: Batch) -> Decimal:
        """Dollars that the batch may still cost there besides its HITs."""
        return Decimal(0)

    def used(self, responses: QuerySet[Assignment]) -> QuerySet[Assignment]:
        """Without responses that may not be used, such as those of visits that were returned or rejected."""
        return responses

    def keep_project(self, project: Project) -> str:
        """Why a deleted project cannot be erased yet; "" if it can."""
        return ""

    def keep_worker(self, worker: Worker) -> bool:
        """Whether decisions on work were not yet sent to a marketplace, which knows it by the worker's id alone."""
        return False

    def forget_worker(self, worker: Worker, *, nobody: str) -> None:
        """Replace the marketplaces' ids of an erased worker by `nobody`, and forget their demographics."""

    def forget_demographics(self, worker: Worker) -> None:
        """Delete what a marketplace told of the worker as a person."""

    def findings(self) -> Iterator[Finding]:
        """Whether each marketplace answers, for `doctor`."""
        return iter(())


_load: Callable[[], Marketplaces] = Marketplaces


def register(load: Callable[[], Marketplaces]) -> None:
    """Set what returns the implementation, when it is first needed; called when Django starts."""
    global _load
    _load = load
    marketplaces.cache_clear()


@cache
def marketplaces() -> Marketplaces:
    """The registered implementation, or the defaults."""
    return _load()


def name_of(batch: Batch) -> str:
    """The name of the batch's marketplace; "" for the built-in one."""
    return marketplaces().of(batch).name if batch.on_marketplace else ""


def has_gold_among_hits(batch: Batch) -> bool:
    """Whether the batch's hidden gold is among its HITs, because the marketplace chooses each worker's next one."""
    return bool(batch.check_share) and batch.on_marketplace and marketplaces().assigns_hits(batch)


def used(batch: Batch, responses: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Responses to the batch that figures may use, without those that started with a suggestion."""
    if batch.suggest:
        return responses.exclude(suggested=True)
    return marketplaces().used(responses) if batch.on_marketplace else responses


def fees_of(batch: Batch) -> str:
    """The fee schedule of the batch."""
    return marketplaces().of(batch).fees if batch.on_marketplace else batch.project.fees


def find_marketplace(marketplaces: Iterable[Marketplace], name: str) -> Marketplace | None:
    """The marketplace of that name; None where there is none."""
    return next((one for one in marketplaces if one.name == name), None)
