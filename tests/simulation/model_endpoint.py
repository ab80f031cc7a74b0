"""An endpoint of models in a simulation: replies that fit or not, and requesters who ask about their batches."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

import urllib3
from django.db.models import Sum

from annotation.flow.errors import Refused
from annotation.judges import chat_client, conversation, runs
from annotation.judges.calls import Stopped
from annotation.judges.models import SETTLED, ModelCall, ModelRun
from annotation.models import ModelPrediction
from annotation.models.fields import to_text
from tests.simulation.outside import Outside
from tests.simulation.world import MODELS, World

Choice = tuple[str, Callable[[], str]]
ANSWER = {"kind": "typed", "text": "Farrow", "paragraph": None, "start": None, "end": None, "support": []}
TOKENS = 40  # of a reply
PRICE = Decimal("10.00")  # of a million tokens, in and out
# what comes instead of a reply that fits, and how often
REPLIES = {"fits": 60, "prose": 8, "refusal": 4, "length": 4, "no usage": 6, "cut": 4, "429": 5, "500": 6, "422": 3}


@dataclass
class Endpoint:
    """What arrived at the endpoint: `asked` requests (doubled ones once), `cost` as it charges for them."""

    asked: Counter[str] = field(default_factory=Counter)  # by model
    cost: defaultdict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    seen: dict[int, str] = field(default_factory=dict)  # every prediction that was ever stored


class Answer:
    """As much of urllib3's response as our client uses."""

    def __init__(self, status: int, body: bytes, *, sent: int) -> None:
        self.status, self.headers, self._body = status, {"Content-Length": str(sent)}, body

    def read1(self, _most: int) -> bytes:
        piece, self._body = self._body, b""
        return piece

    def close(self) -> None:
        """Nothing is open."""


