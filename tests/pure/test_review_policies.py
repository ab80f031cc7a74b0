"""MTurk's review policies: reading their parameters, and what they make of answers."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.pure.mturk import review_policies as policies
from annotation.pure.mturk.review_policies import Action, BadPolicy, Work, field_values


def known(entries: dict[str, list[str]], **values: Any) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"Key": "AnswerKey", "MapEntries": [{"Key": key, "Values": texts} for key, texts in entries.items()]}
    ]
    parameters += [{"Key": key, "Values": [str(value)]} for key, value in values.items()]
    return {"PolicyName": policies.KNOWN_ANSWERS, "Parameters": parameters}


def plurality(questions: list[str], threshold: int = 50, **values: Any) -> dict[str, Any]:
    parameters = [{"Key": "QuestionIds", "Values": questions}]
    values = {"QuestionAgreementThreshold": threshold, **values}
    parameters += [{"Key": key, "Values": [str(value)]} for key, value in values.items()]
    return {"PolicyName": policies.PLURALITY, "Parameters": parameters}


def work(name: str, **more: Any) -> Work:
    answers = more.pop("answers")
    return Work(name, field_values([[key, value] for key, value in answers.items()]), **more)


def values(outcome: policies.Outcome, key: str, subject: str = "") -> dict[str, str]:
    return {r.question or r.subject_id: r.value for r in outcome.results if r.key == key and subject in r.subject_id}


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ([["q", "yes"]], True),
        ([["q", "  yes \n"]], True),
        ([["q", "Yes"]], False),
        ([["q", "yes."]], False),
        ([["q", "yes"], ["q", "no"]], False),
        ([], False),
        ([["q", "y" * 257]], False),
    ],
)
def test_an_answer_is_right_when_the_trimmed_texts_are_the_same(answer: list[list[str]], right: bool) -> None:
    policy = policies.read_known_answers(known({"q": [" yes "]}))
    outcome = policies.score_known_answers(policy, Work("A1", field_values(answer)), hit="H")
    assert values(outcome, "KnownAnswerCorrect") == {"q": "1" if right else "0"}
    assert policies.known_score(outcome) == (100 if right else 0)


@pytest.mark.parametrize(("given", "right"), [(["A", "B"], True), (["B", "A"], True), (["A"], False), ([], False)])
def test_all_the_values_of_a_key_must_be_given(given: list[str], right: bool) -> None:
    policy = policies.read_known_answers(known({"q": ["A", "B"]}))
    outcome = policies.score_known_answers(policy, Work("A1", field_values([["q", value] for value in given])), hit="H")
    assert policies.known_score(outcome) == 100 * right


def test_a_key_without_values_is_met_by_no_answer_only() -> None:
    policy = policies.read_known_answers(known({"q": []}))
    scores = [
        policies.known_score(policies.score_known_answers(policy, Work("A1", field_values(fields)), hit="H"))
        for fields in ([], [["q", " "]], [["q", "no"]])
    ]
    assert scores == [100, 100, 0]


def test_known_answers_decide_and_extend_by_the_score() -> None:
    limits = {"ApproveIfKnownAnswerScoreIsAtLeast": 67, "RejectIfKnownAnswerScoreIsLessThan": 50}
    policy = policies.read_known_answers(
        known(
            {"a": ["1"], "b": ["2"], "c": ["3"]},
            **limits,
            ApproveReason="Thanks",
            RejectReason="Sorry",
            ExtendIfKnownAnswerScoreIsLessThan=67,
        )
    )
    right = {"a": "1", "b": "2", "c": "3"}
    wanted = {}
    for many in range(4):
        answered = Work("A1", field_values([[key, right[key] if k < many else "x"] for k, key in enumerate(right)]))
        wanted[many] = policies.score_known_answers(policy, answered, hit="H").actions[1:]
    extend = Action("extend", "HIT", "H")
    assert wanted[3] == (Action("approve", "Assignment", "A1", "Thanks"),)
    assert wanted[2] == (extend,), "66 percent is neither 67 nor below 50"
    assert wanted[1] == wanted[0] == (Action("reject", "Assignment", "A1", "Sorry"), extend)
    assert policy.extension == policies.Extension(67, 5, 0)


def test_the_example_of_the_documentation_comes_out_as_printed_there() -> None:
    rows = {
        "W1": {"A": "coat", "B": "blue", "C": "large", "D": "Furry"},
        "W2": {"A": "sweater", "B": "blue", "C": "large", "D": "fur"},
        "W3": {"A": "coat", "B": "green", "C": "large", "D": "furr"},
    }
    policy = policies.read_plurality(plurality(["A", "B", "C", "D"]))
    outcome = policies.compare_answers(policy, [work(name, answers=row) for name, row in rows.items()], hit="H")
    assert values(outcome, "AgreedAnswer") == {"A": "coat", "B": "blue", "C": "large"}
    assert values(outcome, "AnswerAgreementScore") == {"A": "66", "B": "66", "C": "100"}
    assert values(outcome, "AgreedAnswerFound")["D"] == "false"
    assert values(outcome, "HitAgreementScore") == {"H": "75"}
    assert values(outcome, "WorkerAgreementScore") == {"W1": "100", "W2": "66", "W3": "66"}
    assert outcome.actions == ()


def test_plurality_approves_rejects_and_extends() -> None:
    policy = policies.read_plurality(
        plurality(
            ["q"],
            ApproveIfWorkerAgreementScoreIsAtLeast=100,
            RejectIfWorkerAgreementScoreIsLessThan=100,
            RejectReason="Others say otherwise",
            ExtendIfHITAgreementScoreIsLessThan=100,
            ExtendMaximumAssignments=4,
            ExtendMinimumTimeInSeconds=60,
        )
    )
    three = [work(f"W{k}", answers={"q": said}) for k, said in enumerate(["a", "a", "b"])]
    assert policies.compare_answers(policy, three, hit="H").actions == (
        Action("approve", "Assignment", "W0"),
        Action("approve", "Assignment", "W1"),
        Action("reject", "Assignment", "W2", "Others say otherwise"),
    )
    tied = [three[0], three[2]]
    assert policies.compare_answers(policy, tied, hit="H").actions == (Action("extend", "HIT", "H"),)


def test_a_threshold_of_100_is_reached_by_everybody_together() -> None:
    policy = policies.read_plurality(plurality(["q"], 100))
    both = [work("W1", answers={"q": "a"}), work("W2", answers={"q": "a "})]
    assert values(policies.compare_answers(policy, both, hit="H"), "AgreedAnswer") == {"q": "a"}


def test_disregarded_work_neither_counts_nor_is_decided_on() -> None:
    policy = policies.read_plurality(
        plurality(
            ["q"],
            DisregardAssignmentIfRejected="T",
            DisregardAssignmentIfKnownAnswerScoreIsLessThan=50,
            RejectIfWorkerAgreementScoreIsLessThan=100,
        )
    )
    works = [
        work("W1", answers={"q": "a"}),
        work("W2", answers={"q": "b"}, rejected=True),
        work("W3", answers={"q": "b"}, known=49),
        work("W4", answers={"q": "a"}, known=50),
    ]
    outcome = policies.compare_answers(policy, works, hit="H")
    assert values(outcome, "AnswerAgreementScore") == {"q": "100"}
    assert values(outcome, "WorkerAgreementScore") == {"W1": "100", "W4": "100"}
    assert outcome.actions == ()
    assert policies.compare_answers(policy, works[1:3], hit="H") == policies.Outcome()


def test_an_answer_that_is_too_long_is_not_used() -> None:
    policy = policies.read_plurality(plurality(["q"], RejectIfWorkerAgreementScoreIsLessThan=100))
    works = [
        work("W1", answers={"q": "a"}),
        work("W2", answers={"q": "a"}),
        work("W3", answers={"q": "b" * 257}),
    ]
    outcome = policies.compare_answers(policy, works, hit="H")
    assert values(outcome, "AnswerAgreementScore") == {"q": "100"}
    assert "W3" not in values(outcome, "WorkerAgreementScore")
    assert outcome.actions == ()


def test_spellings_of_old_clients_are_understood() -> None:
    policy = plurality([], 50, ApproveIfWorkerAgreementScoreIsNotLessThan=99, DisregardAssignmentIfRejected="true")
    policy["Parameters"][0] = {"Key": "QuestionIDs ", "Values": ["q1, q2"]}
    read = policies.read_plurality(policy)
    assert (read.questions, read.approve_from, read.without_rejected) == (("q1", "q2"), 99, True)


@pytest.mark.parametrize(
    "policy",
    [
        {"PolicyName": policies.PLURALITY},
        known({}),
        known({"": ["a"]}),
        known({"q": ["a"]}, ApproveIfKnownAnswerScoreIsAtLeast=102),
        known({"q": ["a"]}, RejectIfKnownAnswerScoreIsLessThan=-1),
        known({"q": ["a"]}, RejectIfKnownAnswerScoreIsLessThan="half"),
        known({"q": ["a"]}, ExtendMaximumAssignments=26),
        known({"q": ["a"]}, ExtendMinimumTimeInSeconds=60),
        known({"q": ["a"]}, QuestionIds="q"),
    ],
)
def test_known_answers_with_wrong_parameters_are_refused(policy: dict[str, Any]) -> None:
    with pytest.raises(BadPolicy):
        policies.read_known_answers(policy)


@pytest.mark.parametrize(
    "policy",
    [
        known({"q": ["a"]}),
        {"PolicyName": policies.PLURALITY},
        plurality([]),
        plurality(["q"], 101),
        plurality(["q"], DisregardAssignmentIfRejected="maybe"),
        plurality(["q"], ExtendIfHITAgreementScoreIsLessThan=50),
        plurality(["q"], questionids="p"),
    ],
)
def test_a_plurality_with_wrong_parameters_is_refused(policy: dict[str, Any]) -> None:
    with pytest.raises(BadPolicy):
        policies.read_plurality(policy)
