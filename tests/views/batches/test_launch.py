"""The launching page: what it proposes, refuses, previews, saves and launches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.flow.batches import batch_drafts, batch_launch, estimates
from annotation.models import Batch, Dataset, Invite, Job, Project, User, Worker
from annotation.registry import default_instructions, folder_of, kinds, task_types
from annotation.tasktype import JSON
from tasks.answer.task import Answer
from tests.batches import create_batch
from tests.conftest import write_records
from tests.one_line import one_line
from tests.views.console import at, work_off


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
        "instructions": "Read.\r\n\r\n**Answer.**",
        "suggest": "",
        "draft": "1",
    } | other


@pytest.fixture
def draft(project: Any, dataset: Any) -> Batch:
    return create_batch(
        project,
        "draft",
        task="answer",
        datasets=[dataset],
        instructions="Read.",
        sample=3,
        seed=7,
        assignments_per_hit=1,
    )


def timed(monkeypatch: pytest.MonkeyPatch, seconds: Callable[[JSON], int | None]) -> None:
    """Let the task `answer` know how long its HITs take."""

    class TimedAnswer(Answer):
        kind = Answer.kind

        def seconds(self, payload: JSON) -> int | None:
            return seconds(payload)

    monkeypatch.setitem(task_types(), "answer", TimedAnswer())


def test_the_launching_page_saves_a_draft_with_a_name_of_its_own(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    response = client.post(reverse("batch-new", args=["wells"]), form(dataset))
    made = Batch.objects.get()
    assert (response.status_code, response.url) == (303, at("batch-edit", batch="wells-round-two"))
    assert (made.state, made.sample, made.seed, made.expected_seconds) == ("draft", 3, 7, 120)
    assert made.instructions.text == "Read.\n\n**Answer.**"
    assert made.options["support"] is True
    assert made.options["yes_no"] is False


def test_an_empty_expected_time_is_proposed_from_the_datasets(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    client.post(reverse("batch-new", args=["wells"]), form(dataset, expected_minutes=""))
    assert Batch.objects.get().expected_seconds == estimates.reading_seconds([dataset])


def test_an_expected_time_that_the_task_knows_is_the_mean_over_its_items(
    client: Any, alice: Any, dataset: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = iter([100, None, 200, 300])
    timed(monkeypatch, lambda payload: next(asked, None))
    client.force_login(alice)
    html = client.post(reverse("batch-consequences", args=["wells"]), form(dataset, sample="")).content.decode()
    assert "Leave empty for 3.3 (the task's average for these items)." in html


def test_the_lease_follows_the_expected_time_that_the_task_knows(
    dataset: Any, project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed(monkeypatch, lambda payload: 400)
    made = create_batch(project, "long", task="answer", datasets=[dataset], instructions="Read.")
    assert (made.expected_seconds, made.lease_seconds) == (400, 1200)


@pytest.mark.parametrize(
    ("field", "value", "result"),
    [
        ("title", "", "This field is required"),
        ("datasets", [], "Choose at least one dataset"),
        ("assignments_per_hit", "0", "greater than or equal to 1"),
        ("name", "new", "is reserved"),
        ("sample", "many", "Enter a whole number"),
        ("who", "chosen", "Choose at least one worker"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    client: Any, alice: Any, bob: Any, dataset: Any, field: str, value: Any, result: str
) -> None:
    client.force_login(alice)
    response = client.post(reverse("batch-new", args=["wells"]), form(dataset, **{field: value}))
    html = response.content.decode()
    assert response.status_code == 422
    assert result in html
    assert html.count("autofocus") >= 1
    assert not Batch.objects.exists()


def test_a_draft_can_be_changed_and_renamed(client: Any, alice: Any, dataset: Any, draft: Batch) -> None:
    client.force_login(alice)
    response = client.post(at("batch-edit", batch="draft"), form(dataset, name="other", sample=""))
    draft.refresh_from_db()
    assert response.url == at("batch-edit", batch="other")
    assert (draft.slug, draft.sample, draft.instructions.version) == ("other", None, 2)


def test_launching_opens_the_batch_by_a_job(client: Any, alice: Any, dataset: Any, draft: Batch) -> None:
    client.force_login(alice)
    response = client.post(at("batch-edit", batch="draft"), form(dataset, name="draft", launch="1"))
    assert response.url == reverse("job", args=["wells", Job.objects.get().public_id])
    work_off()
    draft.refresh_from_db()
    assert (draft.state, draft.size) == ("open", 3)


def test_a_launch_leads_to_inviting_the_workers_who_are_missing(
    client: Any, alice: Any, dataset: Any, draft: Batch
) -> None:
    client.force_login(alice)
    terms = form(dataset, launch="1", name="draft", assignments_per_hit="3")
    job_page = client.post(at("batch-edit", batch="draft"), terms).url
    work_off()
    for page in (job_page, at("batch", batch="draft")):
        assert f'action="{at("batch-invite", batch="draft")}"' in client.get(page, follow=True).content.decode()
    made = client.post(at("batch-invite", batch="draft"), follow=True)
    assert made.redirect_chain == [(at("batch", batch="draft"), 303)]
    invited = Invite.objects.get()
    assert (invited.role, invited.places, invited.created_by) == ("worker", 3, alice)
    assert reverse("join", args=[invited.token]) in made.content.decode()
    client.post(at("batch-invite", batch="draft"))
    assert Invite.objects.count() == 1, "there are places enough"
    for name in ("dora", "emil", "fay"):
        Worker.objects.create(project=draft.project, user=User.objects.create_user(name), consented_version=1)
    for page in (job_page, at("batch", batch="draft")):
        html = client.get(page, follow=True).content.decode()
        assert at("batch-invite", batch="draft") not in html
        assert "/join/" not in html
        assert "?places=" not in html
        assert "You need" not in html


def test_a_batch_of_chosen_workers_does_not_ask_to_invite_others(
    client: Any, alice: Any, bob: Any, dataset: Any, draft: Batch
) -> None:
    client.force_login(alice)
    terms = form(dataset, launch="1", name="draft", assignments_per_hit="2", who="chosen", workers=[bob.pk])
    job_page = client.post(at("batch-edit", batch="draft"), terms).url
    work_off()
    html = client.get(job_page, follow=True).content.decode()
    assert "You need 2 workers and have 1." in html
    assert at("batch-invite", batch="draft") not in html
    assert "?places=" not in html


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
    assert "You need 3 workers and have 1." in html
    assert 'id="options"' in html
    assert not Batch.objects.exists()


def test_another_task_brings_its_instructions_and_how_it_reads(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    posted = form(dataset, task="compose", instructions=default_instructions("answer"))
    html = client.post(reverse("batch-consequences", args=["wells"]), posted).content.decode()
    assert 'id="instructions-preview" hx-swap-oob="innerHTML"' in html
    assert "<strong>hops</strong>" in html


def test_a_change_of_numbers_leaves_the_chosen_options_alone(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    url = reverse("batch-consequences", args=["wells"])
    posted = form(dataset, proposed_for=f"answer.{dataset.pk}")
    assert 'id="options"' not in client.post(url, posted).content.decode()


def test_the_instructions_is_previewed_without_running_it(client: Any, alice: Any) -> None:
    client.force_login(alice)
    posted = {"instructions": "**Bold** <script>alert(1)</script>"}
    html = client.post(reverse("instructions-preview", args=["wells"]), posted).content.decode()
    assert "<strong>Bold</strong>" in html
    assert "<script>" not in html


def test_the_preview_of_a_draft_shows_what_the_launch_will_ask(client: Any, alice: Any, draft: Batch) -> None:
    imagined = batch_drafts.samples(draft)
    batch_launch.launch(draft)
    stored = batch_drafts.samples(draft)
    assert [(h.item_id, h.payload) for h in imagined] == [(h.item_id, h.payload) for h in stored]


@pytest.mark.parametrize("launched", [False, True])
def test_a_preview_and_its_fragments_hold_no_gold(
    client: Any, alice: Any, project: Any, tmp_path: Any, launched: bool
) -> None:
    from annotation.flow.data.dataset_import import import_dataset

    path = write_records(tmp_path / "secret.jsonl", 1)
    record = json.loads(path.read_text()) | {"answers": ["SECRETGOLD"]}
    record["hops"][0]["answer"] = "SECRETHOP"
    path.write_text(json.dumps(record) + "\n")
    import_dataset(project, path, format="jsonl", name="secret")
    made = create_batch(
        project, "secret-1", task="answer", datasets=[project.datasets.get(slug="secret")], instructions="Read.",
        options={"own_words": "allow"},
    )  # fmt: skip
    if launched:
        batch_launch.launch(made)
    client.force_login(alice)
    page = client.get(at("batch-preview", batch="secret-1"))
    item = project.datasets.get(slug="secret").items.get()
    live = client.get(at("preview-live", item.pk, 0, "search", batch="secret-1") + "?q=tower")
    for response in (page, live):
        assert response.status_code == 200
        assert b"SECRET" not in response.content
        assert "SECRET" not in str(response.headers)


def test_a_preview_beyond_the_last_item_does_not_exist(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    for number in (batch.size + 1, 10**15, 0):
        assert client.get(at("batch-preview") + f"?n={number}").status_code == 404
    assert client.get(at("preview-live", 10**9, 0, "search")).status_code == 404


def test_a_draft_without_items_to_ask_about_says_so(client: Any, alice: Any, dataset: Any, draft: Batch) -> None:
    Batch.objects.filter(pk=draft.pk).update(options={"sentences": True})
    client.force_login(alice)
    html = client.get(at("batch-edit", batch="draft")).content.decode()
    assert "None of the items can be used" in html


def test_a_launched_batch_can_no_longer_be_edited(client: Any, alice: Any, dataset: Any, batch: Any) -> None:
    client.force_login(alice)
    assert client.post(at("batch-edit"), form(dataset, title="Other")).status_code == 302
    batch.refresh_from_db()
    assert batch.title == "wells-1"


def test_a_new_batch_begins_with_the_dataset_it_was_asked_for(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    Dataset.objects.create(project=dataset.project, slug="others", size=1, state="ready")
    shown = client.get(reverse("batch-new", args=["wells"]) + "?dataset=wells").context["form"]
    assert shown["datasets"].value() == [dataset.pk]
    assert str(shown["datasets"]).index("checked") < str(shown["datasets"]).index("others"), "it is in sight"


def test_a_dataset_of_another_project_cannot_be_chosen(client: Any, alice: Any, dataset: Any) -> None:
    mills = Project.objects.create(slug="mills", title="Mills")
    mills.members.create(user=alice)
    client.force_login(alice)
    response = client.post(reverse("batch-new", args=["mills"]), form(dataset))
    assert response.status_code == 422
    assert not Batch.objects.exists()


def test_how_members_meet_is_proposed_by_the_task_and_kept_where_it_was_chosen(
    client: Any, alice: Any, dataset: Any, project: Any
) -> None:
    client.force_login(alice)
    url = reverse("batch-consequences", args=["wells"])
    posted = form(dataset, task="sufficiency", proposed_for=f"answer.{dataset.pk}")
    changed = client.post(url, posted).content.decode()
    assert '<option value="apart" selected>' in changed
    for kept in ({"meeting": "free"}, {"proposed_for": f"sufficiency.{dataset.pk}"}):
        assert 'name="meeting"' not in client.post(url, posted | kept).content.decode()
    without_scripts = client.post(reverse("batch-new", args=["wells"]), posted | {"fit_options": "1"}).content.decode()
    assert '<option value="apart" selected>' in without_scripts
    given = {"datasets": [dataset], "instructions": "Read."}
    assert create_batch(project, "pairs", task="sufficiency", **given).meeting == "apart"
    assert create_batch(project, "one", task="sufficiency", meeting="one", **given).meeting == "one"
    assert create_batch(project, "plain", task="answer", **given).meeting == "one"


def test_how_many_answer_each_item_is_proposed_by_the_task_and_kept_where_it_was_chosen(
    client: Any, alice: Any, dataset: Any, project: Any
) -> None:
    """One composition of each graph is enough; three people answer a question, as in MuSiQue's human study."""
    client.force_login(alice)
    url = reverse("batch-consequences", args=["wells"])
    posted = form(dataset, task="compose", proposed_for=f"answer.{dataset.pk}", assignments_per_hit="3")
    changed = client.post(url, posted).content.decode()
    assert changed.count('id="control-assignments_per_hit"') == 1
    assert re.search(r'name="assignments_per_hit" value="1"', changed)
    for kept in ({"assignments_per_hit": "5"}, {"proposed_for": f"coreference.{dataset.pk}"}):
        assert 'name="assignments_per_hit"' not in client.post(url, posted | kept).content.decode()
    begun = client.get(reverse("batch-new", args=["wells"])).context["form"]
    assert begun["assignments_per_hit"].value() == 3
    given = {"datasets": [dataset], "instructions": "Read."}
    for task, number in {"answer": 3, "compose": 1, "subquestions": 1, "coreference": 1, "sufficiency": 3}.items():
        assert create_batch(project, task, task=task, **given).assignments_per_hit == number
    assert create_batch(project, "two", task="compose", assignments_per_hit=2, **given).assignments_per_hit == 2


