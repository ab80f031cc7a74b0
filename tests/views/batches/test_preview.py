"""Previews: a test answer is checked and shown, never stored, and the first launch's checklist knows what was tried."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils.html import escape

from annotation.flow.batches import batch_drafts, batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.models import Assignment, Batch, Participation, Worker, WorkerResponse
from tests.batches import create_batch
from tests.conftest import write_records
from tests.one_line import one_line
from tests.projects import change_project
from tests.tasks.html_form import read_form


@pytest.fixture
def draft(project: Any, dataset: Any) -> Batch:
    return create_batch(
        project, "draft", task="answer", datasets=[dataset], instructions="Read.", sample=3, assignments_per_hit=1
    )


def preview(draft: Batch, number: int) -> str:
    return reverse("batch-preview", args=["wells", draft.slug], query={"n": number})


def steps(client: Any, draft: Batch | None = None) -> list[tuple[bool, str]]:
    """The checklist of the launch page: whether each step is done, and its text."""
    page = reverse("batch-edit", args=["wells", draft.slug]) if draft else reverse("batch-new", args=["wells"])
    html = client.get(page).content.decode()
    if 'id="checklist"' not in html:
        return []
    box = html[html.index('id="checklist"') :].partition("</section>")[0]
    found = re.findall(r'<li class="(done)?">.*?</span>\s*</span>|<li', box, re.DOTALL)
    rows = [one_line(re.sub(r"<[^>]+>", " ", row)) for row in box.split("<li")[1:]]
    assert len(found) == len(rows)
    return [("Done:" in row, re.split("Done:|To do:", row)[1].strip()) for row in rows]


def test_a_test_answer_is_checked_and_shown_and_never_stored(client: Any, alice: Any, draft: Batch) -> None:
    client.force_login(alice)
    page = client.get(preview(draft, 1)).content.decode()
    assert "Test my answer" in page
    empty = client.post(preview(draft, 1), {})
    assert empty.status_code == 422
    assert empty.context["problems"]
    assert 'id="tested"' not in empty.content.decode()
    hit = batch_drafts.samples(draft, 1)[0]
    word = hit.payload["paragraphs"][0]["text"].split()[0]
    given = client.post(preview(draft, 1), {"kind": "span", "text": word, "support": ["0"]})
    assert given.status_code == 200, given.context["problems"]
    shown = given.content.decode()
    assert "Your test answer is complete" in shown
    assert f"&quot;text&quot;: &quot;{word}&quot;" in shown.partition("<details>")[2]
    gold = hit.item.example.answers[0]
    assert f'Gold: <b dir="auto">{gold}</b>Score: 0<' in one_line(shown)
    Batch.objects.filter(pk=draft.pk).update(state=Batch.State.OPEN)
    blind = client.post(preview(draft, 1), {"kind": "span", "text": word, "support": ["0"]})
    assert "Gold:" not in blind.content.decode()
    for rows in (Assignment, WorkerResponse, Participation):
        assert not rows.objects.exists()
    assert not Worker.objects.filter(user=alice).exists()


def test_the_checklist_of_a_first_launch_ticks_what_was_done(client: Any, alice: Any, draft: Batch) -> None:
    client.force_login(alice)
    assert [done for done, _text in steps(client)][2:] == [False, False]
    for number in (1, 2):
        client.get(preview(draft, number))
    assert (False, "Items looked at: 2 of 3") in steps(client, draft)
    client.get(preview(draft, 3))
    assert (True, "Items looked at: 3 of 3") in steps(client, draft)
    client.post(preview(draft, 1), {})
    assert steps(client, draft)[3] == (False, "One item answered as a test")
    word = batch_drafts.samples(draft, 1)[0].payload["paragraphs"][0]["text"].split()[0]
    client.post(preview(draft, 1), {"kind": "span", "text": word, "support": ["0"]})
    assert steps(client, draft)[3] == (True, "One item answered as a test")
    assert steps(client, draft)[1] == (True, "Instructions: your own text")


def test_a_draft_of_two_items_asks_to_look_at_two(client: Any, alice: Any, draft: Batch) -> None:
    client.force_login(alice)
    assert (False, "Items looked at: none yet") in steps(client), "nothing is chosen"
    for number in (1, 2, 3):
        client.get(preview(draft, number))
    Batch.objects.filter(pk=draft.pk).update(sample=2)
    assert (True, "Items looked at: 2 of 2") in steps(client, draft)
    client.session.flush()
    client.force_login(alice)
    client.get(preview(draft, 2))
    assert (False, "Items looked at: 1 of 2") in steps(client, draft)
    assert client.get(preview(draft, 3)).status_code == 404
    client.get(preview(draft, 1))
    assert (True, "Items looked at: 2 of 2") in steps(client, draft)
    draft.datasets.clear()
    assert (False, "Items looked at: none yet") in steps(client, draft), "no item can be used"


@pytest.mark.parametrize("launched", [False, True])
def test_every_item_is_reached_by_the_links(
    client: Any, alice: Any, project: Any, tmp_path: Any, launched: bool
) -> None:
    import_dataset(project, write_records(tmp_path / "twelve.jsonl", 12), format="jsonl", name="twelve")
    twelve = project.datasets.get(slug="twelve")
    terms: dict[str, Any] = {"task": "answer", "datasets": [twelve], "instructions": "Read."}
    batch = create_batch(project, "all", **terms)
    if launched:
        batch_launch.launch(batch)
    client.force_login(alice)
    address, seen, numbers = preview(batch, 1), [], []
    while address:
        page = client.get(address)
        seen.append(page.context["assignment"]["hit"].item_id)
        numbers.append((page.context["frame"]["number"], page.context["frame"]["total"]))
        links = {link["action"]: link["url"] for link in page.context["previews"]}
        assert ("previous-item" in links) is (len(seen) > 1)
        assert all(escape(url) in page.content.decode() for url in links.values())
        address = links.get("next-item")
    assert sorted(seen) == sorted(twelve.items.values_list("pk", flat=True))
    assert numbers == [(n, 12) for n in range(1, 13)]


def test_the_button_opens_an_item_that_there_is(client: Any, alice: Any, draft: Batch) -> None:
    client.force_login(alice)
    page = reverse("batch-edit", args=["wells", draft.slug])
    _action, shown = read_form(client.get(page).content.decode(), "launch")
    posted = {name: values for name, values in shown.items() if any(values)}
    for look, opened in (("3", 1), ("2", 2), ("x", 1), ("0", 1)):
        response = client.post(page, posted | {"sample": "2", "look": look})
        assert (response.status_code, response.url) == (303, preview(draft, opened))
        assert client.get(response.url).status_code == 200


def test_the_consent_text_is_ticked_once_it_has_no_places_left(
    client: Any, alice: Any, project: Any, draft: Batch
) -> None:
    client.force_login(alice)
    change_project(project, consent="Ask [contact].")
    before = steps(client, draft)[0]
    change_project(project, consent="Ask Ada.")
    assert steps(client, draft)[0] == (True, "Consent text finished")
    assert before[1] == "Consent text finished"


def test_after_the_first_launch_there_is_no_checklist(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert steps(client) == []
