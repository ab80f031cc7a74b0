"""How a study is launched: said once, in the same words and limits on page, API and command."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command, load_command_class
from django.test import Client
from django.urls import reverse

from annotation.flow.setting_values import InvalidSettings
from annotation.models import Project
from annotation.studies import folders
from annotation.studies.api import StudyLaunchInput
from annotation.studies.launch import STUDY_SETTINGS, begin
from annotation.studies.models import StudyRun
from annotation.studies.views import StudyLaunchForm
from tests.api.calling import caller
from tests.studies.test_studies import project

__all__ = ["project"]

pytestmark = pytest.mark.django_db

WRONG = [
    ("scale", 11, "Ensure this value is less than or equal to 10."),
    ("scale", 0, "Ensure this value is greater than or equal to 0.01."),
    ("seed", -1, "Ensure this value is greater than or equal to 0."),
    ("run", "two words", "Enter a valid “slug” consisting of letters, numbers, underscores or hyphens."),
]


@pytest.mark.parametrize(("name", "value", "result"), WRONG)
def test_what_is_wrong_with_a_launch_is_refused_by_all_doors(
    name: str, value: Any, result: str, project: Project, alice: Any
) -> None:
    study = "musique-full-answerability"
    client = Client()
    client.force_login(alice)
    posted = {"run": "pilot", "scale": "1", "seed": "0", "small": "on", name: str(value)}
    page = client.post(reverse("study", args=[project.slug, study]), posted)
    assert (page.status_code, page.context["form"].errors[name]) == (422, [result])
    asked = caller(alice, project.slug).post(f"studies/{study}/launch/", small=True, **{name: value})
    assert [row["field"] for row in asked.json()["errors"]] == [name]
    option = "as" if name == "run" else name
    with pytest.raises(CommandError):
        call_command("study", "launch", study, "--small", f"--{option}={value}", "--project", project.slug)
    with pytest.raises(InvalidSettings) as refused:
        begin(project, folders.read(study), {"small": True, name: value})
    assert refused.value.problems == {name: [result]}
    assert not StudyRun.objects.exists()


def test_every_door_says_the_same_of_a_launch(project: Project, alice: Any) -> None:
    page = StudyLaunchForm(project=project).fields
    taken = StudyLaunchInput().fields
    told = load_command_class("annotation.studies", "study").create_parser("manage.py", "study").format_help()
    for name, one in STUDY_SETTINGS.items():
        limits = (one.least, one.most)
        assert taken[name].help_text == f"{one.label}. {one.help}".strip()
        assert (getattr(taken[name], "min_value", None), getattr(taken[name], "max_value", None)) == limits
        assert one.label in " ".join(told.split())
        if field := page.get(name):
            assert (field.label, field.help_text) == (one.label, one.help)
            assert (getattr(field, "min_value", None), getattr(field, "max_value", None)) == limits
