"""Requesters' comments: what they are about, whom they notify, how they are erased."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from annotation.flow.batches import batch_launch
from annotation.flow.data import dataset_removal, item_editing, item_writer
from annotation.flow.errors import Refused
from annotation.flow.notifications import notice_inbox
from annotation.flow.people import members, worker_erasure
from annotation.flow.projects import recycle_bin
from annotation.flow.review import comments
from annotation.models import AuditEntry, Batch, Comment, Hit, Item, Member, Notice, User
from annotation.pure.data.example import Example
from tests.flow import acting


@pytest.fixture
def mara(project: Any, alice: Any) -> User:
    """A reviewer of Alice's project."""
    return member(project, "mara", "Mara Quell")


def member(project: Any, username: str, name: str = "", role: str = Member.Role.REVIEWER) -> User:
    user = User.objects.create_user(username, password=None, display_name=name)
    Member.objects.create(project=project, user=user, role=role)
    return user


@pytest.fixture
def hit(batch: Any, bob: Any) -> Hit:
    """A HIT with a response of Bob's."""
    row = acting.take(bob, batch)
    assert row is not None
    acting.submit(row)
    return Hit.objects.select_related("batch", "item__dataset").get(pk=row.hit_id)


def texts(rows: Any) -> list[str]:
    return [row.text for row in rows]


def test_a_thread_shows_what_belongs_to_its_object(project: Any, alice: Any, batch: Any, hit: Hit) -> None:
    response, other = hit.assignments.get(), batch.hits.exclude(pk=hit.pk).first()
    comments.add(alice, "on the item", item=hit.item)
    comments.add(alice, "on the HIT", hit=hit)
    made = comments.add(alice, " on the response\n", assignment=response)
    comments.add(alice, "elsewhere", hit=other)
    assert (made.item, made.hit, made.project) == (hit.item, hit, project)
    assert texts(comments.about_hit(hit)) == ["on the item", "on the HIT", "on the response"]
    assert texts(comments.about_item(project, hit.item)) == ["on the item", "on the HIT", "on the response"]
    assert texts(comments.about_hit(other)) == ["elsewhere"]


def test_comments_on_another_version_and_in_another_batch_are_found(
    project: Any, alice: Any, dataset: Any, hit: Hit
) -> None:
    again = acting.launched(project, "again", dataset)
    comments.add(alice, "on the first version", item=hit.item)
    comments.add(alice, "in the other batch", hit=again.hits.get(item=hit.item))
    example = Example.from_json(hit.item.content | {"answers": ["Another tower"]})
    item_editing.edit(hit.item, example, note="", user=alice)
    newest = Item.objects.get(dataset=dataset, position=hit.item.position)
    comments.add(alice, "on the second version", item=newest)
    assert texts(comments.about_item(project, newest)) == [
        "on the first version",
        "in the other batch",
        "on the second version",
    ]
    assert texts(comments.about_hit(hit)) == ["on the first version", "on the second version"]
    assert comments.numbers_on_items(project, [newest]) == {newest.position: 3}
    assert comments.numbers_on_hits(again.hits.all()) == {again.hits.get(item=hit.item).pk: 1}


@pytest.mark.parametrize("text", ["", "  \n", "x" * (Comment.LONGEST + 1)])
def test_a_comment_without_text_or_with_too_much_is_refused(text: str, alice: Any, hit: Hit) -> None:
    with pytest.raises(Refused):
        comments.add(alice, text, hit=hit)
    assert not Comment.objects.exists()


def test_the_longest_comment_is_kept_whole(alice: Any, hit: Hit) -> None:
    comments.add(alice, " " + "ß" * Comment.LONGEST, hit=hit)
    assert Comment.objects.get().text == "ß" * Comment.LONGEST


