"""The base of tasks that ask for an answer from paragraphs and for its support."""

from collections.abc import Collection, Iterator, Sequence
from random import Random
from typing import Any, Final

from annotation.pure.data.example import Example
from annotation.pure.ratings.model_replies import NULL, object_schema
from annotation.pure.reports import human_scores
from annotation.pure.statistics import metrics
from annotation.pure.statistics.metrics import accuracy
from annotation.pure.text.spans import mentions
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Adaptable,
    Adjudicable,
    Answered,
    Arranged,
    Comparable,
    Doubtful,
    Enterable,
    GivenResponse,
    Labelled,
    Live,
    Practised,
    Problem,
    Remark,
    Simulated,
    Structured,
    TaskType,
)
from annotation.tasktype.helpers.answer_wording import wording
from annotation.tasktype.helpers.answering import (
    answer_key,
    answer_text,
    disagreement,
    doubted,
    is_closed_book,
    problems,
    search,
    shuffled,
    unshuffled,
    words_of_support,
    wrong_answer,
)
from annotation.tasktype.helpers.gold_answer import WAYS_OUT, is_enterable
from annotation.tasktype.helpers.lettered_text import Stretch, lettered
from annotation.tasktype.helpers.practice_feedback import on_answer
from annotation.tasktype.keys import ANSWERING, FRAME, by_action


