"""The page of what one was told: one's own only, read by a press, and of the kinds that one wants."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from annotation.flow.notifications import announcements, notice_inbox
from annotation.flow.people import members
from annotation.flow.projects import recycle_bin
from annotation.models import Member, Notice, User
from tests.flow import acting


def page(client: Any, **asked: Any) -> str:
    return str(client.get(reverse("notices"), asked).content.decode())


def test_the_bell_counts_and_the_page_tells_what_is_new(client: Any, bob: Any, carol: Any, batch: Any) -> None:
    client.force_login(bob.user)
    empty = page(client)
    assert "No notices" in empty
    assert "new work for you" in empty
    assert not any(word in empty for word in ("job", "budget", "stalled")), "matters of requesters"
    announcements.announce_due()
    html = page(client)
    assert "There is new work for you: “wells-1”." in html
    assert "Notices: 1 new" in client.get(reverse("work")).content.decode()
    assert notice_inbox.unread(bob.user).count() == 1  # looking marks nothing


def test_the_bell_counts_what_the_page_lists_whatever_somebody_became(alice: Any, bob: Any, batch: Any) -> None:
    other = Member.Role.REVIEWER, Member.Role.REQUESTER, Member.Role.OWNER
    for user in (alice, bob.user):
        for kind in Notice.Kind.values:
            announcements.notify([user], kind, project=batch.project, key=kind, batch=batch)

    def agree() -> None:
        for user in (alice, bob.user):
            assert notice_inbox.count_unread(user) == notice_inbox.unread(user).count()

    for role in other:
        alice.memberships.update(role=role)
        agree()
    assert notice_inbox.count_unread(bob.user) == 2  # of work, and of the account
    bob.delete()
    alice.memberships.all().delete()
    agree()
    assert notice_inbox.count_unread(alice) == 1


def test_more_than_a_hundred_are_a_hundred(alice: Any, batch: Any) -> None:
    for k in range(101):
        announcements.notify([alice], Notice.Kind.FINISHED, project=batch.project, key=f"finished/{k}", batch=batch)
    assert notice_inbox.unread(alice).count() == 101
    assert notice_inbox.count_unread(alice) == 100


def test_opening_one_marks_it_and_leads_to_its_matter(client: Any, bob: Any, alice: Any, batch: Any) -> None:
    announcements.announce_due()
    notice = Notice.objects.get(user=bob.user)
    client.force_login(alice)
    assert client.post(reverse("notice-open", args=[notice.pk])).status_code == 404
    client.force_login(bob.user)
    response = client.post(reverse("notice-open", args=[notice.pk]))
    assert (response.status_code, response.url) == (303, reverse("marketplace-group", args=[batch.pk]))
    assert client.get(response.url).status_code == 200
    assert notice_inbox.unread(bob.user).count() == 0
    acting.batch_launch.close(batch)
    assert client.post(reverse("notice-open", args=[notice.pk])).url == reverse("work")


def test_every_kind_leads_a_requester_somewhere(client: Any, alice: Any, project: Any, batch: Any) -> None:
    from django.utils import timezone

    from annotation.models import Job

    now = timezone.now()
    job = Job.objects.create(project=project, kind="x", title="Import", due_at=now, state="failed", error="Why.")
    result = {"project": project, "key": "k"}
    announcements.notify([alice], "finished", **result | {"key": "a"}, batch=batch, facts={"answers": 8})
    announcements.notify([alice], "stalled", **result | {"key": "b"}, batch=batch, facts={"left": 3})
    announcements.notify([alice], "failed", **result | {"key": "c"}, job=job)
    announcements.notify([alice], "money", **result | {"key": "d"}, facts={"left": "1.00", "put_in": "50.00"})
    client.force_login(alice)
    html = page(client)
    for text in (
        "is finished: 8 responses",
        "still needs 3",
        "“Import” failed. Why.",
        "Of the $50.00 deposited in the budget, $1.00 are left",
    ):
        assert text in html
    for notice in Notice.objects.filter(user=alice):
        assert client.get(client.post(reverse("notice-open", args=[notice.pk])).url).status_code in {200, 302}


def test_all_that_was_shown_is_marked_and_what_came_since_is_not(
    client: Any, bob: Any, project: Any, dataset: Any
) -> None:
    first = acting.launched(project, "one", dataset)
    announcements.announce_due()
    seen = Notice.objects.get(batch=first)
    acting.launched(project, "two", dataset)
    announcements.announce_due()
    client.force_login(bob.user)
    client.post(reverse("notices-read"), {"upto": seen.pk})
    assert [row.batch.slug for row in notice_inbox.unread(bob.user)] == ["two"]
    client.post(reverse("notices-read"), {"upto": "nonsense"})
    assert not notice_inbox.unread(bob.user).exists()


def test_kinds_are_muted_and_those_not_offered_stay(client: Any, bob: Any, batch: Any) -> None:
    notice_inbox.mute(bob.user, ["money"])
    client.force_login(bob.user)
    assert "the budget is running out" not in page(client)
    client.post(reverse("notices-kinds"), {})
    bob.user.refresh_from_db()
    assert bob.user.muted == ["work", "money"]
    client.post(reverse("notices-kinds"), {"kind": "work"})
    bob.user.refresh_from_db()
    assert bob.user.muted == ["money"]


def test_former_members_see_nothing_of_the_project_any_more(client: Any, alice: Any, project: Any, batch: Any) -> None:
    quinn = User.objects.create_user("quinn", email="quinn@example.org")
    member = Member.objects.create(project=project, user=quinn, role="requester")
    announcements.notify([quinn], "finished", project=project, key="a", batch=batch, facts={"answers": 8})
    announcements.notify([quinn], "money", project=project, key="b", facts={"left": "1.00", "put_in": "50.00"})
    client.force_login(quinn)
    assert "is finished: 8 responses" in page(client)
    members.change_role(member, "reviewer")
    assert notice_inbox.notices_of(quinn).count() == notice_inbox.unread(quinn).count() == 0
    members.change_role(member, "requester")
    members.remove(member)
    html = page(client)
    assert "No notices" in html
    assert "wells" not in html
    assert client.post(reverse("notice-open", args=[Notice.objects.filter(user=quinn)[0].pk])).status_code == 404


def test_what_lies_in_the_bin_is_told_of_no_more(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    announcements.notify([alice], "finished", project=batch.project, key="a", batch=batch, facts={"answers": 8})
    announcements.notify([bob.user], "work", project=batch.project, key="b", batch=batch)
    assert notice_inbox.notices_of(alice).count() == notice_inbox.unread(bob.user).count() == 1
    acting.batch_launch.close(batch)
    recycle_bin.remove_batch(batch)
    assert notice_inbox.notices_of(alice).count() == notice_inbox.unread(bob.user).count() == 0


def test_new_work_of_a_closed_batch_is_told_of_no_more(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    for user, kind in ((alice, "finished"), (bob.user, "work")):
        announcements.notify([user], kind, project=batch.project, key=kind, batch=batch, facts={"answers": 8})
    acting.batch_launch.pause(batch)
    assert notice_inbox.unread(bob.user).count() == 1
    acting.batch_launch.close(batch)
    assert notice_inbox.unread(bob.user).count() == notice_inbox.count_unread(bob.user) == 0
    assert notice_inbox.notices_of(alice).count() == 1


def test_only_kinds_that_one_may_get_are_offered(client: Any, project: Any) -> None:
    rita = User.objects.create_user("rita")
    Member.objects.create(project=project, user=rita, role="reviewer")
    client.force_login(rita)
    assert [kind for kind, _label, _wanted in client.get(reverse("notices")).context["kinds"]] == ["comment"]
