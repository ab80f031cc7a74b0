"""Counts over a compose batch, before they are laid out in tables."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from annotation.tasktype import GivenResponse, HitWithResponses

from . import bridge_judgments
from .aggregation import aggregate
from .findings import findings_of

Edge = tuple[str, int, int]  # shape, head, tail


class Bridge(NamedTuple):
    """One worker's judgment of a bridge without a known label."""

    edge: Edge
    hit: str
    worker: str
    judgment: str


@dataclass
class Pay:
    """Payments for some responses in US cents each; `timed_cents` and `seconds` cover responses with measured time."""

    cents: list[int] = field(default_factory=list)
    timed_cents: int = 0
    seconds: float = 0.0

    def add(self, one: GivenResponse) -> None:
        if one.paid is None:
            return
        self.cents.append(one.paid)
        if one.seconds > 0:
            self.timed_cents += one.paid
            self.seconds += one.seconds

    @property
    def hourly(self) -> float | None:
        """US dollars an hour of measured time; None without measured time."""
        return round(self.timed_cents / 100 / self.seconds * 3600, 2) if self.seconds > 0 else None


@dataclass
class Hops:
    """The compositions of graphs with one number of hops."""

    composed: int = 0
    seconds: list[float] = field(default_factory=list)
    pay: Pay = field(default_factory=Pay)
    words: list[int] = field(default_factory=list)
    single_words: list[int] = field(default_factory=list)  # of all the hops' questions together

    @property
    def ratios(self) -> list[float]:
        return [words / single for words, single in zip(self.words, self.single_words, strict=True) if single]


@dataclass
class Worker:
    """One worker's answers; times of 0 seconds were not measured and are left out."""

    submitted: int = 0
    composed: int = 0
    judged: int = 0  # bridges without a known label
    ended: int = 0  # of these, judged different or unsure
    known: list[bool] = field(default_factory=list)
    no_seconds: list[float] = field(default_factory=list)
    no_pay: Pay = field(default_factory=Pay)
    seconds: list[float] = field(default_factory=list)
    pay: Pay = field(default_factory=Pay)
    pasted: list[float] = field(default_factory=list)


@dataclass
class Tally:
    """Edges that are known beforehand count for who is right on them and not for how often bridges break."""

    kinds: Counter[str] = field(default_factory=Counter)  # of aggregated responses
    traps: int = 0  # HITs with an edge that is known to break
    disputed: int = 0
    answers: int = 0
    excluded: int = 0
    bridges: list[Bridge] = field(default_factory=list)
    hops: defaultdict[int, Hops] = field(default_factory=lambda: defaultdict(Hops))
    workers: defaultdict[str, Worker] = field(default_factory=lambda: defaultdict(Worker))
    reasons: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # of overridden warnings
    overriding: list[tuple[str, set[str]]] = field(default_factory=list)  # HIT and overridden checks of a composition

    @property
    def hits(self) -> int:
        return sum(self.kinds.values()) + self.traps

    @property
    def paid(self) -> bool:
        """Whether the ledger paid for any answer."""
        return any(worker.pay.cents or worker.no_pay.cents for worker in self.workers.values())


def tally(hits: Iterable[HitWithResponses]) -> Tally:
    """Counts over the HITs with answers; excluded HITs are only counted as excluded."""
    counted = Tally()
    for row in hits:
        if row.excluded:
            counted.excluded += bool(row.given)
        elif row.given:
            _add(counted, row)
    return counted


def _add(counted: Tally, row: HitWithResponses) -> None:
    summed = aggregate(row.payload, [one.answer for one in row.given])
    right = bridge_judgments.known(row.example)
    trap = "different" in right
    counted.traps += trap
    if not trap:
        counted.kinds[summed["kind"]] += 1
        counted.disputed += summed["disputed"]
    counted.answers += len(row.given)
    for one in row.given:
        counted.bridges += _bridges(row, one, known=len(right))
        _add_worker(counted.workers[one.worker], row, one)
        if bridge_judgments.composed(row.payload, one.answer) and not trap:
            _add_composition(counted, row, one)


def _bridges(row: HitWithResponses, one: GivenResponse, *, known: int) -> Iterator[Bridge]:
    pairs = list(zip(row.payload["edges"], bridge_judgments.judged(row.payload, one.answer), strict=True))
    for edge, judgment in pairs[known:]:
        if judgment:
            yield Bridge((row.payload["shape"], edge["head"], edge["tail"]), row.hit, one.worker, judgment)


def _add_worker(worker: Worker, row: HitWithResponses, one: GivenResponse) -> None:
    payload, answer = row.payload, one.answer
    unknown = bridge_judgments.judged(payload, answer)[len(bridge_judgments.known(row.example)) :]
    worker.submitted += 1
    worker.judged += sum(judgment != "" for judgment in unknown)
    worker.ended += sum(judgment in bridge_judgments.ENDS for judgment in unknown)
    worker.known += bridge_judgments.on_known(payload, answer, row.example)
    if bridge_judgments.discarded(payload, answer):
        worker.no_pay.add(one)
        if one.seconds > 0:
            worker.no_seconds.append(one.seconds)
    elif bridge_judgments.composed(payload, answer):
        worker.composed += 1
        worker.pasted.append(answer.get("pasted", 0.0))
        worker.pay.add(one)
        if one.seconds > 0:
            worker.seconds.append(one.seconds)


def _add_composition(counted: Tally, row: HitWithResponses, one: GivenResponse) -> None:
    payload = row.payload
    hops = counted.hops[len(payload["hops"])]
    hops.composed += 1
    hops.pay.add(one)
    hops.words.append(len(one.answer["question"].split()))
    hops.single_words.append(sum(len(hop["question"].split()) for hop in payload["hops"]))
    if one.seconds > 0:
        hops.seconds.append(one.seconds)
    findings = findings_of(payload, one.answer["question"], one.answer.get("overrides"))
    overridden = [finding for finding in findings if finding["overridden"]]
    counted.overriding.append((row.hit, {finding["check"] for finding in overridden}))
    for finding in overridden:
        counted.reasons[finding["check"]].append(finding["reason"])
