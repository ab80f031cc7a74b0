"""A worker's list of batches: what it says of each, in few statements however many there are."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.flow.batches import batch_launch, hidden_gold, reserved_hits
from annotation.flow.people import qualification_rounds, qualification_types
from annotation.flow.review import problem_reports
from annotation.flow.work import eligibility, leases, open_work, worker_batches
from annotation.flow.work.worker_batches import WorkerBatch
from annotation.models import Batch, Dataset, GroupPart, Hit, Item, Member, Project, Worker
from annotation.pure.people.requirements import Requirement
from tests.batches import create_round, set_up_gold
from tests.flow.acting import answer_all, dataset_of, draft, launched, newcomer, participation_of, submit, take
from tests.long_forms import examples, first

pytestmark = pytest.mark.postgresql(reason="the list is one statement with counts of limited subqueries")


def listed(worker: Worker) -> dict[str, WorkerBatch]:
    """The worker's list, by the name of the batch."""
    return {row.batch.slug: row for row in worker_batches.worker_batches([worker])}


def statements(worker: Worker) -> list[str]:
    client = Client()
    client.force_login(worker.user)
    client.get(reverse("work"))
    with CaptureQueriesContext(connection) as asked:
        assert client.get(reverse("work")).status_code == 200
    return [row["sql"] for row in asked.captured_queries]


def by_hand(worker: Worker, batch: Batch) -> int:
    """What is left for the worker in a batch, HIT by HIT."""
    batch.refresh_from_db()
    under_way = batch.assignments.filter(worker=worker, state="accepted").count()
    return under_way + open_work.left(participation_of(worker, batch))


def kinds(project: Project, folder: Path) -> list[Batch]:
    """A batch of each kind: groups once, apart and free, with hidden gold, with HITs reserved for some, a round."""
    sizes = {"groups": 9, "known": 4, "pool": 6}
    groups, known, pool = (dataset_of(project, folder, name=name, size=size) for name, size in sizes.items())
    for item in groups.items.all():
        Item.objects.filter(pk=item.pk).update(group_key=f"group-{item.position // 3}")
    GroupPart.objects.create(root=groups, group_key="group-0", part_key="group-1")
    made = [
        launched(project, meeting, groups, meeting=meeting, assignments_per_hit=2, fresh_only=fresh)
        for meeting, fresh in (("one", False), ("apart", True), ("free", False))
    ]
    gold = draft(project, "gold", groups, meeting="free", assignments_per_hit=2, fresh_only=False)
    set_up_gold(gold, datasets=[known], share=0.4, rule=hidden_gold.Rule())
    batch_launch.launch(gold)
    grants = qualification_rounds.grant_type(project, "Readers")
    terms = {"per_worker": 3, "instructions": "Read.", "grants": grants, "meeting": "free", "fresh_only": False}
    round = create_round(project, "round", task="answer", datasets=[pool], **terms)
    batch_launch.launch(round.batch)
    return [*made, gold, round.batch]


@pytest.mark.parametrize("seed", first(1, range(12)))
def test_what_is_left_is_counted_as_claims_would_find_it(project: Project, tmp_path: Path, seed: int) -> None:
    rng = Random(seed)
    workers = [newcomer(project, name) for name in ("bob", "carol")]
    batches = kinds(project, tmp_path)
    for _step in range(examples(10, soak=25)):
        _act(rng, rng.choice(workers), rng.choice(batches))
        for worker in workers:
            left = {name: row.left for name, row in listed(worker).items()}
            assert left == {batch.slug: by_hand(worker, batch) for batch in batches}


def _act(rng: Random, worker: Worker, batch: Batch) -> None:
    act = rng.random()
    if act < 0.1 and batch.purpose != "qualification":
        reserved_hits.reserve(batch, [rng.choice(list(batch.hits.filter(check_item=False)))], [worker])
    elif act < 0.15:
        problem_reports.exclude(rng.choice(list(batch.hits.all())), reason="broken")
    elif (row := take(worker, batch)) and act < 0.7:
        submit(row, key=f"0.{row.pk}")
    elif row and act < 0.8:
        leases.return_assignment(row)


def test_of_many_hits_only_the_next_are_looked_at(project: Project, tmp_path: Path, bob: Worker) -> None:
    many = dataset_of(project, tmp_path, name="many", size=worker_batches.LOOK + 1)
    batch = launched(project, "many", many, assignments_per_hit=1)
    [row] = listed(bob).values()
    assert (row.left, row.at_least, row.total) == (worker_batches.LOOK, True, batch.size)
    Hit.objects.filter(batch=batch).update(group_key="all of them")
    submit(take(bob, batch))
    Hit.objects.filter(batch=batch, done=0).update(ticket=F("ticket") + 10)
    [row] = listed(bob).values()
    assert (row.left, row.at_least) == (0, False)


