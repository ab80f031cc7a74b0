"""MTurk's two review policies: their parameters, and their results and actions for submitted answers.

`ScoreMyKnownAnswers/2011-09-01` compares one assignment with a key, `SimplePlurality/2011-09-01` the assignments of a
HIT with each other. Answers are {question: values}; values match if all trimmed texts are equal.
Scores are whole percents, rounded down, and compared as they are reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# Spellings that clients and MTurk's own examples use, in lower case.
ALIASES = {"approveifworkeragreementscoreisnotlessthan": "approveifworkeragreementscoreisatleast"}
LONGEST_QUESTION = 255  # characters of a question's id
TRUE, FALSE = ("t", "true"), ("f", "false", "")


class BadPolicy(ValueError):
    """The review policy is invalid; `str()` says why."""


@dataclass(slots=True)
class Parameters:
    """The parameters of a policy, read one by one; `finish` rejects unknown ones."""

    name: str
    given: dict[str, Mapping[str, Any]]
    names_read: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, policy: Mapping[str, Any], *, name: str) -> Parameters:
        """The parameters of `policy`. Raises BadPolicy, also if its PolicyName is not `name`."""
        if policy.get("PolicyName") != name:
            raise BadPolicy(f"the policy here must be {name}")
        given: dict[str, Mapping[str, Any]] = {}
        for parameter in policy.get("Parameters", []):
            key = _key(parameter.get("Key", ""))
            if key in given:
                raise BadPolicy(f"{parameter['Key']} is given twice")
            given[key] = parameter
        return cls(name, given)

    def finish(self) -> None:
        """Raises BadPolicy for a parameter that the policy does not have."""
        for key in self.given.keys() - self.names_read:
            raise BadPolicy(f"{self.name} has no parameter {self.given[key].get('Key', '')!r}")

    def texts(self, name: str) -> tuple[str, ...]:
        """A list, written as several values or as one with commas."""
        values = [str(value) for value in self._take(name).get("Values", [])]
        parts = [text.strip() for value in values for text in (value.split(",") if len(values) == 1 else [value])]
        return tuple(_short(text, name) for text in dict.fromkeys(parts) if text)

    def text(self, name: str) -> str:
        values = self._take(name).get("Values", [])
        if len(values) > 1:
            raise BadPolicy(f"{name} takes one value")
        return str(values[0]).strip() if values else ""

    def number(self, name: str, least: int, most: int) -> int | None:
        """The parameter as an integer from `least` to `most`; None if it is not given. Raises BadPolicy."""
        written = self.text(name)
        if not written:
            return None
        if not (written.isascii() and written.isdigit() and least <= int(written[:12]) <= most):
            raise BadPolicy(f"{name} must be a whole number from {least} to {most}")
        return int(written)

    def truth(self, name: str) -> bool:
        written = self.text(name).lower()
        if written not in (*TRUE, *FALSE):
            raise BadPolicy(f"{name} must be T or F")
        return written in TRUE

    def entries(self, name: str) -> dict[str, list[str]]:
        """A map from names to texts, with at least one name."""
        entries = {str(entry.get("Key", "")): list(entry.get("Values", [])) for entry in self._entries(name)}
        if not entries or "" in entries:
            raise BadPolicy(f"{name} must map question ids to answers")
        return {_short(key, name): values for key, values in entries.items()}

    def _entries(self, name: str) -> list[Mapping[str, Any]]:
        return list(self._take(name).get("MapEntries", []))

    def _take(self, name: str) -> Mapping[str, Any]:
        self.names_read.add(_key(name))
        return self.given.get(_key(name), {})


def _short(question: str, name: str) -> str:
    if len(question) > LONGEST_QUESTION:
        raise BadPolicy(f"a question id in {name} has at most {LONGEST_QUESTION} characters")
    return question


def _key(name: str) -> str:
    small = name.strip().lower()
    return ALIASES.get(small, small)


KNOWN_ANSWERS = "ScoreMyKnownAnswers/2011-09-01"
PLURALITY = "SimplePlurality/2011-09-01"
ASSIGNMENT, HIT = "Assignment", "HIT"
APPROVE, REJECT, EXTEND, REVIEW = "approve", "reject", "extend", "review"
LONGEST_ANSWER = 256  # characters; longer ones are not used
YEAR = 365 * 24 * 3600

Answers = Mapping[str, frozenset[str] | None]  # None: too long to be used


@dataclass(frozen=True, slots=True)
class Extension:
    """Add an assignment, up to `most`, if the score is under `below`; the HIT then stays open at least `seconds`."""

    below: int  # percent
    most: int
    seconds: int


@dataclass(frozen=True, slots=True)
class KnownAnswers:
    """The parameters of ScoreMyKnownAnswers; None: not given."""

    key: Mapping[str, frozenset[str]]
    approve_from: int | None
    reject_below: int | None
    extension: Extension | None
    approve_reason: str = ""
    reject_reason: str = ""


@dataclass(frozen=True, slots=True)
class Plurality:
    """The parameters of SimplePlurality; None: not given."""

    questions: tuple[str, ...]
    threshold: int
    without_rejected: bool
    without_known_below: int | None
    approve_from: int | None
    reject_below: int | None
    extension: Extension | None
    reject_reason: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A policy's result for an assignment, a HIT, or a question of either."""

    subject: str  # ASSIGNMENT or HIT
    subject_id: str
    key: str
    value: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """An action that a policy requests; `text` is the message to the worker, or of a REVIEW."""

    name: str
    target: str  # ASSIGNMENT or HIT
    target_id: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    results: tuple[Result, ...] = ()
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """An assignment as SimplePlurality sees it; `known` is its score against known answers, if it has one."""

    id: str
    answers: Answers
    rejected: bool = False
    known: int | None = None


