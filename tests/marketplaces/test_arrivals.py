"""Who comes through a marketplace's frame, and whose assignment it is."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from annotation.flow.review import problem_reports
from annotation.flow.work import leases, next_assignment, submissions
from annotation.marketplaces.flow import arrivals
from annotation.marketplaces.flow.arrivals import TurnedAway
from annotation.marketplaces.models import Arrival
from annotation.models import Assignment, Batch, Hit, Worker, WorkerBlock
from annotation.pure.batches import lifecycle
from tests.conftest import answer_to
from tests.marketplaces.frames import ORIGIN, entry, publish

pytestmark = pytest.mark.postgresql(reason="workers are made once, whoever comes first")


@pytest.fixture
def hit(batch: Any) -> Hit:
    publish(batch)
    return Hit.objects.select_related("batch__project", "publication__connection").filter(batch=batch).first()


def quiet(row: Assignment, *, minutes: float = 5) -> None:
    Assignment.objects.filter(pk=row.pk).update(accepted_at=timezone.now() - timedelta(minutes=minutes))


def test_whoever_accepted_has_a_place_and_comes_back_to_it(hit: Hit) -> None:
    first, again = arrivals.arrive(hit, entry(hit)), arrivals.arrive(hit, entry(hit))
    assert first == again
    assert first.assignment == again.assignment
    assert first.assignment.state == lifecycle.ACCEPTED
    hit.refresh_from_db()
    assert hit.live == 1
    worker = Worker.objects.get(external_id=f"{hit.publication.connection_id}:AWORKER1")
    assert (worker.user, first.assignment.worker) == (None, worker)


def test_the_same_assignment_with_another_worker_passes_the_place_on_and_keeps_the_draft(hit: Hit) -> None:
    former = arrivals.arrive(hit, entry(hit)).assignment
    submissions.save_draft(former, answer_to(former), version=0, active_seconds=3)
    now = arrivals.arrive(hit, entry(hit, "AWORKER2"))
    former.refresh_from_db()
    assert (former.state, former.draft["text"]) == (lifecycle.RETURNED, answer_to(former)["text"])
    assert now.assignment.state == lifecycle.ACCEPTED
    assert Arrival.objects.filter(external_assignment="3ASSIGNMENT1").count() == 2
    with pytest.raises(TurnedAway, match="to another worker"):
        arrivals.arrive(hit, entry(hit))
    submissions.save_draft(former, answer_to(former), version=1, active_seconds=4)  # late, and kept
    assert arrivals.holder(arrivals.token_for(now)) == now


def test_one_who_accepts_again_goes_on_with_the_same_assignment(hit: Hit) -> None:
    first = arrivals.arrive(hit, entry(hit))
    token = arrivals.token_for(first)
    second = arrivals.arrive(hit, entry(hit, assignment="3ASSIGNMENT2"))
    assert second.assignment == first.assignment
    assert arrivals.holder(token) is None
    assert arrivals.holder(arrivals.token_for(second)) == second


def test_a_full_hit_turns_away_and_the_arrival_says_why(hit: Hit) -> None:
    for name in ("A1", "A2"):
        arrivals.arrive(hit, entry(hit, name, f"3{name}"))
    with pytest.raises(TurnedAway, match="Other workers have taken"):
        arrivals.arrive(hit, entry(hit, "A3", "3A3"))
    turned = Arrival.objects.get(external_worker="A3")
    assert (turned.assignment, "Other workers" in turned.remote["turned_away"], turned.trouble) == (None, True, "")
    leases.return_assignment(Assignment.objects.get(worker__external_id__endswith=":A1"))
    assert arrivals.arrive(hit, entry(hit, "A3", "3A3")).remote == {}


def test_a_place_that_was_left_on_the_marketplace_goes_to_the_next(hit: Hit) -> None:
    first = arrivals.arrive(hit, entry(hit, "A1", "3A1")).assignment
    arrivals.arrive(hit, entry(hit, "A2", "3A2"))
    quiet(first)
    third = arrivals.arrive(hit, entry(hit, "A3", "3A3"))
    first.refresh_from_db()
    assert (first.state, third.assignment.state) == (lifecycle.RETURNED, lifecycle.ACCEPTED)
    receipt = submissions.submit(first, answer_to(first), key="0.a", base=0, active_seconds=1)
    assert (receipt.late, receipt.counts) == (True, False)  # stored all the same


def test_of_several_quiet_workers_the_one_quiet_for_longest_loses_the_place(hit: Hit) -> None:
    short, long = (arrivals.arrive(hit, entry(hit, name, f"3{name}")).assignment for name in ("A1", "A2"))
    quiet(short)
    quiet(long, minutes=9)
    arrivals.arrive(hit, entry(hit, "A3", "3A3"))
    states = [Assignment.objects.get(pk=row.pk).state for row in (short, long)]
    assert states == [lifecycle.ACCEPTED, lifecycle.RETURNED]


def test_a_submitted_hit_is_not_taken_from_anybody(hit: Hit) -> None:
    for name in ("A1", "A2"):
        row = arrivals.arrive(hit, entry(hit, name, f"3{name}")).assignment
        submissions.submit(row, answer_to(row), key="0.a", base=0, active_seconds=1)
        quiet(row)
    with pytest.raises(TurnedAway):
        arrivals.arrive(hit, entry(hit, "A3", "3A3"))
    assert Assignment.objects.filter(hit=hit, state=lifecycle.SUBMITTED).count() == 2


def close(hit: Hit) -> None:
    Batch.objects.filter(pk=hit.batch_id).update(state="closed")


def exclude(hit: Hit) -> None:
    problem_reports.exclude(hit, reason="broken")


def shut_out(hit: Hit) -> None:
    worker = Worker.objects.create(project=hit.batch.project, external_id=f"{hit.publication.connection_id}:AWORKER1")
    WorkerBlock.objects.create(worker=worker, reason="spam")


@pytest.mark.parametrize("cause", [close, exclude, shut_out])
def test_who_may_not_is_turned_away(cause: Any, hit: Hit) -> None:
    cause(hit)
    hit = Hit.objects.select_related("batch__project", "publication__connection").get(pk=hit.pk)
    with pytest.raises(TurnedAway):
        arrivals.arrive(hit, entry(hit))
    assert not Assignment.objects.filter(hit=hit).exists()


def test_nobody_meets_two_items_that_belong_together(hit: Hit, batch: Any) -> None:
    other = Hit.objects.filter(batch=batch).exclude(pk=hit.pk).first()
    Hit.objects.filter(pk=other.pk).update(group_key=hit.group_key)
    arrivals.arrive(hit, entry(hit))
    other = Hit.objects.select_related("batch__project", "publication__connection").get(pk=other.pk)
    with pytest.raises(TurnedAway, match="worked on a related item"):
        arrivals.arrive(other, entry(other, assignment="3A9"))


def test_nobody_gets_more_than_the_batch_lets_one_worker_have(hit: Hit, batch: Any) -> None:
    type(batch).objects.filter(pk=batch.pk).update(most_per_worker=1)
    other = Hit.objects.filter(batch=batch).exclude(pk=hit.pk).first()
    hit, other = (
        Hit.objects.select_related("batch__project", "publication__connection").get(pk=each.pk) for each in (hit, other)
    )
    arrivals.arrive(hit, entry(hit))
    arrivals.arrive(hit, entry(hit))  # the same one again
    with pytest.raises(TurnedAway, match="as many of these as one person may"):
        arrivals.arrive(other, entry(other, assignment="3A9"))


def test_another_hits_id_is_refused(hit: Hit) -> None:
    with pytest.raises(TurnedAway, match="a different HIT"):
        arrivals.arrive(hit, entry(hit, hit="3OTHER"))
    arrivals.arrive(hit, entry(hit))
    other = Hit.objects.select_related("batch__project", "publication__connection").exclude(pk=hit.pk).first()
    with pytest.raises(TurnedAway, match="a different HIT"):
        arrivals.arrive(other, entry(other))  # the assignment is the first one's


@pytest.mark.parametrize("name", ["", " ", "a b", "x" * 65, "\0", "é", "../a", "A'--"])
def test_names_that_are_none_are_refused(name: str, hit: Hit) -> None:
    with pytest.raises(TurnedAway):
        arrivals.arrive(hit, entry(hit, name))


def mutations() -> list[str]:
    """200 addresses that resemble the marketplace's and are others."""
    rng = Random(7)
    found = {
        "", "//market.example", "http://market.example", "https://market.example:443", "https://market.example:8443",
        "https://market.example.evil.example", "https://evil.example/https://market.example", "https://market.example@evil.example",
        "https://evil.example@market.example", "https://market.example/path", "https://market.example//",
        "https://market.example?x", "https://market.example#", "https://MARKET.example", "HTTPS://market.example",
        "https:/market.example", "https:market.example", "https://market.example\\", " https://market.example",
        "https://market.example\n", "https://market.example\r\nX: y", "javascript:alert(1)", "data:text/html,x",
        "https://market%2eexample", "https://market.example.", "https://mаrket.example", "https://sub.market.example",
    }  # fmt: skip
    letters = "abcdefgh./:@#?%\\-_ \t0123456789é\u202e"
    while len(found) < 200:
        place, sign = rng.randrange(len(ORIGIN) + 1), rng.choice(letters)
        cut = rng.choice([0, 1])
        made = ORIGIN[:place] + sign + ORIGIN[place + cut :]
        if made.removesuffix("/") != ORIGIN:
            found.add(made)
    return sorted(found)


