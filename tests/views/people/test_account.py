"""A person's own account: signing in with two factors, the password, and leaving without taking the science along."""

from __future__ import annotations

import base64
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import totp

from annotation import discovery
from annotation.flow.data import response_files
from annotation.flow.errors import Refused
from annotation.flow.notifications import worker_messages
from annotation.flow.people import members, two_factor, worker_erasure
from annotation.flow.projects import api_tokens
from annotation.models import AccessKey, ApiToken, Assignment, Member, Project, SecondFactor, User, Worker
from tests.conftest import PASSWORD
from tests.views.console import answer, take

SIGN_IN, CODE, SET_UP, ACCOUNT = (
    "/accounts/sign-in/",
    "/accounts/sign-in/code/",
    "/accounts/second-factor/",
    "/accounts/",
)


def code_of(key: str, *, after: int = 0) -> str:
    """What an authenticator shows; `after` so many steps of 30 s."""
    return f"{totp(bytes.fromhex(key), t0=-30 * after):06}"


def set_up(user: Any) -> list[str]:
    """A second factor as it was some time ago; its backup codes."""
    key = two_factor.proposed_key()
    codes = two_factor.confirm(user, key, code_of(key))
    SecondFactor.objects.update(last_step=F("last_step") - 10)
    return codes


def key_of(user: Any) -> str:
    return str(SecondFactor.objects.get(user=user).secret)


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def half_way(user: Any, **more: Any) -> Client:
    """The password was right."""
    client = Client()
    response = client.post(SIGN_IN, {"username": user.username, "password": PASSWORD, **more})
    assert (response.status_code, response.url) == (302, CODE)
    return client


def body(response: Any) -> str:
    return str(response.content.decode())


def test_setting_up_shows_a_key_that_is_kept_only_once_a_code_proves_it(alice: Any) -> None:
    client = signed_in(alice)
    page = body(client.get(SET_UP))
    assert 'src="data:image/svg+xml' in page
    signed, key = (
        re.search(r'name="key" value="([^"]+)"', page),
        re.search(r'<code class="long">([A-Z2-7 ]+)</code>', page),
    )
    assert not SecondFactor.objects.exists()
    secret = base64.b32decode(key[1].replace(" ", "")).hex()
    wrong = client.post(SET_UP, {"key": signed[1], "code": "000000", "password": PASSWORD})
    assert (wrong.status_code, SecondFactor.objects.count()) == (422, 0)
    assert key[1] in body(wrong)  # still the key that was scanned
    assert client.post(SET_UP, {"key": signed[1], "code": code_of(secret), "password": "guess"}).status_code == 422
    done = client.post(
        SET_UP, {"key": signed[1], "code": code_of(secret), "password": PASSWORD, "next": "//evil.example"}
    )
    codes = re.findall(r"<li><code>([a-z0-9-]+)</code>", body(done))
    assert (done.status_code, len(set(codes)), done["Cache-Control"].count("no-store")) == (200, 10, 1)
    assert "evil" not in body(done)
    assert not [code for code in codes if code in body(client.get(SET_UP))]
    assert "10 backup codes are left" in body(client.get(SET_UP))
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM annotation_secondfactor")
        assert secret not in cursor.fetchone()[0]
    stolen = signed_in(User.objects.create_user("eve", password=PASSWORD))
    stolen.post(SET_UP, {"key": signed[1], "code": code_of(secret), "password": PASSWORD})
    assert SecondFactor.objects.count() == 1


def test_signing_in_asks_for_the_code_and_takes_each_once(alice: Any) -> None:
    codes = set_up(alice)
    client = half_way(alice, next="/projects/wells/people/")
    assert client.get("/projects/wells/").status_code == 302  # half-way is not in
    before = client.session.session_key
    shown = code_of(key_of(alice))
    wrong = client.post(CODE, {"code": "123456" if shown != "123456" else "654321"})
    assert wrong.status_code == 422
    assert re.search(r'<input[^>]*name="code"[^>]*autofocus', body(wrong))
    let_in = client.post(CODE, {"code": f" {shown[:3]} {shown[3:]} "})
    assert (let_in.status_code, let_in.url) == (302, "/projects/wells/people/")
    assert client.session.session_key != before
    assert client.get("/projects/wells/").status_code == 200
    again = half_way(alice)
    assert again.post(CODE, {"code": shown}).status_code == 422
    assert again.post(CODE, {"code": codes[0].upper()}).status_code == 302
    third = half_way(alice)
    assert third.post(CODE, {"code": codes[0]}).status_code == 422
    assert third.post(CODE, {"code": code_of(key_of(alice), after=1)}).status_code == 302


