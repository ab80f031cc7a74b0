"""Socket 2: what the engine wants of a marketplace, as values and one narrow protocol.

Every operation may be called again after a crash: what exists is found, what was done is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol


class MarketplaceError(Exception):
    """A call that did not simply succeed. `str()` says why, in the marketplace's words where it had any."""


class TryAgain(MarketplaceError):
    """Nobody knows what became of the call: a connection that broke, a timeout, a 5xx, an unreadable answer.

    `throttled`: the marketplace only says that it was asked too fast, and did nothing.
    """

    def __init__(self, why: str, *, throttled: bool = False) -> None:
        super().__init__(why)
        self.throttled = throttled


class AlreadyThere(MarketplaceError):
    """It was done before. `external_id` is that of what was made, where the marketplace tells it."""

    def __init__(self, why: str, *, external_id: str = "") -> None:
        super().__init__(why)
        self.external_id = external_id


class Denied(MarketplaceError):
    """A definite no: the same call again gets the same answer."""


class WrongState(Denied):
    """What it is about is in a state in which this cannot be done."""


class Gone(Denied):
    """The marketplace does not know what it is about (any more)."""


@dataclass(frozen=True, slots=True)
class Place:
    """How to reach a marketplace; `timeout` is in seconds for connecting and for each silence of an answer.

    `guarded`: connect to public addresses only, whatever the name resolves to.
    """

    endpoint_url: str
    region: str
    key_id: str
    secret: str = field(repr=False)
    timeout: float = 20.0
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class Requirement:
    """One of MTurk's qualification requirements, with the marketplace's own ids."""

    type_id: str
    comparator: str
    values: tuple[int, ...] = ()
    locales: tuple[tuple[str, str], ...] = ()  # (country, subdivision or "")
    guard: str = "Accept"


@dataclass(frozen=True, slots=True)
class Terms:
    """What the HITs of a batch have in common; the same terms are the same type there. Times in seconds."""

    title: str
    description: str
    keywords: str
    reward: Decimal
    duration: int
    auto_approval: int
    requirements: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """One HIT to be there: its page of ours, how many assignments, how many seconds it stays."""

    type_id: str
    annotation: str
    token: str
    url: str
    places: int
    lifetime: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A HIT as the marketplace tells it."""

    external_id: str
    annotation: str
    status: str
    title: str
    places: int
    pending: int
    available: int
    completed: int
    created_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Work:
    """A submitted assignment as the marketplace tells it; `state` is Submitted, Approved or Rejected."""

    external_id: str
    worker: str
    hit: str
    state: str
    answer: str
    submitted_at: datetime | None = None
    auto_approval_at: datetime | None = None
    decided_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus to be paid; `reference` ends its reason, by which the payment is found in the marketplace's list."""

    worker: str
    assignment: str
    amount: Decimal
    reason: str
    reference: str
    token: str

    @property
    def told(self) -> str:
        """The reason as the worker reads it."""
        return f"{self.reason} (ref {self.reference})".strip()


@dataclass(frozen=True, slots=True)
class Funds:
    available: Decimal
    held: Decimal | None


class Marketplace(Protocol):
    """All raise MarketplaceErrors only. What returns None has come about when it returns."""

    def funds(self) -> Funds: ...
    def ensure_type(self, terms: Terms) -> str: ...
    def publish(self, offer: Offer) -> str:
        """The id of the new HIT; AlreadyThere with the id where the token was used before."""

    def standing(self, external_id: str) -> Standing: ...
    def standings(self) -> Iterator[Standing]:
        """Every HIT of the requester that is not deleted."""

    def add_places(self, external_id: str, to: int, *, token: str) -> None:
        """Let the HIT ask for `to` assignments in all; nothing where it asks for as many."""

    def close_at(self, external_id: str, when: datetime) -> None:
        """Give the HIT out until then; a past time ends it now."""

    def submitted(self, external_id: str) -> Iterator[Work]: ...
    def approve(self, assignment: str, *, text: str = "", override: bool = False) -> None: ...
    def reject(self, assignment: str, *, text: str) -> None: ...
    def send_bonus(self, bonus: Bonus) -> None:
        """AlreadyThere where the token was used before."""

    def has_bonus(self, assignment: str, reference: str) -> bool: ...
    def ensure_qualification(self, name: str, description: str) -> str: ...
    def qualification_named(self, name: str) -> str:
        """The id of the account's own qualification of that very name; empty where there is none."""

    def holders(self, type_id: str) -> dict[str, int]:
        """{worker: value} of those who hold the qualification."""

    def grant(self, type_id: str, worker: str, value: int) -> None: ...
    def revoke(self, type_id: str, worker: str) -> None: ...
    def notify(self, workers: Sequence[str], subject: str, text: str) -> dict[str, str]:
        """{worker: why} of those who could not be told."""


def as_told(standing: Standing) -> dict[str, Any]:
    """A standing as JSON at rest."""
    return {
        "status": standing.status,
        "places": standing.places,
        "pending": standing.pending,
        "available": standing.available,
        "completed": standing.completed,
        "expires_at": standing.expires_at.timestamp() if standing.expires_at else None,
    }
