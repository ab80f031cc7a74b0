"""Gold in doubt: an item's answers after a requester's decision."""

from dataclasses import replace
from typing import Final

from annotation.pure.data.example import Example

ALIAS: Final = "alias"  # the people's answer is one more right answer
CORRECTION: Final = "correction"  # the answer replaces gold
STANDS: Final = "stands"  # gold is right
REOPENED: Final = "reopened"  # the decision was undone
CHANGING: Final = frozenset({ALIAS, CORRECTION})
CORRECTED = "gold_corrected"  # in the `extra` of an item of a corrected version


def may_be_alias(example: Example, text: str) -> bool:
    """Whether the answer can be added as an alias: neither it nor the gold is "no answer"."""
    return bool(text) and bool(example.answers) and example.answerable is not False


def corrected(example: Example, decision: str, text: str) -> Example:
    """The example after a decision; a correction to "" says that it is not answerable."""
    if decision == ALIAS:
        return replace(example, answers=(*example.answers, *(() if text in example.answers else (text,))))
    if decision != CORRECTION:
        return example
    if not text:
        return replace(example, answerable=False)
    return replace(example, answers=(text,), answerable=None if example.answerable is None else True)
