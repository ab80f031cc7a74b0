"""Members of the project see a study's pages as its participants do, without a visit."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.marketplaces.models import PanelStudy, Visit
from annotation.models import Participation, User, Worker
from tests.conftest import PASSWORD
from tests.marketplaces.panel import Participant, study_of

pytestmark = pytest.mark.django_db
HERE = "/projects/wells/batches/visited/marketplace/preview/"


@pytest.fixture
def study(project: Any, dataset: Any) -> PanelStudy:
    return study_of(project, dataset, publish=False)


@pytest.fixture
def member(alice: Any) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def main_of(html: str) -> str:
    """A page's own content."""
    return html[html.index("<h1>") : html.index("</main>")]


def test_every_page_of_the_way_is_shown_and_nothing_is_stored(study: PanelStudy, member: Client) -> None:
    text = {"welcome": "You will do 2 short tasks", "consent": "We keep what you answer.", "instructions": "Read."}
    ends = {"done": "Your 2 responses are stored.", "no_consent": "Nothing that you did here is used."}
    ends |= {"screened_out": "not open to you", "incompatible": "do not work on this device"}
    ends |= {"failed_checks": "nothing is decided"}
    assert set(ends) == set(study.codes)
    for step, expected in (text | ends).items():
        html = member.get(f"{HERE}{step}/").content.decode()
        assert expected in html
        assert "Participants will see this page" in html
        if step in ends:
            assert f'<code id="code">{study.codes[step]}</code>' in html
    for step, after in [("welcome", f"{HERE}no_consent/"), ("consent", f"{HERE}instructions/"), ("instructions", "")]:
        answer = member.post(f"{HERE}{step}/", {"version": "1"})
        assert (answer.status_code, answer["Location"]) == (303, after or "/projects/wells/batches/visited/preview/")
    assert member.get(f"{HERE}other/").status_code == 404
    assert [rows.objects.count() for rows in (Visit, Worker, Participation)] == [0, 0, 0]


def test_the_welcome_is_that_of_a_participant(study: PanelStudy, member: Client) -> None:
    PanelStudy.objects.update(goal="active", warning="sensitive", warning_details="War.", ids_kept_days=90)
    ann = Participant(study)
    ann.arrive()
    until = f"{ann.visit.deadline:%H:%M}"

    def comparable(html: str) -> list[str]:
        words = main_of(html).replace("/projects/wells/batches/visited/marketplace/preview/consent/", "CONSENT")
        words = words.replace("/projects/wells/consent/?next=/visit/", "CONSENT").replace(until, "TIME")
        words = words.replace(f"{HERE}welcome/", "LEAVE").replace("/visit/leave/", "LEAVE")
        lines = [line.strip() for line in words.splitlines()]
        return [line for line in lines if line and "csrf" not in line and "Time left" not in line]

    assert comparable(member.get(f"{HERE}welcome/").content.decode()) == comparable(ann.text)


def test_the_link_leads_members_to_the_preview_and_nobody_else(study: PanelStudy, member: Client) -> None:
    link = f"/visit/{study.token}/"
    assert f"{HERE}welcome/" in member.get(link).content.decode()
    stranger = Client()
    stranger.force_login(User.objects.create_user("eve", password=PASSWORD))
    assert HERE not in stranger.get(link).content.decode()
    assert stranger.get(f"{HERE}welcome/").status_code == 404
    assert f"{HERE}welcome/" in member.get("/projects/wells/batches/visited/marketplace/").content.decode()
