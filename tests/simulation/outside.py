"""The other sides of a simulation: a call may be lost, done without a reply, doubled or late, by the seed."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar
from unittest import mock

from django.core.mail.backends.locmem import EmailBackend

from annotation.flow.notifications import safe_http
from annotation.flow.notifications.safe_http import Sent
from annotation.webhooks import protocol, subscriptions
from annotation.webhooks.models import Webhook
from tests.simulation.scheduler import Scheduler
from tests.simulation.turns import SLEEPS, Turn
from tests.simulation.world import CANARY, World

Result = TypeVar("Result")
FINE, LOST, NO_REPLY, DOUBLED, LATE = "fine", "lost", "done without a reply", "doubled", "late"
REFUSED = "refused for good"
LUCK = (FINE, LOST, NO_REPLY, DOUBLED, LATE)
SHARES = (80, 7, 7, 3, 3)
REFUSING = 0.02  # share of calls
IN_FLIGHT = 20  # steps within which a late call arrives


def reliable(scheduler: Scheduler) -> bool:
    """Whether nothing breaks now."""
    return scheduler.ending or not scheduler.faults


class Outside:
    """Calls to the other sides, and those under way. `met`: how often each came out how."""

    def __init__(self, scheduler: Scheduler, world: World) -> None:
        self.scheduler, self.world = scheduler, world
        self.met: Counter[str] = Counter()
        self._late: list[tuple[int, Callable[[], object]]] = []
        self._unheard: set[str] = set()  # calls that were done, and nobody here knows

    def call(
        self, name: str, do: Callable[[], Result], unheard: Callable[[], Exception], *, heard: bool = False
    ) -> Result:
        """Call the other side; raises `unheard` if no reply comes. `heard`: one does, as of rare refusals."""
        self.scheduler.pause(f"calling {name}")
        luck = FINE if heard or reliable(self.scheduler) else self._luck(name)
        self.met[f"{name}: {luck}"] += 1
        if luck == LATE:
            self._late.append((self.scheduler.steps + IN_FLIGHT, do))
            self._unheard.add(name)
        if luck in {LOST, LATE}:
            raise unheard()
        result = do()
        if luck == DOUBLED:
            with suppress(Exception):  # a refusal that nobody hears
                do()
        self.scheduler.pause(f"after {name}")
        if luck == NO_REPLY:
            self._unheard.add(name)
            raise unheard()
        self._unheard.discard(name)
        return result

    def refuses(self, name: str) -> bool:
        """Whether the other side refuses a call for good: sought the first time, and where the call before was done."""
        scheduler, kind = self.scheduler, f"{name}: {REFUSED}"
        share = 0.3 if kind not in self.met or name in self._unheard else REFUSING
        if reliable(scheduler) or scheduler.chance.random() >= share:
            return False
        self.met[kind] += 1
        return True

    def _luck(self, name: str) -> str:
        """How a call comes out: mostly in a way that was never met, if there is one."""
        chance = self.scheduler.chance
        new = [luck for luck in LUCK[1:] if f"{name}: {luck}" not in self.met]
        return chance.choice(new) if new and chance.random() < 0.7 else chance.choices(LUCK, SHARES)[0]

    def arrive(self, turn: Turn | None = None) -> None:
        """Let calls arrive whose time has come; all before the clock leaps, as none is under way for so long."""
        leaps = turn is None or turn.jump or turn.fault == SLEEPS
        due = [do for step, do in self._late if leaps or step <= self.scheduler.steps]
        self._late = [] if leaps else [(step, do) for step, do in self._late if step > self.scheduler.steps]
        for do in due:
            with suppress(Exception):  # a refusal that nobody hears
                do()

    def look(self, what: str, sent: object) -> None:
        """Gold is in nothing that others see."""
        if CANARY in str(sent):
            self.world.seen_outside.append(f"{what} shows gold: {sent}")

    @contextmanager
    def doubles(self) -> Iterator[None]:
        """Put the doubles in place of webhooks' receivers and of the mail server."""
        with ExitStack() as stack:
            stack.enter_context(mock.patch.object(protocol, "MOST_TRIES", 2))  # of a webhook: 15 take a day
            stack.enter_context(mock.patch.object(safe_http, "send", self._post))
            send = EmailBackend.send_messages

            def mail(backend: EmailBackend, messages: Any) -> int:
                self.look("a mail", [str(message.message()) for message in messages])
                return self.call("mail", lambda: send(backend, messages), lambda: OSError("the mail server is away"))

            stack.enter_context(mock.patch.object(EmailBackend, "send_messages", mail))
            yield

    def _post(self, _url: str, body: bytes, headers: Any, **_: Any) -> Sent:
        self.look("a webhook", body.decode())

        def take() -> Sent:
            self.world.received.add(headers["webhook-id"])
            return Sent(200, "")

        if not reliable(self.scheduler) and zlib.crc32(headers["webhook-id"].encode()) % 10 == 0:
            return Sent(500, "out of order")
        try:
            return self.call("webhook", take, TimeoutError)
        except TimeoutError:
            return Sent(None, "no reply")


def resume_webhooks() -> str:
    """Switch on what was deactivated because it failed for days."""
    rows = list(Webhook.objects.filter(active=False).select_related("project"))
    for row in rows:
        subscriptions.change(row, url=row.url, kinds=row.kinds, note=row.note, active=True)
    return f"{len(rows)} of them"