def field_values(fields: Iterable[Sequence[str]]) -> dict[str, frozenset[str] | None]:
    """The [name, value] pairs of a submitted form as answers; blank values are none."""
    values_by_name: dict[str, frozenset[str] | None] = {}
    for name, value in fields:
        before = values_by_name.get(name, frozenset())
        if before is None or len(value.strip()) > LONGEST_ANSWER:
            values_by_name[name] = None
        else:
            values_by_name[name] = before | _trimmed([value])
    return values_by_name


def _trimmed(values: Iterable[str]) -> frozenset[str]:
    return frozenset(text for value in values if (text := value.strip()))


def read_known_answers(policy: Mapping[str, Any]) -> KnownAnswers:
    """An AssignmentReviewPolicy in the form of the MTurk API. Raises BadPolicy."""
    given = Parameters.read(policy, name=KNOWN_ANSWERS)
    read = KnownAnswers(
        key={question: _trimmed(values) for question, values in given.entries("AnswerKey").items()},
        approve_from=given.number("ApproveIfKnownAnswerScoreIsAtLeast", 0, 101),
        approve_reason=given.text("ApproveReason"),
        reject_below=given.number("RejectIfKnownAnswerScoreIsLessThan", 0, 101),
        reject_reason=given.text("RejectReason"),
        extension=_known_extension(given),
    )
    given.finish()
    return read


def _known_extension(given: Parameters) -> Extension | None:
    below = given.number("ExtendIfKnownAnswerScoreIsLessThan", 0, 101)
    most = given.number("ExtendMaximumAssignments", 2, 25)
    seconds = given.number("ExtendMinimumTimeInSeconds", 3600, YEAR)
    return None if below is None else Extension(below, most or 5, seconds or 0)


def read_plurality(policy: Mapping[str, Any]) -> Plurality:
    """A HITReviewPolicy in the form of the MTurk API. Raises BadPolicy."""
    given = Parameters.read(policy, name=PLURALITY)
    threshold = given.number("QuestionAgreementThreshold", 0, 100)
    questions = given.texts("QuestionIds")
    if threshold is None or not questions:
        raise BadPolicy("QuestionIds and QuestionAgreementThreshold are required")
    read = Plurality(
        questions=questions,
        threshold=threshold,
        without_rejected=given.truth("DisregardAssignmentIfRejected"),
        without_known_below=given.number("DisregardAssignmentIfKnownAnswerScoreIsLessThan", 0, 101),
        approve_from=given.number("ApproveIfWorkerAgreementScoreIsAtLeast", 0, 101),
        reject_below=given.number("RejectIfWorkerAgreementScoreIsLessThan", 0, 101),
        reject_reason=given.text("RejectReason"),
        extension=_plurality_extension(given),
    )
    given.finish()
    return read


def _plurality_extension(given: Parameters) -> Extension | None:
    below = given.number("ExtendIfHITAgreementScoreIsLessThan", 1, 100)
    most = given.number("ExtendMaximumAssignments", 1, 10**9)
    seconds = given.number("ExtendMinimumTimeInSeconds", 60, YEAR)
    if below is None:
        return None
    if most is None or seconds is None:
        both = "ExtendMaximumAssignments and ExtendMinimumTimeInSeconds"
        raise BadPolicy(f"{both} are required with ExtendIfHITAgreementScoreIsLessThan")
    return Extension(below, most, seconds)