def test_what_it_pays_an_hour_is_told_by_the_workers_own_latest_responses(
    project: Project, tmp_path: Path, bob: Worker
) -> None:
    many = dataset_of(project, tmp_path, name="many", size=worker_batches.LATEST + worker_batches.ENOUGH)
    batch = launched(project, "paid", many, assignments_per_hit=1)
    Batch.objects.filter(pk=batch.pk).update(auto_approval=3600, reward=Decimal("0.25"))
    for done in range(worker_batches.ENOUGH):
        assert (done, listed(bob)["paid"].an_hour) == (done, None)
        submit(take(bob, batch))  # in 12.5 seconds
    assert listed(bob)["paid"].an_hour == Decimal("72.00")
    client = Client()
    client.force_login(bob.user)
    assert "about $72.00 an hour at your pace" in client.get(reverse("work")).content.decode()
    batch.assignments.filter(worker=bob).update(active_seconds=1000)
    for _ in range(worker_batches.LATEST):
        submit(take(bob, batch))
    assert listed(bob)["paid"].an_hour == Decimal("72.00")
    Batch.objects.filter(pk=batch.pk).update(auto_approval=None)
    assert listed(bob)["paid"].an_hour is None


def test_a_paused_batch_is_listed_and_those_for_others_are_not(project: Project, dataset: Dataset, bob: Worker) -> None:
    paused, chosen, other = (launched(project, name, dataset) for name in ("paused", "chosen", "other"))
    Batch.objects.filter(pk=paused.pk).update(state="paused")
    chosen.workers.set([bob])
    other.workers.set([newcomer(project, "dan")])
    assert {name: row.left for name, row in listed(bob).items()} == {"paused": 0, "chosen": 4}
    qualification_types.block(bob, "spam")
    assert not listed(bob)


def test_thirty_batches_take_as_many_statements_as_one(project: Project, tmp_path: Path, bob: Worker) -> None:
    few = dataset_of(project, tmp_path, name="few", size=2)
    first = launched(project, "first", few, fresh_only=False)
    submit(take(bob, first))
    assert len(statements(bob)) <= 5
    for k in range(30):
        launched(project, f"batch-{k}", few, fresh_only=False)
    assert len(statements(bob)) <= 5
    kind = qualification_types.create_type(project, "Readers", description="Reads well.")
    for batch in project.batches.all():
        eligibility.require(batch, [Requirement(kind.public_id, "Exists")])
    assert len(statements(bob)) <= 8  # what they hold, the qualifications, their requests
    qualification_types.grant(kind, bob, 1, source="hand")
    assert len(statements(bob)) <= 6


def test_a_finished_batch_says_so_and_comes_last(
    project: Project, dataset: Dataset, tmp_path: Path, bob: Worker, carol: Worker
) -> None:
    client = Client()
    client.force_login(bob.user)
    older = launched(project, "older", dataset, title="Older")
    newer = launched(
        project, "newer", dataset_of(project, tmp_path, name="more", size=4), title="Newer", assignments_per_hit=1
    )

    def cards() -> list[str]:
        html = client.get(reverse("work")).content.decode()
        return [card.partition("</section>")[0] for card in html.split('<section class="card batch">')[1:]]

    titles = [row.batch.title for row in worker_batches.worker_batches([bob])]
    assert titles == ["Newer", "Older"]
    last = None
    while row := take(bob, newer):
        last, other = row, take(carol, newer)
        if other is None:
            break
        submit(row)
        submit(other)
    assert last is not None
    submit(last)
    assert [row.batch.title for row in worker_batches.worker_batches([bob])] == ["Older", "Newer"]
    assert "You have finished this batch." in cards()[1]
    assert "You have finished this batch" in client.get(reverse("batch-done", args=[newer.pk])).content.decode()
    dora = newcomer(project, "dora")
    client.force_login(dora.user)
    assert "No items for you at the moment." in cards()[1]
    assert "0 of 0" not in cards()[1]
    Worker.objects.filter(pk=dora.pk).update(consented_at=None, consented_version=0)
    assert "No items for you at the moment." in cards()[1]  # consent would lead to nothing here
    client.force_login(bob.user)
    assert take(carol, older)
    while row := take(bob, older):
        submit(row)
    Hit.objects.filter(batch=older).update(wanted=F("live") + F("done"))
    [card] = [each for each in cards() if "Older" in each]
    assert "No items for you at the moment." in card


