"""Who may do what: what each role sees, who may be let in, and that one owner remains."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.errors import Refused
from annotation.flow.people import members, sign_up
from annotation.models import AuditEntry, Invite, Member, Project, User
from annotation.pure.people import roles
from tests.views.console import at


def member(project: Any, name: str, role: str) -> User:
    user = User.objects.create_user(name, display_name=name.title())
    Member.objects.create(project=project, user=user, role=role)
    return user


def page(client: Any, user: Any, address: str) -> str:
    client.force_login(user)
    return client.get(address).content.decode()


def test_who_may_more_may_all_that_who_may_less_may() -> None:
    for above, below in zip(roles.MEMBERS, roles.MEMBERS[1:], strict=False):
        assert roles.acts_of(above) > roles.acts_of(below)
    assert not roles.acts_of(roles.ANNOTATOR)
    assert not roles.acts_of(None)


def test_a_page_shows_no_tab_and_no_button_that_the_viewer_may_not_use(client: Any, batch: Any) -> None:
    rita = member(batch.project, "rita", "reviewer")
    shown = page(client, rita, at("batch"))
    for name in ("batch-settings", "batch-add-assignments", "batch-responses"):
        assert at(name) not in shown
    for name in ("people", "money", "project-settings", "log"):
        assert reverse(name, args=["wells"]) not in shown
    assert at("batch-decide") in shown
    assert at("report") in shown
    refused = client.get(reverse("money", args=["wells"]))
    assert refused.status_code == 403
    assert "Your role in this project is reviewer" in refused.content.decode()


def test_a_requester_lets_annotators_in_but_no_members(client: Any, alice: Any, project: Any) -> None:
    client.force_login(member(project, "quinn", "requester"))
    form = {"places": 1, "days": 7, "note": ""}
    assert client.post(reverse("people", args=["wells"]), form | {"role": "owner"}).status_code == 422
    assert client.post(reverse("people", args=["wells"]), form | {"role": "worker"}).status_code == 303
    assert Invite.objects.get().role == "worker"
    client.force_login(alice)
    assert client.post(reverse("people", args=["wells"]), form | {"role": "reviewer"}).status_code == 303
    members.accept_invite(Invite.objects.get(role="reviewer"), User.objects.create_user("rita"))
    assert Member.objects.get(user__username="rita").role == "reviewer"


def test_a_link_that_makes_members_is_for_owners_eyes(client: Any, alice: Any, project: Any) -> None:
    made = {role: members.invite(project, role=role, by=alice) for role in Invite.Role.values}
    people = reverse("people", args=["wells"])
    assert all(one.token in page(client, alice, people) for one in made.values())
    shown = page(client, member(project, "quinn", "requester"), people)
    assert {role for role, one in made.items() if one.token in shown} == {"worker"}


def test_no_link_of_a_requester_opens_the_account_of_an_owner(client: Any, alice: Any, bob: Any, project: Any) -> None:
    quinn = member(project, "quinn", "requester")
    assert sign_up.may_reset_password(quinn, bob.user)
    assert not sign_up.may_reset_password(quinn, alice)
    assert sign_up.may_reset_password(alice, quinn)
    other = Project.objects.create(slug="mills", title="Mills")
    for user, role in ((alice, "reviewer"), (bob.user, "reviewer")):
        Member.objects.create(project=other, user=user, role=role)
    assert not sign_up.may_reset_password(alice, bob.user)


def test_roles_are_changed_and_the_last_owner_stays(client: Any, alice: Any, project: Any) -> None:
    rita = member(project, "rita", "reviewer")
    mine, hers = (project.members.get(user=user) for user in (alice, rita))
    client.force_login(alice)
    for act, body in (("member-role", {"role": "reviewer"}), ("member-remove", {})):
        result = client.post(reverse(act, args=["wells", mine.pk]), body, follow=True).content.decode()
        assert "is the only owner of the project" in result
    offered = client.get(reverse("people", args=["wells"])).content.decode()
    for act in ("member-role", "member-remove"):
        assert reverse(act, args=["wells", mine.pk]) not in offered
        assert reverse(act, args=["wells", hers.pk]) in offered
    client.post(reverse("member-role", args=["wells", hers.pk]), {"role": "king"})
    result = client.post(reverse("member-role", args=["wells", hers.pk]), {"role": "owner"}, follow=True)
    assert "Rita was reviewer and is now owner" in result.content.decode()
    gone = client.post(reverse("member-role", args=["wells", mine.pk]), {"role": "reviewer"}, follow=True)
    assert gone.redirect_chain[-1][0] == reverse("project", args=["wells"])
    assert {m.user.username: m.role for m in project.members.all()} == {"alice": "reviewer", "rita": "owner"}


def test_who_was_removed_sees_nothing_and_comes_back_in_the_same_role(client: Any, alice: Any, project: Any) -> None:
    rita = member(project, "rita", "reviewer")
    client.force_login(alice)
    client.post(reverse("member-remove", args=["wells", project.members.get(user=rita).pk]))
    people = reverse("people", args=["wells"])
    restore = reverse("member-restore", args=["wells", rita.pk])
    assert restore in client.get(people).content.decode()
    client.force_login(rita)
    assert client.get(reverse("project", args=["wells"])).status_code == 404
    client.force_login(alice)
    assert client.post(restore).status_code == 303
    assert project.members.get(user=rita).role == "reviewer"
    assert client.post(restore).status_code == 404
    acts = list(AuditEntry.objects.filter(kind="member").order_by("pk").values_list("act", "user__username"))
    assert acts == [("removed", "alice"), ("joined", "alice")]


def test_the_first_member_of_a_project_owns_it(project: Any) -> None:
    ana, ben = (User.objects.create_user(name) for name in ("ana", "ben"))
    assert members.add_member(project, ana, "reviewer")
    assert members.add_member(project, ben, "reviewer")
    assert not members.add_member(project, ben, "owner")
    assert list(project.members.order_by("pk").values_list("role", flat=True)) == ["owner", "reviewer"]
    with pytest.raises(Refused, match="only owner"):
        members.remove(project.members.get(user=ana))
