"""A round's pages: making one with its chances, the grid and the mark, grants and their undoing; the worker's side."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import hidden_gold
from annotation.flow.people import round_results
from annotation.models import Assignment, Attempt, Batch, Feedback, Participation, Qualification, QualificationRound
from tests.flow.acting import dataset_of, newcomer, submit, take
from tests.flow.batches.test_hidden_gold import answer, checked
from tests.flow.people.test_qualification_rounds import made, work_through, wrong
from tests.one_line import one_line
from tests.views.console import at, work_off

pytestmark = pytest.mark.django_db
NEW = "/projects/wells/rounds/new/"


def form(*datasets: Any, **other: Any) -> dict[str, Any]:
    """What the page of a new round posts: MuSiQue's rule."""
    rule = {
        f"rule-{k}-{name}": value
        for k, figure in enumerate(("answer_f1", "support_f1"))
        for name, value in (("figure", figure), ("comparator", ">"), ("percent", "75"), ("dataset", "each"))
    }
    return {
        "title": "Round one",
        "name": "",
        "datasets": [dataset.pk for dataset in datasets],
        "task": "answer",
        "per_worker": "4",
        "tries": "1",
        "seed": "3",
        "grading": "gold",
        "qualification": "Readers",
        "who": "all",
        "meeting": "one",
        "fresh_only": "on",
        "instructions": "Read.",
        "draft": "1",
        **rule,
        **other,
    }


@pytest.fixture
def pool(project: Any, tmp_path: Path) -> Any:
    return dataset_of(project, tmp_path, name="pool", size=12)


@pytest.fixture
def desk(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def test_the_page_of_a_new_round_proposes_the_rule_of_its_task(desk: Any, pool: Any) -> None:
    html = one_line(desk.get(NEW, {"task": "answer"}).content.decode())
    assert '<option value="answer_f1" selected>' in html
    assert '<option value="support_f1" selected>' in html
    assert '<option value="judged" selected>' in desk.get(NEW, {"task": "compose"}).content.decode()


def test_a_first_round_is_data_pass_mark_and_launch(desk: Any, pool: Any) -> None:
    for n in ("", " 2"):
        proposed = desk.get(NEW, {"task": "answer"}).context["form"]
        assert [proposed[name].value() for name in ("title", "qualification")] == [
            f"Qualification: Answer questions{n}"
        ] * 2
        desk.post(NEW, form(pool, sample="4", title=proposed["title"].value(), launch="1"))
        work_off()
    assert Batch.objects.filter(state=Batch.State.OPEN).count() == 2


def test_a_new_round_proposes_no_qualification_that_another_grants(desk: Any, pool: Any) -> None:
    desk.post(NEW, form(pool, title="Spring", qualification="Qualification: Answer questions"))
    proposed = desk.get(NEW, {"task": "answer"}).context["form"]
    assert proposed["qualification"].value() == "Qualification: Answer questions 2"


def test_a_title_that_is_missing_is_said_once(desk: Any, pool: Any) -> None:
    response = desk.post(NEW, form(pool, title="", launch="1"))
    assert set(response.context["form"].errors) == {"title"}


def test_a_project_without_datasets_is_told_where_to_begin(desk: Any) -> None:
    assert "Import a dataset first" in desk.get(NEW).content.decode()


def test_a_round_is_saved_as_a_draft_with_its_chances(desk: Any, pool: Any) -> None:
    response = desk.post(NEW, form(pool))
    assert (response.status_code, response.url) == (303, at("round-edit", batch="round-one"))
    found = QualificationRound.objects.get()
    assert (found.per_worker, found.grants.name, found.batch.purpose) == (4, "Readers", "qualification")
    assert found.rule[0] == {"figure": "answer_f1", "dataset": "each", "comparator": ">", "value": 0.75}
    assert found.batch.options["support"] is True
    html = one_line(desk.get(response.url).content.decode())
    assert "Most good workers may fail this rule by chance" in html
    assert "A worker whose long-run figures are 85 percent passes in" in html
    assert desk.get(at("batch-edit", batch="round-one")).url == response.url


def test_a_draft_is_changed_and_launched(desk: Any, pool: Any) -> None:
    page = desk.post(NEW, form(pool)).url
    desk.post(page, form(pool, per_worker="5", limit_minutes="30", ends="2099-05-01", launch="1"))
    work_off()
    found = QualificationRound.objects.get()
    assert (found.per_worker, found.seconds, found.closes_at.year, found.batch.state) == (5, 1800, 2099, "open")
    assert desk.get(page).url == at("round", batch="round-one")


def test_the_chances_follow_the_form(desk: Any, pool: Any) -> None:
    address = "/projects/wells/rounds/chances/"
    strict = one_line(desk.post(address, form(pool)).content.decode())
    mild = one_line(desk.post(address, form(pool, **{"rule-0-percent": "50", "rule-1-figure": ""})).content.decode())
    assert "fail this rule by chance" in strict
    assert "good workers by chance" not in mild
    judged = form(pool, **{"rule-0-figure": "judged"})
    assert "is not measured here" in desk.post(address, judged).content.decode()
    assert "Probability of passing" not in desk.post(address, {}).content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("per_worker", "13"),
        ("rule-0-percent", ""),
        ("rule-0-percent", "101"),
        ("rule-0-figure", "judged"),
        ("qualification", ""),
        ("tries", "0"),
        ("tries", "4"),
    ],
)
def test_what_cannot_be_is_not_saved(desk: Any, pool: Any, field: str, value: str) -> None:
    assert desk.post(NEW, form(pool, **{field: value})).status_code == 422
    assert not Batch.objects.exists()


