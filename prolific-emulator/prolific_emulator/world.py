"""What the emulated service holds, in memory, and its clock, which can be turned forward; its refusals."""

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

Detail = str | list[str] | dict[str, list[str]]
TITLES = {400: "Bad request", 401: "Not authenticated", 403: "Forbidden", 404: "Not found", 405: "Method not allowed"}
TITLES |= {
    415: "Unsupported media type",
    429: "Too many requests",
    500: "Internal server error",
    503: "Service unavailable",
}


class Problem(Exception):
    """A refusal with an HTTP status and the error's detail."""

    def __init__(self, status: int, detail: Detail, *, code: int = 140_000) -> None:
        super().__init__(str(detail))
        self.status, self.detail, self.code = status, detail, code

    def as_json(self) -> dict[str, Any]:
        title = TITLES.get(self.status, "Error")
        return {
            "error": {"status": self.status, "error_code": self.code, "title": title, "detail": self.detail,
                      "additional_information": "", "traceback": "", "interactive": False}
        }  # fmt: skip


def unknown(what: str, name: str) -> Problem:
    return Problem(404, f"No {what} was found with id {name}.", code=140_404)


RESERVED, ACTIVE, AWAITING = "RESERVED", "ACTIVE", "AWAITING REVIEW"
APPROVED, REJECTED, PARTIAL = "APPROVED", "REJECTED", "PARTIALLY APPROVED"
RETURNED, TIMED_OUT, SCREENED_OUT = "RETURNED", "TIMED-OUT", "SCREENED OUT"
HOLDS_PLACE = {RESERVED, ACTIVE, AWAITING, APPROVED, PARTIAL}  # the others give their place back
CENTURY = timedelta(days=36_525)
FEE = 0.428  # of rewards and bonuses, as companies pay it
# where a world keeps what
KEPT = {"study": "studies", "submission": "submissions", "bonus payment": "bonuses", "participant group": "groups",
        "filter set": "filter_sets", "workspace": "workspaces", "project": "projects",
        "subscription": "subscriptions"}  # fmt: skip


@dataclass
class Submission:
    """One participant's stay in one study."""

    id: str
    study: str
    participant: str
    status: str
    reserved_at: datetime
    url: str = ""  # of the study's page
    started_at: datetime | None = None
    completed_at: datetime | None = None
    code: str | None = None
    bonuses: list[int] = field(default_factory=list)  # pence or cents, one for each payment that was made
    return_requested: datetime | None = None
    reject_reason: str = ""
    part: int = 0  # pence or cents that were paid instead of the reward
    part_calls: int = 0  # how often that was asked for
    approvals: int = 0  # how often it went from another status to APPROVED


@dataclass
class BulkBonus:
    """A set of bonuses that was prepared; `calls` counts how often it was paid."""

    id: str
    study: str
    rows: list[tuple[str, int]]  # (submission, pence or cents)
    calls: int = 0


@dataclass
class Subscription:
    """A target of webhooks; nothing is delivered before it is confirmed."""

    id: str
    event_type: str
    target_url: str
    workspace_id: str
    hook_secret: str
    is_enabled: bool = False
    is_confirmed: bool = False
    failures: int = 0  # in a row


@dataclass
class Event:
    """One delivery of an event to one subscription; times are the clock's."""

    id: str
    subscription: str
    payload: dict[str, Any]
    created_at: datetime
    due_at: datetime
    status: str = "PENDING"
    tries: int = 0
    copies: int = 1  # how often it is delivered: more than once where the fault is drawn
    is_drawn: bool = False  # whether its faults were drawn

    def move(self, status: str) -> None:
        """Give it another status."""
        self.status = status


