"""`manage.py create_access_key`: who gets a key to what, and what is printed."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.test import Client

from annotation.flow.money import ledger
from annotation.models import AccessKey, Member, Project, User
from tests.management.conftest import Run
from tests.mturk_api.boto_clients import mturk

pytestmark = pytest.mark.django_db
ANA = "ana.brook@lab.example"


def balance(slug: str) -> Decimal:
    return ledger.balance(Project.objects.get(slug=slug), ledger.AVAILABLE)


def test_a_new_requester_has_a_key_a_project_and_money_at_once(run: Run) -> None:
    ended = run("create_access_key", ANA, "--create", "--json")
    assert (ended.code, ended.err) == (0, "")
    key = AccessKey.objects.get(key_id=ended.document["access_key_id"])
    assert key.secret == ended.document["secret_access_key"]
    assert key.project.sign_up == "house"
    assert not key.user.has_usable_password()
    assert (key.user.email, key.project.slug) == (ANA, "ana-brook-at-lab-example")
    assert mturk(key).get_account_balance()["AvailableBalance"] == "10000.00"


def test_a_second_key_is_for_the_same_project_and_brings_no_money(run: Run) -> None:
    for _time in range(2):
        assert run("create_access_key", ANA, "--create", "--json").code == 0
    assert AccessKey.objects.count() == 2
    assert balance("ana-brook-at-lab-example") == 10_000
    assert run("create_access_key", ANA.upper(), "--balance", "5.50", "--json").code == 0
    assert balance("ana-brook-at-lab-example") == Decimal("10005.50")
    assert User.objects.count() == 1


def test_a_person_gets_a_link_to_set_the_password(run: Run) -> None:
    ended = run("create_access_key", ANA, "--create", "--balance", "0")
    link = re.search(r"http://[^/]+(/accounts/reset/\S+)", ended.out)
    assert link, ended.out
    assert Client().get(link[1], follow=True).status_code == 200
    assert balance("ana-brook-at-lab-example") == 0


def test_a_key_to_a_project_that_is_there(run: Run, project: Project, alice: User) -> None:
    ended = run("create_access_key", "alice", "--json")
    assert ended.document["project"] == "wells"
    assert balance("wells") == 0
    refused = run("create_access_key", ANA, "--project", "wells", "--json")
    assert (refused.code, "--create" in refused.document["refused"]) == (1, True)
    assert run("create_access_key", ANA, "--create", "--project", "wells", "--json").code == 0
    assert Member.objects.filter(project=project, user__username=ANA).exists()
    assert balance("wells") == 0


def test_what_is_missing_is_made_only_when_asked(run: Run, alice: User, bob: object) -> None:
    assert run("create_access_key", ANA).code == 1
    assert run("create_access_key", "no name", "--create").code == 1
    assert "is not a requester of any project" in run("create_access_key", "bob").err
    assert run("create_access_key", "alice", "--project", "springs").code == 1
    assert "is not a requester of the project wells" in run("create_access_key", "bob", "--project", "wells").err
    assert not Member.objects.filter(user__username="bob").exists()
    Member.objects.create(project=Project.objects.create(slug="springs", title="Springs"), user=alice)
    assert "springs, wells" in run("create_access_key", "alice").err
    assert not AccessKey.objects.exists()


@pytest.mark.parametrize("amount", ["-1", "much", "1.005", "NaN", "1e12"])
def test_an_amount_is_dollars_and_cents(run: Run, amount: str) -> None:
    assert run("create_access_key", ANA, "--create", f"--balance={amount}").code == 2
    assert not User.objects.exists()
