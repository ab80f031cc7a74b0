"""Rate any record by a rubric: scales, choices, numbers, texts, marked words and comparisons.

What a rubric is: annotation/pure/ratings/rubric.py; results: annotation/pure/ratings/results.py.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.ratings import model_replies, responses, results
from annotation.pure.ratings.comparing import comparison_tables, equal_criteria
from annotation.pure.ratings.keeping import InvalidExpression, selector
from annotation.pure.ratings.practice import RIGHT, practice_of
from annotation.pure.ratings.rubric import MARK, InvalidRubric
from annotation.pure.ratings.showing import LeftOut, arranged, check_fields, lacking_gold, passages_of, payload_of
from annotation.pure.reports.model_aspects import Aspect
from annotation.pure.setting_fields import Flaw
from annotation.pure.text.languages import worded
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Adjudicable,
    Arranged,
    Comparable,
    Conditional,
    Fielded,
    GivenResponse,
    HitWithResponses,
    InvalidWording,
    Judging,
    Live,
    Practised,
    Problem,
    Rated,
    Remark,
    Simulated,
    Structured,
    TaskType,
    Varied,
)
from annotation.tasktype.helpers import answering
from annotation.tasktype.helpers.lettered_text import lettered
from annotation.tasktype.keys import ANSWERING, DECIDING, FRAME, Key, by_action

from .figures import judged_by
from .options import RateOptions
from .report import rate_report
from .simulated import imitated

LONGEST_HEADING = 200
RATINGS = "ratings"  # in the `extra` of an exported item
GOLD_ANSWERS = {"answer", "answers"}
GOLD_SHOWN = _("The rubric shows “%(field)s”, so workers see the gold answer.")
RIGHT_REMARK = _("Right. %(why)s")
CHANGED = object()
READING = ("search", "next", "previous", "fold", "fold-all", "hide", "sort")


def search(payload: JSON, params: Mapping[str, str]) -> JSON:
    """Context of the search fragment, over the passages that are shown."""
    shown = passages_of(payload)
    return answering.search({"paragraphs": shown["value"] if shown else []}, params)


class Rate(
    Adjudicable,
    Fielded,
    Varied,
    Arranged,
    Comparable,
    Conditional,
    Live,
    Judging,
    Practised,
    Rated,
    Simulated,
    Structured,
    TaskType,
):
    title = _("Rate by a rubric")
    question = _("Read what is shown, and answer what is asked about it.")
    needs = _("Requires the fields that the rubric shows, with something to ask about.")
    Options = RateOptions
    keys = by_action(
        *FRAME,
        *DECIDING,
        *(key for key in ANSWERING if key.action in READING),
        Key("up", "ArrowUp", _("Previous criterion"), _("criterion"), fixed=True),
        Key("down", "ArrowDown", _("Next criterion"), _("criterion"), fixed=True),
        Key("go-on", "Enter", _("Go on to the next criterion"), _("go on"), fixed=True),
        Key(
            "mark",
            "m",
            _(
                "Mark what is selected, or select words: ← → word, ↑ ↓ line, ⇧ extend, + − one character, ⏎ mark, "
                "Esc leave"
            ),
            _("mark words"),
        ),
        Key("unmark", "x", _("Remove the last mark")),
        Key("comment", "c", _("Go to the text field (Esc leaves it)"), _("write")),
    )
    live = {"search": search}
    writes = _("Your own ratings")

    def asked(self, options: RateOptions) -> str:
        return worded((options.rubric or {}).get("title", "")) or self.question

    def prepare(self, example: Example, options: RateOptions, rng: Random) -> JSON | None:
        """What the rubric shows and asks; None if nothing is left to ask, or it is too much for a page."""
        try:
            return payload_of(options.parsed, example, agree=options.agree)
        except LeftOut:
            return None

    def heading(self, payload: JSON) -> str:
        """The beginning of the first text that is shown."""
        texts = (text.strip() for part in payload["show"] for text in responses.texts_of(part["value"]))
        return next((text[:LONGEST_HEADING] for text in texts if text), "")

    def shown_fields(self, options: RateOptions) -> Collection[str]:
        return options.parsed.fields

    def lacking(self, options: RateOptions, examples: Iterable[Example]) -> Iterator[tuple[str, Flaw]]:
        try:
            check_fields(options.parsed, examples)
        except InvalidRubric as invalid:
            yield "rubric", Flaw(invalid.message, invalid.values, invalid.place)

    def left_out(self, example: Example, options: RateOptions) -> str:
        try:
            payload_of(options.parsed, example)
        except LeftOut as reason:
            return str(reason)
        return self.needs

    def warnings(self, options: RateOptions, examples: Iterable[Example]) -> Iterator[Flaw]:
        for name in GOLD_ANSWERS & options.parsed.fields.keys():
            yield Flaw(GOLD_SHOWN, {"field": name})
        for lacking in lacking_gold(options.parsed, examples):  # hidden gold may be in another dataset
            yield Flaw(lacking.message, lacking.values, lacking.place)

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        return arranged(payload, rng)

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        """The first problem of each criterion."""
        found: dict[str, Problem] = {}
        for criterion, k in responses.missing(payload, answer):
            values = {"low": criterion["values"][0], "high": criterion["values"][-1]} if criterion["values"] else {}
            message = responses.flaw_of(criterion, responses.value_at(answer, criterion, k))
            found.setdefault(criterion["name"], Problem(criterion["name"], message, values))
        return list(found.values())

    def stored(self, payload: JSON, answer: JSON) -> JSON:
        return responses.settled(payload, answer)

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A response made elsewhere as {criterion: value}, with `each` a list; what is left out is not answered."""
        return super().complete(payload, responses.read(payload, answer))

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        return results.aggregated(payload, answers)

    def agreeing(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> int:
        return results.agreeing(aggregate, len(answers))

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return not results.counted(payload).isdisjoint(_right(payload, gold))

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """The mean over criteria (and elements) with gold: 1 - distance over range, or equal, or the shared part."""
        return results.grade(payload, answer, _right(payload, gold))

    def practice(self, options: RateOptions) -> tuple[Example, ...]:
        """The rubric's own items, with the right response and the reason."""
        return practice_of(options.parsed)

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        """What was wrong, by criterion, and why; or that all is right."""
        why = {"why": str(gold.extra.get("why", ""))}
        wrong = results.differing(payload, answer, _right(payload, gold))
        if not wrong:
            return [Remark(True, RIGHT_REMARK, why)]
        message = _("“%(ask)s” Right is: %(value)s. %(why)s")
        return [Remark(False, message, {"ask": ask, "value": value, **why}) for ask, value in wrong]

    def report(self, hits: Iterable[HitWithResponses], options: RateOptions, *, seed: int) -> JSON:
        return {"task": self.kind, **rate_report(hits, options, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The example with its aggregated ratings; without responses, or with a tie, none."""
        if aggregate["kind"] != results.RATED:
            return []
        return [replace(example, extra={**example.extra, RATINGS: aggregate["ratings"]})]

    def criteria_of(self, options: RateOptions) -> list[str]:
        return [criterion.name for criterion in options.parsed.criteria]

    def equal_criteria(self, options: Sequence[RateOptions]) -> list[str]:
        return equal_criteria([one.parsed for one in options])

    def comparison(self, sides: Sequence[tuple[str, RateOptions, JSON]]) -> list[JSON]:
        return list(comparison_tables([(label, one.parsed, report) for label, one, report in sides]))

    def narrowed(self, payload: JSON, names: Collection[str]) -> JSON | None:
        known = [each["name"] for each in payload["criteria"] if each["name"] in names]
        return {**payload, "counted": known} if known else None

    def values(self, payload: JSON, answer: JSON) -> Iterator[JSON]:
        given = responses.asked_of(payload, answer)
        for criterion, k in responses.places(payload):
            ids = payload["lists"][criterion["each"]]["ids"] if criterion["each"] else None
            named = {"criterion": criterion["name"], "element": k, "element_id": ids[k] if ids else None}
            place = criterion["name"], k
            yield {**named, "value": given.get(place), "asked": place in given}

    def selector(self, options: RateOptions, expression: str) -> Callable[[JSON], bool]:
        try:
            test = selector(expression, options.parsed)
        except InvalidExpression as invalid:
            raise InvalidWording(invalid.message, **invalid.values) from None
        return lambda aggregate: test(aggregate["ratings"])

    def of_columns(self, payload: JSON, rows: Sequence[JSON]) -> JSON:
        return model_replies.of_columns(payload, rows)

    def combined(self, options: RateOptions, answers: Sequence[JSON]) -> tuple[JSON, float]:
        return model_replies.combined(options.parsed.criteria, answers)

    def judged(self, options: RateOptions) -> Sequence[Aspect]:
        return judged_by(options.parsed.criteria, options.by)

    def strata_field(self, options: RateOptions) -> str:
        return options.by

    def brief(self, payload: JSON, answer: JSON) -> str:
        return results.brief(payload, answer)

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        rows = results.compared(payload, [one.answer for one in given], _right(payload, gold))
        found = {"rows": rows, "payload": payload, "texts": _marked(payload, given)}
        return {**found, "columns": [{} for _one in given], "gold": any(row["gold"] for row in rows)}

    def review(self, payload: JSON, answer: JSON) -> JSON:
        return {"text": self.change(payload, {}, answer)}

    def start(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        return results.agreed(payload, answers)

    def change(self, payload: JSON, answer: JSON, wanted: JSON) -> str:
        """What differs, as JSON."""
        kept = responses.settled(payload, wanted)
        return json.dumps({name: value for name, value in kept.items() if value != answer.get(name, CHANGED)})

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        try:
            whole = responses.read(payload, {**answer, **json.loads(text)})
        except (TypeError, ValueError):
            raise InvalidWording(_("This is no response to the rubric.")) from None
        for problem in self.check(payload, whole):
            [ask] = [worded(each["ask"]) for each in payload["criteria"] if each["name"] == problem.field]
            raise InvalidWording(_("“%(ask)s”: %(problem)s"), ask=ask, problem=problem.message % problem.values)
        return whole

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float | None:
        return results.disagreement(payload, answers)

    def model_content(self, shown: JSON) -> JSON:
        return model_replies.content_of(shown)

    def reply_schema(self, shown: JSON) -> JSON:
        return model_replies.schema_of(shown)

    def answer_of(self, shown: JSON, reply: Any) -> JSON:
        return model_replies.answer_of(shown, reply)

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON:
        return imitated(payload, _right(payload, gold), rng, right=right)


def _marked(payload: JSON, given: Sequence[GivenResponse]) -> list[JSON]:
    """The texts in which somebody marked words, with the letters of those who did."""
    found = []
    for criterion in payload["criteria"]:
        if criterion["kind"] != MARK:
            continue
        for part, text in responses.parts_of(payload, criterion, None).items():
            marks = [
                (mark["start"], mark["end"], one.worker)
                for one in given
                for each, _k, value in responses.cells(payload, one.answer)
                if each is criterion
                for mark in value or []
                if mark["part"] == part
            ]
            if marks:
                found.append({"ask": criterion["ask"], "pieces": lettered(text, marks)})
    return found


def _right(payload: JSON, gold: Example) -> JSON:
    """The right values by criterion: those of a practice item, or of the fields that the rubric names as gold."""
    stated = gold.extra.get(RIGHT)
    return responses.read(payload, stated) if isinstance(stated, dict) else results.gold_of(payload, gold)


TASK: TaskType = Rate()
