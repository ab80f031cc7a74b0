"""HITs created through the MTurk API: an external page in a frame, HTML, or a QuestionForm.

The payload has the question as its requester sent it, {"question": XML}; a response has the posted fields in order,
{"fields": [[name, value], ...]}.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeGuard

from annotation.pure.data.example import Example
from annotation.pure.mturk.mturk_xml import External, origin_of, read_question
from annotation.pure.mturk.question_form import QuestionForm, complaints
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.pure.text.xml_elements import Malformed
from annotation.tasktype import (
    JSON,
    Comparable,
    Embedding,
    GivenResponse,
    HitWithResponses,
    Problem,
    Revealing,
    TaskType,
)

from .report import external_report

MOST_FIELDS = 1000
LONGEST_NAME = 1000
MOST_CHARACTERS = 2_000_000
COMPLAINTS = {
    "missing": _("Please answer this."),
    "too_few": _("Please choose more."),
    "too_many": _("Please choose fewer."),
    "unknown": _("Please choose one of these."),
    "too_short": _("Please write more."),
    "too_long": _("Please write less."),
    "number": _("Please write a number."),
    "range": _("This number is out of range."),
}


class ExternalTask(Embedding, Revealing, Comparable, TaskType):
    title = _("HITs of other programs")
    question = _("Do what the requester asks below.")
    needs = _("Requires a question in the XML of the MTurk API.")
    meeting = "free"
    launched = False

    def prepare(self, example: Example, options: Any, rng: Random) -> JSON | None:
        """Items whose question is XML of the MTurk API; others are skipped."""
        try:
            read_question(example.question)
        except Malformed:
            return None
        return {"question": example.question}

    def origins(self, payload: JSON) -> Sequence[str]:
        """Any HTTPS page, because the requested page may redirect to others."""
        question = read_question(payload["question"])
        if isinstance(question, QuestionForm):
            return ()
        return ("https:", origin_of(question.url)) if isinstance(question, External) else ("https:",)

    def afterwards(self, payload: JSON, example: Example) -> JSON:
        """Nothing more to show; the response is final, because its requester may have fetched it."""
        return {"final": True}

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        fields = answer.get("fields")
        if not is_list_of_fields(fields):
            return [Problem("frame", _("Submit with the requester's own button, inside the frame."))]
        if len(fields) > MOST_FIELDS or sum(len(name) + len(value) for name, value in fields) > MOST_CHARACTERS:
            return [Problem("frame", _("The response is too large to be stored."))]
        question = read_question(payload["question"])
        return _problems_of(question, fields) if isinstance(question, QuestionForm) else []

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A response collected elsewhere as {"fields": [[name, value], ...]}."""
        if not isinstance(answer, dict) or not is_list_of_fields(answer.get("fields")):
            raise ValueError('needs {"fields": [[name, value], ...]}')
        return super().complete(payload, {"fields": answer["fields"]})

    def brief(self, payload: JSON, answer: JSON) -> str:
        return ", ".join(f"{name}: {value}" for name, value in answer["fields"])

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The most frequent value of each field, with its `votes`; `tied` if another value has as many."""
        values: dict[str, Counter[str]] = {}
        for answer in answers:
            for name, value in joined(answer).items():
                values.setdefault(name, Counter())[value] += 1
        fields = [_most(name, counted) for name, counted in values.items()]
        return {"kind": "listed" if answers else "undecided", "fields": fields, "answers": len(answers)}

    def unsettled(self, aggregate: JSON) -> bool:
        """Never: the requester's program interprets the responses."""
        return False

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """1 if a field equals a known answer (trimmed), else 0; 0 without known answers."""
        values = {value.strip() for value in joined(answer).values()}
        return float(any(known.strip() in values for known in gold.answers or ()))

    def report(self, hits: Iterable[HitWithResponses], options: Any, *, seed: int) -> JSON:
        return {"task": self.kind, **external_report(hits, joined, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The item with the majority's value of each field; none without responses."""
        if not aggregate["answers"]:
            return []
        fields = {field["name"]: field["value"] for field in aggregate["fields"]}
        return [replace(example, extra={**example.extra, "fields": fields})]

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        columns = [joined(one.answer) for one in given]
        names = list(dict.fromkeys(name for column in columns for name in column))
        rows = [{"name": name, "responses": [column.get(name, "") for column in columns]} for name in names]
        return {"columns": [{} for _column in columns], "rows": rows}

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """The share of fields with differing values."""
        columns = [joined(answer) for answer in answers]
        names = {name for column in columns for name in column}
        other = sum(len({column.get(name) for column in columns}) > 1 for name in names)
        return other / len(names) if names else 0.0


def is_list_of_fields(fields: Any) -> TypeGuard[list[list[str]]]:
    """Whether `fields` is a list of [name, value] pairs of strings."""
    return isinstance(fields, list) and all(
        isinstance(field, list)
        and len(field) == 2
        and all(isinstance(part, str) for part in field)
        and len(field[0]) <= LONGEST_NAME
        for field in fields
    )


def joined(answer: JSON) -> dict[str, str]:
    """Each field once; values of a repeated name are joined by "|", as requesters get them."""
    values: dict[str, list[str]] = {}
    for name, value in answer["fields"]:
        values.setdefault(name, []).append(value)
    return {name: "|".join(given) for name, given in values.items()}


def _most(name: str, counted: Counter[str]) -> JSON:
    (value, votes), *others = counted.most_common(2)
    return {"name": name, "value": value, "votes": votes, "tied": bool(others) and others[0][1] == votes}


def _problems_of(form: QuestionForm, fields: Sequence[Sequence[str]]) -> list[Problem]:
    problems = []
    for number, question in enumerate(form.questions):
        given = [value for name, value in fields if name == question.name]
        problems += [Problem(f"q{number}", COMPLAINTS[word]) for word in complaints(question, given)]
    return problems


TASK: TaskType = ExternalTask()
