"""Nobody meets what a question is made of again, nor a question in their own words."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.batches import batch_launch, reserved_hits
from annotation.flow.data import item_writer
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.people import qualification_rounds, round_attempts
from annotation.flow.review import results_dataset
from annotation.flow.work import leases, next_assignment, open_work, worker_batches
from annotation.models import Assignment, Batch, Dataset, GroupPart, Hit, PrefetchedHit, Project, Worker, clock
from annotation.pure.data.example import Example, Paragraph
from tests.batches import create_batch, create_round
from tests.flow.acting import answer_all, newcomer, take
from tests.flow.compositions import compose

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="what is ruled out is part of a claim's SQL")]

CHAIN = [
    ("1", "Where was the smith born?", "Ayr"),
    ("2", "Who founded Ayr?", "Maud Finch"),
    ("3", "Which ship did Maud Finch sail?", "Good Ewe"),
    ("4", "How tall is the mast of the Nan?", "nine ells"),
]


def example(key: str, question: str, answer: str) -> Example:
    words = f"{question} It is known to all who live there that the right thing to say is {answer}, and so say we."
    return Example(key, question, (Paragraph(key, words),), answers=(answer,), supports=(0,))


@pytest.fixture
def pipeline(project: Project) -> dict[str, Dataset]:
    """Four questions, from three of which two pairs and one graph of three hops are made."""
    with item_writer.filling(project, "made", format="jsonl", sha256="0" * 64) as filler:
        for row in CHAIN:
            filler.add(example(*row))
        filler.write()
        filler.show({})
    derive_dataset(project.datasets.get(slug="made"), how="composable-pairs", name="pairs")
    derive_dataset(project.datasets.get(slug="pairs"), how="graphs", name="graphs", options={"hop_tokens": 0})
    return {each.slug: each for each in project.datasets.all()}


def opened(dataset: Dataset, task: str, *, name: str = "", **settings: Any) -> Batch:
    made = create_batch(
        dataset.project, name or f"{task}-{dataset.slug}", task=task, datasets=[dataset], instructions="", **settings
    )
    batch_launch.launch(made)
    return Batch.objects.get(pk=made.pk)


def offered(worker: Worker, batch: Batch) -> list[str]:
    """The ids of the items that the worker gets, one after the other; nothing is kept."""
    found = []
    while (row := take(worker, batch)) is not None:
        found.append(row.hit.item.source_id)
        Assignment.objects.filter(pk=row.pk).update(hit=row.hit, state="returned", counts=False)
    return sorted(found)


def left(worker: Worker, batch: Batch) -> int:
    return {row.batch.pk: row.left for row in worker_batches.worker_batches([worker])}.get(batch.pk, 0)


def accept(worker: Worker, batch: Batch, item: str) -> Assignment:
    """The worker takes the HIT of this item."""
    participation = next_assignment.join_batch(worker, batch)
    made = next_assignment.accept_hit(participation, batch.hits.get(item__source_id=item))
    assert made is not None
    return made


def test_pairs_and_graphs_know_what_they_are_made_of(pipeline: dict[str, Dataset]) -> None:
    root = pipeline["made"].pk
    known = {(each.group_key, each.part_key) for each in GroupPart.objects.filter(root=root)}
    parts = {"1_2": ("1", "2"), "2_3": ("2", "3"), "3hop1__1_2_3": ("1", "2", "3", "1_2", "2_3")}
    assert known == {(f"{root}:{group}", f"{root}:{part}") for group, found in parts.items() for part in found}


@pytest.mark.parametrize(("item", "is_left"), [("1", False), ("3", False), ("4", True)])
def test_who_answered_a_question_never_meets_what_is_made_of_it(
    pipeline: dict[str, Dataset], bob: Worker, item: str, is_left: bool
) -> None:
    singles, graphs = opened(pipeline["made"], "answer"), opened(pipeline["graphs"], "compose")
    assert left(bob, graphs) == 1
    accept(bob, singles, item)
    assert left(bob, graphs) == is_left
    assert offered(bob, graphs) == ["3hop1__1_2_3"] * is_left


def test_who_met_a_pair_or_graph_never_meets_what_it_is_made_of(pipeline: dict[str, Dataset], bob: Worker) -> None:
    pairs, graphs = opened(pipeline["pairs"], "coreference"), opened(pipeline["graphs"], "compose")
    singles = opened(pipeline["made"], "answer")
    accept(bob, pairs, "1_2")
    assert offered(bob, graphs) == []
    assert left(bob, singles) == 2
    assert offered(bob, singles) == ["3", "4"]


def test_questions_that_share_a_part_stay_open(pipeline: dict[str, Dataset], bob: Worker) -> None:
    pairs = opened(pipeline["pairs"], "coreference")
    assert [hit.item.source_id for hit in answer_all_pairs(bob, pairs)] == ["1_2", "2_3"]


def answer_all_pairs(worker: Worker, batch: Batch) -> list[Hit]:
    return sorted((accept(worker, batch, name).hit for name in ("1_2", "2_3")), key=lambda hit: hit.item.position)


def test_what_is_made_later_closes_what_is_open_already(pipeline: dict[str, Dataset], bob: Worker) -> None:
    GroupPart.objects.all().delete()
    Dataset.objects.filter(slug__in=["pairs", "graphs"]).delete()
    singles = opened(pipeline["made"], "answer")
    assert not singles.has_group_parts
    derive_dataset(pipeline["made"], how="composable-pairs", name="pairs")
    accept(bob, opened(Dataset.objects.get(slug="pairs"), "coreference"), "1_2")
    assert offered(bob, singles) == ["3", "4"]


def test_a_batch_can_let_them_meet_again(pipeline: dict[str, Dataset], bob: Worker) -> None:
    accept(bob, opened(pipeline["made"], "answer"), "1")
    graphs = opened(pipeline["graphs"], "compose", fresh_only=False)
    assert left(bob, graphs) == 1
    assert offered(bob, graphs) == ["3hop1__1_2_3"]


def test_neither_by_reservation_nor_in_a_round(pipeline: dict[str, Dataset], project: Project, bob: Worker) -> None:
    grants = qualification_rounds.grant_type(project, "Composers")
    terms = {"per_worker": 1, "instructions": "Read.", "grants": grants, "grading": "requester"}
    datasets = [pipeline["graphs"]]
    round = create_round(project, "round", task="compose", datasets=datasets, **terms)
    batch_launch.launch(round.batch)
    graphs = opened(pipeline["graphs"], "compose", disjoint=False)
    accept(bob, opened(pipeline["made"], "answer"), "2")
    outcome = reserved_hits.reserve(graphs, list(graphs.hits.all()), [bob])
    assert (outcome.reserved, dict(outcome.skipped)) == (0, {reserved_hits.MET: 1})
    assert not round_attempts.begin(round, bob).hits
    assert len(round_attempts.begin(round, newcomer(project, "carol")).hits) == 1


def test_a_returned_assignment_is_not_taken_up_once_a_part_was_met(pipeline: dict[str, Dataset], bob: Worker) -> None:
    graphs, singles = opened(pipeline["graphs"], "compose"), opened(pipeline["made"], "answer")
    row = accept(bob, graphs, "3hop1__1_2_3")
    leases.return_assignment(row)
    accept(bob, singles, "2")
    assert not next_assignment.take_up(row)


def test_a_prefetched_hit_is_given_up_once_a_part_was_met(pipeline: dict[str, Dataset], bob: Worker) -> None:
    graphs, singles = opened(pipeline["graphs"], "compose"), opened(pipeline["made"], "answer")
    participation, hit = next_assignment.join_batch(bob, graphs), graphs.hits.get()
    PrefetchedHit.objects.create(batch=graphs, worker=bob, hit=hit, expires_at=clock.now())

    def is_open() -> bool:
        return open_work.is_still_open(participation, open_work.prefetched(participation)[0])

    assert is_open()
    accept(bob, singles, "2")
    assert not is_open()


@pytest.fixture
def composed(pipeline: dict[str, Dataset], bob: Worker) -> Dataset:
    """A dataset of the question that bob composed, in contexts."""
    batch = opened(pipeline["graphs"], "compose", assignments_per_hit=1)
    compose(bob, batch, "Which ship did the founder of the smith's birthplace sail?")
    results_dataset.create_results_dataset(batch, name="composed")
    derive_dataset(Dataset.objects.get(slug="composed"), how="sample", name="drawn", options={"count": 1})
    return Dataset.objects.get(slug="drawn")


def test_nobody_is_ever_asked_about_their_own_words(composed: Dataset, project: Project, bob: Worker) -> None:
    batch = opened(composed, "answer", fresh_only=False)
    assert [each.slug for each in batch.source_batches.all()] == ["compose-graphs"]
    carol = newcomer(project, "carol")
    assert (left(bob, batch), left(carol, batch)) == (0, 1)
    assert (len(offered(bob, batch)), len(offered(carol, batch))) == (0, 1)
    assert reserved_hits.reserve(batch, list(batch.hits.all()), [bob]).skipped == {reserved_hits.MET: 1}


def test_nor_about_a_part_of_them(composed: Dataset, project: Project, bob: Worker) -> None:
    options = {"fewest_words": 0, "answer_in_paragraph": False}
    derive_dataset(composed, how="singlehop", name="parts", options=options)
    batch = opened(Dataset.objects.get(slug="parts"), "answer", fresh_only=False)
    carol = newcomer(project, "carol")
    assert (left(bob, batch), left(carol, batch)) == (0, 3)
    assert (len(offered(bob, batch)), len(offered(carol, batch))) == (0, 3)


def test_answers_are_no_words_of_a_question(project: Project, batch: Batch, bob: Worker) -> None:
    for worker in (bob, newcomer(project, "carol")):
        answer_all(worker, batch)
    results_dataset.create_results_dataset(batch, name="verified")
    again = opened(Dataset.objects.get(slug="verified"), "answer", fresh_only=False)
    assert not again.source_batches.exists()
    assert left(bob, again) == again.size


def test_erasing_the_imported_dataset_erases_what_is_known_of_its_groups(project: Project, tmp_path: Any) -> None:
    with item_writer.filling(project, "made", format="jsonl", sha256="0" * 64) as filler:
        filler.add(example(*CHAIN[0]), parts=[("1:1", "1:2")])
        filler.write()
        filler.show({})
    item_writer.remove_dataset(project.datasets.get(slug="made"))
    assert not GroupPart.objects.exists()