class Pool:
    def __init__(self, outside: Outside, there: Endpoint) -> None:
        self._outside, self._there = outside, there

    def request(self, _method: str, _url: str, *, body: bytes, **_: Any) -> Answer:
        self._outside.look("a model", body.decode())
        asked, arrived = json.loads(body), []
        reliable = self._outside.scheduler.ending or not self._outside.scheduler.faults
        kind = "fits" if reliable else self._outside.scheduler.chance.choices([*REPLIES], [*REPLIES.values()])[0]

        def do() -> Answer:
            reply = said(kind, asked, size=len(body))
            if not arrived:
                self._there.asked[asked["model"]] += 1
                if reply.status == 200:
                    self._there.cost[asked["model"]] += (len(body) // 4 + TOKENS) * PRICE / 1_000_000
            arrived.append(kind)
            return reply

        answer = self._outside.call("model", do, TimeoutError)
        self._outside.met[f"model says: {kind}"] += 1
        return answer


def said(kind: str, asked: dict[str, Any], *, size: int) -> Answer:
    if kind.isdigit():
        body = json.dumps({"error": {"message": "refused"}}).encode()
        return Answer(int(kind), body, sent=len(body))
    message: dict[str, Any] = {"content": "It depends." if kind == "prose" else json.dumps(ANSWER)}
    if kind == "refusal":
        message |= {"content": None, "refusal": "I cannot help with that."}
    choice = {"message": message, "finish_reason": "length" if kind == "length" else "stop"}
    usage = {"usage": {"prompt_tokens": size // 4, "completion_tokens": TOKENS}} if kind != "no usage" else {}
    body = json.dumps({"choices": [choice], **usage}).encode()
    return Answer(200, body[: len(body) // 2] if kind == "cut" else body, sent=len(body))


class AtOnce:
    """A pool of threads that calls in the caller's, whose turn it is."""

    def __init__(self, *_: Any) -> None:
        """Have no threads."""

    def __enter__(self) -> AtOnce:
        return self

    def __exit__(self, *_: object) -> None:
        """Have nothing to wait for."""

    def submit(self, act: Callable[[bytes], Any], body: bytes) -> Future[Any]:
        future = Future[Any]()
        try:
            future.set_result(act(body))
        except Exception as failed:
            future.set_exception(failed)
        return future


@contextmanager
def reached(outside: Outside, there: Endpoint) -> Iterator[None]:
    pool = SimpleNamespace(PoolManager=lambda **_: Pool(outside, there), Timeout=urllib3.Timeout)
    first = mock.patch.object(conversation, "wait", lambda sent, **_: SimpleNamespace(done=list(sent)[:1]))
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(chat_client, "urllib3", pool))
        stack.enter_context(mock.patch.object(conversation, "ThreadPoolExecutor", AtOnce))
        stack.enter_context(first)
        yield


def told(act: Callable[[], str]) -> str:
    """What came of an act that may be refused."""
    try:
        return act()
    except Refused as why:
        return f"refused: {type(why).__name__}"


class AskingActs:
    """A requester who asks models about batches, and raises a ceiling or not; the command asks in its own process."""

    def __init__(self, world: World, chance: Random) -> None:
        self.world, self.chance = world, chance

    def choose(self) -> Choice:
        acts: list[tuple[float, str, Callable[[], str]]] = [
            (3, "asks a model", self.ask),
            (1, "pauses a model", self.pause),
            (2, "goes on with a model", self.go_on),
            (3, "lets ask_model carry on", self.carry_on),
        ]
        _weight, name, act = self.chance.choices(acts, [weight for weight, _name, _act in acts])[0]
        return name, partial(told, act)

    def ask(self) -> str:
        batch = self.chance.choice([batch for batch in self.world.batches if batch.slug in {"paid", "free"}])
        model = f"oracle-{self.chance.getrandbits(24):06x}"
        terms: dict[str, Any] = {"price_in": PRICE, "price_out": PRICE, "most_tokens": 200, "samples": 2}
        few = {"most_calls": self.chance.randrange(3, 12)} if self.chance.random() < 0.4 else {"most_calls": 400}
        cost = {"most_cost": Decimal("0.30")} if self.chance.random() < 0.4 else {"most_cost": Decimal("9.00")}
        run = runs.draft(batch, endpoint=MODELS, model=model, secret="a key", concurrency=3, **terms, **few, **cost)
        if not runs.outgoing(run).requests:
            return "nothing"
        runs.confirm(run)
        return model

    def one(self, state: str) -> ModelRun | None:
        rows = list(ModelRun.objects.filter(state=state).select_related("batch__project").order_by("pk"))
        return self.chance.choice(rows) if rows else None

    def pause(self) -> str:
        run = self.one("running")
        return f"{run.model}: {runs.pause(run)}" if run else "there is none"

    def go_on(self) -> str:
        if (run := self.one("paused")) is None:
            return "there is none"
        if self.chance.random() < 0.7:
            ModelRun.objects.filter(pk=run.pk).update(most_calls=500, most_cost=Decimal("9.00"))
        runs.confirm(run)
        return run.model

    def carry_on(self) -> str:
        if (run := self.one("running")) is None:
            return "there is none"
        runs.confirm(run, here=True)
        try:
            runs.carry_on(run, progress=lambda _done, _total: None)
        except Stopped:
            return f"{run.model}: taken over"
        return run.model


def violations(there: Endpoint) -> Iterator[str]:
    """Nothing costs more than its ceiling, is asked again once it is settled, or is predicted twice or changed."""
    counted = dict(ModelCall.objects.order_by().values_list("run").annotate(sum=Sum("cost")))
    by_model: defaultdict[str, Decimal] = defaultdict(Decimal)
    made = Counter[str]()
    for run in ModelRun.objects.order_by("pk"):
        by_model[run.model] += run.spent
        made[run.model] += run.calls_made
        if run.spent != counted.get(run.pk, 0):
            yield f"run {run.pk} of {run.model} counts {run.spent}, its calls {counted.get(run.pk, 0)}"
        if run.most_cost is not None and run.spent > run.most_cost:
            yield f"run {run.pk} of {run.model} cost {run.spent}, more than {run.most_cost}"
        if run.most_calls is not None and run.calls_made > run.most_calls:
            yield f"run {run.pk} of {run.model} made {run.calls_made} calls, more than {run.most_calls}"
    for model, number in there.asked.items():
        if number > made[model]:
            yield f"{model} was asked {number} times, we count {made[model]}"
        if there.cost[model] > by_model[model]:
            yield f"{model} charges {there.cost[model]}, we count {by_model[model]}"
    settled: dict[tuple[int, int, int], int] = {}
    for pk, state, *place in ModelCall.objects.order_by("pk").values_list("pk", "state", "run", "item", "sample"):
        key = (place[0], place[1], place[2])
        if key in settled:
            yield f"call {pk} asks again what call {settled[key]} has settled"
        if state in SETTLED:
            settled[key] = pk
    yield from _predictions(there)


def _predictions(there: Endpoint) -> Iterator[str]:
    now = {row.pk: to_text([row.model_id, row.item_id, row.run, row.answer]) for row in ModelPrediction.objects.all()}
    yield from (f"prediction {pk} was {was}, is {now.get(pk)}" for pk, was in there.seen.items() if now.get(pk) != was)
    there.seen = now
    answered = ModelCall.objects.filter(state="answered").count()
    if answered != len(now):
        yield f"{answered} calls were answered, there are {len(now)} predictions"


def unsettled() -> Iterator[str]:
    yield from (f"run {run.pk} of {run.model} is under way" for run in ModelRun.objects.filter(state="running"))
