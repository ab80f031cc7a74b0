"""Invites, password links and annotators who come and go."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from annotation.flow.people import members, qualification_types
from annotation.models import Invite, Project, User, Worker


def test_it_lists_people_with_name_login_and_pseudonym(client: Any, alice: Any, bob: Any) -> None:
    client.force_login(alice)
    html = client.get(reverse("people", args=["wells"])).content.decode()
    for text in ("Alice", "Bob", "bob", bob.pseudonym, "given"):
        assert text in html


def test_a_worker_is_found_by_name(client: Any, alice: Any, bob: Any) -> None:
    client.force_login(alice)
    pages = [client.get(reverse("people", args=["wells"]), {"worker": name}) for name in ("bob", "somebody else")]
    assert [bob.pseudonym in page.content.decode() for page in pages] == [True, False]


def test_it_makes_an_invite_link_that_lets_people_in(client: Any, alice: Any) -> None:
    client.force_login(alice)
    form = {"role": "worker", "places": 3, "days": 7, "note": "Lab course"}
    response = client.post(reverse("people", args=["wells"]), form)
    assert response.status_code == 303
    invited = Invite.objects.get()
    assert (invited.places, invited.note, invited.created_by) == (3, "Lab course", alice)
    assert reverse("join", args=[invited.token]) in client.get(reverse("people", args=["wells"])).content.decode()
    assert members.usable_invite(invited.token) == invited


def test_it_refuses_a_link_for_nobody(client: Any, alice: Any) -> None:
    client.force_login(alice)
    response = client.post(reverse("people", args=["wells"]), {"role": "worker", "places": 0, "days": 7})
    assert response.status_code == 422
    assert not Invite.objects.exists()


def test_a_revoked_link_lets_nobody_in_and_is_not_shown(client: Any, alice: Any, project: Any) -> None:
    invited = members.invite(project, role="worker", by=alice)
    client.force_login(alice)
    assert client.post(reverse("invite-revoke", args=["wells", invited.pk])).status_code == 303
    assert members.usable_invite(invited.token) is None
    assert invited.token not in client.get(reverse("people", args=["wells"])).content.decode()


def test_it_does_not_revoke_the_link_of_another_project(client: Any, alice: Any) -> None:
    other = Project.objects.create(slug="mills", title="Mills")
    invited = members.invite(other, role="worker", by=None)
    client.force_login(alice)
    assert client.post(reverse("invite-revoke", args=["wells", invited.pk])).status_code == 404
    assert members.usable_invite(invited.token) == invited


def test_a_deactivated_annotator_can_come_back(client: Any, alice: Any, bob: Any) -> None:
    client.force_login(alice)
    address = reverse("worker-active", args=["wells", bob.pk])
    client.post(address, {"active": "0"})
    assert not Worker.objects.get(pk=bob.pk).active
    client.post(address, {"active": "1"})
    assert Worker.objects.get(pk=bob.pk).active


def test_a_blocked_annotator_is_shown_and_unblocked(client: Any, alice: Any, bob: Any) -> None:
    client.force_login(alice)
    address = reverse("worker-unblock", args=["wells", bob.pk])
    assert address not in client.get(reverse("people", args=["wells"])).content.decode()
    qualification_types.block(bob, "answers at random")
    html = client.get(reverse("people", args=["wells"])).content.decode()
    assert address in html
    assert "answers at random" in html
    client.post(address)
    assert not qualification_types.is_blocked(bob)


def test_a_get_changes_nobody(client: Any, alice: Any, bob: Any, project: Any) -> None:
    invited = members.invite(project, role="worker", by=alice)
    client.force_login(alice)
    acts = [("invite-revoke", invited.pk), ("worker-active", bob.pk), ("password-link", bob.user_id)]
    for page, pk in acts:
        assert client.get(reverse(page, args=["wells", pk])).status_code == 405


def test_names_are_shown_as_text(client: Any, alice: Any, bob: Any) -> None:
    User.objects.filter(pk=bob.user_id).update(display_name="<img src=x onerror=alert(1)>")
    client.force_login(alice)
    html = client.get(reverse("people", args=["wells"])).content.decode()
    assert "<img" not in html
    assert "&lt;img" in html


def test_the_form_asks_for_as_many_people_as_its_link_says(client: Any, alice: Any) -> None:
    client.force_login(alice)
    for asked, shown in {"3": 3, "": 1, "0": 1, "many": 1, "5000": 1000}.items():
        page = client.get(reverse("people", args=["wells"]), {"places": asked})
        assert page.context["form"]["places"].value() == shown


def test_it_says_where_its_links_do_not_work(client: Any, alice: Any, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    client.force_login(alice)

    def page(host: str) -> str:
        address = reverse("people", args=["wells"])
        return client.get(address, headers={"host": host}, SERVER_PORT="8123").content.decode()

    assert "work on this computer only" in page("localhost:8000")
    assert "BIND=0.0.0.0:8123</code>" in page("localhost:8123")
    assert "BIND=0.0.0.0:8123</code>" in page("localhost"), "the port that it listens at, also behind a forwarded one"
    assert "work in your own network only" in page("192.168.1.20:8000")
    assert 'id="reach"' not in page("hopscribe.lab.example")
