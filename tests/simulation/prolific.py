"""Prolific in a simulation: its emulator behind calls that may fail, participants, and who decides on them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock
from urllib.parse import parse_qsl, urlsplit

import urllib3
from django.db.models import QuerySet
from django.utils import timezone
from prolific_emulator import routing, submissions, webhooks
from prolific_emulator import world as emulated
from prolific_emulator.server import Emulator
from prolific_emulator.world import Problem

from annotation import jobs
from annotation.flow.errors import Conflict, Refused
from annotation.flow.people import consent
from annotation.flow.review import assignment_approval
from annotation.marketplaces.base import Denied
from annotation.marketplaces.flow import bonuses, payments, studies, study_events, study_sync, visit_decisions, visits
from annotation.marketplaces.models import PanelStudy, Visit, VisitBonus
from annotation.models import Assignment, Batch, Worker
from tests.flow.acting import draft
from tests.simulation.outside import Outside, reliable
from tests.simulation.visit_books import amounts, cents
from tests.simulation.world import VISITS, World

Choice = tuple[str, Callable[[], str]]
PAY = "POST bulk-bonus-payments/{id}/pay/"  # which pays at every call, so that nobody could undo a doubled one
APPROVE = "POST submissions/bulk-approve/"
# what is said instead of a reply, and how often
INSTEAD = {"": 90, "429": 4, "500, not done": 3, "500, but done": 3, "400, not done": 0}
INSTEAD_OF_PAYING = (55, 25, 10, 10, 0)  # which is rare
CAN_BE_DENIED = {PAY, "PATCH studies/{id}/", "POST studies/", "POST studies/{id}/transition/"}
CAN_BE_DENIED |= {"POST submissions/bonus-payments/"}
DELAYS = (timedelta(0), timedelta(minutes=1), timedelta(minutes=8))  # of approvals and bonuses
MOST_STUDIES = 12
UNKNOWN = 7  # cents
REASON = "The responses do not follow the instructions, in which we asked for whole names, and most are empty. " * 2


@dataclass
class Panel(emulated.World):
    """What is on Prolific, by the simulation's clock.

    `restored`: the bonuses in cents of each submission when a copy was restored last, `asked`: those of ours before it.
    """

    restored: dict[str, Counter[int]] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)

    def now(self) -> datetime:
        return timezone.now()


class Service(Emulator):
    """The emulator without its server."""

    def __init__(self, there: Panel) -> None:
        self.world, self.watch = there, None


@dataclass
class Answer:
    """As much of urllib3's response as our client uses."""

    status: int
    data: bytes
    headers: dict[str, str] = field(default_factory=dict)


def says(instead: str) -> str:
    return f"Prolific says: {instead or 'what it did'}"


class Pool:
    def __init__(self, outside: Outside, there: Panel) -> None:
        self._outside, self._there = outside, there

    def request(self, method: str, url: str, *, body: bytes | None, **_: Any) -> Answer:
        self._outside.look("Prolific", body)
        parts, chance = urlsplit(url), self._outside.scheduler.chance
        name = f"{method} {routing.find(method, parts.path)[0].removeprefix('/api/v1/')}"
        is_fine = reliable(self._outside.scheduler)
        weights = INSTEAD_OF_PAYING if name == PAY else [*INSTEAD.values()]
        instead = "" if is_fine else chance.choices([*INSTEAD], weights)[0]
        if name in CAN_BE_DENIED and self._outside.refuses(name):
            instead = "400, not done"
        delay, is_half, came = chance.choice(DELAYS), not is_fine and chance.random() < 0.2, list[Answer]()

        def do() -> Answer:
            if instead == "429" or instead.endswith("not done"):
                return Answer(int(instead[:3]), b'{"error": {"title": "not now"}}')
            if name == PAY and came:
                return came[0]
            self._there.approval_delay = self._there.bonus_delay = delay
            asked = json.loads(body) if body else {}
            reply = Service(self._there).answer(method, parts.path, dict(parse_qsl(parts.query)), asked)
            if name == APPROVE and is_half and self._there.delayed:
                self._there.delayed.pop()  # the last is never carried out
            data = b"" if reply.status == 204 else json.dumps(reply.body).encode()
            came.append(Answer(500 if instead else reply.status, data, dict(reply.headers)))
            return came[-1]

        self._outside.met[says(instead)] += 1
        nothing = urllib3.exceptions.ReadTimeoutError(None, url, "no reply")  # type: ignore[arg-type]  # no pool
        return self._outside.call(name, do, lambda: nothing, heard=instead.startswith("4"))


