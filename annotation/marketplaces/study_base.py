"""The contract of marketplaces that send participants to a study by link, and take them back with a code (README.md).

A study is a batch published there. A participant's stay is a submission there and a visit here.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from annotation.marketplaces.base import Marketplace, optional
from annotation.pure.money import pricing


class Outcome(StrEnum):
    """How a visit ended; each has a code of its own."""

    DONE = "done"
    NO_CONSENT = "no_consent"
    FAILED_CHECKS = "failed_checks"
    SCREENED_OUT = "screened_out"
    INCOMPATIBLE = "incompatible"


class Status(StrEnum):
    """The state of a submission on the marketplace."""

    RESERVED = "reserved"
    ACTIVE = "active"
    AWAITING = "awaiting"  # the participant is back, and somebody must decide
    APPROVED = "approved"
    PARTLY_APPROVED = "partly_approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    TIMED_OUT = "timed_out"
    SCREENED_OUT = "screened_out"
    UNKNOWN = "unknown"


class StudyStatus(StrEnum):
    """The state of a study on the marketplace."""

    DRAFT = "draft"
    SCHEDULED = "scheduled"
    ACTIVE = "active"
    PAUSED = "paused"
    STOPPED = "stopped"  # also where all places are taken


@dataclass(frozen=True, slots=True)
class StudySpec:
    """A study to create. Times in minutes; `reward` for a whole visit; `url` without the marketplace's parameters.

    `token` is permanent: the study is found by it again. Participants of `allow` groups only, and of no `block` group.
    """

    token: str
    name: str
    description: str
    url: str
    reward: Decimal
    places: int
    minutes: int
    max_minutes: int
    codes: Mapping[str, str]  # {outcome: code}, for the outcomes that the kind knows
    screen_out_reward: Decimal = Decimal(0)  # paid by the marketplace itself to who brings the code for it
    screen_out_places: int = 0  # the most who are paid it
    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    warning: str = ""  # of content: "sensitive" or "explicit"
    warning_details: str = ""


@dataclass(frozen=True, slots=True)
class StudyState:
    """A study as the marketplace reports it. `cost`: with fees, in its currency; None if it does not say."""

    external_id: str
    status: StudyStatus
    places: int
    taken: int
    cost: Decimal | None = None
    reward: Decimal | None = None
    screen_out_places: int = 0  # the most who are paid for being screened out


@dataclass(frozen=True, slots=True)
class Submission:
    """A participant's stay as the marketplace reports it. `bonuses`: the amounts paid so far, in its currency."""

    external_id: str
    participant: str
    study: str
    status: Status
    code: str = ""
    started_at: datetime | None = None
    completed_at: datetime | None = None
    bonuses: tuple[Decimal, ...] = ()


@dataclass(frozen=True, slots=True)
class Subscription:
    external_id: str
    event: str
    url: str
    enabled: bool
    secret: str = ""  # only when it was just made


