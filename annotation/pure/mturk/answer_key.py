"""An AnswerKey of the MTurk protocol: the score of each answer to a test, and the mapping of the sum to a value.

Read from XML by `mturk_xml`. A question scores by the first option whose identifiers are exactly the
selected ones, else its default score; a text is compared, trimmed, with the option's only identifier.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from xml.etree.ElementTree import Element

from annotation.pure.text.xml_elements import (
    Malformed,
    child,
    integer_or_default,
    local,
    number_text,
    only,
    text_of,
    wanted,
    wanted_integer,
)

NAMES = ("2005-10-01/AnswerKey.xsd",)


@dataclass(frozen=True, slots=True)
class Option:
    chosen: frozenset[str]
    score: int


@dataclass(frozen=True, slots=True)
class KeyQuestion:
    name: str
    options: tuple[Option, ...]
    default: int = 0


@dataclass(frozen=True, slots=True)
class Percentage:
    """The sum as a percentage of `full`, the highest sum that there is."""

    full: int


@dataclass(frozen=True, slots=True)
class Scale:
    by: Decimal


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges of sums as (from, to, value), both ends included; `outside` is the value of any other sum."""

    ranges: tuple[tuple[int, int, int], ...]
    outside: int


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """`mapping` turns the sum of scores into the qualification's value; without one the sum is the value."""

    questions: tuple[KeyQuestion, ...]
    mapping: Percentage | Scale | Ranges | None = None


def score(key: AnswerKey, answers: Iterable[tuple[str, str]]) -> int:
    """The qualification's value for these (question identifier, selection identifier or text) pairs."""
    given: dict[str, set[str]] = {}
    for name, value in answers:
        if value.strip():
            given.setdefault(name, set()).add(value.strip())
    total = 0
    for question in key.questions:
        chosen = given.get(question.name, set())
        total += next((option.score for option in question.options if option.chosen == chosen), question.default)
    if isinstance(key.mapping, Percentage):
        return _rounded(Decimal(100 * total) / key.mapping.full)
    if isinstance(key.mapping, Scale):
        return _rounded(key.mapping.by * total)
    if isinstance(key.mapping, Ranges):
        values = (value for low, high, value in key.mapping.ranges if low <= total <= high)
        return next(values, key.mapping.outside)
    return total


def _rounded(value: Decimal) -> int:
    return int(value.quantize(Decimal(1), ROUND_HALF_UP))


def key_of(root: Element) -> AnswerKey:
    """The key in an AnswerKey element; raises Malformed."""
    only(root, "Question", "QualificationValueMapping")
    questions = tuple(_question(each) for each in root if local(each) == "Question")
    if len({question.name for question in questions}) < len(questions) or not questions:
        raise Malformed("AnswerKey must hold Questions with a QuestionIdentifier of their own each.")
    mapping = child(root, "QualificationValueMapping")
    return AnswerKey(questions, None if mapping is None else _mapping(mapping))


def _question(element: Element) -> KeyQuestion:
    only(element, "QuestionIdentifier", "AnswerOption", "DefaultScore")
    options = tuple(_option(each) for each in element if local(each) == "AnswerOption")
    name = text_of(wanted(element, "QuestionIdentifier")).strip()
    return KeyQuestion(name, options, integer_or_default(child(element, "DefaultScore"), 0) or 0)


def _option(element: Element) -> Option:
    only(element, "SelectionIdentifier", "AnswerText", "AnswerScore")
    chosen = frozenset(text_of(each).strip() for each in element if local(each) != "AnswerScore")
    if not chosen:
        raise Malformed("AnswerOption has no SelectionIdentifier.")
    return Option(chosen, wanted_integer(element, "AnswerScore"))


def _mapping(element: Element) -> Percentage | Scale | Ranges:
    only(element, "PercentageMapping", "ScaleMapping", "RangeMapping")
    if len(element) != 1:
        raise Malformed("QualificationValueMapping must hold one mapping.")
    if local(element[0]) == "PercentageMapping":
        return _percentage(element[0])
    return _scale(element[0]) if local(element[0]) == "ScaleMapping" else _ranges(element[0])


def _percentage(element: Element) -> Percentage:
    full = wanted_integer(element, "MaximumSummedScore")
    if full < 1:
        raise Malformed("MaximumSummedScore must be at least 1.")
    return Percentage(full)


def _scale(element: Element) -> Scale:
    text = text_of(wanted(element, "SummedScoreMultiplier")).strip()
    number_text(text, "SummedScoreMultiplier")
    return Scale(Decimal(text))


def _ranges(element: Element) -> Ranges:
    only(element, "SummedScoreRange", "OutOfRangeQualificationValue")
    names = ("InclusiveLowerBound", "InclusiveUpperBound", "QualificationValue")
    ranges = []
    for each in element:
        if local(each) == "SummedScoreRange":
            low, high, value = (wanted_integer(each, name) for name in names)
            ranges.append((low, high, value))
    return Ranges(tuple(ranges), wanted_integer(element, "OutOfRangeQualificationValue"))
