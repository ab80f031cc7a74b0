"""A run's calls: sent by several threads, repeated where that helps, and stored one by one.

Threads only send; rows are read and written by the caller's thread. What is stored is never asked again.
"""

import heapq
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import product
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.projects import audit_log
from annotation.judges import calls, prompts
from annotation.judges.calls import CeilingReached
from annotation.judges.chat_client import Broken, Busy, ChatClient, Rejected, Reply
from annotation.judges.models import SETTLED, ModelCall, ModelRun
from annotation.models import clock
from annotation.pure.net.backoff import wait_after

MOST_TRIES = 5  # of one item, before the others come first
ROUNDS = 5  # of failures of all threads in a row, before the run pauses
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=1), timedelta(minutes=2)
BEAT = 1.0  # seconds between two looks at the run's row
OnProgress = Callable[[int, int], None]
State = ModelCall.State


@dataclass(order=True, slots=True)
class Place:
    """One sample of one item that is to be asked; `due` by the monotonic clock."""

    due: float
    item: int
    sample: int
    tries: int = field(default=0, compare=False)
    repaired: bool = field(default=False, compare=False)
    before: tuple[str, str] | None = field(default=None, compare=False)  # a reply that does not fit, and why


@dataclass(slots=True)
class Sent:
    """A call under way."""

    place: Place
    one: prompts.Shown
    call: ModelCall


