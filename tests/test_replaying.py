"""What a recording writes is what was made, under the test's own clock."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.db.models import DateTimeField, Model
from django.utils import timezone

from annotation.flow.data.dataset_import import import_dataset
from annotation.models import Dataset, Project, User
from tests.conftest import write_records
from tests.replaying import replayed


def rows() -> dict[type[Model], list[list[Any]]]:
    """Every row without its times."""
    found = {}
    for model in apps.get_models():
        plain = [field.attname for field in model._meta.concrete_fields if not isinstance(field, DateTimeField)]
        found[model] = [list(row) for row in model._base_manager.order_by("pk").values_list(*plain)]
    return found


def begin(file: Path, title: str = "Wells") -> tuple[Project, Dataset]:
    def make() -> Dataset:
        import_dataset(project, file, format="jsonl", name="wells")
        return project.datasets.get()

    project = replayed("for this test", lambda: Project.objects.create(slug="wells"))
    project.title = title
    return project, replayed("dataset for this test", make, project)


def in_a_transaction(file: Path, title: str = "Wells") -> dict[type[Model], list[list[Any]]]:
    with transaction.atomic():
        begin(file, title)
        found = rows()
        transaction.set_rollback(True)
    return found


@pytest.mark.django_db
def test_a_recording_writes_the_rows_that_were_made(tmp_path: Path) -> None:
    file = write_records(tmp_path / "wells.jsonl")
    made = in_a_transaction(file)
    assert len(made[Dataset]) == 1
    other = write_records(tmp_path / "other.jsonl", 1)
    assert in_a_transaction(other) == made
    assert in_a_transaction(other, "another title") != made, "what is given was different, so it is made anew"
    Project.objects.create(slug="first")
    assert len(in_a_transaction(file)[Project]) == 2


@pytest.mark.django_db
def test_its_times_are_those_of_the_test_and_it_belongs_to_what_the_test_holds(tmp_path: Path) -> None:
    file = write_records(tmp_path / "wells.jsonl")
    in_a_transaction(file)
    recorded = Project.objects.create(slug="first").created_at
    Project.objects.all().delete()
    for _time in range(2):  # recorded, and written again
        with transaction.atomic():
            project, dataset = begin(file)
            assert dataset.project is project
            assert recorded < project.created_at < dataset.created_at
            assert dataset.created_at == Dataset.objects.get().created_at
            assert project.created_at == Project.objects.get().created_at
            transaction.set_rollback(True)


@pytest.mark.django_db
def test_what_lay_ahead_still_does_and_a_result_may_hold_rows() -> None:
    def make() -> tuple[User, str]:
        return User.objects.create_user("ada", last_login=timezone.now() + timedelta(days=1)), "more"

    for _time in range(2):  # recorded, and written again
        with transaction.atomic():
            user, more = replayed("for this other test", make)
            assert (user.last_login, more) == (User.objects.get().last_login, "more")
            assert user.date_joined < timezone.now() < user.last_login
            transaction.set_rollback(True)
