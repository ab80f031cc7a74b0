"""Queries whose SQL is kept give what Django's own give, with the arguments of each call."""

from __future__ import annotations

from select import select
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import IntegrityError, connection, connections, transaction
from django.db.models import Count, F, QuerySet
from django.test.utils import CaptureQueriesContext

from annotation.models import Batch, Worker
from annotation.models.compiled import (
    Update,
    compiled,
    compiled_update,
    compiled_update_returning,
    delete,
    insert,
    insert_many,
)
from tests.waiting import until

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="SQL and its parameters differ by database")]


@compiled
def batches_of(project: int, title: str) -> QuerySet[Batch]:
    rows = Batch.objects.select_related("project").annotate(people=Count("participations"))
    return rows.filter(project=project, title=title).order_by("slug")


@compiled
def slugs_of(project: int) -> QuerySet[Batch]:
    return Batch.objects.filter(project=project).order_by("slug").values_list("slug", "reward")


@compiled
def titles_of(project: int) -> QuerySet[Batch]:
    return Batch.objects.filter(project=project).order_by("slug").only("title")


@compiled_update
def make_longer(project: int, title: str, share: float) -> Update:
    return Batch.objects.filter(project=project, title=title), {"size": F("size") + 1, "check_share": share}


@compiled_update_returning
def lengthen(pk: int, size: int) -> Update:
    return Batch.objects.filter(pk=pk, size=size, title="wells"), {"size": F("size") + 1}


@pytest.fixture(params=[False, True], ids=["kept", "plain"])
def three(project: Any, request: Any, settings: Any) -> list[Batch]:
    settings.PLAIN_QUERIES = request.param
    titles = ["wells", "50% of {wells}", "wells"]
    return [
        Batch.objects.create(project=project, slug=f"b{k}", title=title, task="answer", options={"support": k})
        for k, title in enumerate(titles)
    ]


def test_rows_are_those_of_the_queryset_and_take_one_query(project: Any, three: list[Batch]) -> None:
    batches_of(project.pk, "none")
    with CaptureQueriesContext(connection) as queries:
        found = batches_of(project.pk, "wells")
        assert [(b, b.project, b.options, b.created_at, b.people) for b in found] == [
            (b, project, b.options, b.created_at, 0) for b in (three[0], three[2])
        ]
    assert len(queries) == 1
    found[0].title = "towers"
    found[0].save()
    assert [b.slug for b in batches_of(project.pk, "wells")] == ["b2"]


def test_instances_hold_what_those_of_django_hold(project: Any, three: list[Batch]) -> None:
    [own] = batches_of(project.pk, "50% of {wells}")
    plain = Batch.objects.select_related("project").annotate(people=Count("participations")).get(slug="b1")
    for ours, djangos in ((own, plain), (own.project, plain.project)):
        held, expected = vars(ours), vars(djangos)
        assert {n: v for n, v in held.items() if n != "_state"} == {n: v for n, v in expected.items() if n != "_state"}
        assert (ours._state.adding, ours._state.db) == (False, "default")
    assert own._state.fields_cache == {"project": own.project}


def test_each_call_has_its_own_arguments(project: Any, three: list[Batch]) -> None:
    assert [b.slug for b in batches_of(project.pk, "50% of {wells}")] == ["b1"]
    assert [b.slug for b in batches_of(title="wells", project=project.pk)] == ["b0", "b2"]
    assert batches_of(project.pk + 1, "wells") == []


def test_columns_and_deferred_fields(project: Any, three: list[Batch]) -> None:
    assert slugs_of(project.pk) == list(Batch.objects.order_by("slug").values_list("slug", "reward"))
    row = titles_of(project.pk)[1]
    assert "options" in row.get_deferred_fields()
    assert (row.title, row.options) == ("50% of {wells}", {"support": 1})


def test_an_update_says_how_many_rows_matched(project: Any, three: list[Batch]) -> None:
    assert make_longer(project.pk, "wells", 0.25) == 2
    assert make_longer(project.pk, "nothing", 0.5) == 0
    assert list(Batch.objects.order_by("slug").values_list("size", "check_share")) == [(1, 0.25), (0, 0), (1, 0.25)]


def test_an_update_returns_the_row_as_it_is_then(project: Any, three: list[Batch]) -> None:
    assert lengthen(three[1].pk, 0) == []
    with CaptureQueriesContext(connection) as queries:
        [row] = lengthen(three[0].pk, 0)
    assert settings.PLAIN_QUERIES or len(queries) == 1
    assert vars(row) | {"_state": None} == vars(Batch.objects.get(pk=row.pk)) | {"_state": None}
    assert (row.size, lengthen(three[0].pk, 0)) == (1, [])  # which it does not match any more


@pytest.mark.parametrize("plain", [False, True])
def test_rows_are_inserted_and_deleted(project: Any, settings: Any, plain: bool) -> None:
    settings.PLAIN_QUERIES = plain
    row = insert(Worker(project=project, external_id="a"))
    assert Worker.objects.get() == row
    names = ["b\t“\\N”\n\\.\n", "NULL"]  # what means something in PostgreSQL's COPY
    insert_many([Worker(project=project, external_id=name) for name in names])
    assert (delete(row), delete(Worker(pk=row.pk))) == (True, False)
    assert list(Worker.objects.order_by("pk").values_list("external_id", flat=True)) == names


@pytest.mark.parametrize("plain", [False, True])
def test_rows_that_break_a_constraint_are_refused_with_djangos_error(project: Any, settings: Any, plain: bool) -> None:
    settings.PLAIN_QUERIES = plain
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_many([Worker(project=project, external_id="a") for _ in range(2)])
    assert not Worker.objects.exists()


def test_a_parameter_that_is_no_value_of_the_sql_is_refused(project: Any) -> None:
    @compiled
    def some(size: int) -> QuerySet[Worker]:
        return Worker.objects.order_by("pk")[:size]

    with pytest.raises(TypeError, match="size"):
        some(3)


def test_constants_stand_in_the_sql_as_they_are(project: Any, three: list[Batch]) -> None:
    """A partial index is used only where its condition stands in the SQL."""

    @compiled
    def odd(project: int) -> QuerySet[Batch]:
        rows = Batch.objects.filter(project=project, title__in=["50% of {wells}", "it's", "a\\b"])
        return rows.filter(size=0, fresh_only=True).order_by("slug")

    for number, title in enumerate(["50% of {wells}", "it's", "a\\b"]):
        Batch.objects.filter(pk=three[number].pk).update(title=title)
    assert [b.title for b in odd(project.pk)] == ["50% of {wells}", "it's", "a\\b"]
    with CaptureQueriesContext(connection) as queries:
        odd(project.pk)
    assert "it''s" in queries[0]["sql"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no server that ends connections")
def test_a_connection_that_works_is_not_asked_for_and_one_that_was_ended_is_made_anew(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    kind = type(connections["default"])
    is_usable = kind.is_usable
    monkeypatch.setattr(kind, "is_usable", lambda self: asked.append(is_usable(self)) or asked[-1])
    monkeypatch.setitem(connection.settings_dict, "CONN_HEALTH_CHECKS", True)
    connection.close()
    slugs_of(project.pk)
    connection.health_check_done = False  # as at the beginning of a request
    slugs_of(project.pk)
    assert asked == []
    with psycopg.connect(**connection.connection.info.get_parameters()) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
    until(lambda: connection.connection.pgconn.socket in select([connection.connection.pgconn.socket], [], [], 0)[0])
    connection.health_check_done = False
    assert slugs_of(project.pk) == []
    assert asked == [False]