def test_guessing_codes_is_slow_from_anywhere_and_the_right_one_waits_too(alice: Any) -> None:
    set_up(alice)
    for k in range(5):
        assert half_way(alice).post(CODE, {"code": f"00000{k}"}, REMOTE_ADDR=f"203.0.113.{k}").status_code == 422
    refused = half_way(alice).post(CODE, {"code": code_of(key_of(alice))}, REMOTE_ADDR="198.51.100.7")
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert "Too many attempts" in body(refused)


def test_after_many_wrong_codes_only_the_list_lets_in_for_a_while(alice: Any) -> None:
    codes = set_up(alice)
    for _try in range(two_factor.FREE_TRIES):
        assert not two_factor.verify_code(alice, "no code")
    assert not two_factor.verify_code(alice, code_of(key_of(alice)))
    assert "backup code" in two_factor.refusal_reason(alice)
    assert SecondFactor.objects.get(user=alice).failed == two_factor.FREE_TRIES, "what comes meanwhile prolongs nothing"
    assert two_factor.verify_code(alice, codes[0])
    assert (SecondFactor.objects.get(user=alice).failed, two_factor.verify_code(alice, code_of(key_of(alice)))) == (
        0,
        True,
    )


def test_a_clock_that_is_set_back_prolongs_no_rest(alice: Any) -> None:
    set_up(alice)
    for _try in range(two_factor.FREE_TRIES):
        two_factor.verify_code(alice, "no code")
    SecondFactor.objects.update(rests_until=F("rests_until") + timedelta(hours=1))
    assert two_factor.verify_code(alice, code_of(key_of(alice)))


