"""The verdicts of a batch as a dataset, and the documents beside an export, on the pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.urls import reverse

from annotation.models import Dataset, Job
from tests.views.console import answer, at, work_off


@pytest.fixture
def alice_at_work(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def test_the_overview_makes_a_dataset_of_the_aggregates(alice_at_work: Any, batch: Any, bob: Any) -> None:
    for _turn in range(3):
        answer(bob, batch)
    page = alice_at_work.get(at("batch")).content.decode()
    assert f'action="{at("results-dataset-new")}"' in page
    assert 'value="wells-1-results"' in page
    response = alice_at_work.post(at("results-dataset-new"), {"name": "wells-1-results"})
    job = Job.objects.get()
    assert (response.status_code, response.url) == (303, reverse("job", args=["wells", job.public_id]))
    work_off()
    made = Dataset.objects.get(slug="wells-1-results")
    assert (made.size, made.created_by) == (3, job.created_by)
    result = alice_at_work.get(response.url).content.decode()
    assert "Your dataset is ready: 3 items." in result
    assert "left out: no answer stands" in result
    assert reverse("dataset", args=["wells", made.slug]) in result
    assert alice_at_work.get(reverse("dataset", args=["wells", made.slug])).status_code == 200


def test_the_same_wish_again_says_that_nothing_was_changed(alice_at_work: Any, batch: Any, bob: Any) -> None:
    answer(bob, batch)
    for _turn in range(2):
        response = alice_at_work.post(at("results-dataset-new"), {"name": "made"})
        work_off()
    assert "this name and the same results already exists" in alice_at_work.get(response.url).content.decode()


def test_the_rule_that_lets_items_advance_names_those_that_do_not(
    alice_at_work: Any, batch: Any, bob: Any, carol: Any
) -> None:
    for _turn in range(2):
        answer(bob, batch)
    answer(carol, batch)
    assert 'name="least"' in alice_at_work.get(at("batch")).content.decode()
    response = alice_at_work.post(at("results-dataset-new"), {"name": "agreed", "least": "2"})
    work_off()
    made = Dataset.objects.get(slug="agreed")
    assert (made.size, made.lineage["least"]) == (1, 2)
    result = alice_at_work.get(response.url).content.decode()
    assert "fewer than 2 agree" in result
    assert f"{reverse('batch-new', args=['wells'])}?dataset=agreed" in result
    assert "fewer than 2 agree" in alice_at_work.get(reverse("dataset", args=["wells", "agreed"])).content.decode()


@pytest.mark.parametrize("least", ["-1", "two", "1001"])
def test_an_odd_rule_is_said_on_the_page(alice_at_work: Any, batch: Any, least: str) -> None:
    response = alice_at_work.post(at("results-dataset-new"), {"name": "made", "least": least}, follow=True)
    assert "Minimum number of agreeing responses:" in response.content.decode()
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", ["", "two words", "new", "x" * 101, "<b>"])
def test_a_name_that_cannot_be_one_is_said_on_the_page(alice_at_work: Any, batch: Any, name: str) -> None:
    response = alice_at_work.post(at("results-dataset-new"), {"name": name}, follow=True)
    assert "Name of the dataset:" in response.content.decode()
    assert not Job.objects.exists()


def test_a_batch_without_aggregates_says_so(alice_at_work: Any, batch: Any) -> None:
    response = alice_at_work.post(at("results-dataset-new"), {"name": "made"})
    work_off()
    assert "No item has an aggregated response yet" in alice_at_work.get(response.url).content.decode()
    assert not Dataset.objects.filter(slug="made").exists()


@pytest.mark.parametrize(
    ("document", "file", "says"),
    [
        ("provenance", "made.provenance.jsonl", b'"batch":"wells-1"'),
        ("datasheet", "made.datasheet.md", b"# Datasheet of made"),
        ("card", "made.card.md", b'path: "made.jsonl.jsonl"'),
    ],
)
def test_the_documents_beside_an_export_come_from_its_dialog(
    alice_at_work: Any, batch: Any, bob: Any, document: str, file: str, says: bytes
) -> None:
    answer(bob, batch)
    alice_at_work.post(at("results-dataset-new"), {"name": "made"})
    work_off()
    address = reverse("dataset-document", args=["wells", "made", document])
    assert address in alice_at_work.get(reverse("dataset", args=["wells", "made"])).content.decode()
    response = alice_at_work.get(address)
    assert response["Content-Disposition"] == f'attachment; filename="{file}"'
    assert says in b"".join(response.streaming_content)


def test_a_document_of_another_kind_is_not_there(alice_at_work: Any, dataset: Any) -> None:
    assert alice_at_work.get(reverse("dataset-document", args=["wells", "wells", "secrets"])).status_code == 404


def test_the_card_can_be_had_for_another_format(alice_at_work: Any, dataset: Any) -> None:
    address = reverse("dataset-document", args=["wells", "wells", "card"])
    for wish, path in (("?format=musique", b"wells.musique.jsonl"), ("?format=nonsense", b"wells.jsonl.jsonl")):
        assert path in b"".join(alice_at_work.get(address + wish).streaming_content)


def test_provenance_of_a_dataset_without_any_is_empty_steps(alice_at_work: Any, dataset: Any) -> None:
    response = alice_at_work.get(reverse("dataset-document", args=["wells", "wells", "provenance"]))
    rows = [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]
    assert rows == [{"id": f"well-{k}", "provenance": []} for k in range(4)]
