"""A requester with a study on a panel: adding the panel, publishing, deciding on visits, and paying from a list."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import Sum
from django.test import Client

from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.marketplaces.models import Connection, PanelStudy, Visit
from annotation.models import Assignment, Hit, Payment
from tests.marketplaces.panel import Participant, study_of
from tests.replaying import replayed

pytestmark = pytest.mark.django_db
HERE = "/projects/wells/batches/visited/marketplace/"


@pytest.fixture
def study(project: Any, dataset: Any) -> PanelStudy:
    return replayed("study", lambda: study_of(project, dataset), project, dataset)


def act(client: Client, name: str, **fields: Any) -> str:
    return str(client.post(f"{HERE}study/{name}/", fields, follow=True).content.decode())


def page(client: Client, **query: str) -> str:
    return str(client.get(HERE, query).content.decode())


def test_a_panel_is_added_with_lines_of_settings_and_without_keys(requester: Client, project: Any) -> None:
    given = {"name": "sona", "preset": "link", "fees": "house", "region": ""}
    lines = "participant = survey_code\nreturn = https://uni.example/credit?code={code}&survey_code={participant}"
    shown = requester.post("/projects/wells/marketplaces/", given | {"options": lines}, follow=True)
    assert (b"sona was added" in shown.content, b"Test it before" in shown.content) == (True, False)
    place = Connection.objects.get(name="sona")
    assert (place.kind, place.options["participant"], place.endpoint_url) == ("link", "survey_code", "")
    for wrong, why in [("participant", "name = value"), ("color = red", "no option color"), ("return = x", "full")]:
        shown = requester.post("/projects/wells/marketplaces/", given | {"name": "other", "options": wrong})
        assert shown.status_code == 422
        assert why in shown.content.decode()


def test_a_panel_has_the_fees_that_its_kind_is_known_for_until_others_are_chosen(
    requester: Client, project: Any
) -> None:
    given = {"preset": "prolific", "region": "", "secret": "token", "fees": ""}
    for name, chosen, stored in [("usual", "", "pct43"), ("university", "pct33", "pct33"), ("old", "house", "house")]:
        shown = requester.post("/projects/wells/marketplaces/", given | {"name": name, "fees": chosen}, follow=True)
        assert shown.status_code == 200
        assert Connection.objects.get(name=name).fees == stored
    assert b"as of July 2026" in shown.content
    requester.post("/projects/wells/marketplaces/", {"name": "sona", "preset": "link", "region": "", "fees": ""})
    assert Connection.objects.get(name="sona").fees == "house"


def test_a_panel_is_added_by_command(project: Any) -> None:
    said = StringIO()
    options = ["participant=PID", "return=https://panel.example/?cc={code}"]
    call_command("marketplace", "add", "panel", project="wells", kind="link", option=options, json=True, stdout=said)
    assert json.loads(said.getvalue())["kind"] == "link"
    assert Connection.objects.get().options == dict(text.split("=", 1) for text in options)


def test_a_visit_of_a_panel_that_tells_nothing_has_no_column_for_it(requester: Client, study: PanelStudy) -> None:
    Participant(study).arrive()
    html = page(requester, show="all")
    assert "visit-of-ann" in html or "<code>ann" in html
    assert "On the marketplace" not in html
    Visit.objects.update(trouble="wrong code")
    assert "wrong code" in page(requester, show="all")


def test_a_study_is_set_up_published_paused_and_stopped(requester: Client, project: Any, dataset: Any) -> None:
    study = study_of(project, dataset, publish=False)
    assert f"/visit/{study.token}/" in page(requester)
    codes = {f"code_{outcome}": f"MY-{outcome}" for outcome in study.codes}
    act(requester, "settings", hits="3", places="5", **codes)
    study.refresh_from_db()
    assert (study.hits_per_visit, study.places, study.reward) == (3, 5, Decimal("1.20"))
    assert study.codes["done"] == "MY-done"
    same = requester.post(f"{HERE}study/settings/", {"hits": "3", "places": "5", **dict.fromkeys(codes, "SAME")})
    assert (same.status_code, "a code of its own" in same.content.decode()) == (422, True)
    for goal, name in [("active", "publish"), ("paused", "pause"), ("active", "publish"), ("stopped", "stop")]:
        act(requester, name)
        study.refresh_from_db()
        assert study.goal == goal
    assert "only its number of places" in act(requester, "settings", hits="2", places="5", **codes)
    assert "fewer places" in act(requester, "places", places="2")
    act(requester, "places", places="9")
    study.refresh_from_db()
    assert study.places == 9


def test_pausing_and_closing_the_batch_pauses_its_study(study: PanelStudy) -> None:
    from annotation.flow.batches import batch_launch

    batch_launch.pause(study.batch)
    assert PanelStudy.objects.get().goal == "paused"
    batch_launch.resume(study.batch)
    assert PanelStudy.objects.get().goal == "active"


def test_an_approved_visit_is_paid_once_from_a_list(requester: Client, study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(2)
    assert "ann" in page(requester)
    # a browser would not send the approval without a reason
    assert not re.search(r"<textarea[^>]* required", page(requester))
    assert "1 visit was approved" in act(requester, "approve", visit=str(ann.visit.pk))
    assert set(Assignment.objects.values_list("approval", flat=True)) == {"approved"}
    assert "$0.80 to 1 participant" in page(requester)
    lines = b"".join(requester.get(f"{HERE}pay.csv")).decode().splitlines()
    assert [line.strip("\ufeff") for line in lines][1:] == [f"ann,visit-of-ann,{study.codes['done']},0.80"]
    newest = Payment.objects.order_by("pk").last()
    assert newest is not None
    act(requester, "paid", up_to=str(newest.pk))
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
    assert "to 1 participant" not in page(requester)
    assert "0 visits were approved" in act(requester, "approve", visit=str(ann.visit.pk))
    assert Payment.objects.aggregate(sum=Sum("amount"))["sum"] == study.reward


def test_the_reason_of_a_refusal_is_not_required_by_the_buttons_that_approve(
    requester: Client, study: PanelStudy
) -> None:
    Participant(study).work(2)
    shown = page(requester)
    assert shown.count("formnovalidate") == 2
    assert 'name="reason"' in shown


def test_a_visit_with_fewer_hits_is_paid_its_whole_reward(requester: Client, project: Any, dataset: Any) -> None:
    study = study_of(project, dataset, hits=3, assignments_per_hit=1)
    Participant(study, "bea").work(3)
    ann = Participant(study)
    ann.work(1)
    act(requester, "approve", all="1")
    paid = Payment.objects.filter(assignment__worker=ann.visit.worker)
    assert paid.aggregate(sum=Sum("amount"))["sum"] == study.reward == Decimal("1.20")
    assert ledger.balance(project, ledger.held_for(study.batch)) == 0


def test_a_rejected_visit_costs_nothing_and_its_hits_are_asked_for_again(
    requester: Client, project: Any, study: PanelStudy
) -> None:
    ann = Participant(study)
    before = ledger.balance(project, ledger.held_for(study.batch))
    ann.work(2)
    assert "reason" in act(requester, "reject", visit=str(ann.visit.pk), reason="")
    assert ann.visit.decision == ""
    assert "1 visit was rejected" in act(requester, "reject", visit=str(ann.visit.pk), reason="Nothing was read.")
    assert set(Assignment.objects.values_list("approval", flat=True)) == {"rejected"}
    assert Hit.objects.filter(wanted=3).count() == 2
    assert ledger.balance(project, ledger.held_for(study.batch)) == before
    assert not Payment.objects.exists()
    assert "0 visits were approved" in act(requester, "approve", visit=str(ann.visit.pk))


def test_what_was_typed_and_ticked_stays_when_every_decision_is_refused(requester: Client, study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(2)
    key = str(ann.visit.pk)
    answer = requester.post(f"{HERE}study/part/", {"visit": key, "reason": "Half was read.", "percent": "0"})
    shown = answer.content.decode()
    assert (answer.status_code, "Give 1 to 99 percent" in shown, "0 visits" in shown) == (422, True, False)
    assert "Half was read.</textarea>" in shown
    assert re.search(rf'<input type="checkbox" name="visit" value="{key}"\s+checked>', shown)
    assert re.search(r'<details class="card" open>\s+<summary>Reject', shown)


def test_one_response_of_a_visit_is_not_rejected_alone_and_approving_all_approves_the_visit(
    study: PanelStudy,
) -> None:
    ann = Participant(study)
    ann.work(2)
    first, second = Assignment.objects.select_related("batch", "hit").order_by("pk")
    with pytest.raises(Refused, match="paid as a whole"):
        assignment_approval.reject(first, text="No.")
    first.refresh_from_db()
    assert first.approval == ""
    assignment_approval.approve(first)
    assert ann.visit.decision == ""
    assignment_approval.approve(second)
    assert ann.visit.decision == "approved"
    assert Payment.objects.aggregate(sum=Sum("amount"))["sum"] == study.reward


def test_who_did_not_agree_needs_no_decision(requester: Client, study: PanelStudy) -> None:
    ann = Participant(study)
    ann.arrive()
    ann.go("/visit/leave/", post=True)
    assert "ann" not in page(requester, show="waiting").partition("Visits")[2]
    assert "no consent" in page(requester, show="done").partition("visits-title")[2]


def test_a_visit_under_way_cannot_be_decided(requester: Client, study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(1)
    assert "0 visits were approved" in act(requester, "approve", visit=str(ann.visit.pk))
    assert Visit.objects.get().decision == ""


def test_nobody_without_the_role_decides_and_a_study_of_others_is_not_found(study: PanelStudy, bob: Any) -> None:
    ann = Participant(study)
    ann.work(2)
    client = Client()
    client.force_login(bob.user)
    assert client.post(f"{HERE}study/approve/", {"all": "1"}).status_code == 404
    assert client.get(f"{HERE}pay.csv").status_code == 404
    assert ann.visit.decision == ""


def test_a_visit_without_a_response_is_not_approved_where_people_are_paid_from_a_list(
    requester: Client, study: PanelStudy
) -> None:
    ann = Participant(study)
    ann.start()
    ann.go("/visit/leave/", post=True)
    Visit.objects.update(remote_state="")
    assert "no response here" in act(requester, "approve", visit=str(ann.visit.pk))
    assert ann.visit.decision == ""


def test_a_part_is_on_the_list_of_whom_to_pay_and_its_responses_count(requester: Client, study: PanelStudy) -> None:
    ann = Participant(study, "ann")
    ann.work(2)
    assert "1 to 99 percent" in act(requester, "part", visit=str(ann.visit.pk), reason="Half of it.", percent="100")
    assert "A part is paid for 1 visit" in act(
        requester, "part", visit=str(ann.visit.pk), reason="Half of it.", percent="50"
    )
    rows = b"".join(requester.get(f"{HERE}pay.csv")).decode().splitlines()
    assert rows[1] == f"ann,visit-of-ann,{study.codes['done']},0.40"
    assert set(Assignment.objects.values_list("approval", flat=True)) == {"approved"}
    act(requester, "paid", up_to=str(Payment.objects.latest("pk").pk))
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
