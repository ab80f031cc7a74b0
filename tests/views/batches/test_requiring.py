"""What a requester requires of annotators: when launching, and afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.people import qualification_types
from annotation.flow.work import eligibility
from annotation.models import Batch
from annotation.pure.people import requirements
from annotation.pure.people.requirements import Requirement
from tests.views.batches.test_launch import form
from tests.views.console import at


@pytest.fixture
def kind(project: Any) -> Any:
    return qualification_types.create_type(project, "Round 2", description="From the second round.")


@pytest.fixture
def desk(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def row(k: int, type: str, comparator: str, values: str, guard: str = "Accept") -> dict[str, str]:
    parts = {"type": type, "comparator": comparator, "values": values, "guard": guard}
    return {f"requirement-{name}_{k}": value for name, value in parts.items()}


def test_a_launch_requires_what_its_rows_say(desk: Any, dataset: Any, kind: Any) -> None:
    rows = row(0, kind.public_id, "GreaterThanOrEqualTo", "80", "DiscoverPreviewAndAccept")
    rows |= row(1, "", "Exists", "") | row(2, requirements.LOCALE, "In", "us-ca, DE")
    assert desk.post(reverse("batch-new", args=["wells"]), form(dataset, **rows)).status_code == 303
    made = Batch.objects.get()
    assert made.requirements == [
        {
            "type": kind.public_id,
            "comparator": "GreaterThanOrEqualTo",
            "values": [80],
            "guard": "DiscoverPreviewAndAccept",
        },
        {
            "type": requirements.LOCALE,
            "comparator": "In",
            "locales": [{"country": "US", "subdivision": "CA"}, {"country": "DE"}],
            "guard": "Accept",
        },
    ]
    html = desk.get(reverse("batch-edit", args=["wells", made.slug])).content.decode()
    assert "US-CA, DE" in html


@pytest.mark.parametrize(
    ("comparator", "values", "result"),
    [("EqualTo", "many", "whole numbers"), ("EqualTo", "", "exactly one value"), ("Exists", "1", "takes no values")],
)
def test_a_wrong_value_is_said_in_its_row(
    desk: Any, dataset: Any, kind: Any, comparator: str, values: str, result: str
) -> None:
    posted = form(dataset, **row(0, kind.public_id, comparator, values))
    response = desk.post(reverse("batch-new", args=["wells"]), posted)
    assert response.status_code == 422
    assert result in str(response.context["form"].requirements.errors["values_0"])
    assert not Batch.objects.exists()


def test_the_page_says_how_many_qualify_now(desk: Any, dataset: Any, kind: Any, bob: Any, carol: Any) -> None:
    qualification_types.grant(kind, bob, 80, source="hand")
    posted = form(dataset, **row(0, kind.public_id, "GreaterThanOrEqualTo", "80"))
    html = desk.post(reverse("batch-consequences", args=["wells"]), posted).content.decode()
    assert "1 of 2 workers qualify now." in html


def test_an_open_batch_requires_other_things_from_now_on(desk: Any, batch: Any, kind: Any) -> None:
    posted = {"title": batch.title, "expected_minutes": "2", "who": "all"}
    desk.post(at("batch-settings"), posted | row(0, kind.public_id, "GreaterThan", "79"))
    assert Batch.objects.get(pk=batch.pk).requirements[0]["values"] == [79]
    desk.post(at("batch-settings"), posted)  # a form without the rows leaves them alone
    assert len(Batch.objects.get(pk=batch.pk).requirements) == 1
    desk.post(at("batch-settings"), posted | row(0, "", "GreaterThan", "79"))
    assert Batch.objects.get(pk=batch.pk).requirements == []


def test_a_archived_qualification_stays_required_until_it_is_taken_out(desk: Any, batch: Any, kind: Any) -> None:
    eligibility.require(batch, [Requirement(kind.public_id, "Exists")])
    qualification_types.delete_type(kind)
    assert "an inactive qualification" in desk.get(at("batch-settings")).content.decode()
    posted = {"title": "Other", "expected_minutes": "2", "who": "all"} | row(0, kind.public_id, "Exists", "")
    assert desk.post(at("batch-settings"), posted).status_code == 303
    assert Batch.objects.get(pk=batch.pk).title == "Other"
