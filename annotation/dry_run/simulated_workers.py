"""Simulated workers, who find, accept, answer, return and abandon HITs through the product's pages; the outcome of it.

Time is simulated: events are ordered by a clock of their own, and stored times are set back accordingly. So an
afternoon takes a minute, and leases expire in simulated time.
"""

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import Sum
from django.db.models.functions import Now

from annotation.dry_run import forecast
from annotation.dry_run.forecast import Persona, WorkerModel
from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.flow.work import leases
from annotation.models import Assignment, Attempt, Batch, Hit, User, Worker
from annotation.operations.page_browser import Browser, FormPage, PageError
from annotation.pure.batches import lifecycle
from annotation.registry import form_class, task_type
from annotation.tasktype import TaskType, capabilities
from annotation.views.work.practice import right_fields
from annotation.views.work.task_frame import shown_payload

LOOKS_AGAIN = 1800.0  # seconds after which a worker who found nothing looks again
MOST_LOOKS = 3
MOST_PAGES = 40  # before an assignment: instructions, practice, feedback


@dataclass
class SimulatedWorker:
    """A simulated worker with a browser; `page` is their current assignment."""

    number: int
    persona: Persona
    worker: Worker
    browser: Browser[FormPage]
    looks: int = 0
    page: FormPage | None = None


@dataclass
class Simulation:
    """A dry run; `times` is {assignment: (began, ended)} in simulated time."""

    batch: Batch
    crowd: WorkerModel
    rng: Random
    workers: list[SimulatedWorker]
    times: dict[int, tuple[float, float]] = field(default_factory=dict)
    returned: int = 0
    abandoned: int = 0
    refused: int = 0


def workers(batch: Batch, base: str, personas: Sequence[Persona]) -> list[SimulatedWorker]:
    """The workers, with accounts in the copy, consent given, and a session each."""
    found = []
    for number, persona in enumerate(personas):
        user = User.objects.create_user(f"dry-run-{number}", password=None)
        version = batch.project.consent_version
        worker = Worker.objects.create(project=batch.project, user=user, consented_version=version, consented_at=Now())
        found.append(SimulatedWorker(number, persona, worker, Browser(base, read=FormPage, session=_session(user))))
    return found