def test_tasks_that_do_not_fit_the_data_are_folded_behind_those_that_do(
    client: Any, alice: Any, project: Any, dataset: Any
) -> None:
    client.force_login(alice)
    html = client.get(reverse("batch-new", args=["wells"], query={"dataset": dataset.slug})).content.decode()
    field = html[html.index('id="control-task"') : html.index("</fieldset>", html.index('id="control-task"'))]
    fitting, folded = field.split('<details class="unsuitable">')
    assert "disabled" not in fitting
    assert 'value="answer"' in fitting
    cards = folded.count('type="radio"')
    assert cards
    assert cards == folded.count("disabled") == folded.count("Requires ")
    assert field.count('<svg class="pictogram"') == field.count('type="radio"') == len(kinds())


def test_a_task_without_a_picture_of_its_own_gets_the_common_one(client: Any, alice: Any, project: Any) -> None:
    own = (folder_of("answer") / "pictogram.svg").read_text(encoding="utf-8")
    assert own == render_to_string(["answer/pictogram.svg", "widgets/pictogram.svg"])
    assert '<svg class="pictogram"' in render_to_string(["fluency/pictogram.svg", "widgets/pictogram.svg"])


def test_the_estimate_is_said_in_a_sentence(client: Any, alice: Any, project: Any, dataset: Any) -> None:
    client.force_login(alice)
    posted = form(dataset, assignments_per_hit="2", expected_minutes="5")
    html = one_line(client.post(reverse("batch-consequences", args=["wells"]), posted).content.decode())
    said = one_line(re.sub(r"<[^>]+>", " ", html[html.index('class="estimate">') + 17 :].split("</p>")[0])).strip()
    # how many workers it needs is said where they are invited, and not twice
    assert (
        said == "3 items with 2 responses each, from different workers. 6 responses in all. About 30 minutes of work."
    )
    assert html.count("2 workers") == 1
