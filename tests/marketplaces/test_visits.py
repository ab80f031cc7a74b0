"""Participants who come by link: on the ordinary pages, as guests, until they have their code."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from annotation.flow.batches import batch_launch, reserved_hits, workers_needed
from annotation.flow.notifications import announcements
from annotation.flow.projects import overview
from annotation.flow.work import eligibility, next_assignment
from annotation.forms.batches import LaunchForm
from annotation.marketplaces.flow import studies, visit_decisions, visits
from annotation.marketplaces.models import PanelStudy, Visit, VisitAssignment
from annotation.models import Assignment, Batch, Hit, Notice, User, Worker, WorkerBlock, WorkerResponse
from tests.flow.acting import launched
from tests.marketplaces.panel import Participant, study_of, visited
from tests.replaying import replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(project: Any, dataset: Any) -> PanelStudy:
    return replayed("study", lambda: study_of(project, dataset), project, dataset)


def test_a_participant_works_and_goes_back_with_a_code(study: PanelStudy) -> None:
    ann = Participant(study)
    assert "Read how your responses are used" in ann.arrive().content.decode()
    ann.start()
    assert ann.page.redirect_chain[-1][0].startswith("/assignments/")
    assert "1 of 2" in ann.text
    ann.answer()
    assert "2 of 2" in ann.text
    ann.answer()
    assert ann.page.redirect_chain[-1][0] == "/visit/"
    code = study.codes["done"]
    assert f'<code id="code">{code}</code>' in ann.text
    assert f'href="https://panel.example/done?cc={code}&amp;p=ann"' in ann.text
    assert (ann.visit.state, ann.visit.outcome) == ("done", "done")
    assert VisitAssignment.objects.filter(visit=ann.visit, assignment__state="submitted").count() == 2


def test_the_visit_is_finished_by_its_last_response_even_if_no_page_follows(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(1)
    row = ann.under_way
    from tests.flow.acting import submit

    submit(row)
    assert (ann.visit.state, ann.visit.outcome) == ("done", "done")


def test_guests_are_none_of_the_projects_own_workers(study: PanelStudy, bob: Worker, carol: Worker) -> None:
    Worker.objects.filter(pk=carol.pk).update(active=False)
    Participant(study).work(1)
    guest = Worker.objects.get(visits__study=study)
    project, datasets = study.batch.project, list(study.batch.datasets.all())
    plain = launched(project, "plain", *datasets, assignments_per_hit=2, fresh_only=False)
    assert batch_launch.setting_warnings(plain) == ["You need 2 workers and have 1."]
    assert batch_launch.workers_missing(plain) == 1
    assert workers_needed.places_missing(project) == 1
    assert overview.totals(project)["annotators"] == 1
    assert eligibility.reach(project, []) == (1, 1)
    assert list(reserved_hits.people(plain)) == [bob]
    announcements.announce_due()
    assert list(Notice.objects.filter(kind="work").values_list("user", flat=True)) == [bob.user_id]
    choices = LaunchForm(project).fields["workers"].queryset
    assert (guest in choices, bob in choices) == (False, True)


def test_no_hit_beyond_those_of_the_visit(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(2)
    ann.go(f"/work/batches/{study.batch_id}/start/", post=True)
    assert "All done" in ann.text
    worker = Worker.objects.get(visits__external_id=ann.number)
    assert next_assignment.claim(next_assignment.join_batch(worker, study.batch)) is None
    assert Assignment.objects.filter(worker=worker).count() == 2


def test_an_item_that_is_taken_while_the_visit_ends_belongs_to_the_visit(study: PanelStudy, monkeypatch: Any) -> None:
    visit, take_slot = visited(study, "ann"), next_assignment.take_slot

    def ended_meanwhile(*which: int) -> int:
        Visit.objects.update(deadline=timezone.now())
        return take_slot(*which)

    monkeypatch.setattr(next_assignment, "take_slot", ended_meanwhile)
    made = next_assignment.claim(next_assignment.join_batch(visit.worker, study.batch))
    assert made is not None
    assert made.visited.visit == visit


def test_coming_again_goes_on_with_the_same_hit_on_another_device(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(1)
    row = ann.under_way
    phone = Participant(study)
    assert "1 of 2 done" in phone.arrive().content.decode()
    phone.go(f"/work/batches/{study.batch_id}/start/", post=True)
    assert phone.page.redirect_chain[-1][0] == f"/assignments/{row.public_id}/"
    phone.answer()
    assert "All done" in phone.text
    assert "All done" in ann.go("/visit/").content.decode()
    assert (Visit.objects.count(), User.objects.filter(username__startswith="guest-").count()) == (1, 1)


def test_a_guest_sees_no_page_but_those_of_the_visit(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.start()
    for path in ("/", "/work/", "/work/history/", "/accounts/", "/notices/", "/marketplace/", "/projects/wells/"):
        assert ann.client.get(path)["Location"] == "/visit/", path
    page = ann.go("/visit/").content.decode()
    assert "Sign out" not in page
    assert "Your account" not in page
    assert not User.objects.get(username__startswith="guest-").has_usable_password()


def test_somebody_else_s_visit_and_a_link_without_a_name_are_refused(study: PanelStudy) -> None:
    Participant(study).arrive()
    thief = Participant(study, "eve", visit="visit-of-ann")
    assert thief.arrive().status_code == 403
    assert "belongs to somebody else" in thief.text
    assert Participant(study).arrive(PID="").status_code == 403
    assert Participant(study).arrive(PID="<script>").status_code == 403
    assert Client().get("/visit/0123456789abcdef/").status_code == 404
    assert Client().get("/visit/").status_code == 404
    assert Visit.objects.count() == 1


def test_a_study_that_is_not_published_or_full_takes_nobody_new(project: Any, dataset: Any) -> None:
    study = study_of(project, dataset, publish=False)
    assert Participant(study).arrive().status_code == 403
    studies.pursue(study, studies.Goal.ACTIVE)
    study.refresh_from_db()
    for number in range(study.places):
        assert Participant(study, f"p{number}").arrive().status_code == 200
    assert Participant(study, "late").arrive().status_code == 403
    assert Participant(study, "p0").arrive().status_code == 200
    studies.raise_places(study, study.places + 1)
    assert Participant(study, "late").arrive().status_code == 200


def test_of_two_who_come_for_the_last_place_one_is_turned_away(
    project: Any, dataset: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_of(project, dataset)
    PanelStudy.objects.update(places=1)
    study.refresh_from_db()
    guest = visits._guest

    def overtaken(one: PanelStudy, name: str) -> Worker:
        if name == "ann":
            Participant(study, "ben").arrive()  # after ann was counted, before her visit is made
        return guest(one, name)

    monkeypatch.setattr(visits, "_guest", overtaken)
    assert Participant(study).arrive().status_code == 403
    assert Visit.objects.get().participant == "ben"


def test_who_does_not_agree_gets_a_code_of_their_own_and_nothing_is_kept_under_way(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.arrive()
    ann.go("/visit/leave/", post=True)
    assert study.codes["no_consent"] in ann.text
    assert "You decided not to take part" in ann.text


def test_responses_of_one_who_withdraws_are_erased_and_asked_for_again(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(1)
    row = Assignment.objects.get(state="submitted")
    assert "what you submitted in it is erased" in ann.go("/projects/wells/consent/").content.decode()
    ann.go("/projects/wells/consent/", {"withdraw": "1"}, post=True)
    assert study.codes["no_consent"] in ann.text
    row.refresh_from_db()
    assert row.approval == "rejected"
    assert row.reviews.last().decision == "discarded"
    assert not WorkerResponse.objects.exists()
    assert Hit.objects.get(pk=row.hit_id).wanted == 3
    assert not Assignment.objects.filter(state="accepted").exists()


def test_who_stops_gives_the_places_back(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(1)
    before = Hit.objects.get(pk=Assignment.objects.get(state="submitted").hit_id)
    ann.go("/visit/leave/", post=True)
    assert "Your responses so far are stored" in ann.text
    assert ann.visit.state == "ended"
    assert Hit.objects.get(pk=before.pk).wanted == before.wanted + 1
    assert not Hit.objects.filter(live__gt=0).exists()
    visits.sweep()
    assert Hit.objects.get(pk=before.pk).wanted == before.wanted + 1  # once


@pytest.mark.parametrize("counts", [False, True])
def test_responses_of_a_visit_that_timed_out_count_only_if_the_study_says_so(
    project: Any, dataset: Any, counts: bool
) -> None:
    study = study_of(project, dataset)
    PanelStudy.objects.update(use_timed_out=counts)
    ann = Participant(study)
    ann.work(1)
    row = Assignment.objects.get(state="submitted")
    Visit.objects.update(deadline=timezone.now() - timedelta(hours=1))
    assert visits.sweep() == 1
    assert visits.sweep() == 0
    assert (ann.visit.state, ann.visit.remote_state) == ("ended", "timed_out")
    assert not Hit.objects.filter(live__gt=0).exists()
    row.refresh_from_db()
    assert row.reviews.filter(decision="discarded").exists() is not counts
    assert Hit.objects.get(pk=row.hit_id).wanted == (2 if counts else 3)
    assert "over" in ann.go("/visit/").content.decode()


def test_an_answer_after_the_end_is_still_stored(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.start()
    row = ann.under_way
    Visit.objects.update(deadline=timezone.now() - timedelta(hours=1))
    visits.sweep()
    from tests.marketplaces.test_frame import fields

    ann.go(f"/assignments/{row.public_id}/submit/", fields(row), post=True)
    row.refresh_from_db()
    assert (row.state, row.late) == ("submitted", True)


def test_one_who_finds_fewer_hits_than_promised_is_done_and_paid_in_full(project: Any, dataset: Any) -> None:
    study = study_of(project, dataset, hits=3, assignments_per_hit=1)
    Participant(study, "bea").work(3)
    ann = Participant(study)
    ann.work(1)
    assert "you are paid in full" in ann.text
    assert study.codes["done"] in ann.text


def test_a_paused_worker_goes_back_with_the_code_of_failed_checks(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(1)
    ann.visit.worker.participations.update(paused_at=timezone.now())
    Batch.objects.update(check_share=0.1, check_rule={"after": 1, "warn_below": None, "pause_below": 0.5})
    ann.go("/visit/")
    assert study.codes["failed_checks"] in ann.text
    assert ann.visit.decision == ""


def test_who_did_a_hit_is_not_screened_out_without_a_look_at_it(study: PanelStudy) -> None:
    ann, ben = Participant(study), Participant(study, "ben")
    ann.work(1)
    ben.start()
    for one in (ann, ben):
        WorkerBlock.objects.create(worker=one.visit.worker, reason="No.")
        one.arrive()
    assert (ann.visit.outcome, ben.visit.outcome) == ("failed_checks", "screened_out")


def test_members_are_told_what_the_link_is_for_and_stay_signed_in(study: PanelStudy, alice: Any) -> None:
    client = Client()
    client.force_login(alice)
    page = client.get(f"/visit/{study.token}/", {"PID": "ann", "SID": "s"})
    assert b"private window" in page.content
    assert Visit.objects.count() == 0
    assert client.get("/projects/wells/").status_code == 200


def test_a_worker_with_an_account_cannot_do_a_study_s_hits(study: PanelStudy, bob: Any) -> None:
    client = Client()
    client.force_login(bob.user)
    Worker.objects.update(consented_version=1)
    page = client.post(f"/work/batches/{study.batch_id}/start/", follow=True)
    assert b"not open to you" in page.content


def test_who_does_not_agree_makes_room_for_another_participant(project: Any, dataset: Any) -> None:
    study = study_of(project, dataset)
    for number in range(study.places):
        Participant(study, f"p{number}").arrive()
    assert Participant(study, "late").arrive().status_code == 403
    ann = Participant(study, "p0")
    ann.arrive()
    ann.go("/visit/leave/", post=True)
    assert Participant(study, "late").arrive().status_code == 200


def test_a_hit_that_is_taken_up_in_a_later_visit_belongs_to_that(study: PanelStudy) -> None:
    first = Participant(study, visit="first")
    first.start()
    row = first.under_way
    second = Participant(study, visit="second")
    second.arrive()
    second.go(f"/assignments/{row.public_id}/take-up/", post=True)
    row.refresh_from_db()
    assert row.state == "accepted"
    assert VisitAssignment.objects.get(assignment=row).visit == second.visit
    second.answer()
    second.go(f"/work/batches/{study.batch_id}/start/", post=True)
    second.answer()
    assert (second.visit.state, second.visit.outcome) == ("done", "done")
    visits.sweep()
    row.refresh_from_db()
    assert (row.approval, row.reviews.count()) == ("", 0)


def test_one_whose_device_does_not_work_goes_back_with_a_code_for_that(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.start()
    assert "It does not work on my device" in ann.go("/visit/").content.decode()
    ann.go("/visit/leave/", {"device": "1"}, post=True)
    assert study.codes["incompatible"] in ann.text
    assert (ann.visit.state, ann.visit.outcome) == ("done", "incompatible")
    assert not Hit.objects.filter(live__gt=0).exists()
    bea = Participant(study, "bea")
    bea.work(1)
    assert "It does not work on my device" not in bea.go("/visit/").content.decode()
    bea.go("/visit/leave/", {"device": "1"}, post=True)
    assert bea.visit.state == "live"


@pytest.mark.parametrize("approved", [False, True])
def test_consent_withdrawn_after_a_visit_erases_what_is_not_approved_yet(study: PanelStudy, approved: bool) -> None:
    ann = Participant(study)
    ann.work(2)
    assert "if your responses should be erased" in ann.text
    if approved:
        visit_decisions.approve(ann.visit, user=None)
        assert "should be erased" not in ann.go("/visit/").content.decode()
    ann.go("/projects/wells/consent/", {"withdraw": "1"}, post=True)
    assert WorkerResponse.objects.count() == (2 if approved else 0)
    assert ann.visit.outcome == ("done" if approved else "no_consent")
    assert (study.codes["no_consent"] in ann.text) is not approved
    assert Hit.objects.filter(wanted=3).count() == (0 if approved else 2)
    row = Assignment.objects.filter(state="submitted").first()
    assert row is not None
    assert ann.go(f"/assignments/{row.public_id}/").status_code == 200


def test_who_stops_and_then_withdraws_is_erased_too(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.work(1)
    ann.go("/visit/leave/", post=True)
    assert WorkerResponse.objects.count() == 1
    ann.go("/projects/wells/consent/", {"withdraw": "1"}, post=True)
    assert WorkerResponse.objects.count() == 0
    assert Hit.objects.filter(wanted=3).count() == 1


UNFILLED = ["undefined", "null", "{{%PROLIFIC_PID%}}", "{pid}", "${id}", "%PID%", "[[PID]]", "<id>", "test", "TEST_1",
            "participant_id", "PROLIFIC_PID", "NaN", "[object Object]", "xxx", "???", "#id#", "0"]  # fmt: skip


@pytest.mark.parametrize("value", UNFILLED)
@pytest.mark.parametrize("name", ["PID", "SID"])
def test_a_link_that_was_not_filled_in_makes_no_guest_and_says_who_must_correct_it(
    study: PanelStudy, name: str, value: str
) -> None:
    ann = Participant(study)
    assert ann.arrive(**{name: value}).status_code == 403
    assert f"The link says “{escape(value)}” where your own id belongs" in ann.text
    assert "write to them where you found the study" in ann.text
    assert not Visit.objects.exists()


@pytest.mark.parametrize("value", ["ann+mill@lab.example", "5f0c1e", "tester-7", "Undine", "id-77", "00012", "P1"])
def test_ids_that_people_have_are_taken(study: PanelStudy, value: str) -> None:
    ann = Participant(study, name=value, visit=f"v-{value}")
    assert ann.arrive().status_code == 200
    assert ann.visit.participant == value


def test_a_plus_that_the_panel_did_not_encode_is_a_plus(study: PanelStudy) -> None:
    ann = Participant(study)
    ann.go(f"/visit/{study.token}/?PID=ann+mill@lab.example&SID=5")
    ann.number = "5"
    assert ann.visit.participant == "ann+mill@lab.example"
