"""Whatever a requester and workers do, in whatever order: counters, states and money stay what they must be."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.db import transaction
from django.db.models import Sum
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from annotation.flow.money import ledger
from annotation.flow.work import leases
from annotation.models import Account, Assignment, Batch, Payment, Project
from annotation.mturk_api.flow import hit_funds
from annotation.mturk_api.flow.hit_expiry import catch_up
from annotation.mturk_api.models import Listing
from annotation.pure.mturk import hit_status
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.worker_acts import HIT, TERMS, accept, later, pass_time, submit, worker

PLACES = st.integers(1, 12)
WHICH = st.integers(0, 99)
EXPECTED = ("status of", "insufficient funds", "10 or more", "higher reward", "earlier time", "already")


class Marketplace(RuleBasedStateMachine):
    """A requester through boto3, three workers through the verbs, and time."""

    @initialize(fees=st.sampled_from(["house", "mturk"]), money=st.sampled_from(["4.00", "10000.00"]))
    def open(self, fees: str, money: str) -> None:
        self.point = transaction.atomic()
        self.point.__enter__()
        self.key = requester(balance=money)
        Project.objects.filter(pk=self.key.project_id).update(fees=fees)
        self.project = Project.objects.get(pk=self.key.project_id)
        self.put_in = Decimal(money)
        self.client = mturk(self.key)
        self.workers = [worker(self.project, name) for name in ("bob", "carol", "dan")]

    def teardown(self) -> None:
        if hasattr(self, "point"):
            transaction.set_rollback(True)
            self.point.__exit__(None, None, None)

    def call(self, operation: str, **members: Any) -> Any:
        refused = None
        try:
            return getattr(self.client, operation)(**members)
        except ClientError as error:
            refused = error
        assert refused.response["ResponseMetadata"]["HTTPStatusCode"] == 400, refused
        assert any(words in str(refused) for words in EXPECTED), refused
        return None

    def pick(self, which: int) -> Listing | None:
        rows = list(Listing.objects.order_by("pk"))
        return rows[which % len(rows)] if rows else None

    def pick_assignment(self, which: int, **of: Any) -> Assignment | None:
        rows = list(Assignment.objects.filter(**of).order_by("pk"))
        return rows[which % len(rows)] if rows else None

    @rule(places=PLACES, delay=st.sampled_from([0, 100, 2_592_000]), token=st.sampled_from([None, "one", "two"]))
    def create(self, places: int, delay: int, token: str | None) -> None:
        more = {"UniqueRequestToken": token} if token else {}
        before = Listing.objects.count()
        made = self.call("create_hit", **HIT, MaxAssignments=places, AutoApprovalDelayInSeconds=delay, **more)
        assert Listing.objects.count() == before + (made is not None)

    @rule(which=WHICH, more=st.integers(1, 4))
    def extend(self, which: int, more: int) -> None:
        if row := self.pick(which):
            self.call(
                "create_additional_assignments_for_hit",
                HITId=row.hit.public_id,
                NumberOfAdditionalAssignments=more,
            )

    @rule(which=WHICH, seconds=st.sampled_from([-1, 50, 4000, 9000]))
    def expire(self, which: int, seconds: int) -> None:
        if row := self.pick(which):
            self.call("update_expiration_for_hit", HITId=row.hit.public_id, ExpireAt=later(seconds))

    @rule(which=WHICH, revert=st.booleans())
    def review(self, which: int, revert: bool) -> None:
        if row := self.pick(which):
            self.call("update_hit_review_status", HITId=row.hit.public_id, Revert=revert)

    @rule(which=WHICH, reward=st.sampled_from(["0.10", "0.25", "0.40"]))
    def change_type(self, which: int, reward: str) -> None:
        if row := self.pick(which):
            made = self.client.create_hit_type(**TERMS | {"Reward": reward})["HITTypeId"]
            self.call("update_hit_type_of_hit", HITId=row.hit.public_id, HITTypeId=made)

    @rule(which=WHICH)
    def delete(self, which: int) -> None:
        if row := self.pick(which):
            self.call("delete_hit", HITId=row.hit.public_id)

    @rule(which=WHICH, override=st.booleans())
    def approve(self, which: int, override: bool) -> None:
        if row := self.pick_assignment(which):
            self.call("approve_assignment", AssignmentId=row.public_id, OverrideRejection=override)

    @rule(which=WHICH)
    def reject(self, which: int) -> None:
        if row := self.pick_assignment(which):
            self.call("reject_assignment", AssignmentId=row.public_id, RequesterFeedback="")

    @rule(which=WHICH, amount=st.sampled_from(["0.01", "1"]))
    def bonus(self, which: int, amount: str) -> None:
        if row := self.pick_assignment(which, state="submitted"):
            self.call(
                "send_bonus",
                WorkerId=row.worker.public_id,
                AssignmentId=row.public_id,
                BonusAmount=amount,
                Reason="Well done.",
            )

    @rule(which=WHICH, who=st.integers(0, 2), sends=st.booleans())
    def work(self, which: int, who: int, sends: bool) -> None:
        if row := self.pick(which):
            taken = accept(self.workers[who], row.hit.public_id)
            if taken and sends:
                submit(taken, word="well")

    @rule(which=WHICH)
    def send(self, which: int) -> None:
        row = self.pick_assignment(which, state="accepted")
        if row and row.lease_until > later(1):
            submit(row, word="tower")

    @rule(which=WHICH)
    def return_assignment(self, which: int) -> None:
        if row := self.pick_assignment(which, state="accepted"):
            leases.return_assignment(row)

    @rule(seconds=st.sampled_from([60, 700, 4000, 100 * 24 * 3600]))
    def wait(self, seconds: int) -> None:
        pass_time(seconds)

    @invariant()
    def hold(self) -> None:
        if not hasattr(self, "client"):
            return
        catch_up(self.project)
        for row in hit_funds.with_hit_state(Listing.objects.all()):
            self.check(row)
        self.balance()

    def check(self, row: Listing) -> None:
        """One HIT as it is shown, as its assignments say it is, and what lies ready for it."""
        shown = self.client.get_hit(HITId=row.hit.public_id)["HIT"]
        mine = Assignment.objects.filter(hit=row.hit)
        pending = mine.filter(state="accepted").count()
        undecided = mine.filter(state="submitted", approval="").count()
        completed = mine.filter(state="submitted").count() - undecided
        available = shown["NumberOfAssignmentsAvailable"]
        assert (shown["NumberOfAssignmentsPending"], shown["NumberOfAssignmentsCompleted"]) == (pending, completed)
        assert pending + undecided + completed + available == shown["MaxAssignments"]
        assert shown["HITStatus"] == hit_status.status(hit_funds.state_of(row))
        deleted = row.deleted_at is not None
        places = 0 if row.expired or deleted else available
        assert row.held == (pending + undecided + places) * hit_funds.cost(row.hit)
        assert not deleted or (not pending and not undecided)

    def balance(self) -> None:
        """Every dollar is somewhere, each batch holds what its HITs need, and who was approved is owed it."""
        accounts = dict(Account.objects.values_list("name", "balance"))
        assert sum(accounts.values()) == 0
        assert accounts["outside"] == -self.put_in
        for batch in Batch.objects.all():
            ready = Listing.objects.filter(hit__batch=batch).aggregate(held=Sum("held", default=Decimal(0)))["held"]
            assert accounts.get(ledger.held_for(batch), 0) == ready
        approved = Assignment.objects.filter(approval="approved").count()
        assert Payment.objects.filter(kind="reward").count() == approved
        result = self.client.get_account_balance()["AvailableBalance"]
        assert Decimal(result) == accounts["available"]


def check(examples: int, steps: int) -> None:
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    run_state_machine_as_test(
        Marketplace,
        settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=quiet),
    )


@pytest.mark.django_db
def test_nothing_that_anybody_does_breaks_a_hit_or_the_ledger() -> None:
    check(5, 15)


@pytest.mark.soak
@pytest.mark.django_db
def test_nothing_that_anybody_does_for_long_breaks_a_hit_or_the_ledger() -> None:
    check(150, 50)
