"""Lists that a page and the API share: one filter, whose values both know, and the same rows for the same filter."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.flow.batches.batch_progress import AssignmentFilter, BatchFilter
from annotation.flow.batches.hit_filters import HitFilter
from annotation.flow.data.item_editing import ItemFilter
from annotation.flow.data.lineage import DatasetFilter
from annotation.flow.lists import ListFilter
from annotation.flow.money import ledger
from annotation.flow.money.ledger_table import LedgerFilter
from annotation.flow.people.worker_profile import WorkerFilter
from annotation.flow.projects.audit_log_table import LogFilter
from annotation.flow.review.approval_queue import ApprovalFilter
from annotation.flow.review.problem_reports import ProblemReportFilter
from annotation.models import Assignment, AuditEntry, Batch, Dataset, Hit, Item, ProblemReport, Project, Worker
from annotation.pure.setting_fields import settings_of
from tests.api.calling import caller, fields_at_fault

pytestmark = pytest.mark.django_db
LISTS: list[tuple[type[ListFilter], str, list[str], str, str]] = [  # with the page's and the API's name of a row
    (ApprovalFilter, "approvals", [], "approvals/", "assignment"),
    (LedgerFilter, "money-ledger", [], "ledger/", "number"),
    (LogFilter, "log", [], "log/", "id"),
    (BatchFilter, "batches", [], "batches/", "name"),
    (WorkerFilter, "people", [], "workers/", "id"),
    (DatasetFilter, "datasets", [], "datasets/", "name"),
    (ItemFilter, "dataset", ["wells"], "datasets/wells/items/", "position"),
    (ProblemReportFilter, "problem-reports", ["wells-1"], "batches/wells-1/problem-reports/", "id"),
    (AssignmentFilter, "batch-assignments", ["wells-1"], "assignments/", "id"),
    (HitFilter, "hits", ["wells-1"], "batches/wells-1/hits/", "id"),
]
MANY = 23
FITTING = {bool: "yes", int: "2", float: "0.5", str: "x"}
WRONG = {bool: "perhaps", int: "two", float: "half", str: "x" * 600}


def copies(row: Any, **different: Any) -> list[Any]:
    """MANY further rows like it; of `different` columns each has its own value."""
    columns = [column for column in row._meta.concrete_fields if not column.primary_key and not column.generated]
    same = {column.attname: getattr(row, column.attname) for column in columns}
    own = [{name: value(k) for name, value in different.items()} for k in range(MANY)]
    made: list[Any] = type(row)._base_manager.bulk_create([type(row)(**same | each) for each in own])
    return made


@pytest.fixture
def many(project: Project, dataset: Dataset, batch: Batch, bob: Worker) -> None:
    """Many rows of each list, which tie in all but their keys."""
    project.workers.update(created_at=timezone.now())
    workers = copies(bob, public_id=lambda k: f"W{k}", user_id=lambda k: None, external_id=lambda k: f"x{k}")
    copies(dataset, slug=lambda k: f"wells-{k}-copy")
    copies(batch, slug=lambda k: f"wells-{k}-copy")
    item, hit = dataset.items.first(), batch.hits.first()
    items = copies(item, position=lambda k: 100 + k, source_id=lambda k: f"copy-{k}")
    copies(hit, item_id=lambda k: items[k].pk, public_id=lambda k: f"HIT{k}", ticket=lambda k: 100 + k)
    now = timezone.now()
    given = {
        "batch": batch,
        "hit": hit,
        "lease_until": now,
        "state": Assignment.State.SUBMITTED,
        "submitted_at": now,
        "revision": 1,
    }
    given |= {"group_key": "", "auto_approve_at": now + timedelta(days=1)}
    rows = Assignment.objects.bulk_create([Assignment(worker=worker, **given) for worker in workers])
    ProblemReport.objects.bulk_create([ProblemReport(assignment=row, reason="unclear") for row in rows])
    ProblemReport.objects.update(created_at=now)
    for number in range(MANY):
        ledger.deposit(project, 1, key=f"deposit/{number}", user=None)
    AuditEntry.objects.bulk_create(
        [AuditEntry(project=project, via="command", act="made", kind="batch", key=f"b{k}") for k in range(MANY)]
    )


@pytest.mark.parametrize(("kind", "page", "args", "path", "_name"), LISTS, ids=[each[1] for each in LISTS])
def test_a_page_and_the_api_take_the_same_filters(
    kind: Any, page: str, args: list[str], path: str, _name: str, alice: Any, project: Any, batch: Any
) -> None:
    api, client = caller(alice), Client()
    client.force_login(alice)
    for name, one in settings_of(kind).items():
        day = name in ("since", "until")
        value = next(iter(one.choices)) if one.choices else "2026-11-28" if day else FITTING[one.type]
        value = "2026-11-28T08:00Z" if (kind, name) == (AssignmentFilter, "since") else value
        assert api.get(path, **{name: value}).status_code == 200, name
        assert client.get(reverse(page, args=[project.slug, *args]), {name: value}).status_code == 200, name
        if one.choices or one.length or one.type is not str:
            wrong = "yesterday" if day else WRONG[one.type]
            assert fields_at_fault(api.get(path, **{name: wrong})) == {name}
            assert kind.of({name: wrong}) == kind()  # a page narrows nothing
    assert api.get(path, other="x").status_code == 422


def keys(response: Any, name: str) -> list[Any]:
    """The rows of a page, by what the API calls `name`."""
    shown = response.context.get("slice")
    rows = [
        each["row"] if isinstance(each, dict) else each for each in (shown.items if shown else response.context["page"])
    ]
    names = {Batch: "slug", Dataset: "slug", Worker: "public_id", Item: "position", Hit: "public_id"}
    return [getattr(row, names.get(type(row), "public_id" if type(row) is Assignment else "pk")) for row in rows]


@pytest.mark.parametrize(("kind", "page", "args", "path", "name"), LISTS, ids=[each[1] for each in LISTS])
def test_pages_follow_each_other_without_gaps_and_have_the_rows_of_the_api(
    kind: Any, page: str, args: list[str], path: str, name: str, alice: Any, many: Any, monkeypatch: Any
) -> None:
    client, address = Client(), reverse(page, args=["wells", *args])
    client.force_login(alice)
    monkeypatch.setattr(kind, "size", 10)
    response = client.get(address)
    own, further = keys(response, name), response.context.get("page")
    while (shown := response.context.get("slice")) and shown.next is not None:
        response = client.get(address, {"after": shown.next})
        own += keys(response, name)
    for number in range(2, further.paginator.num_pages + 1) if further else ():
        own += keys(client.get(address, {"page": number}), name)
    assert len(own) >= MANY
    assert len(own) == len(set(own)), "a row is on two pages"
    found, answer = [], caller(alice).get(path, limit=7).json()
    while True:
        found += [row[name] for row in answer["results"]]
        if answer["next"] is None:
            break
        answer = json.loads(caller(alice).client.get(answer["next"]).content)
    assert len(found) == len(set(found))
    assert set(found) == set(own)


def test_a_worker_is_found_by_id_or_by_the_beginning_of_a_pseudonym(project: Project, many: Any) -> None:
    one = project.workers.get(public_id="W3")
    with CaptureQueriesContext(connection) as queries:
        assert project.workers_called(one.pseudonym[:8]) == project.workers_called("W3") == [one.pk]
        assert project.workers_called("nobody") == []
    columns = {query["sql"].partition(" FROM ")[0].replace('"annotation_worker".', "") for query in queries}
    assert columns == {'SELECT "id" AS "pk"'}, "no more of the workers is loaded"
