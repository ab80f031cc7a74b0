"""Who acts in a simulation. An act is (what the history says, the function); its result is what came of it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from django.conf import settings

from annotation import discovery, jobs
from annotation.flow.batches import add_assignments, batch_launch
from annotation.flow.errors import Conflict, Refused
from annotation.flow.money import ledger, payouts
from annotation.flow.projects import job_queue
from annotation.flow.review import adjudication, assignment_approval, problem_reports
from annotation.flow.work import leases, next_assignment, prefetch, submissions
from annotation.marketplaces.flow import hit_sync, payments, publications
from annotation.models import Adjudication, Assignment, Batch, Hit, Job, Participation, PayoutLine, Worker
from annotation.models.fields import to_text
from annotation.registry import task_type
from annotation.views.work.task_frame import shown_payload
from annotation.webhooks import deliveries, subscriptions
from annotation.webhooks.models import Delivery
from tests.conftest import answer_to, write_records
from tests.flow.acting import draft
from tests.simulation.marketplace import GuestActs
from tests.simulation.model_endpoint import AskingActs
from tests.simulation.outside import resume_webhooks
from tests.simulation.prolific import ParticipantActs, StudyActs, serving
from tests.simulation.scheduler import Act, Actor, Scheduler
from tests.simulation.world import CANARY, GUESTS, PARTICIPANTS, World, overdue

Choice = tuple[str, Act]


def actors(world: World, scheduler: Scheduler) -> list[Actor]:
    chance = scheduler.chance
    guests = [GuestActs(world, chance, f"GUEST{k}").choose for k in range(1, GUESTS + 1)]
    workers = [WorkerActs(world, chance, row).choose for row in world.workers]
    come = [f"P{k}" for k in range(1, PARTICIPANTS + 1)]
    participants = [ParticipantActs(world, chance, name, partial(working, world, chance)).choose for name in come]
    requester, payer = RequesterActs(world, chance).choose, partial(paying, world, chance)
    on_panel = [
        *(Actor(f"participant {k}", choose, weight=3.0) for k, choose in enumerate(participants, 1)),
        *(Actor(f"studies {k}", partial(serving, world, chance), weight=5.0, luckless=2.0) for k in (1, 2)),
        Actor("researcher", StudyActs(world, chance).choose, weight=5.0),
    ]
    return [
        *(Actor(f"worker {k}", choose, weight=2.5) for k, choose in enumerate(workers, 1)),
        *(Actor(f"guest {k}", choose, weight=2.0) for k, choose in enumerate(guests, 1)),
        *(Actor(f"publisher {k}", partial(publishing, chance), weight=5.0, luckless=2.0) for k in (1, 2)),
        *(Actor(f"requester {k}", requester, weight=2.0) for k in (1, 2)),
        *(Actor(f"asker {k}", AskingActs(world, chance).choose, weight=0.4, luckless=2.0) for k in (1, 2)),
        Actor("payer", payer, weight=0.6),
        *(Actor(f"sweep {k}", partial(sweeping, world, scheduler)) for k in (1, 2)),
        *(Actor(f"job worker {k}", partial(working_off, chance), weight=2.0, luckless=3.0) for k in (1, 2)),
        *(Actor(f"webhooks {k}", delivering, weight=6.0) for k in (1, 2)),
        *on_panel,
    ]


def refused(act: Callable[..., Any], **how: Any) -> str:
    """What came of an act that may be refused."""
    try:
        return str(act(**how))
    except (Refused, Conflict) as why:
        return f"refused: {type(why).__name__}"


class WorkerActs:
    """A worker with a page in a browser: what the page knows may be old."""

    def __init__(self, world: World, chance: Random, worker: Worker, batches: list[Batch] | None = None) -> None:
        self.world, self.chance, self.worker, self.batches = world, chance, worker, batches
        self.page: Assignment | None = None
        self.sent: tuple[Assignment, dict[str, Any], str, int] | None = None
        self.restores = 0

    def choose(self) -> Choice:
        if self.restores < self.world.restores:  # the page's address leads nowhere
            self.page, self.sent, self.restores = None, None, self.world.restores
        if self.page is None:
            again = self.chance.random() < 0.2
            return ("takes up an old item" if again else "takes an item"), partial(refused, self.take, again=again)
        acts: list[tuple[float, str, Callable[[], Any]]] = [
            (8, "submits", self.submit),
            (3, "saves a draft", self.draft),
            (3, "lets the next item be held", self.hold),
            (1, "returns the item", self.give_back),
            (0.5, "returns the item in another tab", partial(self.give_back, here=False)),
            (1, "takes an item", self.take),
            (1, "goes away", self.leave),
        ]
        if self.sent:
            acts += [(2, "sends the last form again", self.again), (1, "changes the last response", self.change)]
        weights = [weight for weight, _name, _act in acts]
        _weight, name, act = self.chance.choices(acts, weights)[0]
        return name, partial(refused, act)

    def participation(self) -> Participation:
        batch = self.page.batch if self.page else self.chance.choice(self.batches or self.world.batches)
        return self.joined(batch)

    def joined(self, batch: Batch) -> Participation:
        known = Participation.objects.select_related("batch__project", "worker").filter(worker=self.worker, batch=batch)
        if not known.exists():
            next_assignment.read_instructions(next_assignment.join_batch(self.worker, batch), version=1)
        return known.get()

    def take(self, *, again: bool = False) -> str:
        self.page = self.old() if again else next_assignment.claim(self.participation())
        if self.page and CANARY in to_text(shown_payload(task_type(self.page.batch.task), self.page)):
            self.world.seen_outside.append(f"the page of assignment {self.page.pk} shows gold")
        return f"HIT {self.page.hit_id}" if self.page else "there is none"

    def old(self) -> Assignment | None:
        """One that was returned or expired, taken up again."""
        rows = Assignment.objects.filter(worker=self.worker, state__in=["returned", "expired"]).order_by("pk")
        row = self.chance.choice([*rows.select_related("batch__project", "hit"), None])
        return row if row and next_assignment.take_up(row) else None

    def leave(self) -> str:
        self.page = None
        return "done"

    def hold(self) -> str:
        held = prefetch.hold(self.participation())
        return f"HIT {held.hit_id}" if held else "none"

    def draft(self) -> str:
        assert self.page is not None
        version = self.page.draft_version
        self.page.draft_version = submissions.save_draft(
            self.page, self.answer(), version=version, active_seconds=self.chance.randrange(60)
        )
        return f"version {self.page.draft_version}"

    def answer(self) -> dict[str, Any]:
        assert self.page is not None
        right = answer_to(self.page)
        return (
            right
            if self.chance.random() < 0.7
            else {**right, "kind": "typed", "text": "Farrow", "paragraph": None, "start": None, "end": None}
        )

    def submit(self) -> str:
        assert self.page is not None
        form = (self.page, self.answer(), f"{self.page.revision}.{self.chance.getrandbits(40):x}", self.page.revision)
        self.sent = form
        row, answer, key, base = form
        self.world.forms.setdefault(row.pk, set()).add(key)
        seat = Participation.objects.select_related("batch__project", "worker").get(worker=self.worker, batch=row.batch)
        of_next = {"participation": seat, "ahead": True} if prefetch.applies(row.batch) else {}
        said, following = submissions.submit_and_claim(
            row,
            submissions.Form(answer, key, base, 30.0, **of_next),
            lambda receipt: (receipt, seat.claimed or next_assignment.claim(seat)),
        )
        self.acknowledge(form, said)
        self.page = following
        return f"HIT {form[0].hit_id}, revision {said.revision}, then {following and following.hit_id}"

    def send(self, row: Assignment, answer: dict[str, Any], key: str, base: int) -> submissions.Receipt:
        self.world.forms.setdefault(row.pk, set()).add(key)
        return submissions.submit(row, answer, key=key, base=base, active_seconds=30.0)

    def acknowledge(self, form: tuple[Assignment, dict[str, Any], str, int], said: submissions.Receipt) -> None:
        row, answer, _key, _base = form
        self.world.acknowledged[row.pk, said.revision] = to_text(answer)

    def again(self) -> str:
        assert self.sent is not None
        row = Assignment.objects.select_related("batch__project", "hit").get(pk=self.sent[0].pk)
        form = (row, *self.sent[1:])
        said = self.send(*form)
        self.acknowledge(form, said)
        return f"HIT {row.hit_id}, revision {said.revision}"

    def change(self) -> str:
        assert self.sent is not None
        row = Assignment.objects.select_related("batch__project", "hit").get(pk=self.sent[0].pk)
        form = (row, {**self.sent[1], "support": []}, f"{row.revision}.{self.chance.getrandbits(40):x}", row.revision)
        said = self.send(*form)
        self.acknowledge(form, said)
        return f"HIT {row.hit_id}, revision {said.revision}"

    def give_back(self, *, here: bool = True) -> str:
        assert self.page is not None
        done = leases.return_assignment(self.page)
        self.page = None if here else self.page
        return str(done)


def working(world: World, chance: Random, worker: Worker, batches: list[Batch]) -> Callable[[], Choice]:
    """What somebody who came by link does on the pages of work."""
    return WorkerActs(world, chance, worker, batches).choose


class RequesterActs:
    """A requester with pages of a while ago."""

    def __init__(self, world: World, chance: Random) -> None:
        self.world, self.chance = world, chance

    def choose(self) -> Choice:
        batch = self.chance.choice([*self.world.batches, *[self.world.abroad] * 3, *self.world.studies])
        acts: list[tuple[float, str, Callable[[], Any]]] = [
            (6, "approves", self.approve),
            (4, "rejects", self.reject),
            (6, "gives a bonus", self.bonus),
            (3, "pauses a batch", partial(self.move, batch_launch.pause, "open")),
            (6, "resumes a batch", partial(self.move, batch_launch.resume, "paused", "closed")),
            (1, "closes a batch", partial(self.move, batch_launch.close, "open", "paused")),
            (1, "excludes a HIT", self.exclude),
            (2, "restores a HIT", self.restore),
            (2, f"adds assignments to {batch.slug}", partial(self.top_up, batch)),
            (2, "puts money in", self.deposit),
            (2, "adjudicates", self.adjudicate),
            (8, f"asks for the report of {batch.slug}", partial(self.score, batch)),
            (1, "resumes the webhook", resume_webhooks),
            (1, "uploads a dataset", self.upload),
            (4, "launches a batch", self.launch),
            (3, "publishes again what failed", lambda: publications.try_again(self.world.abroad)),
            (1, "pays again what failed", lambda: payments.try_again(self.world.abroad)),
            (1, "looks up the marketplace's HITs", lambda: hit_sync.catch_up(self.world.abroad)),
        ]
        _weight, name, act = self.chance.choices(acts, [weight for weight, _name, _act in acts])[0]
        return name, partial(refused, act)

    def one(self, **which: Any) -> Assignment | None:
        rows = list(Assignment.objects.filter(**which).select_related("batch__project", "hit").order_by("pk"))
        return self.chance.choice(rows) if rows else None

    def paid(self) -> list[Batch]:
        return [self.world.batches[0], self.world.abroad, *self.world.studies]

    def approve(self) -> str:
        row = self.one(state="submitted", batch__in=self.paid())
        return f"assignment {row.pk}: {assignment_approval.approve(row)}" if row else "none"

    def reject(self) -> str:
        row = self.one(state="submitted", approval="", batch__in=self.paid()[self.chance.choice((0, 1, 1)) :])
        return f"assignment {row.pk}: {assignment_approval.reject(row, text='No.')}" if row else "none"

    def bonus(self) -> str:
        row = self.one(approval="approved", **({"batch": self.world.abroad} if self.chance.random() < 0.5 else {}))
        if row is None:
            return "none"
        key = f"bonus {row.pk} {self.chance.randrange(3)}"
        self.world.bonuses.add(key)
        return f"{assignment_approval.add_payment(row, 'bonus', Decimal('0.10'), key=key).key}"

    def move(self, way: Callable[[Batch], bool], *since: str) -> str:
        """Of a batch in one of these states, often of that on the marketplace."""
        rows = list(Batch.objects.filter(state__in=since).select_related("project").order_by("-on_marketplace", "pk"))
        if not rows:
            return "there is none"
        batch = self.chance.choice([*rows, *rows[:1] * len(rows)])
        return f"{batch.slug}: {way(batch)}"

    def hit(self) -> Hit:
        return self.chance.choice(list(Hit.objects.select_related("batch__project").order_by("pk")))

    def exclude(self) -> str:
        hit = self.hit()
        return f"HIT {hit.pk}: {problem_reports.exclude(hit, reason='broken')}"

    def restore(self) -> str:
        left_out = Hit.objects.select_related("batch__project").exclude(excluded_at=None).order_by("pk").first()
        hit = left_out or self.hit()
        return f"HIT {hit.pk}: {problem_reports.restore(hit)}"

    def top_up(self, batch: Batch) -> str:
        batch.refresh_from_db()
        return str(add_assignments.add_assignments(batch, base=batch.next_ticket))

    def launch(self) -> str:
        if again := launch_again():
            return again
        slug = f"more-{self.chance.getrandbits(24):06x}"
        terms: dict[str, Any] = {"expected_seconds": 60, "assignments_per_hit": 2, "size": 4}
        abroad = self.chance.random() < 0.6
        if abroad:
            market = self.world.abroad.marketplace.connection
            terms |= {"reward": Decimal("0.05"), "auto_approval": 3600, "marketplace": market}
        batch = draft(self.world.project, slug, self.world.dataset, **terms)
        self.world.batches += [] if abroad else [batch]
        job = jobs.enqueue("launch_batch", project=batch.project, title="Launch", arguments={"batch": batch.pk})
        return f"{slug}, job {job.pk}"

    def upload(self) -> str:
        name = f"upload-{self.chance.getrandbits(24):06x}"
        folder = Path(settings.MEDIA_ROOT)
        folder.mkdir(exist_ok=True)
        arguments = {"path": str(write_records(folder / name, 2)), "format": "jsonl", "name": name}
        return f"job {jobs.enqueue('import_dataset', project=self.world.project, title=name, arguments=arguments).pk}"

    def deposit(self) -> str:
        ledger.deposit(self.world.project, Decimal("1.00"), key=f"deposit {self.chance.randrange(40)}")
        return "done"

    def adjudicate(self) -> str:
        row = self.one(state="submitted", counts=True)
        if row is None:
            return "none"
        made = Adjudication(hit=row.hit, assignment=row, revision=row.revision, decision="accepted")
        return f"HIT {row.hit_id}: {adjudication.decide(made)}"

    def score(self, batch: Batch) -> str:
        job = jobs.enqueue("score_batch", project=batch.project, title="Report", arguments={"batch": batch.pk})
        return f"job {job.pk}"


def paying(world: World, chance: Random) -> Choice:
    def settle() -> str:
        lines = list(PayoutLine.objects.select_related("payout__project", "worker").order_by("pk"))
        if not lines:
            return "none"
        line, to = chance.choice(lines), chance.choice(["paid", "failed"])
        return f"line {line.pk} {to}: {payouts.decide(line, to)}"

    def repeat() -> str:
        row = Delivery.objects.filter(state="failed").order_by("pk").first()
        return f"delivery {row.pk}: {subscriptions.try_again(row)}" if row else "none"

    def work_again() -> str:
        if not (job := Job.objects.filter(state="failed").order_by("pk").first()):
            return "none"
        said = job_queue.try_again(job)
        world.ended.pop(job.pk, None)  # it may end again before anybody looks, as somebody may have until now
        return f"job {job.pk}: {said}"

    if chance.random() < 0.4:
        return chance.choice([("sends a failed webhook again", repeat), ("tries a failed job again", work_again)])
    if chance.random() < 0.5:
        return "makes a payout", partial(refused, lambda: payouts.make_payout(world.project).number)
    return "settles a line", partial(refused, settle)


FILES = {"annotation.operations.backup"}  # copies of the database, which other tests look at


def sweeps() -> list[Callable[[], object]]:
    found = [*jobs.SWEEPS, *discovery.listed("SWEEPS"), *jobs.ERRANDS, *discovery.listed("ERRANDS")]
    return [act for act in found if act.__module__ not in FILES]


def sweeping(world: World, scheduler: Scheduler) -> Choice:
    chance = scheduler.chance
    act = chance.choice(jobs.SWEEPS[:9] if chance.random() < 0.6 else sweeps())  # most often those of work and money

    def sweep() -> str:
        sets, due = world.clock_sets, overdue(act)
        found = act()
        if due and sets == world.clock_sets:
            world.outlived.update(due & overdue(act))
        return str(found or "done")

    return f"runs {act.__module__.rpartition('.')[2]}.{act.__name__}", sweep


def publishing(chance: Random) -> Choice:
    act = chance.choice([publications.sweep, payments.sweep, hit_sync.sweep])
    return f"runs {act.__module__.rpartition('.')[2]}.sweep", lambda: str(act())


def working_off(chance: Random) -> Choice:
    def work() -> str:
        job = job_queue.take()
        if job is None:
            return "nothing is due"
        job_queue.run(job, jobs.verbs())
        return f"job {job.pk} ({job.kind}), try {job.tries}"

    return "works off a job", work


def delivering() -> Choice:
    return "delivers", lambda: str(deliveries.deliver_due(seconds=300.0))


def launch_again() -> str:
    """Launch what stayed half launched because its job failed three times: its page and `doctor` say so."""
    for batch in Batch.objects.filter(state="launching").select_related("project").order_by("pk"):
        wish: dict[str, Any] = {"kind": "launch_batch", "arguments": {"batch": batch.pk}}
        if not Job.objects.filter(**wish, state__in=["waiting", "running"]).exists():
            return f"{batch.slug} again, job {jobs.enqueue(**wish, project=batch.project, title='Launch').pk}"
    return ""
