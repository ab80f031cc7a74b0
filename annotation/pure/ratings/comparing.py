"""Comparisons of batches of ratings: which criteria are the same, and their figures side by side."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.ratings.rubric import BEST, CHOICE, CHOICES, MARK, NUMBER, ORDER, SCALE, TEXT, Criterion, Rubric
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.statistics.intervals import wilson
from annotation.pure.text.translation_marks import gettext_noop as _

SAME_ONLY = _("Only criteria that have the same name, kind and values in all of these batches are compared.")
FROM_REPORTS = _("From each batch's last report, which has the intervals.")
RIGHT, WRONG, OPEN = "right", "wrong", "open"  # a chain of reasoning
JOINED = _(
    "Chains that all of these batches have, the same by id and question. In all: right if every batch says so, "
    "wrong if one says wrong, else undecided. Intervals (Wilson) over decided chains."
)
CHAIN_COLUMNS = [_("Right chains"), _("Wrong chains"), _("Undecided chains"), _("Share right")]
NOTHING = (None, None)
NO_ROWS: JSON = {"rows": []}
KINDS = {
    SCALE: _("a scale from %(low)s to %(high)s"),
    NUMBER: _("a number from %(low)s to %(high)s"),
    CHOICE: _("one of %(values)s"),
    CHOICES: _("any of %(values)s"),
    TEXT: _("a text"),
    MARK: _("words to mark in %(values)s"),
    BEST: _("the best of %(values)s"),
    ORDER: _("the order of %(values)s"),
}
Side = tuple[str, Rubric, JSON]  # a batch's label, its rubric, and its last report


def kind_of(one: Criterion) -> JSON:
    """What a criterion asks for, as a cell."""
    values = {"values": ", ".join(map(str, one.values)), "low": one.values[0], "high": one.values[-1]}
    kind = text_cell(KINDS[one.kind], **values)
    return text_cell(_("%(kind)s, for each of %(each)s"), kind=kind, each=one.each) if one.each else kind


def equal_criteria(rubrics: Sequence[Rubric]) -> list[str]:
    """The names of the criteria with figures that are the same in all of the rubrics."""
    known = [{each.name: each for each in one.criteria if each.kind != TEXT} for one in rubrics]
    return [name for name, one in known[0].items() if all(_are_same(one, other.get(name)) for other in known)]


def _are_same(one: Criterion, other: Criterion | None) -> bool:
    return other is not None and _signature(one) == _signature(other)


def _signature(one: Criterion) -> tuple[Any, ...]:
    """What responses can be; where values have no order, it does not matter in which they are written."""
    values = one.values if one.ordered or one.kind in (SCALE, NUMBER) else frozenset(one.values)
    return one.kind, one.each, values, one.ordered, one.tie, frozenset(one.marks)


def comparison_tables(sides: Sequence[Side]) -> Iterator[JSON]:
    """What each batch asked, and the means and shares of the same criteria as of the last reports."""
    labels = [label for label, _rubric, _report in sides]
    same = equal_criteria([rubric for _label, rubric, _report in sides])
    rubrics = [{each.name: each for each in rubric.criteria} for _label, rubric, _report in sides]
    rows = []
    for name in dict.fromkeys(name for rubric in rubrics for name in rubric):
        asked = [rubric.get(name) for rubric in rubrics]
        is_text = all(one and one.kind == TEXT for one in asked)
        told = _("texts have no figures") if is_text else _("yes") if name in same else _("no")
        rows.append([name, text_cell(told), *(one and _words(one) for one in asked)])
    columns = [_("Criterion"), _("Compared"), *labels]
    yield table("criteria", _("Criteria"), columns, rows, SAME_ONLY, leads=False)
    figures = [_figures(report, same) for _label, _rubric, report in sides]
    cells = {key: cell for own in figures for key, (cell, _value) in own.items()}
    found = [[key[0], cell, *(own.get(key, NOTHING)[1] for own in figures)] for key, cell in cells.items()]
    heads = [_("Criterion"), _("Value"), *labels]
    yield from _joined_chains(sides)
    if found:
        yield table("by-criterion", _("By criterion"), heads, found, FROM_REPORTS, leads=False)


def _joined_chains(sides: Sequence[Side]) -> Iterator[JSON]:
    """The chains that batches with different criteria have in common, such as attribution and logic: right in all?"""
    chains = [report.get("chains") or {} for _label, _rubric, report in sides]
    names = [name for own in chains for name in own]
    states = [_by_chain(key_and_state for rows in own.values() for key_and_state in rows) for own in chains]
    common = set.intersection(*map(set, states)) if len(states) > 1 and len({*names}) == len(names) else set()
    if common:
        pairs = zip(sides, states, strict=True)
        rows = [[label, *chain_counts(own[key] for key in common)] for (label, *_rest), own in pairs]
        rows.append([text_cell(_("in all")), *chain_counts(_worst(own[key] for own in states) for key in common)])
        yield table("chains", _("Chains"), [_("Batch"), *CHAIN_COLUMNS], rows, JOINED, leads=False)


def _by_chain(rows: Iterable[Sequence[str]]) -> dict[str, str]:
    """The state of each chain by its key; of several criteria what they say together."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, state in rows:
        found[key].append(state)
    return {key: _worst(states) for key, states in found.items()}


def _worst(states: Iterable[str]) -> str:
    known = {*states}
    return next(state for state in (WRONG, OPEN, RIGHT) if state in known)


def chain_counts(states: Iterable[str]) -> list[Any]:
    """A row below CHAIN_COLUMNS."""
    counts = Counter(states)
    decided = counts[RIGHT] + counts[WRONG]
    share = wilson(counts[RIGHT], decided).as_json() if decided else None
    return [*(counts[state] for state in (RIGHT, WRONG, OPEN)), share]


def _words(one: Criterion) -> JSON:
    """What a criterion asks for, so that criteria that are not the same differ in words."""
    words = kind_of(one)
    more = {
        _("%(kind)s, in this order"): one.ordered,
        _("%(kind)s, or a tie"): one.tie,
        _("%(kind)s, as %(marks)s"): bool(one.marks),
    }
    for message in (message for message, is_so in more.items() if is_so):
        words = text_cell(message, kind=words, marks=", ".join(one.marks))
    return words


def _figures(report: JSON, names: Sequence[str]) -> dict[tuple[str, str], tuple[Any, Any]]:
    """(criterion, value) -> (the value as a cell, its share or mean) of a report, without intervals."""
    found: dict[tuple[str, str], tuple[Any, Any]] = {}
    means = {row[0]: row[2] for row in reversed((table_of(report, "means") or NO_ROWS)["rows"])}  # the first row's
    for name in names:
        if name in means:
            found[name, "mean"] = text_cell(_("mean")), means[name]
            continue
        for cell, _count, share, *_more in (table_of(report, f"values-{name.replace('_', '-')}") or NO_ROWS)["rows"]:
            found[name, repr(cell)] = cell, share and share | {"low": None, "high": None}
    return found