@dataclass
class World:
    """Everything there is. Whoever reads or writes it holds `lock`; `act_on_time` does what only time causes."""

    token: str = "emulator"  # noqa: S105  (the emulator guards nothing)
    seed: int = 0
    origin: str = ""  # scheme and host of the participants' pages
    currency: str = "GBP"
    funds: int = 10_000_000  # pence
    signs_links: bool = False  # whether the workspace has it
    pays_parts: bool = False  # whether the workspace has it
    approval_delay: timedelta = timedelta(0)  # of bulk approvals
    bonus_delay: timedelta = timedelta(0)
    ahead: timedelta = timedelta(0)  # by which the clock was turned
    signing_keys: dict[str, Any] = field(default_factory=dict)  # {key ID: private key}, made with the first token
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    test_participants: dict[str, str] = field(default_factory=dict)  # {email: id}
    test_studies: set[str] = field(default_factory=set)  # which cost nothing
    bonuses: dict[str, BulkBonus] = field(default_factory=dict)
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    filter_sets: dict[str, dict[str, Any]] = field(default_factory=dict)
    workspaces: dict[str, dict[str, Any]] = field(default_factory=dict)
    projects: dict[str, dict[str, Any]] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)  # {workspace: secret}
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    delayed: list[tuple[datetime, str, Any]] = field(default_factory=list)  # (when, "approve" or "bonus", what)

    def __post_init__(self) -> None:
        self.lock = threading.RLock()
        self.rng = Random(self.seed)
        self.owner = self.new_id()
        self.workspace = new_workspace(self, "Emulated workspace", "")["id"]  # the one with funds
        self.project = new_project(self, self.workspace, "Project")["id"]

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def turn(self, forward: timedelta) -> None:
        """Turn the clock forward; ValueError beyond a century."""
        if abs(self.ahead + forward) > CENTURY:
            raise ValueError("The clock can be turned by a century at most.")
        self.ahead += forward

    def new_id(self) -> str:
        """An id as theirs look: 24 hexadecimal digits."""
        return f"{self.rng.getrandbits(96):024x}"

    def find(self, what: str, name: str) -> Any:
        """The row of this kind, one of KEPT, with this id; Problem if there is none, or it is deleted."""
        found = getattr(self, KEPT[what]).get(name)
        if found is None or (isinstance(found, dict) and found.get("is_deleted")):
            raise unknown(what, name)
        return found

    def of_study(self, study: str) -> list[Submission]:
        return [one for one in self.submissions.values() if one.study == study]

    def places_taken(self, study: str) -> int:
        return sum(one.status in HOLDS_PLACE for one in self.of_study(study))

    def spent(self) -> int:
        """Pence that studies and bonuses took: places of open studies, and only work that was paid of closed ones."""
        rewards = 0.0
        for study in self.studies.values():
            if study["published_at"] is None or study["id"] in self.test_studies:
                continue
            is_over = study["status"] == "COMPLETED"
            places = self.places_taken(study["id"]) if is_over else study["total_available_places"]
            rewards += study["reward"] * places
            rewards -= sum(study["reward"] - one.part for one in self.of_study(study["id"]) if one.status == PARTIAL)
            screened_out = sum(one.status == SCREENED_OUT for one in self.of_study(study["id"]))
            rewards += screened_out * screen_out_reward(study)
        bonuses = sum(cents for one in self.bonuses.values() for _who, cents in one.rows * one.calls)
        return round((rewards + bonuses) * (1 + FEE))


def new_workspace(world: World, title: str, description: str) -> dict[str, Any]:
    """Add a workspace."""
    name, own = world.new_id(), {"owner": world.owner, "users": []}
    return world.workspaces.setdefault(name, {"id": name, "title": title, "description": description, **own})


def new_project(world: World, workspace: str, title: str) -> dict[str, Any]:
    """Add a project to a workspace."""
    row: dict[str, Any] = {"id": world.new_id(), "title": title, "description": "", "owner": world.owner, "users": []}
    row |= {"workspace": workspace, "type": "PRIVATE", "naivety_distribution_rate": None}
    return world.projects.setdefault(row["id"], row)


def screen_out_reward(study: dict[str, Any]) -> int:
    """Pence that the study pays somebody who is screened out."""
    actions = [action for code in study["completion_codes"] for action in code["actions"]]
    return next((action["fixed_screen_out_reward"] for action in actions if "fixed_screen_out_reward" in action), 0)


def stamp(when: datetime | None) -> str | None:
    """A time as their API writes it."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if when else None