@dataclass(frozen=True, slots=True)
class StudyEvent:
    """A webhook's event. `resource_id`: of the submission or study; `status` in the marketplace's words."""

    id: str
    kind: str
    resource_id: str
    status: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """What a participant wrote to the requester on the marketplace."""

    external_id: str
    participant: str
    text: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a participant brings in the URL; empty where the marketplace does not say."""

    participant: str
    submission: str
    study: str = ""


class StudyMarketplace(Marketplace):
    """A marketplace that sends participants by link. It may offer nothing at all: then its studies are kept here.

    `codes`: the outcomes that it can be told of. `minimum_hourly`: the lowest wage that it allows, in its currency.
    `pays_screened_out`: whether it pays participants who are screened out a part of the reward.
    `smallest_part`: the lowest percentage of the reward that `approve_in_part` pays.
    `demographics`: names of the columns of its export that can be kept, in lower case; empty: any.
    `endpoint`, `worker_origin` and `fees`: defaults of a connection. `option_names`: {option of a connection: label}.
    `fees_source`: what is known of the fees, and as of when.
    """

    label: Any = ""  # for people
    endpoint: str = ""
    worker_origin: str = ""
    fees: str = pricing.NO_FEES
    fees_source: Any = ""
    option_names: Mapping[str, Any] = {}

    codes: tuple[Outcome, ...] = tuple(Outcome)
    minimum_hourly: Decimal = Decimal(0)
    pays_screened_out: bool = False
    smallest_part: int = 1
    demographics: frozenset[str] = frozenset()
    rejection_categories: tuple[tuple[str, Any], ...] = ()  # (value, label); empty: none are asked for
    shortest_rejection: int = 1  # letters of the reason

    @abstractmethod
    def ticket(self, query: Mapping[str, str]) -> Ticket:
        """The parameters of a participant's URL; an empty `participant` if they are missing."""

    @abstractmethod
    def parameters(self) -> str:
        """The query that the marketplace adds to the URL, with {names} for what differs by participant."""

    @abstractmethod
    def return_url(self, outcome: str, code: str, ticket: Ticket) -> str:
        """Where the participant goes at the end; "" if they only take the code along."""

    @optional
    def check_link(self, query: Mapping[str, str], ticket: Ticket, *, url: str, now: datetime) -> None:
        """Check what the marketplace signed in a link to `url`, if anything; Denied for what it did not sign."""

    # Studies: all or none.

    @optional
    def create_study(self, spec: StudySpec) -> str:
        """The id of the new draft; AlreadyThere with its id if there is one with the token."""

    @optional
    def update_study(self, study: str, spec: StudySpec) -> None:
        """Change a draft to these settings; twice is once."""

    @optional
    def study(self, study: str) -> StudyState: ...

    @optional
    def publish(self, study: str) -> None: ...

    @optional
    def pause(self, study: str) -> None: ...

    @optional
    def start(self, study: str) -> None:
        """Continue a paused study."""

    @optional
    def stop(self, study: str) -> None: ...

    @optional
    def set_places(self, study: str, places: int) -> None:
        """Raise the number of places to `places`; no effect if it has as many."""

    @optional
    def set_screen_out_places(self, study: str, places: int) -> None:
        """Raise the number of participants who are paid for being screened out; no effect if it is as high."""

    # Publishing later: both or none.

    @optional
    def schedule(self, study: str, when: datetime) -> None:
        """Have a draft published at that time; no effect if it is scheduled already."""

    @optional
    def unschedule(self, study: str) -> None:
        """Make a scheduled study a draft again; no effect on a draft."""

    # Submissions: `submission`, `submissions` and `approve` all or none.

    @optional
    def submission(self, submission: str) -> Submission:
        """One submission; Gone for what it does not know."""

    @optional
    def submissions(self, study: str) -> Iterator[Submission]: ...

    @optional
    def approve(self, submissions: Sequence[str]) -> None:
        """Approve submissions; twice is once. TryAgain while a participant is still on the way back."""

    @optional
    def reject(self, submission: str, *, reason: str, category: str) -> None: ...

    @optional
    def request_return(self, submission: str, *, reason: str) -> None: ...

    @classmethod
    def pays_parts(cls, options: Mapping[str, str]) -> bool:
        """Whether a connection with these options can approve in part."""
        return False

    @optional
    def approve_in_part(self, submission: str, *, token: str, percent: int, text: str) -> None:
        """Approve a submission for a part of the reward of the study with that token; twice is once.

        TryAgain while the participant is still on the way back.
        """

    # Bonuses: both or none.

    @optional
    def prepare_bonuses(self, study: str, amounts: Sequence[tuple[str, Decimal]]) -> str:
        """The id of a payment of bonuses, by submission; nothing is paid yet."""

    @optional
    def pay_bonuses(self, payment: str) -> None:
        """Pay a prepared payment. Pays at every call, so it is never called twice for one payment."""

    # Groups of participants: all or none.

    @optional
    def ensure_group(self, name: str) -> str:
        """The id of the group of that name, made if it is missing."""

    @optional
    def group_members(self, group: str) -> set[str]: ...

    @optional
    def add_to_group(self, group: str, participants: Sequence[str]) -> None: ...

    @optional
    def remove_from_group(self, group: str, participants: Sequence[str]) -> None: ...

    @optional
    def message(self, participants: Sequence[str], study: str, text: str) -> None: ...

    @optional
    def received_messages(self, since: datetime) -> Iterator[ReceivedMessage]:
        """What participants wrote since then, again at every call."""

    # Webhooks: all or none.

    @optional
    def subscribe(self, event: str, url: str) -> Subscription:
        """A new, confirmed subscription, with the secret of its signatures."""

    @optional
    def unsubscribe(self, subscription: str) -> None:
        """End a subscription; Gone counts as ended."""

    @optional
    def subscriptions(self) -> Iterator[Subscription]: ...

    @classmethod
    @optional
    def verify(cls, secret: str, headers: Mapping[str, str], body: bytes) -> StudyEvent:
        """The event of a delivery; Denied for a wrong signature. Its age is judged by the flow."""
