"""The rows of a rubric on the page of a new batch: the same as its text, without scripts, and with every problem."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils.html import escape

from annotation.models import Batch
from tests.one_line import one_line
from tests.tasks.html_form import read_form
from tests.views.batches.test_launch import form

RUBRIC = {"show": ["question"], "criteria": [{"name": "clear", "ask": "Is it clear?", "choice": ["yes", "no"]}]}


@pytest.fixture
def new(client: Any, alice: Any, project: Any) -> str:
    client.force_login(alice)
    return reverse("batch-new", args=["wells"])


def fields_of(html: str) -> dict[str, Any]:
    return {name: values for name, values in read_form(html, "launch")[1].items() if any(values)}


def text_of(html: str) -> Any:
    return json.loads("".join(read_form(html, "launch")[1]["option-rubric"]))


def test_rows_are_built_without_scripts_and_saved_as_the_rubric(client: Any, new: str, dataset: Any) -> None:
    fields = fields_of(client.post(new, form(dataset, task="rate", fit_options="1")).content.decode())
    html = client.post(new, fields | {"build": "add"}).content.decode()
    assert text_of(html)["show"] == ["question", "paragraphs"]
    assert "Say what is asked" not in html, "nobody had time to say it"
    ask = next(tag for tag in re.findall("<input[^>]*>", html) if 'id="rubric-0-ask"' in tag)
    assert "autofocus" in ask
    assert not Batch.objects.exists()
    fields = fields_of(html) | {"rubric-0-ask": "Is it clear?", "rubric-0-value": "yes\r\nno\r\nno"}
    wrong = client.post(new, fields | {"draft": "1"}).content.decode()
    beside = wrong[wrong.index('id="rubric-0-value-problem"') :]
    assert one_line(beside[: beside.index("</div>")]).endswith('<p class="error">“no” stands twice.</p>')
    client.post(new, fields_of(wrong) | {"rubric-0-value": "yes\r\nno", "draft": "1"})
    assert Batch.objects.get().options["rubric"] == {
        "show": ["question", "paragraphs"],
        "criteria": [{"name": "is_it_clear", "ask": "Is it clear?", "choice": ["yes", "no"]}],
    }


def test_a_text_that_was_edited_gets_new_rows_and_counts(client: Any, new: str, dataset: Any) -> None:
    html = client.post(new, form(dataset, task="rate", build="x", **{"option-rubric": json.dumps(RUBRIC)}))
    fields = fields_of(html.content.decode()) | {"rubric-0-ask": "Is it old?"}
    edited = json.dumps(RUBRIC).replace("Is it clear?", "Is it new?")
    told = client.post(
        reverse("batch-consequences", args=["wells"]), fields | {"option-rubric": edited}
    ).content.decode()
    assert 'id="rubric-builder"' in told
    assert "Is it new?" in told
    assert "Is it old?" not in told
    typed = client.post(reverse("batch-consequences", args=["wells"]), fields).content.decode()
    assert 'id="rubric-builder"' not in typed, "nobody's field is replaced while they write"
    assert "Is it old?" in typed[typed.index('name="option-rubric"') :]


def test_a_change_of_the_form_does_not_press_the_last_button_again(client: Any, new: str, dataset: Any) -> None:
    html = client.post(new, form(dataset, task="rate", build="x", **{"option-rubric": json.dumps(RUBRIC)}))
    fields, url = fields_of(html.content.decode()) | {"build": "add"}, reverse("batch-consequences", args=["wells"])
    assert "rubric-1-ask" in client.post(url, fields, headers={"HX-Trigger": "rubric-add"}).content.decode()
    assert "rubric-1-ask" not in client.post(url, fields, headers={"HX-Trigger": "launch"}).content.decode()


def test_a_field_that_items_lack_is_said_where_it_is_chosen(client: Any, new: str, dataset: Any) -> None:
    html = client.post(
        new, form(dataset, task="rate", **{"option-rubric": json.dumps(RUBRIC | {"show": ["note"]})})
    ).content.decode()
    beside = html[html.index('id="rubric-show-problem"') :]
    assert "Items have no field “note”" in beside[: beside.index("</div>")]
    assert not Batch.objects.exists()


def test_a_text_that_is_no_rubric_stays_to_be_corrected(client: Any, new: str, dataset: Any) -> None:
    html = client.post(new, form(dataset, task="rate", **{"option-rubric": "{1"})).content.decode()
    assert "This text cannot be shown as criteria" in html
    assert re.search(r'<details class="as-text" open>', html)
    assert "line 1, column 2" in html


def test_the_rubric_is_downloaded_as_the_file_that_commands_take(client: Any, new: str, dataset: Any) -> None:
    html = client.post(new, form(dataset, task="rate", build="x", **{"option-rubric": json.dumps(RUBRIC)}))
    fields = fields_of(html.content.decode()) | {"rubric-0-value": "yes\nno\nmaybe", "build": "download"}
    file = client.post(new, fields)
    assert file["Content-Disposition"] == 'attachment; filename="rubric.json"'
    assert file.json()["criteria"][0]["choice"] == ["yes", "no", "maybe"]
    assert not Batch.objects.exists()


def test_the_first_items_are_stepped_through(client: Any, new: str, dataset: Any) -> None:
    fields = form(dataset, task="rate", **{"option-rubric": json.dumps(RUBRIC)})
    url = reverse("batch-consequences", args=["wells"])
    pages = [client.post(url, fields | {"step": step}).content.decode() for step in ("1", "2", "3", "99")]
    assert [re.findall(r"(\d) / 3", page) for page in pages] == [["1"], ["2"], ["3"], ["3"]]
    asked = [item.example.question for item in dataset.items.all()]
    shown = [[question for question in asked if escape(question) in page] for page in pages]
    assert len({*map(tuple, shown)}) == 3
    assert all(len(questions) == 1 for questions in shown)
