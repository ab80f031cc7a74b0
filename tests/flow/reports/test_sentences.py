"""Every sentence that a report and its methods paragraph say of a batch holds against the rows, whatever was done."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC
from decimal import Decimal
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.money import ledger
from annotation.flow.people import consent
from annotation.flow.reports import batch_scores, methods_facts
from annotation.flow.review import assignment_approval, problem_reports, review_decisions
from annotation.flow.review.response_import import import_responses
from annotation.flow.review.review_decisions import Decision
from annotation.models import Assignment, Batch, Payment, Project, Worker
from annotation.pure.reports import methods
from annotation.pure.reports.tables import sentence
from tests.conftest import records
from tests.flow.acting import newcomer, submit, take
from tests.flow.compositions import composed
from tests.flow.review.test_response_import import lines
from tests.long_forms import first

WHOM = r"The 95 % intervals hold for (?:these|this) (one|\d+) annotators?.*"
NUMBER = {"One": 1, "one": 1, "once": 1, "a": 1}
SEEDS = range(12)


def number(words: str) -> int:
    return NUMBER.get(words) or int(words)


class Rows:
    """A batch's rows, read without what makes the sentences."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.answers = list(batch.assignments.submitted().select_related("hit__item"))
        self.counted = [row for row in self.answers if row.hit.excluded_at is None]
        self.hits = list(batch.hits.select_related("item"))
        self.excluded = [hit for hit in self.hits if hit.excluded_at]
        paid = Payment.objects.filter(batch=batch, state=Payment.State.PAID)
        self.paid = {row.assignment_id: row.amount for row in paid}
        self.last = {row.pk: row.reviews.order_by("-pk").first() for row in self.answers}

    @property
    def workers(self) -> int:
        return len({row.worker_id for row in self.answers})

    @property
    def consented(self) -> int:
        return len({row.worker_id for row in self.answers if row.worker.consented_at and not row.response_import_id})

    def decided(self, decision: str, *, there: bool = True) -> int:
        of = self.counted if there else self.answers
        return sum(bool(self.last[row.pk]) and self.last[row.pk].decision == decision for row in of)

    def composed(self, hops: int) -> list[Assignment]:
        """The answers that compose a question of so many hops."""
        of = [row for row in self.counted if len(row.hit.payload["hops"]) == hops]
        return [row for row in of if row.current and set(row.current.answer["bridges"]) == {"same"}]


def made(project: Project, workers: list[Worker], folder: Path, task: str, seed: int) -> Batch:
    """A batch with which anything may have been done: unpaid, partly paid, voided, reworded, imported, nothing."""
    rng = Random(f"{task}/{seed}")
    found = records(rng.choice([1, 2, 5]))
    for k, record in enumerate(found):
        if task == "answer" and rng.random() < 0.4:
            record["hops"] = []
        record["id"] = f"{record['id']}-{k}"
    import_dataset(project, lines(folder / "wells.in", found), format="jsonl", name="wells")
    terms: dict[str, Any] = {"assignments_per_hit": rng.choice([1, 2, 3])}
    if rng.random() < 0.6:
        ledger.deposit(project, Decimal(90), key="budget")
        terms |= {"auto_approval": 3600, "reward": Decimal("0.25")}
    batch = batch_launch.create_batch(
        project, "study", task=task, datasets=[project.datasets.get(slug="wells")], instructions="Read.", **terms
    )
    batch_launch.launch(batch)
    for worker in workers[: rng.choice([1, 2, 3])]:
        if rng.random() < 0.6:
            consent.give(worker, version=1)
        for _turn in range(rng.choice([1, 2, 9])):
            if row := take(worker, batch):
                answered(row, rng)
    disturb(batch, rng)
    if task == "answer" and rng.random() < 0.4 and (free := batch.hits.filter(room__gt=0).first()):
        said = {
            "dataset": "wells",
            "item": free.item.position,
            "worker": "far",
            "answer": {"text": "x", "support": [0]},
        }
        import_responses(batch, lines(folder / "far.said", [said]))
    return batch