def score_known_answers(policy: KnownAnswers, work: Work, *, hit: str) -> Outcome:
    """Apply ScoreMyKnownAnswers to an assignment of the HIT `hit`."""
    right = {question: work.answers.get(question, frozenset()) == values for question, values in policy.key.items()}
    correct, total = sum(right.values()), len(right)
    score = 100 * correct // total
    results = [Result(ASSIGNMENT, work.id, "KnownAnswerCorrect", str(int(ok)), q) for q, ok in right.items()]
    results.append(Result(ASSIGNMENT, work.id, "KnownAnswerScore", str(score)))
    actions = [Action(REVIEW, ASSIGNMENT, work.id, f"Compared with known answers: {correct} of {total} correct")]
    actions += _decisions(
        work.id, score, policy.approve_from, policy.reject_below, (policy.approve_reason, policy.reject_reason)
    )
    if policy.extension and score < policy.extension.below:
        actions.append(Action(EXTEND, HIT, hit))
    return Outcome(tuple(results), tuple(actions))


def _decisions(
    subject: str, score: int, approve_from: int | None, reject_below: int | None, reasons: tuple[str, str]
) -> list[Action]:
    wanted = []
    if approve_from is not None and score >= approve_from:
        wanted.append(Action(APPROVE, ASSIGNMENT, subject, reasons[0]))
    if reject_below is not None and score < reject_below:
        wanted.append(Action(REJECT, ASSIGNMENT, subject, reasons[1]))
    return wanted


def known_score(outcome: Outcome) -> int:
    """The score that `score_known_answers` found."""
    return next(int(result.value) for result in outcome.results if result.key == "KnownAnswerScore")


def compare_answers(policy: Plurality, works: Sequence[Work], *, hit: str) -> Outcome:
    """Apply SimplePlurality to the assignments of the HIT `hit`; no results if none of them may be used.

    A question whose most frequent answers are equally frequent has no agreed answer. Disregarded assignments are
    neither scored nor decided on.
    """
    used = [work for work in works if _is_used(policy, work)]
    if not used:
        return Outcome()
    agreed: dict[str, frozenset[str]] = {}
    results: list[Result] = []
    for question in policy.questions:
        values, score = _most_given(question, used)
        is_agreed = values is not None and (score > policy.threshold or score == 100)
        results.append(Result(HIT, hit, "AgreedAnswerFound", str(is_agreed).lower(), question))
        if is_agreed and values is not None:
            agreed[question] = values
            results.append(Result(HIT, hit, "AgreedAnswer", "|".join(sorted(values)), question))
            results.append(Result(HIT, hit, "AnswerAgreementScore", str(score), question))
    whole = 100 * len(agreed) // len(policy.questions)
    results.append(Result(HIT, hit, "HitAgreementScore", str(whole)))
    actions: list[Action] = []
    for work in used:
        found_of_it, wanted = _compare_one(policy, work, agreed)
        results += found_of_it
        actions += wanted
    if policy.extension and whole < policy.extension.below:
        actions.append(Action(EXTEND, HIT, hit))
    return Outcome(tuple(results), tuple(actions))


def _is_used(policy: Plurality, work: Work) -> bool:
    if policy.without_rejected and work.rejected:
        return False
    least = policy.without_known_below
    return least is None or work.known is None or work.known >= least


def _most_given(question: str, works: Sequence[Work]) -> tuple[frozenset[str] | None, int]:
    given = [work.answers.get(question, frozenset()) for work in works]
    counts = Counter(values for values in given if values is not None).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None, 0
    values, times = counts[0]
    return values, 100 * times // sum(given_values is not None for given_values in given)


def _compare_one(
    policy: Plurality, work: Work, agreed: Mapping[str, frozenset[str]]
) -> tuple[list[Result], list[Action]]:
    same = {
        question: given == values
        for question, values in agreed.items()
        if (given := work.answers.get(question, frozenset())) is not None
    }
    if not same:
        return [], []
    right = sum(same.values())
    score = 100 * right // len(same)
    figures = {
        "PluralityAnswersCorrect": right,
        "PluralityAnswersIncorrect": len(same) - right,
        "WorkerAgreementScore": score,
    }
    results = [Result(ASSIGNMENT, work.id, "AgreedWithPlurality", str(int(ok)), q) for q, ok in same.items()]
    results += [Result(ASSIGNMENT, work.id, key, str(value)) for key, value in figures.items()]
    reasons = ("", policy.reject_reason)
    return results, _decisions(work.id, score, policy.approve_from, policy.reject_below, reasons)