def test_a_comment_is_about_something(alice: Any, hit: Hit) -> None:
    with pytest.raises(ValueError, match="about an item"):
        comments.add(alice, "Hm.")
    rows = {"project": hit.batch.project, "item": hit.item, "author": alice}
    for wrong in ({"text": ""}, {"text": "Hm.", "assignment": hit.assignments.get()}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Comment.objects.create(**rows, **wrong)


def notices() -> list[tuple[str, str]]:
    return [(row.user.username, notice_inbox.notice_text(row)) for row in Notice.objects.filter(kind="comment")]


def test_mentioned_members_are_notified_once_and_nobody_else(
    project: Any, alice: Any, mara: Any, bob: Any, hit: Hit
) -> None:
    tom = member(project, "tom")
    User.objects.create_user("stranger", display_name="Stranger")
    made = comments.add(alice, "@Mara Quell, @tom and @TOM: ask @Alice, @bob, @stranger.", hit=hit)
    n = hit.item.position + 1
    said = f"Alice mentions you in a comment on the HIT of item {n} of “wells”."
    assert notices() == [("mara", said), ("tom", said)]
    assert {row.key for row in Notice.objects.filter(kind="comment")} == {f"comment/{made.pk}"}
    assert notice_inbox.count_unread(mara) == notice_inbox.unread(tom).count() == 1
    comments.add(mara, "@mara: a note to myself, and mara@tom.example", item=hit.item)
    assert len(notices()) == 2


def test_the_notice_names_the_item_or_the_response_but_not_the_comment(alice: Any, mara: Any, hit: Hit) -> None:
    comments.add(alice, "secret @mara", item=hit.item)
    comments.add(alice, "secret @mara", assignment=hit.assignments.get())
    n = hit.item.position + 1
    assert [text for _name, text in notices()] == [
        f"Alice mentions you in a comment on item {n} of “wells”.",
        f"Alice mentions you in a comment on a response to item {n} of “wells”.",
    ]


def test_whoever_turned_the_kind_off_or_cannot_read_the_page_is_not_notified(
    project: Any, alice: Any, mara: Any, hit: Hit
) -> None:
    tom, away = member(project, "tom"), member(project, "away")
    notice_inbox.mute(mara, ["comment"])
    mara.refresh_from_db()
    User.objects.filter(pk=away.pk).update(is_active=False)
    members.remove(Member.objects.get(user=tom))
    comments.add(alice, "@mara @tom @away", hit=hit)
    assert notices() == []


def test_notices_of_former_members_and_deleted_batches_concern_nobody(alice: Any, mara: Any, hit: Hit) -> None:
    comments.add(alice, "@mara", hit=hit)
    Batch.objects.filter(pk=hit.batch_id).update(removed_at=F("created_at"))
    assert not notice_inbox.notices_of(mara).exists()
    Batch.everything.filter(pk=hit.batch_id).update(removed_at=None)
    assert notice_inbox.notices_of(mara).exists()
    members.remove(Member.objects.get(user=mara))
    assert not notice_inbox.notices_of(mara).exists()
    assert "comment" not in notice_inbox.kinds_for(mara)
    assert "comment" in notice_inbox.kinds_for(alice)


def test_a_mention_goes_out_by_mail(alice: Any, mara: Any, hit: Hit, mailoutbox: Any, settings: Any) -> None:
    settings.EMAIL_URL = "smtp://mail.example"
    User.objects.filter(pk=mara.pk).update(email="mara@example.org")
    comments.add(alice, "secret @mara", hit=hit)
    Notice.objects.update(created_at=F("created_at") - timedelta(minutes=11))
    assert notice_inbox.mail_due() == 1
    assert "Alice mentions you in a comment on the HIT" in mailoutbox[0].body
    assert "secret" not in mailoutbox[0].body


def test_names_to_mention_are_unlike_each_other(project: Any, alice: Any, mara: Any) -> None:
    member(project, "other", "mara quell")
    member(project, "tom")
    assert comments.mention_names(comments.others(project, alice)) == ["mara", "other", "tom"]
    assert comments.mention_names([mara]) == ["Mara Quell"]


def test_the_author_and_owners_erase_a_comment_for_good(project: Any, alice: Any, mara: Any, hit: Hit) -> None:
    tom = member(project, "tom", role=Member.Role.REQUESTER)
    first, second = (comments.add(mara, f"secret {k} @alice", hit=hit) for k in range(2))
    keys = [str(first.pk), str(second.pk)]
    with pytest.raises(Refused):
        comments.erase(first, tom)
    assert Comment.objects.count() == 2
    comments.erase(first, mara)
    comments.erase(second, alice)
    assert not Comment.objects.exists()
    assert not Notice.objects.filter(kind="comment").exists()
    lines = AuditEntry.objects.filter(kind="comment", act="erased")
    assert [(line.key, line.batch, line.name, line.details) for line in lines.order_by("pk")] == [
        (key, "wells-1", "", {}) for key in keys
    ]


def test_comments_of_a_deleted_batch_wait_in_the_bin(project: Any, alice: Any, batch: Any, dataset: Any) -> None:
    hit = batch.hits.first()
    comments.add(alice, "on the HIT", hit=hit)
    comments.add(alice, "on the item", item=hit.item)
    batch_launch.close(batch)
    recycle_bin.remove_batch(batch)
    assert texts(comments.about_item(project, hit.item)) == ["on the item"]
    assert comments.numbers_on_items(project, [hit.item]) == {hit.item.position: 1}
    recycle_bin.restore_batch(batch)
    assert len(comments.about_item(project, hit.item)) == 2
    recycle_bin.remove_batch(batch)
    recycle_bin.erase_batch(batch)
    assert texts(Comment.objects.all()) == ["on the item"]
    dataset_removal.begin(dataset, user=alice)
    item_writer.remove_dataset(dataset)
    assert not Comment.objects.exists()


def test_a_deleted_account_leaves_comments_without_a_name(alice: Any, mara: Any, hit: Hit) -> None:
    comments.add(mara, "Hm, @Alice.", hit=hit)
    worker_erasure.delete_account(mara)
    assert Comment.objects.get().author is None
    [(name, text)] = notices()
    assert name == "alice"
    assert text.startswith("Somebody mentions you in a comment on the HIT")
