"""A project's home and settings, and who may open any page of a project."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from annotation.models import Project, Worker

PAGES = ["project", "project-settings", "datasets", "dataset-new", "people"]


@pytest.mark.parametrize("page", PAGES)
def test_it_sends_the_anonymous_to_sign_in(client: Any, project: Any, page: str) -> None:
    response = client.get(reverse(page, args=["wells"]))
    assert response.status_code == 302
    assert response.url.startswith(reverse("sign-in"))


@pytest.mark.parametrize("page", PAGES)
def test_it_does_not_exist_for_a_worker(client: Any, bob: Any, page: str) -> None:
    client.force_login(bob.user)
    assert client.get(reverse(page, args=["wells"])).status_code == 404


@pytest.mark.parametrize("page", PAGES)
def test_it_does_not_exist_for_the_requester_of_another_project(client: Any, alice: Any, page: str) -> None:
    Project.objects.create(slug="mills", title="Mills")
    client.force_login(alice)
    assert client.get(reverse(page, args=["mills"])).status_code == 404


@pytest.mark.parametrize("page", PAGES)
def test_it_opens_for_its_requester(client: Any, alice: Any, dataset: Any, bob: Any, page: str) -> None:
    client.force_login(alice)
    assert client.get(reverse(page, args=["wells"])).status_code == 200


def test_an_empty_project_shows_the_way_to_its_first_batch(client: Any, alice: Any) -> None:
    client.force_login(alice)
    html = client.get(reverse("project", args=["wells"])).content.decode()
    assert "First steps" in html
    assert reverse("dataset-new", args=["wells"]) in html
    assert reverse("people", args=["wells"]) in html


def test_the_way_goes_once_a_batch_is_launched(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    html = client.get(reverse("project", args=["wells"])).content.decode()
    assert "First steps" not in html
    assert batch.title in html


def test_it_warns_where_a_restart_loses_everything(client: Any, alice: Any, settings: Any) -> None:
    client.force_login(alice)
    warning = "storage is temporary"
    assert warning not in client.get(reverse("project", args=["wells"])).content.decode()
    settings.EPHEMERAL = True
    assert warning in client.get(reverse("project", args=["wells"])).content.decode()


def test_a_changed_consent_text_must_be_accepted_again(client: Any, alice: Any, bob: Any) -> None:
    client.force_login(alice)
    form = {"title": "Wells", "consent": "We keep **all** that you answer."}
    response = client.post(reverse("project-settings", args=["wells"]), form)
    assert (response.status_code, response.url) == (303, reverse("project-settings", args=["wells"]))
    project = Project.objects.get(slug="wells")
    assert (project.title, project.consent_version) == ("Wells", 2)
    assert not Worker.objects.select_related("project").get(pk=bob.pk).consented


def test_the_same_consent_text_stays_accepted(client: Any, alice: Any, bob: Any, project: Any) -> None:
    Project.objects.update(consent="One line.\nAnother.\n")
    client.force_login(alice)
    form = {"title": "New title", "consent": "One line.\r\nAnother.\r\n"}
    client.post(reverse("project-settings", args=["wells"]), form)
    project.refresh_from_db()
    assert (project.title, project.consent_version) == ("New title", 1)


def test_enter_in_a_field_saves_the_settings(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    html = client.get(reverse("project-settings", args=["wells"])).content.decode()
    form = html.partition('<form id="settings"')[2].partition("</form>")[0]
    assert "name=" not in re.findall(r"<button[^>]*>", form)[0]  # browsers press the first button


def test_a_preview_shows_the_text_without_saving_or_running_it(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    form = {"title": "", "consent": "**New** <script>alert(1)</script>", "preview": "1"}
    response = client.post(reverse("project-settings", args=["wells"]), form, headers={"HX-Request": "true"})
    html = response.content.decode()
    assert "<strong>New</strong>" in html
    assert "<script" not in html
    project.refresh_from_db()
    assert project.consent == "We keep what you answer."


def test_a_missing_title_is_named_beside_its_field(client: Any, alice: Any) -> None:
    client.force_login(alice)
    response = client.post(reverse("project-settings", args=["wells"]), {"title": "", "consent": ""})
    html = response.content.decode()
    assert response.status_code == 422
    assert 'aria-invalid="true"' in html
    assert "autofocus" in html
    assert 'id="id_title_error"' in html


@pytest.mark.parametrize("page", ["project-settings", "account"])
def test_pages_of_settings_begin_with_a_list_of_their_groups(client: Any, alice: Any, project: Any, page: str) -> None:
    client.force_login(alice)
    html = client.get(reverse(page, args=["wells"] if page == "project-settings" else [])).content.decode()
    contents = html.partition('<nav class="contents"')[2].partition("</nav>")[0]
    listed = re.findall(r'href="#(.*?)">(.*?)</a>', contents)
    assert len(listed) >= 5
    assert listed == re.findall(r'<h2 id="(.*?)">(.*?)</h2>', html)


def test_keys_tokens_and_webhooks_are_places_to_go_to(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    html = client.get(reverse("project-settings", args=["wells"])).content.decode()
    rows = re.findall(r'<li>\s*<a href="(.*?)">(.*?)</a>\s*<span class="quiet small">(.+?)</span>', html)
    assert {label for _, label, _ in rows} >= {"Webhooks", "Access keys", "Marketplaces", "API tokens", "Money"}
    assert all(client.get(address).status_code == 200 for address, _, _ in rows)


def test_settings_have_a_table_of_contents_and_lead_to_keys_tokens_and_webhooks(client: Any, alice: Any) -> None:
    client.force_login(alice)
    html = client.get(reverse("project-settings", args=["wells"])).content.decode()
    contents = html[html.index('class="contents"') : html.index('id="settings"')]
    groups = re.findall(r'href="#([\w-]+)"', contents)
    assert groups == re.findall(r'<h2 id="([\w-]+)"', html)
    places = html[html.index('class="places"') :]
    assert all(reverse(page, args=["wells"]) in places for page in ("tokens", "webhooks", "access-keys", "money"))
