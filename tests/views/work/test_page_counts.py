"""What a work page counts is stored with the response, if the batch counts; whatever else is posted is ignored."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Batch, WorkerResponse

pytestmark = pytest.mark.django_db
COUNTS = {"pasted": 12, "entered": 40, "away": 1, "away_seconds": 9}
FIELD = 'name="page_counts"'


@pytest.fixture
def counting(batch: Batch) -> Batch:
    Batch.objects.filter(pk=batch.pk).update(counts_pasting=True)
    return batch


def submit(page: Client, **posted: str) -> Any:
    row = Assignment.objects.get(state="accepted")
    fields = {"kind": "text", "text": "Farrow", "support": ["0", "1"], "key": f"0.{row.pk}"}
    assert page.post(f"/assignments/{row.public_id}/submit/", fields | posted).status_code == 303
    return WorkerResponse.objects.get(assignment=row).page_counts


def html(page: Client) -> str:
    return page.get(f"/assignments/{Assignment.objects.get(state='accepted').public_id}/").content.decode()


def test_a_batch_that_counts_stores_the_counts(counting: Batch, page: Client) -> None:
    assert FIELD in html(page)
    assert submit(page, page_counts=json.dumps(COUNTS)) == COUNTS


def test_a_batch_that_does_not_count_neither_asks_for_them_nor_stores_them(batch: Batch, page: Client) -> None:
    assert FIELD not in html(page)
    assert submit(page, page_counts=json.dumps(COUNTS)) is None


BAD = {
    "nothing": "",
    "no JSON": "many",
    "a list": "[1, 2]",
    "another name": json.dumps(COUNTS | {"keys": 1}),
    "a name missing": json.dumps({"pasted": 1}),
    "negative": json.dumps(COUNTS | {"away": -1}),
    "a fraction": json.dumps(COUNTS | {"away": 1.5}),
    "a truth value": json.dumps(COUNTS | {"away": True}),
    "a text": json.dumps(COUNTS | {"pasted": "what I pasted"}),
    "too much": json.dumps(COUNTS | {"away_seconds": 10**7}),
    "too long": json.dumps(COUNTS) + " " * 200,
    "too deep": "[" * 199,
    "not a number": '{"pasted": NaN, "entered": 1, "away": 1, "away_seconds": 1}',
}


@pytest.mark.parametrize("name", BAD)
def test_anything_else_is_ignored_and_the_response_is_stored(name: str, counting: Batch, page: Client) -> None:
    assert submit(page, page_counts=BAD[name]) is None


def test_no_more_can_be_pasted_than_was_entered(counting: Batch, page: Client) -> None:
    assert submit(page, page_counts=json.dumps(COUNTS | {"pasted": 1000})) == COUNTS | {"pasted": 40}


def test_counting_costs_no_statement_more(batch: Batch, page: Client, bob: Any) -> None:
    def statements(run: Callable[[], object]) -> int:
        with CaptureQueriesContext(connection) as queries:
            run()
        return len(queries)

    submit(page)  # the first prepares what later ones find
    plain = statements(lambda: submit(page))
    Batch.objects.filter(pk=batch.pk).update(counts_pasting=True)
    assert statements(lambda: submit(page, page_counts=json.dumps(COUNTS))) == plain


def test_the_pages_of_workers_show_nothing_of_it(counting: Batch, page: Client) -> None:
    submit(page, page_counts=json.dumps(COUNTS))
    Batch.objects.filter(pk=counting.pk).update(shows_scores=True, state=Batch.State.CLOSED)
    for address in ("/work/", "/work/history/", f"/work/batches/{counting.pk}/done/"):
        text = page.get(address, follow=True).content.decode()
        assert "pasted" not in text
        assert "people’s own" not in text