def answered(row: Assignment, rng: Random) -> None:
    result = None
    if row.batch.task == "compose":
        bridges = [rng.choice(["same", "same", "different"])] * len(row.hit.payload["edges"])
        result = composed(f"Which tower stands beside the well of turn {row.pk}?") | {"bridges": bridges}
    submit(row, result, key=f"0.{row.pk}")
    Assignment.objects.filter(pk=row.pk).update(active_seconds=rng.choice([0, 20.0, 41.5]))
    row.responses.update(active_seconds=Assignment.objects.get(pk=row.pk).active_seconds)


def disturb(batch: Batch, rng: Random) -> None:
    for row in batch.assignments.submitted().order_by("pk"):
        row.refresh_from_db()
        if batch.auto_approval and rng.random() < 0.6:
            assignment_approval.approve(row)
        elif batch.auto_approval and rng.random() < 0.3:
            assignment_approval.reject(row, text="Not read.")
        if rng.random() < 0.4:
            decide(row, rng)
    for hit in batch.hits.all():
        if rng.random() < 0.25:
            problem_reports.exclude(hit, reason=rng.choice(["Two towers", "Unreadable"]))


def decide(row: Assignment, rng: Random) -> None:
    """A requester picks the answer, rewords it, or refuses it."""
    kind = rng.choice(["pick", "reword", "refuse"])
    if kind == "refuse":
        review_decisions.decide(row, row.revision, Decision("discarded", {}, reason="A guess."), reviewer=None)
    elif row.batch.task == "compose" and kind == "reword":
        wish = Decision("edited", {}, text="Which tower is beside the well?")
        review_decisions.decide(row, row.revision, wish, reviewer=None)
    else:
        text = row.hit.item.example.answer if kind == "reword" else None
        review_decisions.choose(row, row.revision, reviewer=None, text=text)


Check = Callable[[Rows, tuple[str, ...]], bool]


def by_hops(rows: Rows, result: str) -> bool:
    known = Counter(hit.item.hops for hit in rows.hits if hit.item.hops)
    return result == ", ".join(f"{hops} ({count})" for hops, count in sorted(known.items()))


def settled(rows: Rows, decision: str) -> int:
    return 0 if rows.batch.task == "compose" else rows.decided(decision)


def seconds(rows: Rows) -> list[float]:
    return [row.active_seconds for row in rows.answers if row.active_seconds]


def days(rows: Rows) -> list[str]:
    return [row.submitted_at.astimezone(UTC).date().isoformat() for row in rows.answers if not row.response_import_id]


def undecided(rows: Rows) -> int:
    return sum(row.approval == "" and row.auto_approve_at is not None for row in rows.answers)


