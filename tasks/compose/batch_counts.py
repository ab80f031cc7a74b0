"""Counts over a compose batch, and the rates of its broken bridges, before they are laid out in tables."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.pure.data.features import shape_words
from annotation.pure.statistics.intervals import Figure, clustered_share
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Response, over_workers, too_few
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from annotation.tasktype.helpers.report_tables import table, text_cell

from . import bridge_judgments
from .aggregation import aggregate
from .bridge_judgments import ENDS
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


JUDGED = _(
    "An edge is judged only if the edges before it were judged the same. Known edges are not counted. The "
    "intervals beside the rates resample graphs, each with all its judgments."
)
IN_GENERAL = _(
    "Intervals over annotators and items are about people in general (Student's t, variance by items and by "
    "annotators). A dash means that fewer than seven annotators judged the edge."
)
OVER = {
    "different": _("not the same, over annotators and items"),
    "unsure": _("cannot tell, over annotators and items"),
}


def overall(counted: Tally, seed: int) -> JSON:
    """The judgments of all bridges whose truth was not known: how many of each kind, and their shares."""
    kinds = {"same": _("the same"), "different": _("not the same"), "unsure": _("cannot tell")}
    rows = [
        [
            text_cell(text),
            sum(b.judgment == kind for b in counted.bridges),
            rate(counted.bridges, seed, (kind,)).as_json(),
        ]
        for kind, text in kinds.items()
        if counted.bridges
    ]
    columns = (_("judgment"), _("bridges"), _("share"))
    return table("bridges", _("The bridge check, all edges"), columns, rows, leads=False)


def by_edge(counted: Tally, seed: int) -> JSON:
    """The table by edge; with columns about workers in general only if an edge was judged by enough workers."""
    kinds = {"different": _("not the same"), "unsure": _("cannot tell")}
    edges: dict[Edge, list[Bridge]] = {}
    for bridge in counted.bridges:
        edges.setdefault(bridge.edge, []).append(bridge)
    rows: list[list[Any]] = []
    general = []
    for (shape, head, tail), of in sorted(edges.items()):
        shares = [rate(of, seed, (kind,)).as_json() for kind in kinds]
        rows.append([text_cell(shape_words(shape)), f"{head}→{tail}", len(of), *shares])
        general.append([general_rate(of, (kind,)) for kind in kinds])
    columns, note = [_("shape"), _("edge"), _("judged"), *kinds.values()], too_few(len(counted.workers))
    if any(cell is not None for cells in general for cell in cells):
        columns, note = [*columns, *OVER.values()], text_cell(IN_GENERAL)
        rows = [[*row, *cells] for row, cells in zip(rows, general, strict=True)]
    shapes = [{"shape": shape} for shape, _head, _tail in sorted(edges)]
    return table("by-edge", _("The bridge check, edge by edge"), columns, rows, [JUDGED, note], of=shapes)


def rate(bridges: Sequence[Bridge], seed: int, kinds: Sequence[str] = ENDS) -> Figure:
    """The rate of judgments of these `kinds` for these workers; the judgments of a graph are resampled together."""
    return clustered_share(((bridge.hit, bridge.judgment in kinds) for bridge in bridges), seed, resamples=1_999)


def general_rate(bridges: Sequence[Bridge], kinds: Sequence[str] = ENDS) -> JSON | None:
    """The same with the interval over workers and graphs; None for too few workers."""
    figure = over_workers(Response(b.hit, b.worker, float(b.judgment in kinds)) for b in bridges)
    return None if figure.n < LEAST_WORKERS else figure.as_json()


def percent(share: float) -> float:
    return round(100 * share, 1)
