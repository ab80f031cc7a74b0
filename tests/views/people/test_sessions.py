"""Sessions of an account: their list, what ends them, their limits, and what the sign-in page says afterwards."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import DatabaseError, OperationalError
from django.db.models import F
from django.test import Client
from django.urls import reverse

from annotation.flow.people import sign_in, two_factor
from annotation.models import Assignment, UserSession
from annotation.operations import sessions
from annotation.pure.net.browsers import browser_name
from tests.conftest import PASSWORD
from tests.views.people.test_account import code_of, key_of, set_up

SIGN_IN, ACCOUNT = "/accounts/sign-in/", "/accounts/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"


def signed_in(name: str = "alice", agent: str = FIREFOX) -> Client:
    client = Client(headers={"User-Agent": agent})
    assert client.post(SIGN_IN, {"username": name, "password": PASSWORD}).status_code == 302
    return client


def works(client: Client) -> bool:
    return client.get(ACCOUNT).status_code == 200


def why(client: Client) -> str:
    """What the sign-in page says to whoever is led there."""
    led = client.get(ACCOUNT, follow=True)
    assert led.redirect_chain[0][0].startswith(SIGN_IN)
    return str(led.content.decode())


def later(**time: float) -> None:
    """Let time pass: all that is stored of sessions becomes older."""
    ago = timedelta(**time)
    UserSession.objects.update(created_at=F("created_at") - ago, seen_at=F("seen_at") - ago)
    Session.objects.update(expire_date=F("expire_date") - ago)


def others(client: Client) -> list[UserSession]:
    return [row for row in client.get(ACCOUNT).context["sessions"] if row.session_id != client.session.session_key]


def test_the_account_lists_where_it_is_signed_in_and_marks_this_one(alice: Any, bob: Any) -> None:
    here, there = signed_in(), signed_in(agent=CHROME)
    signed_in("bob")
    html = here.get(ACCOUNT).content.decode()
    assert [row.browser for row in here.get(ACCOUNT).context["sessions"]] == ["Chrome, Windows", "Firefox, Linux"]
    assert html.count("this one") == 1
    assert html.index("Firefox, Linux") < html.index("this one")
    for client in (here, there):
        assert str(client.session.session_key) not in html


def test_each_session_is_ended_by_its_button_and_the_others_by_one(alice: Any, bob: Any) -> None:
    here, second, third, stranger = signed_in(), signed_in(), signed_in(), signed_in("bob")
    row = UserSession.objects.get(session_id=second.session.session_key)
    assert stranger.post(reverse("session-end", args=[row.pk])).status_code == 404
    assert works(second), "it is nobody else's to end"
    assert here.post(reverse("session-end", args=[row.pk])).status_code == 303
    assert (works(here), works(second), works(third)) == (True, False, True)
    assert here.post(reverse("sessions-end")).status_code == 303
    assert (works(here), works(third), works(stranger)) == (True, False, True)
    assert not others(here)
    assert "You were signed out: the session was ended" in why(third)
    assert "You were signed out" not in third.get(SIGN_IN).content.decode(), "said once"


def test_what_a_password_change_ended_is_not_listed(alice: Any) -> None:
    here, there = signed_in(), signed_in()
    new = "another long phrase"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert here.post(reverse("password-change"), form).status_code == 303
    assert not others(here)
    assert (works(here), works(there)) == (True, False)


def test_a_second_factor_set_up_or_removed_ends_all_other_sessions(alice: Any) -> None:
    here, there = signed_in(), signed_in()
    page = here.get(reverse("second-factor")).context
    form = {"key": page["signed_key"], "code": code_of(_hex(page["key"])), "password": PASSWORD}
    assert here.post(reverse("second-factor"), form).status_code == 200
    assert (works(here), works(there)) == (True, False)
    there = Client()
    there.force_login(alice.__class__.objects.get(pk=alice.pk))
    assert works(there)
    code = two_factor.renew_backup_codes(alice)[0]
    assert here.post(reverse("second-factor-remove"), {"password": PASSWORD, "code": code}).status_code == 303
    assert (works(here), works(there)) == (True, False)


def _hex(typed: str) -> str:
    import base64

    return base64.b32decode(typed.replace(" ", "")).hex()


def test_a_second_factor_removed_by_an_administrator_ends_all_sessions(alice: Any) -> None:
    set_up(alice)
    client = Client()
    client.post(SIGN_IN, {"username": "alice", "password": PASSWORD})
    client.post(reverse("sign-in-code"), {"code": code_of(key_of(alice))})
    assert works(client)
    call_command("reset_second_factor", "alice")
    assert not works(client)


def test_an_administrator_ends_the_sessions_of_one_account_or_of_all(alice: Any, bob: Any) -> None:
    hers, his = signed_in(), signed_in("bob")
    call_command("end_sessions", "alice")
    assert (works(hers), works(his)) == (False, True)
    again = signed_in()
    call_command("end_sessions", "--all")
    assert (works(again), works(his)) == (False, False)
    for wrong in ([], ["alice", "--all"], ["nobody"]):
        with pytest.raises(CommandError):
            call_command("end_sessions", *wrong)


def test_every_page_of_somebody_signed_in_has_the_button_that_signs_out(batch: Any, alice: Any, bob: Any) -> None:
    pages = {
        "alice": ["/", "/accounts/", "/projects/wells/", "/projects/wells/people/"],
        "bob": ["/work/", "/accounts/"],
    }
    for name, addresses in pages.items():
        client = signed_in(name)
        for address in addresses:
            assert f'action="{reverse("sign-out")}"' in client.get(address, follow=True).content.decode()


def test_signing_out_ends_the_session_itself(alice: Any) -> None:
    client = signed_in()
    key = client.session.session_key
    client.post(reverse("sign-out"))
    client.cookies["sessionid"] = key
    assert not works(client)


def test_a_deactivated_account_has_no_session(alice: Any) -> None:
    client = signed_in()
    alice.__class__.objects.filter(pk=alice.pk).update(is_active=False)
    assert not works(client)


def test_a_deleted_account_leaves_no_session(project: Any, bob: Any) -> None:
    here, there = signed_in("bob"), signed_in("bob")
    assert here.post(reverse("account-delete"), {"username": "bob", "password": PASSWORD}).status_code == 303
    assert not works(there)
    assert not UserSession.objects.exists()


def test_an_unused_session_ends_after_a_day_and_a_used_one_after_two_weeks(alice: Any) -> None:
    used, unused = signed_in(), signed_in()
    later(hours=23)
    assert works(used)
    later(hours=2)
    assert "You were signed out after 1\xa0day without activity." in why(unused)
    for _day in range(14):
        assert works(used)
        later(hours=23)
    assert "You were signed out because you signed in more than 2\xa0weeks ago." in why(used)


def test_what_a_page_saves_in_the_session_prolongs_nothing(alice: Any) -> None:
    client = signed_in()
    later(minutes=4)  # too soon to be noted
    session = client.session
    session["noted"] = 1
    session.save()
    later(hours=23, minutes=57)
    assert not works(client)


def test_a_guest_who_cannot_sign_in_again_has_no_idle_limit(bob: Any) -> None:
    client = Client()
    client.force_login(bob.user)
    session = client.session
    session[sessions.GUEST] = ACCOUNT
    session.save()
    assert works(client)
    later(days=13)
    assert works(client)
    assert not UserSession.objects.exists()


def test_the_limits_are_settings(alice: Any, settings: Any) -> None:
    settings.SESSION_IDLE, settings.SESSION_COOKIE_AGE = 1800, 3600
    client = signed_in()
    for _time in range(2):
        later(minutes=28)
        assert works(client)
    later(minutes=5)
    assert "more than 1\xa0hour ago" in why(client)


@pytest.fixture
def work(batch: Any, bob: Any) -> tuple[Client, Any]:
    client = signed_in("bob")
    client.post(reverse("batch-instructions", args=[batch.pk]), {"version": "1"})
    return client, Assignment.objects.get()


def draft(client: Client, row: Any, text: str) -> Any:
    row.refresh_from_db()
    fields = {"kind": "text", "text": text, "version": str(row.draft_version), "key": "0.a"}
    return client.post(reverse("draft", args=[row.public_id]), fields)


def test_drafts_alone_keep_a_worker_signed_in(work: tuple[Client, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    client, row = work
    for hour in range(1, 40):
        later(hours=1)
        now = sessions.time.monotonic()
        monkeypatch.setattr(sessions.time, "monotonic", lambda now=now: now + sessions.RECENT + 1)
        assert draft(client, row, f"after {hour} hours").status_code == 200


def test_a_draft_after_the_limit_is_refused_and_saved_after_signing_in_again(work: tuple[Client, Any]) -> None:
    client, row = work
    assert draft(client, row, "before").status_code == 200
    later(hours=25)
    sessions.forget_users()
    assert draft(client, row, "kept by the page").status_code == 401
    assert "without activity" in client.get(SIGN_IN).content.decode()
    assert client.post(SIGN_IN, {"username": "bob", "password": PASSWORD}).status_code == 302
    assert draft(client, row, "kept by the page").status_code == 200
    row.refresh_from_db()
    assert "kept by the page" in str(row.draft)


NAMES = "__Host-sessionid", "__Host-csrftoken"


@pytest.fixture
def renamed(bob: Any, settings: Any) -> Client:
    """The browser of somebody who signed in, and opened a page with a form, before the names of cookies changed."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(bob.user)
    client.get(ACCOUNT)
    UserSession.objects.all().delete()
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME = NAMES
    return client