def test_the_page_of_a_hit_counts_as_the_list_does(
    project: Project, tmp_path: Path, bob: Worker, carol: Worker
) -> None:
    batch = launched(project, "shared", dataset_of(project, tmp_path, name="eight", size=8), assignments_per_hit=1)
    for _number in range(3):
        row = take(carol, batch)
        assert row
        submit(row)
    [listed_row] = worker_batches.worker_batches([bob])
    assert (listed_row.left, listed_row.total) == (5, 5)
    row = take(bob, batch)
    assert row
    client = Client()
    client.force_login(bob.user)
    frame = client.get(reverse("assignment", args=[row.public_id])).context["frame"]
    assert (frame["number"], frame["total"]) == (1, 5)


def test_start_waits_for_the_consent(project: Project, batch: Batch) -> None:
    new = newcomer(project, "dora")
    client = Client()
    client.force_login(new.user)
    assert "Start" in client.get(reverse("work")).content.decode()
    Worker.objects.filter(pk=new.pk).update(consented_at=None, consented_version=0)
    html = client.get(reverse("work")).content.decode()
    assert "Read and decide" not in html  # Start leads there
    assert f"?next={reverse('batch-instructions', args=[batch.pk])}" in html
    assert f'form="start-{batch.pk}"' not in html


def test_who_only_works_has_one_page_and_no_menu_of_places(project: Project, batch: Batch, bob: Worker) -> None:
    client = Client()
    client.force_login(bob.user)
    assert 'aria-label="Main"' not in client.get(reverse("work")).content.decode()
    Member.objects.create(project=project, user=bob.user)
    assert 'aria-label="Main"' in client.get(reverse("work")).content.decode()


def test_a_card_shows_progress_once_there_is_some(batch: Batch, bob: Worker) -> None:
    client = Client()
    client.force_login(bob.user)
    assert "Items done" not in client.get(reverse("work")).content.decode()
    row = take(bob, batch)
    assert row
    submit(row)
    assert "Items done" in client.get(reverse("work")).content.decode()


def test_nobody_is_told_that_items_are_done_which_they_have_only_seen_before(
    client: Client, project: Project, tmp_path: Path, bob: Worker
) -> None:
    data = dataset_of(project, tmp_path, name="two", size=2)
    first, second = (launched(project, name, data, assignments_per_hit=1) for name in ("first", "second"))
    while row := take(bob, first):
        submit(row)
    assert second.hits.filter(done=0).count() == 2
    client.force_login(bob.user)
    html = " ".join(client.get(reverse("batch-done", args=[second.pk])).content.decode().split())
    assert "No items for you at the moment" in html
    assert "you have seen them before" in html
    assert "are done." not in html


@pytest.mark.django_db
def test_a_batch_without_items_for_the_worker_is_folded_below_those_with_some(
    client: Client, project: Project, dataset: Dataset
) -> None:
    worker = newcomer(project, "wanda")
    worked_out, _busy = (
        launched(project, name, dataset, assignments_per_hit=2, fresh_only=False) for name in ("worked-out", "busy-one")
    )
    client.force_login(worker.user)
    context = client.get(reverse("work")).context
    assert (len(context["batches"]), context["exhausted"]) == (2, [])
    answer_all(worker, worked_out)
    page = client.get(reverse("work"))
    assert [row.batch.slug for row in page.context["exhausted"]] == ["worked-out"]
    assert [row.batch.slug for row in page.context["batches"]] == ["busy-one"]
    assert "Without items for you now: 1" in page.content.decode()


def test_a_round_says_what_it_is_and_what_it_opens_and_leads_to_its_result(
    project: Project, tmp_path: Path, client: Client
) -> None:
    pool, rest = (dataset_of(project, tmp_path, name=name, size=3) for name in ("pool", "rest"))
    grants = qualification_rounds.grant_type(project, "Readers")
    terms = {"datasets": [pool], "per_worker": 2, "instructions": "Read.", "grants": grants}
    taken = create_round(project, "round", task="answer", **terms).batch
    batch_launch.launch(taken)
    real = launched(project, "real", rest)
    Batch.objects.filter(pk=real.pk).update(requirements=[{"type": grants.public_id, "comparator": "Exists"}])
    worker: Any = newcomer(project, "ann")
    way = "You can get it in a qualification round above."
    client.force_login(worker.user)
    page = client.get(reverse("work")).content.decode()
    assert "Qualification round" in page
    assert way in page
    assert "Your result" not in page
    answer_all(worker, taken)
    page = client.get(reverse("work")).content.decode()
    assert f'href="{reverse("batch-done", args=[taken.pk])}">Your result<' in page
    assert way not in page
    terms["grants"] = qualification_rounds.grant_type(project, "Writers")
    other = create_round(project, "other", task="answer", **terms | {"fresh_only": False}).batch
    batch_launch.launch(other)
    page = client.get(reverse("work")).content.decode()
    assert f'form="start-{other.pk}"' in page
    assert way not in page  # it grants something else
    done = client.get(reverse("batch-done", args=[taken.pk])).content.decode()
    assert "You have finished this qualification round" in done
    assert "If one becomes available" not in done
