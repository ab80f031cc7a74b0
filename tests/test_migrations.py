"""Migrations run before the processes that know them: those of the release before go on serving meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from annotation.operations import migration_operations
from annotation.operations.migration_operations import AddIndexWhileServing, AddTrigramIndex, CompressWithLz4
from tests import expanding

# {"app.migration" that does more than add: why, and how it is rolled out}
LISTED: dict[str, str] = {}


@pytest.fixture(autouse=True)
def from_disk(settings: Any) -> None:
    """Tests of the database do without migrations; these look at them."""
    settings.MIGRATION_MODULES = {}


def test_what_a_migration_does_is_safe_while_the_release_before_serves() -> None:
    found = list(expanding.violations())
    new = [result for result in found if result.partition(":")[0] not in LISTED]
    assert not new, "\n".join(new)
    assert set(LISTED) == {result.partition(":")[0] for result in found}, "listed, but harmless"


def column(**how: Any) -> Any:
    return migrations.AddField("hit", "colour", models.CharField(max_length=9, **how))


def altered(**how: Any) -> Any:
    return migrations.AlterField("worker", "country", models.CharField(blank=True, **{"max_length": 2, **how}))


INDEX = models.Index(fields=["wanted"], name="planted")
PLANTED: list[tuple[Any, str]] = [
    (migrations.RemoveField("hit", "wanted"), "the release before needs"),
    (migrations.RenameField("hit", "wanted", "asked"), "the release before needs"),
    (migrations.DeleteModel("ProblemReport"), "the release before needs"),
    (migrations.RenameModel("ProblemReport", "Complaint"), "the release before needs"),
    (migrations.RunSQL("SELECT 1"), "rows are locked"),
    (column(), "needs null=True or db_default"),
    (column(default="red"), "needs null=True or db_default"),
    (column(null=True), ""),
    (column(db_default="red"), ""),
    (migrations.AddIndex("hit", INDEX), "AddIndexWhileServing"),
    (AddIndexWhileServing("hit", INDEX), ""),
    (migrations.AddIndex("invite", models.Index(fields=["used"], name="planted")), ""),
    (migrations.AddConstraint("hit", models.CheckConstraint(condition=models.Q(wanted__lt=9), name="p")), "locks"),
    (altered(max_length=1), "max_length changes"),
    (altered(max_length=3), ""),
    (altered(verbose_name="land"), ""),
    (altered(null=True), ""),
    (migrations.AlterField("worker", "country", models.IntegerField()), "changes"),
]


@pytest.mark.parametrize(("operation", "why"), PLANTED)
def test_the_rule_finds_what_it_is_there_to_find(operation: Any, why: str) -> None:
    planted = migrations.Migration("9999_planted", "annotation")
    planted.operations = [operation]
    found = list(expanding.unsafe("annotation", planted, MigrationLoader(None).project_state(), set()))
    assert (why in found[0]) if why else not found


@pytest.mark.django_db(transaction=True)
def test_an_index_is_made_and_taken_while_others_write() -> None:
    index = AddIndexWhileServing("hit", models.Index(fields=["wanted"], name="planted_while_serving"))
    before = ProjectState.from_apps(apps)
    after = before.clone()
    index.state_forwards("annotation", after)

    def there() -> bool:
        with connection.cursor() as cursor:
            return "planted_while_serving" in connection.introspection.get_constraints(cursor, "annotation_hit")

    with connection.schema_editor(atomic=False) as editor:
        index.database_forwards("annotation", editor, before, after)
        index.database_forwards("annotation", editor, before, after)  # as after one that was broken off
    assert there()
    with connection.schema_editor(atomic=False) as editor:
        index.database_backwards("annotation", editor, after, before)
    assert not there()


@pytest.mark.postgresql(reason="the index is PostgreSQL's")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("permitted", [True, False])
def test_questions_are_indexed_where_the_extension_is_permitted(
    permitted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = AddTrigramIndex("item", "question", name="planted_by_text")
    state = ProjectState.from_apps(apps)

    def there() -> bool:
        with connection.cursor() as cursor:
            return "planted_by_text" in connection.introspection.get_constraints(cursor, "annotation_item")

    with connection.schema_editor(atomic=False) as editor:
        execute = editor.execute

        def refuse(sql: str, *arguments: Any) -> None:
            if "EXTENSION" in sql:
                raise DatabaseError("permission denied")
            execute(sql, *arguments)

        if not permitted:
            monkeypatch.setattr(editor, "execute", refuse)
        index.database_forwards("annotation", editor, state, state)
        index.database_forwards("annotation", editor, state, state)  # as after one that was broken off
    assert there() == (permitted and connection.vendor == "postgresql")
    with connection.schema_editor(atomic=False) as editor:
        index.database_backwards("annotation", editor, state, state)
        assert not there()
        if connection.vendor == "postgresql":
            editor.execute("DROP EXTENSION IF EXISTS pg_trgm")


@pytest.mark.postgresql(reason="compression of columns is PostgreSQL's")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("offered", [True, False])
def test_long_values_are_compressed_with_lz4_where_the_server_offers_it(
    offered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = CompressWithLz4("hit", "payload")
    state = ProjectState.from_apps(apps)

    def method() -> str:
        if connection.vendor != "postgresql":
            return ""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT attcompression FROM pg_attribute "
                "WHERE attrelid = 'annotation_hit'::regclass AND attname = 'payload'"
            )
            return str(cursor.fetchone()[0])

    if not offered:
        monkeypatch.setattr(migration_operations, "OFFERED", migration_operations.OFFERED.replace("'lz4'", "'other'"))
    before = method()
    with connection.schema_editor() as editor:
        operation.database_forwards("annotation", editor, state, state)
    assert method() == ("l" if offered and connection.vendor == "postgresql" else before)
    with connection.schema_editor() as editor:
        operation.database_backwards("annotation", editor, state, state)
    assert method() == before
