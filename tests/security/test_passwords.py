"""Which passwords are taken, wherever one is set: long, uncommon and unlike the name, of any characters."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.flow.people import members
from annotation.models import User
from annotation.operations.password_links import password_path
from tests.conftest import PASSWORD

SIGN_IN = "/accounts/sign-in/"
LONG = "Ünterm Brückenbogen, 72 Kähne — " * 4 + "ende"
REFUSED = ["short one", "1234567890", "qwertyuiop", "alice.wells@lab.example"]


def join(password: str, project: Any) -> bool:
    invited = members.invite(project, role="worker", by=None)
    form = {"username": "alice.wells@lab.example", "password": password}
    return bool(Client().post(reverse("join", args=[invited.token]), form).status_code == 302)


def change(password: str, project: Any) -> bool:
    user = User.objects.create_user("alice.wells@lab.example", password=PASSWORD)
    client = Client()
    client.force_login(user)
    form = {"old_password": PASSWORD, "new_password1": password, "new_password2": password}
    return bool(client.post(reverse("password-change"), form).status_code == 303)


def by_link(password: str, project: Any) -> bool:
    user = User.objects.create_user("alice.wells@lab.example", password=PASSWORD)
    client = Client()
    address = client.get(password_path(user)).url
    return bool(client.post(address, {"new_password1": password, "new_password2": password}).status_code == 302)


def by_command(password: str, project: Any) -> bool:
    try:
        call_command("create_account", "alice.wells@lab.example", "--password", password)
    except CommandError:
        return False
    return True


WAYS = [join, change, by_link, by_command]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("password", REFUSED)
def test_short_common_and_telling_ones_are_refused(password: str, way: Any, project: Any) -> None:
    assert not way(password, project)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("password", [LONG, " eleven abc ", "correct horse battery", "日本語のとても長い合言葉です"])
def test_any_characters_are_taken_and_compared_to_the_last(password: str, way: Any, project: Any) -> None:
    assert way(password, project)
    for near in (password[:-1], password.swapcase() if password.swapcase() != password else "x", password + " "):
        typed = {"username": "alice.wells@lab.example", "password": near}
        assert Client().post(SIGN_IN, typed).status_code == 200, near
    typed = {"username": "alice.wells@lab.example", "password": password}
    assert Client().post(SIGN_IN, typed).status_code == 302


def test_fields_hide_what_is_typed_and_let_password_managers_fill_them(client: Any, alice: Any) -> None:
    html = client.get(SIGN_IN).content.decode()
    assert 'type="password" name="password" autocomplete="current-password"' in html
    client.force_login(alice)
    html = client.get(reverse("password-change")).content.decode()
    assert html.count('type="password"') == html.count('autocomplete="new-password"') + 1 == 3


@pytest.mark.django_db
def test_a_new_installation_has_no_account() -> None:
    assert not User.objects.exists()
