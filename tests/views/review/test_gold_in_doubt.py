"""The pages on which a requester decides about gold that people contradict."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotation import jobs
from annotation.flow.review import gold_in_doubt
from annotation.models import Batch, Dataset, GoldDecision
from tests.flow.review.test_gold_in_doubt import batch as doubtful_batch
from tests.views.console import at

doubtful = doubtful_batch


@pytest.fixture
def boss(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def page(name: str, *args: Any) -> str:
    return at(name, *args, batch="doubtful")


def test_the_queue_sets_gold_and_people_side_by_side(boss: Any, doubtful: Batch) -> None:
    html = boss.get(page("gold")).content.decode()
    assert "2 of 2 wait for a decision" in html
    assert "Tarne" in html
    assert "2 of 3" in html
    assert "Create a corrected version" not in html
    assert page("gold") in boss.get(page("batch-decide")).content.decode()


def test_deciding_leads_on_and_can_be_undone(boss: Any, doubtful: Batch) -> None:
    first, second = gold_in_doubt.doubts(doubtful)
    response = boss.post(page("gold-item", first.public_id), {"decision": "alias", "text": first.text})
    assert response["Location"] == f"{page('gold-item', second.public_id)}?undo={first.public_id}"
    assert page("gold-undo", first.public_id) in boss.get(response["Location"]).content.decode()
    assert GoldDecision.objects.get().reviewer.username == "alice"
    boss.post(page("gold-undo", first.public_id))
    assert gold_in_doubt.doubts(doubtful)[0].decision == ""


def test_a_decision_on_what_nobody_said_is_refused(boss: Any, doubtful: Batch) -> None:
    first = gold_in_doubt.doubts(doubtful)[0]
    response = boss.post(page("gold-item", first.public_id), {"decision": "alias", "text": "else"})
    assert response.status_code == 422
    assert "changed in the meantime" in response.content.decode()


def test_a_corrected_version_is_made_and_the_report_has_both_scores(boss: Any, doubtful: Batch) -> None:
    for one in gold_in_doubt.doubts(doubtful):
        boss.post(page("gold-item", one.public_id), {"decision": "correction", "text": one.text})
    assert "Create a corrected version" in boss.get(page("gold")).content.decode()
    response = boss.post(page("gold-correct"), {"dataset": "wells", "name": "better"})
    jobs.run_due_work()
    result = boss.get(response["Location"]).content.decode()
    assert "2 with corrected gold" in result
    assert reverse("dataset", args=["wells", "better"]) in result
    assert boss.get(reverse("dataset", args=["wells", "better"])).status_code == 200
    boss.post(page("report-refresh"))
    jobs.run_due_work()
    html = boss.get(page("report")).content.decode()
    assert "Against corrected gold" in html


@pytest.mark.parametrize("wish", [{"dataset": "wells", "name": "new"}, {"dataset": "wells"}])
def test_a_name_that_cannot_be_one_is_said(boss: Any, doubtful: Batch, wish: dict[str, str]) -> None:
    assert "Name of the dataset:" in boss.post(page("gold-correct"), wish, follow=True).content.decode()
    assert not Dataset.objects.filter(slug="new").exists()


def test_a_dataset_that_is_not_the_batch_s_is_not_there(boss: Any, doubtful: Batch) -> None:
    assert boss.post(page("gold-correct"), {"dataset": "others", "name": "better"}).status_code == 404
