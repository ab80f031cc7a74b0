"""Which results to keep, by an expression such as `faithful >= 3 and (multihop == yes or not natural < 2)`."""

import re
from collections.abc import Callable, Iterator, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

from annotation.pure.ratings.rubric import CHOICE, CHOICES, NUMBER, SCALE, Rubric
from annotation.pure.text.translation_marks import gettext_noop as _

Test = Callable[[Mapping[str, Any]], bool]
_COMPARISONS: Final = {">=": ge, "<=": le, "==": eq, "!=": ne, ">": gt, "<": lt, "=": eq}
_TOKEN = re.compile(r"""\s*(>=|<=|==|!=|[<>=()]|"[^"]*"|“[^”]*”|'[^']*'|[^\s<>=!()"'“]+)""")
_WORDS: Final = ("and", "or", "not")
_NUMERIC: Final = (SCALE, NUMBER)


class InvalidExpression(ValueError):
    """An expression is wrong: `message` is a gettext id with placeholders for `values`."""

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message % values)
        self.message, self.values = message, values


def selector(expression: str, rubric: Rubric) -> Test:
    """Whether ratings (those of `results.aggregated`) fulfil an expression. Raises InvalidExpression.

    Comparisons of a criterion with a value, `and`, `or`, `not` and brackets; values with spaces stand in quotes. Of a
    criterion with `each` every element must fulfil it that somebody was asked about, and at least one; a value that is
    open fulfils nothing; of `choices`, == asks whether the value is among them.
    """
    return _Reader(expression, rubric).whole()


class _Reader:
    def __init__(self, expression: str, rubric: Rubric) -> None:
        self._tokens, self._rubric = [*_tokens(expression), ""], rubric

    def whole(self) -> Test:
        test = self._any()
        if self._tokens[0]:
            raise InvalidExpression(_("“%(token)s” is not expected."), token=self._tokens[0])
        return test

    def _take(self) -> str:
        return self._tokens.pop(0) if len(self._tokens) > 1 else ""

    def _any(self) -> Test:
        tests = [self._every()]
        while self._tokens[0] == "or":
            self._take()
            tests.append(self._every())
        return lambda ratings: any(test(ratings) for test in tests)

    def _every(self) -> Test:
        tests = [self._one()]
        while self._tokens[0] == "and":
            self._take()
            tests.append(self._one())
        return lambda ratings: all(test(ratings) for test in tests)

    def _one(self) -> Test:
        if self._tokens[0] == "not":
            self._take()
            test = self._one()
            return lambda ratings: not test(ratings)
        if self._tokens[0] != "(":
            return self._comparison()
        self._take()
        test = self._any()
        if self._take() != ")":
            raise InvalidExpression(_("A bracket is not closed."))
        return test

    def _comparison(self) -> Test:
        name, sign, text = self._take(), self._take(), self._take()
        known = {each.name: each for each in self._rubric.criteria if each.kind in (*_NUMERIC, CHOICE, CHOICES)}
        if name not in known:
            raise InvalidExpression(
                _("There is no criterion “%(name)s” with values; there are %(known)s."),
                name=name,
                known=", ".join(known) or "–",
            )
        if sign not in _COMPARISONS or not text or text in (*_WORDS, *_COMPARISONS, "(", ")"):
            raise InvalidExpression(_("After “%(name)s” write a comparison, such as >= 3 or == yes."), name=name)
        wanted, criterion = text.strip("\"'“”"), known[name]
        if criterion.kind in _NUMERIC:
            return _holds(name, _COMPARISONS[sign], _number(wanted))
        if sign not in ("==", "=", "!="):
            raise InvalidExpression(_("“%(name)s” can only be compared by == and !=."), name=name)
        if wanted not in criterion.values:
            message = _("“%(name)s” has no value “%(value)s”; it has %(known)s.")
            raise InvalidExpression(message, name=name, value=wanted, known=", ".join(criterion.values))
        return _holds(name, _has if sign != "!=" else lambda value, each: not _has(value, each), wanted)


def _has(value: Any, wanted: str) -> bool:
    return wanted in value if isinstance(value, list) else wanted == value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidExpression(_("“%(value)s” is not a number."), value=text) from None


def _holds(name: str, compare: Callable[[Any, Any], bool], wanted: Any) -> Test:
    def test(ratings: Mapping[str, Any]) -> bool:
        found = ratings.get(name)
        asked = [cell for cell in (found if isinstance(found, list) else [found]) if cell is not None]
        return bool(asked) and all(cell["value"] is not None and compare(cell["value"], wanted) for cell in asked)

    return test


def _tokens(expression: str) -> Iterator[str]:
    at, text = 0, expression.strip()
    if not text:
        raise InvalidExpression(_("Write what to keep, such as faithful >= 3."))
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise InvalidExpression(_("“%(token)s” is not expected."), token=text[at : at + 20].strip())
        yield match[1]
        at = match.end()