def test_the_round_shows_workers_by_items_and_what_a_mark_gives(desk: Any, project: Any, pool: Any, bob: Any) -> None:
    found = made(project, pool, per_worker=5)
    work_through(bob, found)
    work_through(newcomer(project, "dan"), found, right=0.5)
    take(newcomer(project, "eve"), found.batch)
    html = one_line(desk.get(at("round", batch="round")).content.decode())
    assert html.count('class="cell full"') >= 5
    assert bob.pseudonym in html
    assert "to 1 worker" in html
    assert "0/5" in html
    low = one_line(
        desk.get(at("round", batch="round"), {"mark": "10"}, headers={"HX-Request": "true"}).content.decode()
    )
    assert low.lstrip().startswith("<section")
    assert "to 2 workers" in low
    assert "expected in the long run" in low


def test_an_empty_round_says_what_comes(desk: Any, project: Any, pool: Any) -> None:
    made(project, pool)
    assert "No worker has started yet" in desk.get(at("round", batch="round")).content.decode()


def test_a_batch_that_is_no_round_has_no_page_of_one(desk: Any, batch: Any) -> None:
    assert desk.get(at("round")).status_code == 404


def test_grants_are_one_click_and_their_undoing_another(desk: Any, project: Any, pool: Any, bob: Any) -> None:
    work_through(bob, made(project, pool))
    desk.post(at("round-grant", batch="round"), {"mark": ""})
    held = Qualification.objects.get()
    assert (held.worker, held.value, held.state) == (bob, 100, "Granted")
    html = one_line(desk.get(at("round", batch="round")).content.decode())
    assert "All of them have the qualification" in html
    assert "Grant “" not in html, "nothing is left to grant"
    through = html.split('name="through" value="')[1].split('"')[0]
    desk.post(at("round-undo", batch="round"), {"through": through})
    assert Qualification.objects.get().state == "Revoked"


def test_the_results_are_a_file_too(desk: Any, project: Any, pool: Any, bob: Any) -> None:
    work_through(bob, made(project, pool))
    response = desk.get(at("round-file", batch="round"))
    (row,) = csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode()))
    assert (row["worker"], row["score"], row["passed"], row["item_3"]) == (bob.pseudonym, "1.0000", "true", "1.0000")