class Conversation:
    """One process's turn at a run that it took (`calls.take`)."""

    def __init__(self, run: ModelRun, *, progress: OnProgress, first_wait: timedelta = FIRST_WAIT) -> None:
        self.run, self._progress, self._first_wait = run, progress, first_wait
        self._client = ChatClient(run.endpoint, run.secret, threads=run.concurrency)
        self._rng = Random(f"{run.public_id}/{run.turn}")
        self._open: dict[Future[Reply], Sent] = {}
        self._later: list[Place] = []
        self._given_up: list[str] = []  # why, of places that failed too often
        self._hold = 0.0  # nothing is sent before
        self._settled = run.calls.filter(state__in=SETTLED).count()
        self._answered = run.calls.filter(state=State.ANSWERED).exists()
        self._fresh = self._places()
        self._trouble = ""
        self._beat = 0.0

    def _places(self) -> Iterator[Place]:
        """What is not settled; what failed before comes last."""
        rows = self.run.calls.values_list("item_id", "sample")
        settled = set(rows.filter(state__in=SETTLED))
        repaired = set(rows.filter(state=State.REPAIRED))
        failed = {
            (item, sample): n
            for item, sample, n in rows.annotate(n=Count("pk", filter=Q(state=State.FAILED))).order_by()
            if n
        }
        keys = product(prompts.item_keys(self.run), range(self.run.samples))
        due = [key for key in keys if key not in settled]
        for key in sorted(due, key=lambda each: failed.get(each, 0)):
            yield Place(0.0, *key, repaired=key in repaired)

    def go(self, *, seconds: float | None = None) -> None:
        """Ask until all is settled, the run stops, or the time is up; sets the run's state if it ended or paused.

        Raises Stopped if the run was paused or taken over; calls that were sent are settled first.
        """
        until = None if seconds is None else time.monotonic() + seconds
        with ThreadPoolExecutor(self.run.concurrency, "model-call") as pool:
            try:
                while not self._trouble and (until is None or time.monotonic() < until):
                    more = self._fill(pool)
                    if not self._open and not more:
                        break
                    self._look()
            finally:
                while self._open:
                    self._collect(None)
        if self._trouble:
            calls.pause(self.run, self._trouble)
        elif until is not None and (self._later or self._peek()):
            ModelRun.objects.filter(pk=self.run.pk, turn=self.run.turn).update(lease_until=None)
        elif self._given_up:
            text = _("%(n)s requests failed again and again. The last: %(why)s")
            calls.pause(self.run, text % {"n": len(self._given_up), "why": self._given_up[-1]})
        else:
            self._finish()

    def _peek(self) -> bool:
        """Whether a place is left that was not looked at."""
        if (place := next(self._fresh, None)) is not None:
            heapq.heappush(self._later, place)
        return place is not None

    def _fill(self, pool: ThreadPoolExecutor) -> bool:
        """Send as much as may be under way; False if nothing is left to send."""
        while len(self._open) < self.run.concurrency:
            now = time.monotonic()
            if now < self._hold:
                return True
            if self._later and self._later[0].due <= now:
                place = heapq.heappop(self._later)
            elif (fresh := next(self._fresh, None)) is not None:
                place = fresh
            else:
                return bool(self._later)
            if not self._send(pool, place):
                return bool(self._open)
        return True

    def _send(self, pool: ThreadPoolExecutor, place: Place) -> bool:
        """Reserve and send one call; False if the ceiling does not allow it now."""
        one = prompts.shown(self.run, place.item, place.sample)
        if one is None:
            return True
        body = prompts.body_of(self.run, one, place.sample, before=place.before)
        try:
            call = calls.reserve(self.run, place.item, place.sample, calls.worst(self.run, len(body)))
        except CeilingReached:
            heapq.heappush(self._later, place)
            if not self._open:  # otherwise what is under way may cost less than reserved
                self._trouble = _("The ceiling is reached. Raise it to continue.")
            return False
        self._open[pool.submit(self._client.complete, body)] = Sent(place, one, call)
        return True

    def _look(self) -> None:
        """Settle what came back, waiting a moment for it; keep the run."""
        if self._open:
            self._collect(BEAT)
        else:
            due = max(self._hold, self._later[0].due if self._later else 0.0)
            time.sleep(min(BEAT, max(0.0, due - time.monotonic())))  # not beyond a beat, when the lease is renewed
        if time.monotonic() - self._beat >= BEAT:
            self._beat = time.monotonic()
            calls.renew(self.run)
            self._progress(self._settled, self.run.places)

    def _collect(self, seconds: float | None) -> None:
        for future in wait(self._open, timeout=seconds, return_when=FIRST_COMPLETED).done:
            sent = self._open.pop(future)
            try:
                self._settle(sent, future.result())
            except Busy as busy:
                self._busy(sent, busy)
            except Broken as broken:
                calls.settle(sent.call, State.FAILED, why=str(broken))
                self._again(sent.place, str(broken))
            except Rejected as rejected:
                self._rejected(sent, rejected)

    def _settle(self, sent: Sent, reply: Reply) -> None:
        place = sent.place
        cost = calls.price(self.run, *reply.tokens) if reply.tokens else None
        paid: dict[str, Any] = {"cost": cost, "tokens": reply.tokens}
        if reply.refusal:
            self._end(sent, State.REFUSED, why=reply.refusal, **paid)
            return
        try:
            if reply.cut:
                raise ValueError(f"it was cut at {self.run.most_tokens} tokens")
            answer = prompts.answer_in(self.run.batch, sent.one, reply.text)
        except ValueError as misfit:
            if place.repaired:
                self._end(sent, State.MISFIT, why=str(misfit), **paid)
            elif calls.settle(sent.call, State.REPAIRED, why=str(misfit), **paid):
                place.repaired, place.before = True, (reply.text, str(misfit))
                heapq.heappush(self._later, place)
            return
        self._end(sent, State.ANSWERED, answer=answer, **paid)
        self._answered = True

    def _end(self, sent: Sent, state: str, **columns: Any) -> None:
        self._settled += calls.settle(sent.call, state, **columns)

    def _busy(self, sent: Sent, busy: Busy) -> None:
        """Wait as long as the endpoint asks, with all calls; such a call was not worked on, so it costs nothing."""
        calls.settle(sent.call, State.FAILED, cost=calls.CENT * 0, why="HTTP 429")
        seconds = max(busy.seconds or 0.0, self._again(sent.place, "HTTP 429"))
        self._hold = max(self._hold, time.monotonic() + seconds)
        ModelRun.objects.filter(pk=self.run.pk).update(not_before=clock.now() + timedelta(seconds=seconds))

    def _rejected(self, sent: Sent, rejected: Rejected) -> None:
        """What concerns one item of many is that item's result; else key, model or address are wrong."""
        if rejected.of_item and self._answered:
            self._end(sent, State.REFUSED, cost=calls.CENT * 0, why=str(rejected))
            return
        calls.settle(sent.call, State.FAILED, cost=calls.CENT * 0, why=str(rejected))
        self._trouble = str(rejected)

    def _again(self, place: Place, why: str) -> float:
        """Put a place off after a failure, or give it up; returns the seconds."""
        place.tries += 1
        if self.run.failures >= ROUNDS * self.run.concurrency:
            self._trouble = _("The endpoint failed %(n)s times in a row. The last: %(why)s") % {
                "n": self.run.failures,
                "why": why,
            }
        terms = {"first": self._first_wait, "longest": LONGEST_WAIT}
        seconds = wait_after(place.tries, **terms, chance=self._rng.random()).total_seconds()
        if place.tries >= MOST_TRIES:
            self._given_up.append(why)
        else:
            place.due = time.monotonic() + seconds
            heapq.heappush(self._later, place)
        return seconds

    @transaction.atomic
    def _finish(self) -> None:
        own = ModelRun.objects.filter(pk=self.run.pk, turn=self.run.turn, state=ModelRun.State.RUNNING)
        ended: dict[str, Any] = {"trouble": "", "secret": "", "lease_until": None, "ended_at": Now()}
        ended["places"] = self._settled  # without items that the task cannot use
        if own.update(state=ModelRun.State.DONE, **ended):
            self.run.refresh_from_db(fields=["spent", "calls_made", "ended_at"])
            cost = str(self.run.spent.normalize())
            terms: dict[str, Any] = {"model": self.run.model, "calls": self.run.calls_made, "cost": cost}
            audit_log.record("model answered", self.run.batch, **terms)