@contextmanager
def reached(outside: Outside, world: World) -> Iterator[None]:
    """Let calls to Prolific come to the emulator, and its events to us."""
    from annotation.marketplaces.prolific import client

    pool = SimpleNamespace(PoolManager=lambda **_: Pool(outside, world.panel), Timeout=urllib3.Timeout)

    def post(_url: str, body: bytes, headers: dict[str, str]) -> bool:
        try:
            outside.call("event", lambda: None, TimeoutError)
            study_events.receive(world.studies[0].marketplace.connection, headers, body)
        except (Denied, TimeoutError):
            return False
        return True

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(client, "urllib3", pool))
        stack.enter_context(mock.patch.object(webhooks, "_post", post))
        yield


def serving(world: World, chance: Random) -> Choice:
    """What a server does about studies, or Prolific's about its events."""
    modules = (studies, study_sync, visit_decisions, bonuses, visits, study_events)
    module = chance.choices([*modules, None], (12, 4, 4, 20, 1, 1, 1))[0]
    if module is None:
        return "delivers Prolific's events", lambda: deliver(world.panel)
    return f"runs {module.__name__.rpartition('.')[2]}.sweep", lambda: f"{module.sweep()} done"


def deliver(there: Panel) -> str:
    rows = webhooks.due(there)
    for event in rows:
        webhooks.deliver(there, event)
    return f"{len(rows)} events"


def told(act: Callable[[], Any]) -> str:
    """What came of an act that may be refused."""
    try:
        return str(act())
    except (Refused, Conflict, Problem) as why:
        return f"refused: {type(why).__name__}"


class ParticipantActs:
    """Somebody who takes places on Prolific, comes by link, works like other workers, and goes back with a code."""

    def __init__(
        self, world: World, chance: Random, name: str, work: Callable[[Worker, list[Batch]], Callable[[], Choice]]
    ) -> None:
        self.world, self.there, self.chance, self.work = world, world.panel, chance, work
        self.name, self.number = name, 0
        self.place: submissions.Submission | None = None
        self.visit = self.restores = 0
        self.choose_work: Callable[[], Choice] | None = None

    def choose(self) -> Choice:
        if self.restores < self.world.restores:  # the visit may never have been
            self.choose_work, self.restores = None, self.world.restores
        if self.place is None:
            return "takes a place on Prolific", partial(told, self.reserve)
        if self.choose_work is None:
            return "opens the link", partial(told, self.open)
        luck = self.chance.random()
        if luck < 0.7:
            return self.choose_work()
        acts: list[tuple[float, str, Callable[[], str]]] = [
            (12, "looks where they stand", self.look),
            (2, "opens the link again", self.open),
            (0.5, "returns the place on Prolific", self.give_back),
            (0.5, "stops early", self.stop),
            (0.3, "forgets the study", self.forget),
        ]
        _weight, name, act = self.chance.choices(acts, [weight for weight, *_act in acts])[0]
        return name, partial(told, act)

    def reserve(self) -> str:
        submissions.act_on_time(self.there)
        found = [study for study in self.there.studies.values() if study["status"] == "ACTIVE"]
        if not found:
            return "there is none"
        self.number += self.chance.random() < 0.8  # else the same person comes to another study
        who = f"{self.name}x{self.number}"
        self.place = submissions.reserve(self.there, self.chance.choice(found), who)
        return f"{who} has {self.place.id[-6:]}"

    def open(self) -> str:
        assert self.place is not None
        try:
            url = urlsplit(submissions.start(self.there, self.place))
            if (study := visits.study_of(url.path.split("/")[2])) is None:  # an older database was restored
                return f"the study is not there: {self.forget()}"
            visit = visits.arrive(study, dict(parse_qsl(url.query)))
        except (Problem, visits.TurnedAway):
            self.forget()
            raise
        if not visit.worker.consented:
            consent.give(visit.worker, version=study.batch.project.consent_version)
        self.visit, self.choose_work = visit.pk, self.work(visit.worker, [study.batch])
        return f"visit {visit.pk}"

    def own(self) -> Visit:
        rows = Visit.objects.select_related("study__batch__project", "study__connection", "worker__project")
        return rows.get(pk=self.visit)

    def look(self) -> str:
        visit = self.own()
        progress = visits.visit_progress(visit)
        if visit.state == Visit.State.LIVE:
            return f"{progress.done} of {progress.wanted}"
        place, code = self.place, visit.study.codes.get(visit.outcome, "")
        self.forget()
        assert place is not None
        if not code:
            submissions.return_(self.there, place)
        elif self.chance.random() < 0.9:
            submissions.complete(self.there, place, code if self.chance.random() < 0.95 else "TYPO")
        return f"visit {visit.pk} is over, {visit.outcome or 'without a code'}"

    def give_back(self) -> str:
        place = self.place
        self.forget()
        assert place is not None
        submissions.return_(self.there, place)
        return "done"

    def stop(self) -> str:
        visits.leave(self.own())
        return "done"

    def forget(self) -> str:
        self.place, self.choose_work = None, None
        return "done"


