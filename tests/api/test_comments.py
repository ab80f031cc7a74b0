"""Requesters' comments over the API."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.review import comments
from annotation.models import Comment, Hit, Member, Notice, User
from annotation.pure.people import roles
from tests.api.calling import caller, fields_at_fault, member
from tests.views.console import answer, take

pytestmark = pytest.mark.django_db
COMMENTS = "comments/"


@pytest.fixture
def rita(project: Any, alice: Any) -> Any:
    return member(project, "rita", roles.REVIEWER)


@pytest.fixture
def hit(batch: Any, bob: Any) -> Hit:
    row = answer(bob, batch)
    return Hit.objects.select_related("batch", "item__dataset").get(pk=row.hit_id)


def test_comments_are_written_listed_and_erased(rita: Any, project: Any, hit: Hit) -> None:
    position = hit.item.position
    response = hit.assignments.get()
    on_item = rita.post(COMMENTS, text="On the item.", dataset="wells", item=position)
    on_hit = rita.post(COMMENTS, text="On the HIT, @Alice.", hit=hit.public_id)
    on_response = rita.post(COMMENTS, text="On the response.", assignment=response.public_id)
    assert [made.status_code for made in (on_item, on_hit, on_response)] == [201] * 3
    author = project.reviewer_pseudonym(User.objects.get(username="rita").pk)
    facts = {"dataset": "wells", "item": position, "author": author}
    assert on_item.json() == on_item.json() | facts | {"hit": None, "assignment": None, "text": "On the item."}
    assert on_hit.json() == on_hit.json() | facts | {"hit": hit.public_id, "assignment": None}
    assert on_response.json() == on_response.json() | facts | {"assignment": response.public_id}
    assert Notice.objects.get(kind="comment").user.username == "alice"
    one = f"{COMMENTS}{on_hit.json()['id']}/"
    assert on_hit["Location"].endswith(f"/projects/wells/{one}")
    assert rita.get(one).json() == on_hit.json()

    def listed(**query: Any) -> list[str]:
        return [row["text"] for row in rita.get(COMMENTS, **query).json()["results"]]

    assert listed() == ["On the item.", "On the HIT, @Alice.", "On the response."]
    assert listed(hit=hit.public_id) == ["On the HIT, @Alice.", "On the response."]
    assert listed(assignment=response.public_id) == ["On the response."]
    assert len(listed(dataset="wells", item=position)) == 3
    assert listed(dataset="wells", item=position + 1) == []
    assert fields_at_fault(rita.get(COMMENTS, item=position)) == {"dataset"}
    assert rita.delete(one).status_code == 204
    assert rita.delete(one).status_code == 404
    assert listed(hit=hit.public_id) == ["On the response."]


def test_a_comment_sent_twice_is_posted_once(rita: Any, hit: Hit) -> None:
    first, second = (rita.post(COMMENTS, key="once", text="Once.", hit=hit.public_id) for _time in range(2))
    assert first.json() == second.json()
    assert Comment.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"hit": "HIT"}, {"text"}),
        ({"text": " ", "hit": "HIT"}, {"text"}),
        ({"text": "x" * 2001, "hit": "HIT"}, {"text"}),
        ({"text": "Hm."}, {"hit"}),
        ({"text": "Hm.", "hit": "HIT", "dataset": "wells", "item": 0}, {"hit"}),
        ({"text": "Hm.", "item": 0}, {"dataset"}),
        ({"text": "Hm.", "dataset": "wells"}, {"item"}),
        ({"text": "Hm.", "dataset": "wells", "item": 99}, {"item"}),
        ({"text": "Hm.", "dataset": "none", "item": 0}, {"item"}),
        ({"text": "Hm.", "hit": "none"}, {"hit"}),
        ({"text": "Hm.", "assignment": "none"}, {"assignment"}),
        ({"text": "Hm.", "assignment": "UNSUBMITTED"}, {"assignment"}),
    ],
)
def test_what_is_missing_or_not_there_is_named(
    rita: Any, hit: Hit, batch: Any, bob: Any, body: dict[str, Any], fields: set[str]
) -> None:
    unsubmitted = take(bob, batch)
    names = {"HIT": hit.public_id, "UNSUBMITTED": unsubmitted.public_id}
    given = {name: names.get(value, value) for name, value in body.items()}
    assert fields_at_fault(rita.post(COMMENTS, **given)) == fields
    assert not Comment.objects.exists()


def test_only_the_author_and_owners_erase(rita: Any, alice: Any, project: Any, hit: Hit) -> None:
    of_alice = comments.add(alice, "Mine.", hit=hit)
    of_rita = comments.add(User.objects.get(username="rita"), "Mine.", hit=hit)
    refused = rita.delete(f"{COMMENTS}{of_alice.pk}/")
    assert refused.status_code == 403
    assert "author" in refused.json()["detail"]
    assert caller(alice).delete(f"{COMMENTS}{of_rita.pk}/").status_code == 204
    assert Comment.objects.get() == of_alice


def test_workers_and_former_members_find_nothing(rita: Any, alice: Any, bob: Any, hit: Hit) -> None:
    made = comments.add(alice, "Among us.", hit=hit)
    Member.objects.filter(user__username="rita").delete()
    for stranger in (rita, caller(bob.user)):
        assert stranger.get(COMMENTS).status_code == 404
        assert stranger.get(f"{COMMENTS}{made.pk}/").status_code == 404
        assert stranger.post(COMMENTS, text="Hm.", hit=hit.public_id).status_code == 404
        assert stranger.delete(f"{COMMENTS}{made.pk}/").status_code == 404
    assert Comment.objects.get() == made