METHODS: dict[str, Check] = {
    r"Annotators were asked: “.+”": lambda r, g: True,
    r"The data are (one|\d+) items? of the dataset wells\.": lambda r, g: number(g[0]) == len(r.hits),
    r"Each question requires (one|\d+) hops?\.": lambda r, g: {hit.item.hops for hit in r.hits} == {number(g[0])},
    r"The numbers of hops that .* parentheses, are: (.+)\.": lambda r, g: by_hops(r, g[0]),
    r"The number of hops is unknown for (one|\d+) items?\.": lambda r, g: (
        number(g[0]) == sum(not hit.item.hops for hit in r.hits)
    ),
    r"(One) annotator submitted (one|\d+) responses?\.": lambda r, g: (
        (number(g[0]), number(g[1])) == (r.workers, len(r.answers))
    ),
    r"In all, (\d+) annotators submitted (\d+) responses\.": lambda r, g: (
        (int(g[0]), int(g[1])) == (r.workers, len(r.answers)) and r.workers > 1
    ),
    r"(One|\d+) of them (?:was|were) collected elsewhere\.": lambda r, g: (
        number(g[0]) == sum(bool(row.response_import_id) for row in r.answers)
    ),
    r"The annotator consented .*": lambda r, g: r.workers == r.consented == 1,
    r"All annotators consented .*": lambda r, g: r.workers == r.consented > 1,
    r"Of the (\d+) annotators, (\d+) consented .*": lambda r, g: (
        (int(g[1]), int(g[0])) == (r.consented, r.workers) and r.consented < r.workers
    ),
    r"Each item was assigned to (one|\d+) (?:different )?annotators?\.": lambda r, g: (
        {hit.wanted for hit in r.hits if not hit.excluded_at} == {number(g[0])}
    ),
    r"(?:One item has|(\d+) of the items have) no response\.": lambda r, g: (
        number(g[0] or "1") == len({h.pk for h in r.hits if not h.excluded_at} - {row.hit_id for row in r.answers})
    ),
    r"(All responses|The others) were submitted on (\S+) \(UTC\)\.": lambda r, g: (
        set(days(r)) == {g[1]} and (g[0] == "All responses") == (len(days(r)) == len(r.answers))
    ),
    r"All responses were given under version 1 of the instructions\.": lambda r, g: (
        {row.instructions_version for row in r.answers} == {1}
    ),
    r"Versions of the instructions: 1; not recorded for (one|\d+) responses?\.": lambda r, g: (
        number(g[0]) == sum(not row.instructions_version for row in r.answers)
    ),
    r"The median active time per response was ([\d.]+) seconds\.": lambda r, g: (
        len(seconds(r)) == len(r.answers) and abs(median(seconds(r)) - float(g[0])) <= 0.5
    ),
    r"Active time was measured for (one|\d+) responses?; (?:it|its median) was ([\d.]+) seconds\.": lambda r, g: (
        number(g[0]) == len(seconds(r)) < len(r.answers) and abs(median(seconds(r)) - float(g[1])) <= 0.5
    ),
    r"(The annotator was|Annotators were) paid ([\d.]+) US dollars in total, excluding fees\.": lambda r, g: (
        sum(r.paid.values()) == Decimal(g[1]) and (g[0] == "The annotator was") == (r.workers == 1)
    ),
    r"(One|\d+) responses? (?:has|have) not been paid or decided on yet\.": lambda r, g: (
        bool(r.paid) and number(g[0]) == undecided(r)
    ),
    r"(?:The one annotator|Among the \d+ annotators) with measured time.* ([\d.]+) US dollars per .*": lambda r, g: (
        bool(r.paid) and undecided(r) == 0
    ),
    r"[^%]* is [-\d.]+(?: %)?(?: \(95 % interval .*\))?\.": lambda r, g: True,  # agreement: of the report's own tests
    WHOM: lambda r, g: number(g[0]) == len({row.worker_id for row in r.counted}),
    r"In review, (one|\d+) responses? (?:was|were) excluded or changes to (?:it|them) were requested.*": lambda r, g: (
        number(g[0]) == r.decided("discarded", there=False)
    ),
    r"A requester adjudicated (one|\d+) items? by accepting .*": lambda r, g: number(g[0]) == settled(r, "accepted"),
    r"A requester adjudicated (one|\d+) items? with a wording of their own\.": lambda r, g: (
        number(g[0]) == settled(r, "edited")
    ),
    r"A requester reworded (one|\d+) responses?; .*": lambda r, g: number(g[0]) == r.decided("edited"),
    r"The results exclude (one|\d+) of the items, because of .*\.": lambda r, g: number(g[0]) == len(r.excluded),
    r"The figures therefore count (\d+) of the (\d+) responses\.": lambda r, g: (
        (int(g[0]), int(g[1])) == (len(r.counted), len(r.answers))
    ),
}
COMPOSED: dict[str, Check] = {
    r"(One|\d+) workers? submitted (one|\d+) responses? to (one|\d+) graphs? of single-hop questions\.": lambda r, g: (
        tuple(map(number, g))
        == (len({row.worker_id for row in r.counted}), len(r.counted), len({row.hit_id for row in r.counted}))
    ),
    r"Bridges were judged (once|\d+ times); .*": lambda r, g: number(g[0].split()[0]) == len(r.counted),
    WHOM: lambda r, g: number(g[0]) == len({row.worker_id for row in r.counted}),
    r"(One|\d+) composed questions? of 2 hops .*": lambda r, g: number(g[0]) == len(r.composed(2)),
    r"Composing (it|took|one of them) .*": lambda r, g: any(row.active_seconds for row in r.composed(2)),
    r"(Each|It) paid (\d+) US cents\.": lambda r, g: (
        {r.paid.get(row.pk) for row in r.composed(2)} == {Decimal(g[1]) / 100}
        and (g[0] == "It") == (len(r.composed(2)) == 1)
    ),
    r"(One|\d+) of these (\d+) (?:has|have) been paid so far: 25 US cents(?: each)?\.": lambda r, g: (
        number(g[0]) == sum(row.pk in r.paid for row in r.composed(2)) < len(r.composed(2)) == int(g[1])
    ),
}