def test_the_worker_reads_kindly_how_it_went_and_sees_no_gold(client: Any, project: Any, pool: Any, bob: Any) -> None:
    found = made(project, pool, tries=2)
    work_through(bob, found, right=0)
    client.force_login(bob.user)
    html = one_line(client.get(reverse("batch-done", args=[found.batch.pk])).content.decode())
    assert "You did not pass this time" in html
    assert "<b>0 %</b> Answers, with credit for partly right ones" in html
    assert "Tower" not in html
    response = client.post(reverse("round-again", args=[found.batch.pk]))
    assert "/assignments/" in response.url or response.url.startswith("/work/")
    assert Attempt.objects.count() == 2
    work_through(bob, found)
    html = one_line(client.get(reverse("batch-done", args=[found.batch.pk])).content.decode())
    assert "you reached the pass mark. The requester decides who gets the qualification" in html
    assert "You have the qualification" not in html
    round_results.grant(found, {bob: 100}, reason="", user=None)
    assert "You have the qualification “" in one_line(
        client.get(reverse("batch-done", args=[found.batch.pk])).content.decode()
    )


def test_the_frame_counts_the_workers_own_items(client: Any, project: Any, pool: Any, bob: Any) -> None:
    row = take(bob, made(project, pool).batch)
    client.force_login(bob.user)
    assert "1 of 3" in client.get(reverse("assignment", args=[row.public_id])).content.decode()


def bare(html: str) -> str:
    """A page without what is drawn anew for every assignment."""
    html = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.+]+", "", html)  # a whole second has no fraction
    html = re.sub(r"[0-9a-zA-Z_-]{16,}", "", html)
    return re.sub(r"\d+", "", html)


def test_a_check_looks_like_any_other_item(client: Any, project: Any, tmp_path: Path, bob: Any) -> None:
    batch = checked(project, tmp_path)
    client.force_login(bob.user)
    pages: dict[bool, set[str]] = {True: set(), False: set()}
    shown = []
    while row := take(bob, batch):
        html = one_line(client.get(reverse("assignment", args=[row.public_id])).content.decode())
        shown.append(html.split('class="number nowrap">')[1].split("<")[0])
        pages[row.hit.check_item].add("".join(sorted(bare(html))))  # paragraphs are shuffled
        finish(row)
    assert pages[True]
    assert pages[True] <= pages[False]
    total = shown[0].split(" of ")[1]
    assert shown == [f"{k + 1} of {total}" for k in range(len(shown))]


def finish(row: Assignment) -> None:
    submit(row, key=f"0.{row.pk}")


def test_a_paused_worker_is_told_so_and_a_requester_lets_them_go_on(
    client: Any, alice: Any, project: Any, tmp_path: Path, bob: Any
) -> None:
    batch = checked(project, tmp_path)
    answer(bob, batch, right=lambda row: False)
    client.force_login(bob.user)
    page = client.post(reverse("batch-start", args=[batch.pk]))
    assert "Your work in this batch is paused" in client.get(page.url).content.decode()
    client.force_login(alice)
    assert "paused by the rule" in client.get(at("batch", batch="checked")).content.decode()
    assert bob.pseudonym in client.get(at("batch-workers", batch="checked")).content.decode()
    html = one_line(client.get(at("batch-worker", bob.pk, batch="checked")).content.decode())
    assert "Paused by the rule" in html
    assert "Running mean" in html
    response = client.post(at("batch-worker-resume", bob.pk, batch="checked"), {"text": "Do go on."})
    assert response.status_code == 303
    assert Participation.objects.get(worker=bob).paused_at is None
    assert Feedback.objects.get(text="Do go on.").worker == bob
    assert hidden_gold.paused(batch) == []


def test_quality_over_time_needs_no_checks(desk: Any, batch: Any, bob: Any, carol: Any) -> None:
    for worker in (bob, carol):
        row = take(worker, batch)
        finish(row)
    html = one_line(desk.get(at("batch-worker", bob.pk)).content.decode())
    assert "mean agreement with other responses" in html
    assert "over 1 response" in html
    assert wrong(row)["text"] not in html


def test_the_pool_is_set_on_the_page_and_shown_with_the_round(desk: Any, pool: Any) -> None:
    desk.post(NEW, form(pool, sample="6", launch="1"))
    work_off()
    found = QualificationRound.objects.get()
    assert (found.batch.sample, found.batch.size) == (6, 6)
    html = one_line(desk.get(at("round", batch="round-one")).content.decode())
    assert "6 items (6 pool)" in html
