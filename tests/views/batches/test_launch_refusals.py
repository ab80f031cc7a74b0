"""What the launching page does not offer, what it says instead, and what a refused launch leaves: nothing."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.money import ledger
from annotation.models import Batch, Dataset, Entry, Hit, Instructions, Job, QualificationRound, QualificationType
from tests.conftest import records
from tests.flow.acting import draft
from tests.flow.batches.test_task_fit import PLAIN, stored
from tests.flow.people.test_qualification_rounds import made
from tests.one_line import one_line
from tests.views.batches.test_launch import form
from tests.views.console import at, work_off
from tests.views.people import test_rounds

pytestmark = pytest.mark.django_db
NEW = "/projects/wells/batches/new/"
NEEDS = "Requires a decomposition into hops of one of the six shapes, each with question, answer and paragraph."


@pytest.fixture
def plain(project: Any, tmp_path: Path) -> Dataset:
    return stored(project, tmp_path, [record | PLAIN for record in records(6)], "plain")


@pytest.fixture
def desk(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def radio(html: str, kind: str) -> str:
    found = re.search(f'<input type="radio" name="task" id="id_task_{kind}"[^>]*>', html)
    assert found, kind
    return found.group()


def left_behind() -> list[int]:
    """Rows that a launch writes."""
    return [
        rows.count()
        for rows in (Batch.everything, Hit.objects, Instructions.objects, Entry.objects, QualificationRound.objects)
    ]


def test_tasks_that_can_ask_about_nothing_cannot_be_chosen_and_say_why(desk: Any, plain: Dataset) -> None:
    html = one_line(desk.get(NEW, {"dataset": "plain"}).content.decode())
    assert "disabled" in radio(html, "compose")
    assert NEEDS in html
    assert "disabled" not in radio(html, "answer")


def test_another_dataset_changes_what_can_be_chosen(desk: Any, plain: Dataset, dataset: Dataset) -> None:
    url = reverse("batch-consequences", args=["wells"])
    html = one_line(desk.post(url, form(dataset, proposed_for=f"answer.{plain.pk}")).content.decode())
    assert "disabled" not in radio(html, "compose")
    same = one_line(desk.post(url, form(dataset, proposed_for=f"compose.{dataset.pk}")).content.decode())
    assert 'name="task"' not in same


def test_datasets_that_are_ticked_by_hand_give_the_batch_a_title(desk: Any, plain: Dataset, dataset: Dataset) -> None:
    def proposed(before: str, title: str, *chosen: Dataset) -> str | None:
        posted = form(dataset, proposed_for=before, title=title, datasets=[str(row.pk) for row in chosen])
        html = one_line(desk.post(reverse("batch-consequences", args=["wells"]), posted).content.decode())
        found = re.search(r'<input type="text" name="title" (?:value="([^"]*)")?', html)
        return found and (found[1] or "")

    assert proposed("answer", "", dataset) == "Questions from wells"
    assert proposed(f"answer.{dataset.pk}", "Questions from wells", dataset, plain) == "Questions from plain, wells"
    assert proposed(f"answer.{plain.pk}.{dataset.pk}", "Questions from plain, wells", plain) == "Questions from plain"
    assert proposed(f"answer.{dataset.pk}", "Questions from wells") == ""
    assert proposed("answer", "My own title", dataset) is None, "what somebody wrote stays"
    assert proposed(f"answer.{dataset.pk}", "Questions from wells", dataset) is None, "nothing else was ticked"


def test_a_new_batch_proposes_the_first_task_that_fits(desk: Any, project: Any, tmp_path: Path) -> None:
    graphs = [record | {"question": ""} for record in records(3)]
    stored(project, tmp_path, graphs, "graphs")
    shown = desk.get(NEW, {"dataset": "graphs"})
    assert "checked" in radio(one_line(shown.content.decode()), "compose")
    assert shown.context["form"]["assignments_per_hit"].value() == 1


@pytest.mark.parametrize("button", ["draft", "launch", "look"])
def test_a_task_that_does_not_fit_is_refused_beside_the_field_and_nothing_is_stored(
    desk: Any, plain: Dataset, button: str
) -> None:
    response = desk.post(NEW, {**form(plain, task="compose"), "draft": "", button: "1"})
    html = one_line(response.content.decode())
    assert response.status_code == 422
    assert f"This task can use none of these items. {NEEDS}" in html
    assert "These settings give no HITs, so the batch cannot be launched." in html
    assert "checked" in radio(html, "compose")
    assert (left_behind(), Job.objects.count()) == ([0, 0, 0, 0, 0], 0)


def test_the_numbers_beside_the_form_count_what_is_really_asked(desk: Any, project: Any, tmp_path: Path) -> None:
    mixed = [record | (PLAIN if k % 3 else {}) for k, record in enumerate(records(9))]
    data = stored(project, tmp_path, mixed)
    posted = form(data, task="coreference", sample="", assignments_per_hit="2", expected_minutes="30")
    html = one_line(desk.post(reverse("batch-consequences", args=["wells"]), posted).content.decode())
    assert re.search(r"<dt>HITs</dt>\s*<dd><b>3</b>\s*<span[^>]*>of 9 requested items", html)
    assert re.search(r"<dt>Assignments</dt>\s*<dd><b>6</b>", html)
    assert "3.0 hours" in html
    assert "6 items of made are missing. Requires a decomposition into hops, each with its paragraph." in html


def test_a_large_dataset_is_counted_from_a_sample_with_an_interval(
    desk: Any, project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.flow.batches.estimates.A_LOOK", 10)
    data = stored(project, tmp_path, records(40))
    html = one_line(desk.post(reverse("batch-consequences", args=["wells"]), form(data, sample="")).content.decode())
    assert re.search(r"<dt>HITs</dt>\s*<dd>about <b>40</b>\s*<span[^>]*>28 to 40<", html)
    assert "Estimated from a random sample of 10 of the 40 items" in html


@pytest.mark.parametrize(("looked", "about"), [(40, ""), (10, "about ")])
def test_a_cost_that_is_estimated_is_said_to_be(
    desk: Any, project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looked: int, about: str
) -> None:
    monkeypatch.setattr("annotation.flow.batches.estimates.A_LOOK", looked)
    data = stored(project, tmp_path, records(40))
    posted = form(data, sample="", paid="on", reward="1.00", auto_approve_days="7")

    def summary() -> str:
        html = desk.post(reverse("batch-consequences", args=["wells"]), posted).content.decode()
        return one_line(re.sub(r"<[^>]+>", "", html))

    assert f"It costs at most {about}$40.00." in summary()
    assert f"Add {about}$40.00 to the budget." in summary()
    ledger.deposit(project, Decimal(50), key="start")
    assert f"Budget after the launch: {about}$10.00." in summary()


def test_what_a_round_holds_is_said_before_the_launch_and_at_it(desk: Any, project: Any, dataset: Dataset) -> None:
    made(project, dataset, per_worker=2)
    html = one_line(desk.post(reverse("batch-consequences", args=["wells"]), form(dataset)).content.decode())
    assert "3 items of wells are missing. Reserved for the qualification round round." in html
    before = left_behind()
    response = desk.post(NEW, form(dataset, launch="1"))
    assert response.status_code == 422
    assert "so there is nothing to launch. Reserved for the qualification round round." in response.content.decode()
    assert (left_behind(), Job.objects.count()) == (before, 0)
    shared = form(dataset, launch="1")
    del shared["disjoint"]
    assert desk.post(NEW, shared).status_code == 303


def test_a_budget_that_is_too_small_is_said_before_anything_is_stored(desk: Any, dataset: Dataset) -> None:
    response = desk.post(NEW, form(dataset, launch="1", paid="on", reward="1.00", auto_approve_days="7"))
    assert response.status_code == 422
    said = re.search(r'role="alert">\s*<p>(This requires[^<]*)', response.content.decode())
    assert said is not None, response.content.decode()
    assert said.group(1) == "This requires $3.00, but the budget has only $0.00 left. Add $3.00 to the budget."
    assert (left_behind(), Job.objects.count()) == ([0, 0, 0, 0, 0], 0)


def test_a_launch_that_is_refused_later_leaves_nothing_and_can_be_filled_in_again(
    desk: Any, dataset: Dataset, project: Any
) -> None:
    """Meanwhile a qualification round took the items: nobody could know when the button was pressed."""
    desk.post(NEW, form(dataset, launch="1", title="Wells to come"))
    assert Batch.objects.get().state == "draft"
    made(project, dataset, per_worker=2)
    before = [n - own for n, own in zip(left_behind(), (1, 0, 1, 0, 0), strict=True)]
    work_off()
    assert left_behind() == before
    job = Job.objects.get(kind="launch_batch")
    page = one_line(desk.get(reverse("job", args=["wells", job.public_id])).content.decode())
    assert "Reserved for the qualification round round." in page
    assert "Try again" not in page
    again = re.search('href="([^"]+[?]again=[^"]+)"', page)
    assert again is not None
    html = one_line(desk.get(again.group(1)).content.decode())
    assert "Wells to come" in html
    assert "Reserved for the qualification round round." in html
    assert not Batch.objects.filter(slug="wells-to-come").exists()


def test_a_refused_launch_of_a_saved_draft_leaves_it_as_it_was(desk: Any, dataset: Dataset, project: Any) -> None:
    saved = draft(project, "saved", dataset, reward=Decimal("0.10"), auto_approval=3600, seed=4)
    before = Batch.objects.filter(pk=saved.pk).values().get()
    desk.post(at("batch-launch", batch="saved"))
    work_off()
    assert Job.objects.get().state == "failed"
    assert Batch.objects.filter(pk=saved.pk).values().get() == before
    assert (Hit.objects.count(), Entry.objects.count()) == (0, 0)


def test_a_round_that_is_refused_later_leaves_neither_itself_nor_its_qualification(
    desk: Any, dataset: Dataset, project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.post(test_rounds.NEW, test_rounds.form(dataset, launch="1", per_worker="2", disjoint="on"))
    assert (QualificationRound.objects.count(), QualificationType.objects.count()) == (1, 1)
    Dataset.objects.get(pk=dataset.pk).items.update(archived_at="2026-01-01T00:00Z")
    work_off()
    assert (left_behind(), QualificationType.objects.count()) == ([0, 0, 0, 0, 0], 0)
    page = one_line(desk.get(reverse("job", args=["wells", Job.objects.get().public_id])).content.decode())
    again = re.search('href="([^"]+[?]again=[^"]+)"', page)
    assert again is not None
    assert again.group(1).startswith(test_rounds.NEW)
    assert "Round one" in desk.get(again.group(1)).content.decode()


def test_the_page_of_a_round_shows_its_pool_and_what_does_not_fit(desk: Any, dataset: Dataset, plain: Dataset) -> None:
    chances = reverse("round-chances", args=["wells"])
    html = one_line(desk.post(chances, test_rounds.form(dataset, sample="3", per_worker="2")).content.decode())
    assert "<b>3 items</b>" in html
    assert "uses every item" not in html
    assert "uses every item of wells" in desk.post(chances, test_rounds.form(dataset, per_worker="2")).content.decode()
    response = desk.post(test_rounds.NEW, test_rounds.form(plain, task="compose", per_worker="2"))
    assert response.status_code == 422
    assert NEEDS in response.content.decode()
    assert not QualificationRound.objects.exists()


def test_a_new_round_offers_no_task_that_cannot_ask_about_the_items(
    desk: Any, dataset: Dataset, plain: Dataset
) -> None:
    chances = reverse("round-chances", args=["wells"])
    for html in (
        desk.post(chances, test_rounds.form(plain, per_worker="2")).content.decode(),
        desk.post(test_rounds.NEW, test_rounds.form(plain, per_worker="0")).content.decode(),
    ):
        assert "?task=compose" not in html
        assert "?task=answer" in html
        assert NEEDS in html
    assert "?task=compose" in desk.post(chances, {"task": "answer"}).content.decode()