def test_half_way_ends_after_ten_minutes_and_with_a_new_password(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = set_up(alice)
    changed, late = half_way(alice), half_way(alice)
    then = timezone.now() + timedelta(seconds=601)
    monkeypatch.setattr(timezone, "now", lambda: then)
    assert late.post(CODE, {"code": codes[0]}).url == SIGN_IN
    monkeypatch.undo()
    alice.set_password("another long phrase")
    alice.save()
    assert changed.post(CODE, {"code": codes[0]}).url == SIGN_IN
    assert Client().get(CODE).url == SIGN_IN


def test_removal_and_new_codes_need_password_and_code(alice: Any) -> None:
    codes, client = set_up(alice), signed_in(alice)
    for form in ({"password": PASSWORD, "code": "000000"}, {"password": "guess", "code": codes[0]}):
        assert client.post(f"{SET_UP}remove/", form).status_code == 422
    fresh = client.post(f"{SET_UP}codes/", {"password": PASSWORD, "code": codes[0]})
    new = re.findall(r"<li><code>([a-z0-9-]+)</code>", body(fresh))
    assert len(new) == 10
    assert client.post(f"{SET_UP}remove/", {"password": PASSWORD, "code": codes[1]}).status_code == 422  # replaced
    assert client.post(f"{SET_UP}remove/", {"password": PASSWORD, "code": new[0]}).status_code == 303
    assert not SecondFactor.objects.exists()


def test_a_project_may_ask_it_of_its_members_and_not_of_annotators(
    project: Any, alice: Any, bob: Any, batch: Any
) -> None:
    wish, client = {"title": "Wells", "consent": "", "two_factor": "on"}, signed_in(alice)
    refused = client.post("/projects/wells/settings/", wish)
    assert (refused.status_code, "your own second factor first" in body(refused)) == (422, True)
    set_up(alice)
    client = signed_in(alice)
    assert client.post("/projects/wells/settings/", wish).status_code == 303
    assert client.get("/projects/wells/people/").status_code == 200
    assert client.get("/api/v1/projects/wells/").status_code == 200
    assert signed_in(bob.user).get("/work/").status_code == 200
    assert take(bob, batch) is not None


@pytest.mark.parametrize("role", ["owner", "requester", "reviewer"])
def test_without_it_every_page_of_the_project_leads_to_its_set_up_and_back(
    role: str, project: Any, alice: Any, bob: Any
) -> None:
    Project.objects.filter(pk=project.pk).update(two_factor=True)
    Member.objects.create(project=project, user=bob.user, role=role)
    _token, secret = api_tokens.make(bob.user, project=project)
    client, page = signed_in(bob.user), "/projects/wells/datasets/"
    sent = client.get(page)
    assert (sent.status_code, sent.url) == (302, f"{SET_UP}?next=%2Fprojects%2Fwells%2Fdatasets%2F")
    for caller, more in ((client, {}), (Client(), {"headers": {"Authorization": f"Bearer {secret}"}})):
        refused = caller.get("/api/v1/projects/wells/", **more)
        assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")
        assert "two-factor" in refused.json()["detail"]
    shown = body(client.get(sent.url))
    assert "“Wells and towers” requires a second factor" in shown
    key = base64.b32decode(re.search(r'<code class="long">([A-Z2-7 ]+)</code>', shown)[1].replace(" ", "")).hex()
    signed = re.search(r'name="key" value="([^"]+)"', shown)[1]
    form = {"key": signed, "code": code_of(key), "password": PASSWORD, "next": page}
    assert f'href="{page}"' in body(client.post(SET_UP, form))
    assert client.get(page).status_code == 200
    lost = half_way(bob.user)  # without the phone
    assert lost.post(CODE, {"code": two_factor.renew_backup_codes(bob.user)[0]}).status_code == 302
    assert lost.get(page).status_code == 200


def test_whoever_lost_both_is_let_in_by_an_administrator(alice: Any) -> None:
    set_up(alice)
    User.objects.filter(pk=alice.pk).update(email="alice@lab.example")
    call_command("reset_second_factor", "Alice@lab.example")
    assert Client().post(SIGN_IN, {"username": "alice", "password": PASSWORD}).url == "/"
    with pytest.raises((CommandError, SystemExit)):
        call_command("reset_second_factor", "alice")


def test_codes_outlive_a_new_secret_key_that_knows_the_old_one(alice: Any, settings: Any) -> None:
    codes = set_up(alice)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 60, [settings.SECRET_KEY]
    assert two_factor.verify_code(alice, codes[0])
    assert two_factor.verify_code(alice, code_of(key_of(alice)))
    settings.SECRET_KEY_FALLBACKS = []
    assert not two_factor.verify_code(alice, codes[1])  # and no defect


def test_a_new_password_signs_out_everywhere_else(alice: Any) -> None:
    here, elsewhere = signed_in(alice), signed_in(alice)
    form = {"old_password": "guess", "new_password1": "another long phrase", "new_password2": "another long phrase"}
    assert here.post("/accounts/password/", form).status_code == 422
    assert here.post("/accounts/password/", form | {"old_password": PASSWORD}).status_code == 303
    assert here.get(ACCOUNT).status_code == 200
    assert elsewhere.get(ACCOUNT).status_code == 302


def test_a_person_changes_name_and_email(bob: Any) -> None:
    client = signed_in(bob.user)
    form = {"display_name": "Robert", "email": "bob@lab.example", "password": PASSWORD}
    assert client.post(ACCOUNT, form | {"email": "nonsense"}).status_code == 422
    assert client.post(ACCOUNT, form).status_code == 303
    bob.user.refresh_from_db()
    assert (bob.user.display_name, bob.user.email) == ("Robert", "bob@lab.example")


def exported(batch: Any) -> bytes:
    return b"".join(response_files.stream_responses(batch, "jsonl"))


def everything_stored() -> str:
    """Every value of every table of ours."""
    return str([list(model._base_manager.values_list()) for model in discovery.models()])


def test_who_leaves_is_forgotten_and_the_science_stays(project: Any, batch: Any, bob: Any, carol: Any) -> None:
    User.objects.filter(pk=bob.user_id).update(
        email="bob@canary.example", display_name="Canary Bob", username="canary-bob"
    )
    bob.user.refresh_from_db()
    Worker.objects.filter(pk=bob.pk).update(country="DE")
    answer(bob, batch)
    answer(carol, batch)
    held = take(bob, batch)
    worker_messages.ask(bob, "canary", "I live in Canary street.")
    pseudonym, before = bob.pseudonym, exported(batch)
    client = signed_in(bob.user)
    page = client.get("/accounts/delete/")
    assert "canary-bob" in body(page)
    for form in ({"username": "bob", "password": PASSWORD}, {"username": "canary-bob", "password": "guess"}):
        assert client.post("/accounts/delete/", form).status_code == 422
    assert client.post("/accounts/delete/", {"username": "canary-bob", "password": PASSWORD}).status_code == 303
    assert exported(batch) == before
    bob = Worker.objects.select_related("project").get(pk=bob.pk)
    assert (bob.pseudonym, bob.user, bob.country, bob.active) == (pseudonym, None, "", False)
    assert pseudonym in before.decode()
    assert not re.search("canary", everything_stored(), re.I)
    assert Assignment.objects.get(pk=held.pk).state == "returned"
    assert client.get(ACCOUNT).status_code == 302
    assert Client().post(SIGN_IN, {"username": "canary-bob", "password": PASSWORD}).status_code == 200


def test_the_last_owner_stays_until_somebody_else_is_one(project: Any, alice: Any, bob: Any) -> None:
    client, form = signed_in(alice), {"username": "alice", "password": PASSWORD}
    refused = client.post("/accounts/delete/", form)
    assert refused.status_code == 422
    assert "Wells and towers" in body(refused)
    Member.objects.create(project=project, user=bob.user, role="owner")
    AccessKey.objects.create(project=project, user=alice, key_id="K", secret="s")
    reviewer = project.reviewer_pseudonym(alice.pk)
    assert client.post("/accounts/delete/", form).status_code == 303
    gone = User.objects.get(pk=alice.pk)
    assert (str(gone), gone.is_active, project.reviewer_pseudonym(gone.pk)) == ("deleted account", False, reviewer)
    assert not Member.objects.filter(user=gone).exists()
    assert not AccessKey.objects.exists()
    assert not ApiToken.objects.exists()


def test_an_owner_erases_who_asked_for_it_once_they_are_paid(
    project: Any, alice: Any, batch: Any, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(bob, batch)
    client, before, address = signed_in(alice), exported(batch), f"/projects/wells/people/annotators/{bob.pk}/erase/"
    assert client.post(address, {"pseudonym": "guess"}).status_code == 422
    with monkeypatch.context() as patch:
        patch.setattr(worker_erasure.ledger, "balance", lambda *_: 3)
        assert "Pay them first" in body(client.post(address, {"pseudonym": bob.pseudonym}))
        with pytest.raises(Refused):
            worker_erasure.erase_worker(bob)
    assert client.post(address, {"pseudonym": bob.pseudonym}).status_code == 303
    assert client.get("/projects/wells/people/").status_code == 200
    assert "The worker's identity is erased" in body(client.get(address))
    assert exported(batch) == before
    assert User.objects.get(username="bob").is_active  # their account is theirs
    assert not Worker.objects.filter(user__username="bob").exists()


def test_what_is_sent_after_the_session_ended_leads_back_to_the_page_that_it_was_sent_from(client: Any) -> None:
    pause, page = "/projects/wells/batches/wells-1/move/pause/", "/projects/wells/batches/?page=2"
    sent = client.post(pause, headers={"Referer": f"http://testserver{page}"})
    assert sent.url == f"{SIGN_IN}?next=/projects/wells/batches/%3Fpage%3D2"
    assert client.post(pause, headers={"Referer": "http://elsewhere.example/x/"}).url == f"{SIGN_IN}?next={pause}"
    assert client.post(pause).url == f"{SIGN_IN}?next={pause}"
    assert client.get(page).url == f"{SIGN_IN}?next=/projects/wells/batches/%3Fpage%3D2"


def test_a_fragment_of_somebody_signed_out_is_no_page_for_signing_in(client: Any) -> None:
    response = client.get("/projects/wells/now/", headers={"HX-Request": "true"})
    assert (response.status_code, response.content) == (401, b"")


@pytest.mark.parametrize("joined", ["Eve.Q@lab.example", "Žofie", "ДАРЬЯ"])
def test_a_name_is_the_same_in_any_case_for_joining_and_for_signing_in(
    joined: str, client: Any, alice: Any, project: Any
) -> None:
    invite = members.invite(project, role="worker", by=alice, places=2)
    address = reverse("join", args=[invite.token])
    html = client.get(address).content.decode()
    assert re.search(r'<input[^>]*name="username"[^>]*autocapitalize="none"', html)
    assert client.post(address, {"username": joined, "password": PASSWORD}).status_code == 302
    client.logout()
    for typed in (joined.lower(), joined.upper(), joined):
        taken = client.post(address, {"username": typed, "password": PASSWORD})
        assert "This name is taken" in taken.content.decode()
        response = client.post("/accounts/sign-in/", {"username": typed, "password": PASSWORD})
        assert response.status_code == 302, typed
        client.logout()
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user(joined.swapcase(), password=PASSWORD)
