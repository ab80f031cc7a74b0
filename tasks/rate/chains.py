"""Chains of reasoning: a chain is right only if every relevant step is (REVEAL, Jacovi et al. 2024).

Which values are right is said by the rubric (`right` of a `choice` with `each`), and where an answer was right by the
record's field `correct`. What a step adds up to is that of all responses.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from annotation.pure.ratings.comparing import CHAIN_COLUMNS, OPEN, RIGHT, WRONG, chain_counts
from annotation.pure.ratings.fields import value_of
from annotation.pure.ratings.responses import cells
from annotation.pure.ratings.results import aggregated
from annotation.pure.ratings.rubric import Criterion
from annotation.pure.reports.tables import own_words, table, text_cell
from annotation.pure.statistics.intervals import wilson
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses

CORRECT = "correct"  # the field of a record that says whether the answer at the end of the chain is right
NOTE = _(
    "A chain is right if every relevant step is, by what the responses add up to; wrong if one is not; else undecided, "
    "where a step is tied. Intervals (Wilson) over decided chains. It says what this batch asked: a chain that is "
    "supported may still not follow, and the other way round; a comparison of both batches joins them."
)
ANSWERS = {True: _("Answer right"), False: _("Answer wrong"), None: _("Answer not known")}


class Chain(NamedTuple):
    """`key` is the same in all batches; `answer`: whether it is right, if that is known; `first` wrong step, else 0."""

    key: str
    answer: bool | None
    state: str
    first: int


Chains = Mapping[str, Sequence[Chain]]  # by criterion


def chains_of(rows: Sequence[HitWithResponses], criteria: Iterable[Criterion]) -> Chains:
    """The chains of each criterion with `right` and `each` that has any."""
    found = {}
    for criterion in (one for one in criteria if one.right and one.each):
        chains = []
        for row in (row for row in rows if row.given):
            state, first = _state(row, criterion)
            if state:
                answer, one = value_of(row.example, CORRECT), row.example
                key = sha256(f"{one.id}\n{one.question}".encode()).hexdigest()[:16]
                chains.append(Chain(key, answer if isinstance(answer, bool) else None, state, first))
        if chains:
            found[criterion.name] = chains
    return found


def chain_tables(chains: Chains, criteria: Iterable[Criterion]) -> Iterator[JSON]:
    """Of each criterion with `right`: right answer × right chain, and the first wrong step."""
    for criterion in criteria:
        if own := chains.get(criterion.name):
            yield from _tables(criterion, own)


def _tables(criterion: Criterion, chains: Sequence[Chain]) -> Iterator[JSON]:
    about: dict[str, Any] = {"about": own_words(criterion.ask), "leads": False}
    states = {answer: [one.state for one in chains if one.answer is answer] for answer in ANSWERS}
    body = [[text_cell(ANSWERS[answer]), *chain_counts(own)] for answer, own in states.items() if own]
    columns = [_("Answer"), *CHAIN_COLUMNS]
    name = criterion.name.replace("_", "-")
    yield table(f"chains-{name}", _("Chains"), columns, body, NOTE, kind="chains", **about)
    first = Counter(one.first for one in chains if one.state == WRONG)
    steps = [[place, first[place], wilson(first[place], first.total()).as_json()] for place in sorted(first)]
    if steps:
        columns = [_("Step"), _("Chains"), _("Share")]
        title = _("First wrong step")
        yield table(f"first-wrong-{name}", title, columns, steps, kind="first-wrong", in_order=True, **about)


def _state(row: HitWithResponses, criterion: Criterion) -> tuple[str, int]:
    """Whether the chain is right, wrong or undecided, and its first wrong step, from 1; ("", 0) without a chain."""
    ratings = aggregated(row.payload, [given.answer for given in row.given])["ratings"]
    answer = {name: _values(cell) for name, cell in ratings.items()}
    asked = [(each["name"], k, value) for each, k, value in cells(row.payload, answer) if k is not None]
    before = {criterion.name, *criterion.condition}
    wrong = [
        k for name, k, value in asked if name == criterion.name and value is not None and value not in criterion.right
    ]
    if wrong:
        return WRONG, min(wrong) + 1
    if not any(name in before for name, _k, _value in asked):
        return "", 0
    return (OPEN if any(value is None for name, _k, value in asked if name in before) else RIGHT), 0


def _values(cell: Any) -> Any:
    return [_values(each) for each in cell] if isinstance(cell, list) else cell and cell["value"]
