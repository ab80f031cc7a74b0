"""Expressions that say which results to keep."""

from typing import Any

import pytest

from annotation.pure.ratings.keeping import InvalidExpression, selector
from annotation.pure.ratings.rubric import parse

RUBRIC = parse(
    {
        "show": ["question"],
        "criteria": [
            {"name": "faithful", "ask": "Faithful?", "scale": [1, 4]},
            {"name": "multihop", "ask": "Multihop?", "choice": ["yes", "not sure", "no"]},
            {"name": "faults", "ask": "Faults?", "choices": ["typo", "fact"]},
            {"name": "step", "each": "steps", "ask": "Supported?", "choice": ["yes", "no"]},
            {"name": "comment", "ask": "?", "text": "long"},
        ],
    }
)


def ratings(**values: Any) -> dict[str, Any]:
    """Cells by criterion; a list is one by element, None one that nobody was asked about."""
    return {
        name: [each and {"value": each} for each in value]
        if name == "step"
        else None
        if value is None
        else {"value": value}
        for name, value in values.items()
    }


KEPT = [
    ("faithful >= 3", ratings(faithful=3), True),
    ("faithful>=3", ratings(faithful=2.5), False),
    ("faithful < 3 or multihop == yes", ratings(faithful=4, multihop="yes"), True),
    ("faithful >= 3 and multihop == yes", ratings(faithful=4, multihop="no"), False),
    ("faithful >= 3 and multihop == yes or faithful == 1", ratings(faithful=1, multihop="no"), True),
    ("faithful >= 3 and (multihop == yes or faithful == 1)", ratings(faithful=1, multihop="no"), False),
    ("not multihop == no", ratings(multihop="yes"), True),
    ('multihop = "not sure"', ratings(multihop="not sure"), True),
    ("multihop != no", ratings(multihop="yes"), True),
    ("faults == typo", ratings(faults=["typo", "fact"]), True),
    ("faults != typo", ratings(faults=["typo", "fact"]), False),
    ("step == yes", ratings(step=["yes", None, "yes"]), True),
    ("step == yes", ratings(step=["yes", "no"]), False),
    ("step == yes", ratings(step=[None]), False),
    ("multihop == yes", ratings(multihop=None), False),
    ("faithful >= 1", {"faithful": {"value": None, "open": "undecided"}}, False),
]


@pytest.mark.parametrize(("expression", "given", "kept"), KEPT)
def test_an_expression_keeps_what_fulfils_it(expression: str, given: dict[str, Any], kept: bool) -> None:
    assert selector(expression, RUBRIC)(given) is kept


REFUSED = [
    ("", "Write what to keep"),
    ("faithfull >= 3", "no criterion “faithfull” with values; there are faithful, multihop, faults, step"),
    ("comment == good", "no criterion “comment”"),
    ("faithful", "After “faithful” write a comparison"),
    ("faithful >=", "After “faithful” write a comparison"),
    ("faithful >= many", "“many” is not a number"),
    ("multihop >= yes", "can only be compared by == and !="),
    ("multihop == perhaps", "has no value “perhaps”; it has yes, not sure, no"),
    ("(faithful >= 3", "bracket is not closed"),
    ("faithful >= 3 multihop == yes", "“multihop” is not expected"),
    ("faithful >= 3)", "“)” is not expected"),
    ("faithful ! 3", "“! 3” is not expected"),
]


@pytest.mark.parametrize(("expression", "said"), REFUSED)
def test_a_wrong_expression_is_refused_with_what_is_wrong(expression: str, said: str) -> None:
    with pytest.raises(InvalidExpression) as refused:
        selector(expression, RUBRIC)
    assert said in str(refused.value)
