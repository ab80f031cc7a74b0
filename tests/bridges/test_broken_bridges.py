"""A bridge that people judge different closes the HITs that contain it, before anybody begins them."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.bridges import broken_bridges
from annotation.bridges.models import BrokenBridge, ClosedHit
from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.money import batch_funds, ledger
from annotation.flow.review import problem_reports
from annotation.jobs import run_due_work
from annotation.models import Batch, Hit, Member, Project, User, Worker
from annotation.pure.data.example import Example
from annotation.pure.derivations.bridges import bridge_keys, is_broken
from tests.batches import create_batch
from tests.flow.acting import newcomer, submit, take

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.app("bridges"),
    pytest.mark.postgresql(reason="rows are locked, and items are searched by the database"),
]

DIFFERENT = {"bridges": ["different"], "why": "One is a river."}
SAME = {"bridges": ["same"], "why": ""}


def pair(name: str, head: str, tail: str, entity: str = "Farrow") -> dict[str, Any]:
    """A pair of the single-hop questions with these ids."""
    return {
        "id": name,
        "question": "",
        "paragraphs": [
            {"title": f"Well {head}", "text": f"Well {head} lies in {entity}."},
            {"title": f"Tower {tail}", "text": f"The tower of {entity} is called {tail}."},
        ],
        "answers": [tail],
        "supports": [0, 1],
        "hops": [
            {"question": f"Where does Well {head} lie?", "answer": entity, "support": 0, "id": head},
            {"question": f"What is the tower {tail} of #1 called?", "answer": tail, "support": 1, "id": tail},
        ],
        "extra": {},
    }


def batch_of(project: Project, folder: Path, name: str, *pairs: dict[str, Any], **settings: Any) -> Batch:
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in pairs))
    import_dataset(project, file, format="jsonl", name=name)
    terms = {"task": "coreference", "assignments_per_hit": 2, "same_order": True, "meeting": "free", **settings}
    datasets = [project.datasets.get(slug=name)]
    made = create_batch(project, f"{name}-1", datasets=datasets, instructions="Read.", **terms)
    batch_launch.launch(made)
    return made


def judge(batch: Batch, workers: list[Worker], answer: dict[str, Any] = DIFFERENT) -> Hit:
    """Each of the workers answers the HIT that comes next."""
    for worker in workers:
        row = take(worker, batch)
        assert row is not None
        submit(row, answer, key=f"0.{row.pk}")
    return row.hit


def standing(batch: Batch) -> list[bool]:
    """Whether each HIT, in order, is still offered or answered."""
    return [row.excluded_at is None for row in batch.hits.order_by("pk")]


@pytest.fixture
def two(project: Any) -> list[Worker]:
    return [newcomer(project, name) for name in ("mara", "tom")]


def test_two_who_judge_it_different_close_it_in_every_running_batch(
    project: Any, tmp_path: Path, two: list[Worker]
) -> None:
    first = batch_of(project, tmp_path, "one", pair("a", "w1", "t1"))
    more = batch_of(project, tmp_path, "more", pair("b", "w1", "t2"), pair("c", "w2", "t1"))
    other = batch_of(project, tmp_path, "two", pair("x", "w1", "t1"), pair("y", "w1", "t3"))
    closed = batch_of(project, tmp_path, "old", pair("z", "w1", "t1"))
    Batch.objects.filter(pk=closed.pk).update(state=Batch.State.CLOSED)
    judged = judge(first, two)
    assert standing(other) == [True, True]  # whoever submits does not wait for it
    run_due_work()
    assert standing(first) == [True]  # it was judged and counts
    assert standing(more) == [True, True]
    assert {hit.item.example.id: hit.excluded_at is None for hit in other.hits.all()} == {"x": False, "y": True}
    assert standing(closed) == [True]
    (row,) = BrokenBridge.objects.all()
    assert (row.entity, row.hit_id, row.head) == ("Farrow", judged.pk, "Where does Well w1 lie?")
    assert [one.hit.item.example.id for one in row.closed.all()] == ["x"]
    assert "“Farrow”" in other.hits.get(excluded_at__isnull=False).exclusion_reason


@pytest.mark.parametrize(
    ("answers", "broken"),
    [
        ([DIFFERENT, SAME], False),
        ([DIFFERENT], False),
        ([DIFFERENT, DIFFERENT, SAME], True),
        ([DIFFERENT, SAME, SAME], False),
    ],
)
def test_it_takes_two_and_most_of_those_asked(
    project: Any, tmp_path: Path, answers: list[dict[str, Any]], broken: bool
) -> None:
    batch = batch_of(project, tmp_path, "one", pair("a", "w1", "t1"), assignments_per_hit=len(answers))
    for k, answer in enumerate(answers):
        judge(batch, [newcomer(project, f"worker-{k}")], answer)
    assert BrokenBridge.objects.exists() is broken


def test_a_composition_that_two_discard_closes_graphs_with_the_edge(
    project: Any, tmp_path: Path, two: list[Worker]
) -> None:
    graph = pair("g", "w1", "t1")
    graph["hops"].append({"question": "Who built #2?", "answer": "Ana", "support": 1, "id": "b1"})
    given = {"bridges": ["different"], "why": "", "question": "", "overrides": {}, "pasted": 0.0}
    twice = {"task": "compose", "assignments_per_hit": 1, "options": {"ask_twice": True}}
    first = batch_of(project, tmp_path, "one", pair("a", "w1", "t1"), **twice)
    graphs = batch_of(project, tmp_path, "two", graph, pair("y", "w1", "t3"), **twice)
    judge(first, two[:1], given)
    run_due_work()
    assert standing(graphs) == [True, True]  # before the second opinion
    judge(first, two[1:], given)
    run_due_work()
    assert {hit.item.example.id: hit.excluded_at is None for hit in graphs.hits.all()} == {"g": False, "y": True}


def test_what_somebody_began_stays_and_its_place_is_paid(project: Any, tmp_path: Path, two: list[Worker]) -> None:
    ledger.deposit(project, Decimal(100), key="budget")
    paid = {"reward": Decimal("0.50"), "auto_approval": 7 * 86400}
    first = batch_of(project, tmp_path, "one", pair("a", "w1", "t1"), **paid)
    other = batch_of(project, tmp_path, "two", pair("x", "w1", "t1"), **paid)
    third = batch_of(project, tmp_path, "three", pair("z", "w1", "t1"), **paid)
    begun = take(two[0], other)
    assert batch_funds.held(third) > 0
    available = ledger.balance(project, ledger.AVAILABLE)
    judge(first, two)
    run_due_work()
    assert standing(other) == [True]
    assert standing(third) == [False]
    assert batch_funds.held(third) == 0
    assert ledger.balance(project, ledger.AVAILABLE) > available
    assert begun is not None
    submit(begun, SAME)


def test_undo_offers_them_again_and_the_bridge_closes_none_any_more(
    project: Any, tmp_path: Path, two: list[Worker]
) -> None:
    first = batch_of(project, tmp_path, "one", pair("a", "w1", "t1"), pair("b", "w1", "t1"))
    other = batch_of(project, tmp_path, "two", pair("x", "w1", "t1"))
    judge(first, two)
    run_due_work()
    assert (standing(first), standing(other)) == ([True, False], [False])
    assert broken_bridges.undo(BrokenBridge.objects.get()) == 2
    assert (standing(first), standing(other)) == ([True, True], [True])
    judge(first, two)
    run_due_work()
    assert standing(other) == [True]
    assert broken_bridges.undo(BrokenBridge.objects.get()) == 0


def test_a_job_that_dies_half_way_goes_on_and_one_that_runs_twice_closes_nothing_twice(
    project: Any, tmp_path: Path, two: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = batch_of(project, tmp_path, "one", pair("a", "w1", "t1"))
    other = batch_of(project, tmp_path, "two", *(pair(name, "w1", "t1") for name in "xyz"))
    judge(first, two)
    exclude, left = problem_reports.exclude, [2]

    def dies(hit: Hit, *, reason: str) -> bool:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return exclude(hit, reason=reason)

    monkeypatch.setattr(problem_reports, "exclude", dies)
    with pytest.raises(KeyboardInterrupt):
        broken_bridges.close_due()
    monkeypatch.undo()
    assert standing(other) == [False, True, True]
    broken_bridges.close_due()
    broken_bridges.close(BrokenBridge.objects.get())
    assert standing(other) == [False, False, False]
    assert ClosedHit.objects.count() == 3


def test_another_project_and_other_tasks_are_left_alone(project: Any, tmp_path: Path, two: list[Worker]) -> None:
    elsewhere = Project.objects.create(slug="springs", title="Springs")
    foreign = batch_of(elsewhere, tmp_path, "far", pair("x", "w1", "t1"))
    answers = batch_of(project, tmp_path, "two", pair("x", "w1", "t1") | {"question": "Which tower?"}, task="answer")
    judge(batch_of(project, tmp_path, "one", pair("a", "w1", "t1")), two)
    run_due_work()
    assert (standing(foreign), standing(answers)) == ([True], [True])


def bare(record: dict[str, Any], ids: tuple[int | None, ...] = (None,) * 4) -> dict[str, Any]:
    """The record with these ids of its hops."""
    for hop, number in zip(record["hops"], ids, strict=False):
        hop["id"] = number
    return record


def graph(name: str, tail: str, *first: str) -> dict[str, Any]:
    """The pair of Well w1 and the tail at the end of a graph, after hops with these questions."""
    record = pair(name, "w1", tail)
    number = len(first) + 1
    record["hops"][0]["question"] = f"Where does #{number - 1} lie?"
    record["hops"][1]["question"] = f"What is the  tower {tail} of #{number} called?"
    record["hops"][:0] = [{"question": question, "answer": question[:-1], "support": 0} for question in first]
    return bare(record)


def test_without_ids_the_questions_say_which_bridge_it_is(project: Any, tmp_path: Path, two: list[Worker]) -> None:
    others = graph("b", "t1", "What is dug?", "Who dug #1?"), graph("c", "t2", "What is dug?")
    graphs = batch_of(project, tmp_path, "two", *others)
    first = batch_of(project, tmp_path, "one", graph("a", "t1", "Which well is it?"))
    judge(first, two, {"bridges": ["same", "different"], "why": ""})
    run_due_work()
    assert {hit.item.example.id: hit.excluded_at is None for hit in graphs.hits.all()} == {"b": False, "c": True}


def test_records_that_number_their_hops_from_1_are_not_taken_for_one_another() -> None:
    made = [bare(pair("a", "w1", "t1"), (1, 2)), bare(pair("b", "w2", "t2"), (1, 2))]
    one, other = (bridge_keys(Example.from_json(record)) for record in made)
    assert one != other
    assert not is_broken({})


def test_a_bridge_that_fails_holds_up_no_other(
    project: Any, tmp_path: Path, two: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        judge(batch_of(project, tmp_path, name, pair("a", name, "t1")), two)
    close, (failing, _other) = broken_bridges.close, BrokenBridge.objects.order_by("pk")

    def fails(bridge: BrokenBridge) -> None:
        if bridge == failing:
            raise RuntimeError("a defect")
        close(bridge)

    monkeypatch.setattr(broken_bridges, "close", fails)
    broken_bridges.close_due()
    assert list(BrokenBridge.objects.filter(searched_at__isnull=True)) == [failing]


def test_a_hit_that_was_restored_by_itself_counts_no_more(
    project: Any, alice: Any, client: Any, tmp_path: Path, two: list[Worker]
) -> None:
    other = batch_of(project, tmp_path, "two", pair("x", "w1", "t1"), pair("y", "w1", "t1"))
    judge(batch_of(project, tmp_path, "one", pair("a", "w1", "t1")), two)
    run_due_work()
    problem_reports.restore(other.hits.order_by("pk")[0])
    client.force_login(alice)
    page = client.get(reverse("broken-bridges", args=["wells"]))
    assert (page.context["hits"], [row.count for row in page.context["page"]]) == (1, [1])
    assert broken_bridges.undo(BrokenBridge.objects.get()) == 1


def test_the_page_lists_them_and_only_requesters_undo(
    project: Any, alice: Any, client: Any, tmp_path: Path, two: list[Worker]
) -> None:
    client.force_login(alice)
    page = reverse("broken-bridges", args=["wells"])
    batches = reverse("batches", args=["wells"])
    assert "No broken bridges" in client.get(page).content.decode()
    assert page not in client.get(batches).content.decode()
    other = batch_of(project, tmp_path, "two", pair("x", "w1", "t1"))
    judge(batch_of(project, tmp_path, "one", pair("a", "w1", "t1")), two)
    assert "searching" in client.get(page).content.decode()
    assert page in client.get(batches).content.decode()
    run_due_work()
    html = " ".join(client.get(page).content.decode().split())
    assert "1 broken bridge. 1 HIT was closed; nobody judged it" in html
    undo = reverse("broken-bridge-undo", args=["wells", BrokenBridge.objects.get().pk])
    assert undo in html
    rita = User.objects.create_user("rita")
    Member.objects.create(project=project, user=rita, role=Member.Role.REVIEWER)
    client.force_login(rita)
    assert undo not in client.get(page).content.decode()
    assert client.post(undo).status_code == 403
    client.force_login(alice)
    html = client.post(undo, follow=True).content.decode()
    assert "1 HIT is offered again." in html
    assert "undone" in html
    assert "0 broken bridges" not in html
    assert standing(other) == [True]
