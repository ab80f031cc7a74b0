"""The settings of a project: said once, known to every door, refused by all doors in the same words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.api.projects import ProjectSettingsInput, ProjectSettingsSerializer
from annotation.flow.batches import batch_launch
from annotation.flow.money import ledger
from annotation.flow.people import consent
from annotation.flow.projects import projects
from annotation.flow.projects.parsing import parse
from annotation.flow.projects.settings import SETTINGS, stored
from annotation.flow.setting_values import InvalidSettings
from annotation.forms.money import MoneyTermsForm
from annotation.forms.projects import NewProjectForm, ProjectForm
from annotation.models import AuditEntry, Project
from annotation.pure.people.consent_text import CONTACT, DEFAULT
from tests.api.calling import caller, fields_at_fault, member
from tests.flow.acting import draft
from tests.flow.setting_doors import check_form, check_input, check_options
from tests.management.conftest import Run, refused, run  # noqa: F401 - a fixture
from tests.projects import change_project

pytestmark = pytest.mark.django_db
LATER = [one for name, one in SETTINGS.items() if name != "name"]  # settings that may change
WRONG = {
    "title": "T" * 201,
    "consent": "C" * 50_001,
    "sign_up": "nobody",
    "two_factor": True,
    "wage_floor": "100000.00",
    "fees": "half",
}


def test_every_door_knows_every_setting_in_the_same_words_with_the_same_limits(alice: Any) -> None:
    shown: set[str] = set()
    for form in (ProjectForm(alice), NewProjectForm(alice), MoneyTermsForm(alice)):
        check_form(form.fields, {name: SETTINGS[name] for name in form.fields})
        shown |= form.fields.keys()
    assert shown == set(SETTINGS) == set(ProjectSettingsSerializer().fields)
    check_input(ProjectSettingsInput().fields, LATER)
    check_options("create_project", LATER)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_by_all_doors_in_the_same_words(
    name: str,
    alice: Any,
    project: Project,
    run: Run,  # noqa: F811
) -> None:
    before = stored(project)
    with pytest.raises(InvalidSettings) as found:
        parse({name: WRONG[name]}, user=alice, project=project)
    [problem] = found.value.problems[name]
    assert fields_at_fault(caller(alice).patch("settings/", **{name: WRONG[name]})) == {name}
    client = Client()
    client.force_login(alice)
    if name in ProjectForm.shown:
        page = client.post(reverse("project-settings", args=["wells"]), {"title": "Wells", name: WRONG[name]})
        assert (page.status_code, list(page.context["form"].errors)) == (422, [name])
        if name == "two_factor":
            assert page.context["form"].errors[name] == [problem]
    else:
        client.post(reverse("money-floor", args=["wells"]), {name: WRONG[name]})
    options = {"two_factor": ["--two-factor"], "consent": []}.get(name, [f"--{name.replace('_', '-')}", WRONG[name]])
    if options:
        assert run("create_project", "mills", "--owner", "alice", *options).code in (1, 2)
    assert stored(Project.objects.get()) == before


def test_the_api_shows_and_changes_settings_and_leaves_the_others(alice: Any, project: Project) -> None:
    api = caller(alice)
    was = api.get("settings/").json()
    assert (was["name"], was["wage_floor"], was["fees"], was["sign_up"]) == ("wells", None, "house", "invite")
    now = api.patch("settings/", wage_floor="15.00", consent="One.\r\nTwo.\n").json()
    assert now == was | {"wage_floor": "15.00", "consent": "One.\nTwo.\n"}
    project.refresh_from_db()
    assert (project.wage_floor, project.consent_version) == (Decimal(15), 2)
    assert AuditEntry.objects.latest("pk").details == {"wage_floor": "15.00", "consent_changed": True}
    assert api.patch("settings/", consent="", wage_floor="0").json()["wage_floor"] == "0.00"
    assert AuditEntry.objects.latest("pk").details == {"wage_floor": "0.00", "consent_changed": True}
    assert api.patch("settings/", wage_floor=None).json()["consent"] == ""
    assert AuditEntry.objects.latest("pk").details == {"wage_floor": None}
    assert fields_at_fault(api.patch("settings/", name="mills")) == {"name"}
    rita = member(project, "rita", "reviewer")
    assert rita.get("settings/").status_code == rita.patch("settings/", title="Mine").status_code == 403


def test_the_money_page_sets_floor_and_fees_and_a_command_sets_them_too(
    alice: Any,
    project: Project,
    run: Run,  # noqa: F811
) -> None:
    client = Client()
    client.force_login(alice)
    client.post(reverse("money-floor", args=["wells"]), {"wage_floor": "14.50", "fees": "mturk"})
    project.refresh_from_db()
    assert (project.wage_floor, project.fees, project.consent_version) == (Decimal("14.50"), "mturk", 1)
    assert AuditEntry.objects.latest("pk").details == {"wage_floor": "14.50", "fees": "mturk"}
    assert run("call", "changeProjectSettings", "wage_floor=15.00", "--project", "wells").code == 0
    assert run("call", "changeProjectSettings", "wage_floor=much", "--project", "wells").code == 2
    project.refresh_from_db()
    assert (project.wage_floor, project.fees) == (Decimal(15), "mturk")


def test_fees_stay_while_money_is_set_aside_with_them(dataset: Any, project: Project, alice: Any) -> None:
    ledger.deposit(project, Decimal(5), key="budget")
    ledger.hold(draft(project, "paid", dataset), Decimal(1), key="held")
    assert fields_at_fault(caller(alice).patch("settings/", fees="mturk")) == {"fees"}
    client = Client()
    client.force_login(alice)
    page = client.post(reverse("money-floor", args=["wells"]), {"wage_floor": "15", "fees": "mturk"}, follow=True)
    assert "Money is set aside for batches" in page.content.decode()
    assert change_project(project, wage_floor="15") is False
    project.refresh_from_db()
    assert (project.wage_floor, project.fees) == (Decimal(15), "house")


def test_fees_stay_if_money_is_set_aside_while_they_change(dataset: Any, project: Project) -> None:
    ledger.deposit(project, Decimal(5), key="budget")
    asked = parse({"fees": "mturk"}, user=None, project=project)
    ledger.hold(draft(project, "paid", dataset), Decimal(1), key="held")
    with pytest.raises(InvalidSettings, match="fees: Money is set aside for batches with the present fees"):
        projects.change_project(project, asked)
    assert Project.objects.get().fees == "house"


def test_a_launch_sets_aside_money_with_fees_that_changed_meanwhile(dataset: Any, project: Project) -> None:
    ledger.deposit(project, Decimal(100), key="budget")
    batch = draft(project, "paid", dataset, reward=Decimal(1), auto_approval=7 * 86_400, assignments_per_hit=1)
    change_project(Project.objects.get(), fees="mturk")
    batch_launch.launch(batch)
    assert ledger.held_in_all(project) == batch.size * Decimal("1.20")


def test_a_new_project_has_the_default_text_and_what_the_command_says(
    alice: Any,
    run: Run,  # noqa: F811
    tmp_path: Any,
) -> None:
    assert run("create_project", "mills", "--owner", "alice", "--sign-up", "open", "--wage-floor", "15").code == 0
    made = Project.objects.get(slug="mills")
    assert (made.title, made.consent, made.sign_up, made.wage_floor) == ("mills", DEFAULT, "open", Decimal(15))
    file = tmp_path / "consent.md"
    file.write_text("We keep *all*.\n")
    assert run("create_project", "towers", "--owner", "alice", "--consent", file).code == 0
    assert Project.objects.get(slug="towers").consent == "We keep *all*.\n"
    refused(run("create_project", "peaks", "--owner", "alice", "--two-factor"), "Set up your own second factor first")
    file.write_bytes(b"\xff\xfe")
    assert run("create_project", "peaks", "--owner", "alice", "--consent", file).code == 2


def test_a_page_that_was_sent_without_a_choice_keeps_the_stored_one(alice: Any, project: Project) -> None:
    change_project(project, sign_up="open", fees="mturk")
    client = Client()
    client.force_login(alice)
    client.post(reverse("project-settings", args=["wells"]), {"title": "Wells", "consent": project.consent})
    client.post(reverse("money-floor", args=["wells"]), {"wage_floor": "15"})
    project.refresh_from_db()
    assert (project.sign_up, project.fees, project.wage_floor) == ("open", "mturk", Decimal(15))


def test_two_owners_who_change_different_settings_at_once_keep_both(project: Project) -> None:
    other = Project.objects.get()
    change_project(other, consent="Another text.")
    change_project(project, wage_floor="15")
    assert (Project.objects.get().consent, Project.objects.get().wage_floor) == ("Another text.", Decimal(15))


def test_a_name_is_never_changed(project: Project) -> None:
    with pytest.raises(InvalidSettings, match="name: This cannot be changed"):
        change_project(project, name="mills")


def test_a_consent_text_that_is_filled_in_has_the_limits_of_the_setting(project: Project) -> None:
    change_project(project, consent="x" * (50_000 - len(CONTACT)) + CONTACT)
    with pytest.raises(InvalidSettings, match="consent: Ensure this value has at most"):
        consent.fill_in(project, contact="a" * (len(CONTACT) + 1), ethics="")
    project.refresh_from_db()
    assert project.consent.endswith(CONTACT)
