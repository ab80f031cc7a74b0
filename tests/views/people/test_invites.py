"""Invite links on the page People: how many places, how they are passed on, and who is stuck after joining."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import segno
from django.db.models import F
from django.urls import reverse

from annotation.flow.batches import practice_progress
from annotation.flow.people import consent, members, sign_up
from annotation.flow.work import next_assignment
from annotation.models import Invite, Participation, Worker
from annotation.registry import practice
from tests.flow.compositions import compose, compose_batch


@pytest.fixture
def people(client: Any, alice: Any) -> Any:
    """The HTML of the page People, as alice sees it."""
    client.force_login(alice)
    return lambda **given: client.get(reverse("people", args=["wells"]), **given).content.decode()


def places(html: str) -> str:
    found = re.search(r'<input[^>]*name="places"[^>]*>', html)
    assert found
    value = re.search(r'value="(\d+)"', found[0])
    assert value
    return value[1]


def test_the_form_is_the_first_thing_and_the_only_primary_action(people: Any, bob: Any) -> None:
    html = people().partition("<main")[2]
    assert html.index('name="places"') < html.index('id="annotators"') < html.index('id="members"')
    assert re.findall(r'class="button primary">(.*?)</button>', html) == ["Create the link"]


def test_names_lead_to_workers_and_stand_before_pseudonyms(people: Any, bob: Any) -> None:
    row = people().partition('id="annotators"')[2].partition("<tbody>")[2].partition("</tr>")[0]
    link = row.index(f'href="{reverse("annotator", args=["wells", bob.pk])}"')
    assert link < row.index(str(bob.user)) < row.index(bob.user.username) < row.index(bob.pseudonym)
    assert bob.user.display_name


def test_as_many_places_are_proposed_as_workers_are_missing(people: Any, alice: Any, project: Any, batch: Any) -> None:
    assert batch.assignments_per_hit == 2
    html = people()
    assert places(html) == "2"
    assert "need at least 2 more workers" in html
    members.invite(project, role="worker", by=alice, places=1)
    html = people()
    assert places(html) == "1"
    assert "need at least 1 more worker." in html
    members.invite(project, role="worker", by=alice, places=7)
    html = people()
    assert places(html) == "1"
    assert "need at least" not in html


def test_a_link_can_be_scanned_and_mailed(people: Any, alice: Any, project: Any) -> None:
    invited = members.invite(project, role="worker", by=alice)
    html = people()
    url = f"http://testserver{reverse('join', args=[invited.token])}"
    [image] = re.findall(r'<div role="img"[^>]*>(<svg.*?</svg>)</div>', html, re.DOTALL)
    assert "style" not in image, "the Content-Security-Policy refuses styles in pages"
    assert re.findall(r'd="(.*?)"', image)[-1] in segno.make_qr(url, error="m").svg_inline(scale=4, border=4)
    [mail] = re.findall(r'href="(mailto:.*?)"', html)
    fields = parse_qs(urlsplit(unescape(mail)).query)
    assert fields["subject"] == ["Invitation: Wells and towers"]
    assert url in fields["body"][0].splitlines()


def test_a_link_that_no_phone_reaches_has_no_code(people: Any, alice: Any, project: Any) -> None:
    members.invite(project, role="worker", by=alice)
    html = people(HTTP_HOST="localhost:8000")
    assert "These links work on this computer only." in html
    assert 'role="img"' not in html


def test_a_revoked_link_has_neither_code_nor_mail(people: Any, alice: Any, project: Any) -> None:
    members.revoke_invite(members.invite(project, role="worker", by=alice))
    html = people()
    assert 'role="img"' not in html
    assert "mailto:" not in html


def test_links_begin_with_the_public_address_where_only_this_computer_reaches_the_page(
    people: Any, alice: Any, project: Any, settings: Any
) -> None:
    join = reverse("join", args=[members.invite(project, role="worker", by=alice).token])
    settings.PUBLIC_URL = "http://192.168.1.20:8000"
    html = people(HTTP_HOST="localhost")
    assert f'value="http://192.168.1.20:8000{join}"' in html
    assert "These links work in your own network only." in html
    settings.PUBLIC_URL = "http://127.0.0.1:8000"
    html = people(HTTP_HOST="localhost")
    assert f'value="http://localhost{join}"' in html
    assert "These links work on this computer only." in html


def test_it_shows_where_workers_are_stuck(
    people: Any, project: Any, dataset: Any, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_progress, "practice", practice)  # which the other tests leave out
    batch = compose_batch(project, dataset)

    def stuck_at() -> str:
        row = people().partition("</thead>")[2].partition("</tbody>")[0]
        found = re.search(r'data-label="Stuck at">(.*?)</td>', row, re.DOTALL)
        assert found
        return re.sub(r"<.*?>", "", found[1]).strip()

    Worker.objects.filter(pk=bob.pk).update(consented_version=0)
    assert stuck_at() == "consent"
    consent.give(bob, version=project.consent_version)
    assert stuck_at() == "instructions"
    next_assignment.join_batch(bob, batch)
    assert stuck_at() == "instructions", "opened, and not read"
    participation = Participation.objects.get(worker=bob)
    next_assignment.read_instructions(participation, version=batch.instructions.version)
    assert stuck_at() == "practice"
    exercises = practice_progress.exercises(batch)
    assert exercises
    for exercise in exercises:
        assert practice_progress.finish(Participation.objects.get(worker=bob), exercise.number)
    assert stuck_at() == "first response"
    compose(bob, batch)
    assert stuck_at() == "–"
    sign_up.set_active(bob, active=False)
    assert stuck_at() == "–"


def test_a_new_link_is_announced_where_it_stands(people: Any, client: Any, project: Any) -> None:
    people()
    made = client.post(reverse("people", args=["wells"]), {"role": "worker", "places": "2", "days": "3", "note": "Ada"})
    html = client.get(made["Location"]).content.decode()
    card = html[html.index('<li class="card">') :].partition("</li>")[0]
    assert "The link is ready." in card
    assert "Ada" in card
    assert re.search(r"<button[^>]*data-copy[^>]*autofocus>", card)
    assert html.count("The link is ready.") == 1


def test_whoever_joined_already_is_not_asked_to_join(client: Any, alice: Any, bob: Any, project: Any) -> None:
    invited = members.invite(project, role="worker", by=alice)
    Invite.objects.update(used=F("places"))
    client.force_login(bob.user)
    shown = client.get(reverse("join", args=[invited.token]), follow=True)
    assert shown.redirect_chain == [(reverse("work"), 302)]
    assert "You have joined" in shown.content.decode()
    as_member = members.invite(project, role="reviewer", by=alice)
    client.force_login(alice)
    assert client.get(reverse("join", args=[as_member.token])).url == reverse("project", args=["wells"])
