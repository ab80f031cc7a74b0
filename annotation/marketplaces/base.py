"""The contract of a kind of marketplace: values, errors, and the class to subclass (README.md).

A kind publishes single HITs (`HitMarketplace`) or studies (`study_base.StudyMarketplace`). Operations are idempotent,
so that they can be repeated after a crash.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


class MarketplaceError(Exception):
    """A failed call. `str()` says why, in the marketplace's words if it gave any."""


class TryAgain(MarketplaceError):
    """The outcome of the call is unknown: a broken connection, a timeout, a 5xx, an unreadable response.

    `throttled`: the marketplace only refused because of the rate, and did nothing.
    """

    def __init__(self, why: str, *, throttled: bool = False) -> None:
        super().__init__(why)
        self.throttled = throttled


class AlreadyThere(MarketplaceError):
    """The operation was done before. `external_id`: the id of the created object, if the marketplace returns it."""

    def __init__(self, why: str, *, external_id: str = "") -> None:
        super().__init__(why)
        self.external_id = external_id


class Denied(MarketplaceError):
    """A definite refusal: the same call would be refused again."""


class WrongState(Denied):
    """The object is in a state that does not allow this."""


class Gone(Denied):
    """The marketplace does not know the object (any more)."""


class NotOffered(Denied):
    """This kind of marketplace does not have the operation."""

    def __init__(self, operation: str) -> None:
        super().__init__(f"This marketplace does not offer it: {operation}.")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The connection to a marketplace; `timeout`: seconds for connecting and for each silence of a response.

    `guarded`: connect to public addresses only, even if the name resolves to others. `workers`: origin of the pages
    that workers come from; `options`: settings of the kind, as pairs of name and value.
    """

    endpoint_url: str
    region: str
    key_id: str
    secret: str = field(repr=False)
    timeout: float = 20.0
    guarded: bool = False
    workers: str = ""
    options: tuple[tuple[str, str], ...] = ()


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
    """Common properties of a batch's HITs; equal terms are one HIT type on the marketplace. Times in seconds."""

    title: str
    description: str
    keywords: str
    reward: Decimal
    duration: int
    auto_approval: int
    requirements: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """A HIT to publish: its URL, the number of assignments, and the seconds until it expires."""

    type_id: str
    annotation: str
    token: str
    url: str
    places: int
    lifetime: int


@dataclass(frozen=True, slots=True)
class HitStatus:
    """A HIT as the marketplace reports it."""

    external_id: str
    annotation: str
    status: str
    title: str
    places: int
    pending: int
    available: int
    completed: int
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Work:
    """A submitted assignment as the marketplace reports it; `state`: Submitted, Approved or Rejected."""

    external_id: str
    worker: str
    state: str
    answer: str
    submitted_at: datetime | None = None
    auto_approval_at: datetime | None = None
    decided_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus to pay; `reference` ends its reason, so that the payment is found in the marketplace's list."""

    worker: str
    assignment: str
    amount: Decimal
    reason: str
    reference: str
    token: str

    @property
    def full_reason(self) -> str:
        """The reason that the worker reads."""
        return f"{self.reason} (ref {self.reference})".strip()


@dataclass(frozen=True, slots=True)
class Funds:
    available: Decimal


def optional(method: Method) -> Method:
    """Mark an operation of the contract that a kind of marketplace may leave out: there it raises NotOffered."""

    @wraps(method)
    def left_out(*_: Any, **_named: Any) -> Any:
        raise NotOffered(method.__name__)

    left_out.is_left_out = True  # type: ignore[attr-defined]  # which `offers` looks for
    return cast(Method, left_out)


class Marketplace(ABC):
    """What every kind of marketplace has; it offers the operations that its class defines.

    Operations raise MarketplaceErrors only. Those that return None have succeeded when they return.
    """

    @abstractmethod
    def __init__(self, endpoint: Endpoint) -> None: ...

    @classmethod
    def offers(cls, operation: str) -> bool:
        """Whether this kind of marketplace has the operation."""
        method = getattr(cls, operation, None)
        return method is not None and not getattr(method, "is_left_out", False)

    @optional  # noqa: B027  (it gives the method a body)
    def balance(self) -> Funds: ...


class HitMarketplace(Marketplace):
    """A marketplace on which each HIT is published by itself, and done in a frame."""

    @abstractmethod
    def balance(self) -> Funds: ...

    @abstractmethod
    def ensure_type(self, terms: Terms) -> str:
        """The id of the type for these terms on the marketplace."""

    @abstractmethod
    def publish(self, offer: Offer) -> str:
        """The id of the new HIT; AlreadyThere with its id if the token was used before."""

    @abstractmethod
    def look(self, external_id: str) -> HitStatus:
        """The state of one HIT."""

    @abstractmethod
    def list_hits(self) -> Iterator[HitStatus]:
        """Every HIT of the requester that is not deleted."""

    @abstractmethod
    def extend(self, external_id: str, to: int, *, token: str) -> None:
        """Raise the HIT's number of assignments to `to`; no effect if it has as many."""

    @abstractmethod
    def expire(self, external_id: str, when: datetime) -> None:
        """Let the HIT expire at that time; a past time ends it now."""

    @abstractmethod
    def assignments(self, external_id: str) -> Iterator[Work]:
        """The HIT's submitted assignments."""

    @abstractmethod
    def approve(self, assignment: str, *, text: str = "", override: bool = False) -> None:
        """Approve an assignment; `override`: even if it was rejected before."""

    # Optional operations: a class that does not define one does not offer it.

    @optional
    def reject(self, assignment: str, *, text: str) -> None: ...

    @optional
    def pay_bonus(self, bonus: Bonus) -> None:
        """Pay a bonus; AlreadyThere if the token was used before."""

    @optional
    def has_bonus(self, assignment: str, reference: str) -> bool:
        """Whether the marketplace's list of bonuses contains the reference."""

    @optional
    def ensure_qualification(self, name: str, description: str) -> str: ...

    @optional
    def qualification_named(self, name: str) -> str:
        """The id of the account's own qualification with exactly that name; "" if there is none."""

    @optional
    def holders(self, type_id: str) -> dict[str, int]:
        """{worker: value} of the workers who hold the qualification."""

    @optional
    def grant(self, type_id: str, worker: str, value: int) -> None: ...

    @optional
    def revoke(self, type_id: str, worker: str) -> None: ...

    @optional
    def message(self, workers: Sequence[str], subject: str, text: str) -> dict[str, str]:
        """Send a message; returns {worker: reason} of the workers who could not be reached."""


def as_json(standing: HitStatus) -> dict[str, Any]:
    """A HIT's state as stored JSON."""
    data = {name: getattr(standing, name) for name in ("status", "places", "pending", "available", "completed")}
    return data | {"expires_at": standing.expires_at.timestamp() if standing.expires_at else None}
