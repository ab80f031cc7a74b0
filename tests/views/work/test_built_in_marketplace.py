"""Finding work over all projects, previewing and accepting it; the tests of qualifications."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.flow.people import qualification_types
from annotation.flow.work import built_in_marketplace, next_assignment
from annotation.models import Assignment, Hit, Project, QualificationRequest, Worker
from tests.flow.people.test_qualification_rounds import made
from tests.mturk_api.external_hits import FORM, accepted, hit_of, hit_type
from tests.pure.test_mturk_xml import asked, form, key, selection

MARKET = "marketplace"
TEST = form(asked("colour", selection()) + asked("why", "<FreeTextAnswer/>", required="false"))
KEY = key(
    "<Question><QuestionIdentifier>colour</QuestionIdentifier><AnswerOption>"
    "<SelectionIdentifier>b</SelectionIdentifier><AnswerScore>7</AnswerScore></AnswerOption></Question>"
)


@pytest.fixture
def kind(project: Any) -> Any:
    return hit_type(project)


@pytest.fixture
def elsewhere(db: None) -> Any:
    """Another project, which everybody of the house may join."""
    return Project.objects.create(slug="springs", title="Springs", consent="We keep it.", sign_up="house")


def text_of(page: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


def test_work_of_all_projects_is_listed_with_what_it_pays_and_takes(
    kind: Any, batch: Any, elsewhere: Any, bob: Any, client: Any
) -> None:
    hit_of(kind)
    hit_of(kind)
    hit_of(hit_type(elsewhere, title="Count the springs", reward=Decimal("0.40"), duration=7200))
    client.force_login(bob.user)
    said = text_of(client.get(reverse(MARKET)))
    assert "Name the ferry" in said
    assert "$0.25 each at most 10 min 2 items" in said
    assert "$0.40 each at most 2 h 1 item" in said
    assert batch.title in said


def test_work_is_searched_and_sorted(kind: Any, elsewhere: Any, bob: Any, client: Any) -> None:
    hit_of(kind)
    hit_of(hit_type(elsewhere, title="Count the springs", reward=Decimal("0.40")))
    client.force_login(bob.user)
    assert "Name the ferry" not in text_of(client.get(reverse(MARKET), {"q": "springs COUNT"}))
    assert "No work found" in text_of(client.get(reverse(MARKET), {"q": "neither"}))
    titles = [group.batch.title for group in built_in_marketplace.groups(bob.user, order="reward")]
    assert titles == ["Count the springs", "Name the ferry"]


def test_nobody_sees_projects_that_let_in_invited_people_only(kind: Any, elsewhere: Any, bob: Any, client: Any) -> None:
    Project.objects.filter(pk=elsewhere.pk).update(sign_up="invite")
    hit = hit_of(hit_type(elsewhere, title="Count the springs"))
    client.force_login(bob.user)
    assert "Count the springs" not in text_of(client.get(reverse(MARKET)))
    assert client.get(reverse("marketplace-hit", args=[hit.public_id])).status_code == 404
    assert client.post(reverse("marketplace-accept", args=[hit.public_id])).status_code == 404
    assert client.get(reverse("marketplace-group", args=[hit.batch_id])).status_code == 404


def test_whoever_is_blocked_or_paused_sees_nothing_of_the_project(kind: Any, bob: Any, carol: Any) -> None:
    hit_of(kind)
    qualification_types.block(bob, "spam")
    Worker.objects.filter(pk=carol.pk).update(active=False)
    assert built_in_marketplace.groups(bob.user) == []
    assert built_in_marketplace.groups(carol.user) == []


def test_accepting_in_a_new_project_asks_for_consent_first(elsewhere: Any, bob: Any, client: Any) -> None:
    hit = hit_of(hit_type(elsewhere, title="Count the springs"))
    client.force_login(bob.user)
    here = reverse("marketplace-hit", args=[hit.public_id])
    assert not Worker.objects.filter(project=elsewhere).exists()
    assert client.get(here).status_code == 200
    assert not Worker.objects.filter(project=elsewhere).exists()
    first = client.post(reverse("marketplace-accept", args=[hit.public_id]))
    assert first["Location"] == f"{reverse('consent', args=['springs'])}?next={here}"
    client.post(first["Location"], {"version": "1"})
    assert "/assignments/" in client.post(reverse("marketplace-accept", args=[hit.public_id]))["Location"]


def test_the_next_hit_is_previewed_and_accepted_several_at_once(kind: Any, bob: Any, client: Any) -> None:
    hits = [hit_of(kind), hit_of(kind), hit_of(kind)]
    client.force_login(bob.user)
    group = reverse("marketplace-group", args=[kind.batch_id])
    page = client.get(group).content.decode()
    assert reverse("marketplace-accept", args=[hits[0].public_id]) in page
    assert reverse("marketplace-accept", args=[hits[1].public_id]) in client.get(f"{group}?passing=1").content.decode()
    for hit in hits[:2]:
        client.post(reverse("marketplace-accept", args=[hit.public_id]))
    assert Assignment.objects.filter(worker=bob, state="accepted").count() == 2
    assert reverse("marketplace-accept", args=[hits[2].public_id]) in client.get(group).content.decode()
    assert "Items you accepted" in text_of(client.get(reverse(MARKET)))


def test_accepting_twice_gives_the_same_assignment(kind: Any, bob: Any, client: Any) -> None:
    hit = hit_of(kind)
    client.force_login(bob.user)
    places = {client.post(reverse("marketplace-accept", args=[hit.public_id]))["Location"] for _time in range(2)}
    assert len(places) == 1
    assert client.get(reverse("marketplace-hit", args=[hit.public_id]))["Location"] in places
    hit.refresh_from_db()
    assert hit.live == 1


def test_a_hit_that_is_full_or_over_says_so(kind: Any, bob: Any, carol: Any, client: Any) -> None:
    full, over = hit_of(kind), hit_of(kind)
    accepted(carol, full)
    Hit.objects.filter(pk=over.pk).update(closes_at=timezone.now() - timedelta(seconds=1))
    client.force_login(bob.user)
    for hit in (full, over):
        said = text_of(client.get(reverse("marketplace-hit", args=[hit.public_id])))
        assert "This item is no longer available" in said
        gone = client.post(reverse("marketplace-accept", args=[hit.public_id]), follow=True)
        assert "This item is no longer available" in text_of(gone)
    group = client.get(reverse("marketplace-group", args=[kind.batch_id]))
    assert "No items of this group for you at the moment" in text_of(group)


def test_the_next_one_comes_by_itself_where_that_is_wished(kind: Any, bob: Any, client: Any) -> None:
    first, _second = hit_of(kind), hit_of(kind)
    client.force_login(bob.user)
    page = client.post(reverse("marketplace-accept", args=[first.public_id]), {"automatic": "on"}, follow=True)
    assert "data-automatic" in page.content.decode()
    here = page.redirect_chain[-1][0]
    page = client.post(reverse("marketplace-automatic"), {"next": here}, follow=True)
    assert "data-automatic" not in page.content.decode()


def test_the_next_of_a_group_follows_a_submitted_one(kind: Any, bob: Any, client: Any) -> None:
    hits = [hit_of(kind, FORM), hit_of(kind, FORM)]
    client.force_login(bob.user)
    mine = accepted(bob, hits[0])
    client.post(reverse("submit", args=[mine.public_id]), {"key": "0.x", "q0": "a"})
    following = client.post(reverse("batch-start", args=[kind.batch_id]))
    assert Assignment.objects.get(hit=hits[1]).public_id in following["Location"]


def test_time_that_is_over_makes_way_for_the_next(kind: Any, bob: Any) -> None:
    first, second = hit_of(kind), hit_of(kind)
    mine = accepted(bob, first)
    Assignment.objects.filter(pk=mine.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    following = next_assignment.claim(next_assignment.join_batch(bob, kind.batch))
    assert following is not None
    assert following.hit_id == second.pk
    mine.refresh_from_db()
    assert mine.state == "expired"


def guarded(project: Any, guard: str) -> tuple[Any, Any]:
    """(a HIT that needs 80 in a qualification, the qualification)."""
    level = qualification_types.create_type(project, "Ferries", description="")
    needs = {"type": level.public_id, "comparator": "GreaterThanOrEqualTo", "values": [80], "guard": guard}
    return hit_of(hit_type(project, title="Guarded ferry", requirements=(needs,))), level


@pytest.mark.parametrize(
    ("guard", "listed", "previewed"),
    [("Accept", True, True), ("PreviewAndAccept", True, False), ("DiscoverPreviewAndAccept", False, False)],
)
def test_guards_hold_where_they_are_set(
    guard: str, listed: bool, previewed: bool, project: Any, bob: Any, client: Any
) -> None:
    hit, level = guarded(project, guard)
    client.force_login(bob.user)
    assert ("Guarded ferry" in text_of(client.get(reverse(MARKET)))) is listed
    page = client.get(reverse("marketplace-hit", args=[hit.public_id]))
    assert ("<iframe" in page.content.decode()) is previewed
    client.post(reverse("marketplace-accept", args=[hit.public_id]))
    assert not Assignment.objects.exists()
    if listed:
        assert "requires 80 in “Ferries”" in text_of(client.get(reverse(MARKET)))
    qualification_types.grant(level, bob, 81, source="hand")
    client.post(reverse("marketplace-accept", args=[hit.public_id]))
    assert Assignment.objects.filter(worker=bob, hit=hit).exists()


def test_a_batch_of_the_house_is_started_from_the_list(batch: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    page = client.get(reverse("marketplace-group", args=[batch.pk]))
    assert reverse("marketplace-start", args=[batch.pk]) in page.content.decode()
    assert "tower" not in text_of(page).lower().replace("wells and towers", "")
    started = client.post(reverse("marketplace-start", args=[batch.pk]))
    assert started["Location"] == reverse("batch-instructions", args=[batch.pk])


def test_the_address_that_scripts_print_leads_to_the_group(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    for name in (kind.group_id, kind.public_id):
        found = client.get(reverse("marketplace-by-id"), {"groupId": name})
        assert found["Location"] == reverse("marketplace-group", args=[kind.batch_id])
    assert client.get(reverse("marketplace-by-id"), {"groupId": "3X"}).status_code == 404


def with_test(project: Any, **terms: Any) -> Any:
    return qualification_types.create_type(
        project, "Colours", description="Know them.", test=TEST, test_seconds=600, **terms
    )


def at(type: Any) -> str:
    return reverse("qualification-test", args=[type.public_id])


def test_a_test_is_taken_and_its_key_grants_the_score(project: Any, bob: Any, client: Any) -> None:
    type = with_test(project, answer_key=KEY)
    client.force_login(bob.user)
    assert "You have 10 minutes" in text_of(client.get(at(type)))
    assert client.post(at(type), {"begin": "1"})["Location"] == at(type)
    assert 'name="q0"' in client.get(at(type)).content.decode()
    assert client.post(at(type), {"q1": "because"}).status_code == 422
    for colour in ("b", "a"):  # sent again, with something else even, it changes nothing
        assert client.post(at(type), {"q0": colour, "q1": "because"})["Location"] == reverse("my-qualifications")
    assert qualification_types.held(bob)[type.public_id].value == 7
    asked = QualificationRequest.objects.get()
    assert asked.state == "granted"
    assert "<SelectionIdentifier>b</SelectionIdentifier>" in asked.answer


def test_a_test_without_a_key_waits_for_the_requester(project: Any, bob: Any, client: Any) -> None:
    type = with_test(project)
    client.force_login(bob.user)
    client.post(at(type), {"begin": "1"})
    client.post(at(type), {"q0": "a"})
    assert QualificationRequest.objects.get().state == "pending"
    assert "The requester has not decided yet" in text_of(client.get(at(type)))


def test_what_is_sent_after_the_time_does_not_count(project: Any, bob: Any, client: Any) -> None:
    type = with_test(project, answer_key=KEY, retry_seconds=60)
    client.force_login(bob.user)
    client.post(at(type), {"begin": "1"})
    QualificationRequest.objects.update(started_at=timezone.now() - timedelta(seconds=700))
    client.post(at(type), {"q0": "b"})
    assert QualificationRequest.objects.get().state == "rejected"
    assert type.public_id not in qualification_types.held(bob)
    client.post(at(type), {"begin": "1"})
    assert QualificationRequest.objects.count() == 1  # the retry delay runs
    QualificationRequest.objects.update(submitted_at=timezone.now() - timedelta(seconds=61))
    client.post(at(type), {"begin": "1"})
    client.post(at(type), {"q0": "b"})
    assert qualification_types.held(bob)[type.public_id].value == 7


def test_tests_of_projects_by_invite_only_are_not_there(elsewhere: Any, bob: Any, client: Any) -> None:
    Project.objects.filter(pk=elsewhere.pk).update(sign_up="invite")
    client.force_login(bob.user)
    assert client.get(at(with_test(elsewhere))).status_code == 404


def links(page: Any) -> list[str]:
    return [unescape(url) for url in re.findall(r'href="([^"]+)"', page.content.decode())]


def test_the_way_from_a_hit_to_joining_the_test_and_back_is_links(elsewhere: Any, bob: Any, client: Any) -> None:
    type = with_test(elsewhere, answer_key=KEY)
    needs = {"type": type.public_id, "comparator": "GreaterThanOrEqualTo", "values": [5], "guard": "Accept"}
    hit = hit_of(hit_type(elsewhere, title="Guarded ferry", requirements=(needs,)))
    here = reverse("marketplace-hit", args=[hit.public_id])
    client.force_login(bob.user)
    [join] = [url for url in links(client.get(here)) if url.startswith(reverse("open-join", args=["springs"]))]
    consent = client.post(join)["Location"]
    assert consent.startswith(reverse("consent", args=["springs"]))
    agreed = client.post(consent, {"version": elsewhere.consent_version})
    assert agreed["Location"] == here
    [test] = [url for url in links(client.get(here)) if url.startswith(at(type))]
    assert client.post(test, {"begin": "1"})["Location"] == test
    assert client.post(test, {"q0": "b"})["Location"] == here
    client.post(reverse("marketplace-accept", args=[hit.public_id]))
    assert Assignment.objects.filter(worker__user=bob.user, hit=hit).exists()


def test_the_address_of_a_test_leads_a_newcomer_to_joining_and_back(elsewhere: Any, bob: Any, client: Any) -> None:
    type = with_test(elsewhere)
    client.force_login(bob.user)
    join = client.get(at(type))["Location"]
    assert join == f"{reverse('open-join', args=['springs'])}?next={quote(at(type), safe='')}"
    consent = client.post(join)["Location"]
    assert client.post(consent, {"version": elsewhere.consent_version})["Location"] == at(type)


def test_no_page_of_another_site_is_gone_back_to(project: Any, bob: Any, client: Any) -> None:
    type = with_test(project)
    client.force_login(bob.user)
    there = f"{at(type)}?next=https://elsewhere.example/"
    client.post(there, {"begin": "1"})
    assert 'elsewhere.example/"' not in "".join(links(client.get(there)))
    assert client.post(there, {"q0": "a"})["Location"] == reverse("my-qualifications")


def test_from_work_that_a_round_opens_a_link_leads_to_the_round(
    project: Any, dataset: Any, bob: Any, client: Any
) -> None:
    found = made(project, dataset)
    needs = {"type": found.grants.public_id, "comparator": "Exists", "guard": "Accept"}
    hit = hit_of(hit_type(project, title="Guarded ferry", requirements=(needs,)))
    client.force_login(bob.user)
    page = client.get(reverse("marketplace-hit", args=[hit.public_id])).content.decode()
    work = reverse("work")
    assert f'class="button small" href="{work}"' in page
    assert found.batch.title in client.get(work).content.decode()
    assert f'class="button small" href="{work}"' not in client.get(work).content.decode()
