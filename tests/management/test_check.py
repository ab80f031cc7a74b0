"""`manage.py check` and the checks before `migrate`."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection

from annotation.operations import doctor

pytestmark = pytest.mark.django_db


def applied(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name) VALUES ('annotation', %s)", [name])


def test_a_preview_that_was_not_migrated_to_its_end_is_refused_with_the_way_out() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE django_migrations (app text, name text)")  # the tests' database has no migrations
    call_command("check", databases=["default"], verbosity=0)
    applied("0001_initial")
    with pytest.raises(SystemCheckError, match=r"older preview(.|\n)*v0\.1\.0-preview"):
        call_command("check", databases=["default"], verbosity=0)
    applied("0047_mturk_api_app")
    call_command("check", databases=["default"], verbosity=0)


@pytest.mark.parametrize("name", ["PUBLIC_URL", "SCRIPT_NAME"])
def test_a_site_below_a_path_is_refused_by_check_and_doctor(
    settings: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    settings.PUBLIC_URL = "https://annotate.example.org/"
    call_command("check", verbosity=0)
    if name == "PUBLIC_URL":
        settings.PUBLIC_URL = "https://lab.example.org/hopscribe"
    else:
        monkeypatch.setenv("SCRIPT_NAME", "/hopscribe")
    with pytest.raises(SystemCheckError, match=f"{name} has the path /hopscribe"):
        call_command("check", verbosity=0)
    assert [one.part for one in doctor.examine() if not one.well and "/hopscribe" in one.text] == [
        "settings hopscribe.E008"
    ]