class StudyActs:
    """A requester with studies."""

    def __init__(self, world: World, chance: Random) -> None:
        self.world, self.chance = world, chance

    def choose(self) -> Choice:
        acts: list[tuple[float, str, Callable[[], Any]]] = [
            (5, "publishes a study", partial(self.pursue, studies.Goal.ACTIVE, "draft", "paused")),
            (2, "pauses a study", partial(self.pursue, studies.Goal.PAUSED, "active")),
            (0.1, "stops a study", partial(self.pursue, studies.Goal.STOPPED, "active", "paused")),
            (1, "raises the places of a study", self.raise_places),
            (2, "launches a study", self.launch),
            (8, "approves a visit", partial(self.decide, partial(visit_decisions.approve, user=None))),
            (1, "rejects a visit", partial(self.decide, self.reject)),
            (6, "asks for the return of a visit", partial(self.decide, self.ask_to_return)),
            (1, "pays a visit in part", partial(self.decide, self.pay_part)),
            (20, "gives a bonus for a visit", self.bonus),
            (3, "gives a bonus on Prolific's own page", self.bonus_there),
            (4, "looks at unclear bonuses", partial(decide_unclear, self.world.panel)),
            (1, "compares a study", self.compare),
            (3, "tries again what failed", self.try_again),
        ]
        _weight, name, act = self.chance.choices(acts, [weight for weight, *_act in acts])[0]
        return name, partial(told, act)

    def one(self, rows: QuerySet[Any]) -> Any:
        found = list(rows.order_by("pk"))
        if not found:
            raise Refused("there is none")
        return self.chance.choice(found)

    def study(self, **which: Any) -> PanelStudy:
        study: PanelStudy = self.one(PanelStudy.objects.filter(**which).select_related("batch__project", "connection"))
        return study

    def pursue(self, goal: str, *since: str) -> str:
        study = self.study(goal__in=since)
        if study.goal == studies.Goal.DRAFT:
            studies.change(study, **VISITS)
        studies.pursue(study, goal)
        return f"study {study.pk}"

    def raise_places(self) -> str:
        study = self.study()
        studies.raise_places(study, study.places + 3)
        return f"study {study.pk}: {study.places + 3}"

    def launch(self) -> str:
        if len(self.world.studies) >= MOST_STUDIES:
            return "there are enough"
        first = self.world.studies[0]
        terms: dict[str, Any] = {"reward": first.reward, "auto_approval": 3600, "expected_seconds": 240, "size": 6}
        terms |= {"assignments_per_hit": 2, "marketplace": first.marketplace.connection}
        batch = draft(self.world.project, f"study-{self.chance.getrandbits(24):06x}", self.world.dataset, **terms)
        self.world.studies.append(batch)
        job = jobs.enqueue("launch_batch", project=batch.project, title="Launch", arguments={"batch": batch.pk})
        return f"{batch.slug}, job {job.pk}"

    def decide(self, way: Callable[[Visit], object]) -> str:
        rows = Visit.objects.filter(decision__in=["", "return"]).exclude(state="live")
        visit = self.one(rows.select_related(*RELATED))
        return f"visit {visit.pk}: {way(visit)}"

    def bonus(self) -> str:
        rows = Assignment.objects.filter(approval="approved", visited__isnull=False)
        if not rows.exists():
            return self.decide(partial(visit_decisions.approve, user=None))
        paid = rows.filter(payments__kind="reward", payments__state="paid")
        row = self.one((paid if paid.exists() else rows).select_related("batch__project"))
        key = f"bonus {row.pk} {self.chance.randrange(3)}"
        self.world.bonuses.add(key)
        return str(assignment_approval.add_payment(row, "bonus", Decimal("0.10"), key=key).key)

    def bonus_there(self) -> str:
        """A bonus of which nobody here knows, of an amount that none of ours has."""
        called = Visit.objects.filter(bonuses__state="called")
        in_flight = Visit.objects.filter(bonuses__state__in=VisitBonus.IN_FLIGHT)  # of which a person must decide then
        visit = self.one(in_flight if self.chance.random() < 0.05 else called)
        self.world.panel.submissions[visit.external_id].bonuses.append(UNKNOWN)
        self.world.panel.restored.setdefault(visit.external_id, Counter())[UNKNOWN] += 1
        return f"visit {visit.pk}"

    def reject(self, visit: Visit) -> bool:
        return visit_decisions.reject(visit, text=REASON, category="LOW_EFFORT", user=None)

    def ask_to_return(self, visit: Visit) -> bool:
        return visit_decisions.request_return(visit, text="Please return it.", user=None)

    def pay_part(self, visit: Visit) -> bool:
        return visit_decisions.pay_part(visit, percent=self.chance.randrange(10, 90), text="Half is done.", user=None)

    def compare(self) -> str:
        return str(study_sync.catch_up(self.study().batch))

    def try_again(self) -> str:
        study = self.study()
        studies.try_again(study)
        return f"study {study.pk}: {payments.try_again(study.batch)} payments"


