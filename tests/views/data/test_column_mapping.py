"""The page that maps the columns of an upload: suggestion, preview, import, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation import jobs
from annotation.models import Dataset, Job, Member, Project

CSV = """nr,q,ans,passage_1,passage_2,title_1,title_2
7,Who dug the well?,Mara Quell,Mara Quell dug the well in 1802.,The inn is old and has a well.,Well,Inn
8,Which inn is old?,Farrow,The Farrow inn is older than its well.,,Farrow,
9,,Nobody,Nobody asks about this paragraph of text.,,None,
"""
COLUMNS = ["nr", "q", "ans", "passage_*", "title_*"]


@pytest.fixture(autouse=True)
def uploads(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return settings.MEDIA_ROOT


def sent(client: Any, content: str = CSV, **more: Any) -> str:
    """The address to which an upload of own columns leads."""
    file = SimpleUploadedFile("wells.csv", content.encode())
    response = client.post(reverse("dataset-new", args=["wells"]), {"file": file, **more})
    assert response.status_code == 303
    assert not Job.objects.exists() or more
    return str(response.url)


def roles(**by_column: str) -> dict[str, str]:
    """What the form posts; columns are named by their first letters."""
    chosen = {column: role for name, role in by_column.items() for column in COLUMNS if column.startswith(name)}
    return {f"column-{k}": chosen.get(column, "") for k, column in enumerate(COLUMNS)}


FITTING = roles(q="question", ans="answer", passage="paragraph", title="title")


def test_own_columns_are_suggested_and_three_items_are_shown_before_anything_is_imported(
    client: Any, alice: Any
) -> None:
    client.force_login(alice)
    response = client.get(sent(client))
    form = response.context["form"]
    assert [str(field.label) for field in form.fields.values()] == COLUMNS
    assert [field.initial for field in form.fields.values()] == ["", "question", "answer", "paragraph", "title"]
    html = response.content.decode()
    assert "Map the columns of wells.csv" in html
    assert [shown["example"].question for shown in response.context["items"]] == [
        "Who dug the well?",
        "Which inn is old?",
    ]
    assert "there is no question" in html
    assert "line 4" in html
    assert not Dataset.objects.exists()


def test_the_mapped_file_is_imported_by_a_job_and_remembered_for_the_next(
    client: Any, alice: Any, uploads: Path
) -> None:
    client.force_login(alice)
    content = CSV.rsplit("\n", 2)[0]
    own = roles(nr="id", q="question", ans="type", passage="paragraph")
    response = client.post(sent(client, content, licence="CC BY 4.0"), own | {"import": "1"})
    assert (response.status_code, response.url) == (303, reverse("job", args=["wells", Job.objects.get().public_id]))
    assert jobs.run_due_work() == 1
    dataset = Dataset.objects.get()
    assert (dataset.slug, dataset.size, dataset.licence, dataset.file_name) == ("wells", 2, "CC BY 4.0", "wells.csv")
    assert [len(item.example.paragraphs) for item in dataset.items.order_by("position")] == [2, 1]
    assert list(uploads.iterdir()) == []
    facts = client.get(reverse("dataset", args=["wells", "wells"])).content.decode()
    assert "<code>question=q</code>" in facts
    again = client.get(sent(client, content, name="more"))
    assert [field.initial for field in again.context["form"].fields.values()] == [
        "id", "question", "type", "paragraph", "",
    ]  # fmt: skip
    assert "mapped as for wells" in again.content.decode()


def test_a_changed_role_changes_the_preview_alone(client: Any, alice: Any) -> None:
    client.force_login(alice)
    address = sent(client)
    changed = roles(ans="question", passage="paragraph")
    fragment = client.post(address, changed, headers={"HX-Request": "true"})
    assert fragment.content.decode().strip().startswith('<section id="preview"')
    assert "Mara Quell" in fragment.content.decode()
    page = client.post(address, changed | {"preview": "1"})
    assert page.status_code == 200
    assert page.context["items"][0]["example"].question == "Mara Quell"
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        ({"q": "hop_answer"}, "Choose the columns with the questions of the hops, too."),
        ({"q": "question", "ans": "question", "passage": "paragraph"}, "Only one column can be this."),
    ],
)
def test_a_mapping_that_makes_no_items_is_refused_on_the_page(
    client: Any, alice: Any, chosen: dict[str, str], text: str
) -> None:
    client.force_login(alice)
    response = client.post(sent(client), roles(**chosen) | {"import": "1"})
    assert response.status_code == 422
    assert text in response.content.decode()
    assert not Job.objects.exists()


def test_records_that_fail_can_be_skipped_or_mapped_otherwise(client: Any, alice: Any, uploads: Path) -> None:
    client.force_login(alice)
    page = client.post(sent(client), FITTING | {"import": "1"}).url
    jobs.run_due_work()
    html = client.get(page).content.decode()
    assert "there is no question" in html
    assert "Skip invalid records, import 2 records" in html
    assert "Change the mapping" in html
    again = client.get(client.get(page).context["columns_address"])
    assert [field.initial for field in again.context["form"].fields.values()][1] == "question"
    client.post(reverse("job-import", args=["wells", Job.objects.get().public_id]))
    jobs.run_due_work()
    assert Dataset.objects.get().size == 2


def test_hostile_text_in_columns_and_cells_stays_text(client: Any, alice: Any) -> None:
    client.force_login(alice)
    tag = "<script>alert(1)</script>"
    html = client.get(
        sent(client, f"q{tag},ans,passage\nWho{tag}?,a{tag},a{tag} reads a long paragraph about wells.\n")
    )
    assert tag not in html.content.decode()
    assert html.content.decode().count("&lt;script&gt;") >= 4


def test_a_check_of_a_mapped_file_stores_nothing(client: Any, alice: Any) -> None:
    client.force_login(alice)
    page = client.post(sent(client, dry_run="on"), FITTING | {"import": "1"}).url
    jobs.run_due_work()
    assert "2" in client.get(page).content.decode()
    assert not Dataset.objects.exists()


@pytest.mark.parametrize("address", ["?upload=forged", "", "?upload=WyJhIl0:1x:y"])
def test_an_address_that_names_no_upload_leads_back_to_the_form(client: Any, alice: Any, address: str) -> None:
    client.force_login(alice)
    response = client.get(reverse("dataset-columns", args=["wells"]) + address)
    assert (response.status_code, response.url) == (303, reverse("dataset-new", args=["wells"]))


def test_an_upload_is_for_its_project_only_and_for_a_day(client: Any, alice: Any, uploads: Path) -> None:
    client.force_login(alice)
    address = sent(client)
    other = Project.objects.create(slug="other", title="Other")
    Member.objects.create(project=other, user=alice, role="owner")
    assert client.get(address.replace("/wells/", "/other/")).status_code == 303
    assert client.get(address).status_code == 200
    for file in uploads.iterdir():
        file.unlink()
    assert client.get(address).status_code == 303


def test_a_mapped_table_is_called_by_its_own_format(client: Any, alice: Any) -> None:
    client.force_login(alice)
    client.post(sent(client, CSV.rsplit("\n", 2)[0]), FITTING | {"import": "1"})
    jobs.run_due_work()
    own = Dataset.objects.get()
    for page in (reverse("datasets", args=["wells"]), reverse("dataset", args=["wells", own.slug])):
        html = client.get(page).content.decode()
        assert ">CSV<" in html
        assert "Hopscribe JSONL" not in html.partition("<dialog")[0]


KNOWN = b'{"id": "1", "question": "Who?", "paragraphs": [{"title": "A", "text": "Mara dug."}], "answers": ["Mara"]}\n'


def known(client: Any, content: bytes = KNOWN, **more: Any) -> str:
    """The address to which an upload of a file in the format jsonl leads."""
    file = SimpleUploadedFile("known.jsonl", content)
    return str(client.post(reverse("dataset-new", args=["wells"]), {"file": file, **more}).url)


def test_columns_of_a_known_format_can_be_mapped(client: Any, alice: Any) -> None:
    client.force_login(alice)
    page = client.get(known(client, format="mapped"))
    labels = [str(field.label) for field in page.context["form"].fields.values()]
    assert labels == ["id", "question", "paragraphs[].title", "paragraphs[].text", "answers"]
    assert page.context["items"][0]["example"].question == "Who?"
    assert "in no known format" not in page.content.decode()


@pytest.mark.parametrize(
    ("content", "more"),
    [(KNOWN.replace(b'"question": "Who?"', b'"question": 3'), {}), (KNOWN, {"dry_run": "on"})],
    ids=["refused", "checked"],
)
def test_mapping_is_offered_after_the_refusal_or_check_of_a_known_format(
    client: Any, alice: Any, content: bytes, more: dict[str, str]
) -> None:
    client.force_login(alice)
    page = known(client, content, **more)
    jobs.run_due_work()
    response = client.get(page)
    assert "Map the columns" in response.content.decode()
    assert client.get(response.context["columns_address"]).context["form"].fields


def test_after_an_import_a_batch_is_first_and_kept_fields_are_named_with_their_place(client: Any, alice: Any) -> None:
    client.force_login(alice)
    page = known(client, KNOWN.replace(b'"id"', b'"colour": "red", "id"'))
    jobs.run_due_work()
    html = client.get(page).content.decode()
    assert "kept in each item's <code>extra</code>" in html
    assert "<code>colour</code>" in html
    assert Dataset.objects.get().items.get().example.extra["colour"] == "red"
    first = html[html.index('class="button primary"') :].partition("</a>")[0]
    assert f'href="{reverse("batch-new", args=["wells"])}?dataset=known"' in first
    assert "Map the columns" not in html
