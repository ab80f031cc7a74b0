"""Results of a qualification round: workers by items, figures and scores, the effect of each mark, and grants."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow.people import bulk_grants, qualification_rounds, round_attempts
from annotation.flow.review import review_decisions
from annotation.models import Assignment, Attempt, Hit, Qualification, QualificationRound, User, Worker
from annotation.pure.batches import lifecycle
from annotation.pure.people import round_rules as rules
from annotation.pure.people.round_rules import Clause, Outcome, Scored, outcomes
from annotation.pure.review import review_state
from annotation.pure.statistics.intervals import Figure, wilson
from annotation.registry import task_type
from annotation.tasktype import capabilities

MARKS = [k / 20 for k in range(8, 21)]  # 0.40, 0.45, … 1: the marks of the table and the chart


@dataclass(frozen=True, slots=True)
class Cell:
    """One item of one attempt: its state, and its value (0..1) if known."""

    hit: Hit
    assignment: Assignment | None
    value: float | None
    state: str  # open, working, waiting (for review), known, missed


@dataclass(slots=True)
class Result:
    """An attempt. `figures` and `score` are set once all items are answered and graded."""

    attempt: Attempt
    worker: Worker
    cells: list[Cell]
    figures: dict[str, float] = field(default_factory=dict)
    score: float | None = None
    passed: bool | None = None

    @property
    def finished(self) -> bool:
        return self.attempt.finished_at is not None

    @property
    def answered(self) -> int:
        return sum(cell.state in {"waiting", "known"} for cell in self.cells)


def results(round: QualificationRound) -> list[Result]:
    """Every attempt, best score first, unknown ones last; in a constant number of queries."""
    taken = Attempt.objects.filter(round=round).select_related("worker__project")
    return results_of(round, list(taken.order_by("started_at", "pk")))


def results_of(round: QualificationRound, taken: Sequence[Attempt]) -> list[Result]:
    """The results of some attempts."""
    rule, datasets = qualification_rounds.rule_of(round), round_attempts.datasets_of(round)
    hits = round.batch.hits.filter(excluded_at__isnull=True).select_related("item__dataset")
    by_key = hits.defer("payload", "item__content", "item__dataset__report").in_bulk()
    cells = _cells(round, taken, by_key)
    found = []
    for attempt in taken:
        attempt.round = round
        here = [cells(attempt, hit) for pk in attempt.hits if (hit := by_key.get(pk))]
        result = Result(attempt, attempt.worker, [cell for cell, _marks in here])
        if round.grading == QualificationRound.Grading.GOLD:
            result.figures = dict(attempt.figures)
        elif attempt.finished_at and all(marks is not None for _cell, marks in here):
            result.figures = rules.means([(cell.hit.item.dataset.slug, marks or {}) for cell, marks in here])
        result.score = rules.score(rule, result.figures, datasets)
        result.passed = rules.passes(rule, result.figures, datasets) if result.figures else None
        found.append(result)
    return sorted(found, key=lambda result: (result.score is None, -(result.score or 0), result.attempt.pk))


def _cells(round: QualificationRound, taken: Sequence[Attempt], hits: Mapping[int, Hit]) -> Any:
    """A function from attempt and HIT to the cell, with the requester's marks {figure: 0 or 1} if they grade."""
    rows = Assignment.objects.filter(batch=round.batch, worker__in=[attempt.worker_id for attempt in taken])
    assignments = {(row.worker_id, row.hit_id): row for row in rows.select_related("batch").defer("draft")}
    read = round.grading == QualificationRound.Grading.REQUESTER
    marks = _marks(round, assignments.values()) if read else {}
    nothing = dict.fromkeys(qualification_rounds.figures_for(round.batch.task, round.grading), 0.0)

    def cell(attempt: Attempt, hit: Hit) -> tuple[Cell, dict[str, float] | None]:
        row = assignments.get((attempt.worker_id, hit.pk))
        end = round_attempts.deadline(attempt)
        late = row is not None and row.submitted_at is not None and end is not None and row.submitted_at > end
        if row is None or late or row.state != lifecycle.SUBMITTED:
            if attempt.finished_at is not None:
                return Cell(hit, row, 0.0, "missed"), nothing
            working = row is not None and row.state == lifecycle.ACCEPTED
            return Cell(hit, row, None, "working" if working else "open"), None
        if not read:
            return Cell(hit, row, row.grade, "known"), None
        judged = marks.get(row.pk)
        value = judged[qualification_rounds.JUDGED] if judged else None
        return Cell(hit, row, value, "known" if judged else "waiting"), judged

    return cell


