"""The page that says what a planned study can find, and the API's operation of the same name."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import score_looks
from annotation.flow.work import submissions
from annotation.models import AuditEntry
from tests.api.calling import caller, fields_at_fault
from tests.batches import create_batch
from tests.conftest import answer_to, write_records
from tests.views.console import answer, take

NOTHING = {"kind": "none", "text": "", "paragraph": None}
PLAN = {"kind": "paired", "items": 115, "answers": 3, "workers": 30, "seed": 0}


def _address(**query: Any) -> str:
    return reverse("power", args=["wells"], query=query)


@pytest.fixture
def pilot(project: Any, tmp_path: Any, bob: Any, carol: Any) -> Any:
    """A batch of 12 items: both workers are wrong on the first three, and carol on the fourth as well."""
    import_dataset(project, write_records(tmp_path / "many.jsonl", 12), format="jsonl", name="many")
    terms = {"task": "answer", "datasets": [project.datasets.get(slug="many")], "instructions": "Read."}
    made = create_batch(project, "pilot", **terms, assignments_per_hit=2)
    batch_launch.launch(made)
    for worker, wrong in ((bob, 3), (carol, 4)):
        for _item in range(12):
            assignment = take(worker, made)
            given = answer_to(assignment) | (NOTHING if assignment.hit.item.position < wrong else {})
            submissions.submit(assignment, given, key=f"0.{assignment.pk}", base=0, active_seconds=30)
    return made


def test_the_page_is_linked_from_batches_and_from_a_new_one(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    for page in ("batches", "batch-new"):
        assert f'href="{_address()}"' in client.get(reverse(page, args=["wells"])).content.decode()
    page = client.get(_address())
    assert (page.status_code, "tables" in page.context) == (200, False)


def test_a_pilot_gives_rate_and_variances_and_what_is_said_instead_of_them_counts(
    client: Any, alice: Any, pilot: Any
) -> None:
    client.force_login(alice)
    found = client.get(_address(**PLAN, pilot="pilot", second=60)).context["found"]
    assert (found["first"], found["second"]) == (pytest.approx(17 / 24), 0.6)
    assert found["by_item"] > 0.5
    assert found["by_worker"] == 0
    shown = {name: found["pilot"][name] for name in ("batch", "items", "workers", "responses")}
    assert shown == {"batch": "pilot", "items": 12, "workers": 2, "responses": 24}
    said = client.get(_address(**PLAN, pilot="pilot", first=90, by_item=20)).context
    assert (said["found"]["first"], said["found"]["second"], said["found"]["by_item"]) == (0.9, 0.85, 0.2)
    assert "In a pilot of 24 responses to 12 items by 2 annotators, 70.8 % were right. Items acc" in said["paragraph"]
    assert "Annotators accounted for 0 % of the variance there." in said["paragraph"]


def test_a_pilot_whose_scores_are_folded_is_not_offered_and_one_over_the_api_is_a_look(
    client: Any, alice: Any, pilot: Any
) -> None:
    pilot.hits.update(wanted=3)
    client.force_login(alice)
    page = client.get(_address(**PLAN, pilot="pilot"))
    assert list(page.context["form"].errors) == ["pilot"]
    assert not AuditEntry.objects.filter(act=score_looks.LOOK).exists()
    assert caller(alice).get("power/", **PLAN, pilot="pilot").json()["pilot"]["responses"] == 24
    assert AuditEntry.objects.get(act=score_looks.LOOK).details["n"] == 24


def test_a_pilot_that_is_too_small_is_refused(client: Any, alice: Any, batch: Any, bob: Any) -> None:
    for _item in range(4):
        answer(bob, batch)
    batch.hits.update(wanted=1)
    client.force_login(alice)
    page = client.get(_address(**PLAN, pilot="wells-1"))
    assert page.status_code == 422
    assert "this one has 4" in str(page.context["form"].errors)


def test_a_plan_is_answered_with_sentences_and_tables(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    page = client.get(_address(**PLAN, first=80, second=75, price="0.25", budget=300))
    assert page.status_code == 200
    assert "the same 115 items" in page.context["paragraph"]
    assert [table["name"] for table in page.context["tables"]] == ["budget", "assumptions"]
    assert (page.context["found"]["first"], page.context["found"]["by_item"]) == (0.8, 0.5)


@pytest.mark.parametrize(
    ("change", "field"),
    [({"items": 1}, "items"), ({"first": 120}, "first"), ({"budget": 10}, "price"), ({"workers": 3}, "__all__")],
)
def test_a_plan_that_cannot_be_says_why(
    client: Any, alice: Any, project: Any, change: dict[str, Any], field: str
) -> None:
    client.force_login(alice)
    page = client.get(_address(**PLAN | change))
    assert page.status_code == 422
    assert list(page.context["form"].errors) == [field]


@pytest.mark.soak
def test_the_api_computes_the_same_and_refuses_the_same(alice: Any, project: Any, client: Any) -> None:
    api = caller(alice)
    found = api.get("power/", **PLAN, first=0.8, second=0.75).json()
    client.force_login(alice)
    assert found["text"] == client.get(_address(**PLAN, first=80, second=75)).context["paragraph"]
    assert (found["responses"], found["people"], found["level"], found["pilot"]) == (690, 30, 0.05, None)
    assert found["tables"][0]["name"] == "assumptions"
    assert fields_at_fault(api.get("power/", items=1, workers=30)) == {"items"}
    assert fields_at_fault(api.get("power/", **PLAN, pilot="none")) == {"pilot"}
    few = api.get("power/", **PLAN | {"workers": 3})
    assert (few.status_code, few.json()["errors"][0]["detail"]) == (
        422, "This many responses per item need at least 6 workers.",
    )  # fmt: skip
