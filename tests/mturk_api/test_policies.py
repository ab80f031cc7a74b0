"""Review policies through boto3, from the HIT that names them to what they did."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError

from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.models import Assignment
from annotation.mturk_api.flow import external_submission, hit_expiry, policy_actions
from annotation.mturk_api.models import Listing, PolicyOutcome
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.refusals import refused
from tests.mturk_api.worker_acts import HIT, accept, pass_time, submit, work, worker

KNOWN, PLURALITY = "ScoreMyKnownAnswers/2011-09-01", "SimplePlurality/2011-09-01"


@pytest.fixture
def key(db: None) -> Any:
    return requester(balance="10.00")


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


def known(**values: Any) -> dict[str, Any]:
    entries = [{"Key": "q_1", "Values": ["yes"]}, {"Key": "q_2", "Values": ["no"]}]
    parameters = [{"Key": key, "Values": [str(value)]} for key, value in values.items()]
    return {"PolicyName": KNOWN, "Parameters": [{"Key": "AnswerKey", "MapEntries": entries}, *parameters]}


def plurality(**values: Any) -> dict[str, Any]:
    values = {"QuestionAgreementThreshold": 50} | values
    parameters = [{"Key": key, "Values": [str(value)]} for key, value in values.items()]
    return {"PolicyName": PLURALITY, "Parameters": [{"Key": "QuestionIds", "Values": ["q_1"]}, *parameters]}


def made(client: Any, **more: Any) -> str:
    return str(client.create_hit(**(HIT | more))["HIT"]["HITId"])


def actions(client: Any, hit: str, level: str = "Assignment") -> list[tuple[str, str, str]]:
    result = client.list_review_policy_results_for_hit(HITId=hit, PolicyLevels=[level], RetrieveResults=False)
    rows = result[f"{level}ReviewReport"]["ReviewActions"]
    return [(row["ActionName"], row["TargetId"], row["Status"]) for row in rows if row["ActionName"] != "review"]


def results(client: Any, hit: str, level: str) -> list[tuple[str, str]]:
    result = client.list_review_policy_results_for_hit(HITId=hit, PolicyLevels=[level], RetrieveActions=False)
    return [(row["Key"], row["Value"]) for row in result[f"{level}ReviewReport"]["ReviewResults"]]


def test_known_answers_approve_and_reject_at_once(client: Any, key: Any) -> None:
    policy = known(
        ApproveIfKnownAnswerScoreIsAtLeast=100,
        ApproveReason="All right.",
        RejectIfKnownAnswerScoreIsLessThan=50,
        RejectReason="None right.",
    )
    hit = made(client, MaxAssignments=3, AssignmentReviewPolicy=policy)
    bob, carol, dan = (worker(key.project, name) for name in ("bob", "carol", "dan"))
    rows = [
        work(bob, hit, q_1=" yes ", q_2="no"),
        work(carol, hit, q_1="no", q_2="yes"),
        work(dan, hit, q_1="yes", q_2="?"),
    ]
    for row in rows:
        row.refresh_from_db()
    assert [row.approval for row in rows] == ["approved", "rejected", ""]
    assert [row.approvals.get().text for row in rows[:2]] == ["All right.", "None right."]
    assert {row.approvals.get().source for row in rows[:2]} == {"policy"}
    assert actions(client, hit) == [
        ("approve", rows[0].public_id, "Succeeded"),
        ("reject", rows[1].public_id, "Succeeded"),
    ]
    found = results(client, hit, "Assignment")
    assert [value for name, value in found if name == "KnownAnswerScore"] == ["100", "0", "50"]
    assert found[:2] == [("KnownAnswerCorrect", "1"), ("KnownAnswerCorrect", "1")]


def test_a_hit_is_extended_for_each_who_did_not_know_up_to_the_limit(client: Any, key: Any) -> None:
    policy = known(ExtendIfKnownAnswerScoreIsLessThan=100, ExtendMaximumAssignments=2, ExtendMinimumTimeInSeconds=7200)
    hit = made(client, AssignmentReviewPolicy=policy)
    before = client.get_hit(HITId=hit)["HIT"]["Expiration"]
    work(worker(key.project, "bob"), hit, q_1="?")
    result = client.get_hit(HITId=hit)["HIT"]
    assert (result["MaxAssignments"], result["HITStatus"]) == (2, "Assignable")
    assert 3500 < (result["Expiration"] - before).total_seconds() < 3700
    work(worker(key.project, "carol"), hit, q_1="?")
    assert client.get_hit(HITId=hit)["HIT"]["MaxAssignments"] == 2
    assert [(name, status) for name, _target, status in actions(client, hit)] == [("extend", "Succeeded")] * 2
    report = client.list_review_policy_results_for_hit(HITId=hit)["AssignmentReviewReport"]["ReviewActions"]
    assert [row["Result"] for row in report if row["ActionName"] == "extend"] == [
        "Extended to 2 assignments",
        "Not extended: the HIT has 2 assignments",
    ]
    assert {row["TargetType"] for row in report if row["ActionName"] == "extend"} == {"HIT"}


def test_nobody_gets_to_ten_assignments_by_extending(client: Any, key: Any) -> None:
    policy = known(ExtendIfKnownAnswerScoreIsLessThan=101, ExtendMaximumAssignments=25)
    hit = made(client, MaxAssignments=9, AssignmentReviewPolicy=policy)
    work(worker(key.project, "bob"), hit, q_1="yes", q_2="no")
    assert client.get_hit(HITId=hit)["HIT"]["MaxAssignments"] == 9


def test_plurality_decides_when_nobody_works_on_the_hit_any_more(client: Any, key: Any) -> None:
    policy = plurality(
        ApproveIfWorkerAgreementScoreIsAtLeast=100, RejectIfWorkerAgreementScoreIsLessThan=100, RejectReason="Alone."
    )
    hit = made(client, MaxAssignments=3, HITReviewPolicy=policy)
    rows = [work(worker(key.project, f"w{k}"), hit, q_1=said) for k, said in enumerate(["a", "b", "a"])]
    for row in rows:
        row.refresh_from_db()
    assert [row.approval for row in rows] == ["approved", "rejected", "approved"]
    assert actions(client, hit, "HIT") == [
        ("approve", rows[0].public_id, "Succeeded"),
        ("reject", rows[1].public_id, "Succeeded"),
        ("approve", rows[2].public_id, "Succeeded"),
    ]
    found = results(client, hit, "HIT")
    assert found[:4] == [
        ("AgreedAnswerFound", "true"),
        ("AgreedAnswer", "a"),
        ("AnswerAgreementScore", "66"),
        ("HitAgreementScore", "100"),
    ]


def test_a_hit_without_agreement_is_extended_and_compared_again(client: Any, key: Any) -> None:
    policy = plurality(
        ExtendIfHITAgreementScoreIsLessThan=100,
        ExtendMaximumAssignments=3,
        ExtendMinimumTimeInSeconds=60,
        ApproveIfWorkerAgreementScoreIsAtLeast=100,
    )
    hit = made(client, MaxAssignments=2, HITReviewPolicy=policy)
    for k, said in enumerate(["a", "b"]):
        work(worker(key.project, f"w{k}"), hit, q_1=said)
    assert client.get_hit(HITId=hit)["HIT"]["MaxAssignments"] == 3
    work(worker(key.project, "w2"), hit, q_1="b")
    hit_expiry.notice_due()
    scores = [value for name, value in results(client, hit, "HIT") if name == "HitAgreementScore"]
    assert scores == ["0", "100"]
    assert sorted(Assignment.objects.values_list("approval", flat=True)) == ["", "approved", "approved"]


def test_a_hit_that_expires_is_compared_as_far_as_it_came(client: Any, key: Any) -> None:
    hit = made(client, MaxAssignments=3, HITReviewPolicy=plurality(ApproveIfWorkerAgreementScoreIsAtLeast=100))
    row = work(worker(key.project, "bob"), hit, q_1="a")
    assert results(client, hit, "HIT") == []
    pass_time(4000)
    for _time in range(2):
        hit_expiry.notice_due()
        policy_actions.apply_due()
    row.refresh_from_db()
    assert row.approval == "approved"
    assert len(actions(client, hit, "HIT")) == 1


def test_whoever_asks_for_results_need_not_wait_for_a_sweep(client: Any, key: Any) -> None:
    hit = made(client, MaxAssignments=3, HITReviewPolicy=plurality(ApproveIfWorkerAgreementScoreIsAtLeast=100))
    row = work(worker(key.project, "bob"), hit, q_1="a")
    pass_time(4000)
    assert actions(client, hit, "HIT") == [("approve", row.public_id, "Succeeded")]


def test_both_policies_of_a_hit_work_together(client: Any, key: Any) -> None:
    hit = made(
        client,
        MaxAssignments=3,
        AssignmentReviewPolicy=known(RejectIfKnownAnswerScoreIsLessThan=50),
        HITReviewPolicy=plurality(
            DisregardAssignmentIfRejected="T", DisregardAssignmentIfKnownAnswerScoreIsLessThan=50
        ),
    )
    for k, said in enumerate(["a", "yes", "yes"]):
        work(worker(key.project, f"w{k}"), hit, q_1=said)
    assert ("AnswerAgreementScore", "100") in results(client, hit, "HIT")


def test_what_cannot_be_done_is_told_as_failed(client: Any, key: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = known(ApproveIfKnownAnswerScoreIsAtLeast=0, RejectIfKnownAnswerScoreIsLessThan=101)
    hit = made(client, AssignmentReviewPolicy=policy)
    row = work(worker(key.project, "bob"), hit, q_1="yes")
    assert actions(client, hit) == [("approve", row.public_id, "Succeeded"), ("reject", row.public_id, "Failed")]
    report = client.list_review_policy_results_for_hit(HITId=hit)["AssignmentReviewReport"]["ReviewActions"]
    assert report[-1]["ErrorCode"] == "AWS.MechanicalTurk.InvalidAssignmentState"


def test_an_extension_beyond_the_budget_fails_and_leaves_the_hit(client: Any, key: Any) -> None:
    hit = made(client, Reward="6.00", AssignmentReviewPolicy=known(ExtendIfKnownAnswerScoreIsLessThan=101))
    work(worker(key.project, "bob"), hit, q_1="yes")
    assert client.get_hit(HITId=hit)["HIT"]["MaxAssignments"] == 1
    report = client.list_review_policy_results_for_hit(HITId=hit)["AssignmentReviewReport"]["ReviewActions"]
    assert (report[-1]["Status"], report[-1]["ErrorCode"]) == ("Failed", "AWS.MechanicalTurk.InsufficientFunds")


def test_what_was_left_undone_is_done_by_the_sweep_once(client: Any, key: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a crash between the submission and what follows from it."""
    hit = made(client, AssignmentReviewPolicy=known(ApproveIfKnownAnswerScoreIsAtLeast=50))
    with monkeypatch.context() as patched:
        patched.setattr(external_submission.policy_actions, "apply", lambda row: None)
        row = work(worker(key.project, "bob"), hit, q_1="yes")
    assert PolicyOutcome.objects.get(key="approve").status == "INTENDED"
    assert [policy_actions.apply_due(), policy_actions.apply_due()] == [1, 0]
    row.refresh_from_db()
    assert (row.approval, row.approvals.count()) == ("approved", 1)
    assert actions(client, hit) == [("approve", row.public_id, "Succeeded")]