def test_new_names_of_cookies_sign_nobody_out(renamed: Client) -> None:
    token, before = renamed.cookies["csrftoken"].value, renamed.cookies["sessionid"].value
    form = {"display_name": "Robert", "email": "", "csrfmiddlewaretoken": token}
    for _time in range(2):  # by the old cookie, then by the new one
        assert renamed.post(ACCOUNT, form).status_code == 303
    assert [renamed.cookies[name].value for name in NAMES] == [before, token]
    assert all(renamed.cookies[name]["secure"] for name in NAMES)
    assert [renamed.cookies[name].value for name in ("sessionid", "csrftoken")] == [before, token], (
        "for other processes"
    )


def test_an_old_name_with_a_session_of_today_is_no_session(renamed: Client) -> None:
    assert works(renamed)
    planted = Client()
    planted.cookies["sessionid"] = renamed.cookies[NAMES[0]].value
    planted.cookies["csrftoken"] = "a" * 32
    assert not works(planted)
    assert NAMES[0] not in planted.cookies
    unknown = Client()
    unknown.cookies["sessionid"] = "nobody-s"
    assert not works(unknown)


def test_a_session_of_the_release_before_goes_on(alice: Any) -> None:
    client = signed_in()
    UserSession.objects.all().delete()
    assert works(client)
    assert UserSession.objects.get().session_id == client.session.session_key


def test_a_database_that_takes_no_writes_shows_the_page_all_the_same(
    alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in()
    later(hours=1)

    def refuse(error: DatabaseError) -> None:
        monkeypatch.setattr(sessions, "note_use", lambda request: (_ for _ in ()).throw(error))

    refuse(OperationalError("attempt to write a readonly database"))
    assert works(client)
    refuse(DatabaseError("a defect"))
    with pytest.raises(DatabaseError):
        client.get(ACCOUNT)


def test_sessions_are_forgotten_once_no_cookie_is_left(alice: Any) -> None:
    client = signed_in()
    later(days=14)
    assert sign_in.forget_ended() == 0
    assert "without activity" in why(client)
    later(days=2)
    assert sign_in.forget_ended() == 2  # with its user
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (CHROME, "Chrome, Windows"),
        (f"{CHROME} Edg/140.0", "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1", "Safari, iPhone"),
        ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome, Android"),
        ("curl/8.0", ""),
    ],
)
def test_browsers_by_what_they_send(agent: str, name: str) -> None:
    assert browser_name(agent) == name
