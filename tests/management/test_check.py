"""`manage.py check` and the checks before `migrate`."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db


def test_a_preview_that_was_not_migrated_to_its_end_is_refused_with_the_way_out() -> None:
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    recorder.flush()
    call_command("check", databases=["default"], verbosity=0)  # nothing applied: a fresh database
    recorder.record_applied("annotation", "0001_initial")
    with pytest.raises(SystemCheckError, match=r"older preview(.|\n)*v0\.1\.0-preview"):
        call_command("check", databases=["default"], verbosity=0)
    recorder.record_applied("annotation", "0047_mturk_api_app")
    call_command("check", databases=["default"], verbosity=0)