RELATED = ("study__batch__project", "study__connection", "worker__project")


def begin(
    world: World, chance: Random, work: Callable[[Worker, list[Batch]], Callable[[], Choice]], number: int = 6
) -> None:
    """What happened before: the study is published, some came, did their HITs, and are approved and paid.

    What comes of the rarest calls is still to be sent: a bonus, a request for a return, a rejection, an approval.
    """
    for k in range(1, number + 1):
        early = ParticipantActs(world, chance, f"EARLY{k}", work)
        for _act in range(200):
            if early.place is None and early.number:
                break
            early.choose()[1]()
    acts = StudyActs(world, chance)
    approve = partial(acts.decide, partial(visit_decisions.approve, user=None))
    told(approve)
    for module in (study_sync, visit_decisions, study_sync):
        module.sweep()
    for act in (
        acts.bonus,
        partial(acts.decide, acts.ask_to_return),
        partial(acts.decide, acts.reject),
        approve,
        approve,
    ):
        told(act)


def decide_unclear(there: Panel) -> str:
    """Say of each bonus that we cannot tell whether it was paid what can be seen there."""
    rows = VisitBonus.objects.filter(state="unclear").select_related("visit__study__batch__project").order_by("pk")
    for row in rows:
        new = Counter(there.submissions[row.visit.external_id].bonuses) - amounts(row.visit, "paid")
        told(partial(study_sync.decide_bonus, row, was_paid=bool(new[cents(row.amount)])))  # refused if it changed
    return f"{len(rows)} of them"
