"""The flow of people and responses through a batch: how many there were at each step, and why some were lost.

The counts of a batch are rows of (worker, what became of an assignment, the rule by which a submitted one does not
count, number). Each step is the step before it without its losses, whatever the rows are.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.pure.data.example import JSON
from annotation.pure.reports import tables
from annotation.pure.reports.charts import Flow
from annotation.pure.reports.tables import Translate, text_cell
from annotation.pure.text.translation_marks import gettext_noop as _

RETURNED, EXPIRED, IN_WORK, SUBMITTED = "returned", "expired", "accepted", "submitted"  # states of an assignment
# Rules by which a submitted response does not count.
HIT, VISIT, ERASED, SUGGESTED = "hit", "visit", "erased", "suggested"
PEOPLE, RESPONSES = "people-flow", "responses-flow"
TITLES = {PEOPLE: _("Flow of people"), RESPONSES: _("Flow of responses")}
STEPS = {
    "invited": _("Chosen for the batch"),
    "came": _("Opened the batch"),
    "began": _("Accepted a HIT"),
    "answered": _("Submitted a response"),
    "counted": _("Counted in the figures"),
    "accepted": _("HITs accepted"),
    "submitted": _("Responses submitted"),
}
LOSSES = {
    "stayed": _("Never opened the batch"),
    "looked": _("Accepted no HIT"),
    RETURNED: _("Returned"),
    EXPIRED: _("Ran out of time"),
    IN_WORK: _("In progress"),
    "mixed": _("Returned or ran out of time"),
    HIT: _("Excluded HIT"),
    VISIT: _("Visit of a panel that does not count"),
    SUGGESTED: _("Started with a suggestion: counted apart"),
    ERASED: _("Erased at the participant's request"),
    "several": _("By several rules"),
}
OTHERS = {
    "paused": _("Paused by the rule on hidden gold: %(n)s."),
    "withdrew": _("Withdrew their consent: %(n)s."),
}
UNPAID = {
    "rejected": _("Rejected and not paid, but counted: %(n)s."),
    "unpaid": _("Not paid or decided on yet, but counted: %(n)s."),
}
ADDS_UP = _("Each step is the previous step minus its losses. Hidden gold and practice are left out.")


class Row(NamedTuple):
    """So many assignments of a worker with the same fate; `rule` and `reason` are of submitted ones only."""

    worker: int
    state: str
    rule: str
    reason: str
    number: int


Step = list[Any]  # [name, how many are there, [[name of a loss after it, reason given, number], ...]]


def flow(rows: Iterable[Row], *, came: Collection[int], chosen: Collection[int]) -> JSON:
    """The steps of people and responses, as JSON; without `chosen` workers everybody could come."""
    rows = list(rows)
    by_worker: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_worker[row.worker].append(row)
    return {PEOPLE: _people(by_worker, set(came), set(chosen)), RESPONSES: _responses(rows)}


def _responses(rows: Sequence[Row]) -> list[Step]:
    lost: Counter[tuple[str, str]] = Counter()
    left_out: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row.state != SUBMITTED:
            lost[row.state, ""] += row.number
        elif row.rule:
            left_out[row.rule, row.reason] += row.number
    return _steps(("accepted", "submitted", "counted"), sum(row.number for row in rows), (lost, left_out))


def _people(by_worker: Mapping[int, Sequence[Row]], came: set[int], chosen: set[int]) -> list[Step]:
    came = came | by_worker.keys()
    invited = (chosen | came) if chosen else came
    fates: list[Counter[tuple[str, str]]] = [Counter(), Counter(), Counter(), Counter()]
    for worker in invited:
        step, why = _fate(by_worker.get(worker, ()), worker in came)
        if why:
            fates[step][why, ""] += 1
    names = ("invited", "came", "began", "answered", "counted")
    steps = _steps(names, len(invited), fates)
    return steps if chosen else steps[1:]


def _fate(rows: Sequence[Row], came: bool) -> tuple[int, str]:
    """The step after which a worker is lost, and why; "" of one who is counted."""
    if not came:
        return 0, "stayed"
    if not rows:
        return 1, "looked"
    submitted = [row for row in rows if row.state == SUBMITTED]
    if not submitted:
        states = {row.state for row in rows}
        return 2, IN_WORK if IN_WORK in states else states.pop() if len(states) == 1 else "mixed"
    rules = {row.rule for row in submitted}
    if "" in rules:
        return 3, ""
    return 3, rules.pop() if len(rules) == 1 else "several"


def _steps(names: Sequence[str], count: int, losses: Sequence[Counter[tuple[str, str]]]) -> list[Step]:
    steps: list[Step] = []
    for name, lost in zip(names, [*losses, Counter[tuple[str, str]]()], strict=True):
        steps.append([name, count, [[*why, number] for why, number in sorted(lost.items())]])
        count -= lost.total()
    return steps


def flow_tables(kept: Mapping[str, Any]) -> list[JSON]:
    """Both flows as tables: a row for each step, and below it one for each loss."""
    found = []
    for name, words in ((PEOPLE, _("Workers")), (RESPONSES, _("Responses"))):
        rows: list[list[Any]] = []
        for step, count, losses in kept[name]:
            rows.append([text_cell(STEPS[step]), None, count])
            rows += [[None, _loss(why, reason), number] for why, reason, number in losses]
        columns = [_("Step"), _("Lost after it"), words]
        notes: list[Any] = [ADDS_UP]
        known, others = OTHERS if name == PEOPLE else UNPAID, kept.get("others") or {}
        notes += [text_cell(known[other], n=n) for other, n in others.items() if n and other in known]
        numbers = [False, False, True]
        table = tables.table(name, TITLES[name], columns, rows, notes, leads=False, bars=False, numbers=numbers)
        found.append(table)
    return found


def flow_charts(kept: Mapping[str, Any], translate: Translate) -> list[Flow]:
    """Both flows as figures."""
    return [
        Flow(
            name,
            translate(TITLES[name]),
            tuple(
                (
                    translate(STEPS[step]),
                    count,
                    tuple((tables.cell_text(_loss(*why), translate), n) for *why, n in lost),
                )
                for step, count, lost in kept[name]
            ),
        )
        for name in (PEOPLE, RESPONSES)
    ]


def _loss(why: str, reason: str) -> JSON:
    words = text_cell(LOSSES[why])
    return text_cell("%(rule)s: %(reason)s", rule=words, reason=reason) if reason else words
