"""The settings of a launched batch, with the workers to choose from."""

import re
from pathlib import Path

import pytest
from django import forms
from django.test import Client
from django.test.html import parse_html

from annotation.flow.batches.settings import GROUPS
from annotation.forms.row_fields import Checkboxes
from annotation.models import Batch, Project, User
from tests.flow.acting import dataset_of, launched, newcomer
from tests.views.console import at


@pytest.fixture
def batch(project: Project, tmp_path: Path) -> Batch:
    return launched(project, "wells", dataset_of(project, tmp_path, name="two", size=2))


@pytest.mark.django_db
def test_the_settings_offer_every_worker_without_a_template_for_each(client: Client, alice: User, batch: Batch) -> None:
    client.force_login(alice)
    templates = len(client.get(at("batch-settings", batch=batch.slug)).templates)
    workers = [newcomer(batch.project, f"worker <{number}>") for number in range(9)]
    batch.workers.set(workers[3:5])
    page = client.get(at("batch-settings", batch=batch.slug))
    assert len(page.templates) <= templates + 3
    html = page.content.decode()
    box = r'<label for="(\w+)"><input type="checkbox" name="workers" value="(\d+)" id="\1"(.*?)> (.*?)<'
    boxes = re.findall(box, html)
    assert [(int(key), label.partition(" · ")[0]) for _id, key, _marks, label in boxes] == [
        (workers[number].pk, f"worker &lt;{number}&gt;") for number in (3, 4, 0, 1, 2, 5, 6, 7, 8)
    ]  # those chosen first
    assert [int(key) for _id, key, marks, _label in boxes if "checked" in marks] == [row.pk for row in workers[3:5]]


@pytest.mark.parametrize("value", [None, [], [2], ["2", "3"]])
def test_checkboxes_have_the_markup_of_djangos(value: list[int | str] | None) -> None:
    choices = [(1, "one"), (2, "<two>"), (3, "three")]
    chosen_first = sorted(choices, key=lambda one: str(one[0]) not in [str(key) for key in value or ()])
    marks = {"id": "id_rows", "aria-invalid": True, "aria-describedby": "id_rows_error"}
    ours, theirs = (
        parse_html(kind(choices=shown).render("rows", value, marks))
        for kind, shown in ((Checkboxes, choices), (forms.CheckboxSelectMultiple, chosen_first))
    )
    assert ours == theirs


@pytest.mark.django_db
def test_what_is_fixed_stands_in_the_groups_of_a_new_batch(client: Client, alice: User, batch: Batch) -> None:
    client.force_login(alice)
    groups = {group["title"]: group for group in client.get(at("batch-settings", batch=batch.slug)).context["settled"]}
    assert next(iter(groups)) == ""
    assert {"Task", "Datasets", "Assignments per HIT"} <= {label for label, _value in groups[""]["rows"]}
    assert {*groups} - {""} <= set(map(str, GROUPS.values()))
    options, items = groups[str(GROUPS["options"])], groups[str(GROUPS["items"])]
    assert ("Ask for supporting paragraphs", "yes") in options["rows"]
    assert "Ask for supporting paragraphs" in options["line"]
    assert "Seed" in dict(items["rows"])


@pytest.mark.django_db
def test_a_group_says_that_a_setting_is_not_as_proposed(client: Client, alice: User, batch: Batch) -> None:
    client.force_login(alice)

    def changed() -> dict[str, int]:
        groups = client.get(at("batch-settings", batch=batch.slug)).context["settled"]
        return {group["title"]: group["changed"] for group in groups}

    before = changed()
    batch.seed, batch.options = 11, batch.options | {"yes_no": not batch.options["yes_no"]}
    batch.save()
    after = changed()
    assert {title for title in after if after[title] != before[title]} == {
        str(GROUPS["items"]),
        str(GROUPS["options"]),
    }