def wrong(result: list[str], checks: dict[str, Check], rows: Rows) -> list[str]:
    """The sentences that nobody checks, or that do not hold."""
    found = []
    for said in result:
        matches = [(check, match) for words, check in checks.items() if (match := re.fullmatch(words, said))]
        if len(matches) != 1 or not matches[0][0](rows, matches[0][1].groups()):
            found.append(said)
    return found


@pytest.mark.parametrize("seed", first(3, SEEDS))
@pytest.mark.parametrize("task", ["answer", "compose"])
def test_every_sentence_holds_against_the_rows(
    project: Any, bob: Worker, carol: Worker, tmp_path: Path, task: str, seed: int
) -> None:
    batch = made(project, [bob, carol, newcomer(project, "dave")], tmp_path, task, seed)
    report = batch_scores.score_batch(batch)
    rows = Rows(batch)
    result = [sentence(one) for one in methods.sentences(methods_facts.facts_of(batch, report))]
    assert result
    assert wrong(result, METHODS, rows) == []
    assert wrong([sentence(one) for one in report.get("paragraph", ())], COMPOSED, rows) == []
    spoken = " ".join([*result, *(sentence(one) for one in report.get("paragraph", ()))])
    assert bool(re.search(r"\b(paid|cents|dollars)\b", spoken)) == bool(rows.paid)


def test_decisions_are_counted_by_what_stands_and_never_twice(project: Any, bob: Worker, tmp_path: Path) -> None:
    import_dataset(project, lines(tmp_path / "wells.in", records(5)), format="jsonl", name="wells")
    batch = batch_launch.create_batch(
        project, "study", task="answer", datasets=[project.datasets.get()], instructions="Read.", assignments_per_hit=2
    )
    batch_launch.launch(batch)
    for worker in (bob, newcomer(project, "dave")):
        while row := take(worker, batch):
            submit(row, key=f"0.{row.pk}")
    read, both, refused, checked, _untouched = (hit.assignments.order_by("pk") for hit in batch.hits.order_by("pk"))

    def decided(row: Assignment, decision: str) -> None:
        row.refresh_from_db()
        review_decisions.decide(row, row.revision, Decision(decision, {}, reason="A guess."), reviewer=None)

    decided(read[0], "accepted")
    review_decisions.undo(read[0], reviewer=None)
    decided(read[0], "accepted")
    decided(read[1], "discarded")
    for row in both:
        decided(row, "accepted")  # two of one HIT: nobody settled it
    decided(refused[0], "discarded")
    review_decisions.undo(refused[0], reviewer=None)
    decided(refused[0], "discarded")
    decided(checked[0], "discarded")
    batch.hits.filter(pk=checked[0].hit_id).update(check_item=True)
    facts = methods_facts.facts_of(batch, None)
    assert (facts.picked, facts.reworded, facts.refused) == (1, 0, 2)