def _marks(round: QualificationRound, rows: Iterable[Assignment]) -> dict[int, dict[str, float]]:
    """The requester's marks of decided responses, {assignment: {figure: 0 or 1}}.

    JUDGED is 1 for a response accepted (edited or not) with a yes in every criterion, else 0; then its marks.
    """
    criteria = capabilities.criteria(task_type(round.batch.task))
    submitted = [row for row in rows if row.state == lifecycle.SUBMITTED]
    found = {}
    for standing in review_decisions.responses_with_reviews(submitted):
        if standing.state not in review_state.DECIDED or standing.review is None:
            continue
        points = {key: float(bool(standing.review.marks.get(key))) for key in criteria}
        good = standing.state in review_state.TAKEN and all(points.values())
        found[standing.assignment.pk] = {qualification_rounds.JUDGED: float(good)} | points
    return found


def best(results: Iterable[Result]) -> list[Result]:
    """The best known attempt of each worker."""
    chosen: dict[int, Result] = {}
    for result in results:
        before = chosen.get(result.worker.pk)
        if result.score is not None and (before is None or (before.score or 0) < result.score):
            chosen[result.worker.pk] = result
    return sorted(chosen.values(), key=lambda result: (-(result.score or 0), result.worker.pk))


@dataclass(frozen=True, slots=True)
class Prospect:
    """The effect of a mark: how many pass, and their expected quality in each figure of the rule."""

    mark: float
    workers: int
    figures: tuple[Outcome, ...]


def prospects(round: QualificationRound, results: Sequence[Result], marks: Sequence[float] = MARKS) -> list[Prospect]:
    """For each mark: the number of workers who pass, and their estimated true rates (pure/people/round_rules)."""
    rule = qualification_rounds.rule_of(round)
    known, strict = best(results), rules.mark_of(rule).comparator == ">"
    columns = []
    for figure in dict.fromkeys(clause.figure for clause in rule):
        scored = [Scored(each.score or 0.0, each.figures.get(figure, 0.0), max(1, len(each.cells))) for each in known]
        columns.append(outcomes(scored, marks, strict=strict, seed=round.batch.seed))
    by_mark = zip(marks, zip(*columns, strict=True), strict=True)
    return [Prospect(mark, outcomes[0].workers, outcomes) for mark, outcomes in by_mark]


def chosen_attempts(round: QualificationRound, results: Iterable[Result], mark: float | None) -> list[Result]:
    """The chosen attempts: by the rule, or by score if a mark is given."""
    known = best(results)
    if mark is None:
        return [result for result in known if result.passed]
    clause = Clause("score", mark, rules.mark_of(qualification_rounds.rule_of(round)).comparator)
    return [result for result in known if result.score is not None and clause.holds(result.score)]


def share_passed(round: QualificationRound) -> Figure:
    """The share of the workers with a known result who pass by the rule, with Wilson's interval."""
    found = results(round)
    return wilson(len(chosen_attempts(round, found, None)), len(best(found)))


def percent(score: float) -> int:
    """A score (0..1) as a qualification's value: integer percent, rounded down."""
    return int(100 * score + 1e-6)


def grants(round: QualificationRound, mark: float | None) -> dict[Worker, int]:
    """Scores to grant if workers are chosen by rule or by mark."""
    return {result.worker: percent(result.score or 0) for result in chosen_attempts(round, results(round), mark)}


@transaction.atomic
def grant(round: QualificationRound, wanted: Mapping[Worker, int], *, reason: str, user: User | None) -> int:
    """Grant the round's qualification to these workers in one step; returns the number of changed scores."""
    return bulk_grants.grant_all(round.grants, wanted, source="round", reason=reason, user=user)


@dataclass(frozen=True, slots=True)
class RoundStatus:
    """A worker's result of their last attempt, without single items or gold."""

    round: QualificationRound
    granted: bool  # whether they hold the qualification: a mark reached is not yet a grant
    finished: bool
    passed: bool | None
    figures: list[tuple[str, float]]
    again: bool
    closed: bool


def round_status(worker: Worker, round: QualificationRound) -> RoundStatus:
    """The worker's state in a round."""
    attempt, closed = round_attempts.latest(round, worker), not round_attempts.is_open(round)
    granted = Qualification.objects.filter(worker=worker, type=round.grants, state="Granted").exists()
    if attempt is None:
        return RoundStatus(round, granted, finished=False, passed=None, figures=[], again=False, closed=closed)
    (result,) = results_of(round, [attempt])
    labels = qualification_rounds.figures_for(round.batch.task, round.grading)
    named = []
    figures = rules.rule_figures(qualification_rounds.rule_of(round), round_attempts.datasets_of(round))
    for name, _text in figures if result.figures else ():
        figure, _slash, dataset = name.partition("/")
        label = _(labels[figure].for_workers)
        named.append((f"{label} ({dataset})" if dataset else label, result.figures.get(name, 0.0)))
    again = round_attempts.may_begin_again(attempt) and not closed
    return RoundStatus(round, granted, result.finished, result.passed, named, again, closed)
