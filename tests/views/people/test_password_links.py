"""Links that set a password: nobody gets one by which they could enter an account that somebody else uses."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation import jobs
from annotation.flow.notifications import notice_inbox
from annotation.flow.people import sign_up
from annotation.models import Job, Member, Notice, Project, User
from tests.conftest import PASSWORD
from tests.views.people.test_account import code_of, key_of, set_up

NEW = "another long phrase"
SIGN_IN = "/accounts/sign-in/"


def signed_in(name: str, password: str = PASSWORD) -> Client:
    client = Client()
    assert client.post(SIGN_IN, {"username": name, "password": password}).status_code == 302
    return client


def ask(client: Client, user: User) -> Any:
    return client.post(reverse("password-link", args=["wells", user.pk]), follow=True)


def set_password(url: str) -> Any:
    client = Client()
    page = client.get(url)
    assert (page.status_code, "set-password" in page.url) == (302, True)
    return client.post(page.url, {"new_password1": NEW, "new_password2": NEW}, follow=True)


@pytest.fixture
def mail(settings: Any, mailoutbox: list[Any]) -> list[Any]:
    settings.EMAIL_URL, settings.PUBLIC_URL = "smtp://localhost", "http://testserver"
    User.objects.filter(username="bob").update(email="bob@lab.example")
    return mailoutbox


def test_a_link_for_an_account_that_nobody_has_used_is_shown(alice: Any, bob: Any) -> None:
    response = ask(signed_in("alice"), bob.user)
    url = response.context["url"]
    assert url in response.content.decode()
    assert "Your new password is set" in set_password(url).content.decode()
    signed_in("bob", NEW)
    assert Client().get(url).status_code == 410, "it works once"


def test_a_link_ends_when_its_account_is_used(alice: Any, bob: Any) -> None:
    url = ask(signed_in("alice"), bob.user).context["url"]
    signed_in("bob")
    assert Client().get(url).status_code == 410


@pytest.mark.parametrize("mailed", ["no server", "no address"])
def test_without_mail_nobody_gets_a_link_for_an_account_in_use(
    mailed: str, alice: Any, bob: Any, settings: Any
) -> None:
    settings.EMAIL_URL = "smtp://localhost" if mailed == "no address" else ""
    User.objects.filter(pk=bob.user_id).update(email="bob@lab.example" if mailed == "no server" else "")
    signed_in("bob")
    html = ask(signed_in("alice"), bob.user).content.decode()
    assert "An administrator can make one with the command password_link" in html
    assert "/accounts/reset/" not in html
    assert not Job.objects.exists()


def test_a_link_for_an_account_in_use_goes_to_its_own_address(alice: Any, bob: Any, mail: list[Any]) -> None:
    used = signed_in("bob")
    html = ask(signed_in("alice"), bob.user).content.decode()
    assert "A link is on its way" in html
    assert "bob@lab.example" not in html
    jobs.run_due_work()
    assert [message.to for message in mail] == [["bob@lab.example"]]
    assert "/accounts/reset/" not in str(list(Job.objects.values_list()))
    url = re.search(r"http://\S+", mail[0].body)[0]
    set_password(url)
    assert used.get("/accounts/").status_code == 302, "other sessions end"
    assert signed_in("bob", NEW).get("/accounts/").status_code == 200


def test_a_mail_that_cannot_be_sent_is_said(
    alice: Any, bob: Any, mail: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("django.core.mail.EmailMessage.send", refuse)
    signed_in("bob")
    ask(signed_in("alice"), bob.user)
    jobs.run_due_work()
    job = Job.objects.get()
    assert (job.state, job.error) == ("failed", "The mail could not be sent.")


def test_whose_password_was_set_by_a_link_is_told_and_cannot_turn_that_off(alice: Any, bob: Any) -> None:
    set_password(ask(signed_in("alice"), bob.user).context["url"])
    client = signed_in("bob", NEW)
    assert "A link was used to set a new password" in client.get(reverse("notices")).content.decode()
    notice = Notice.objects.get(user=bob.user)
    assert notice_inbox.count_unread(bob.user) == 1
    assert client.post(reverse("notice-open", args=[notice.pk])).url == reverse("account")
    assert notice.kind not in notice_inbox.kinds_for(bob.user)


def test_a_link_never_bypasses_the_second_factor(alice: Any, bob: Any) -> None:
    set_up(bob.user)
    set_password(ask(signed_in("alice"), bob.user).context["url"])
    client = Client()
    assert client.post(SIGN_IN, {"username": "bob", "password": NEW}).url == reverse("sign-in-code")
    assert client.get("/work/").status_code == 302
    assert client.post(reverse("sign-in-code"), {"code": code_of(key_of(bob.user))}).status_code == 302
    assert client.get("/work/").status_code == 200


def test_no_link_for_somebody_with_another_project(alice: Any, bob: Any, mail: list[Any]) -> None:
    Member.objects.create(project=Project.objects.create(slug="mills", title="Mills"), user=bob.user)
    response = ask(signed_in("alice"), bob.user)
    assert response.redirect_chain == [(reverse("people", args=["wells"]), 303)]
    assert "an administrator must reset" in response.content.decode()
    assert not Job.objects.exists()


def test_no_link_for_an_administrator(alice: Any, bob: Any) -> None:
    User.objects.filter(pk=bob.user_id).update(is_superuser=True)
    assert not sign_up.may_reset_password(alice, User.objects.get(pk=bob.user_id))


def test_no_link_for_a_stranger(alice: Any) -> None:
    assert ask(signed_in("alice"), User.objects.create_user("mallory")).status_code == 404


def test_an_administrator_makes_a_link_by_command(alice: Any, capsys: pytest.CaptureFixture[str]) -> None:
    signed_in("alice")
    call_command("password_link", "alice")
    set_password(re.search(r"/accounts/reset/\S+/", capsys.readouterr().out)[0])
    signed_in("alice", NEW)


def test_a_new_email_needs_the_password(bob: Any) -> None:
    client, form = signed_in("bob"), {"display_name": "Robert", "email": "eve@evil.example"}
    for wrong in ({}, {"password": "guess"}):
        assert client.post("/accounts/", form | wrong).status_code == 422
    assert User.objects.get(pk=bob.user_id).email == ""
    for _guess in range(5):
        refused = client.post("/accounts/", form | {"password": "guess"})
    assert (refused.status_code, "Too many attempts" in refused.content.decode()) == (429, True)
    assert client.post("/accounts/", {"display_name": "Robert", "email": ""}).status_code == 303