def test_no_address_but_the_marketplaces_own_is_submitted_to(hit: Hit) -> None:
    accepted = []
    for address in mutations():
        try:
            arrivals.arrive(hit, entry(hit, submit_to=address))
        except TurnedAway:
            continue
        accepted.append(address)
    assert accepted == []
    assert not Arrival.objects.exists()
    for address in (ORIGIN, f"{ORIGIN}/"):
        arrival = arrivals.arrive(hit, entry(hit, submit_to=address))
        row = arrival.assignment
        if row.state == lifecycle.ACCEPTED:
            submissions.submit(row, answer_to(row), key="0.a", base=0, active_seconds=1)
        arrival = arrivals.arrive(hit, entry(hit, submit_to=address))
        assert arrivals.leave(arrival).action == "https://market.example/mturk/externalSubmit"


@pytest.mark.parametrize(
    "origin", ["", "market.example", "https://a.example; script-src *", "ftp://a.example", "https://a/b"]
)
def test_a_marketplace_whose_origin_is_none_lets_nobody_in(origin: str, batch: Any) -> None:
    publish(batch, origin=origin)
    hit = Hit.objects.select_related("batch__project", "publication__connection").filter(batch=batch).first()
    assert arrivals.worker_origin(hit.publication.connection) == ""
    with pytest.raises(TurnedAway):
        arrivals.arrive(hit, entry(hit, submit_to=origin))