def _session(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def run_simulation(play: Simulation, progress: Callable[[int, int], None]) -> None:
    """Let the workers work until nothing is left for them, or they stop."""
    total = assignments_requested(play.batch)
    events = [(worker.persona.comes, worker.number) for worker in play.workers]
    expiries: list[tuple[float, int]] = []
    heapq.heapify(events)
    while events:
        now, number = heapq.heappop(events)
        while expiries and expiries[0][0] <= now:
            _lapse(heapq.heappop(expiries)[1])
        after = _turn(play, play.workers[number], now, expiries)
        if after is not None:
            heapq.heappush(events, (after, number))
        progress(min(len(play.times), total), total)


def assignments_requested(batch: Batch) -> int:
    """How many responses the copy asks for."""
    return batch.hits.filter(check_item=False).aggregate(n=Sum("wanted"))["n"] or 0


def _turn(play: Simulation, worker: SimulatedWorker, now: float, expiries: list[tuple[float, int]]) -> float | None:
    """One assignment of one worker; returns when they come again, or None if they stop."""
    page = worker.page or _walk(play, worker, worker.browser.open("/work/"))
    worker.page = None
    if "/assignments/" not in page.path:
        worker.looks += 1
        return now + LOOKS_AGAIN if worker.looks < MOST_LOOKS else None
    row = _row(page)
    expected = capabilities.seconds(task_type(play.batch.task), row.hit.payload) or play.batch.expected_seconds
    ended = now + forecast.seconds(worker.persona, expected, play.rng)
    terms = forecast.act(play.crowd, play.rng)
    if terms == forecast.ABANDON:
        play.abandoned += 1
        heapq.heappush(expiries, (now + play.batch.lease_seconds, row.pk))
        return None
    if terms == forecast.RETURN:
        play.returned += 1
        _return_assignment(worker, page)
        return now + (ended - now) / 3
    if not _answer(play, worker, page, row, took=ended - now):
        return ended
    play.times[row.pk] = (now, ended)
    if not forecast.stops(play.crowd, play.rng):
        return ended
    if worker.page is not None:
        _return_assignment(worker, worker.page)
    return None


def _row(page: FormPage) -> Assignment:
    public_id = page.path.split("/assignments/")[1].split("/")[0]
    return Assignment.objects.select_related("hit__item", "batch").get(public_id=public_id)


def _lapse(pk: int) -> None:
    """Let the lease of an abandoned assignment expire."""
    Assignment.objects.filter(pk=pk, state=lifecycle.ACCEPTED).update(lease_until=Now() - timedelta(seconds=1))
    leases.expire_due()


def _walk(play: Simulation, worker: SimulatedWorker, page: FormPage) -> FormPage:
    """From the list of work to an assignment, through instructions, practice and feedback; else the last page."""
    try:
        page = worker.browser.post(*page.form(f"/work/batches/{play.batch.pk}/start/"))
    except LookupError:
        return page
    for _page in range(MOST_PAGES):
        if "/assignments/" in page.path or page.path.endswith("/done/"):
            return page
        if exercise := re.search(r"/practice/([0-9]+)/$", page.path):
            page = _practise(play, worker, page, int(exercise[1]))
        else:
            page = worker.browser.post(*page.form(page.path))
    return page


def _practise(play: Simulation, worker: SimulatedWorker, page: FormPage, number: int) -> FormPage:
    url, hidden = page.form(page.path)
    page = worker.browser.post(url, hidden | right_fields(play.batch, worker.worker, number))
    return worker.browser.post(*page.form("/done/"))


def _answer(play: Simulation, worker: SimulatedWorker, page: FormPage, row: Assignment, *, took: float) -> bool:
    """Submit a simulated response; False, and the HIT returned, if the page refuses it."""
    right = play.rng.random() < worker.persona.skill
    task, example = task_type(row.batch.task), row.hit.item.example
    answer = capabilities.imitate(task, row.hit.payload, example, play.rng, right=right)
    Assignment.objects.filter(pk=row.pk).update(accepted_at=Now() - timedelta(seconds=took))
    url, hidden = page.form("/submit/")
    fields = form_class(row.batch.task)(shown_payload(task, row)).posted(answer or {})
    try:
        came = worker.browser.post(url, hidden | fields | {"active_seconds": f"{took:.1f}"})
    except PageError as refusal:
        if refusal.code != 422:
            raise
        play.refused += 1
        _return_assignment(worker, page)
        return False
    is_to_answer = "/assignments/" in came.path and _row(came).state == lifecycle.ACCEPTED
    worker.page = came if is_to_answer else None
    return True


def _return_assignment(worker: SimulatedWorker, page: FormPage) -> None:
    worker.browser.post(*page.form("/return/"))


def outcome(play: Simulation, *, wanted: int, seed: int) -> dict[str, Any]:
    """The forecast as JSON, with the number of requests; {"error"} without responses."""
    done = list(_done(play))
    passed = [bool(attempt.passed) for attempt in Attempt.objects.filter(passed__isnull=False)]
    counts = {"returned": play.returned, "abandoned": play.abandoned, "refused": play.refused}
    try:
        found = forecast.forecast(
            done, asked=max(1, assignments_requested(play.batch)), wanted=wanted, seed=seed, passed=passed, **counts
        )
    except ValueError as nothing:
        return {"error": str(nothing)}
    requests = sum(worker.browser.requests for worker in play.workers)
    return {**forecast.as_json(found), "requests": requests, "people": len(play.workers)}


def _grade(task: TaskType, hit: Hit, answer: Any) -> float | None:
    """The response's grade; None where its item has no gold to grade by."""
    gold = hit.item.example
    return task.grade(hit.payload, answer, gold) if task.gradable(hit.payload, gold) else None


def _done(play: Simulation) -> Iterator[forecast.SimulatedResponse]:
    task = task_type(play.batch.task)
    rows = Assignment.objects.filter(batch=play.batch, state=lifecycle.SUBMITTED, hit__check_item=False)
    for row in rows.select_related("hit__item", "batch__project"):
        if row.pk not in play.times or row.current is None:
            continue
        began, ended = play.times[row.pk]
        earned = assignment_approval.earned(row) if row.batch.auto_approval is not None else Decimal(0)
        yield forecast.SimulatedResponse(
            worker=row.worker_id,
            item=row.hit_id,
            grade=_grade(task, row.hit, row.current.answer),
            began=began,
            ended=ended,
            earned=earned,
            fee=ledger.fee_on(row.batch, "reward", earned, assignments=row.hit.wanted),
        )
