"""What our client asks of Prolific, and what the emulator does about it, both as the interface description says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from prolific_emulator import people, submissions
from prolific_emulator.server import Emulator
from prolific_emulator.world import Submission

from annotation.marketplaces.base import AlreadyThere, Denied, Endpoint, Gone, TryAgain, WrongState
from annotation.marketplaces.prolific.marketplace import Prolific
from annotation.marketplaces.study_base import Status, StudyStatus, Ticket
from tests.prolific_emulator.conftest import SPEC, client_for

TakesPart = Callable[..., Submission]
REASON = "You gave the same word as the answer to every question, although none of the paragraphs holds that word."


def test_a_study_is_created_once_for_a_token(prolific: Prolific) -> None:
    made = prolific.create_study(SPEC)
    with pytest.raises(AlreadyThere) as again:
        prolific.create_study(SPEC)
    assert again.value.external_id == made
    assert prolific.create_study(replace(SPEC, token="other")) != made


@pytest.mark.soak
def test_a_study_is_found_again_among_many(prolific: Prolific) -> None:
    made = prolific.create_study(SPEC)
    for number in range(120):
        prolific.create_study(replace(SPEC, token=f"t{number}"))
    with pytest.raises(AlreadyThere) as again:
        prolific.create_study(SPEC)
    assert again.value.external_id == made


def test_money_goes_out_and_comes_back_as_the_same_amount(emulator: Emulator, prolific: Prolific) -> None:
    study = prolific.create_study(replace(SPEC, reward=Decimal("1.07")))
    assert emulator.world.studies[study]["reward"] == 107
    assert prolific.study(study).reward == Decimal("1.07")
    with pytest.raises(Denied, match="whole number"):
        prolific.create_study(replace(SPEC, reward=Decimal("1.005"), token="half"))


def test_a_study_goes_through_its_states_and_each_step_twice_is_once(prolific: Prolific) -> None:
    study = prolific.create_study(SPEC)
    assert prolific.study(study).status == StudyStatus.DRAFT
    steps = [
        (prolific.publish, StudyStatus.ACTIVE),
        (prolific.pause, StudyStatus.PAUSED),
        (prolific.start, StudyStatus.ACTIVE),
        (prolific.stop, StudyStatus.STOPPED),
    ]
    for step, status in steps:
        step(study)
        step(study)
        assert prolific.study(study).status == status
    with pytest.raises(WrongState):
        prolific.pause(study)


def test_a_scheduled_study_is_published_when_the_clock_comes_to_it(emulator: Emulator, prolific: Prolific) -> None:
    study = prolific.create_study(SPEC)
    prolific.schedule(study, emulator.world.now() + timedelta(hours=2))
    assert prolific.study(study).status == StudyStatus.SCHEDULED
    emulator.world.turn(timedelta(hours=3))
    assert prolific.study(study).status == StudyStatus.ACTIVE


def test_places_are_raised_and_never_lowered(prolific: Prolific, published: str) -> None:
    prolific.set_places(published, 5)
    prolific.set_places(published, 4)
    assert prolific.study(published).places == 5


def test_more_places_reopen_a_stopped_study(prolific: Prolific, published: str) -> None:
    prolific.stop(published)
    prolific.set_places(published, 5)
    assert prolific.study(published).status == StudyStatus.ACTIVE


def test_a_wage_below_the_floor_cannot_be_published(prolific: Prolific) -> None:
    study = prolific.create_study(replace(SPEC, reward=Decimal("0.20")))
    with pytest.raises(WrongState, match="an hour"):
        prolific.publish(study)


def test_an_unknown_study_and_submission_are_gone(prolific: Prolific) -> None:
    for ask in (prolific.study, prolific.submission, prolific.publish):
        with pytest.raises(Gone):
            ask("nobody")
    with pytest.raises(Gone):
        list(prolific.submissions("nobody"))
    with pytest.raises(Gone):
        prolific.approve(["nobody"])


def test_a_participant_comes_with_their_parameters_and_goes_back_with_a_code(
    emulator: Emulator, prolific: Prolific, takes_part: TakesPart
) -> None:
    one = takes_part(code=None)
    url = submissions.start(emulator.world, one)
    ticket = Ticket(one.participant, one.id, one.study)
    query = dict(part.split("=") for part in url.partition("?")[2].split("&"))
    assert url.startswith(SPEC.url + "?")
    assert prolific.ticket(query) == ticket
    assert prolific.return_url("done", "CODE0", ticket) == f"{emulator.url}/submissions/complete?cc=CODE0"


def test_submissions_are_read_alone_and_in_lists(prolific: Prolific, takes_part: TakesPart, published: str) -> None:
    one, other = takes_part("c" * 24), takes_part("d" * 24, code=None)
    seen = {row.external_id: row for row in prolific.submissions(published)}
    assert (seen[one.id].status, seen[one.id].code) == (Status.AWAITING, "CODE0")
    assert (seen[other.id].status, seen[other.id].participant) == (Status.ACTIVE, "d" * 24)
    alone = prolific.submission(one.id)
    assert (alone.study, alone.participant, alone.bonuses) == (published, "c" * 24, ())
    assert alone.completed_at is not None
    assert alone.completed_at <= datetime.now(UTC) + timedelta(seconds=1)


def test_all_pages_of_submissions_are_read(emulator: Emulator, prolific: Prolific, published: str) -> None:
    prolific.set_places(published, 250)
    with emulator.world.lock:
        for number in range(200):
            submissions.reserve(emulator.world, emulator.world.studies[published], f"{number:024x}")
    assert len({row.external_id for row in prolific.submissions(published)}) == 200


def test_approving_twice_is_once(prolific: Prolific, takes_part: TakesPart) -> None:
    one = takes_part()
    prolific.approve([one.id])
    prolific.approve([one.id])
    assert (one.status, one.approvals) == ("APPROVED", 1)


def test_many_are_approved_at_once_and_one_that_cannot_be_holds_up_nobody(
    prolific: Prolific, takes_part: TakesPart
) -> None:
    one, other, working = takes_part("c" * 24), takes_part("d" * 24), takes_part("e" * 24, code=None)
    with pytest.raises(TryAgain, match="not back yet"):
        prolific.approve([one.id, other.id, working.id])
    assert [one.status, other.status, working.status] == ["APPROVED", "APPROVED", "ACTIVE"]


def test_what_was_returned_is_not_approved(emulator: Emulator, prolific: Prolific, takes_part: TakesPart) -> None:
    one = takes_part()
    submissions.return_(emulator.world, one)
    with pytest.raises(WrongState, match="RETURNED"):
        prolific.approve([one.id])


def test_a_rejection_needs_a_hundred_letters_and_a_category(prolific: Prolific, takes_part: TakesPart) -> None:
    one = takes_part()
    with pytest.raises(WrongState, match="100 characters"):
        prolific.reject(one.id, reason="Bad.", category="LOW_EFFORT")
    prolific.reject(one.id, reason=REASON, category="LOW_EFFORT")
    prolific.reject(one.id, reason=REASON, category="LOW_EFFORT")
    assert prolific.submission(one.id).status == Status.REJECTED


def test_a_return_is_requested(emulator: Emulator, prolific: Prolific, takes_part: TakesPart) -> None:
    one = takes_part()
    prolific.request_return(one.id, reason="The pages did not load.")
    assert one.return_requested is not None
    submissions.return_(emulator.world, one)
    prolific.request_return(one.id, reason="The pages did not load.")


def test_a_part_is_paid_once_in_a_workspace_that_has_it(emulator: Emulator, takes_part: TakesPart) -> None:
    paying = client_for(emulator, options=(("partial_payment", "yes"),))
    with pytest.raises(Denied, match="DYNAMIC_PAYMENT"):
        paying.create_study(replace(SPEC, token="parts"))
    emulator.world.pays_parts = True
    study = paying.create_study(replace(SPEC, token="parts"))
    paying.publish(study)
    with emulator.world.lock:
        one = submissions.reserve(emulator.world, emulator.world.studies[study], "c" * 24)
        submissions.start(emulator.world, one)
        submissions.complete(emulator.world, one, "CODE0")
    for percent in (30, 40):
        paying.approve_in_part(one.id, token="parts", percent=percent, text="You did a third.")
    assert (paying.submission(one.id).status, one.part) == (Status.PARTLY_APPROVED, 45)
    assert [row.external_id for row in paying.submissions(study)] == [one.id]
    with pytest.raises(Denied, match="no such code"):
        paying.approve_in_part(takes_part().id, token="parts", percent=30, text="You did a third.")
    submissions.move(emulator.world, one, "RETURNED")
    with pytest.raises(WrongState):
        paying.approve_in_part(one.id, token="parts", percent=30, text="You did a third.")


def test_the_number_who_are_screened_out_with_pay_is_raised_after_publishing(
    emulator: Emulator, prolific: Prolific
) -> None:
    study = prolific.create_study(replace(SPEC, screen_out_reward=Decimal("0.20"), screen_out_places=2))
    prolific.publish(study)
    for places in (5, 5, 3):
        prolific.set_screen_out_places(study, places)
    assert prolific.study(study).screen_out_places == 5
    plain = prolific.create_study(replace(SPEC, token="plain"))
    prolific.set_screen_out_places(plain, 5)
    assert prolific.study(plain).screen_out_places == 0


def test_a_bonus_is_paid_at_every_call_and_listed_in_pounds(prolific: Prolific, takes_part: TakesPart) -> None:
    one = takes_part()
    payment = prolific.prepare_bonuses(one.study, [(one.id, Decimal("0.35"))])
    assert prolific.submission(one.id).bonuses == ()
    prolific.pay_bonuses(payment)
    assert prolific.submission(one.id).bonuses == (Decimal("0.35"),)
    prolific.pay_bonuses(payment)
    assert prolific.submission(one.id).bonuses == (Decimal("0.35"), Decimal("0.35"))


def test_a_bonus_arrives_late(emulator: Emulator, prolific: Prolific, takes_part: TakesPart) -> None:
    one = takes_part()
    emulator.world.bonus_delay = timedelta(minutes=5)
    prolific.pay_bonuses(prolific.prepare_bonuses(one.study, [(one.id, Decimal("0.35"))]))
    assert prolific.submission(one.id).bonuses == ()
    emulator.world.turn(timedelta(minutes=6))
    assert prolific.submission(one.id).bonuses == (Decimal("0.35"),)


def test_a_bonus_for_somebody_else_is_refused(prolific: Prolific, published: str) -> None:
    with pytest.raises(Denied, match="not taken part"):
        prolific.prepare_bonuses(published, [("nobody", Decimal("0.35"))])
    with pytest.raises(Denied, match="whole number"):
        prolific.prepare_bonuses(published, [("nobody", Decimal("0.355"))])


def test_groups_have_members_once_and_gate_a_study(emulator: Emulator, prolific: Prolific) -> None:
    group = prolific.ensure_group("Passed round 1")
    assert prolific.ensure_group("Passed round 1") == group
    prolific.add_to_group(group, ["c" * 24, "d" * 24])
    prolific.add_to_group(group, ["c" * 24])
    prolific.remove_from_group(group, ["d" * 24, "e" * 24])
    assert prolific.group_members(group) == {"c" * 24}
    study = prolific.create_study(replace(SPEC, allow=(group,)))
    prolific.publish(study)
    with emulator.world.lock:
        assert submissions.reserve(emulator.world, emulator.world.studies[study], "c" * 24)
        with pytest.raises(Exception, match="not open"):
            submissions.reserve(emulator.world, emulator.world.studies[study], "d" * 24)


def test_a_message_reaches_a_participant(emulator: Emulator, prolific: Prolific, takes_part: TakesPart) -> None:
    one = takes_part()
    prolific.message([one.participant], one.study, "Thank you.")
    assert [row["body"] for row in emulator.world.messages] == ["Thank you."]


def test_what_participants_write_is_read_and_what_we_wrote_is_not(
    emulator: Emulator, prolific: Prolific, takes_part: TakesPart
) -> None:
    one, began = takes_part(), emulator.world.now()
    prolific.message([one.participant], one.study, "Thank you.")
    people.write(emulator.world, one.participant, emulator.world.owner, "The page is empty.", one.study)
    (found,) = prolific.received_messages(began)
    assert (found.participant, found.text) == (one.participant, "The page is empty.")
    assert list(prolific.received_messages(emulator.world.now() + timedelta(minutes=1))) == []


def test_the_balance_falls_by_what_a_study_may_cost(prolific: Prolific) -> None:
    before = prolific.balance().available
    prolific.publish(prolific.create_study(SPEC))
    assert before - prolific.balance().available == Decimal("6.43")


def test_a_wrong_token_is_a_definite_no(emulator: Emulator) -> None:
    wrong = Prolific(Endpoint(emulator.url, "", "", "another"))
    with pytest.raises(Denied, match="token was refused"):
        wrong.balance()


def test_a_guarded_client_does_not_call_inside_the_network(emulator: Emulator) -> None:
    with pytest.raises(Denied, match="inside this network"):
        client_for(emulator, guarded=True).balance()


def test_a_draft_is_changed_and_a_schedule_cancelled_twice_as_once(emulator: Emulator, prolific: Prolific) -> None:
    study = prolific.create_study(SPEC)
    other = replace(SPEC, reward=Decimal("2.00"), warning="explicit", warning_details="Swearing.")
    for _time in range(2):
        prolific.update_study(study, other)
    assert prolific.study(study).reward == Decimal("2.00")
    assert emulator.world.studies[study]["content_warnings"] == ["explicit"]
    prolific.update_study(study, SPEC)
    assert emulator.world.studies[study]["content_warnings"] == []
    prolific.schedule(study, emulator.world.now() + timedelta(hours=2))
    for _time in range(2):
        prolific.unschedule(study)
    assert prolific.study(study).status == StudyStatus.DRAFT
    prolific.publish(study)
    with pytest.raises(WrongState):
        prolific.unschedule(study)
