"""Guessing a password is slow, and nobody is locked out by it for longer than a minute."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from annotation.flow.people import sign_in
from annotation.models import SignInTry
from tests.conftest import PASSWORD

ROOT = Path(__file__).resolve().parents[2]
SIGN_IN = "/accounts/sign-in/"


def guess(password: str = "a wrong guess", *, name: str = "alice", **where: Any) -> Any:
    return Client().post(SIGN_IN, {"username": name, "password": password}, **where)


def later(seconds: float) -> None:
    SignInTry.objects.update(at=F("at") - timedelta(seconds=seconds))


def test_a_stranger_chooses_the_language_where_they_sign_in(client: Client) -> None:
    assert ">Deutsch</button>" in client.get(f"{SIGN_IN}?next=/work/").content.decode()
    chosen = client.post(
        "/accounts/language/",
        {"language": "de", "next": f"{SIGN_IN}?next=/work/"},
        headers={"Referer": f"http://testserver{SIGN_IN}?next=/work/"},
    )
    assert chosen["Location"] == f"{SIGN_IN}?next=/work/"
    assert "Anmelden" in client.get(SIGN_IN).content.decode()


def test_the_sixth_failed_try_in_a_minute_is_told_to_wait(alice: Any) -> None:
    assert [guess().status_code for _ in range(5)] == [200] * 5
    refused = guess()
    assert refused.status_code == 429
    assert 50 <= int(refused["Retry-After"]) <= 60
    assert f"Try again in {refused['Retry-After']} seconds" in refused.content.decode()


def test_the_right_password_waits_too_so_that_guesses_learn_nothing(alice: Any) -> None:
    for _ in range(5):
        guess()
    assert guess(PASSWORD).status_code == 429


def test_after_a_minute_the_right_password_lets_in(alice: Any) -> None:
    for _ in range(5):
        guess()
    later(61)
    response = guess(PASSWORD)
    assert response.status_code == 302
    assert response.url == reverse("home")


def test_trying_on_while_refused_does_not_prolong_the_wait(alice: Any) -> None:
    for _ in range(5):
        guess()
    later(40)
    waits = [int(guess()["Retry-After"]) for _ in range(20)]
    assert max(waits) <= 20
    later(20)
    assert guess(PASSWORD).status_code == 302


def test_four_mistakes_and_the_right_password_leave_nothing_behind(alice: Any) -> None:
    for _ in range(10):
        assert [guess().status_code for _ in range(4)] == [200] * 4
        assert guess(PASSWORD).status_code == 302
    assert not SignInTry.objects.exists()


def test_an_honest_person_elsewhere_is_not_limited(alice: Any, bob: Any) -> None:
    for _ in range(20):
        guess(REMOTE_ADDR="203.0.113.9")
    assert guess(PASSWORD, REMOTE_ADDR="198.51.100.7").status_code == 302
    assert guess(PASSWORD, name="bob", REMOTE_ADDR="203.0.113.9").status_code == 302


@pytest.mark.parametrize("name", ["ALICE", " alice ", "ａｌｉｃｅ"])
def test_another_spelling_is_the_same_name(alice: Any, name: str) -> None:
    for _ in range(5):
        guess()
    assert guess(name=name).status_code == 429


def test_a_name_that_nobody_has_is_limited_alike(alice: Any) -> None:
    known = [guess().status_code for _ in range(7)]
    assert [guess(name="nobody").status_code for _ in range(7)] == known


def test_one_household_has_one_ipv6_address(alice: Any) -> None:
    for k in range(5):
        guess(REMOTE_ADDR=f"2001:db8:1:2::{k}")
    assert guess(REMOTE_ADDR="2001:db8:1:2:aaaa::1").status_code == 429
    assert guess(REMOTE_ADDR="2001:db8:1:3::1").status_code == 200


def test_an_address_is_believed_only_from_the_proxy(alice: Any, settings: Any) -> None:
    for k in range(5):
        guess(HTTP_X_FORWARDED_FOR=f"203.0.113.{k}")
    assert guess(HTTP_X_FORWARDED_FOR="203.0.113.77").status_code == 429
    settings.HTTPS = True
    for k in range(5):
        guess(HTTP_X_FORWARDED_FOR=f"203.0.113.{k}, 198.51.100.7")
    assert guess(HTTP_X_FORWARDED_FOR="203.0.113.77, 198.51.100.7").status_code == 429
    assert guess(HTTP_X_FORWARDED_FOR="198.51.100.7, 203.0.113.77").status_code == 200


def test_one_password_tried_on_many_names_is_told_to_wait(alice: Any) -> None:
    tried = [guess(name=f"name-{k}").status_code for k in range(30)]
    assert tried == [200] * 20 + [429] * 10
    assert guess(PASSWORD).status_code == 429
    assert guess(PASSWORD, REMOTE_ADDR="198.51.100.7").status_code == 302
    later(61)
    assert guess(PASSWORD).status_code == 302


def test_who_signed_in_from_a_browser_before_is_not_slowed_by_others_at_the_address(alice: Any, bob: Any) -> None:
    browser = Client()
    assert browser.post(SIGN_IN, {"username": "alice", "password": PASSWORD}).status_code == 302
    browser.post(reverse("sign-out"))
    for k in range(30):
        guess(name=f"name-{k}")
    assert browser.post(SIGN_IN, {"username": "bob", "password": PASSWORD}).status_code == 429
    assert browser.post(SIGN_IN, {"username": "alice", "password": PASSWORD}).status_code == 302


def test_thirty_people_who_know_their_passwords_sign_in_from_one_address(alice: Any) -> None:
    assert [guess(PASSWORD).status_code for _ in range(30)] == [302] * 30


def test_neither_names_nor_addresses_are_kept(alice: Any) -> None:
    guess(name="my secret pass phrase", REMOTE_ADDR="203.0.113.9")
    kept = str(list(SignInTry.objects.values_list()))
    assert "secret" not in kept
    assert "203.0.113" not in kept


def test_tries_of_an_hour_ago_are_gone(alice: Any) -> None:
    guess()
    later(3600)
    guess(name="somebody else")
    assert SignInTry.objects.count() == 1


def test_a_clock_that_is_set_back_locks_nobody_out(alice: Any) -> None:
    for _ in range(5):
        guess()
    later(-3600)  # what was stored before is an hour ahead now
    assert guess(PASSWORD).status_code == 302


def test_a_clock_that_is_set_back_by_seconds_keeps_the_count(alice: Any) -> None:
    for _ in range(5):
        guess()
    later(-20)
    assert guess(PASSWORD).status_code == 429


@pytest.mark.django_db
def test_an_address_that_is_none_is_no_defect() -> None:
    for address in ("", "unix:", "::1%eth0", "not an address", "\0"):
        assert sign_in.wait_of("bob", address=address) == 0


def test_a_session_gets_a_new_id_at_sign_in_and_its_cookie_is_kept_from_scripts(alice: Any, settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = True  # as behind TLS
    client = Client()
    client.session.save()  # what somebody planted
    planted = client.session
    planted["planted"] = True
    planted.save()
    client.cookies["sessionid"] = planted.session_key
    assert client.post(SIGN_IN, {"username": "alice", "password": PASSWORD}).status_code == 302
    cookie = client.cookies["sessionid"]
    assert cookie.value != planted.session_key
    assert not planted.exists(planted.session_key)
    assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, True, "Lax")


ASK = """
import django; django.setup()
from annotation.flow.people.sign_in import wait_of
print(sum(wait_of("alice", address="203.0.113.9") == 0 for _ in range(10)))
"""


@pytest.mark.soak
def test_processes_count_together(tmp_path: Path, migrated: Path) -> None:
    database = f"sqlite:///{copyfile(migrated, tmp_path / 'hopscribe.sqlite3')}"
    ours = {"HOPSCRIBE_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "annotation.settings", "DATABASE_URL": database}
    environment = os.environ | ours

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    with ThreadPoolExecutor(3) as pool:
        passed = [int(result) for result in pool.map(lambda _: run("-c", ASK), range(3))]
    assert sum(passed) == 5