def test_a_token_is_its_assignments_and_ends(hit: Hit, monkeypatch: pytest.MonkeyPatch) -> None:
    arrival = arrivals.arrive(hit, entry(hit))
    token = arrivals.token_for(arrival)
    assert arrivals.holder(token) == arrival
    assert arrivals.token_for(arrival) != token
    for bad in ("", "x", token[:-1], token + "x", arrivals.signature(hit), token.replace(":", ".")):
        assert arrivals.holder(bad) is None
    other = Worker.objects.create(project=hit.batch.project, external_id="elsewhere")
    Assignment.objects.filter(pk=arrival.assignment_id).update(worker=other)
    assert arrivals.holder(token) is None
    Assignment.objects.filter(pk=arrival.assignment_id).update(worker=arrival.assignment.worker)
    later = timezone.now() + timedelta(seconds=2 * hit.batch.lease_seconds) + arrivals.GRACE + timedelta(seconds=2)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)
    assert arrivals.holder(token) is None


def test_leaving_twice_notes_the_first_time(hit: Hit) -> None:
    arrival = arrivals.arrive(hit, entry(hit))
    row = arrival.assignment
    submissions.submit(row, answer_to(row), key="0.a", base=0, active_seconds=1)
    arrival = arrivals.arrive(hit, entry(hit))
    first = arrivals.leave(arrival)
    stamp = Arrival.objects.get().posted_at
    assert stamp is not None
    assert arrivals.leave(arrivals.arrive(hit, entry(hit))) == first
    assert Arrival.objects.get().posted_at == stamp
    assert first.fields["assignmentId"] == "3ASSIGNMENT1"
    assert first.fields["submission"] == row.public_id
    assert first.fields["digest"] == row.responses.get().digest


def test_the_instructions_read_in_the_frame_is_the_assignments(hit: Hit) -> None:
    arrival = arrivals.arrive(hit, entry(hit))
    assert arrival.assignment.instructions_version == 0
    arrivals.read_instructions(arrival, version=1)
    assert Assignment.objects.get(pk=arrival.assignment_id).instructions_version == 1
    assert next_assignment.join_batch(arrival.assignment.worker, hit.batch).instructions_version == 1
