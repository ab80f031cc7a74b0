"""The demo's compose batch: from single-hop questions to graphs of the island, simulated composers, first reviews."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from annotation.demo import encyclopedia, timeline
from annotation.demo.project_setup import kept, launched
from annotation.demo.simulated_worker import Page, SimulatedWorker
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.review import review_decisions, review_samples, worker_feedback
from annotation.models import Assignment, Batch, Project, User
from annotation.pure.batches import lifecycle
from annotation.pure.data.example import Example, reduced
from annotation.pure.derivations.composable_pairs import pair_example
from annotation.pure.derivations.single_hop import Single

SINGLES, PAIRS = "vennory-singlehop", "vennory-pairs"
DATASET, BATCH = "vennory-graphs", "vennory-composing"
TRAPS = ((215, 45), (5, 52), (216, 95))  # pairs of mentions that name different entities
KNOWN_SAME = 6  # two-hop graphs used as hidden gold
LEFT_OPEN = 9  # HITs left for the visitor
REVIEWED = 5  # responses of each composer in the requester's draw
FEEDBACK = "Your questions are short and they ask for every hop. Please look again at the names in the first check."


def graphs() -> list[Example]:
    """The island's decompositions without their questions, some with known bridges, and the traps."""
    result: list[Any] = []
    for example in encyclopedia.examples(seed=0):
        bare = replace(reduced(example, example.supports or ()), question="", answerable=None)
        same = bare.shape == "2hop" and sum(e.shape == "2hop" for e in result) < KNOWN_SAME
        result.append(replace(bare, extra={"known_bridges": ["same"]}) if same else bare)
    pairs = [pair_example(_single(head), _single(tail)) for head, tail in TRAPS]
    return result + [replace(pair, extra={**pair.extra, "known_bridges": ["different"]}) for pair in pairs]


def _single(number: int) -> Single:
    question = encyclopedia.singlehop()[number]
    return Single(str(number), question.question, question.answers, encyclopedia.paragraphs()[question.key].paragraph)


def batch(project: Project, folder: Path) -> Batch:
    """The launched compose batch, created on the first run, as are the datasets of the steps before it."""
    if not project.batches.filter(slug=BATCH).exists():
        singles = kept(project, SINGLES, [_single(number).as_example() for number in encyclopedia.singlehop()], folder)
        derive_dataset(singles, how="composable-pairs", name=PAIRS)
    settings = {"title": "Composing questions about Vennory", "task": "compose", "assignments_per_hit": 1}
    return launched(project, BATCH, dataset=DATASET, examples=graphs(), folder=folder, **settings)


def compose_most(workers: list[SimulatedWorker], launched_batch: Batch, progress: Callable[[int, int], None]) -> None:
    """Let the composers do instructions, practice and HITs until only the visitor's are left."""
    written = {example.id: example.question for example in encyclopedia.examples(seed=0)}
    wanted = (launched_batch.size - LEFT_OPEN) // len(workers)
    done = launched_batch.assignments.filter(state=lifecycle.SUBMITTED).count()
    total = wanted * len(workers)
    for worker in workers:
        own = launched_batch.assignments.filter(worker__user__username=worker.username)
        submitted = own.filter(state=lifecycle.SUBMITTED).count()
        page = worker.begin(launched_batch) if submitted < wanted else None
        while page and submitted < wanted and "/assignments/" in page.url:
            page = _compose(worker, page, written)
            submitted, done = submitted + 1, done + 1
            progress(done, total)
        if page and "/assignments/" in page.url:
            worker.return_assignment(page)


def _compose(worker: SimulatedWorker, page: Page, written: dict[str, str]) -> Page:
    """Judge the bridges and compose, more or less well."""
    row = Assignment.objects.select_related("hit__item").get(public_id=page.assignment)
    example = row.hit.item.example
    url, hidden = page.form("/submit/")
    posted = form_data(example, written.get(example.id, ""), worker.skill, worker.rng)
    timeline.set_back(page.assignment, float(posted["active_seconds"]))
    return worker.post(url, hidden | posted)


def form_data(example: Example, question: str, skill: float, rng: Random) -> dict[str, str]:
    """The form of a composer of this skill (0..1), who finds most traps, doubts few bridges, and mostly writes well."""
    edges = len(re.findall(r"#[0-9]", " ".join(hop.question for hop in example.hops)))
    trapped = example.extra.get("known_bridges") == ["different"]
    seconds = {2: 55, 3: 90, 4: 140}[len(example.hops)] * rng.lognormvariate(0, 0.3)
    if not question or rng.random() < 0.12 * (1 - skill):
        ending = "different" if trapped or rng.random() < 0.7 else "unsure"
        why = "One is the ship, the other the house of that name." if trapped else "The paragraphs do not say."
        return _bridges([ending]) | {"why": why, "active_seconds": f"{seconds / 4:.1f}"}
    posted = _bridges(["same"] * edges) | {"question": question, "active_seconds": f"{seconds:.1f}"}
    if rng.random() < 0.5 * (1 - skill):
        posted["question"] = f"{question.rstrip('?')}, if the encyclopedia is right?"
    if rng.random() < 0.3 * (1 - skill):
        posted["pasted"] = str(len(posted["question"]))
    reasons = {
        f"override-hop_missing-{hop}": "It is asked for in other words." for hop in range(1, len(example.hops) + 1)
    }
    return reasons | posted


def _bridges(judgments: list[str]) -> dict[str, str]:
    return {f"bridge-{edge}": judgment for edge, judgment in enumerate(judgments, 1)}


def review_some(launched_batch: Batch) -> None:
    """The requester's first draw: responses accepted, edited, with changes requested; and feedback."""
    requester = User.objects.get(username="requester")
    if launched_batch.review_samples.exists():
        return
    review_samples.draw(launched_batch, size=REVIEWED, seed=0, user=requester)
    sampled = review_samples.queue(launched_batch)
    marks = {"correct": True, "coherent": True}
    reviewed: list[Any] = []
    for each in sampled:
        row = Assignment.objects.select_related("worker", "batch").get(pk=each.pk)
        question = row.current.answer["question"] if row.current else ""
        if not question or len(reviewed) == REVIEWED + 2:
            continue
        reviewed.append(row)
        wanted = review_decisions.Decision("accepted", marks)
        if len(reviewed) == 3:
            clearer = question if question.endswith("?") else f"{question.rstrip('.')}?"
            wanted = review_decisions.Decision("edited", marks, text=f"In Vennory, {clearer[0].lower()}{clearer[1:]}")
        if len(reviewed) == 5:
            message = "A reader could stop half-way. Can you ask so that every hop is needed?"
            wanted = review_decisions.Decision("returned", {**marks, "coherent": False}, reason=message)
        review_decisions.decide(row, row.revision, wanted, reviewer=requester)
    if reviewed:
        worker_feedback.feedback(
            reviewed[0].worker, launched_batch, text=FEEDBACK, author=requester, assignment=reviewed[0]
        )
