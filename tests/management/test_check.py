"""`manage.py check` and the checks before `migrate`."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection

from annotation.flow.errors import Refused
from annotation.operations import doctor, upgrade
from annotation.operations.replaced_migrations import LAST, REVISION, too_old

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("before", "last"),
    [
        (["annotation 0001_initial", "annotation 0047_mturk_api_app"], "annotation 0047_mturk_api_app"),
        (["annotation 0001_release_0_1", "annotation 0017_group_parts"], "annotation 0017_group_parts"),
        (["annotation 0025_asked_models", "judges 0001_first"], "judges 0001_first"),
    ],
)
def test_a_database_whose_next_migrations_were_replaced_is_refused_with_the_way_out(
    before: list[str], last: str
) -> None:
    with connection.cursor() as cursor:  # the tests' database has no migrations
        cursor.execute("CREATE TABLE django_migrations (id integer, app text, name text, applied text)")
    call_command("check", databases=["default"], verbosity=0)
    applied(*before)
    with pytest.raises(SystemCheckError, match=rf"older revision of Hopscribe: {last}(.|\n)*revision {REVISION} first"):
        call_command("check", databases=["default"], verbosity=0)
    assert [one.mend for one in doctor.examine() if one.part == "database"] == [too_old(connection).partition(". ")[2]]
    with pytest.raises(Refused, match="older revision"):
        upgrade.bring_up_to_date()
    applied(*(f"{app} {name}" for app, name in LAST.items()))
    call_command("check", databases=["default"], verbosity=0)


def applied(*migrations: str) -> None:
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO django_migrations (app, name) VALUES (%s, %s)", map(str.split, migrations))


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