def test_a_lock_that_does_not_come_is_not_the_workers_trouble(
    client: Any, key: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(hit_id: int) -> None:
        raise OperationalError("lock timeout")

    hit = made(client, AssignmentReviewPolicy=known(ApproveIfKnownAnswerScoreIsAtLeast=50))
    with monkeypatch.context() as patched:
        patched.setattr(hit_expiry, "notice", locked)
        row = work(worker(key.project, "bob"), hit, q_1="yes")
    policy_actions.apply_due()
    row.refresh_from_db()
    assert row.approval == "approved"


def test_policies_judge_a_submission_once(client: Any, key: Any) -> None:
    hit = made(client, AssignmentReviewPolicy=known(ApproveIfKnownAnswerScoreIsAtLeast=50))
    row = accept(worker(key.project, "bob"), hit)
    for _time in range(2):
        submit(row, q_1="yes")
    count = PolicyOutcome.objects.count()
    policy_actions.apply(row)
    assert PolicyOutcome.objects.count() == count == 5
    assert ledger.balance(key.project, ledger.owed_to(row.worker_id)) == row.hit.reward


def test_who_was_approved_by_hand_before_stays_so(client: Any, key: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hit = made(client, AssignmentReviewPolicy=known(ApproveIfKnownAnswerScoreIsAtLeast=50))
    with monkeypatch.context() as patched:
        patched.setattr(external_submission.policy_actions, "apply", lambda row: None)
        row = work(worker(key.project, "bob"), hit, q_1="yes")
    assignment_approval.approve(row)
    policy_actions.apply_due()
    report = client.list_review_policy_results_for_hit(HITId=hit)["AssignmentReviewReport"]["ReviewActions"]
    assert report[-1] | {"Status": "Succeeded", "Result": "Already approved"} == report[-1]


@pytest.mark.parametrize(
    ("name", "policy", "text"),
    [
        ("AssignmentReviewPolicy", plurality(), "the policy here must be ScoreMyKnownAnswers"),
        ("HITReviewPolicy", known(), "the policy here must be SimplePlurality"),
        ("HITReviewPolicy", {"PolicyName": "Guess/2011-09-01"}, "the policy here must be SimplePlurality"),
        ("AssignmentReviewPolicy", {"PolicyName": KNOWN}, "AnswerKey must map"),
        ("AssignmentReviewPolicy", known(ApproveIfKnownAnswerScoreIsAtLeast=102), "from 0 to 101"),
        ("HITReviewPolicy", plurality(ExtendIfHITAgreementScoreIsLessThan=5), "are required with"),
        ("HITReviewPolicy", plurality(Luck=5), "has no parameter 'Luck'"),
    ],
)
def test_a_hit_with_a_wrong_policy_is_not_made(client: Any, name: str, policy: dict[str, Any], text: str) -> None:
    assert text in refused(client.create_hit, **HIT, **{name: policy})
    assert not Listing.objects.exists()


def test_results_come_by_level_by_sort_and_in_pages(client: Any, key: Any) -> None:
    hit = made(client, MaxAssignments=2, AssignmentReviewPolicy=known(), HITReviewPolicy=plurality())
    for k in range(2):
        work(worker(key.project, f"w{k}"), hit, q_1="yes")
    whole = client.list_review_policy_results_for_hit(HITId=hit)
    assert (whole["HITId"], whole["HITReviewPolicy"]["PolicyName"]) == (hit, PLURALITY)
    assert "HITReviewReport" not in client.list_review_policy_results_for_hit(HITId=hit, PolicyLevels=["Assignment"])
    seen, more = 0, {}
    while True:
        page = client.list_review_policy_results_for_hit(HITId=hit, MaxResults=4, **more)
        reports = [page["AssignmentReviewReport"], page["HITReviewReport"]]
        seen += sum(len(rows) for report in reports for rows in report.values())
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert seen == PolicyOutcome.objects.count()
    refused(mturk(requester("other")).list_review_policy_results_for_hit, code="HITDoesNotExist", HITId=hit)
