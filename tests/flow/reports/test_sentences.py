"""Every sentence that a report and its methods paragraph say of a batch holds against the rows, whatever was done."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.people import consent
from annotation.flow.reports import batch_scores, methods_facts
from annotation.flow.review import review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.models import Assignment, Batch, Project, Worker
from annotation.pure.reports import methods
from annotation.pure.reports.tables import sentence
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.acting import newcomer, submit, take
from tests.flow.compositions import composed
from tests.flow.reports import batch_states
from tests.flow.reports.batch_states import ADJUDICATED, DERIVED, EQUAL, IMPORTED, MIXED, ONE, state_of
from tests.flow.reports.report_figures import contradicting
from tests.flow.reports.sentence_checks import METHODS, WHOM
from tests.flow.reports.sentence_rows import Check, Rows, missed, number, wrong
from tests.flow.reports.test_drawn_arms import joined
from tests.flow.review.test_response_import import lines
from tests.long_forms import first

PARTS = (("answer", range(10)), ("compose", range(30)), ("answer", range(10, 30)))  # each state, two of compositions
CASES = [(task, seed) for task, seeds in PARTS for seed in seeds]


def made(project: Project, workers: list[Worker], folder: Path, task: str, seed: int) -> Batch:
    """A batch in the state of its seed, with which anything else may have been done."""
    rng, state = Random(f"{task}/{seed}"), state_of(seed)
    found = records(rng.choice([1, 2, 5]))
    for k, record in enumerate(found):
        if task == "answer" and rng.random() < 0.4:
            record["hops"] = []
        record["id"] = f"{record['id']}-{k}"
    wanted = 2 if state == ADJUDICATED else rng.choice([1, 2, 3])
    batch = batch_states.launched(project, folder, task, found, state, rng, assignments_per_hit=wanted)
    for worker in workers[: max(2, batch_states.people(state, rng)) if state == ADJUDICATED else
                          batch_states.people(state, rng)]:  # fmt: skip
        if rng.random() < 0.6:
            consent.give(worker, version=1)
        for _turn in range(9 if state in (ADJUDICATED, EQUAL, ONE) else rng.choice([1, 2, 9])):
            if row := take(worker, batch):
                answered(row, state, rng)
    batch_states.decide_pay(batch, state, rng)
    if not batch.two_adjudicators:
        for row in batch.assignments.submitted().order_by("pk"):
            if rng.random() < (0.7 if state == ADJUDICATED else 0.4):
                decide(row, rng)
    if task == "answer" and state in (IMPORTED, MIXED):
        batch_states.import_some(batch, folder, rng, every=state == IMPORTED)
    batch_states.finish(batch, state, rng)
    return batch


def answered(row: Assignment, state: str, rng: Random) -> None:
    result: dict[str, Any] | None = None
    if row.batch.task == "compose":
        bridges = [rng.choice(["same", "same", "different"])] * len(row.hit.payload["edges"])
        result = composed(f"Which tower stands beside the well of turn {row.pk}?") | {"bridges": bridges}
    elif state == DERIVED or (state != EQUAL and rng.random() < 0.4):
        paragraph = rng.randrange(len(row.hit.payload["paragraphs"]))
        typed = {"kind": "typed", "text": rng.choice(["Tower 1", "the old tower", "nowhere"])}
        result = {**typed, "paragraph": None, "start": None, "end": None, "support": [paragraph], "pasted": 0.0}
    submit(row, result, key=f"0.{row.pk}")
    Assignment.objects.filter(pk=row.pk).update(active_seconds=rng.choice([0, 20.0, 41.5]))
    row.responses.update(active_seconds=Assignment.objects.get(pk=row.pk).active_seconds)


def decide(row: Assignment, rng: Random) -> None:
    """A requester picks the answer, rewords it, or refuses it."""
    row.refresh_from_db()
    kind = rng.choice(["pick", "reword", "refuse"])
    if kind == "refuse":
        review_decisions.decide(row, row.revision, Decision("discarded", {}, reason="A guess."), reviewer=None)
    elif row.batch.task == "compose" and kind == "reword":
        wish = Decision("edited", {}, text="Which tower is beside the well?")
        review_decisions.decide(row, row.revision, wish, reviewer=None)
    else:
        shown = row.hit.payload.get("paragraphs") or [{"text": ""}]
        text = " ".join(shown[0]["text"].split()[:2]) if kind == "reword" else None
        review_decisions.choose(row, row.revision, reviewer=None, text=text)


def lengths(rows: Rows, hops: int) -> tuple[float, float]:
    """Median words of the composed questions, and of the single-hop questions of each together."""
    of = rows.composed(hops)
    own = [row.current.answer["question"] for row in of]  # type: ignore[union-attr]
    parts = [" ".join(hop["question"] for hop in row.hit.payload["hops"]) for row in of]
    return tuple(median(len(text.split()) for text in texts) for texts in (own, parts))  # type: ignore[return-value]


def judgments(rows: Rows) -> list[bool]:
    """Of each judgment of a bridge, whether it ends the composition."""
    return [each != "same" for row in rows.counted for each in row.current.answer["bridges"]]  # type: ignore[union-attr]


def timed(rows: Rows) -> list[float]:
    return [row.active_seconds for row in rows.composed(2) if row.active_seconds]


def is_timed(rows: Rows, said: str, count: int) -> bool:
    return abs(median(timed(rows)) - float(said)) <= 0.5 and len(timed(rows)) == count


COMPOSED: dict[str, Check] = {
    r"(One|\d+) workers? submitted (one|\d+) responses? to (one|\d+) graphs? of single-hop questions\.": lambda r, g: (
        tuple(map(number, g))
        == (len({row.worker_id for row in r.counted}), len(r.counted), len({row.hit_id for row in r.counted}))
    ),
    r"Bridges were judged (once|\d+ times); ([\d.]+) % \(95 % interval [-\d.]+ to [-\d.]+ %\) of the judgments "
    r"were “not the same” or “cannot tell”\.": (
        lambda r, g: (
            number(g[0].split()[0]) == len(judgments(r)) and abs(100 * fmean(judgments(r)) - float(g[1])) <= 0.051
        )
    ),
    WHOM: METHODS[WHOM],
    r"(One|\d+) composed questions? of (\d) hops (?:has|have)(?: a median of)? ([\d.]+) words; .* have ([\d.]+)\.": (
        lambda r, g: (
            (number(g[0]), int(g[1])) == (len(r.composed(2)), 2) and lengths(r, 2) == (float(g[2]), float(g[3]))
        )
    ),
    r"Composing it took ([\d.]+) seconds\.": lambda r, g: is_timed(r, g[0], 1) and len(r.composed(2)) == 1,
    r"Composing took a median of ([\d.]+) seconds\.": lambda r, g: is_timed(r, g[0], len(r.composed(2))),
    r"Composing took a median of ([\d.]+) seconds, measured for (\d+) of them\.": lambda r, g: (
        is_timed(r, g[0], int(g[1])) and len(r.composed(2)) > int(g[1])
    ),
    r"Composing one of them took ([\d.]+) seconds; the others were not measured\.": lambda r, g: is_timed(r, g[0], 1),
    r"(Each|It) paid (\d+) US cents\.": lambda r, g: (
        {r.paid.get(row.pk) for row in r.composed(2)} == {Decimal(g[1]) / 100}
        and (g[0] == "It") == (len(r.composed(2)) == 1)
    ),
    r"(One|\d+) of these (\d+) (?:has|have) been paid so far: (\d+) US cents(?: each)?\.": lambda r, g: (
        number(g[0]) == sum(row.pk in r.paid for row in r.composed(2)) < len(r.composed(2)) == int(g[1])
        and {r.paid[row.pk] for row in r.composed(2) if row.pk in r.paid} == {Decimal(g[2]) / 100}
    ),
}


@pytest.mark.parametrize(("task", "seed"), first(12, CASES))
def test_every_sentence_holds_against_the_rows_and_none_with_a_fault(
    project: Any, bob: Worker, carol: Worker, tmp_path: Path, task: str, seed: int
) -> None:
    batch = made(project, [bob, carol, newcomer(project, "dave")], tmp_path, task, seed)
    report = batch_scores.score_batch(batch)
    rows = Rows(batch)
    result = [sentence(one) for one in methods.sentences(methods_facts.facts_of(batch, report))]
    spoken = [sentence(one) for one in report.get("paragraph", ())]
    assert bool(result) == bool(rows.answers)
    assert wrong(result, METHODS, rows) == []
    assert wrong(spoken, COMPOSED, rows) == []
    assert missed(result, METHODS, rows) == []
    assert missed(spoken, COMPOSED, rows) == []
    assert contradicting(report) == []
    assert bool(re.search(r"\bUS (cents|dollars)\b", " ".join([*result, *spoken]))) == bool(rows.paid and rows.answers)


@pytest.mark.parametrize("each", ["one", "order"])
def test_every_sentence_on_a_drawn_arm_holds_and_none_with_a_fault(project: Any, tmp_path: Path, each: str) -> None:
    for arm in joined(project, tmp_path, each).arms.all():
        rows = Rows(arm)
        result = [
            sentence(one) for one in methods.sentences(methods_facts.facts_of(arm, batch_scores.score_batch(arm)))
        ]
        assert bool(result) == bool(rows.answers) == any(" arms, " in said for said in result)
        assert wrong(result, METHODS, rows) == []
        assert missed(result, METHODS, rows) == []


def test_decisions_are_counted_by_what_stands_and_never_twice(project: Any, bob: Worker, tmp_path: Path) -> None:
    import_dataset(project, lines(tmp_path / "wells.in", records(5)), format="jsonl", name="wells")
    batch = create_batch(
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
