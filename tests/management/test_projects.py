"""`manage.py create_project`: a project, its owner, and what is wrong with a wish for one."""

from __future__ import annotations

import pytest

from annotation.models import Project, User
from tests.management.conftest import Run, refused

pytestmark = pytest.mark.django_db


def test_a_project_is_made_and_belongs_to_its_owner(run: Run) -> None:
    User.objects.create_user("mara", email="mara@lab.example")
    ended = run("create_project", "wells", "--title", "Wells and towers", "--owner", "mara@lab.example", "--json")
    assert ended.document == {"project": "wells", "title": "Wells and towers", "owner": "mara"}
    project = Project.objects.get()
    assert [(member.user.username, member.role) for member in project.members.all()] == [("mara", "owner")]
    assert project.consent
    assert run("create_project", "mills", "--owner", "mara").code == 0
    assert Project.objects.get(slug="mills").title == "mills"


def test_what_cannot_be_a_project_is_refused_with_the_reason(run: Run) -> None:
    refused(run("create_project", "wells", "--owner", "mara"), "no account mara", "manage.py create_account mara")
    User.objects.create_user("mara")
    assert run("create_project", "wells", "--owner", "mara").code == 0
    refused(run("create_project", "wells", "--owner", "mara", "--json"), "The name wells is taken")
    refused(run("create_project", "new", "--owner", "mara"), "Choose another name")
    for wrong in (["two words", "--owner", "mara"], ["mills"], ["m" * 51, "--owner", "mara"]):
        assert run("create_project", *wrong).code == 2
    assert [project.slug for project in Project.objects.all()] == ["wells"]
