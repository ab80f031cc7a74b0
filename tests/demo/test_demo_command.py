"""What the demo says once it is ready: where each begins, and who can sign in."""

from __future__ import annotations

from io import StringIO

import pytest

from annotation.demo import project_setup
from annotation.demo.management.commands import demo

pytestmark = pytest.mark.app("demo")


def test_a_requester_begins_on_the_finished_study_and_reads_user_and_password_as_such() -> None:
    known = [{"username": name, "password": f"of-{name}", "role": role} for name, role in project_setup.ROLES.items()]
    said = StringIO()
    notes = {"accounts": known, "addresses": demo.addresses("http://localhost:8000", "vennory")}
    demo.Command(stdout=said)._say(notes, "")
    lines = [line.split() for line in said.getvalue().splitlines()]
    study = "http://localhost:8000/projects/vennory/batches/vennory-first-study/"  # closed: tests/process/test_demo.py
    assert ["requester", study] in lines
    at = lines.index(["Sign", "in"])
    assert lines[at + 1 : at + 4] == [
        ["requester", "user", "requester", "password", "of-requester"],
        ["annotator", "user", "annotator", "password", "of-annotator"],
        [],
    ]
