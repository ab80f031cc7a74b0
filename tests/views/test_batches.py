"""Launching, overseeing and steering a batch."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow import batching, drafting
from annotation.models import Batch, Job, Project, Worker
from tests.conftest import write_records
from tests.views.console import answer, at, take, work_off

BATCH_PAGES = """
    batch hits batch-workers flags report guide batch-settings batch-assignments batch-preview
""".split()
PROJECT_PAGES = ["batches", "batch-new"]


def form(dataset: Any, **other: Any) -> dict[str, Any]:
    """What the launching page posts."""
    return {
        "title": "Wells, round two",
        "name": "",
        "datasets": [dataset.pk],
        "task": "answer",
        "option-support": "on",
        "sample": "3",
        "seed": "7",
        "assignments_per_hit": "1",
        "expected_minutes": "2",
        "who": "all",
        "meeting": "one",
        "purpose": "production",
        "fresh_only": "on",
        "disjoint": "on",
        "guide": "Read.\r\n\r\n**Answer.**",
        "draft": "1",
    } | other


@pytest.fixture
def draft(project: Any, dataset: Any) -> Batch:
    return batching.create_batch(
        project, "draft", task="answer", datasets=[dataset], guide="Read.", sample=3, seed=7, assignments_per_hit=1
    )


@pytest.mark.parametrize("page", BATCH_PAGES)
def test_a_batch_page_opens_for_its_requester(client: Any, alice: Any, bob: Any, batch: Any, page: str) -> None:
    answer(bob, batch)
    client.force_login(alice)
    assert client.get(at(page)).status_code == 200


@pytest.mark.parametrize("page", BATCH_PAGES)
def test_a_batch_page_does_not_exist_for_a_worker(client: Any, bob: Any, batch: Any, page: str) -> None:
    client.force_login(bob.user)
    assert client.get(at(page)).status_code == 404


@pytest.mark.parametrize("page", BATCH_PAGES)
def test_a_batch_does_not_exist_in_another_project(client: Any, alice: Any, batch: Any, page: str) -> None:
    mills = Project.objects.create(slug="mills", title="Mills")
    mills.members.create(user=alice)
    client.force_login(alice)
    assert client.get(reverse(page, args=["mills", "wells-1"])).status_code == 404


@pytest.mark.parametrize("page", PROJECT_PAGES)
def test_the_list_and_the_launching_page_are_for_requesters(client: Any, alice: Any, bob: Any, page: str) -> None:
    assert client.get(reverse(page, args=["wells"])).status_code == 302
    client.force_login(bob.user)
    assert client.get(reverse(page, args=["wells"])).status_code == 404
    client.force_login(alice)
    assert client.get(reverse(page, args=["wells"])).status_code == 200


def test_the_launching_page_saves_a_draft_with_a_name_of_its_own(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    response = client.post(reverse("batch-new", args=["wells"]), form(dataset))
    made = Batch.objects.get()
    assert (response.status_code, response.url) == (303, at("batch-edit", batch="wells-round-two"))
    assert (made.state, made.sample, made.seed, made.expected_seconds) == ("draft", 3, 7, 120)
    assert made.guide.text == "Read.\n\n**Answer.**"
    assert made.options["support"] is True
    assert made.options["yes_no"] is False


def test_an_empty_expected_time_is_proposed_from_the_datasets(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    client.post(reverse("batch-new", args=["wells"]), form(dataset, expected_minutes=""))
    assert Batch.objects.get().expected_seconds == batching.expected_seconds([dataset])


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("title", "", "This field is required"),
        ("datasets", [], "Choose at least one dataset"),
        ("assignments_per_hit", "0", "greater than or equal to 1"),
        ("name", "new", "is taken"),
        ("sample", "many", "Enter a whole number"),
        ("who", "chosen", "Choose at least one annotator"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    client: Any, alice: Any, bob: Any, dataset: Any, field: str, value: Any, told: str
) -> None:
    client.force_login(alice)
    response = client.post(reverse("batch-new", args=["wells"]), form(dataset, **{field: value}))
    html = response.content.decode()
    assert response.status_code == 422
    assert told in html
    assert html.count("autofocus") >= 1
    assert not Batch.objects.exists()


def test_a_draft_can_be_changed_and_renamed(client: Any, alice: Any, dataset: Any, draft: Batch) -> None:
    client.force_login(alice)
    response = client.post(at("batch-edit", batch="draft"), form(dataset, name="other", sample=""))
    draft.refresh_from_db()
    assert response.url == at("batch-edit", batch="other")
    assert (draft.slug, draft.sample, draft.guide.version) == ("other", None, 2)


def test_launching_opens_the_batch_by_a_job(client: Any, alice: Any, dataset: Any, draft: Batch) -> None:
    client.force_login(alice)
    response = client.post(at("batch-edit", batch="draft"), form(dataset, name="draft", launch="1"))
    assert response.url == reverse("job", args=["wells", Job.objects.get().public_id])
    work_off()
    draft.refresh_from_db()
    assert (draft.state, draft.size) == ("open", 3)


def test_launching_twice_posts_one_job(client: Any, alice: Any, draft: Batch) -> None:
    client.force_login(alice)
    urls = {client.post(at("batch-launch", batch="draft")).url for _ in range(2)}
    assert len(urls) == Job.objects.count() == 1


def test_the_consequences_say_how_much_work_it_is_and_who_is_missing(
    client: Any, alice: Any, bob: Any, dataset: Any
) -> None:
    client.force_login(alice)
    posted = form(dataset, assignments_per_hit="3")
    html = client.post(reverse("batch-consequences", args=["wells"]), posted).content.decode()
    assert "<b>9</b>" in html
    assert "Needs 3 different annotators, you have 1." in html
    assert 'id="options"' in html
    assert not Batch.objects.exists()


def test_a_change_of_numbers_leaves_the_chosen_options_alone(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    url = reverse("batch-consequences", args=["wells"])
    posted = form(dataset, proposed_for=f"answer.{dataset.pk}")
    assert 'id="options"' not in client.post(url, posted).content.decode()


def test_the_guide_is_previewed_without_running_it(client: Any, alice: Any) -> None:
    client.force_login(alice)
    posted = {"guide": "**Bold** <script>alert(1)</script>"}
    html = client.post(reverse("guide-preview", args=["wells"]), posted).content.decode()
    assert "<strong>Bold</strong>" in html
    assert "<script>" not in html


def test_the_preview_of_a_draft_shows_what_the_launch_will_ask(client: Any, alice: Any, draft: Batch) -> None:
    imagined = drafting.samples(draft)
    batching.launch(draft)
    stored = drafting.samples(draft)
    assert [(h.item_id, h.payload) for h in imagined] == [(h.item_id, h.payload) for h in stored]


@pytest.mark.parametrize("launched", [False, True])
def test_a_preview_and_its_fragments_hold_no_gold(
    client: Any, alice: Any, project: Any, tmp_path: Any, launched: bool
) -> None:
    from annotation.flow.importing import import_dataset

    path = write_records(tmp_path / "secret.jsonl", 1)
    record = json.loads(path.read_text()) | {"answers": ["SECRETGOLD"]}
    record["hops"][0]["answer"] = "SECRETHOP"
    path.write_text(json.dumps(record) + "\n")
    import_dataset(project, path, format="jsonl", name="secret")
    made = batching.create_batch(
        project, "secret-1", task="answer", datasets=[project.datasets.get(slug="secret")], guide="Read."
    )
    if launched:
        batching.launch(made)
    client.force_login(alice)
    page = client.get(at("batch-preview", batch="secret-1"))
    item = project.datasets.get(slug="secret").items.get()
    live = client.get(at("preview-live", item.pk, "search", batch="secret-1") + "?q=tower&seed=0")
    for response in (page, live):
        assert response.status_code == 200
        assert b"SECRET" not in response.content
        assert "SECRET" not in str(response.headers)


def test_a_preview_beyond_the_last_item_does_not_exist(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert client.get(at("batch-preview") + "?n=4").status_code == 404
    assert client.get(at("preview-live", 10**9, "search")).status_code == 404


def test_pause_resume_close_and_reopen(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    client.force_login(alice)
    for move, state in [("pause", "paused"), ("resume", "open"), ("close", "closed"), ("resume", "open")]:
        assert client.post(at("batch-move", move)).status_code == 303
        batch.refresh_from_db()
        assert batch.state == state
    assert take(bob, batch) is not None


def test_a_paused_batch_gives_out_nothing(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    client.force_login(alice)
    client.post(at("batch-move", "pause"))
    batch.refresh_from_db()
    assert take(bob, batch) is None


def test_a_draft_cannot_be_opened_by_resuming_it(client: Any, alice: Any, draft: Batch) -> None:
    client.force_login(alice)
    client.post(at("batch-move", "resume", batch="draft"))
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_moves_are_posted_and_known(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert client.get(at("batch-move", "pause")).status_code == 405
    assert client.post(at("batch-move", "explode")).status_code == 404


def test_topping_up_asks_for_one_more_annotation(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    answer(bob, batch)
    answer(carol, batch)
    client.force_login(alice)
    response = client.post(at("batch-top-up"), {"which": "all"})
    assert response.url == reverse("job", args=["wells", Job.objects.get().public_id])
    work_off()
    assert sorted(batch.hits.values_list("wanted", flat=True)) == [2, 2, 2, 3]


def test_the_numbers_of_the_overview_lead_to_what_they_count(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    answer(bob, batch)
    take(carol, batch)
    client.force_login(alice)
    html = client.get(at("batch")).content.decode()
    assert "1 of 8" in html
    for show in ("submitted", "in-work"):
        assert f"{at('batch-assignments')}?show={show}" in html
        page = client.get(at("batch-assignments") + f"?show={show}").context["page"]
        assert page.paginator.count == 1
    assert client.get(at("batch-assignments") + "?show=late").context["page"].paginator.count == 0


def test_workers_stand_there_by_pseudonym_only(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    client.force_login(alice)
    html = client.get(at("batch-workers")).content.decode()
    assert bob.pseudonym in html
    assert "bob" not in html.lower()


def test_who_may_work_can_be_changed_while_people_work(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    client.force_login(alice)
    posted = {"title": "Wells again", "expected_minutes": "1.5", "who": "chosen", "workers": [carol.pk]}
    assert client.post(at("batch-settings"), posted).status_code == 303
    batch.refresh_from_db()
    assert (batch.title, batch.expected_seconds) == ("Wells again", 90)
    assert list(batch.workers.all()) == [carol]


def test_a_worker_of_another_project_cannot_be_chosen(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    mills = Project.objects.create(slug="mills", title="Mills")
    stranger = Worker.objects.create(project=mills, user=bob.user)
    client.force_login(alice)
    posted = {"title": "Wells", "expected_minutes": "2", "who": "chosen", "workers": [stranger.pk]}
    assert client.post(at("batch-settings"), posted).status_code == 422


def test_a_changed_guide_is_a_new_version(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    client.post(at("guide"), {"guide": "Read twice."})
    client.post(at("guide"), {"guide": "Read twice."})
    assert [g.text for g in batch.guides.order_by("version")] == ["Read, then answer.", "Read twice."]


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_judgments_come_out_as_a_file(client: Any, alice: Any, bob: Any, batch: Any, format: str) -> None:
    answer(bob, batch)
    client.force_login(alice)
    response = client.get(at("batch-export", format))
    assert f"wells-1-judgments.{format}" in response["Content-Disposition"]
    body = b"".join(response.streaming_content)
    assert bob.pseudonym.encode() in body
    assert b"alice" not in body


def test_an_unknown_export_format_does_not_exist(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert client.get(at("batch-export", "xml")).status_code == 404
