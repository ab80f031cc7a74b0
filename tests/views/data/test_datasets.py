"""Datasets: upload, list, items, export, removal; and hostile text in every field of a record."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation import jobs
from annotation.flow.data import dataset_import
from annotation.formats import FORMATS
from annotation.models import Dataset, Item, Job, Project
from tests.conftest import records
from tests.one_line import one_line

HOSTILE = "<script>alert(1)</script><b onmouseover=\"alert('x')\">"


@pytest.fixture(autouse=True)
def uploads(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return settings.MEDIA_ROOT


def upload(content: bytes, name: str = "Wells (2).jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def lines(size: int) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records(size))


def test_an_uploaded_file_becomes_a_dataset(client: Any, alice: Any, uploads: Path) -> None:
    client.force_login(alice)
    response = client.post(reverse("dataset-new", args=["wells"]), {"file": upload(lines(3)), "licence": "CC BY 4.0"})
    job = Job.objects.get()
    assert (response.status_code, response.url) == (303, reverse("job", args=["wells", job.public_id]))
    assert jobs.run_due_work() == 1
    dataset = Dataset.objects.get()
    assert (dataset.slug, dataset.format, dataset.size) == ("wells-2", "jsonl", 3)
    assert (dataset.licence, dataset.file_name) == ("CC BY 4.0", "Wells (2).jsonl")
    assert list(uploads.iterdir()) == []
    assert "Your dataset is ready: 3 items" in client.get(response.url).content.decode()


def test_a_large_upload_is_moved_and_not_read(client: Any, alice: Any, settings: Any, uploads: Path) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    client.force_login(alice)
    client.post(reverse("dataset-new", args=["wells"]), {"file": upload(lines(2)), "name": "large"})
    assert [path.read_bytes() for path in uploads.iterdir()] == [lines(2)]
    assert [path.stat().st_mode & 0o777 for path in uploads.iterdir()] == [0o600]


def test_a_packed_file_is_recognised_too(client: Any, alice: Any) -> None:
    client.force_login(alice)
    file = upload(gzip.compress(lines(2)), "wells.jsonl.gz")
    client.post(reverse("dataset-new", args=["wells"]), {"file": file})
    assert Job.objects.get().arguments["format"] == "jsonl"
    assert Job.objects.get().arguments["name"] == "wells"


def test_an_upload_beyond_the_limit_is_refused_with_the_limit(
    client: Any, alice: Any, settings: Any, uploads: Path
) -> None:
    settings.UPLOAD_LIMIT = 1000
    client.force_login(alice)
    response = client.post(reverse("dataset-new", args=["wells"]), {"file": upload(lines(9))})
    assert response.status_code == 422
    assert "The file is larger than 1000\xa0bytes" in response.content.decode()
    assert not Job.objects.exists()
    assert not uploads.exists()


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n" + bytes(40), b'{"id": 1\nnot json\n', b"PAR1 and no more", b"a\n1\n"]
)
def test_a_file_that_holds_no_records_is_refused_beside_the_file(
    client: Any, alice: Any, uploads: Path, content: bytes
) -> None:
    client.force_login(alice)
    response = client.post("/projects/wells/datasets/new/", {"file": upload(content), "name": "rubbish"})
    assert response.status_code == 422
    assert {name: len(errors) for name, errors in response.context["form"].errors.items()} == {"file": 1}
    assert not list(uploads.iterdir())


@pytest.mark.parametrize("form", [{}, {"name": "new"}, {"name": "two words"}])
def test_a_form_that_is_not_complete_is_refused(client: Any, alice: Any, form: dict[str, Any]) -> None:
    client.force_login(alice)
    file = {"file": upload(lines(1))} if form else {}
    response = client.post(reverse("dataset-new", args=["wells"]), form | file)
    assert response.status_code == 422
    assert "autofocus" in response.content.decode()
    assert not Job.objects.exists()


def test_a_check_stores_nothing(client: Any, alice: Any) -> None:
    client.force_login(alice)
    form = {"file": upload(lines(3)), "dry_run": "on"}
    response = client.post(reverse("dataset-new", args=["wells"]), form, follow=True)
    jobs.run_due_work()
    assert not Dataset.objects.exists()
    job = response.redirect_chain[0][0]
    html = client.get(job).content.decode()
    assert "The file can be imported" in html
    assert "cannot be imported" in html


def test_the_figures_of_an_import_say_what_was_imported(client: Any, alice: Any) -> None:
    client.force_login(alice)
    response = client.post(reverse("dataset-new", args=["wells"]), {"file": upload(lines(3))}, follow=True)
    jobs.run_due_work()
    html = client.get(response.redirect_chain[0][0]).content.decode()
    assert "Your dataset is ready: 3 items." in html
    assert "left out" in html
    assert "can be imported" not in html
    assert "cannot be imported" not in html


def test_a_checked_file_is_imported_without_another_upload(client: Any, alice: Any, uploads: Path) -> None:
    client.force_login(alice)
    client.post(reverse("dataset-new", args=["wells"]), {"file": upload(lines(3)), "dry_run": "on"})
    jobs.run_due_work()
    response = client.post(reverse("job-import", args=["wells", Job.objects.get().public_id]))
    jobs.run_due_work()
    assert Dataset.objects.get().size == 3
    assert list(uploads.iterdir()) == []
    assert "Your dataset is ready: 3 items" in client.get(response.url).content.decode()


def test_the_good_records_of_a_refused_file_can_still_go_in(client: Any, alice: Any, uploads: Path) -> None:
    client.force_login(alice)
    client.post(reverse("dataset-new", args=["wells"]), {"file": upload(lines(3) + b"{broken\n")})
    jobs.run_due_work()
    job = Job.objects.get()
    html = client.get(reverse("job", args=["wells", job.public_id])).content.decode()
    assert "Skip invalid records, import 3 records" in html
    client.post(reverse("job-import", args=["wells", job.public_id]))
    jobs.run_due_work()
    assert Dataset.objects.get().size == 3
    assert list(uploads.iterdir()) == []


def test_a_file_that_nobody_decided_on_goes_after_a_day(client: Any, alice: Any, uploads: Path) -> None:
    uploads.mkdir()
    (uploads / "left").touch()
    (uploads / "fresh").touch()
    os.utime(uploads / "left", (0, 0))
    client.force_login(alice)
    client.post(reverse("dataset-new", args=["wells"]), {"file": upload(lines(1))})
    assert {path.name for path in uploads.iterdir()} >= {"fresh"}
    assert not (uploads / "left").exists()


def test_pages_show_fifty_items_and_lead_on_and_back(client: Any, alice: Any, project: Any, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_bytes(lines(120))
    dataset_import.import_dataset(project, file, format="jsonl", name="many")
    client.force_login(alice)
    address = reverse("dataset", args=["wells", "many"])

    def positions(query: str) -> list[int]:
        return [item.position for item in client.get(address + query).context["slice"].items]

    assert positions("") == list(range(50))
    assert positions("?after=49") == list(range(50, 100))
    assert positions("?after=99") == list(range(100, 120))
    assert positions("?before=100") == list(range(50, 100))
    last = client.get(address + "?after=99").context["slice"]
    assert (last.previous, last.next) == (100, None)
    assert client.get(address + "?before=50").context["slice"].previous is None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=YEAR%202", [2]),
        ("?q=well-3", [3]),
        ("?q=nowhere", []),
        ("?hops=2", [0, 1, 2, 3]),
        ("?hops=4", []),
        ("?shape=2hop", [0, 1, 2, 3]),
        ("?answerable=no", []),
        ("?hops=x&after=y&answerable=perhaps&q=%00", [0, 1, 2, 3]),
    ],
)
def test_search_and_filters_choose_items(client: Any, alice: Any, dataset: Any, query: str, found: list[int]) -> None:
    Item.objects.update(shape="2hop")
    client.force_login(alice)
    response = client.get(reverse("dataset", args=["wells", "wells"]) + query)
    assert [item.position for item in response.context["slice"].items] == found


def test_an_item_shows_question_answer_hops_and_marks(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    html = one_line(client.get(reverse("item", args=["wells", "wells", 1])).content.decode())
    assert "Which tower stands beside the well that Ana Brook dug in year 1?" in html
    assert '<mark class="mark-answer first">Tower 1</mark>' in html
    assert '<a class="hop hop-1" href="#hop-1">Well 1<sup>1</sup></a>' in html
    assert "Hop 2 uses the answer of hop 1." in html
    assert html.count('details class="card paragraph support"') == 2
    assert "Item 2 of 4" in html


def test_an_item_says_where_a_paragraph_lacks_the_answer_of_its_hop(client: Any, alice: Any, dataset: Any) -> None:
    item = dataset.items.get(position=2)
    item.content["hops"][1]["answer"] = "The white one"
    item.save()
    client.force_login(alice)
    html = one_line(client.get(reverse("item", args=["wells", "wells", 2])).content.decode())
    assert html.count("not found word for word") == 1


def test_an_item_names_the_batches_that_asked_it(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert batch.title in client.get(reverse("item", args=["wells", "wells", 0])).content.decode()


@pytest.mark.parametrize("position", [4, 99999999999999999999])
def test_an_item_beyond_the_dataset_does_not_exist(client: Any, alice: Any, dataset: Any, position: int) -> None:
    client.force_login(alice)
    assert client.get(reverse("item", args=["wells", "wells", position])).status_code == 404


def test_hostile_text_is_shown_and_does_nothing(client: Any, alice: Any, project: Any, tmp_path: Path) -> None:
    record = {
        "id": HOSTILE,
        "question": HOSTILE,
        "paragraphs": [{"title": HOSTILE, "sentences": [HOSTILE, " The end."]}],
        "answers": [HOSTILE, HOSTILE + "2"],
        "supports": [0],
        "facts": [[0, 0]],
        "hops": [{"question": HOSTILE + " #1", "answer": HOSTILE, "support": 0}] * 2,
        "options": [HOSTILE],
        "group": HOSTILE,
        "extra": {HOSTILE: HOSTILE},
    }
    file = tmp_path / "hostile.jsonl"
    file.write_text(json.dumps(record) + "\n")
    dataset_import.import_dataset(
        project, file, format="jsonl", name="hostile", licence=HOSTILE, source="javascript:alert(1)", file_name=HOSTILE
    )
    client.force_login(alice)
    addresses = [
        reverse("dataset", args=["wells", "hostile"]) + "?q=" + "%3Cscript%3E",
        reverse("item", args=["wells", "hostile", 0]),
        reverse("datasets", args=["wells"]),
        reverse("project", args=["wells"]),
    ]
    for address in addresses:
        html = one_line(client.get(address).content.decode())
        assert "<script>alert" not in html
        assert "<b onmouseover" not in html
        assert 'href="javascript' not in html


def test_an_export_is_the_file_again(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    response = client.get(reverse("dataset-export", args=["wells", "wells", "jsonl"]))
    got = [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]
    assert [record["question"] for record in got] == [record["question"] for record in records(4)]
    assert 'filename="wells.jsonl' in response["Content-Disposition"]


def test_an_export_that_a_format_cannot_hold_says_why(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    response = client.get(reverse("dataset-export", args=["wells", "wells", "race"]), follow=True)
    assert response.redirect_chain == [(reverse("dataset", args=["wells", "wells"]), 303)]
    assert "wells cannot be written as race" in response.content.decode()


def test_an_export_in_an_unknown_format_does_not_exist(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    assert client.get(reverse("dataset-export", args=["wells", "wells", "docx"])).status_code == 404


def test_the_dataset_of_another_project_does_not_exist(client: Any, alice: Any, dataset: Any) -> None:
    Dataset.objects.update(project=Project.objects.create(slug="mills", title="Mills"))
    client.force_login(alice)
    assert client.get(reverse("dataset", args=["wells", "wells"])).status_code == 404
    assert client.get(reverse("dataset", args=["mills", "wells"])).status_code == 404
    assert client.get(reverse("item", args=["wells", "wells", 0])).status_code == 404
    assert client.get(reverse("dataset-export", args=["wells", "wells", "jsonl"])).status_code == 404
    assert client.post(reverse("dataset-remove", args=["mills", "wells"])).status_code == 404


REAL = Path(settings.ROOT).parent / "shared" / "data"


@pytest.mark.skipif(not REAL.exists(), reason="the real records are not here")
@pytest.mark.parametrize(
    ("file", "format"),
    [("hotpotqa_dev_distractor_240.json", "hotpotqa"), ("musique_ans_dev_130.jsonl", "musique")],
)
def test_real_records_go_in_without_naming_their_format_and_show(
    client: Any, alice: Any, file: str, format: str
) -> None:
    client.force_login(alice)
    client.post(reverse("dataset-new", args=["wells"]), {"file": upload((REAL / file).read_bytes(), file)})
    assert Job.objects.get().arguments["format"] == format
    jobs.run_due_work()
    dataset = Dataset.objects.get()
    for position in (0, 7, dataset.size - 1):
        assert client.get(reverse("item", args=["wells", dataset.slug, position])).status_code == 200


def test_licence_and_source_are_corrected_on_the_dataset_s_page(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    client.post(reverse("dataset-new", args=["wells"]), {"file": upload(lines(2)), "licence": "CC BY"})
    jobs.run_due_work()
    page, where = reverse("dataset", args=["wells", "wells-2"]), reverse("dataset-describe", args=["wells", "wells-2"])
    assert f'action="{where}"' in client.get(page).content.decode()
    said = {"licence": "CC BY-SA 4.0", "source": HOSTILE, "ethics": HOSTILE, "consent": "in writing"}
    result = one_line(client.post(where, said, follow=True).content.decode())
    assert "CC BY-SA 4.0" in result
    assert HOSTILE not in result
    assert list(Dataset.objects.values_list("licence", "source")) == [("CC BY-SA 4.0", HOSTILE)]
    assert list(Dataset.objects.values_list("ethics", "consent")) == [(HOSTILE, "in writing")]
    assert "in writing" in result
    client.post(where, {"licence": "x" * 201, "source": ""})
    assert Dataset.objects.get().licence == "CC BY-SA 4.0"


def test_formats_and_shapes_are_named_in_words(client: Any, alice: Any, project: Any, dataset: Any) -> None:
    Item.objects.update(shape="3hop2")
    client.force_login(alice)
    listed = one_line(client.get(reverse("datasets", args=[project.slug])).content.decode())
    shown = one_line(client.get(reverse("dataset", args=[project.slug, dataset.slug])).content.decode())
    assert FORMATS["jsonl"].title in listed
    assert FORMATS["jsonl"].title in shown
    assert "2 hops that meet in a third" in shown
    assert ">3hop2<" not in shown


def test_a_dataset_is_shown_in_charts_as_far_as_its_items_differ(
    client: Any, alice: Any, project: Project, tmp_path: Path
) -> None:
    rows = records(20)
    for k, row in enumerate(rows):
        row |= {"question": " ".join(["word"] * (3 + k)) + "?", "answers": [["Ann", "1788", "12 towers"][k % 3]]}
    path = tmp_path / "mixed.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    dataset_import.import_dataset(project, path, format="jsonl", name="mixed")
    client.force_login(alice)
    page = client.get(reverse("dataset", args=["wells", "mixed"]))
    charts = {title: (n, chart.values) for title, n, chart, _note in page.context["charts"]}
    assert "Detected from the spelling of the answer" in page.content.decode()
    assert list(charts) == ["Kinds of answers", "Words of a question"]  # all have two hops and as long a context
    assert charts["Kinds of answers"] == (20, (("name", 7), ("words", 6), ("date", 7)))
    assert charts["Words of a question"][1][0] == ("2", 1)
    assert sum(n for _label, n in charts["Words of a question"][1]) == 20
    Dataset.objects.filter(slug="mixed").update(features={"hops": {"2": 20}})  # from before they were counted
    assert client.get(reverse("dataset", args=["wells", "mixed"])).context["charts"] == []
