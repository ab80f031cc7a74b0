"""The two layers of the page of a new batch, and the first item beside them."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.urls import reverse

from annotation.flow.batches import batch_drafts
from annotation.flow.batches.settings import SETTINGS
from annotation.models import Batch, Dataset, Item, Project
from annotation.pure.people import consent_text
from tests.one_line import one_line
from tests.tasks.html_form import read_form
from tests.views.batches.test_launch import form


def test_the_first_layer_is_what_the_settings_say_of_themselves(
    client: Any, alice: Any, project: Any, dataset: Any
) -> None:
    Project.objects.filter(pk=project.pk).update(consent=consent_text.DEFAULT)
    client.force_login(alice)
    html = client.get(reverse("batch-new", args=["wells"])).content.decode()
    first, behind = html.split('id="more"')
    shown = dict.fromkeys(re.findall(r' name="(\w+)"', first[first.index("card first-layer") :]))
    fields = ["datasets", "task", "proposed_for", "sample", "assignments_per_hit", "who", "paid", "reward", "title"]
    assert list(shown) == [*fields, "fit_options", "contact", "ethics"]
    behind = behind[: behind.index("launch-side")]
    others = {"people", "options", "checks", "requirements", "contact", "ethics"}
    others |= {"sample_by"}  # only for a draft with predictions
    assert {one.name for one in SETTINGS.values() if not one.first} - others <= set(
        re.findall(r' name="(\w+)"', behind)
    )


def test_datasets_are_searched_from_ten_on(client: Any, alice: Any, project: Any, dataset: Any) -> None:
    client.force_login(alice)
    more = [Dataset(project=project, slug=f"more-{n}", state=dataset.state, size=1) for n in range(9)]
    Dataset.objects.bulk_create(more[:8])
    pages = [client.get(reverse("batch-new", args=["wells"])).content.decode()]
    more[8].save()
    pages.append(client.get(reverse("batch-new", args=["wells"])).content.decode())
    assert ['data-filters="dataset-chips"' in page for page in pages] == [False, True]


def line(html: str, group: str) -> str:
    """The line of a group of settings, and its mark."""
    found = html[html.index(f'id="line-{group}"') :]
    return one_line(re.sub(r"<[^>]+>", " ", found[found.index(">") + 1 : found.index("</span>\n</span>")])).strip()


def test_each_group_of_more_settings_says_its_values_and_what_changed(
    client: Any, alice: Any, project: Any, dataset: Any
) -> None:
    client.force_login(alice)
    new = reverse("batch-new", args=["wells"])
    html = client.get(f"{new}?dataset=wells").content.decode()
    assert (line(html, "checks"), line(html, "instructions")) == ("none", "the task's standard text")
    assert line(html, "where") == "Where workers do it: Here, by our own workers · 0 qualifications required"
    assert line(html, "name") == "Name: made from the title"
    assert "all as proposed" in html
    _action, shown = read_form(html, "launch")
    fields = {name: values for name, values in shown.items() if any(values)}
    changes = {"most_per_worker": "5", "seed": "7", "checks": [dataset.pk], "check_percent": "20"}
    told = client.post(reverse("batch-consequences", args=["wells"]), fields | changes).content.decode()
    assert line(told, "which").startswith("changed HITs per worker at most: 5 · ")
    assert line(told, "items").startswith("changed Seed: 7")
    assert "wells · 4 items · Hidden gold, in percent" in line(told, "checks")
    assert "changed" not in line(told, "time")
    assert "4 changed" in one_line(told)
    client.post(new, fields | {"draft": "1"})
    stored = client.get(reverse("batch-edit", args=["wells", Batch.objects.get().slug])).content.decode()
    assert "all as proposed" in stored, "what saving a draft filled in is no change"


def test_an_error_behind_more_settings_opens_its_group(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    html = client.post(reverse("batch-new", args=["wells"]), form(dataset, most_per_worker="0")).content.decode()
    opened = re.findall(r'<details class="(?:card more|more-group)" id="([\w-]+)" open>', html)
    assert opened == ["more", "more-which"]
    assert "autofocus" in next(tag for tag in re.findall("<input[^>]*>", html) if 'name="most_per_worker"' in tag)


def first_item(html: str) -> str:
    """The page in the frame that shows the first item."""
    return unescape(re.search(r'srcdoc="([^"]*)"', html)[1])  # type: ignore[index]


def test_the_first_item_is_shown_as_workers_will_see_it_before_anything_is_saved(
    client: Any, alice: Any, project: Any, dataset: Any
) -> None:
    client.force_login(alice)
    url = reverse("batch-consequences", args=["wells"])
    posted = form(dataset, proposed_for=f"answer.{dataset.pk}")
    html = client.post(url, posted).content.decode()
    page = first_item(html)
    assert "<script" not in page
    assert " inert" in page[page.index("<body") : page.index(">", page.index("<body"))]
    digest = re.search(r'name="first_item" value="(\w+)"', html)[1]  # type: ignore[index]
    assert "srcdoc" not in client.post(url, posted | {"first_item": digest, "title": "Other"}).content.decode()
    other = client.post(url, posted | {"first_item": digest, "task": "compose"}).content.decode()
    assert first_item(other) != page
    client.post(reverse("batch-new", args=["wells"]), posted)
    draft = Batch.objects.get()
    question = batch_drafts.samples(draft)[0].payload["question"]
    assert question in unescape(page)
    assert question in first_item(client.get(reverse("batch-edit", args=["wells", draft.slug])).content.decode())


def test_a_task_that_was_only_proposed_gives_way_to_one_that_fits_the_data_that_is_chosen(
    client: Any, alice: Any, project: Any, dataset: Any
) -> None:
    client.force_login(alice)
    for item in dataset.items.all():
        Item.objects.filter(pk=item.pk).update(content=item.content | {"question": ""})  # as of a graph to compose
    where = reverse("batch-consequences", args=["wells"]), reverse("batch-new", args=["wells"])

    def chosen(posted: dict[str, Any]) -> list[set[str]]:
        replies = [client.post(at, {**posted, "fit_options": "1"}).content.decode() for at in where]
        radios = [re.findall(r'<input[^>]*name="task"[^>]*>', reply) for reply in replies]
        return [{re.search(r'value="(\w+)"', one)[1] for one in all_ if " checked" in one} for all_ in radios]  # type: ignore[index]

    posted = form(dataset, proposed_for="answer.")
    first, second = chosen(posted)
    assert first == second
    assert "answer" not in first
    assert len(first) == 1
    for mine in ({"task": "choose", "proposed_for": "choose."}, {"proposed_for": f"answer.{dataset.pk}"}):
        task = mine.get("task", "answer")
        update, page = chosen(posted | mine)
        assert update <= page == {task}, "somebody chose it, or the data is as before"


def test_newly_chosen_data_changes_proposals_and_no_setting(
    client: Any, alice: Any, project: Any, dataset: Any
) -> None:
    """What was proposed without data, such as no supporting paragraphs, is not what the requester chose."""
    client.force_login(alice)
    posted = form(dataset, proposed_for="answer.", seed="0", instructions="")
    del posted["option-support"]
    told = client.post(reverse("batch-consequences", args=["wells"]), posted).content.decode()
    assert "Ask for supporting paragraphs" in line(told, "options")
    assert "changed" not in line(told, "options")