def compared(payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
    """{"columns": one a given answer, "gold", "support_asked", "only_support_tied", "rows": one a paragraph}.

    Paragraphs with an answer come first, then those that anybody ticked. F1 and EM are MuSiQue's; reports use the
    dataset's scorer.
    """
    supports, paragraphs = gold.supports or (), payload["paragraphs"]
    facts = list(gold.facts or ()) if payload["controls"]["sentences"] else []
    rows = [
        {
            "number": place + 1,
            "title": paragraph["title"],
            "gold": place in supports,
            "ticked_by": [one.worker for one in given if place in one.answer["support"]],
            "pieces": lettered(paragraph["text"], _stretches(place, paragraph, given, gold)),
        }
        for place, paragraph in enumerate(paragraphs)
    ]
    return {
        "columns": [_column(one, gold) | {"support": _ticked(payload, one.answer)} for one in given],
        "gold": {
            "answers": [] if gold.answerable is False else list(gold.answers),
            "set": [list(answer) for answer in gold.answer_set],
            "none": gold.answerable is False,
            "support": _ticked(payload, {"support": supports, "facts": facts}),
            "hidden": not (gold.answers or gold.answer_set) and gold.answerable is not False,
        },
        "support_asked": payload["controls"]["support"],
        "only_support_tied": _is_only_support_tied([one.answer for one in given]),
        "rows": sorted(rows, key=_rank),
    }


def _is_only_support_tied(answers: Sequence[JSON]) -> bool:
    """Whether one answer has the most votes, but no choice of support has."""
    texts = human_scores.majorities(answers, key=answer_key) if answers else ()
    return len(texts) == 1 and len(human_scores.majorities(answers, key=lambda a: frozenset(a["support"]))) > 1


def _column(one: GivenResponse, gold: Example) -> JSON:
    answer, scorer = one.answer, metrics.MUSIQUE
    column = {"text": answer_text(answer), "kind": answer["kind"]}
    if gold.answerable is False:
        return column | {"right_none": answer["kind"] == "none"}
    if gold.answer_set:
        return column | accuracy(answer_text(answer), gold.answer_set)._asdict()
    if gold.answers:
        mark = scorer.answer(answer_text(answer), gold.answers)
        column |= {"em": mark.em, "f1": mark.f1}
    if gold.supports:
        column["support_f1"] = scorer.support(frozenset(answer["support"]), frozenset(gold.supports)).f1
    return column


def _ticked(payload: JSON, answer: JSON) -> list[JSON]:
    """The supporting paragraphs, each with the numbers of its ticked sentences ("" without sentences)."""
    return [
        {"number": place + 1, "title": paragraph["title"], "sentences": _sentences(answer["facts"], place)}
        for place, paragraph in enumerate(payload["paragraphs"])
        if place in answer["support"]
    ]


def _sentences(facts: Collection[Any], place: int) -> str:
    return ", ".join(str(sentence + 1) for paragraph, sentence in facts if paragraph == place)


def _stretches(place: int, paragraph: JSON, given: Sequence[GivenResponse], gold: Example) -> Iterator[Stretch]:
    for one in given:
        if one.answer["kind"] == "span" and one.answer["paragraph"] == place:
            yield one.answer["start"], one.answer["end"], one.worker
    if place in (gold.supports or ()):
        for answer in gold.answers:
            for start, end in mentions(answer, paragraph["text"]):
                yield start, end, ""


def _rank(row: JSON) -> tuple[bool, bool]:
    return not any(piece["by"] for piece in row["pieces"]), not row["ticked_by"]


TEXT: Final = {"type": "string"}
INTEGER: Final = {"type": "integer"}
INTEGERS: Final = {"type": "array", "items": INTEGER}


class AnswerTask(
    Adaptable,
    Arranged,
    Enterable,
    Live,
    Practised,
    Simulated,
    Labelled,
    Comparable,
    Doubtful,
    Adjudicable,
    Answered,
    Structured,
    TaskType,
):
    """Base class of tasks with the payloads and answers of annotation.tasktype.helpers.answering."""

    keys = by_action(*FRAME, *ANSWERING)
    needs = _("Requires a question and a paragraph, with its sentences if the batch asks for sentences.")
    writes = _(
        "The answer as in a paragraph (if there are any), or “no answer”. The supporting paragraphs of the response "
        "that you start from stay."
    )
    live = {"search": search}
    ways_out = WAYS_OUT

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """Shuffle the paragraphs; `order[k]` is the payload's position of the paragraph shown as k."""
        return shuffled(payload, "paragraphs", rng)

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        return problems(payload, answer)

    def enterable(self, payload: JSON, gold: Example) -> bool:
        return is_enterable(payload, gold)

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        """Feedback on the answer, and on the support if the batch asks for it."""
        return list(on_answer(payload, answer, gold))

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        return compared(payload, given, gold)

    def doubt(self, payload: JSON, answers: Sequence[JSON], gold: Example) -> JSON | None:
        return doubted(answers, gold)

    def wrong_answer(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> str | None:
        return wrong_answer(answer, gold, format=format)

    def least_words(self, payload: JSON, gold: Example) -> int | None:
        """The words of the supporting paragraphs; None for closed-book items."""
        return None if is_closed_book(payload) else words_of_support(gold)

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """1 minus the mean of the expected agreement (F1) on the answer and on the support."""
        return disagreement(answers)

    def brief(self, payload: JSON, answer: JSON) -> str:
        return wording(answer)

    def model_content(self, shown: JSON) -> JSON:
        return {**super().model_content(shown), "paragraphs": _numbered_paragraphs(shown)}

    def reply_schema(self, shown: JSON) -> JSON:
        return _schema_of(shown)

    def answer_of(self, shown: JSON, reply: Any) -> Any:
        return _in_payload(shown, super().answer_of(shown, reply))

    def review(self, payload: JSON, answer: JSON) -> JSON:
        return {"text": wording(answer)}


def _numbered_paragraphs(shown: JSON) -> list[JSON]:
    """The paragraphs with their numbers, cut into sentences where the batch asks for them."""
    return [_numbered(k, each) for k, each in enumerate(shown["paragraphs"])]


def _numbered(number: int, paragraph: JSON) -> JSON:
    spans, text = paragraph.get("sentences"), paragraph["text"]
    parts = {"text": text} if spans is None else {"sentences": [text[start:end] for start, end in spans]}
    return {"number": number, "title": paragraph["title"], **parts}


def _schema_of(shown: JSON) -> JSON:
    """What the batch's controls ask for."""
    controls = shown["controls"]
    asked: JSON = {"answerable": {"type": "boolean"}} if controls.get("answerable") else {}
    asked["text"] = TEXT
    if controls["support"]:
        asked |= {"facts": {"type": "array", "items": INTEGERS}} if controls["sentences"] else {"support": INTEGERS}
    own = {"confidence": INTEGER, "as_of": TEXT}
    return object_schema(asked | {name: {"anyOf": [one, NULL]} for name, one in own.items() if controls.get(name)})


def _in_payload(shown: JSON, answer: JSON) -> JSON:
    """A reply with the payload's positions; what is none stays, for `completed` to refuse it."""
    if isinstance(support := answer.get("support"), list):
        answer = answer | {"support": [unshuffled(shown, place) for place in support]}
    if isinstance(facts := answer.get("facts"), list):
        moved = [[unshuffled(shown, one[0]), *one[1:]] if isinstance(one, list) and one else one for one in facts]
        answer = answer | {"facts": moved}
    return answer
